//===- Interpreter.h - What a program means ---------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a `tile.kernel` on tensors in host memory, one operation at a time, as a
// tile program or, after its warps got roles, as an agent program. This is the
// meaning of both dialects: what a compiled kernel computes is compared with
// what this computes. docs/Interpreter.md states the rounding of every
// operation and derives the bound that such a comparison may use.
//
// The invariant: a run either does what the program says or ends with an error
// at the operation that has no meaning. It never crashes on a verified module,
// and always ends.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_INTERPRETER_INTERPRETER_H
#define DRAWLOOM_INTERPRETER_INTERPRETER_H

#include "drawloom/Interpreter/Deviation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/LogicalResult.h"

namespace mlir {
class Type;
} // namespace mlir

namespace drawloom::tile {
class KernelOp;
} // namespace drawloom::tile

namespace drawloom::interp {

struct Options {
  /// Work tiles run in row-major order of their offsets, or shuffled by this
  /// seed. Items are independent, so the result is the same. The items of a
  /// nested `tile.for_each` are shuffled among themselves. The seed also draws
  /// which role of an `agent.switch` moves next, which changes nothing either.
  std::optional<uint64_t> shuffle;

  /// Without a seed the first role of the text that can move does, or the last.
  bool reverse = false;

  /// Of a kernel whose pipes are lowered: the clusters of CTAs in the launch.
  /// They run one after the other.
  int64_t clusters = 1;

  /// The operations that a run may execute before it is said not to end.
  int64_t maxSteps = 100'000'000;

  /// If there is one, the run also computes how far a kernel with it may be
  /// from what the run computes; see Deviation.h.
  const Arithmetic *arithmetic = nullptr;

  /// Asked before each operation: true ends the run with an error there.
  llvm::function_ref<bool()> interrupted = nullptr;
};

/// The format of a scalar type, or of the elements of a tensor, view or buffer.
std::optional<Format> getFormat(mlir::Type type);

/// Runs the kernel. There is one tensor for each argument: a view's elements,
/// which stores change, or a scalar of rank 0. Errors are reported through the
/// context's diagnostics; the tensors may then be partly written.
llvm::LogicalResult run(tile::KernelOp kernel,
                        llvm::ArrayRef<HostTensor *> arguments,
                        const Options &options = {});

/// The same with `options.machine`. `deviations` gets a tensor of f64 for each
/// argument: how far each element on the hardware may be from the element here;
/// infinity if there is no bound. Scalars, and views that nothing inexact is
/// stored to, have none.
llvm::LogicalResult run(tile::KernelOp kernel,
                        llvm::ArrayRef<HostTensor *> arguments,
                        const Options &options,
                        std::vector<std::optional<HostTensor>> &deviations);

} // namespace drawloom::interp

#endif // DRAWLOOM_INTERPRETER_INTERPRETER_H
