//===- SizeTable.h - Trip counts in terms of what is known at launch ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two roles agree about a trip count if both compute it from the same numbers
// in the same way. Each role has its own copy of that computation, so values
// are compared by what they are, not by who they are: a scalar becomes an
// affine expression over symbols, and a symbol is a dimension of an argument, a
// value of the work tile, or an operation without side effects on such.
//
// Invariant: equal expressions have equal values, in every role, for the same
// work tile.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_ANALYSIS_AGENTPROGRESS_SIZETABLE_H
#define DRAWLOOM_LIB_ANALYSIS_AGENTPROGRESS_SIZETABLE_H

#include "drawloom/Analysis/AgentProgress/AgentProgress.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace drawloom::agent {

class SizeTable {
public:
  explicit SizeTable(SwitchNetwork &result, mlir::MLIRContext *context)
      : result(result), context(context) {}

  /// The number of iterations of a loop; without a value, `problem` says why it
  /// is outside the model.
  std::optional<progress::Count> countTrips(mlir::scf::ForOp loop,
                                            std::string &problem);
  /// The number of work tiles of a stream.
  progress::SizeId streamOf(mlir::Value items);

private:
  /// What is known about a symbol, beyond its words.
  struct Symbol {
    std::string key = {};
    /// The stream whose items it belongs to.
    mlir::Value stream = {};
    bool nonNegative = false;
  };

  std::optional<mlir::AffineExpr> expressionOf(mlir::Value value);
  std::optional<mlir::AffineExpr> makeExpression(mlir::Value value);
  std::optional<mlir::AffineExpr> argumentOf(mlir::BlockArgument argument);
  std::optional<mlir::AffineExpr> arithmeticOf(mlir::Operation *op);
  std::optional<mlir::AffineExpr> dimensionOf(mlir::Value view, int64_t index);
  std::optional<mlir::AffineExpr> symbolOf(mlir::OpResult value);
  mlir::AffineExpr addSymbol(Symbol symbol, SizeSymbol shown);
  std::optional<progress::SizeId> sizeOf(mlir::AffineExpr trips,
                                         std::string &problem);
  bool isNonNegative(mlir::AffineExpr expr) const;
  std::string wordsOf(mlir::AffineExpr expr) const;
  static std::string keyOf(mlir::AffineExpr expr);

  SwitchNetwork &result;
  mlir::MLIRContext *context;
  llvm::SmallVector<Symbol> symbols;
  llvm::StringMap<unsigned> symbolByKey;
  llvm::StringMap<progress::SizeId> sizeByKey;
  llvm::SmallVector<std::pair<mlir::Value, progress::SizeId>> streams;
  /// What was found for each value, and if nothing, why.
  llvm::DenseMap<mlir::Value,
                 std::pair<std::optional<mlir::AffineExpr>, std::string>>
      expressions;
  /// Why the last expression that failed has no value.
  std::string reason;
};

/// "gemm.mlir:12:5", or nothing if it is not known.
std::string textOf(mlir::Location location);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_ANALYSIS_AGENTPROGRESS_SIZETABLE_H
