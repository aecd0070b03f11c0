//===- RoleTimes.h - What each role of a kernel waits for -------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The clock counts what warps wait for by the number of the warp and the byte
// of the mbarrier. A plan says which role the warp is, and which pipe's slot
// the mbarrier guards.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_ROLETIMES_H
#define DRAWLOOM_CHECKER_ROLETIMES_H

#include "drawloom/Checker/PlanNames.h"
#include "drawloom/Emulator/Timing.h"
#include "llvm/Support/JSON.h"

namespace drawloom::checker {

/// The warps of a role, in all CTAs together.
struct RoleTime {
  std::string kernel;
  std::string role;   ///< "@mma"; "warp 5" if no plan names it.
  unsigned warps = 0; ///< Of one CTA.
  uint64_t cycles = 0;
  struct Wait {
    /// "@operands full", "mbarrier at byte 64", "other warps of the CTA"
    std::string what;
    uint64_t cycles = 0;
    /// The pipe whose slot is awaited, and whether it is to be full; empty if
    /// it is no slot.
    std::string pipe;
    bool isFull = false;
  };
  std::vector<Wait> waits; ///< The longest first.

  uint64_t waitCycles() const {
    uint64_t sum = 0;
    for (const Wait &wait : waits)
      sum += wait.cycles;
    return sum;
  }
};

/// How often a pipe's slots were full, in all CTAs together.
struct PipeFills {
  std::string kernel;
  std::string pipe; ///< "@operands"
  uint64_t fills = 0;
};

std::vector<PipeFills> countFills(const emu::TimingReport &report,
                                  const PlanNames &names);

/// In the order of their first warps.
std::vector<RoleTime> timeRoles(const emu::TimingReport &report,
                                const PlanNames &names);

/// A line for each role that a plan names: "@mma waits 7 % of its time: 5 % for
/// @operands full, ...".
std::string describe(llvm::ArrayRef<RoleTime> roles);

/// The report, its roles and its pipes, for programs.
llvm::json::Object toJson(const emu::TimingReport &report,
                          llvm::ArrayRef<RoleTime> roles,
                          llvm::ArrayRef<PipeFills> pipes);

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_ROLETIMES_H
