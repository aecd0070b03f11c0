//===- Communication.h - What reaches other clusters ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters run on several host threads at a time (Machine/Run.h). That changes
// nothing as long as each keeps to itself; what doesn't is done when no other
// cluster runs, in the order of the clusters. Which instructions these are can
// be seen in their text:
//
//   strong accesses to global memory    atomics, and loads and stores that are
//                                       volatile or have an order, unless their
//                                       scope is a CTA or a cluster
//   tensor memory                       alloc and dealloc: CTAs of one SM share
//                                       it
//   the grid                            griddepcontrol, and functions of the
//                                       system (printf)
//   asynchronous work                   reductions in global memory, and
//                                       requests to cluster launch control: the
//                                       work, not the instruction that starts
//                                       it
//
// Weak accesses are not among them: where those of two clusters meet without a
// strong one in between, there is a data race, and PTX leaves the result open.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_COMMUNICATION_H
#define DRAWLOOM_EMULATOR_COMMUNICATION_H

#include "Decode/Program.h"

namespace drawloom::emu {

enum class Communication : uint8_t { None, Instruction, Work };

Communication communicationOf(const ptx::Instruction &instruction);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_COMMUNICATION_H
