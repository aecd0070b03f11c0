//===- RegisterAccess.h - What an instruction reads and writes --*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_REGISTERACCESS_H
#define DRAWLOOM_PTX_REGISTERACCESS_H

#include "drawloom/PTX/Module.h"
#include "llvm/ADT/SmallVector.h"

namespace drawloom::ptx {

/// The registers that an instruction reads and writes, by number.
struct RegisterAccess {
  llvm::SmallVector<uint32_t, 8> reads, writes;
  /// The writes replace the whole register in every lane that goes on.
  bool replaces = true;
};

RegisterAccess accessOf(const Instruction &instruction);

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_REGISTERACCESS_H
