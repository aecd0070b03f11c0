//===- RoleCode.h - The code of a role --------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A role is lowered where it is: each produce and consume becomes what is done
// to the barriers of its slots, and around what is inside. The functions
// below are the rules, one for each operation. What they share is here: what a
// role computes once, where it starts, and what is known of values that are no
// tiles any more.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_ROLECODE_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_ROLECODE_H

#include "PipeCode.h"
#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace drawloom::agent {

using CodeBuilder = mlir::ImplicitLocOpBuilder;

/// Where an end of a pipe is.
struct Position {
  mlir::Value slot, phase;
};

/// The slots that a consume keeps when it is over, until a loop or the role is
/// left.
struct Lag {
  LoweredPipe *pipe;
  Engine engine;
  /// The variable that has them, the newest first; a negative number is none.
  mlir::Value kept;
};
struct LagScope {
  llvm::SmallVector<Lag> lags;
  /// Whether MMAs of warp groups read the slots.
  bool isMultiplied = false;
};

class RoleCode {
public:
  RoleCode(RoleOp role, KernelCode &kernel) : kernel(kernel), role(role) {}

  llvm::LogicalResult lower();
  llvm::LogicalResult lowerBlock(mlir::Block &block);
  /// Lowers what is in a loop, which then releases what it has kept.
  llvm::LogicalResult lowerLoop(mlir::Operation *op);

  LoweredPipe &getPipe(mlir::Value pipe) {
    return kernel.pipes.find(pipe)->second;
  }
  /// Whether this thread acts for its warp or for the role: computed once.
  mlir::Value elect(CodeBuilder &b, Participants participants);
  /// The CTAs along some dimensions, and the place of this one among them:
  /// computed once.
  PeersOp getPeers(CodeBuilder &b, llvm::ArrayRef<int64_t> along);
  /// Whether this thread announces the bytes that both CTAs of a pair bring:
  /// computed once.
  mlir::Value announce(CodeBuilder &b);
  /// The CTAs that this role tells when it is done with a slot, of a pipe that
  /// other CTAs have to do with; null of others.
  mlir::Value getSignaled(mlir::Value pipe) { return signaled.lookup(pipe); }
  /// The variable of the slots that a consume keeps; null if it keeps none.
  mlir::Value getKept(ConsumeOp op, unsigned pipe);

  KernelCode &kernel;
  RoleOp role;
  /// For each MMA, where in tensor memory its accumulator is.
  llvm::DenseMap<mlir::Operation *, mlir::Value> accumulators;
  /// The slots that bulk stores take their tiles from, by the tile.
  llvm::DenseMap<mlir::Value, mlir::Value> stored;
  /// Of a pair: the place of this CTA in it, whether it is the leader's, which
  /// is the first one, and the leader's rank.
  mlir::Value place, isLeader, leader;
  /// The rank of this CTA, in a role that asks for the items of a cluster.
  mlir::Value rank;

private:
  llvm::LogicalResult lowerOp(mlir::Operation *op);

  // LowerPeers.cpp
  void findPeers(CodeBuilder &b);
  void findPair(CodeBuilder &b);
  mlir::Value findSignaled(CodeBuilder &b, LoweredPipe &pipe, bool fills);
  mlir::Value getRank(CodeBuilder &b);

  // LowerLags.cpp
  void findLags(mlir::Block &body);
  void endLags(CodeBuilder &b, mlir::Operation *scope);
  /// Each variable, and after it those of what its end keeps.
  llvm::SmallVector<mlir::Value> addKept(mlir::ValueRange variables);

  // LowerTails.cpp
  void awaitLastStores(CodeBuilder &b);
  void awaitLastCommits(CodeBuilder &b);
  void awaitPeers(CodeBuilder &b);

  mlir::Value elected[2];
  mlir::Value announces;
  llvm::SmallVector<PeersOp, 2> peers;
  llvm::DenseMap<mlir::Value, mlir::Value> signaled;
  /// Of each pipe that the role fills, the variable.
  llvm::DenseMap<mlir::Value, mlir::Value> fills;
  llvm::DenseMap<mlir::Operation *, LagScope> scopes;
  /// By the loop or role that they are kept in, and the variable of the end.
  llvm::MapVector<std::pair<mlir::Operation *, mlir::Value>, mlir::Value> kept;
};

mlir::Value constant(CodeBuilder &b, int64_t value, unsigned bits = 32);
void when(CodeBuilder &b, mlir::Value condition,
          llvm::function_ref<void()> body);
/// Puts what is inside an operation before it.
void inlineBody(mlir::Operation *op);
/// Replaces the results, and erases the operation. They may be of other types:
/// an accumulator in tensor memory is no tile.
void replace(mlir::Operation *op, mlir::ValueRange by);

// Slots and barriers.
/// What a variable is.
mlir::ValueRange getVariable(CodeBuilder &b, mlir::Value variable);
Position getPosition(CodeBuilder &b, mlir::Value variable);
void advance(CodeBuilder &b, mlir::Value variable, Position at, int64_t slots);
/// The barrier of a slot, of this CTA or of another one.
mlir::Value getBarrier(CodeBuilder &b, mlir::Value barriers, mlir::Value slot,
                       mlir::Value cta = {});
mlir::Value getBuffer(CodeBuilder &b, LoweredPipe &pipe, unsigned value,
                      mlir::Value slot);
/// Waits for a slot that `engine` then fills or empties.
void waitFor(CodeBuilder &b, RoleCode &code, mlir::Value barrier,
             mlir::Value parity, Engine engine);
ReadMessageOp readMessage(CodeBuilder &b, LoweredPipe &pipe, mlir::Value slot);

Engine getEngine(ConsumeOp op, unsigned pipe);
/// Whether warp groups multiply what is in the slots.
bool isMultipliedByWarpGroups(ConsumeOp op, const target::Architecture &arch);

// The operations.
llvm::LogicalResult lowerProduce(ProduceOp op, RoleCode &code);
llvm::LogicalResult lowerConsume(ConsumeOp op, RoleCode &code);
/// Gives a slot back. `pending` stores, the newest ones, may still read theirs.
void release(CodeBuilder &b, RoleCode &code, LoweredPipe &pipe, Engine engine,
             mlir::Value slot, int64_t pending);
/// Gives a kept slot back, if it is one.
void releaseKept(CodeBuilder &b, RoleCode &code, const Lag &lag,
                 mlir::Value slot, int64_t pending);
void lowerPublish(PublishOp op, RoleCode &code);
void lowerReceive(ReceiveOp op, RoleCode &code);
void lowerNextTile(NextTileOp op, RoleCode &code);
void lowerMma(tile::MmaOp op, RoleCode &code);
llvm::LogicalResult lowerFor(mlir::scf::ForOp op, RoleCode &code);
/// Accumulators that a loop rescales are read from their slots, and not
/// carried: before the loop is lowered, and when it is.
void keepInSlot(mlir::scf::ForOp op, RoleCode &code);
void dropKept(mlir::scf::ForOp op, RoleCode &code);
/// Scales an accumulator where it is, if it has to be.
void rescale(CodeBuilder &b, RescaledPipe &rescaled, mlir::Value buffer);
void lowerTranspose(tile::TransposeOp op);
void lowerStore(tile::StoreOp op, RoleCode &code);

/// A copy of a tile to a slot. With `mapped`, a tensor map promises that rows
/// of the view begin at multiples of 16 bytes.
struct SlotCopy {
  tile::LoadOp load;
  Engine engine;
  mlir::Value buffer, barrier;
  bool mapped = false;
  /// The dimensions along which CTAs share it.
  llvm::ArrayRef<int64_t> along = {};
};
void startCopy(CodeBuilder &b, RoleCode &code, SlotCopy copy);
/// Whether the tensor map of an access cuts it right; null if it always does.
mlir::Value fits(CodeBuilder &b, tile::LoadOp op);
/// This CTA's part goes to the slots of all that gather it; or each of them
/// gets one of its own.
void sendParts(CodeBuilder &b, RoleCode &code, tile::AllGatherOp gather,
               LoweredPipe &pipe, mlir::Value slot);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_ROLECODE_H
