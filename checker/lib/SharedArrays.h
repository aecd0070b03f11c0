//===- SharedArrays.h - Which array an access is meant for ------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An address in shared memory is made from the name of a variable: by moves,
// additions and conversions. Where all that writes to the registers on the way
// leads to the same name, as for a pointer that walks along an array, it is
// known which variable an instruction means; nothing is said of others.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_SHAREDARRAYS_H
#define DRAWLOOM_CHECKER_SHAREDARRAYS_H

#include "drawloom/Emulator/Device.h"
#include "llvm/ADT/DenseMap.h"

namespace drawloom::checker {

class SharedArrays {
public:
  using Array = emu::Kernel::SharedArray;
  explicit SharedArrays(const emu::Kernel &kernel);

  /// The array that an instruction's address is made from; null if it isn't
  /// known, or has no size.
  const Array *meantBy(uint32_t instruction) const;
  /// The array that holds a byte; null if none does.
  const Array *at(uint32_t offset) const;

private:
  std::vector<Array> arrays;
  llvm::DenseMap<uint32_t, const Array *> byInstruction;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_SHAREDARRAYS_H
