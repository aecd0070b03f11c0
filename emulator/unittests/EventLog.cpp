//===- EventLog.cpp - Events as lines of text ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EventLog.h"
#include "drawloom/Emulator/AddressMap.h"
#include "drawloom/Emulator/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::utostr;

/// Where the system's part of shared memory ends.
static constexpr uint64_t firstShared = 1024;

static std::string hex(uint32_t mask) { return llvm::utohexstr(mask, true); }

static std::string text(const Origin &origin) {
  std::string who = origin.rank ? "c" + utostr(origin.rank) : "";
  who += "w" + utostr(origin.warp);
  return origin.lanes == ~0u ? who : who + ":" + hex(origin.lanes);
}

/// " release.cluster"; empty if it is weak.
static std::string text(Order order, Scope scope) {
  static const char *orders[] = {"",        "relaxed", "acquire",
                                 "release", "acq_rel", "sc"};
  static const char *scopes[] = {"", ".cta", ".cluster", ".gpu", ".sys"};
  if (order == Order::Weak)
    return "";
  return std::string(" ") + orders[unsigned(order)] + scopes[unsigned(scope)];
}

/// What the lanes have, if it is the same for all.
static std::string text(const Origin &origin, llvm::ArrayRef<uint32_t> groups) {
  std::vector<std::string> values;
  for (unsigned lane = 0; lane != 32; ++lane)
    if (origin.lanes >> lane & 1)
      values.push_back(utostr(groups[lane]));
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return llvm::join(values, ",");
}

static std::string text(ptx::StateSpace space) {
  switch (space) {
  case ptx::StateSpace::Global:
    return " global";
  case ptx::StateSpace::SharedCta:
    return " shared::cta";
  case ptx::StateSpace::SharedCluster:
    return " shared::cluster";
  default:
    return "";
  }
}

namespace {
class ClusterLog : public ClusterListener {
public:
  ClusterLog(EventLog &log, const ClusterStart &start)
      : log(log), key(start.launch, start.cluster) {}

  void alone(bool isAlone) override {
    add("", isAlone ? "alone" : "side by side");
  }

  void access(const AccessEvent &event) override {
    static const char *kinds[] = {"read", "write", "atomic", "reduce"};
    static const char *proxies[] = {"", " async", " map", " tensor"};
    std::string line = std::string(kinds[unsigned(event.kind)]) +
                       proxies[unsigned(event.proxy)] +
                       text(event.order, event.scope);
    if (event.nonCoherent)
      line += " nc";
    if (event.failed)
      line += " failed:" + hex(event.failed);
    if (event.unchanged)
      line += " unchanged:" + hex(event.unchanged);
    line += rangesOf(event.origin, event.ranges);
    for (const TensorRange &range : event.tensor)
      line += " t" + utostr(range.rank) + "[" + utostr(range.lane) + "+" +
              utostr(range.lanes) + "," + utostr(range.column) + "+" +
              utostr(range.columns) + "]";
    add(who(event.origin, event.operation), line);
  }

  void operation(const OperationEvent &event) override {
    static const char *kinds[] = {"issue", "source read", "complete"};
    std::string line = kinds[event.kind];
    if (event.kind == OperationEvent::Issue)
      line += " " + spelling(event.engine).str();
    for (uint64_t barrier : event.barriers)
      line += " at " + log.nameOf(barrier);
    if (!event.groups.empty())
      line += " in group " + text(event.origin, event.groups);
    add(who(event.origin, event.operation), line);
  }

  void group(const GroupEvent &event) override {
    static const char *families[] = {"copies", "bulk", "wgmma", "tensor loads",
                                     "tensor stores"};
    std::string line = event.kind == GroupEvent::Commit ? "commit " : "waited ";
    line += families[event.family];
    if (event.onlyRead)
      line += " read";
    if (!event.groups.empty())
      line += (event.kind == GroupEvent::Commit ? " " : " before ") +
              text(event.origin, event.groups);
    add(who(event.origin, 0), line);
  }

  void mbarrier(const MbarrierEvent &event) override {
    static const char *kinds[] = {"init",     "invalidate", "expect arrival",
                                  "expect",   "complete",   "arrive",
                                  "wait for", "phase end"};
    std::string line =
        std::string(kinds[event.kind]) + " " + log.nameOf(event.address);
    if (event.count)
      line += " " + utostr(event.count);
    if (event.drops)
      line += " drop";
    line += text(event.order, event.scope);
    if (event.kind != MbarrierEvent::Init)
      line += " in " + llvm::itostr(event.phase);
    if (event.kind == MbarrierEvent::Wait)
      line += event.success ? " true" : " false";
    add(who(event.origin, event.operation), line);
  }

  void barrier(const BarrierEvent &event) override {
    static const char *kinds[] = {"arrive", "complete", "wait"};
    if (event.level == BarrierEvent::Warp) {
      add(who(event.origin, 0), "meet" + text(event.order, Scope::None));
      return;
    }
    bool isCluster = event.level == BarrierEvent::Cluster;
    std::string line = kinds[event.kind];
    line += isCluster ? " cluster" : " barrier " + utostr(event.number);
    if (isCluster && event.kind != BarrierEvent::Complete)
      line += text(event.order, Scope::None);
    line += " round " + utostr(event.generation);
    if (event.kind == BarrierEvent::Arrive && !isCluster)
      line += (event.threads ? " of " + utostr(event.threads) : " of all") +
              std::string(event.waits ? " and wait" : "");
    for (const BarrierEvent::Participant &part : event.participants)
      line += " w" + utostr(part.warp) +
              (part.lanes == ~0u ? "" : ":" + hex(part.lanes));
    add(who(event.origin, 0), line);
  }

  void fence(const FenceEvent &event) override {
    static const char *kinds[] = {
        "",           " mbarrier_init", " async",       " alias",
        " tensormap", " wgmma",         " before sync", " after sync"};
    std::string line = std::string("fence") + kinds[event.kind] +
                       text(event.order, event.scope) + text(event.space);
    for (const MemoryRange &range : event.ranges)
      line += " " + log.nameOf(range.address) + ":" + utostr(range.bytes);
    add(who(event.origin, 0), line);
  }

  void allocation(const AllocationEvent &event) override {
    static const char *kinds[] = {"allocate", "free", "relinquish"};
    std::string line = kinds[event.kind];
    if (event.columns)
      line += " " + utostr(event.column) + "+" + utostr(event.columns);
    add(who(event.origin, 0), line);
  }

  void dependency(const DependencyEvent &event) override {
    add(who(event.origin, 0), event.kind == DependencyEvent::Wait
                                  ? "prerequisites over"
                                  : "launch dependents");
  }

  void local(const LocalEvent &event) override {
    static const char *kinds[] = {"allocate", "read", "write"};
    add(who(event.origin, 0), std::string("local ") + kinds[event.kind] +
                                  rangesOf(event.origin, event.ranges));
  }

  void tensorMap(const TensorMapEvent &event) override {
    add(who(event.origin, 0),
        "map of " + utostr(event.map->reach()) + " bytes at " +
            log.nameOf(event.map->address) +
            (event.allocation
                 ? " in " + log.nameOf(event.allocation) + ":" +
                       utostr(event.allocationEnd - event.allocation)
                 : ""));
  }

  void answer(const AnswerEvent &event) override {
    const Dim3 &first = event.firstCta;
    add(who(event.origin, 0), event.isCanceled
                                  ? "answer " + utostr(first.x) + "," +
                                        utostr(first.y) + "," + utostr(first.z)
                                  : "answer none");
  }

  void lanesExited(const Origin &origin) override {
    add(who(origin, 0), "exit");
  }
  void ctaExited(uint32_t rank) override { add("", "cta " + utostr(rank)); }

  EventLog &log;
  const std::pair<uint32_t, uint64_t> key;
  EventLog::Lines lines;

private:
  /// " s:4x32/4", and which lanes, if it isn't all.
  std::string rangesOf(const Origin &origin,
                       llvm::ArrayRef<MemoryRange> ranges) {
    std::string words;
    for (const MemoryRange &range : ranges) {
      words += " " + log.nameOf(range.address) + ":" + utostr(range.bytes);
      if (range.count > 1)
        words += "x" + utostr(range.count) + "/" + llvm::itostr(range.pitch);
      if (range.lanes && range.lanes != origin.lanes)
        words += "@" + hex(range.lanes);
    }
    return words;
  }

  static std::string who(const Origin &origin, uint64_t operation) {
    return text(origin) + " " +
           (operation ? "#" + utostr(operation) + " " : "");
  }

  void add(const std::string &who, const std::string &line) {
    if (!log.words.empty() && llvm::none_of(log.words, [&](auto &word) {
          return llvm::StringRef(line).starts_with(word) || line + "$" == word;
        }))
      return;
    lines.push_back(who + line);
    if (log.each)
      log.each(*this, lines.back());
  }
};
} // namespace

void EventLog::name(const std::string &name, uint64_t address, uint64_t size) {
  names.push_back({name, address, size});
}

std::string EventLog::nameOf(uint64_t address) const {
  auto add = [](const std::string &name, uint64_t offset) {
    return offset ? name + "+" + utostr(offset) : name;
  };
  std::string rank;
  if (isShared(address)) {
    uint64_t number = getRank(address);
    rank = number ? "@" + utostr(number) : "";
    address = sharedWindow + (address & sharedOffsetMask);
  }
  for (const Name &entry : names)
    if (address - entry.address < entry.size)
      return add(entry.name, address - entry.address) + rank;
  if (isShared(address))
    return add("s", address - sharedWindow - firstShared) + rank;
  if (isLocal(address))
    return add("l", address - localWindow);
  return "0x" + llvm::utohexstr(address, true);
}

EventLog::Lines EventLog::lines(const std::string &who) const {
  Lines lines;
  for (const auto &[key, own] : clusters)
    lines.insert(lines.end(), own.begin(), own.end());
  llvm::erase_if(lines, [&](const std::string &line) {
    return !llvm::StringRef(line).starts_with(who);
  });
  return lines;
}

void EventLog::launchStarted(uint32_t index, const Launch &launch) {
  run.push_back("launch " + utostr(index) +
                (launch.programmatic ? " programmatic" : ""));
}

void EventLog::launchEnded(uint32_t index) {
  run.push_back("end of launch " + utostr(index));
}

std::unique_ptr<ClusterListener>
EventLog::startCluster(const ClusterStart &start) {
  std::string line = "cluster " + utostr(start.cluster) + " of launch " +
                     utostr(start.launch) + ": CTAs";
  for (uint64_t cta : start.ctas)
    line += " " + utostr(cta);
  run.push_back(line);
  return std::make_unique<ClusterLog>(*this, start);
}

void EventLog::endCluster(std::unique_ptr<ClusterListener> listener) {
  auto &log = static_cast<ClusterLog &>(*listener);
  run.push_back("end of cluster " + utostr(log.key.second));
  clusters[log.key] = std::move(log.lines);
}
