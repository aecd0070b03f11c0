//===- RegisterSharing.h - Registers that share a place ---------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX that compilers write has a new register for nearly every value: thousands
// in a function, of which a few hundred are alive at a time. A register file
// with a place for each would not fit into a cache. So registers whose live
// ranges don't overlap share a place.
//
// A lane reads and writes its own columns only, so it is the flow of a single
// lane that counts, as in a scalar program: that other lanes of the warp are
// elsewhere does no harm. A guarded instruction keeps the old value where the
// guard is false. Registers that the emulator reads or writes at other times
// than an instruction's own (operands of wgmma and tcgen05, parameters of a
// function) aren't shared.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_REGISTERSHARING_H
#define DRAWLOOM_EMULATOR_REGISTERSHARING_H

#include "drawloom/PTX/RegisterAccess.h"
#include <cstdint>
#include <vector>

namespace drawloom::emu {

/// A place for registers of one size.
struct RegisterPlace {
  uint32_t laneBytes = 0; ///< 0 for predicates.
  uint32_t elements = 1;  ///< More for a vector register.
};

struct RegisterSharing {
  std::vector<RegisterPlace> places;
  /// The place of each register of the function.
  std::vector<uint32_t> placeOf;
};

RegisterSharing shareRegisters(const ptx::Function &function);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_REGISTERSHARING_H
