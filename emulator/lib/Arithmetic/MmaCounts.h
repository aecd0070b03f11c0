//===- MmaCounts.h - What is multiplied, and what twice ---------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multiply-adds of wgmma and tcgen05.mma, and how many of them are of MMAs
// whose operands, bit for bit, were multiplied before: a kernel that computes a
// product again, instead of keeping it, shows here. What multiplies zeros, as
// past the edges of tensors, is not counted as repeated.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_MMACOUNTS_H
#define DRAWLOOM_EMULATOR_MMACOUNTS_H

#include "Arithmetic/MatrixUnit.h"
#include <mutex>
#include <unordered_set>

namespace drawloom::emu {

class MmaCounts {
public:
  /// Takes what is about to be multiplied.
  void add(const ProductOperands &operands);

  struct Totals {
    uint64_t executed = 0, repeated = 0; ///< Multiply-adds.
  };
  /// Those since it was asked last. A launch begins afresh.
  Totals take();

private:
  std::mutex mutex;
  std::unordered_set<uint64_t> seen;
  Totals totals;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_MMACOUNTS_H
