//===- CodeWriter.h - What patterns to nvvm have in common ---- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A pattern is a function: from an operation and what its operands have become
// to what its results become. What it needs besides is computed before any
// pattern runs and never changes:
//
//   KernelValues  of the kernel: the numbers of a thread, the start of shared
//                 memory, the parameters
//   RoleValues    of a role: who is elected, the number of a warp among the
//                 role's, matrix descriptors
//
// A CodeWriter has them at hand, where the pattern writes.
//
// Types: `index` is i32; a tile in registers is a vector with an element for
// each register of its layout, and so is an accumulator in flight; a buffer is
// a pointer into shared memory, or an address in tensor memory, an i32; a
// barrier is a pointer.

#ifndef DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_CODEWRITER_H
#define DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_CODEWRITER_H

#include "Elements.h"
#include "KernelSignature.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/RoleTiles/Panels.h"
#include "drawloom/Analysis/Slots/SignAnalysis.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace drawloom::codegen {

using plan::Panels;

/// Which matrix descriptor: where the first slot is in shared memory, the bits
/// that describe it, and the bytes from one warp group's rows to the next
/// one's, none if all read the whole tile.
using DescriptorKey = std::tuple<int64_t, uint64_t, int64_t>;

/// What a role computes once, where it starts.
struct RoleValues {
  /// The elected thread of this warp, and that of the role's first warp.
  mlir::Value elected, leader;
  /// The number of this warp in the role, and the lanes of tensor memory that
  /// it reaches, as a part of an address.
  mlir::Value warp, tensorLane;
  llvm::DenseMap<DescriptorKey, mlir::Value> descriptors;
  /// The cache policies of its bulk copies that have one.
  llvm::DenseMap<mlir::Operation *, mlir::Value> policies;
};

/// What all roles of a kernel share.
struct KernelValues {
  KernelValues(const target::Architecture &arch,
               const KernelSignature &signature, tile::KernelOp kernel)
      : arch(arch), signature(signature), signAnalysis(kernel) {}

  const target::Architecture &arch;
  const KernelSignature &signature;
  /// Which numbers of the program are not negative.
  plan::SignAnalysis signAnalysis;
  /// The start of shared memory.
  mlir::Value shared;
  /// The number of this warp, the same for all its lanes, and of this lane.
  mlir::Value warp, lane;
  /// The number of this CTA, and how many there are.
  mlir::Value cta, ctas;
  /// Whether the CTA is one of several in a cluster.
  bool inCluster = false;
  /// The CTAs that tensor memory and MMAs belong to: one, or a pair. A
  /// kernel has one kind of them.
  mlir::NVVM::CTAGroupKind group = mlir::NVVM::CTAGroupKind::CTA_1;
  /// The address of tensor memory in the program; null if there is none.
  mlir::Value tensor;
  llvm::DenseMap<mlir::Operation *, RoleValues> roles;
};

/// A number as an element in registers.
mlir::TypedAttr getRegisterAttr(mlir::TypedAttr number);

/// The layout of a tile in registers, and the vector that each thread has of
/// it.
const tile::Layout &getLayout(mlir::Type tile);
mlir::VectorType getVectorType(mlir::Type tile);

/// The digits of an input of a layout, bits, that contribute nothing: those who
/// differ in them have the same elements.
int64_t getCopyMask(const tile::Layout &layout, unsigned input);

/// A pointer into a memory space.
mlir::LLVM::LLVMPointerType getPointerType(mlir::MLIRContext *context,
                                           mlir::NVVM::NVVMMemorySpace space);

/// `bytes` after a pointer.
mlir::Value getBytesAfter(mlir::ImplicitLocOpBuilder &b, mlir::Value pointer,
                          mlir::LLVM::GEPArg bytes);

/// A view, or a part of one, in the coordinates of the argument that it is or
/// is cut from. Of each dimension an i32: where the part begins, the first
/// element that it and the argument have, and the one after the last. The first
/// two are the same value if the part is known not to begin before what it is
/// cut from.
struct ViewRegion {
  mlir::BlockArgument argument;
  llvm::SmallVector<mlir::Value> starts, lows, ends;
};

/// The part of an offset that a thread computes once.
struct ThreadOffset {
  mlir::Value xored, added;
};

/// Where a pattern writes.
class CodeWriter {
public:
  CodeWriter(const KernelValues &kernel, mlir::Operation *op,
             mlir::ConversionPatternRewriter &rewriter);

  mlir::Value constant(int64_t value, unsigned bits = 32);
  /// Makes what `body` makes in a branch.
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  /// What a value of the program has become.
  mlir::Value lookup(mlir::Value value);
  /// Numbers and values in their order.
  llvm::SmallVector<mlir::Value> getOffsets(llvm::ArrayRef<int64_t> numbers,
                                            mlir::ValueRange values);
  /// The number of this thread in its role.
  mlir::Value getThread();
  /// The thread that issues the role's MMAs and commits them.
  mlir::Value electIssuer();
  /// Waits for all warps of the role.
  void syncRole();
  /// Orders what threads have written and what engines will read.
  void fenceProxy();
  /// A place in shared memory.
  mlir::Value getShared(int64_t offset);
  /// CTAs of a cluster as instructions take them; null for none.
  mlir::Value getMask(mlir::Value ctas);
  /// Whether this lane acts for a CTA of these: lane r for that of rank r.
  mlir::Value isMine(mlir::Value ctas);

  // Views.
  llvm::SmallVector<mlir::Value> getOrigin(mlir::Value view);
  ViewRegion getRegion(mlir::Value view);
  /// Whether a tile at this offset is known not to begin before the view.
  bool beginsInside(const ViewRegion &region, int64_t dim,
                    mlir::OpFoldResult offset);

  // Elements of a tile in memory.
  ThreadOffset getThreadOffset(const plan::Offsets &offsets);
  mlir::Value getOffset(const ThreadOffset &thread,
                        const plan::Offsets &offsets, int64_t number);
  mlir::Value getAddress(mlir::Value base, const ThreadOffset &thread,
                         const plan::Offsets &offsets, int64_t number);
  /// Whether this thread writes its part of a tile, of which others may have a
  /// copy; null if there are no copies.
  mlir::Value getOwner(const tile::Layout &layout);

  mlir::ImplicitLocOpBuilder b;
  const KernelValues &kernel;
  /// Null outside roles.
  agent::RoleOp role;
  const RoleValues &own;

private:
  mlir::ConversionPatternRewriter &rewriter;
};

} // namespace drawloom::codegen

#endif // DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_CODEWRITER_H
