//===- NominalProgram.h - The function with round sizes ------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A copy of the function in which every axis is exactly two tiles long. What is
// tiled is this copy, so every tile has a static shape and no tile is cut short
// by an edge. Two tiles, not one: then no loop folds away, and each stands for
// all the tiles of its axis.
//
// An argument that is read along different axes (the product of a matrix with
// its own transpose) is one argument of the copy for each. What a body asks for
// besides its operands, the position of an element (`linalg.index`) or a number
// of a tensor (`tensor.extract`), is an argument, too, so that it is cut like
// all others.
//
// The copy's operations carry the attribute `axes`, one number for each loop,
// and so do the loops that tiling makes.

#ifndef DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_NOMINALPROGRAM_H
#define DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_NOMINALPROGRAM_H

#include "LinalgFunction.h"
#include "mlir/IR/OwningOpRef.h"

namespace drawloom::linalg_to_tile {

struct NominalProgram {
  /// What an argument of the copy stands for.
  struct Input {
    /// An argument of the function, or a scalar that it computes. Null for
    /// positions: a tensor along one axis whose element i is i.
    mlir::Value original;
    /// The axes along which a tensor is read.
    AxisList axes;
    /// Where a single element of a tensor is: an index for each dimension.
    llvm::SmallVector<mlir::Value> indices = {};

    bool operator==(const Input &other) const = default;
  };

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp func;
  llvm::SmallVector<Input> inputs;
};

inline constexpr llvm::StringLiteral axesAttrName = "axes";

/// The axes of an operation or loop of a nominal program.
llvm::ArrayRef<int64_t> getAxes(mlir::Operation *op);
void setAxes(mlir::Operation *op, llvm::ArrayRef<int64_t> axes);

NominalProgram makeNominal(LinalgFunction &function);

/// Cuts the work tiles out of the program with one `scf.forall`, and walks the
/// other axes in it with `scf.for`. Afterwards every linalg operation works on
/// one tile.
llvm::LogicalResult tileAndFuse(NominalProgram &program,
                                LinalgFunction &function);

} // namespace drawloom::linalg_to_tile

#endif // DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_NOMINALPROGRAM_H
