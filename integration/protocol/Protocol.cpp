//===- Protocol.cpp - Does the PTX do what the plan says? -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Protocol.h"
#include "RoleMonitor.h"

using namespace drawloom;
using namespace drawloom::protocol;
using namespace drawloom::protocol::planned;
using Kind = Event::Kind;

std::vector<End> Comparison::findEnds(const plan::Role *role) const {
  std::vector<End> ends;
  if (!role)
    return ends;
  unsigned number = role - plan.roles.data();
  for (auto [index, pipe] : llvm::enumerate(plan.pipes)) {
    unsigned which = index;
    if (!pipe.hasBarriers())
      continue;
    if (pipe.producer == number)
      ends.push_back({which, Full, pipe.producerEngine, 0});
    for (const plan::Consumer &consumer : pipe.consumers)
      if (consumer.role == number)
        // Bulk stores don't arrive; warps do, when the stores have read.
        ends.push_back(
            {which, Empty,
             consumer.engine == Engine::tma ? Engine::threads : consumer.engine,
             consumer.lag});
  }
  return ends;
}

llvm::Error protocol::requirePlanned(const Event &event) {
  auto fail = [&](const char *words) {
    return llvm::createStringError(
        llvm::formatv("line {0}: '{1}'{2}", event.line,
                      event.instruction->variant->mnemonic(), words));
  };
  if (!event.isKnown)
    return fail(" with an operand that the walk does not know");
  if (event.kind == Kind::Expect || event.kind == Kind::Invalidate ||
      event.kind == Kind::Other)
    return fail(", which no plan asks for");
  if (event.kind == Kind::CopyArrive && event.count != 0)
    return fail(" with .noinc, which takes from the count that the plan says");
  return llvm::Error::success();
}

uint32_t Comparison::getPeers(const plan::Tensor &tensor, unsigned rank) const {
  uint32_t peers = 0;
  for (unsigned other = 0; other != plan.clusterSize(); ++other) {
    unsigned mine = rank, its = other;
    bool shares = true;
    for (auto [dim, size] : llvm::enumerate(plan.cluster)) {
      shares &= mine % size == its % size ||
                llvm::is_contained(tensor.multicast, int64_t(dim));
      mine /= size;
      its /= size;
    }
    // The CTAs of a pair have different halves.
    shares &= !tensor.isHalved || (rank ^ other) % 2 == 0;
    peers |= uint32_t(shares) << other;
  }
  return peers;
}

/// The two CTAs of a pair, by the rank of one.
static uint32_t getPair(unsigned rank) { return uint32_t(3) << (rank & ~1u); }

uint32_t Comparison::getReceivers(const plan::Pipe &pipe, unsigned rank) const {
  uint32_t own = uint32_t(1) << rank;
  if (emptiesForPair(pipe))
    own = getPair(rank);
  uint32_t receivers = own;
  for (unsigned member = 0; member != plan.clusterSize(); ++member)
    if (own >> member & 1)
      for (const plan::Tensor &tensor : pipe.tensors)
        receivers |= getPeers(tensor, member);
  return receivers;
}

uint32_t Comparison::getSignaled(const plan::Pipe &pipe, Side side,
                                 unsigned rank) const {
  uint32_t own = uint32_t(1) << rank, leader = getPair(rank) & 0x55555555;
  if (fillsForPair(pipe))
    return side == Full ? getPair(rank) : leader;
  if (side == Empty)
    return getReceivers(pipe, rank);
  // The leader announces what both copy.
  if (emptiesForPair(pipe))
    return own & leader;
  // Threads tell each CTA what they have written there.
  return pipe.producerEngine == Engine::threads ? getReceivers(pipe, rank)
                                                : own;
}

/// The arrivals at the barriers of a pipe in one CTA.
llvm::Error Comparison::checkArrivals(const plan::Pipe &pipe, Side side,
                                      const Tally &tally, unsigned rank) const {
  const char *end = side == Full ? "full" : "empty";
  std::string where = rank ? llvm::formatv(" in CTA {0}", rank).str() : "";
  int64_t arrivals = 0;
  auto arriving = tally.arriving.find(rank);
  if (arriving != tally.arriving.end())
    for (auto [warp, mask] : arriving->second) {
      arrivals += llvm::popcount(mask);
      auto passing = tally.passing.find(warp);
      if (passing != tally.passing.end() && (passing->second & mask))
        return llvm::createStringError(llvm::formatv(
            "@{0}: lanes of warp {1} arrive at the {2} barriers of '{3}'{4} in "
            "some runs only",
            plan.kernel, warp.second, end, pipe.name, where));
    }
  int64_t planned = side == Full ? pipe.fullArrivals : pipe.emptyArrivals;
  // No role waits for these in the other CTA of a pair.
  if (rank % 2 != 0 &&
      (side == Full ? emptiesForPair(pipe) : fillsForPair(pipe)))
    planned = 0;
  if (arrivals == planned)
    return llvm::Error::success();
  return llvm::createStringError(llvm::formatv(
      "@{0}: {1} lanes arrive at the {2} barriers of '{3}'{4}, the plan says "
      "{5}",
      plan.kernel, arrivals, end, pipe.name, where, planned));
}

llvm::Error Comparison::checkTotals() const {
  for (unsigned rank = 0; rank != plan.clusterSize(); ++rank)
    for (const auto &[offset, barrier] : barriers) {
      auto found = inits.find({rank, offset});
      size_t times = found == inits.end() ? 0 : found->second.size();
      if (times != 1)
        return llvm::createStringError(llvm::formatv(
            "@{0}: {1}, at byte {2}, is set up {3} times instead of once",
            plan.kernel, describe(barrier), offset, times));
    }
  if (answered) {
    auto found = inits.find({0, *answered});
    if (found == inits.end() || found->second.size() != 1)
      return llvm::createStringError(llvm::formatv(
          "@{0}: the barrier of answers, at byte {1}, is set up {2} times "
          "instead of once",
          plan.kernel, *answered,
          found == inits.end() ? 0 : found->second.size()));
  }
  for (unsigned rank = 0; isBroadcast && rank != plan.clusterSize(); ++rank)
    if (!(broadcastTo >> rank & 1))
      return llvm::createStringError(llvm::formatv(
          "@{0}: no lane broadcasts numbers of work tiles to CTA {1}",
          plan.kernel, rank));
  for (auto [pipe, leaving] : llvm::zip_equal(plan.pipes, leavings)) {
    llvm::StringRef filler = plan.roles[pipe.producer].name;
    if (leaving.isLastReturn && leaving.goes)
      return llvm::createStringError(llvm::formatv(
          "@{0}: the last commit of a role gives a slot of '{1}' back, and "
          "@{2} leaves without a wait for it",
          plan.kernel, pipe.name, filler));
    if (!leaving.isLastReturn && leaving.waits)
      return llvm::createStringError(llvm::formatv(
          "@{0}: @{1} leaves with a wait for a slot of '{2}', which no role's "
          "last commit releases",
          plan.kernel, filler, pipe.name));
  }
  for (auto [index, pipe] : llvm::enumerate(plan.pipes))
    for (Side side : {Full, Empty}) {
      const Tally &tally = tallies[index * 2 + side];
      for (unsigned rank = 0; rank != plan.clusterSize(); ++rank)
        if (llvm::Error error = checkArrivals(pipe, side, tally, rank))
          return error;
    }
  return llvm::Error::success();
}

llvm::Error protocol::compare(const plan::Plan &plan,
                              llvm::ArrayRef<int64_t> boxBytes,
                              const ptx::Function &kernel) {
  if (!plan.warps || llvm::any_of(plan.pipes, [](const plan::Pipe &pipe) {
        return !pipe.place;
      }))
    return llvm::createStringError("@" + plan.kernel +
                                   ": the plan of it is "
                                   "not placed");
  Comparison comparison(plan, boxBytes);
  for (unsigned rank = 0; rank != plan.clusterSize(); ++rank) {
    WalkOptions options;
    options.threads = plan.countThreads();
    options.rank = rank;
    options.cluster[0] = plan.clusterSize();
    llvm::Expected<std::unique_ptr<Walk>> walk = Walk::create(kernel, options);
    if (!walk)
      return walk.takeError();
    for (unsigned warp = 0; warp != *plan.warps; ++warp)
      if (llvm::Error error = (*walk)->run(
              warp, std::make_unique<RoleMonitor>(comparison, rank, warp)))
        return error;
  }
  return comparison.checkTotals();
}
