//===- Remarks.h - What accesses of warps cost ------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory has 32 banks of 4 bytes, each of which gives one word at a
// time: lanes that want different words of one bank are served one after the
// other, in *wavefronts*. Accesses of 8 bytes go by half warps, those of 16 by
// quarters, and so do the rows of ldmatrix and stmatrix.
//
// Global memory moves in *sectors* of 32 bytes. A warp needs as many as its
// bytes fill, and touches more if they are scattered.
//
// Both are counted for loads and stores of warps, by instruction. Atomics,
// other CTAs' shared memory and copies of engines have their own rules, and
// aren't.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_REMARKS_H
#define DRAWLOOM_CHECKER_REMARKS_H

#include "Shadow.h"
#include "drawloom/Checker/RaceChecker.h"
#include <map>

namespace drawloom::checker {

/// Of one instruction: how many wavefronts or sectors.
struct AccessCost {
  uint64_t times = 0; ///< Warp instructions.
  uint64_t needed = 0, taken = 0;
  /// Of the one that wasted most.
  uint32_t worstNeeded = 0, worstTaken = 0;

  /// True if there is a new worst one.
  bool add(const AccessCost &more);
};

/// Of a cluster.
class Costs {
public:
  /// An access of a warp; `access` says who it is.
  void access(const emu::AccessEvent &event, const Access &access);

private:
  friend class Remarks;
  struct Entry {
    AccessCost cost;
    /// The one that wasted most, and where it began.
    Access worst;
    uint64_t address;
  };
  /// By instruction, and whether it is global memory.
  std::map<std::pair<uint32_t, bool>, Entry> entries;
};

/// Of a run. Kernels may be gone when they are asked for.
class Remarks {
public:
  /// `name` adds names to a finding.
  void add(const Costs &more, llvm::function_ref<void(Finding &)> name);
  /// A finding for each instruction that wastes something.
  std::vector<Finding> findings() const;

private:
  struct Entry {
    AccessCost cost;
    Finding finding; ///< About the worst one, without numbers.
  };
  /// By kernel, instruction, and whether it is global memory.
  std::map<std::tuple<std::string, uint32_t, bool>, Entry> entries;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_REMARKS_H
