//===- SignAnalysis.h - Which indices are not negative -------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A tile may begin before its view does. Then what is before is the pad, and is
// not stored, as after the end; a bulk store may not even begin there. Most
// offsets are the places of work tiles and the numbers of loops, which are
// never negative, so that the kernel need not compare them. This analysis finds
// which.
//
// Sums and products are taken to stay below 2^31, as sizes do. Constants as
// large as that are therefore not known.

#ifndef DRAWLOOM_ANALYSIS_SLOTS_SIGNANALYSIS_H
#define DRAWLOOM_ANALYSIS_SLOTS_SIGNANALYSIS_H

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/IR/OpDefinition.h"

namespace drawloom::plan {

class SignAnalysis {
public:
  /// Of all numbers in a kernel, with roles or lowered. They stay known while
  /// it is converted.
  explicit SignAnalysis(tile::KernelOp kernel);

  /// Whether a number is known not to be negative.
  bool isNonNegative(mlir::OpFoldResult number) const;

private:
  bool transfer(mlir::Value value) const;
  bool transferResult(mlir::OpResult result) const;

  llvm::DenseSet<mlir::Value> known;
};

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_SLOTS_SIGNANALYSIS_H
