//===- Trace.cpp - Who waited for what, and when --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/Trace.h"
#include "drawloom/Emulator/AddressMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace drawloom;
using namespace drawloom::checker;
using namespace drawloom::emu;
using llvm::StringRef;

static StringRef nameOf(EngineKind engine) {
  switch (engine) {
  case EngineKind::Copy:
    return "cp.async";
  case EngineKind::Bulk:
    return "bulk copies";
  case EngineKind::Tensor:
    return "TMA";
  case EngineKind::MatrixMultiply:
    return "tensor core";
  case EngineKind::Commit:
    return "commits";
  case EngineKind::RemoteStore:
    return "remote stores";
  case EngineKind::LaunchControl:
    return "launch control";
  }
  return "";
}

/// A barrier, as its plan calls it, or by where it is.
namespace {
struct BarrierName {
  bool isFull = false, isEmpty = false;
  std::string slot; ///< "slot 2 of @operands", or "mbarrier at byte 64"
};
} // namespace

class Trace::ClusterTrace : public ClusterListener {
public:
  ClusterTrace(const PlanNames &names, const LaunchedKernel &launched,
               const ClusterStart &start)
      : names(names), kernel(launched.kernel->function->name.str()),
        clock(start.clock), begin(clock()),
        dynamicShared(launched.kernel->dynamicSharedOffset()) {
    std::string name = llvm::demangle(kernel);
    for (uint64_t cta : start.ctas)
      ctas.push_back({llvm::formatv("{0}, launch {1}, CTA {2}",
                                    StringRef(name).split('(').first,
                                    launched.number, cta),
                      {}});
    lastExit.resize(ctas.size());
  }

  void suspend(const SuspendEvent &event) override {
    join(event.origin, event.address);
  }

  void mbarrier(const MbarrierEvent &event) override {
    if (event.kind == MbarrierEvent::PhaseEnd)
      return phaseEnded(event);
    if (event.kind != MbarrierEvent::Wait)
      return;
    auto key = keyOf(event.origin, event.address);
    // One that polls gets false, and asks again.
    if (!event.success)
      return join(event.origin, event.address);
    auto wait = waits.find(key);
    if (wait == waits.end())
      return;
    BarrierName barrier = nameBarrier(event.address);
    std::string state = barrier.isFull    ? " is full"
                        : barrier.isEmpty ? " is empty"
                                          : "";
    auto [since, lanes] = wait->second;
    std::string name = "wait: " + barrier.slot + state;
    if (unsigned count = llvm::popcount(lanes); count != 32)
      name += llvm::formatv(", {0} lane{1}", count, count == 1 ? "" : "s");
    rowOf(event.origin).push_back({name, since, clock()});
    waits.erase(wait);
  }

  void operation(const OperationEvent &event) override {
    if (event.kind == OperationEvent::Issue) {
      operations.try_emplace(event.operation, clock());
      return;
    }
    auto issued = operations.find(event.operation);
    if (event.kind != OperationEvent::Complete || issued == operations.end())
      return;
    // In the first of the issuer's rows that is free.
    std::string what =
        (nameOf(event.engine) + " of ").str() + nameWarp(event.origin.warp);
    unsigned row = 0;
    auto rowAt = [&](unsigned row) -> std::vector<Span> & {
      std::string name = what;
      if (row > 0)
        name += llvm::formatv(", {0}", row + 1);
      return ctas[event.origin.rank].rows[{
          2, unsigned(event.origin.warp) << 8 | unsigned(event.engine), name}];
    };
    while (!rowAt(row).empty() && rowAt(row).back().end > issued->second)
      ++row;
    rowAt(row).push_back({nameOf(event.engine).str(), issued->second, clock()});
    operations.erase(issued);
  }

  void lanesExited(const Origin &origin) override {
    lastExit[origin.rank][origin.warp] = clock();
  }

  /// All rows, with the life of each warp around its waits.
  std::vector<Cta> take() {
    for (auto [cta, exits] : llvm::zip_equal(ctas, lastExit))
      for (auto [warp, end] : exits) {
        std::vector<Span> &row = cta.rows[{0, warp, nameWarp(warp)}];
        row.insert(row.begin(), {nameWarp(warp), begin, end});
      }
    return std::move(ctas);
  }

private:
  using WaitKey = std::tuple<uint16_t, uint16_t, uint64_t>;
  static WaitKey keyOf(const Origin &origin, uint64_t address) {
    return {origin.rank, origin.warp, address};
  }
  /// Lanes wait, too: from then on all of them do.
  void join(const Origin &origin, uint64_t address) {
    auto &[since, lanes] = waits[keyOf(origin, address)];
    if (origin.lanes & ~lanes)
      since = clock();
    lanes |= origin.lanes;
  }
  std::string nameWarp(unsigned warp) const {
    std::string role = names.roleOf(kernel, warp);
    std::string number = "warp " + llvm::utostr(warp);
    return role.empty() ? number : role + ", " + number;
  }
  std::vector<Span> &rowOf(const Origin &origin) {
    return ctas[origin.rank].rows[{0, origin.warp, nameWarp(origin.warp)}];
  }
  BarrierName nameBarrier(uint64_t address) const {
    uint64_t byte = (address - sharedWindow) & sharedOffsetMask;
    if (auto known = names.barrierAt(kernel, int64_t(byte) - dynamicShared))
      return {known->isFull, !known->isFull, known->slot};
    return {false, false, "mbarrier at byte " + llvm::utostr(byte)};
  }
  void phaseEnded(const MbarrierEvent &event) {
    unsigned rank = getRank(event.address);
    BarrierName barrier = nameBarrier(event.address);
    auto key = std::pair(rank, barrier.slot);
    std::vector<Span> &row = ctas[rank].rows[{1, 0, barrier.slot}];
    auto open = opened.find(key);
    if (open != opened.end() && !barrier.isFull)
      row.push_back(
          {barrier.isEmpty ? "full" : "phase " + llvm::itostr(event.phase),
           open->second, clock()});
    if (barrier.isEmpty)
      opened.erase(key);
    else
      opened[key] = clock();
  }

  const PlanNames &names;
  const std::string kernel;
  const std::function<uint64_t()> clock;
  const uint64_t begin;
  const int64_t dynamicShared;
  std::vector<Cta> ctas;
  /// By rank, then by warp.
  std::vector<std::map<unsigned, uint64_t>> lastExit;
  /// Since when, and which lanes.
  std::map<WaitKey, std::pair<uint64_t, uint32_t>> waits;
  std::map<uint64_t, uint64_t> operations;
  /// Since when a slot is full, or a barrier in its phase.
  std::map<std::pair<unsigned, std::string>, uint64_t> opened;
};

void Trace::launchStarted(uint32_t index, const Launch &launch) {
  kernels[index] = {launch.kernel, launches++};
}

std::unique_ptr<ClusterListener>
Trace::startCluster(const ClusterStart &start) {
  if (start.ctas.front() >= most)
    return nullptr;
  return std::make_unique<ClusterTrace>(names, kernels.at(start.launch), start);
}

void Trace::endCluster(std::unique_ptr<ClusterListener> listener) {
  for (Cta &cta : static_cast<ClusterTrace &>(*listener).take())
    ctas.push_back(std::move(cta));
}

void Trace::addCounters(const TimingReport &report) {
  counters.push_back({"GPU, launch " + llvm::utostr(launches - 1),
                      report.smsUsed, double(report.clockMhz),
                      report.windowCycles, report.windows});
}

namespace {
/// Events of Chrome's trace format.
class EventWriter {
public:
  EventWriter(llvm::json::OStream &json, double perMicrosecond)
      : json(json), perMicrosecond(perMicrosecond) {}

  void nameProcess(int64_t process, StringRef name) {
    describe("process_name", process, 0, [&] { json.attribute("name", name); });
  }
  /// Rows stand in the order of their numbers.
  void nameRow(int64_t process, int64_t row, StringRef name) {
    describe("thread_name", process, row,
             [&] { json.attribute("name", name); });
    describe("thread_sort_index", process, row,
             [&] { json.attribute("sort_index", row); });
  }
  void span(int64_t process, int64_t row, StringRef name, uint64_t begin,
            uint64_t end) {
    json.object([&] {
      json.attribute("name", name);
      json.attribute("ph", "X");
      json.attribute("pid", process);
      json.attribute("tid", row);
      moment("ts", begin);
      moment("dur", end - begin);
    });
  }
  void counter(int64_t process, StringRef name, uint64_t time, StringRef unit,
               double value) {
    json.object([&] {
      json.attribute("name", name);
      json.attribute("ph", "C");
      json.attribute("pid", process);
      moment("ts", time);
      json.attributeObject("args", [&] { json.attribute(unit, value); });
    });
  }

private:
  void describe(StringRef what, int64_t process, int64_t row,
                llvm::function_ref<void()> arguments) {
    json.object([&] {
      json.attribute("name", what);
      json.attribute("ph", "M");
      json.attribute("pid", process);
      json.attribute("tid", row);
      json.attributeObject("args", arguments);
    });
  }
  void moment(StringRef name, uint64_t value) {
    if (perMicrosecond == 1)
      json.attribute(name, value);
    else
      json.attribute(name, value / perMicrosecond);
  }

  llvm::json::OStream &json;
  const double perMicrosecond;
};
} // namespace

/// The tensor cores and memories of a timed run.
static void writeCounters(EventWriter &events, int64_t process,
                          const Trace::Counters &run) {
  events.nameProcess(process, run.name);
  // Bytes in a cycle, at so many MHz, are TB/s.
  const double cycles = run.windowCycles, tera = run.clockMhz / cycles / 1e6;
  for (const auto &[index, window] : llvm::enumerate(run.windows)) {
    const uint64_t time = index * run.windowCycles;
    events.counter(process, "tensor cores busy", time, "%",
                   100 * window.tensorCycles / (cycles * run.sms));
    events.counter(process, "from L2", time, "TB/s", window.l2Bytes * tera);
    events.counter(process, "from and to DRAM", time, "TB/s",
                   window.dramBytes * tera);
  }
}

void Trace::write(llvm::raw_ostream &os, double perMicrosecond) const {
  llvm::json::OStream json(os);
  EventWriter events(json, perMicrosecond);
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeObject("otherData", [&] {
      json.attribute("1 us", perMicrosecond == 1
                                 ? "a warp instruction of the emulated machine"
                                 : "a microsecond of the modeled GPU");
    });
    json.attributeArray("traceEvents", [&] {
      for (const auto &[process, cta] : llvm::enumerate(ctas)) {
        events.nameProcess(process, cta.name);
        for (const auto &[number, row] : llvm::enumerate(cta.rows)) {
          const auto &[key, spans] = row;
          events.nameRow(process, number, key.name);
          for (const Span &span : spans)
            events.span(process, number, span.name, span.begin, span.end);
        }
      }
      for (const auto &[number, run] : llvm::enumerate(counters))
        writeCounters(events, ctas.size() + number, run);
    });
  });
  os << '\n';
}
