//===- Emitter.h - A placed kernel, written down in nvvm ------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each role is walked in the order of its program, and every operation is
// written down in nvvm at once. What the walk carries along is all that a role
// knows at a point of its program:
//
//   scalars  the nvvm value of each scalar; `index` is 32 bits wide
//   tiles    where each tile is: in a slot of shared or tensor memory, or in
//            registers, by the layouts of the role's family (Fragments.h)
//
// Invariant: nothing of the protocol is decided here. `lower-pipes` has written
// it out, and what it wrote is translated.

#ifndef DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_EMITTER_H
#define DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_EMITTER_H

#include "KernelSignature.h"
#include "MatrixDescriptors.h"
#include "drawloom/Analysis/Plan/Engines.h"
#include "drawloom/Analysis/Plan/Footprint.h"
#include "drawloom/Analysis/Plan/Fragments.h"
#include "drawloom/Analysis/Plan/Placement.h"
#include "drawloom/Conversion/TileToNVVM/Elements.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace drawloom::codegen {

using plan::getPanels;

/// Where a tile is.
struct Tile {
  enum class Kind {
    /// A slot of shared memory, swizzled: `value` is its pointer.
    Shared,
    /// A slot of tensor memory: `value` is its address, an i32.
    Tensor,
    /// A vector for each thread, by the layout of its type: `value`.
    Fragment
  };
  Kind kind;
  mlir::Value value = {};
  /// Of a sum in tensor memory, an i1: false if it is one of no products. Then
  /// nothing was written, and it is zero. Null if it is known to be true.
  mlir::Value filled = {};
  /// Of a tile in shared memory.
  std::optional<Panels> panels = {};
  /// The tile is the transpose of what is there.
  bool transposed = false;
  /// Of a tile in tensor memory: columns from 128 rows to the next 128.
  int64_t blockColumns = 0;
};

using tonvvm::fromMemory;
using tonvvm::getMemoryType;
using tonvvm::getRegisterType;
using tonvvm::toMemory;

/// A number as an element in registers.
mlir::TypedAttr getRegisterAttr(mlir::TypedAttr number);

/// The layout of a tile in registers, and the vector that each thread has of
/// it.
const tile::Layout &getLayout(mlir::Value tile);
mlir::VectorType getVectorType(mlir::Value tile);

/// The digits of an input of a layout, bits, that contribute nothing: those who
/// differ in them have the same elements.
int64_t getCopyMask(const tile::Layout &layout, unsigned input);

/// A view, or a part of one, in the coordinates of the argument that it is or
/// is cut from. Of each dimension an i32: the first element, and the one behind
/// the last, where both the part and the argument end.
struct ViewRegion {
  mlir::BlockArgument argument;
  llvm::SmallVector<mlir::Value> starts, ends;
};

/// What all roles of a kernel share.
struct KernelContext {
  KernelContext(const target::Architecture &arch, KernelSignature &signature)
      : arch(arch), signature(signature) {}

  const target::Architecture &arch;
  KernelSignature &signature;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::DenseMap<mlir::Value, Tile> tiles;
  /// Of the CTA: the start of shared memory, the address of tensor memory.
  mlir::Value shared, tensor;
  /// The number of this warp, the same for all its lanes, and of this lane.
  mlir::Value warp, lane;
  /// The number of this CTA, and how many there are.
  mlir::Value cta, ctas;
};

/// An error if a kernel, or the tiles of a role, are not as the passes before
/// this one leave them.
llvm::LogicalResult checkProtocol(tile::KernelOp kernel);
llvm::LogicalResult checkLayouts(agent::RoleOp role);

class Emitter {
public:
  Emitter(KernelContext &kernel, mlir::ImplicitLocOpBuilder &builder)
      : kernel(kernel), b(builder), scalars(kernel.scalars),
        tiles(kernel.tiles) {}

  /// Emits an operation that stands outside of the switch.
  llvm::LogicalResult emitOutside(mlir::Operation *op);
  /// Writes down a role, at the place of the builder.
  llvm::LogicalResult emitRole(agent::RoleOp role);

  const llvm::DenseMap<mlir::Value, mlir::Value> &getScalars() const {
    return scalars;
  }
  const llvm::DenseMap<mlir::Value, Tile> &getTiles() const { return tiles; }

private:
  // EmitControl.cpp
  llvm::LogicalResult emitBlock(mlir::Block &block);
  llvm::LogicalResult emitOp(mlir::Operation *op);
  llvm::LogicalResult emitIf(mlir::scf::IfOp op);
  mlir::Value constant(int64_t value, unsigned bits = 32);
  mlir::Value lookup(mlir::Value value);
  mlir::Value lookup(mlir::OpFoldResult value);
  /// What values of the program are now: scalars, and tiles in registers.
  llvm::SmallVector<mlir::Value> getNow(mlir::ValueRange values);
  void when(mlir::Value condition, llvm::function_ref<void()> body);

  // EmitLoops.cpp
  llvm::LogicalResult emitFor(mlir::scf::ForOp op);
  bool mustUnroll(mlir::scf::ForOp op);
  llvm::LogicalResult emitUnrolled(mlir::scf::ForOp op);

  // EmitProtocol.cpp
  /// Nothing if the operation is not one of the protocol.
  std::optional<llvm::LogicalResult> emitProtocol(mlir::Operation *op);
  mlir::Value getBarrier(agent::BarrierOp op);
  Tile getSlot(agent::SlotOp op);
  void wait(mlir::Value barrier, mlir::Value parity);
  void advance(agent::AdvanceOp op);
  void arrive(agent::ArriveOp op);
  void fenceProxy();
  void fence(agent::Fence fence);
  void drain(agent::DrainOp op);
  void sync(agent::Crowd crowd);

  // EmitCopies.cpp
  llvm::SmallVector<mlir::Value> getOrigin(mlir::Value view);
  ViewRegion getRegion(mlir::Value view);
  void forEachBox(
      mlir::Value view, llvm::ArrayRef<mlir::OpFoldResult> offsets,
      llvm::ArrayRef<int64_t> dims, const Panels &panels, mlir::Value slot,
      llvm::function_ref<void(mlir::Value, llvm::ArrayRef<mlir::Value>)> visit);
  llvm::LogicalResult emitFetch(agent::FetchOp op);
  llvm::LogicalResult emitPut(agent::PutOp op);
  /// The number of this thread in its role.
  mlir::Value getThread();

  // EmitThreadCopies.cpp
  /// A thread copies its part of a tile to a slot; what it has written itself
  /// is fenced, what cp.async writes is to be waited for.
  void fetchByThreads(agent::FetchOp op, const Tile &slot);
  void putByThreads(agent::PutOp op, const Tile &slot);
  mlir::Value fitsTensorMap(agent::FitsOp op);

  // EmitFragments.cpp
  /// What this thread has of a tile in registers.
  mlir::Value getFragment(mlir::Value tile) const {
    return tiles.lookup(tile).value;
  }
  llvm::LogicalResult emitConversion(tile::ConvertLayoutOp op);
  /// Loads what `tile` has of a tile in shared memory.
  llvm::FailureOr<mlir::Value> loadShared(const Tile &from, mlir::Value tile,
                                          mlir::Operation *user);
  llvm::LogicalResult writeShared(mlir::Value tile, mlir::Value slot,
                                  const std::optional<Panels> &panels,
                                  mlir::Operation *user);
  /// The part of an offset that a thread computes once.
  struct ThreadOffset {
    mlir::Value xored, added;
  };
  ThreadOffset getThreadOffset(const plan::Offsets &offsets);
  mlir::Value getOffset(const ThreadOffset &thread,
                        const plan::Offsets &offsets, int64_t number);
  mlir::Value getAddress(mlir::Value slot, const ThreadOffset &thread,
                         const plan::Offsets &offsets, int64_t number);
  llvm::FailureOr<plan::Offsets>
  getSharedOffsets(mlir::Value tile, const std::optional<Panels> &panels,
                   bool transposed, mlir::Operation *user);
  /// Whether this thread writes its part of a tile, of which others may have a
  /// copy; null if there are no copies.
  mlir::Value getOwner(const tile::Layout &layout);
  /// Binds the result of `op`, whose element at some coordinates is that of the
  /// operand at `map(coordinates)`.
  llvm::LogicalResult
  gather(mlir::Operation *op,
         llvm::function_ref<llvm::SmallVector<int64_t>(llvm::ArrayRef<int64_t>)>
             map);

  // EmitElementwise.cpp
  llvm::LogicalResult emitElementwise(mlir::Operation *op);
  llvm::LogicalResult emitSlice(mlir::Operation *op);
  llvm::LogicalResult emitReshape(mlir::Operation *op);
  void bind(mlir::Value from, mlir::Value to);
  mlir::Value makeIota(mlir::Value tile);

  // EmitOperands.cpp
  SharedOperand getSharedOperand(mlir::Value tile);
  /// Puts an operand that threads have into scratch memory.
  llvm::LogicalResult writeOperand(mlir::Value tile, mlir::Operation *user);

  // EmitMath.cpp
  /// The result of a function or a conversion; null if the operation itself
  /// can be made with other types.
  llvm::FailureOr<mlir::Value>
  emitFunction(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value convertShortFloat(mlir::Operation *op, mlir::Value operand);
  mlir::Value convertShortInteger(mlir::Operation *op, mlir::Value operand);

  // EmitReduce.cpp
  llvm::LogicalResult emitReduce(tile::ReduceOp op);
  llvm::LogicalResult combineWarps(tile::ReduceOp op, const tile::Layout &from,
                                   const std::optional<tile::Layout> &to,
                                   llvm::SmallVectorImpl<mlir::Value> &parts);
  /// Waits for all warps of the role.
  void syncRole();

  // EmitGlobal.cpp
  llvm::LogicalResult emitThreadLoad(tile::LoadOp op);
  llvm::LogicalResult emitThreadStore(tile::StoreOp op);

  // EmitTcgen05.cpp
  llvm::SmallVector<mlir::Value> getBlocks(mlir::Value address, int64_t rows,
                                           int64_t blockColumns);
  /// Loads what `tile` has of a tile in tensor memory.
  mlir::Value loadTensor(const Tile &from, mlir::Value tile);
  mlir::Value loadColumns(mlir::Value address, int64_t columns);
  void writeTensor(mlir::Value tile, mlir::Value address);
  llvm::LogicalResult emitMultiply(agent::MultiplyOp op);

  // EmitWgmma.cpp
  llvm::LogicalResult emitIssue(agent::IssueOp op);
  llvm::LogicalResult emitPromoted(tile::MmaOp op);
  void await(agent::AwaitOp op);
  void waitForReads();
  /// Puts operands that threads have into scratch memory, for one product.
  llvm::LogicalResult writeOperands(mlir::Operation *product, mlir::Value a,
                                    mlir::Value b);
  llvm::SmallVector<mlir::Value> issueProduct(mlir::Value a, mlir::Value b,
                                              int64_t first, int64_t columns,
                                              llvm::ArrayRef<mlir::Value> sum,
                                              bool fromZero);
  mlir::Value getDescriptor(mlir::Value slot, uint64_t bits, int64_t rows);

  KernelContext &kernel;
  mlir::ImplicitLocOpBuilder &b;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::DenseMap<mlir::Value, Tile> tiles;
  /// Matrix descriptors of the first slot, by the place of the tile in shared
  /// memory, the bits that describe it, and the bytes from one warp group's
  /// rows to the next one's: none, if all read the whole tile.
  llvm::DenseMap<std::tuple<int64_t, uint64_t, int64_t>, mlir::Value>
      descriptors;
  /// What a role computes once comes behind this.
  mlir::Operation *roleStart = nullptr;
  /// The role, and in it: the elected thread of this warp, the elected thread
  /// of the role's first warp, the number of this warp.
  agent::RoleOp role;
  mlir::Value elected, leader, roleWarp, tensorLane;
  /// What was read of a tile in memory, and from where: as long as that is
  /// where the tile is, it need not be read again.
  struct Read {
    mlir::Value place, fragment;
  };
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, Read> reads;
};

} // namespace drawloom::codegen

#endif // DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_EMITTER_H
