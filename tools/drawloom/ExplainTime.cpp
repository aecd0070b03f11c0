//===- ExplainTime.cpp - drawloom explain --time --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long a kernel takes by the model of docs/Timing.md, what its roles wait
// for, and what other schedules take: each is compiled and run, none is
// estimated.
//
//===----------------------------------------------------------------------===//

#include "ExplainTime.h"
#include "CommandLine.h"
#include "Files.h"
#include "ProgramOptions.h"
#include "Terminal.h"
#include "TimePage.h"
#include "drawloom/Analysis/PrintPlan/Print.h"
#include "drawloom/Driver/Compile.h"
#include "drawloom/Driver/Page.h"
#include "drawloom/Emulator/ClockConstants.h"
#include "drawloom/Emulator/Device.h"
#include "drawloom/Run/Execute.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace drawloom;
using llvm::json::Object;

namespace {
/// A schedule that is tried.
struct Variant {
  std::string name; ///< "persistent = dynamic"
  tile::Schedule schedule;
};

/// What came of it.
struct Timed {
  plan::Plan plan;
  tile::Schedule schedule; ///< As it was planned.
  Object report;

  double microseconds() const {
    return report.getNumber("microseconds").value_or(0);
  }
};
} // namespace

/// The function on tensors or the kernel of that name; the first one without a
/// name.
static mlir::Operation *findProgram(mlir::ModuleOp module,
                                    llvm::StringRef name) {
  for (mlir::Operation &op : module.getOps())
    if (llvm::isa<tile::KernelOp, mlir::func::FuncOp>(op) &&
        (name.empty() || mlir::SymbolTable::getSymbolName(&op) == name))
      return &op;
  return nullptr;
}

/// Compiles a copy of the program with a schedule, and runs it by the clock.
/// Tensors are not moved, so that large ones take seconds. The arguments are
/// made for the first one. `trace`: a file for that of the first CTA.
static llvm::Expected<Timed> timeProgram(mlir::ModuleOp program,
                                         const ProgramOptions &options,
                                         std::optional<run::Arguments> &given,
                                         const tile::Schedule *schedule,
                                         llvm::StringRef trace = "") {
  mlir::OwningOpRef<mlir::ModuleOp> copy = program.clone();
  mlir::Operation *found = findProgram(*copy, options.kernel);
  if (schedule)
    tile::setSchedule(found, *schedule);
  mlir::FailureOr<tile::KernelOp> kernel =
      run::chooseKernel(*copy, *options.arch, options.kernel);
  if (mlir::failed(kernel))
    return llvm::make_error<CompileError>(std::vector<Message>());
  if (!given) {
    llvm::Expected<run::Arguments> made =
        run::makeArguments(*kernel, options.arguments);
    if (!made)
      return made.takeError();
    given = std::move(*made);
  }
  run::Arguments arguments = *given;
  Timed timed;
  timed.schedule = tile::getSchedule(*kernel);
  llvm::Expected<CompiledModule> compiled =
      compile(*copy, {.arch = options.arch, .unproved = options.unproved});
  if (!compiled)
    return compiled.takeError();
  timed.plan = compiled->kernels.front().plan;

  DriverCheck names({}, printPlans(compiled->kernels.front()));
  llvm::SmallVector<runtime::Driver::Setting> settings = {
      {"DRAWLOOM_TIME", "without-data"}, {"DRAWLOOM_QUIET", "1"}};
  if (!trace.empty()) {
    settings.push_back({"DRAWLOOM_TRACE", trace.str()});
    settings.push_back({"DRAWLOOM_TRACE_CTAS", "1"});
  }
  llvm::Expected<runtime::Device> device =
      run::openDevice(options.device, options.sms.value_or(0), settings);
  if (!device)
    return device.takeError();
  if (llvm::Error error = run::execute(*compiled, *device, arguments))
    return error;
  llvm::Expected<llvm::json::Value> report =
      llvm::json::parse(device->getDriver().timing());
  if (!report)
    return report.takeError();
  timed.report = std::move(*report->getAsObject());
  return timed;
}

//===----------------------------------------------------------------------===//
// Other schedules
//===----------------------------------------------------------------------===//

static std::string joinSizes(llvm::ArrayRef<int64_t> sizes) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(sizes, os);
  return text + "]";
}

/// One field of the given schedule changed at a time.
static std::vector<Variant> listVariants(const tile::Schedule &given,
                                         const Timed &base, bool isFunction,
                                         const target::Architecture &arch) {
  std::vector<Variant> variants;
  auto add = [&](const llvm::Twine &name) -> tile::Schedule & {
    variants.push_back({name.str(), given});
    return variants.back().schedule;
  };
  for (const plan::Pipe &pipe : base.plan.pipes) {
    if (base.plan.roles[pipe.producer].kind != plan::Role::Kind::Load ||
        pipe.memory != plan::Pipe::Memory::Shared)
      continue;
    for (int64_t slots : {pipe.slots - 1, pipe.slots + 1}) {
      if (slots == 0)
        continue;
      tile::Schedule &other = add("slots = {" + llvm::Twine(pipe.name) + " = " +
                                  llvm::Twine(slots) + "}");
      llvm::erase_if(other.slots,
                     [&](const auto &one) { return one.first == pipe.name; });
      other.slots.emplace_back(pipe.name, slots);
    }
  }
  const std::pair<plan::Items, tile::Persistence> schedulers[] = {
      {plan::Items::One, tile::Persistence::None},
      {plan::Items::Static, tile::Persistence::Static},
      {plan::Items::Dynamic, tile::Persistence::Dynamic}};
  for (auto [items, persistent] : schedulers)
    if (items != base.plan.items)
      add("persistent = " + tile::stringifyPersistence(persistent)).persistent =
          persistent;
  auto addCluster = [&](llvm::ArrayRef<int64_t> cluster, int64_t group) {
    if (cluster == llvm::ArrayRef(base.plan.cluster) &&
        group == base.schedule.ctaGroup.value_or(1))
      return;
    std::string name = "cluster = " + joinSizes(cluster);
    tile::Schedule &other =
        add(group == 1 ? name : name + ", cta_group = " + llvm::utostr(group));
    other.cluster.assign(cluster.begin(), cluster.end());
    other.clusterIsOpen = false;
    other.ctaGroup = group == 1 ? std::nullopt : std::optional(group);
  };
  const std::array<int64_t, 2> clusters[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}};
  for (const std::array<int64_t, 2> &cluster : clusters)
    if (cluster != clusters[0] || base.plan.clusterSize() != 1)
      addCluster(cluster, 1);
  if (arch.mma == target::MmaInstruction::Tcgen05)
    addCluster(clusters[1], 2);
  // The tile of a kernel is that of its program.
  if (isFunction && base.schedule.tile.size() == 3)
    for (unsigned dimension : {0, 1, 2})
      for (bool isLarger : {false, true}) {
        llvm::SmallVector<int64_t, 3> tile = base.schedule.tile;
        tile[dimension] = isLarger ? 2 * tile[dimension] : tile[dimension] / 2;
        add("tile = " + joinSizes(tile)).tile = tile;
      }
  return variants;
}

//===----------------------------------------------------------------------===//
// What is printed
//===----------------------------------------------------------------------===//

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
    llvm::StringRef engine = role.engine;
    return engine.contains("tcgen05") || engine.contains("wgmma");
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

static void printTimed(const Timed &timed, const run::Arguments &arguments,
                       const ProgramOptions &options, llvm::raw_ostream &os) {
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

/// The first line of what is wrong, without a place.
static std::string shorten(llvm::Error error) {
  std::string text;
  llvm::handleAllErrors(
      std::move(error),
      [&](const CompileError &rejected) {
        llvm::ArrayRef<Message> messages = rejected.getMessages();
        text = "not compiled";
        if (!messages.empty())
          text += ": " + messages.front().text;
      },
      [&](const llvm::ErrorInfoBase &other) {
        text = "not run: " + other.message();
      });
  return llvm::StringRef(text).split('\n').first.str();
}

static void printVariants(mlir::ModuleOp program, const ProgramOptions &options,
                          std::optional<run::Arguments> &arguments,
                          const Timed &base, llvm::ArrayRef<Variant> variants,
                          llvm::raw_ostream &os) {
  size_t width = llvm::StringRef("with").size();
  for (const Variant &variant : variants)
    width = std::max(width, variant.name.size());
  os << '\n' << llvm::left_justify("with", width) << "       time  change\n";
  for (const Variant &variant : variants) {
    llvm::Expected<Timed> timed = [&] {
      Waiting waiting("timing " + variant.name);
      // Why a schedule has no plan is its row.
      mlir::ScopedDiagnosticHandler silent(
          program.getContext(),
          [](mlir::Diagnostic &) { return mlir::success(); });
      return timeProgram(program, options, arguments, &variant.schedule);
    }();
    os << llvm::left_justify(variant.name, width) << "  ";
    if (!timed)
      os << shorten(timed.takeError()) << '\n';
    else
      os << llvm::format("%6.2f us  %+.1f %%\n", timed->microseconds(),
                         100 *
                             (timed->microseconds() / base.microseconds() - 1));
    os.flush();
  }
}

//===----------------------------------------------------------------------===//
// The page
//===----------------------------------------------------------------------===//

namespace {
/// What the verb has beside what a program is asked.
struct TimeOutput {
  bool isPage = false;
  std::string path = "-";
};
} // namespace

/// Takes --format and -o out of the arguments.
static llvm::Expected<TimeOutput>
takeOutput(llvm::SmallVectorImpl<llvm::StringRef> &arguments) {
  TimeOutput output;
  for (size_t i = 0; i < arguments.size();) {
    const bool isFormat = arguments[i] == "--format";
    if (!isFormat && arguments[i] != "-o") {
      ++i;
      continue;
    }
    if (i + 1 == arguments.size())
      return llvm::createStringError("'" + arguments[i] + "' takes a value");
    llvm::StringRef value = arguments[i + 1];
    if (isFormat && value != "text" && value != "html")
      return llvm::createStringError(
          "with --time, --format takes text or html, not '" + value + "'");
    if (isFormat)
      output.isPage = value == "html";
    else
      output.path = value.str();
    arguments.erase(arguments.begin() + i, arguments.begin() + i + 2);
  }
  return output;
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

/// What the kernel reaches, and what its device can do at the run's clock.
static Roofline makeRoofline(const Timed &timed,
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

static llvm::Expected<std::string> makePage(const Timed &timed,
                                            const ProgramOptions &options,
                                            llvm::StringRef trace,
                                            llvm::StringRef text) {
  auto buffer = llvm::MemoryBuffer::getFile(trace);
  if (!buffer)
    return llvm::createStringError("no trace of the run: " +
                                   buffer.getError().message());
  std::string time;
  llvm::raw_string_ostream os(time);
  os << "<section>\n<h1>Time of @" << plan::escapeForXml(timed.plan.kernel)
     << "</h1>\n<pre class=\"time\">" << plan::escapeForXml(text) << "</pre>\n";
  if (llvm::Error error = drawTimeline((*buffer)->getBuffer(), os))
    return error;
  if (timed.report.getNumber("tensorUtilization").value_or(0) > 0)
    drawRoofline(makeRoofline(timed, options), os);
  os << "</section>\n";
  std::string page;
  llvm::raw_string_ostream pageStream(page);
  printPage(timed.plan, {}, pageStream, time);
  return page;
}

/// Times the program and its variants, and writes what came of it.
static ExitStatus explainTime(InputModule &input, mlir::Operation *program,
                              const ProgramOptions &options,
                              const TimeOutput &output) {
  llvm::SmallString<128> trace;
  llvm::scope_exit removeTrace([&] {
    if (!trace.empty())
      llvm::sys::fs::remove(trace);
  });
  if (output.isPage)
    if (std::error_code failed = llvm::sys::fs::createTemporaryFile(
            "drawloom-time", "json", trace)) {
      llvm::errs() << "drawloom: no file for a trace: " << failed.message()
                   << " [cannot-write]\n";
      return Failed;
    }
  std::optional<run::Arguments> made;
  llvm::Expected<Timed> base = [&] {
    Waiting waiting("timing");
    return timeProgram(input.get(), options, made, nullptr, trace);
  }();
  if (!base) {
    input.report(base.takeError());
    return Failed;
  }
  std::string text;
  llvm::raw_string_ostream kept(text);
  const bool isShown = !output.isPage && output.path == "-";
  llvm::raw_ostream &os =
      isShown ? static_cast<llvm::raw_ostream &>(llvm::outs()) : kept;
  printTimed(*base, *made, options, os);
  printVariants(input.get(), options, made, *base,
                listVariants(tile::getSchedule(program), *base,
                             llvm::isa<mlir::func::FuncOp>(program),
                             *options.arch),
                os);
  os << "\nA prediction by a model; docs/Timing.md says how good it is.\n";
  if (isShown)
    return Clean;
  if (output.isPage) {
    llvm::Expected<std::string> page = makePage(*base, options, trace, text);
    if (!page) {
      llvm::errs() << "drawloom: " << llvm::toString(page.takeError()) << '\n';
      return Failed;
    }
    text = std::move(*page);
  }
  return mlir::succeeded(writeOutput(output.path, text)) ? Clean : Failed;
}

ExitStatus drawloom::runExplainTime(llvm::ArrayRef<llvm::StringRef> arguments) {
  llvm::SmallVector<llvm::StringRef> rest(arguments);
  llvm::Expected<TimeOutput> output = takeOutput(rest);
  if (!output)
    return complain("explain", llvm::toString(output.takeError()));
  llvm::Expected<ProgramOptions> options =
      ProgramOptions::read(rest, "explain");
  if (!options)
    return complain("explain", llvm::toString(options.takeError()));
  if (llvm::StringRef(options->input).ends_with(".ptx"))
    return complain("explain", "--time takes a program; of PTX, 'drawloom run "
                               "--time' prints the time");
  mlir::DialectRegistry dialects;
  registerProgramDialects(dialects);
  std::unique_ptr<InputModule> input = InputModule::open(options->input);
  if (!input || !input->parse(dialects))
    return Failed;
  mlir::Operation *program = findProgram(input->get(), options->kernel);
  if (!program) {
    llvm::errs() << "drawloom: '" << options->input
                 << "' holds no such kernel [no-kernel]\n";
    return Failed;
  }
  if (!options->arguments.seed)
    options->arguments.seed = 0; // What they hold doesn't count.
  return explainTime(*input, program, *options, *output);
}
