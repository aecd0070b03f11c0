//===- IllegalAddress.h - What is wrong with an address ---------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_ILLEGALADDRESS_H
#define DRAWLOOM_EMULATOR_ILLEGALADDRESS_H

#include "Memory/Access.h"

namespace drawloom::emu {

/// Where the generic address of a lane's access is, and why it isn't its own:
/// the .local variable that it misses, another thread's local memory, or what
/// `describeAddress` says of any address.
std::string describeAddress(Warp &warp, const Inst *inst, unsigned lane,
                            const AccessInfo &info, uint64_t address);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_ILLEGALADDRESS_H
