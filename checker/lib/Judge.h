//===- Judge.h - Whether an access comes before another ---------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which kind of order two accesses need depends on who does them:
//
//   earlier          later            needs
//   a thread's       a thread's       Causal
//   a thread's       the async proxy  a fence of that proxy: Fenced
//   the async proxy  a thread's       Causal; the completion has the fence
//   the async proxy  the async proxy  Causal in one CTA, Fenced between two
//   the async proxy  a write          Executed; by the letter, as above
//   tensor memory    tensor memory    Executed; by the letter, TensorOwn
//
// If it isn't there, what is there of the others says which rule is broken.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_JUDGE_H
#define DRAWLOOM_CHECKER_JUDGE_H

#include "Describe.h"
#include "Findings.h"
#include "Shadow.h"
#include "Threads.h"

namespace drawloom::checker {

class Judge : public Shadow::Judge {
public:
  Judge(Finding::Space space, bool isStrict, Findings &findings)
      : space(space), isStrict(isStrict), findings(findings) {}

  /// Whose access the next ones are: groups of lanes, or one operation.
  llvm::SmallVector<Viewer, 2> viewers;

  /// Of pairs of clusters: the first has acquired something from the second.
  const llvm::DenseSet<std::pair<uint64_t, uint64_t>> *acquired = nullptr;

  /// Of lanes that have the same address, all but the last.
  static uint32_t lanesOfOnePlace(llvm::ArrayRef<emu::MemoryRange> ranges);
  /// Lanes of one weak store that put something into the same bytes as a lane
  /// of `lost`, whose value is gone.
  void lostStores(const Access &store, llvm::ArrayRef<emu::MemoryRange> ranges,
                  uint32_t lost);

  Answer order(const Access &before, const Access &now,
               llvm::ArrayRef<Overlap> overlaps) override;
  void found(const Access &before, const Access &now,
             llvm::ArrayRef<Overlap> overlaps) override;

private:
  /// Lanes that touch the same bytes; -1 for all together.
  struct Pair {
    int before, now;
    uint64_t address;
  };
  /// Calls f for the pairs of lanes at the overlaps, until it says false.
  static bool forEachPair(const Access &before, const Access &now,
                          llvm::ArrayRef<Overlap> overlaps,
                          llvm::function_ref<bool(const Pair &)> f);
  Part needed(const Access &before, const Access &now) const;
  /// Whether a viewer knows that a lane's access is over.
  bool isKnown(Part part, const Viewer &viewer, const Access &before,
               const Access &now, int beforeLane, int nowLane) const;
  bool isKnown(Part part, const Access &before, const Access &now,
               const Pair &pair) const;
  bool areMorallyStrong(const Access &before, const Access &now) const;
  /// Of tensor memory: whether an actor is known to have come to a value.
  bool knows(Part part, Actor actor, unsigned lane, uint32_t value) const;
  bool isIssueKnown(const Access &before, const Access &now) const;
  Answer orderTensor(const Access &before, const Access &now);
  bool arePipelined(const Access &before, const Access &now) const;
  Rule ruleFor(const Access &before, const Access &now, const Pair &pair) const;
  Missing missingFor(const Access &before, const Access &now,
                     const Pair &pair) const;
  void report(Rule rule, const Access &before, const Access &now,
              const Pair &pair);
  /// What an access of a cluster has broken, with which instructions: it counts
  /// once.
  std::pair<uint64_t, uint64_t> reportedOf;
  llvm::SmallVector<std::pair<Rule, uint32_t>, 2> reported;

  const Finding::Space space;
  const bool isStrict;
  Findings &findings;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_JUDGE_H
