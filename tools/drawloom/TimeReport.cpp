//===- TimeReport.cpp - A timed run as text -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimeReport.h"
#include "drawloom/Emulator/ClockConstants.h"
#include "drawloom/Emulator/Device.h"
#include "drawloom/PrintPlan/Print.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using llvm::json::Object;

/// Calls f(object) for each of a list of objects.
static void forEach(const Object &from, llvm::StringRef list,
                    llvm::function_ref<void(const Object &)> f) {
  if (const llvm::json::Array *array = from.getArray(list))
    for (const llvm::json::Value &value : *array)
      f(*value.getAsObject());
}

static int64_t getCycles(const Object &of, llvm::StringRef name = "cycles") {
  return of.getInteger(name).value_or(0);
}

static double waitShare(const Object &role) {
  int64_t waits = 0;
  forEach(role, "waits", [&](const Object &wait) { waits += getCycles(wait); });
  return double(waits) / std::max<int64_t>(1, getCycles(role));
}

static const Object *findRole(const Object &report, llvm::StringRef name) {
  const Object *found = nullptr;
  forEach(report, "roles", [&](const Object &role) {
    if (role.getString("role") == name)
      found = &role;
  });
  return found;
}

/// What a role waits for slots of pipes, of its time; and the longest of these
/// waits, or null.
static std::pair<double, const Object *> findPipeWaits(const Object &role) {
  int64_t cycles = 0;
  const Object *longest = nullptr;
  forEach(role, "waits", [&](const Object &wait) {
    if (wait.getString("pipe").value_or("").empty())
      return;
    cycles += getCycles(wait);
    if (!longest)
      longest = &wait;
  });
  return {double(cycles) / std::max<int64_t>(1, getCycles(role)), longest};
}

/// From the role that issues MMAs along the longest waits for slots: who waits
/// for a full one waits for its producer, who waits for an empty one for its
/// consumer. It ends at a role that hardly waits, or at one that it has come
/// by.
static std::string findCriticalPath(const Timed &timed) {
  const plan::Plan &plan = timed.plan;
  auto start = llvm::find_if(plan.roles, [](const plan::Role &role) {
    return llvm::is_contained(role.units, plan::Unit::Tcgen05) ||
           llvm::is_contained(role.units, plan::Unit::Wgmma);
  });
  if (start == plan.roles.end())
    return "";
  constexpr double hardly = 0.1;
  std::string text;
  llvm::SmallVector<unsigned> passed;
  for (unsigned at = start - plan.roles.begin();;) {
    std::string name = "@" + plan.roles[at].name;
    text += name;
    if (llvm::is_contained(passed, at))
      return text + ": they wait for each other";
    passed.push_back(at);
    const Object *role = findRole(timed.report, name);
    if (!role)
      return text;
    auto [share, longest] = findPipeWaits(*role);
    if (share < hardly)
      return text +
             llvm::formatv(", which waits for slots {0:f1} % of its time",
                           100 * share)
                 .str();
    auto pipe = llvm::find_if(plan.pipes, [&](const plan::Pipe &one) {
      return *longest->getString("pipe") == "@" + one.name;
    });
    text += (passed.size() == 1 ? " waits for " : ", which waits for ") +
            longest->getString("for")->str();
    if (pipe == plan.pipes.end())
      return text;
    const bool isFull = longest->getBoolean("full").value_or(false);
    at = isFull || pipe->consumers.empty() ? pipe->producer
                                           : pipe->consumers.front().role;
    text += isFull ? ", filled by " : ", released by ";
  }
}

namespace {
/// Of the mainloop, by the pipe that the loads fill most often.
struct KTiles {
  std::string pipe;  ///< "@operands"; empty if no role loads.
  int64_t count = 0; ///< Of all CTAs; of a CTA pair, each has its own.

  /// Cycles of a warp of the role for one of them.
  double share(const Object &role, double cycles) const {
    const int64_t warps = getCycles(role, "warps");
    return cycles / std::max<int64_t>(1, warps * count);
  }
};
} // namespace

static KTiles findKTiles(const Timed &timed) {
  KTiles tiles;
  forEach(timed.report, "pipes", [&](const Object &filled) {
    llvm::StringRef name = *filled.getString("pipe");
    auto pipe = llvm::find_if(timed.plan.pipes, [&](const plan::Pipe &one) {
      return name == "@" + one.name;
    });
    // The full barrier of a pair is that of its first CTA.
    const int64_t fills =
        getCycles(filled, "fills") * timed.schedule.ctaGroup.value_or(1);
    if (pipe != timed.plan.pipes.end() &&
        timed.plan.roles[pipe->producer].kind == plan::Role::Kind::Load &&
        fills > tiles.count)
      tiles = {name.str(), fills};
  });
  return tiles;
}

void drawloom::printTimed(const Timed &timed, const run::Arguments &arguments,
                          const ProgramOptions &options,
                          llvm::raw_ostream &os) {
  const Object &report = timed.report;
  auto number = [&](llvm::StringRef name) {
    return report.getNumber(name).value_or(0);
  };
  plan::printSummary(timed.plan, os);
  os << "arguments: " << run::describe(arguments) << "\n\n"
     << llvm::formatv("predicted     {0:f2} us on {2} with {1} SMs in use: {3} "
                      "cycles at {4} MHz\n"
                      "tensor cores  {5:f1} % busy\n"
                      "memory        {6:f1} MB from L2, {7:f1} MB from and to "
                      "DRAM\n",
                      timed.microseconds(), getCycles(report, "sms"),
                      options.device, getCycles(report),
                      getCycles(report, "clockMhz"),
                      100 * number("tensorUtilization"),
                      number("l2Bytes") / 1e6, number("dramBytes") / 1e6);
  if (getCycles(report, "prologueCycles"))
    os << llvm::formatv("exposed       prologue {0} cycles, tail {1} "
                        "cycles (mean of the SMs)\n",
                        getCycles(report, "prologueCycles"),
                        getCycles(report, "tailCycles"));
  if (std::string path = findCriticalPath(timed); !path.empty())
    os << "critical      " << path << '\n';

  // Warps without a role wait for the others to end.
  auto forEachRole = [&](llvm::function_ref<void(const Object &)> f) {
    forEach(report, "roles", [&](const Object &role) {
      if (timed.plan.roles.empty() || role.getString("role")->starts_with("@"))
        f(role);
    });
  };
  size_t width = llvm::StringRef("role").size();
  const KTiles tiles = findKTiles(timed);
  double period = 0;
  forEachRole([&](const Object &role) {
    width = std::max(width, role.getString("role")->size());
    period = std::max(period, tiles.share(role, getCycles(role)));
  });
  if (tiles.count)
    os << llvm::formatv("K tile        {0:f0} cycles of a CTA for "
                        "each slot of {1}\n",
                        period, tiles.pipe);
  os << '\n' << llvm::left_justify("role", width);
  if (tiles.count)
    os << "  works per K tile";
  os << "   waits  for\n";
  forEachRole([&](const Object &role) {
    os << llvm::left_justify(*role.getString("role"), width);
    if (tiles.count) {
      const double works = getCycles(role) * (1 - waitShare(role));
      os << llvm::formatv("  {0,9:f0} cycles", tiles.share(role, works));
    }
    os << llvm::formatv("  {0,4:f1} %", 100 * waitShare(role));
    unsigned count = 0;
    forEach(role, "waits", [&](const Object &wait) {
      constexpr unsigned most = 3;
      if (count++ < most)
        os << (count == 1 ? "  " : ", ")
           << llvm::formatv("{0:f1} % {1}",
                            100.0 * getCycles(wait) /
                                std::max<int64_t>(1, getCycles(role)),
                            *wait.getString("for"));
    });
    os << '\n';
  });
}

/// Bits of an element of the operands: of what the role that loads most gives.
static unsigned findOperandBits(const Timed &timed) {
  const KTiles tiles = findKTiles(timed);
  for (const plan::Pipe &pipe : timed.plan.pipes) {
    if (tiles.pipe != "@" + pipe.name || pipe.tensors.empty())
      continue;
    llvm::StringRef element =
        llvm::StringRef(pipe.tensors.front().type).rsplit('x').second;
    unsigned bits;
    // "bf16", "f8E4M3FN", "tf32"
    element = element.ltrim("abcdefghijklmnopqrstuvwxyz");
    if (!element.consumeInteger(10, bits))
      return bits;
  }
  return 16;
}

Roofline drawloom::makeRoofline(const Timed &timed,
                                const ProgramOptions &options) {
  const emu::DeviceModel &model = *emu::findDeviceModel(options.device);
  const emu::ClockConstants &constants = *emu::ClockConstants::of(model);
  const Object &report = timed.report;
  const int64_t mhz = getCycles(report, "clockMhz");
  const double hertz = 1e6 * mhz;
  // A step takes 32 bytes of K, of any type.
  const double ofSm = constants.mmaFlops * 16.0 / findOperandBits(timed);
  // --time alone asks for 0: as many as the real one.
  const unsigned given = options.sms.value_or(0);
  const unsigned sms = given ? given : model.smCount;
  Roofline roof;
  roof.kernel = timed.plan.kernel;
  roof.gpu =
      llvm::formatv("an {0} with {1} SMs at {2} MHz", model.product, sms, mhz)
          .str();
  roof.peak = ofSm * sms * hertz;
  roof.bandwidth = constants.dramBytes * hertz;
  roof.reached = report.getNumber("tensorUtilization").value_or(0) * ofSm *
                 getCycles(report, "sms") * hertz;
  roof.bytes = report.getNumber("dramBytes").value_or(0) /
               (1e-6 * std::max(1e-9, timed.microseconds()));
  return roof;
}
