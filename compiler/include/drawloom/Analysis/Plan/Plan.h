//===- Plan.h - Everything that was decided about a kernel ---- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The plan of a kernel: which warps do what, what travels between them and how
// it is synchronized, where everything is, and why. It is a plain structure
// without pointers into the IR, made from the agent IR alone, at any time: what
// the passes have not decided yet is left out of it. People read it through the
// printers (PrintPlan), the code generator and the tests as it is.
//
// Invariant: nothing here is decided here. Numbers that the IR doesn't say,
// such as the counts of barriers, follow from it (Engines.h, Footprint.h).

#ifndef DRAWLOOM_ANALYSIS_PLAN_PLAN_H
#define DRAWLOOM_ANALYSIS_PLAN_PLAN_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::agent {
class SwitchOp;
enum class Engine : uint32_t;
enum class Scope : uint32_t;
} // namespace drawloom::agent

namespace drawloom::plan {

using agent::Engine;
using agent::Scope;

/// One step of what a role does with its slots, in the order of its program.
struct Step {
  enum class Kind {
    /// The body, for each work tile.
    Items,
    /// The body, as often as `trips` says.
    Loop,
    /// Fills the next slot of `pipes.front()` around the body.
    Produce,
    /// Owns the next slot of each of `pipes` around the body.
    Consume,
    /// Operations on tiles: `work`.
    Work
  };

  Kind kind;
  /// Indices into the plan's pipes. For items: the pipe that they are taken
  /// from, or published to.
  std::vector<unsigned> pipes = {};
  bool publishes = false;
  /// The trip count, if it is known; else what is added to a number that all
  /// such loops share.
  std::optional<int64_t> trips = std::nullopt;
  int64_t offset = 0;
  int64_t lag = 0;
  /// Items: `from`, `from + every`, ...
  int64_t every = 1;
  int64_t from = 0;
  /// "load a", "load b", "mma", "add", "cast".
  std::vector<std::string> work = {};
  std::vector<Step> body = {};
};

/// What works for a role.
enum class Unit {
  CudaCores,
  CpAsync,
  Tma,
  Tcgen05,
  Wgmma,
  LaunchControl,
  AtomicCounter
};

/// "CUDA cores", "cp.async", "TMA", "tcgen05", "wgmma", "CLC", "atomic
/// counter".
llvm::StringRef toString(Unit unit);
/// "wgmma, CUDA cores".
std::string joinUnits(llvm::ArrayRef<Unit> units);

struct Role {
  enum class Kind { Load, Mma, Compute, Schedule };

  std::string name;
  Kind kind = Kind::Compute;
  int64_t warps = 1;
  /// The first warp, once placed.
  std::optional<int64_t> at;
  std::optional<int64_t> registers;
  Scope scope{};
  std::vector<Unit> units;
  /// "load a, b", "cast, add, cast, store d".
  std::string does;
  /// Columns of tensor memory for results that are in no pipe.
  int64_t column = 0;
  int64_t columns = 0;
  std::vector<unsigned> produces, consumes;
  std::vector<std::string> because;
  std::vector<Step> program;
};

/// What travels in a slot.
struct Tensor {
  /// The view that it is loaded from; else empty.
  std::string name;
  std::string type;
  /// In each CTA. Zero in tensor memory.
  int64_t bytes = 0;
  /// From the start of the slot, in bytes.
  int64_t offset = 0;
  /// The dimensions of the cluster along which CTAs share it.
  std::vector<int64_t> multicast = {};
  /// Each CTA of a pair holds a half.
  bool isHalved = false;
};

struct Consumer {
  unsigned role;
  Engine engine;
  /// Slots that it keeps when it goes on.
  int64_t lag = 0;
};

struct PlacedPipe {
  /// Bytes into shared memory, or the first column of tensor memory.
  int64_t start = 0;
  /// Where the full and empty barriers of the first slot are.
  int64_t full = 0;
  int64_t empty = 0;
  std::string reuses;
};

struct Pipe {
  enum class Memory { Shared, Tensor, Message };

  std::string name;
  int64_t slots = 1;
  Memory memory = Memory::Shared;
  Scope scope{};
  std::vector<Tensor> tensors;
  /// From one slot to the next, in each CTA: bytes, or columns of tensor
  /// memory.
  int64_t slotSize = 0;
  unsigned producer = 0;
  Engine producerEngine;
  std::vector<Consumer> consumers;
  int64_t fullArrivals = 0;
  int64_t fullBytes = 0;
  int64_t emptyArrivals = 0;
  /// The pipe whose full barriers stand for its empty ones, if it has none.
  std::string impliedBy;
  std::optional<PlacedPipe> place;
  std::vector<std::string> because;

  /// One role is on both sides: an output that is staged for a bulk store.
  bool isStaging() const;
  /// Whether its slots have mbarriers. Where one role fills a slot and TMA
  /// stores from it, a barrier of the role is enough.
  bool hasBarriers() const { return fullArrivals != 0; }
  bool hasEmptyBarriers() const { return emptyArrivals != 0; }
  /// The same in every CTA of a cluster: each gives what all get.
  bool isExchange() const { return hasOneRole() && !isStaging(); }

private:
  bool hasOneRole() const {
    return consumers.size() == 1 && consumers.front().role == producer;
  }
};

/// A piece of shared memory.
struct MemoryRange {
  std::string name;
  int64_t offset = 0;
  int64_t bytes = 0;
};

/// How a CTA gets its work tiles: it is one; every so many; at run time.
enum class Items { One, Static, Dynamic };

/// "one", "static", "dynamic".
llvm::StringRef toString(Items items);

/// What the proof of progress has said; unknown before it.
enum class Verdict { Unknown, Proved, ProvedIf, Deadlock, Undecided };

/// "unknown", "proved", "proved if", "deadlock", "undecided".
llvm::StringRef toString(Verdict verdict);

struct Plan {
  std::string kernel;
  /// Never null in a plan that makePlan has made.
  const target::Architecture *arch = nullptr;
  std::vector<int64_t> cluster;
  Items items = Items::One;
  std::vector<Role> roles;
  std::vector<Pipe> pipes;

  /// Warps of a CTA, and those without a role, once placed.
  std::optional<int64_t> warps;
  std::vector<int64_t> holes;
  std::optional<int64_t> entryRegisters;
  std::optional<int64_t> sharedBytes;
  std::optional<int64_t> tensorColumns;
  /// Shared memory from its start, once placed. Reused bytes appear twice.
  std::vector<MemoryRange> memory;

  Verdict verdict = Verdict::Unknown;
  /// The condition, or the construct that the proof has no word for.
  std::string verdictWords;
  /// Why the schedule is what it is.
  std::vector<std::string> reasons;

  int64_t clusterSize() const {
    int64_t size = 1;
    for (int64_t dimension : cluster)
      size *= dimension;
    return size;
  }
  int64_t countThreads() const;
};

/// Work as text: "load a, b, mma, cast, store d".
std::string joinWork(llvm::ArrayRef<std::string> work);

/// The plan of the roles in a verified switch. Fails, with an error at the
/// kernel, if it is for no architecture: then the engines are not known.
mlir::FailureOr<Plan> makePlan(agent::SwitchOp op);

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_PLAN_PLAN_H
