//===- WalkImplementation.h - The inside a walk ------------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// WalkPrepare.cpp finds what has to be followed, Walk.cpp decides where a path
// goes, WalkExecute.cpp what an instruction does to a state, and WalkEvents.cpp
// what the monitor observes of it.

#ifndef DRAWLOOM_PROTOCOL_WALKIMPLEMENTATION_H
#define DRAWLOOM_PROTOCOL_WALKIMPLEMENTATION_H

#include "Decisions.h"
#include "SharedLayout.h"
#include "drawloom/Protocol/Walk.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace drawloom::protocol {

struct State {
  uint32_t pc = 0;
  uint32_t mask = ~0u;
  std::vector<Value> registers;
  std::unique_ptr<Monitor> monitor;
  /// Lanes that have stepped over something, `mask` among them, and where these
  /// are again. No lanes: nothing is stepped over.
  uint32_t joining = 0, joinsAt = 0;

  State clone() const {
    return {pc, mask, registers, monitor->clone(), joining, joinsAt};
  }
  /// The lanes that go this way.
  uint32_t path() const { return joining ? joining : mask; }
};

struct Access {
  llvm::SmallVector<uint32_t, 4> reads, writes;
};

/// The registers that an instruction reads and writes, its guard included.
Access getAccess(const ptx::Instruction &instruction);

/// Whether a monitor observes it; it observes waits, too.
bool isEvent(ptx::Opcode opcode);
bool isWait(ptx::Opcode opcode);
/// Whether it is `bar.sync` or one of its other names.
bool isCtaBarrier(ptx::Opcode opcode);
bool jumps(ptx::Opcode opcode);
/// Whether a path ends with it.
bool leaves(ptx::Opcode opcode);
/// Whether it is about the path, so that its guard is.
bool decidesPath(ptx::Opcode opcode);
/// Whether it comes to a barrier of the CTA, and whether it waits there.
bool isNamedBarrier(ptx::Opcode opcode);
bool isNamedArrival(ptx::Opcode opcode);
/// Whether it is reported if the order is.
bool isOrder(ptx::Opcode opcode);
/// Whether it loads a byte of shared memory, which warps may have stored.
bool mayReadStored(const ptx::Instruction &instruction);
/// The instructions that it may jump to.
llvm::SmallVector<uint32_t> getTargets(const ptx::Function &kernel,
                                       const ptx::Instruction &instruction);

/// Addresses of parameters, far away from everything else.
inline constexpr unsigned parameterShift = 40;

struct Walk::Implementation {
  Implementation(const ptx::Function &kernel, const WalkOptions &options)
      : kernel(kernel), options(options), layout(kernel, options.rank) {}

  llvm::Error prepare();
  llvm::Error run(unsigned warp, std::unique_ptr<Monitor> monitor);

  llvm::BitVector findUnknown() const;
  void findTracked();
  void findLive();
  void findMarks();
  void findOrder();
  bool isShort(uint32_t branch) const;
  /// Whether a monitor observes an instruction.
  bool isObserved(const ptx::Instruction &instruction) const;
  llvm::Error tellOrder(State &state, const ptx::Instruction &instruction,
                        uint32_t mask);
  llvm::Error tellTogether(State &state, const ptx::Instruction &instruction,
                           uint32_t mask);
  llvm::Error tellDecision(State &state, bool isTaken);
  /// Tells the monitor which state it is.
  bool isNew(const State &state);
  llvm::Error advance(State state);
  llvm::Expected<bool> step(State &state);
  llvm::Expected<uint32_t>
  part(State &state, const ptx::Instruction &instruction, Value guard);
  llvm::Expected<bool> pass(State &state, const ptx::Instruction &instruction,
                            uint32_t taken);
  llvm::Error mention(State &state, Event::Kind kind, int64_t count = 0);
  Value readGuard(const State &state, const ptx::Instruction &instruction);
  /// 1 in the lanes of a mask, 0 in others.
  Value lanesOf(uint32_t mask);
  bool jump(State &state, const ptx::Instruction &instruction, uint32_t taken);
  bool readStored(State &state, const ptx::Instruction &instruction);
  void noteStored(const State &state, const ptx::Instruction &instruction,
                  Value guard);
  llvm::Error tell(State &state, const ptx::Instruction &instruction,
                   uint32_t mask);
  class GroupEvent;
  llvm::Error tellGroup(State &state, const ptx::Instruction &instruction,
                        uint32_t mask);
  void assign(State &state, const ptx::Instruction &instruction, Value guard);
  void elect(State &state, const ptx::Instruction &instruction, Value guard);
  void shuffle(State &state, const ptx::Instruction &instruction, Value guard);
  bool move(State &state, const ptx::Instruction &instruction, Value guard);
  void write(State &state, const ptx::Operand &operand, Value value,
             Value guard);
  Value read(const State &state, const ptx::Operand &operand);
  Value readAddress(const State &state, const ptx::Operand &operand);
  Value readSpecial(const ptx::Operand &operand);
  Value loadParameter(const ptx::Operand &address, const ptx::Variant &variant);
  void assume(State &state, uint32_t predicate, bool value);
  void learnEqual(State &state, uint32_t predicate, bool value);
  llvm::Error fail(const ptx::Instruction &instruction,
                   const llvm::Twine &words) {
    return llvm::createStringError("line " + llvm::Twine(instruction.line) +
                                   ": " + words);
  }

  const ptx::Function &kernel;
  WalkOptions options;
  SharedLayout layout;
  ValueTable table;
  StoredBytes ownBytes;
  StoredBytes *stored = &ownBytes;
  std::set<uint32_t> givenUp;
  std::vector<Access> accesses;
  /// For each register, its place in a state, or -1.
  std::vector<int> place;
  std::vector<uint32_t> tracked;
  llvm::BitVector isLabel;
  std::vector<llvm::BitVector> live;
  /// By the number of their instruction.
  llvm::DenseMap<size_t, int64_t> marks;
  // If the order is reported: branches over something short, and instructions
  // for which lanes of a warp come together.
  llvm::BitVector stepsOver, together;

  // Of one run.
  unsigned warp = 0;
  /// The numbers of states, by the hashes of their keys.
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, unsigned> visited;
  std::vector<State> work;
  /// What each instruction has written.
  std::vector<std::set<Value>> values;
};

} // namespace drawloom::protocol

#endif // DRAWLOOM_PROTOCOL_WALKIMPLEMENTATION_H
