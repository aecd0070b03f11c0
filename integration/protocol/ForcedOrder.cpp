//===- ForcedOrder.cpp - What barriers force to happen in order -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForcedOrder.h"
#include "Protocol.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <deque>

using namespace drawloom;
using namespace drawloom::protocol;
using Kind = Event::Kind;

namespace {

/// Writes down what the path of lane 0 does, which is the one that acts for
/// its warp.
class Recorder : public Monitor {
public:
  explicit Recorder(std::vector<Event> &result) : result(result) {}
  std::unique_ptr<Monitor> clone() const override {
    return std::make_unique<Recorder>(*this);
  }
  void appendKey(std::string &key) const override {
    size_t count = events.size();
    key.append(reinterpret_cast<const char *>(&count), sizeof(count));
  }
  llvm::Error see(const Event &event) override {
    if (event.kind == Kind::Trap)
      return llvm::createStringError("line " + llvm::Twine(event.line) +
                                     ": the kernel gives up");
    if (llvm::Error error = requirePlanned(event))
      return error;
    events.push_back(event);
    return llvm::Error::success();
  }
  llvm::Error end(uint32_t mask) override {
    if (mask & 1)
      result = events;
    return llvm::Error::success();
  }

private:
  std::vector<Event> &result;
  std::vector<Event> events;
};

} // namespace

unsigned ForcedOrder::add(Node node) {
  allNodes.push_back(std::move(node));
  next.emplace_back();
  return allNodes.size() - 1;
}

unsigned ForcedOrder::getPhase(int64_t barrier, int64_t number) {
  auto [found, isNew] = phases.insert({{barrier, number}, 0});
  if (isNew) {
    Node node = {Node::Kind::Phase};
    node.event.barrier = barrier;
    node.event.count = number;
    found->second = add(std::move(node));
  }
  return found->second;
}

/// The phase that it waits for comes before it, and of a pipe another slot is
/// filled or emptied.
void ForcedOrder::addWait(WarpPath &path, const Event &event, unsigned node) {
  int64_t number = path.waits[event.barrier]++;
  // Who finds a slot empty at first waits for the phase before the first.
  path.firstParity.insert({event.barrier, event.count});
  int64_t phase = number - path.firstParity[event.barrier];
  if (phase >= 0)
    connect(getPhase(event.barrier, phase), node);
  for (const plan::Pipe &pipe : plan->pipes) {
    auto within = [&](int64_t first) {
      return event.barrier >= first && event.barrier < first + pipe.slots * 8;
    };
    if (pipe.hasEmptyBarriers() && within(pipe.place->empty))
      ++path.filled[pipe.name];
    else if (pipe.hasBarriers() && within(pipe.place->full))
      ++path.emptied[pipe.name];
  }
  allNodes[node].filled = path.filled;
  allNodes[node].emptied = path.emptied;
}

void ForcedOrder::addEvent(WarpPath &path, const Event &event) {
  auto make = [&](Node::Kind kind) {
    return add({kind, path.warp, event, path.filled, path.emptied});
  };
  unsigned node = make(Node::Kind::Instruction);
  if (path.last)
    connect(*path.last, node);
  path.last = node;
  auto work = [&](Node::Kind kind) {
    unsigned made = make(kind);
    connect(node, made);
    return made;
  };
  auto getNextPhase = [&] {
    return getPhase(event.barrier, path.arrivals[event.barrier]++);
  };
  switch (event.kind) {
  case Kind::Wait:
    addWait(path, event, node);
    break;
  case Kind::Arrive:
  case Kind::ArriveExpect:
    connect(node, getNextPhase());
    break;
  case Kind::Copy:
    // Behind the arrival that expects it, so in the phase of that one.
    connect(work(Node::Kind::Copy),
            getPhase(event.barrier, path.arrivals[event.barrier] - 1));
    break;
  case Kind::Mma: {
    unsigned mma = work(Node::Kind::Mma);
    if (path.lastMma)
      connect(*path.lastMma, mma);
    path.lastMma = path.lastOfGroup = mma;
    break;
  }
  case Kind::Commit: {
    unsigned commit = work(Node::Kind::Commit);
    if (path.lastMma)
      connect(*path.lastMma, commit);
    connect(commit, getNextPhase());
    break;
  }
  case Kind::Group:
    path.groups.push_back(path.lastOfGroup);
    path.lastOfGroup.reset();
    break;
  case Kind::GroupWait:
    for (size_t i = 0;
         i + static_cast<size_t>(event.count) < path.groups.size(); ++i)
      if (path.groups[i])
        connect(*path.groups[i], node);
    break;
  case Kind::CtaBarrier:
    if (path.met == syncs.size())
      syncs.push_back(add({Node::Kind::Meeting}));
    connect(node, syncs[path.met]);
    path.last = syncs[path.met++];
    break;
  // The warp's arrival stands behind it.
  case Kind::CopyArrive:
  case Kind::Init:
  case Kind::Store:
  case Kind::ClusterBarrier:
  case Kind::Mark:
  // Those of the order aren't asked for.
  case Kind::NamedBarrier:
  case Kind::ClusterArrive:
  case Kind::ClusterWait:
  case Kind::WarpBarrier:
  case Kind::Decide:
  case Kind::Registers:
  case Kind::Allocate:
  case Kind::Trap:
  case Kind::Expect:
  case Kind::Invalidate:
  case Kind::Other:
    break;
  }
}

llvm::Expected<ForcedOrder>
ForcedOrder::create(const plan::Plan &plan, const ptx::Function &kernel,
                    const std::vector<uint64_t> &parameters) {
  WalkOptions options;
  options.threads = plan.countThreads();
  options.parameters = parameters;
  llvm::Expected<std::unique_ptr<Walk>> walk = Walk::create(kernel, options);
  if (!walk)
    return walk.takeError();
  ForcedOrder order(plan);
  for (unsigned warp = 0; warp != *plan.warps; ++warp) {
    std::vector<Event> events;
    if (llvm::Error error =
            (*walk)->run(warp, std::make_unique<Recorder>(events)))
      return error;
    WarpPath path;
    path.warp = warp;
    for (const Event &event : events)
      order.addEvent(path, event);
  }
  return order;
}

const plan::Role *ForcedOrder::getRole(const Node &node) const {
  for (const plan::Role &role : plan->roles)
    if (node.warp >= *role.at && node.warp < *role.at + role.warps)
      return &role;
  return nullptr;
}

std::vector<unsigned> ForcedOrder::findPath(llvm::ArrayRef<unsigned> from,
                                            llvm::ArrayRef<unsigned> to) const {
  constexpr unsigned unseen = ~0u, start = ~0u - 1;
  std::vector<unsigned> before(allNodes.size(), unseen);
  std::vector<bool> wanted(allNodes.size());
  for (unsigned node : to)
    wanted[node] = true;
  std::deque<unsigned> work;
  for (unsigned node : from) {
    before[node] = start;
    work.push_back(node);
  }
  while (!work.empty()) {
    unsigned node = work.front();
    work.pop_front();
    if (wanted[node]) {
      std::vector<unsigned> path;
      for (unsigned at = node; at != start; at = before[at])
        path.push_back(at);
      std::reverse(path.begin(), path.end());
      return path;
    }
    for (unsigned other : next[node])
      if (before[other] == unseen) {
        before[other] = node;
        work.push_back(other);
      }
  }
  return {};
}

std::string ForcedOrder::nameBarrier(int64_t barrier) const {
  for (const plan::Pipe &pipe : plan->pipes)
    for (bool full : {true, false}) {
      int64_t first = full ? pipe.place->full : pipe.place->empty;
      if ((full ? pipe.hasBarriers() : pipe.hasEmptyBarriers()) &&
          barrier >= first && barrier < first + pipe.slots * 8)
        return llvm::formatv("slot {0} of '{1}' {2}", (barrier - first) / 8,
                             pipe.name, full ? "full" : "empty");
    }
  return llvm::formatv("the barrier at byte {0}", barrier);
}

std::string ForcedOrder::describe(unsigned number) const {
  const Node &node = allNodes[number];
  const plan::Role *role = getRole(node);
  std::string who =
      role ? "@" + role->name : "warp " + std::to_string(node.warp);
  switch (node.kind) {
  case Node::Kind::Meeting:
    return "all warps synchronize";
  case Node::Kind::Phase:
    return llvm::formatv("{0}, for the {1}. time",
                         nameBarrier(node.event.barrier), node.event.count + 1);
  case Node::Kind::Copy:
    return who + ": a copy, to complete " + nameBarrier(node.event.barrier);
  case Node::Kind::Mma:
    return who + ": an MMA";
  case Node::Kind::Commit:
    return who + ": the MMAs so far arrive at " +
           nameBarrier(node.event.barrier);
  case Node::Kind::Instruction:
    break;
  }
  std::string line = ", line " + std::to_string(node.event.line);
  switch (node.event.kind) {
  case Kind::Wait:
    return who + ": waits for " + nameBarrier(node.event.barrier) + line;
  case Kind::Arrive:
  case Kind::ArriveExpect:
    return who + ": arrives at " + nameBarrier(node.event.barrier) + line;
  default:
    return who + ": goes on" + line;
  }
}
