//===- Agents.h - Pipes, streams and roles of a run -------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a run remembers of an agent program: the ring of each pipe, the items of
// each stream, and how far each role of each CTA is.
//
// Each role of a switch runs on a thread of its own, because a role may have to
// wait inside nested regions, but one baton goes round: a role runs until it
// has to wait for a slot or a barrier and then returns the baton. So a run is
// sequential and can be repeated, and nothing here needs a lock. With a seed,
// the role that moves next is drawn at every wait.
//
// The invariant: pipes have one writer, so what a run computes does not depend
// on who moves next. If no role can move, none can in any other order either.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_INTERPRETER_AGENTS_H
#define DRAWLOOM_LIB_INTERPRETER_AGENTS_H

#include "Protocol.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <functional>
#include <random>
#include <semaphore>
#include <thread>

namespace drawloom::interp {

/// What a produce put into a slot, until every role that it is for has released
/// it.
struct Content {
  llvm::SmallVector<RuntimeValue> values;
  /// The number of the item that it belongs to, if it belongs to one.
  int64_t number = 0;
  /// Set in the message that ends a published stream.
  bool isEnd = false;
  /// Who still owns the slot: at first the producer, then the consumers.
  int64_t owners = 1;
};

/// The slots of a pipe.
class Ring {
public:
  explicit Ring(agent::PipeOp pipe);

  agent::PipeOp getPipe() const { return pipe; }

  /// Whether the next slot is empty, and owning it.
  bool hasEmpty() const;
  void acquire();
  /// Fills the slot that was acquired last.
  void fill(llvm::SmallVector<RuntimeValue> values, int64_t number,
            bool isEnd = false);

  /// How many slots were acquired, and how many the role has taken.
  uint64_t countAcquired() const { return acquired; }
  uint64_t countTaken(agent::RoleOp role) { return find(role).taken; }

  /// How many full slots there are for the role, and owning the next one.
  size_t countFull(agent::RoleOp role) const;
  std::shared_ptr<const Content> take(agent::RoleOp role);
  /// Releases what the role owns, but the newest `keep` slots.
  void release(agent::RoleOp role, size_t keep);

private:
  /// A role that consumes: what it is to take, what it owns, and which items'
  /// slots it sees (period and residue; none if it sees all of them).
  struct Consumer {
    agent::RoleOp role;
    llvm::SmallVector<std::pair<int64_t, int64_t>, 1> items;
    std::deque<std::shared_ptr<Content>> full, owned;
    uint64_t taken = 0;

    bool sees(int64_t number) const;
  };
  Consumer &find(agent::RoleOp role);

  agent::PipeOp pipe;
  size_t capacity;
  uint64_t acquired = 0;
  /// The contents of the slots that were ever filled, the oldest first.
  std::deque<std::shared_ptr<Content>> slots;
  llvm::SmallVector<Consumer, 2> consumers;
};

/// The items of an `agent.items`: item i is the one with the number `order[i]`,
/// and `first + i` in the log of accesses.
struct Stream {
  std::vector<int64_t> order;
  ItemId first;
};

/// The roles of one switch while they run.
class RoleRunner {
public:
  enum class Need { Empty, Full };

  /// The roles of that many CTAs.
  RoleRunner(agent::SwitchOp op, Evaluator &eval, int64_t ctas);

  /// Runs all roles to their end; an error if they cannot get there.
  llvm::LogicalResult run();

  /// For the role that has the baton. Returns when the ring has what `op`
  /// needs; fails if the run is given up.
  llvm::LogicalResult waitFor(mlir::Operation *op, Ring &ring, Need need);
  /// The same for what `isReady` says. `what` names it: "an empty
  /// slot".
  llvm::LogicalResult waitFor(mlir::Operation *op,
                              std::function<bool()> isReady,
                              std::function<std::string()> what);
  agent::RoleOp getRole() const { return roles[current].who.role; }
  Participant &getParticipant() { return roles[current].who; }
  /// The number of the item that the role works on.
  int64_t getNumber() const { return roles[current].number; }
  void setNumber(int64_t number) { roles[current].number = number; }

  /// Notes that a consume in `loop`, which is the role if it is in no loop, may
  /// have kept slots of the ring when it ended.
  void keptIn(mlir::Operation *loop, Ring &ring) { kept[loop].insert(&ring); }
  /// Leaving a loop, or the role, releases what was kept.
  void leave(mlir::Operation *loop);

private:
  struct Role {
    Participant who;
    std::thread thread;
    /// Released when the role is given the baton.
    std::binary_semaphore turn{0};
    bool hasEnded = false;
    int64_t number = 0;
    /// What it waits for; nothing before it starts.
    mlir::Operation *op = nullptr;
    std::function<bool()> isReady = nullptr;
    std::function<std::string()> what = nullptr;

    explicit Role(Participant who) : who(std::move(who)) {}
    bool canMove() const { return !hasEnded && (!isReady || isReady()); }
    /// `@mma`, and of which CTA if there are several.
    std::string name = "";
  };

  static constexpr size_t noRole = -1;

  void runRole(Role &role);
  void giveBaton(size_t index);
  /// The role to move next, or noRole.
  size_t choose();
  llvm::LogicalResult reportStuck();
  llvm::LogicalResult checkEmpty();
  llvm::LogicalResult checkEngines();

  agent::SwitchOp op;
  Evaluator &eval;
  std::deque<Role> roles;
  std::optional<std::mt19937_64> random;
  bool hasFailed = false;
  llvm::DenseMap<mlir::Operation *, llvm::SmallPtrSet<Ring *, 2>> kept;

  /// Who has the baton, and released when it comes back.
  size_t current = noRole;
  std::binary_semaphore returned{0};
};

/// How far apart the numbers are of work tiles that gather what the others
/// have: a cluster counts its first dimension first.
int64_t countBetween(mlir::Operation *op);

/// The CTAs of a launch.
int64_t countCtas(Evaluator &eval);

/// What an evaluator knows of an agent program.
struct AgentState {
  llvm::MapVector<mlir::Value, std::unique_ptr<Ring>> rings;
  llvm::DenseMap<mlir::Value, std::shared_ptr<const Stream>> streams;
  /// The switch that runs, if one does.
  RoleRunner *runner = nullptr;
  Protocol protocol;
};

} // namespace drawloom::interp

#endif // DRAWLOOM_LIB_INTERPRETER_AGENTS_H
