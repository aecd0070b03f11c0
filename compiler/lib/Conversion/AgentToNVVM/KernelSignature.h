//===- KernelSignature.h - What a compiled kernel is called with -*- C++ -*-==//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The parameters of a kernel follow from what its roles do with the views:
//
//   tensor maps   one for each view and box that a bulk copy moves, by value
//   pointers      one for each view that threads read or write, 64 bits
//   strides       of these views, in elements, 64 bits; those that the type
//                 does not say
//   sizes         of these views, and those that the kernel asks for, 32 bits;
//                 those that the type does not say
//   scalars       as they are; index as i32
//
// Tensor maps come first, so that each is aligned to 64 bytes. The kernel
// carries the list as an attribute, from which a launch makes the arguments.
//
// Invariant: a part of a view (tile.subview) has no parameters of its own. It
// is its view with other coordinates.

#ifndef DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_KERNELSIGNATURE_H
#define DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_KERNELSIGNATURE_H

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::codegen {

/// The argument that a view is, or is a part of.
mlir::BlockArgument getArgument(mlir::Value view);

class KernelSignature {
public:
  /// Collects the parameters; an error if a copy has no tensor map.
  llvm::LogicalResult collect(tile::KernelOp kernel,
                              const target::Architecture &arch);

  /// Adds the parameters to the kernel's block, after its arguments.
  void addParameters(tile::KernelOp kernel);
  /// The function, with the block as its body, before `kernel`. The kernel's
  /// own arguments have no uses any more.
  mlir::LLVM::LLVMFuncOp create(tile::KernelOp kernel);

  /// The parameter that a bulk copy takes its map from.
  mlir::Value getMap(mlir::Operation *copy) const;
  /// All parameters that are maps.
  llvm::SmallVector<mlir::Value> getMaps() const;

  // Of an argument. What its type says is a constant.
  mlir::Value getPointer(mlir::BlockArgument view) const;
  mlir::Value getStride(mlir::ImplicitLocOpBuilder &b, mlir::BlockArgument view,
                        int64_t dimension) const;
  mlir::Value getSize(mlir::ImplicitLocOpBuilder &b, mlir::BlockArgument view,
                      int64_t dimension) const;
  mlir::Value getScalar(mlir::Value argument) const;

private:
  struct Map {
    mlir::BlockArgument view;
    llvm::SmallVector<int64_t> box;
    int64_t swizzle, atom;
  };
  using Dimension = std::pair<mlir::Value, int64_t>;

  llvm::LogicalResult addMap(mlir::Operation *copy, mlir::Value view,
                             mlir::RankedTensorType tile,
                             llvm::ArrayRef<int64_t> dims, mlir::Value buffer,
                             int64_t parts);
  /// What threads need to reach the elements of a view.
  void addAccess(mlir::Value view);
  void addSize(mlir::BlockArgument view, int64_t dimension);

  llvm::SmallVector<Map> maps;
  llvm::DenseMap<mlir::Operation *, unsigned> mapOf;
  // The numbers of the parameters.
  llvm::MapVector<mlir::Value, unsigned> pointers;
  llvm::MapVector<Dimension, unsigned> strides;
  llvm::MapVector<Dimension, unsigned> sizes;
  llvm::MapVector<mlir::Value, unsigned> scalars;
  /// Where the parameters are, and the number of the first.
  mlir::Block *body = nullptr;
  unsigned first = 0;

  mlir::Value getParameter(unsigned number) const {
    return body->getArgument(first + number);
  }
};

} // namespace drawloom::codegen

#endif // DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_KERNELSIGNATURE_H
