//===- Events.h - What a run tells ------------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The events of a cluster, in the order in which things take effect. They say
// what an instruction promises, not what the emulator does about it: memory is
// coherent here, so a fence changes nothing, and yet it is reported.
//
// Work of an engine is an *operation* with an id. It is issued, touches memory
// and completes:
//
//   cp.async.bulk      operation Issue     id 7, mbarrier 0x..408
//                      access Read         id 7, 4096 bytes of global memory
//                      access Write        id 7, 4096 bytes of shared memory
//                      mbarrier Complete   id 7, 4096 bytes in phase 0
//                      mbarrier PhaseEnd   id 7, phase 0
//                      operation Complete  id 7
//
// Shared addresses have the rank of their CTA (AddressMap.h); which cluster it
// is, a ClusterListener knows. References in an event hold during the call.
//
// docs/Emulator.md says which event carries which rule of the memory model.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_EVENTS_H
#define DRAWLOOM_EMULATOR_EVENTS_H

#include "drawloom/Emulator/Launch.h"
#include "drawloom/Emulator/TensorMap.h"
#include "llvm/ADT/ArrayRef.h"

namespace drawloom::emu {

/// Which instruction of which threads of the cluster an event comes from. Of an
/// operation: those that issued it, whichever unit does the work.
struct Origin {
  uint32_t instruction = 0; ///< Kernel::place says where it stands.
  uint16_t rank = 0;        ///< Of the CTA in its cluster.
  uint16_t warp = 0;        ///< In the CTA.
  uint32_t lanes = 0;

  bool operator==(const Origin &) const = default;
};

/// What an access, a fence or a barrier promises. Defaults of the ISA are
/// filled in: `atom` is relaxed at the scope of the GPU, `.volatile` relaxed at
/// that of the system, `mbarrier.arrive` a release at that of the CTA.
enum class Order : uint8_t {
  Weak,
  Relaxed,
  Acquire,
  Release,
  AcquireRelease,
  SequentiallyConsistent,
};
/// None for what is weak.
enum class Scope : uint8_t { None, Cta, Cluster, Gpu, System };

/// Who touches memory, as far as ordering is concerned.
enum class Proxy : uint8_t {
  Generic,
  Async,     ///< Bulk copies, operands of wgmma and tcgen05 in shared memory.
  TensorMap, ///< Tensor maps as an engine reads them.
  Tensor,    ///< Tensor memory.
};

enum class AccessKind : uint8_t {
  Read,
  Write,
  Atomic, ///< Reads and writes, and the thread gets what was there.
  /// The same, and it gets nothing: red, reductions of copies, and MMAs that
  /// add to an accumulator in tensor memory.
  Reduce,
};

/// `count` pieces of `bytes`, each `pitch` behind the one before it.
struct MemoryRange {
  uint64_t address = 0; ///< Generic, of the first piece.
  uint32_t bytes = 0;
  uint32_t count = 1;
  int64_t pitch = 0;
  /// The lanes that touch the pieces, or have an engine do it: the lowest one
  /// the first piece, and so on. 0 if it is all lanes of the origin together.
  uint32_t lanes = 0;

  bool operator==(const MemoryRange &) const = default;
};

/// Words of the tensor memory of one CTA's SM.
struct TensorRange {
  uint16_t rank = 0; ///< Of the CTA.
  uint16_t lane = 0, lanes = 0;
  uint16_t column = 0, columns = 0;

  bool operator==(const TensorRange &) const = default;
};

/// Memory is touched. By a warp: when the instruction is executed. By an
/// operation: when it takes effect. tcgen05.ld and .st are reported when they
/// are executed; they may take effect as late as the wait that a GroupEvent
/// tells.
struct AccessEvent {
  Origin origin = {};
  uint64_t operation = 0; ///< 0 for the warp itself.
  AccessKind kind = AccessKind::Read;
  Proxy proxy = Proxy::Generic;
  /// As it is written; Generic for generic addresses, and for engines.
  ptx::StateSpace space = ptx::StateSpace::Generic;
  Order order = Order::Weak;
  Scope scope = Scope::None;
  bool nonCoherent = false; ///< ld.global.nc
  /// In a compare-and-swap, the lanes that find another value and don't write.
  uint32_t failed = 0;
  /// Of a store, or a copy to global memory: the lanes that write what is there
  /// already. Of an operation: all or none.
  uint32_t unchanged = 0;
  /// Of a store: the lanes whose value isn't there afterwards, since another
  /// lane has stored a different one to the same bytes.
  uint32_t lost = 0;
  /// For each lane, the bytes of its piece without a defined value: bit n is
  /// byte n. Of a store: null if all have one. Of a load: null, or the place
  /// where the listener marks what nothing has written.
  uint32_t *undefined = nullptr;
  /// Of the accumulator of a tcgen05.mma, when it is written: M and N.
  uint16_t rows = 0, columns = 0;
  llvm::ArrayRef<MemoryRange> ranges = {};
  llvm::ArrayRef<TensorRange> tensor = {}; ///< In place of ranges, if Tensor.
};

/// Work of an engine.
struct OperationEvent {
  enum Kind : uint8_t {
    Issue,
    /// A copy to global memory has read its source and its tensor map, which
    /// is what wait_group.read waits for.
    SourceRead,
    Complete,
  };
  /// Lanes that ask for the same tensor store may be one operation. The four
  /// warps of a warpgroup each tell the issue of one wgmma, which is one
  /// operation of all of them.
  Origin origin = {};
  uint64_t operation = 0; ///< From 1 on; no two of a cluster have the same.
  Kind kind = Issue;
  EngineKind engine = EngineKind::Copy;
  /// At its issue: the mbarriers where it will complete bytes or arrive, one
  /// for each destination of a multicast, or one for each lane.
  llvm::ArrayRef<uint64_t> barriers = {};
  /// At its issue: the group that it joins, for each lane, at its index. Empty
  /// if it is in none.
  llvm::ArrayRef<uint32_t> groups = {};
};

/// Groups of operations: of a thread, or of a warpgroup (wgmma).
struct GroupEvent {
  enum Kind : uint8_t {
    Commit,
    Wait, ///< It is over: the lanes go on.
  };
  enum Family : uint8_t {
    Copies, ///< cp.async
    Bulk,
    Wgmma,
    TensorLoads,  ///< tcgen05.wait::ld, for loads of the warp
    TensorStores, ///< tcgen05.wait::st
  };
  Origin origin = {};
  Kind kind = Commit;
  Family family = Copies;
  bool onlyRead = false; ///< Of a wait: .read
  /// For each lane, at its index. Of a commit: the group that it closes. Of a
  /// wait: the first group that may be in flight; those before it are done.
  /// Empty for tensor memory, which has no groups.
  llvm::ArrayRef<uint32_t> groups = {};
};

/// Something is done to an mbarrier.
struct MbarrierEvent {
  enum Kind : uint8_t {
    Init,
    Invalidate,
    ExpectArrival, ///< One more: cp.async.mbarrier.arrive without .noinc
    ExpectBytes,
    CompleteBytes,
    Arrive,
    Wait,     ///< test_wait or try_wait was answered.
    PhaseEnd, ///< What was reported just before it has ended a phase.
  };
  Origin origin = {};
  uint64_t operation = 0; ///< 0 for the warp itself.
  Kind kind = Init;
  uint64_t address = 0;
  uint32_t count = 0; ///< Of arrivals or bytes.
  /// The phase under way before the event, the first one being 0. Of a wait:
  /// that which it is for, -1 for the one before the first, which counts as
  /// over. Of PhaseEnd: that which has ended.
  int64_t phase = 0;
  Order order = Order::Weak;
  Scope scope = Scope::None;
  bool drops = false;   ///< Of an arrival: arrive_drop
  bool success = false; ///< Of a wait: its result is true.
  bool byParity = false;
  uint32_t parity = 0; ///< As it was given.
};

/// Lanes wait for a phase of an mbarrier that hasn't ended: try_wait suspends
/// them. Reported again if they are woken too early; the Wait follows that
/// answers.
struct SuspendEvent {
  Origin origin = {};
  uint64_t address = 0;
};

/// A barrier of a warp, a CTA or a cluster.
struct BarrierEvent {
  enum Kind : uint8_t {
    Arrive,
    Complete, ///< All are there. Its origin came last, or exited.
    Wait,     ///< Lanes that waited go on.
  };
  enum Level : uint8_t { Warp, Cta, Cluster };
  /// Lanes that take part in a round of a CTA's barrier.
  struct Participant {
    uint16_t warp;
    uint32_t lanes;
    bool operator==(const Participant &) const = default;
  };
  Origin origin = {};
  Kind kind = Arrive;
  Level level = Cta;
  uint8_t number = 0; ///< 0 to 15, of a CTA's.
  bool waits = false; ///< Of an arrival: bar.sync and bar.red, not bar.arrive.
  /// How often the barrier was complete before. Lanes that arrive while others
  /// of their warp are elsewhere may turn out to be of the next one.
  uint64_t generation = 0;
  /// Of an arrival: of how many threads the barrier is; 0 for all.
  uint32_t threads = 0;
  /// Release and acquire, or relaxed: it orders execution and no memory. Of a
  /// warp: AcquireRelease for bar.warp.sync, Relaxed for elect, shfl, vote,
  /// match and redux; its lanes synchronize in one event, Complete.
  Order order = Order::AcquireRelease;
  /// Of shfl: the lanes that read from one that isn't there; of these, those
  /// whose member mask names it, so that it has exited.
  uint32_t absent = 0, exited = 0;
  /// Of Complete at a CTA's barrier. At a cluster's, it is every thread that
  /// hasn't exited.
  llvm::ArrayRef<Participant> participants = {};
};

struct FenceEvent {
  enum Kind : uint8_t {
    Memory, ///< fence, membar
    MbarrierInit,
    ProxyAsync,
    ProxyAlias,
    ProxyTensorMap,
    Wgmma,        ///< wgmma.fence
    TensorBefore, ///< tcgen05.fence::before_thread_sync
    TensorAfter,  ///< tcgen05.fence::after_thread_sync
  };
  Origin origin = {};
  Kind kind = Memory;
  Order order = Order::Weak; ///< Weak if it has none.
  Scope scope = Scope::None;
  /// What a fence of the async proxy, or one with .sync_restrict, is about:
  /// Global, SharedCta or SharedCluster; Generic for all.
  ptx::StateSpace space = ptx::StateSpace::Generic;
  /// The tensor maps of an acquire.
  llvm::ArrayRef<MemoryRange> ranges = {};
};

/// Columns of tensor memory.
struct AllocationEvent {
  enum Kind : uint8_t { Allocate, Free, Relinquish };
  /// Of a pair (cta_group::2), each CTA tells its own.
  Origin origin = {};
  Kind kind = Allocate;
  uint16_t column = 0, columns = 0;
};

/// malloc and free of a kernel: a block.
struct HeapEvent {
  enum Kind : uint8_t { Allocate, Free };
  Origin origin = {};
  Kind kind = Allocate;
  uint64_t address = 0;
  uint64_t bytes = 0; ///< Of Allocate.
};

/// griddepcontrol
struct DependencyEvent {
  enum Kind : uint8_t {
    LaunchDependents,
    Wait, ///< It is over: all launches before this one have ended.
  };
  Origin origin = {};
  Kind kind = Wait;
};

/// Local memory. Addresses are those that the threads use: two lanes mean
/// different bytes by the same one.
struct LocalEvent {
  enum Kind : uint8_t {
    /// Memory that holds nothing yet: `.local` variables when lanes start or a
    /// function is called, and alloca.
    Allocate,
    Read,
    Write,
  };
  Origin origin = {};
  Kind kind = Read;
  uint32_t *undefined = nullptr; ///< As in AccessEvent.
  llvm::ArrayRef<MemoryRange> ranges = {};
};

/// An undefined value is used: what a load found that nothing had written, or a
/// shuffle in a lane that takes no part, and what was computed from it.
struct UndefinedEvent {
  enum Use : uint8_t {
    Store, ///< To global memory, or by an atomic.
    Address,
    Branch,  ///< Or the guard of an instruction that is no computation.
    Operand, ///< Of an MMA.
  };
  Origin origin = {};
  Use use = Store;
  uint32_t source = 0; ///< The instruction that it comes from.
};

/// A copy, or the prefetch of one, uses a tensor map.
struct TensorMapEvent {
  Origin origin = {};
  const TensorMap *map = nullptr;
  /// The allocation that the tensor begins in; both 0 if it is in none.
  uint64_t allocation = 0, allocationEnd = 0;
};

/// Lanes take the answer of clusterlaunchcontrol.try_cancel apart.
struct AnswerEvent {
  Origin origin = {};
  bool isCanceled = false; ///< There is a cluster.
  Dim3 firstCta = {};      ///< Its first CTA, if there is one.
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_EVENTS_H
