//===- Protocol.h - Barriers, slots and what is visible ---------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a run remembers of a kernel whose pipes are lowered: mbarriers with
// arrivals, bytes and phases, tiles in slots, and who has used them.
//
// An engine does its work when it is issued. That it could be later is not
// lost: every access of a slot is a pair (actor, number), the number-th access
// of the threads of a role, of its MMAs, of its bulk stores and so on, and a
// clock says up to which number the accesses of each actor come before what
// follows. A role has three of them:
//
//   seen    what happened before, as waits, drains and syncs order it
//   async   what of that engines of the asynchronous proxy may rely on
//   tensor  what of that tcgen05 instructions may rely on
//
// An arrival takes the first two along, the phase that it completes has them,
// and a wait for the phase joins them. So a read or write that nothing orders
// after the access before it is an error in every order of the roles, not only
// in those where it is too early.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_INTERPRETER_PROTOCOL_H
#define DRAWLOOM_LIB_INTERPRETER_PROTOCOL_H

#include "Evaluator.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include <array>
#include <deque>

namespace drawloom::interp {

/// For each actor the number of its accesses that come before.
class Clock {
public:
  bool has(unsigned actor, uint32_t number) const {
    return actor < numbers.size() && numbers[actor] >= number;
  }
  void raise(unsigned actor, uint32_t number);
  void join(const Clock &other);

private:
  std::vector<uint32_t> numbers;
};

/// What an arrival takes along.
struct Visible {
  Clock seen, async;

  void join(const Visible &other) {
    seen.join(other.seen);
    async.join(other.async);
  }
  void raise(unsigned actor, uint32_t number) {
    seen.raise(actor, number);
    async.raise(actor, number);
  }
};

/// Who accesses a slot for a role.
enum class By {
  Threads,
  Copies,       ///< cp.async
  Stores,       ///< Bulk stores, in groups.
  Wgmma,        ///< In groups, too.
  TensorLoads,  ///< tcgen05.ld
  TensorStores, ///< tcgen05.st
  TensorCore,   ///< tcgen05.mma
  BulkLoads,    ///< Each slot has an actor for them: they overtake each other.
};
constexpr size_t numActors = static_cast<size_t>(By::BulkLoads);

struct Access {
  unsigned actor;
  uint32_t number;
  /// The part of the tile, if CTAs of a cluster load one each.
  std::optional<int64_t> part = std::nullopt;
};

/// Memory that roles share: a tile of a slot, a message, an answer.
struct Guard {
  /// `slot 2 of 'operands'`
  std::string name;
  int64_t cta = 0;
  bool inTensorMemory = false;
  /// Bytes of shared memory, or columns of tensor memory.
  int64_t begin = 0, end = 0;
  /// The slots that it is one of, if it is.
  agent::SlotsOp slots = nullptr;
  int64_t index = 0, value = 0;
  std::shared_ptr<Memory> memory = nullptr;
  /// Of a message.
  llvm::SmallVector<RuntimeValue> values = {};
  bool isFull = false;
  /// The last ones, and those since.
  llvm::SmallVector<Access, 2> writes = {}, reads = {};
  /// Others that have some of its bytes.
  llvm::SmallVector<Guard *, 1> shares = {};
  /// The actors that load it, by part.
  std::map<int64_t, unsigned> loaders = {};
};

struct Barrier {
  agent::BarriersOp ring;
  int64_t cta, index;
  /// Arrivals that the phase still needs, and bytes.
  int64_t pending = 0, bytes = 0;
  /// How many phases are over.
  uint64_t phase = 0;
  /// Set up, and made visible by a sync.
  bool isSetUp = false, isVisible = false;
  /// Of the arrivals so far, and of the phases that are over.
  Visible arrived, complete;

  /// `'operands.full'[2]`
  std::string describe() const;
  bool isOver(uint64_t parity) const { return (phase & 1) != parity; }
  void completePhases();
};

/// A role of a CTA.
struct Participant {
  agent::RoleOp role;
  int64_t cta, warps;
  Visible visible;
  /// What the thread knows that the role has elected; the others do when all
  /// have synchronized.
  Visible elected;
  Clock tensor;
  std::array<unsigned, numActors> actors;
  /// Its threads' accesses up to the last fence.async; groups of bulk stores
  /// that are closed, and that have one; stores to tensor memory that are done.
  uint32_t fenced = 0, committed = 0, issued = 0, stored = 0;

  unsigned get(By by) const { return actors[static_cast<size_t>(by)]; }
};

/// What a cluster of a launch runs on.
class Protocol {
public:
  /// The CTAs of a cluster, the clusters of the launch, and the one that runs.
  int64_t ctas = 1, clusters = 1, cluster = 0;
  /// The next number of the atomic counter.
  int64_t nextTile = 0;
  /// Clusters that have not started.
  std::deque<int64_t> waiting;
  /// Columns of tensor memory of each CTA.
  std::vector<int64_t> columns;

  /// Forgets everything of the cluster before.
  void beginCluster(int64_t number);
  Participant join(agent::RoleOp role, int64_t cta);

  /// The next access of an actor.
  uint32_t count(unsigned actor) { return ++counts[actor]; }
  uint32_t getCount(unsigned actor) const { return counts[actor]; }

  /// Notes that the participant reads or writes there, or says why it may not
  /// yet. A bulk load's access is returned: its barrier tells of it.
  llvm::LogicalResult read(mlir::Operation *op, Participant &who, By by,
                           Guard &guard);
  llvm::FailureOr<Access> write(mlir::Operation *op, Participant &who, By by,
                                Guard &guard,
                                std::optional<int64_t> part = std::nullopt);
  /// What an arrival of the role's threads takes along.
  Visible publish(const Participant &who) const;
  /// All threads of the role are here.
  void synchronize(Participant &who);

  /// Makes the memory of a tile that the operation has.
  Guard &addMemory(Guard guard, HostTensor tensor, mlir::Operation *op);
  Guard *find(mlir::Operation *slots, int64_t cta, int64_t index,
              int64_t value);
  /// Words of shared memory: messages, answers. Made when first used.
  Guard &getWords(mlir::Operation *slots, int64_t cta, int64_t at,
                  llvm::StringRef name);

  void addBarriers(agent::BarriersOp ring, int64_t cta);
  /// Barriers have numbers; an error at `op` if the ring has no such one.
  llvm::FailureOr<int64_t> findBarrier(mlir::Operation *op,
                                       agent::BarriersOp ring, int64_t cta,
                                       int64_t index);
  Barrier &getBarrier(int64_t number) { return barriers[number]; }
  std::deque<Barrier> &getBarriers() { return barriers; }
  llvm::LogicalResult arrive(mlir::Operation *op, Barrier &barrier,
                             int64_t times, const Visible &visible);

private:
  unsigned addActor(std::string name);
  /// The next access of one of the role's own actors.
  uint32_t countOf(Participant &who, By by);
  bool isOrdered(const Participant &who, By by, const Guard &guard,
                 const Access &other, bool otherWrote) const;
  llvm::LogicalResult report(mlir::Operation *op, const Participant &who, By by,
                             const Guard &guard, const Access &other,
                             bool writes, bool otherWrote) const;

  std::vector<uint32_t> counts;
  /// `threads of @epilogue`
  std::vector<std::string> names;
  std::deque<Guard> guards;
  std::map<std::array<int64_t, 4>, Guard *> places;
  std::deque<Barrier> barriers;
  std::map<std::pair<mlir::Operation *, int64_t>, int64_t> rings;
};

/// The role that runs; an error at `op` outside all of them.
llvm::FailureOr<Participant *> getParticipant(mlir::Operation *op,
                                              Evaluator &eval);

/// The bytes of a tile, packed.
int64_t countBytes(const HostTensor &tensor);

/// Runs a kernel whose work tiles are numbers: each cluster of the launch after
/// the other, its CTAs together; each CTA after the other as long as there are
/// pipes.
llvm::LogicalResult runClusters(tile::KernelOp kernel, Evaluator &eval);
bool isLowered(tile::KernelOp kernel);

} // namespace drawloom::interp

#endif // DRAWLOOM_LIB_INTERPRETER_PROTOCOL_H
