//===- Describe.h - Findings as text ---------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_DESCRIBE_H
#define DRAWLOOM_CHECKER_DESCRIBE_H

#include "Shadow.h"
#include "drawloom/Checker/RaceChecker.h"

namespace drawloom::checker {

/// Where tensor memory stands among addresses: 16 lanes of a column are 16
/// bytes, so that a block of the shadow is 8 columns.
inline constexpr uint64_t tensorRankBytes = 1 << 20;
inline uint64_t tensorAddress(uint32_t rank, uint32_t lane, uint32_t column) {
  return rank * tensorRankBytes + (column * 8 + lane / 16) * 16;
}

Site describeSite(const Access &access, int lane);
/// Of the first lane of an instruction.
Site describeSite(const emu::Kernel &kernel, llvm::ArrayRef<uint64_t> ctas,
                  const emu::Origin &origin);
/// "line 40", or "PTX line 40" if the source has lines, too.
std::string lineOf(const Site &site);
/// "tile+16" for a byte of a CTA's shared memory; empty if it is in no
/// variable.
std::string arrayAt(const emu::Kernel &kernel, uint32_t offset);
/// What there is not between two accesses that nothing orders.
enum class Missing : uint8_t {
  Synchronization,      ///< Anything.
  WarpBeforeRelease,    ///< bar.warp.sync, in front of another lane's release.
  BarrierBeforeRelease, ///< A barrier, in front of another thread's release.
  ReleaseAfter,         ///< A release after the access; one is before it.
  BarrierAfterAcquire,  ///< A barrier, behind another thread's acquire.
  Wait,                 ///< griddepcontrol.wait, in the later launch.
  WaitBetween,          ///< The same, in a launch between the two.
};

/// Fills in the kernel, the place, why there is no order and what gives it.
void describeFinding(Finding &finding, const Access &before, const Access &now,
                     uint64_t address,
                     Missing missing = Missing::Synchronization);

/// What may be inserted, the likeliest first; none if nothing helps.
std::vector<Fix> fixesOf(const Finding &finding, const Access &before,
                         const Access &now);
/// The same of what is no race.
std::vector<Fix> fixesOf(const Finding &finding);

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_DESCRIBE_H
