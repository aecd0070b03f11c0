//===- RoleLowering.h - A role without pipes --------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A role is copied, operation by operation. What owns a slot becomes what is
// done to the slot's barriers, and loops carry where each ring is:
//
//   rings   for each end of a pipe that the body uses: slot, phase, and, with a
//           lag, the slots that are not released yet
//   values  as before; of an accumulator in tensor memory, which stays there,
//           whether there is one yet
//
// So slots and phases are counted and never divided.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_ROLELOWERING_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_ROLELOWERING_H

#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Analysis/Slots/Multicast.h"
#include "drawloom/Analysis/Slots/SignAnalysis.h"
#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::agent {

/// Whether one CTA of two does the role's part for both.
inline bool actsForPair(RoleOp role) { return role.getScope() == Scope::pair; }

/// What a pipe becomes: memory, and a ring of barriers for each of its ends.
struct LoweredPipe {
  PipeOp pipe;
  plan::BarrierCounts counts;
  plan::SlotFootprint footprint;
  Engine producer;
  /// For each tile, the dimensions of the cluster along which CTAs share it,
  /// counted with that of the pair.
  llvm::SmallVector<llvm::SmallVector<int64_t>> multicasts;
  /// No slots for a message without values.
  mlir::Value slots, full, empty;

  bool isMessage() {
    return pipe.getPipe().getType().getMemory() == Memory::message;
  }
  bool inTensorMemory() {
    return pipe.getPipe().getType().getMemory() == Memory::tmem;
  }
};

using LoweredPipes = llvm::MapVector<mlir::Value, LoweredPipe>;

/// Where the next tile is put, by cluster launch control or by the first CTA of
/// a cluster, and the barrier that says so; nothing without a dynamic tile
/// scheduler. In a cluster the first CTA requests for all, when all have read
/// the tile before.
struct NextTile {
  std::optional<int64_t> at;
  mlir::Value full, empty;
};

/// The barrier of a slot, of this CTA or of another one.
mlir::Value getBarrier(mlir::ImplicitLocOpBuilder &b, mlir::Value barriers,
                       mlir::Value slot, mlir::Value cta = {});

/// Goes to the end of a loop's body, which has no terminator then: the builder
/// makes one only for loops that carry nothing.
void enter(mlir::OpBuilder &b, mlir::scf::ForOp loop);

/// The loop, or the role, after which a consume with a lag gives its last slots
/// back.
mlir::Operation *getLagScope(ConsumeOp op);

class RoleLowering {
public:
  RoleLowering(RoleOp role, LoweredPipes &pipes, const NextTile &nextTile,
               const plan::SignAnalysis &signAnalysis,
               const target::Architecture &arch)
      : role(role), pipes(pipes), nextTile(nextTile),
        signAnalysis(signAnalysis), arch(arch),
        roles(cast<SwitchOp>(role->getParentOp())),
        cluster(plan::getPeerCluster(roles)), inPairs(plan::hasPairs(roles)),
        b(role.getLoc(), role) {}

  /// The body of the role, as it will be. The role itself stays as it is:
  /// others may look up how it counts.
  llvm::FailureOr<std::unique_ptr<mlir::Region>> run();

private:
  /// The next slot of one end of a pipe. With a lag, `kept` are the slots that
  /// are not released yet, the newest first; a negative number is none.
  struct Ring {
    mlir::Value slot, phase;
    llvm::SmallVector<mlir::Value, 1> kept;
  };
  enum End : unsigned { Fills, Empties };
  using RingKey = std::pair<mlir::Value, unsigned>;

  llvm::LogicalResult lowerBlock(mlir::Block &block);
  llvm::LogicalResult lowerOp(mlir::Operation *op);
  mlir::Value constant(int64_t value, unsigned bits = 32);
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  /// Whether this thread acts for its warp or for the role: computed once.
  mlir::Value elect(Participants participants);

  // LowerLoops.cpp
  llvm::LogicalResult lowerFor(mlir::scf::ForOp op);
  llvm::LogicalResult lowerWhile(mlir::scf::WhileOp op);
  llvm::LogicalResult lowerIf(mlir::scf::IfOp op);
  bool isInTensorMemory(mlir::Value value);
  llvm::LogicalResult carry(mlir::scf::ForOp op, mlir::ValueRange values,
                            llvm::SmallVectorImpl<mlir::Value> &carried);
  void bindCarried(mlir::ValueRange to, mlir::ValueRange from);
  llvm::SmallVector<RingKey> findRings(mlir::Operation *loop);
  void pushRings(llvm::ArrayRef<RingKey> keys,
                 llvm::SmallVectorImpl<mlir::Value> &values);
  void popRings(llvm::ArrayRef<RingKey> keys, mlir::ValueRange values);
  void startLags(mlir::Operation *scope);
  void endLags(mlir::Operation *scope);

  // LowerMessages.cpp
  void lowerPublish(PublishOp op);
  void lowerReceive(ReceiveOp op);
  void lowerNextTile(NextTileOp op);
  bool requestsTiles();
  void requestForAll(const Ring &ring, llvm::function_ref<void()> request);
  void awaitNextTile(Ring &ring, mlir::Value full);
  mlir::Value requestTile();
  mlir::Value countTile();
  ReadMessageOp readMessage(LoweredPipe &pipe, mlir::Value slot);

  // LowerEnds.cpp
  void waitFor(mlir::Value barrier, mlir::Value parity, Engine engine);
  llvm::LogicalResult lowerProduce(ProduceOp op);
  llvm::LogicalResult lowerConsume(ConsumeOp op);
  llvm::LogicalResult fillByTma(ProduceOp op, LoweredPipe &pipe,
                                mlir::Value slot, mlir::Value full);
  llvm::LogicalResult fillByThreads(ProduceOp op, LoweredPipe &pipe,
                                    mlir::Value slot, mlir::Value full);
  llvm::LogicalResult fillByCopies(ProduceOp op, LoweredPipe &pipe,
                                   mlir::Value slot, mlir::Value full);
  llvm::LogicalResult fillByMmas(ProduceOp op, LoweredPipe &pipe,
                                 mlir::Value slot, mlir::Value full);
  llvm::FailureOr<llvm::SmallVector<tile::LoadOp>> getLoads(ProduceOp op);
  void startLoad(tile::LoadOp load, llvm::ArrayRef<int64_t> along,
                 mlir::Value buffer, Engine engine, mlir::Value barrier,
                 bool mapped);
  void moveToHalf(tile::LoadOp load, int64_t dim,
                  llvm::SmallVectorImpl<mlir::Value> &offsets,
                  llvm::SmallVectorImpl<int64_t> &numbers);
  /// Whether the tensor map of an access cuts it right; null if it always does.
  template <typename AccessT>
  mlir::Value fits(AccessT access, mlir::RankedTensorType tile);
  llvm::LogicalResult openSlots(ConsumeOp op,
                                llvm::SmallVectorImpl<mlir::Value> &slots);
  void closeSlots(ConsumeOp op, llvm::ArrayRef<mlir::Value> slots);
  void release(ConsumeOp op, LoweredPipe &pipe, mlir::Value slot,
               int64_t pending);
  void advance(LoweredPipe &pipe, Ring &ring);
  mlir::Value getBuffer(LoweredPipe &pipe, unsigned value, mlir::Value slot);
  mlir::Value isSlot(mlir::Value kept);
  bool isMultipliedByWarpGroups(ConsumeOp op);
  void lowerPut(tile::StoreOp op, mlir::Value buffer);

  // LowerProducts.cpp
  llvm::LogicalResult lowerMma(tile::MmaOp op);

  // LowerTails.cpp
  void awaitLastCommits();
  void awaitPeers();

  // LowerPeers.cpp
  void findPeers();
  void findPair();
  mlir::Value getRank();
  /// The CTAs along some dimensions, and the place of this one among them:
  /// computed once.
  PeersOp getPeers(llvm::ArrayRef<int64_t> along);
  void sendParts(tile::AllGatherOp gather, LoweredPipe &pipe, mlir::Value slot);
  /// Whether the slots of a pipe are filled, or emptied, for both CTAs of a
  /// pair by one of them.
  bool isOfPair(LoweredPipe &pipe);
  /// Whether this thread announces the bytes that both CTAs of a pair bring:
  /// computed once.
  mlir::Value announce();

  RoleOp role;
  LoweredPipes &pipes;
  const NextTile &nextTile;
  const plan::SignAnalysis &signAnalysis;
  const target::Architecture &arch;
  SwitchOp roles;
  llvm::SmallVector<int64_t> cluster;
  bool inPairs;
  mlir::ImplicitLocOpBuilder b;
  mlir::IRMapping map;
  llvm::DenseMap<RingKey, Ring> rings;
  /// For each MMA, where in tensor memory its accumulator is.
  llvm::DenseMap<mlir::Operation *, mlir::Value> accumulators;
  /// For each accumulator in tensor memory, an i1: whether there is an MMA
  /// in it.
  llvm::DenseMap<mlir::Value, mlir::Value> filled;
  /// The slots that bulk stores take their tiles from, by the value of the
  /// consume.
  llvm::DenseMap<mlir::Value, mlir::Value> stored;
  /// The CTAs along some dimensions of the cluster, and for each pipe that
  /// other CTAs have to do with, those that this role tells when it is done
  /// with a slot.
  llvm::SmallVector<PeersOp, 2> peers;
  llvm::DenseMap<mlir::Value, mlir::Value> signaled;
  /// Of a pair: the place of this CTA in it, whether it is the leader's, which
  /// is the first one, and the leader's rank.
  mlir::Value place, isLeader, leader, announces;
  /// The rank of this CTA, in a role that asks for the items of a cluster.
  mlir::Value rank;
  mlir::Block *start = nullptr;
  mlir::Value elected[2];
};

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_ROLELOWERING_H
