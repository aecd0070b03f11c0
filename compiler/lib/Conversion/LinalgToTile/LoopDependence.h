//===- LoopDependence.h - Loops that depend on a maximum --------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of RescaleReductions.cpp: how a loop depends on an earlier one.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_LOOPDEPENDENCE_H
#define DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_LOOPDEPENDENCE_H

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace drawloom::linalg_to_tile {

/// How a tile depends on the rows that the first loop computes, which are one
/// element for each place along `dims` of the tile.
struct Form {
  enum Kind {
    Same,  // it doesn't
    Row,   // it is such rows
    Shift, // x + slope * maximum
    Scale, // x * exp(slope * maximum) / divisor, each of the two if it is there
    Other, // in another way
  };
  Kind kind = Same;
  llvm::SmallVector<int64_t> dims = {};
  /// Numbers of results of the first loop.
  std::optional<unsigned> maximum = {}, divisor = {};
  double slope = 0;
  bool isBase2 = false;
  /// Of a Shift: x is what the maximum is of. Of a Scale: at most 1 then.
  bool isBounded = false;
  /// Of a Scale: by powers of 2, though the function has others (LoopMerger).
  bool becomesBase2 = false;
};

/// A sum that the second loop carries and that depends on the rows.
struct RescaledSum {
  mlir::Operation *combine;
  mlir::OpOperand *sum;
  Form form;
};

/// Decides whether the second loop can go into the first, which comes before
/// it in the same block.
class Dependence {
public:
  Dependence(mlir::scf::ForOp first, mlir::scf::ForOp second)
      : first(first), second(second) {}

  bool isCovered();

  /// Between the loops: what doesn't depend on the first, and what does.
  llvm::SmallVector<mlir::Operation *> independent, between;
  llvm::SmallVector<RescaledSum> sums;
  /// Differences to a maximum that is one of the same numbers, masked: those.
  llvm::DenseMap<mlir::Operation *, mlir::arith::SelectOp> maskedNumbers;

  const Form &getForm(mlir::Value value) const {
    static const Form same;
    auto it = forms.find(value);
    return it == forms.end() ? same : it->second;
  }

  /// Whether a value of the first loop is one of the second, at the same place
  /// of the loop.
  bool isSameInBoth(mlir::Value a, mlir::Value b);

private:
  bool hasMaximum(unsigned result);
  bool isBounded(mlir::Operation &difference, unsigned maximum);
  bool depends(mlir::Operation &op) const;
  bool visitSum(mlir::Operation &op);
  std::optional<Form> derive(mlir::Operation &op);
  std::optional<Form> deriveReshape(mlir::Operation &op) const;
  std::optional<Form> deriveBinary(mlir::Operation &op);
  std::optional<Form> deriveSelect(mlir::arith::SelectOp op) const;
  std::optional<Form> deriveMma(tile::MmaOp op) const;

  mlir::scf::ForOp first, second;
  llvm::DenseMap<mlir::Value, Form> forms;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, bool> same;
};

/// The number that every element is.
std::optional<double> matchNumber(mlir::Value value);

/// Whether the operation may be executed earlier, or in another order.
bool isMovable(mlir::Operation &op);

} // namespace drawloom::linalg_to_tile

#endif // DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_LOOPDEPENDENCE_H
