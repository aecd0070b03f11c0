//===- Box.h - Boxes of elements --------------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads, stores, slices, transposes and broadcasts all move a box of elements
// from one place to another, and differ only in where each side begins and how
// far apart neighbors are. A stride of zero repeats an element.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_INTERPRETER_BOX_H
#define DRAWLOOM_LIB_INTERPRETER_BOX_H

#include "drawloom/Interpreter/HostTensor.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace drawloom::interp {

/// The elements of a tensor at `start` plus a multiple of each stride.
struct StridedRange {
  int64_t start = 0;
  llvm::SmallVector<int64_t, 4> strides;
};

/// Copies a box of that shape from one tensor to another of the same format.
void copyBox(llvm::ArrayRef<int64_t> shape, HostTensor &target,
             const StridedRange &to, const HostTensor &source,
             const StridedRange &from);

/// Calls `visit` with the place of each element of the box, in row-major order,
/// until it returns false. Returns whether it never did.
bool visitBox(llvm::ArrayRef<int64_t> shape, const StridedRange &range,
              llvm::function_ref<bool(int64_t)> visit);

} // namespace drawloom::interp

#endif // DRAWLOOM_LIB_INTERPRETER_BOX_H
