//===- KernelSignature.h - What a compiled kernel is called with  -*- C++
//-*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The parameters of a kernel follow from what its roles do with the views:
//
//   tensor maps   one for each view and box that a bulk copy moves, by value
//   sizes         one i32 for each dynamic size that the kernel asks for
//   scalars       as they are; index as i32
//
// Tensor maps come first, so that each is aligned to 64 bytes. The kernel
// carries the list as an attribute, from which whoever launches it makes the
// arguments.

#ifndef DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_KERNELSIGNATURE_H
#define DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_KERNELSIGNATURE_H

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/MapVector.h"

namespace drawloom::codegen {

class KernelSignature {
public:
  /// Collects the parameters; an error if a copy has no tensor map.
  llvm::LogicalResult collect(tile::KernelOp kernel);

  /// The function, without a body, before `kernel`.
  mlir::LLVM::LLVMFuncOp create(tile::KernelOp kernel,
                                mlir::OpBuilder &builder);

  /// The parameter that a load or store of a tile takes its map from.
  mlir::Value getMap(mlir::Operation *copy);
  mlir::Value getSize(mlir::Value view, int64_t dimension);
  mlir::Value getScalar(mlir::Value argument);

private:
  struct Map {
    mlir::BlockArgument view;
    llvm::SmallVector<int64_t> box;
    int64_t swizzle;
  };

  llvm::LogicalResult addMap(mlir::Operation *copy, mlir::Value view,
                             mlir::Type tile, llvm::ArrayRef<int64_t> dims);

  llvm::SmallVector<Map> maps;
  llvm::DenseMap<mlir::Operation *, unsigned> mapOf;
  llvm::MapVector<std::pair<mlir::Value, int64_t>, unsigned> sizes;
  llvm::MapVector<mlir::Value, unsigned> scalars;
  mlir::LLVM::LLVMFuncOp function;
};

} // namespace drawloom::codegen

#endif // DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_KERNELSIGNATURE_H
