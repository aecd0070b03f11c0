//===- External.h - Functions that the system provides ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may call functions that it only declares: vprintf, __assertfail,
// malloc and free, whose parameters the CUDA programming guide and nvcc's
// output fix. Such a call is one instruction of the emulator.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_EXTERNAL_H
#define DRAWLOOM_EMULATOR_EXTERNAL_H

#include "Decode/Program.h"
#include "llvm/ADT/StringRef.h"

namespace drawloom::emu {

/// The handler of a call of `name`, for an Inst with a CallInfo; null if the
/// system has no such function.
Execute *externalFunction(llvm::StringRef name);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_EXTERNAL_H
