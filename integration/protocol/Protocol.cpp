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
  if (event.kind == Kind::CopyArrive && event.count == 0)
    return fail(" without .noinc, which adds to the count that the plan says");
  return llvm::Error::success();
}

llvm::Error Comparison::checkTotals() const {
  for (const auto &[offset, barrier] : barriers) {
    auto found = inits.find(offset);
    size_t times = found == inits.end() ? 0 : found->second.size();
    if (times != 1)
      return llvm::createStringError(llvm::formatv(
          "@{0}: {1}, at byte {2}, is set up {3} times instead of once",
          plan.kernel, describe(barrier), offset, times));
  }
  if (told) {
    auto found = inits.find(*told);
    if (found == inits.end() || found->second.size() != 1)
      return llvm::createStringError(llvm::formatv(
          "@{0}: the barrier of answers, at byte {1}, is set up {2} times "
          "instead of once",
          plan.kernel, *told, found == inits.end() ? 0 : found->second.size()));
  }
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
          "last commit gives back",
          plan.kernel, filler, pipe.name));
  }
  for (auto [index, pipe] : llvm::enumerate(plan.pipes))
    for (Side side : {Full, Empty}) {
      const Tally &tally = tallies[index * 2 + side];
      int64_t arrivals = 0;
      for (auto [warp, mask] : tally.arriving) {
        arrivals += llvm::popcount(mask);
        auto passing = tally.passing.find(warp);
        if (passing != tally.passing.end() && (passing->second & mask))
          return llvm::createStringError(llvm::formatv(
              "@{0}: lanes of warp {1} arrive at the {2} barriers of '{3}' in "
              "some runs only",
              plan.kernel, warp, side == Full ? "full" : "empty", pipe.name));
      }
      int64_t planned = side == Full ? pipe.fullArrivals : pipe.emptyArrivals;
      if (arrivals != planned)
        return llvm::createStringError(llvm::formatv(
            "@{0}: {1} lanes arrive at the {2} barriers of '{3}', the plan "
            "says {4}",
            plan.kernel, arrivals, side == Full ? "full" : "empty", pipe.name,
            planned));
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
  WalkOptions options;
  options.threads = plan.countThreads();
  llvm::Expected<std::unique_ptr<Walk>> walk = Walk::create(kernel, options);
  if (!walk)
    return walk.takeError();
  for (unsigned warp = 0; warp != *plan.warps; ++warp)
    if (llvm::Error error =
            (*walk)->run(warp, std::make_unique<RoleMonitor>(comparison, warp)))
      return error;
  return comparison.checkTotals();
}
