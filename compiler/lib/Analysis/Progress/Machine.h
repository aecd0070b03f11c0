//===- Machine.h - Roles that move on slots -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of a network and its steps, at the level of slots. How often a loop
// runs is not decided here: the `Machine` asks, and a role whose question has
// no answer yet stands still, as one that waits does. So the same code runs a
// network at given sizes and at sizes that are decided on the way.
//
// Invariant: whatever the order in which roles are moved, a run that goes on as
// long as it can ends in the same state (docs/ProgressModel.md).
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_ANALYSIS_PROGRESS_MACHINE_H
#define DRAWLOOM_LIB_ANALYSIS_PROGRESS_MACHINE_H

#include "Code.h"
#include "drawloom/Analysis/Progress/Verdict.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace drawloom::progress {

/// A loop that a role is in.
struct Frame {
  unsigned loop;
  int64_t iteration;
};

/// Something that happens again and again, and that a role must know of so as
/// not to be early: a slot of a divided pipe becomes full, or a role arrives at
/// a loose barrier. Copies can overtake each other, so each slot counts for
/// itself.
struct Fact {
  enum class Kind { filled, arrived };
  Kind kind;
  /// The pipe or barrier.
  unsigned object;
  /// The slot, or the member of the barrier.
  unsigned part;
};

/// How often each fact has certainly happened: in every order of steps, and not
/// just in the one that this run takes.
using Knowledge = llvm::SmallVector<int64_t, 0>;

struct RoleState {
  unsigned pc = 0;
  llvm::SmallVector<Frame, 4> frames;
  Knowledge known;
};

/// A slot from the moment the producer owns it until all consumers that it is
/// for have released it. Consumers are bits.
struct SlotState {
  enum Fill : uint8_t { owned, full };
  Fill fill = owned;
  /// The bytes don't add up: it never becomes full.
  bool broken = false;
  bool asynchronous = false;
  uint16_t pending = 0;
  uint16_t taken = 0;
  /// What the roles that fill and release it know: a role that waits for them
  /// learns it.
  Knowledge filled, released;
};

struct PipeState {
  /// The slots in use, oldest first: never more than the pipe has.
  llvm::SmallVector<SlotState, 4> ring;
  /// Totals, for messages.
  int64_t produced = 0;
  llvm::SmallVector<int64_t, 2> consumed;
  /// What there is to learn from each free slot, oldest first.
  llvm::SmallVector<Knowledge, 0> free;
};

struct BarrierState {
  /// Arrivals of each member, in the order of Code::members.
  llvm::SmallVector<int64_t, 4> arrivals;
  /// What there is to learn from each phase, from the last complete one on.
  llvm::SmallVector<Knowledge, 0> phases;
  int64_t firstPhase = 0;
};

struct MachineState {
  std::vector<RoleState> roles;
  std::vector<PipeState> pipes;
  std::vector<BarrierState> barriers;
  std::vector<int64_t> pools;
};

/// Whether a role that has done `iteration` iterations of a loop does another
/// one; nothing if that is not known yet.
using AnotherIteration = llvm::function_ref<std::optional<bool>(
    const RoleState &role, unsigned loop, int64_t iteration)>;

/// Steps that a proof, or the runs of a grid, may take in all.
constexpr uint64_t stepLimit = 2'000'000;

class Machine {
public:
  enum class Outcome { moved, waits, asks, ended, early };

  /// `slots` has the number of slots of each pipe.
  Machine(const Code &code, std::vector<int64_t> slots);

  Outcome step(RoleId role, AnotherIteration another);

  /// Moves roles as long as one can move, and the steps are not used up.
  /// Returns false if a role was early.
  bool runOn(AnotherIteration another, uint64_t maxSteps);

  bool allEnded() const;
  /// A pipe with a slot in use.
  std::optional<PipeId> findUnconsumed() const;
  bool hasEnded(RoleId role) const { return instruction(role).op == Op::end; }
  const Instruction &instruction(RoleId role) const {
    return code.roles[role][state.roles[role].pc];
  }
  std::optional<int64_t> itemOf(RoleId role) const;
  int64_t memberIndex(BarrierId barrier, RoleId role) const;
  /// The number of phases of a barrier that are complete.
  int64_t completed(BarrierId barrier) const;
  /// How many times a fact may have happened beyond what is known, up to the
  /// number from which on more makes no difference.
  int64_t ageOf(size_t fact, const Knowledge &knowledge) const;
  /// The facts in an order that does not depend on how often the rings have
  /// gone round.
  llvm::SmallVector<size_t> orderedFacts() const;

  /// The event that a role waits for, or was early for.
  WaitingEvent describe(RoleId role) const;
  /// Every role that waits, and the chain of waits that explains it. To be
  /// called when no role can move.
  void explain(Failure &failure) const;

  const Code &code;
  std::vector<int64_t> slots;
  std::vector<Fact> facts;
  MachineState state;
  /// The role that was early.
  RoleId earlyRole = 0;
  /// How many steps it has made.
  uint64_t steps = 0;

private:
  Outcome stepLoop(RoleId role, const Instruction &instruction,
                   AnotherIteration another);
  bool ownEmpty(RoleId role, const Instruction &instruction);
  void fill(RoleId role, const Instruction &instruction);
  Outcome ownFull(RoleId role, const Instruction &instruction);
  void release(RoleId role, const Instruction &instruction);
  void reuse(PipeState &pipe);
  Outcome arrive(RoleId role, BarrierId barrier);
  bool wait(RoleId role, BarrierId barrier);
  /// The place of a fact in the list, or nothing if no role needs to know it.
  std::optional<size_t> findFact(Fact::Kind kind, unsigned object,
                                 unsigned part) const;
  void describePipe(const Instruction &instruction, WaitingEvent &event) const;
};

} // namespace drawloom::progress

#endif // DRAWLOOM_LIB_ANALYSIS_PROGRESS_MACHINE_H
