//===- WorkTiles.h - What roles of a CTA take next --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A persistent CTA asks for work (clusterlaunchcontrol.try_cancel), and each of
// its roles takes the answer apart for itself. All of them must see the same
// answers in the same order: one that misses an answer, or reads one that was
// overwritten, works on another tile than those it shares memory with.
//
// Warps that take answers apart by the same instruction are one role. They may
// share the items among them, as ping-pong does: then no two have one in
// common.
//
// Which items a role takes by arithmetic, or reads in messages of its own,
// can't be distinguished from any other number.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_WORKTILES_H
#define DRAWLOOM_CHECKER_WORKTILES_H

#include "Findings.h"
#include <set>

namespace drawloom::checker {

class WorkTiles {
public:
  /// `ctas`: the linear indices in the grid, by rank.
  WorkTiles(const emu::Kernel *kernel, llvm::ArrayRef<uint64_t> ctas,
            Findings &findings)
      : kernel(kernel), ctas(ctas), findings(findings) {}

  void answer(const emu::AnswerEvent &event);
  /// Looks at what the roles of a CTA have taken, and forgets it. If the CTA
  /// isn't over, some of them may have come further than others.
  void compare(uint32_t rank, bool isOver);

private:
  struct Item {
    emu::Dim3 cta; ///< The first of the cluster.
    emu::Origin by;
  };
  using Items = std::vector<Item>;
  struct Taker {
    Items items;
    std::set<uint32_t> instructions;
  };
  struct Role {
    std::set<uint32_t> instructions;
    std::vector<const Items *> warps;
  };

  void compareTwo(const Items &first, const Items &second, bool isOver);
  /// A part of an answer is taken that says that there is no cluster.
  void failedQuery(const emu::Origin &by);
  std::vector<Role> rolesOf(uint32_t rank) const;
  /// Of all warps of a role, as they were first taken.
  Items itemsOf(const Role &role, uint32_t rank) const;

  const emu::Kernel *const kernel;
  const llvm::ArrayRef<uint64_t> ctas;
  Findings &findings;
  std::map<std::pair<uint32_t, uint32_t>, Taker> takers; ///< By rank and warp.
  std::map<uint32_t, std::vector<emu::Dim3>> order;      ///< By rank.
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_WORKTILES_H
