//===- Warp.h - Thirty-two lanes --------------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp is a register file and a list of fragments, one of which runs. The run
// loop calls an instruction's handler and goes on with what it returns, until
// the turn is over or the handler says that the fragment can't go on.
//
// Which fragment runs: the one with the deepest call stack, and among those the
// one at the lowest instruction. In code whose blocks stand in the order of the
// program this brings lanes together again where their paths meet. A fragment
// that has branched backward many times while others were ready lets them go
// first once, so no lane waits forever for another that spins.
//
// Handlers get the warp, the instruction and the lanes that execute it. The
// functions below are what they may use.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_WARP_H
#define DRAWLOOM_EMULATOR_WARP_H

#include "Decode/Program.h"
#include "Machine/AlignedMemory.h"
#include "Machine/Extension.h"
#include "Machine/Fragment.h"
#include "Machine/WaitObject.h"
#include "drawloom/Emulator/AddressMap.h"
#include "llvm/ADT/Twine.h"
#include <array>
#include <memory>
#include <vector>

namespace drawloom::emu {

class ClusterListener;
class Clock;
class CTA;
class Machine;
class UndefinedValues;
struct IssuePoint;
struct WarpClock;

/// What a call passes and takes, for Inst::extra of the call.
struct CallInfo {
  llvm::ArrayRef<Argument> results, arguments;
  const ProgramFunction *callee = nullptr; ///< Null for an indirect call.
  Reg pointer = 0;                         ///< Of an indirect call.
};

/// The bytes [begin, end) of a lane's local memory, of one call: its .param and
/// .local variables and what alloca gave it.
struct LocalFrame {
  uint32_t begin = 0, end = 0;
  /// Whether it has the bytes [offset, offset + bytes).
  bool holds(uint64_t offset, uint64_t bytes) const {
    return offset >= begin && offset <= end && bytes <= end - offset;
  }
};

enum class WaitMode : uint8_t { Retry, Resume };

/// Lanes that wait for others of their warp to come to the same instruction.
class Rendezvous : public WaitObject {
public:
  std::string describe(const Fragment &waiter) const override;
  ReportKind deadlockKind() const override { return ReportKind::Divergence; }
};

class Warp {
public:
  /// `registers` holds the program's image.
  Warp(CTA &cta, uint32_t index, uint32_t threads, AlignedMemory registers);
  ~Warp();
  Warp(const Warp &) = delete;
  Warp &operator=(const Warp &) = delete;

  //===--------------------------------------------------------------------===//
  // The register file
  //===--------------------------------------------------------------------===//

  /// The 32 lanes of a register. T has 4, 8 or 16 bytes, as the register has.
  template <typename T>
  T *lanes(Reg reg) {
    return reinterpret_cast<T *>(registers + reg);
  }
  /// A predicate as it is stored: for writing, and for reading destinations.
  uint32_t &predicate(Reg reg) {
    return *reinterpret_cast<uint32_t *>(registers + reg);
  }
  /// The value of a source predicate (Decoder::predicate) for all lanes.
  uint32_t test(Reg reg) const {
    return *reinterpret_cast<const uint32_t *>(registers + (reg & ~3u)) ^
           -(reg & 1u);
  }
  void setPredicate(Reg reg, uint32_t value, uint32_t mask) {
    uint32_t &word = predicate(reg);
    word = (word & ~mask) | (value & mask);
  }

  //===--------------------------------------------------------------------===//
  // Where the warp is
  //===--------------------------------------------------------------------===//

  CTA &cta() { return ctaField; }
  Machine &machine() { return machineField; }
  const Program &program() const { return programField; }
  uint32_t index() const { return indexField; }
  /// Lanes that exist and haven't exited.
  uint32_t live() const { return liveField; }
  /// The lanes of the fragment that runs; a handler's mask is part of it.
  uint32_t active() const { return activeField; }
  Fragment &current() { return *currentField; }
  /// That of the cluster; may be null.
  ClusterListener *listener() const { return listenerField; }
  /// What has no defined value; null without a listener, or if all have one.
  UndefinedValues *undefined() { return undefinedField.get(); }
  /// From now on there may be such values.
  UndefinedValues &followUndefined();
  IssuePoint issuePoint(const Inst *inst, uint32_t mask);
  /// The same for work of an engine, which listeners know by a number.
  IssuePoint newOperation(const Inst *inst, uint32_t mask);
  /// The generic address at which a lane's local memory begins.
  uint64_t localAddress(unsigned lane) const {
    return localBase + (uint64_t(lane) << localThreadShift);
  }
  char *localMemory(); ///< 32 times localWindowSize bytes; lane by lane.
  /// The frames of a lane that runs: that of its function first, that of the
  /// kernel last.
  llvm::SmallVector<LocalFrame, 4> localFrames(unsigned lane);
  /// The first of these, if it is the same for all lanes; empty otherwise.
  LocalFrame commonFrame();

  //===--------------------------------------------------------------------===//
  // What a handler may return
  //===--------------------------------------------------------------------===//

  /// Ends the launch. `mask` are the lanes to blame.
  const Inst *fail(const Inst *inst, uint32_t mask, ReportKind kind,
                   const llvm::Twine &message);
  /// Lanes `mask` wait for `object`; the others go on behind `inst`.
  const Inst *wait(const Inst *inst, uint32_t mask, WaitObject &object,
                   WaitMode mode, uint64_t value = 0);
  /// The same as wait with Retry, but when nothing else in the emulator can
  /// move, the instruction is executed again and `answeredFalse` is true.
  const Inst *suspend(const Inst *inst, uint32_t mask, WaitObject &object,
                      uint64_t value = 0);
  /// Whether the instruction was suspended and is now to answer false. Clears
  /// it.
  bool answeredFalse() {
    bool answered = currentField->answeredFalse;
    currentField->answeredFalse = false;
    return answered;
  }
  /// Ends the turn: `inst` is executed when no other cluster runs.
  const Inst *park(const Inst *inst);
  /// Ends the turn: the fragment goes on with `next` after others have run.
  const Inst *yield(const Inst *next);
  /// Lanes `mask` go to `target`, the others on behind `inst`.
  const Inst *branch(const Inst *inst, uint32_t mask, const Inst *target);
  /// Lanes `mask` execute `inst` later, on their own; the handler goes on with
  /// the others.
  void setAside(const Inst *inst, uint32_t mask) {
    split(mask).pc = inst;
    leaveLoop();
  }
  /// Lanes `mask` are done.
  const Inst *exit(const Inst *inst, uint32_t mask);
  /// Lanes `mask` call a function with these arguments; its results go where
  /// `inst` says when they return (CallInfo).
  const Inst *call(const Inst *inst, uint32_t mask,
                   const ProgramFunction &callee);
  /// Lanes `mask` return from the function that they are in, or exit.
  const Inst *ret(const Inst *inst, uint32_t mask);

  /// Brings lanes together. Of the lanes `mask` that execute `inst`, those
  /// whose `members` (one word for each lane) have all arrived go on now: they
  /// are returned, together with lanes that had been waiting here. The rest
  /// wait; if no lane is left, 0 is returned and `next` is what the handler
  /// returns. Lanes that have exited need not arrive.
  uint32_t converge(const Inst *inst, uint32_t mask, const uint32_t *members,
                    const Inst *&next);
  /// Whether lanes wait in `converge`.
  bool hasConverging() const { return !rendezvous.waiters.empty(); }
  /// Calls `callback(inst, lanes)` for lanes that wait in `converge`, with the
  /// instruction that they are at.
  template <typename F>
  void forEachConverging(F callback) const {
    for (const std::unique_ptr<Fragment> &fragment : fragments)
      if (fragment->state == Fragment::Waiting &&
          fragment->object == &rendezvous)
        callback(fragment->pc, fragment->mask);
  }
  /// Lanes that wait in `converge` go on behind their instructions.
  void passConverging(uint32_t lanes);
  /// The same for an .aligned instruction: all lanes of the warp.
  uint32_t convergeAll(const Inst *inst, uint32_t mask, const Inst *&next);

  //===--------------------------------------------------------------------===//
  // For Machine
  //===--------------------------------------------------------------------===//

  /// Runs until `budget` instructions are executed or nothing is ready.
  /// Returns how many were.
  uint64_t run(uint64_t budget);
  /// The same in a timed run: until an event isn't the earliest thing that
  /// could happen anywhere (Execute/RunTimed.cpp).
  uint64_t runTimed(Clock &clock);
  /// It starts in that cycle.
  void startClock(Clock &clock, uint64_t time);
  /// The cycle in which a fragment that is ready goes on.
  uint64_t nextTime() const;
  /// Whether it ended its turn in `park`. Forgets it.
  bool unpark() { return std::exchange(parked, false); }
  bool hasReady() const;
  /// Ends the turn, if it is this warp's, behind the instruction at hand.
  void endTurn() {
    turnOver = true;
    leaveLoop();
  }
  /// Takes a fragment off what it waits for.
  void wake(Fragment &fragment);
  /// For every fragment that is not free.
  template <typename F>
  void forEachFragment(F callback) {
    for (std::unique_ptr<Fragment> &fragment : fragments)
      if (fragment->state != Fragment::Free)
        callback(*fragment);
  }

  /// For another warp, when this one has ended.
  AlignedMemory takeRegisters() { return std::move(registerFile); }

  /// Whether the warp is among those that are ready.
  bool queued = false;
  ExtensionSet extensions;

private:
  Fragment &newFragment();
  void release(Fragment &fragment);
  /// Moves lanes `mask` of the current fragment to one of their own.
  Fragment &split(uint32_t mask);
  bool pick();
  /// What `wake` does in a timed run: the fragment is ready when it has
  /// noticed.
  void wakeTimed(Fragment &fragment);
  /// The run loop while there are undefined values.
  const Inst *runFollowing(const Inst *pc, uint64_t &left);
  void leaveLoop() { stop = nullptr; }
  void setRegisters();
  /// Copies what a call passes. `fromRegisters` is the register file that is
  /// read, or what was kept of it.
  void copyArguments(uint32_t mask, llvm::ArrayRef<Argument> from,
                     const char *fromRegisters, const uint32_t *fromFrames,
                     llvm::ArrayRef<Argument> to, const uint32_t *toFrames);
  std::shared_ptr<const SavedRegisters>
  save(const ProgramFunction &function) const;
  void restore(const ProgramFunction &function, const SavedRegisters &saved,
               uint32_t mask);
  /// Tells the listener, which is there, that lanes get frames for a function.
  void tellFrame(const Inst *inst, uint32_t mask,
                 const ProgramFunction &function, const uint32_t *frames);

  char *registers; ///< In registerFile.
  uint32_t activeField = 0;
  uint32_t liveField = 0;
  /// The run loop ends at this instruction or a later one: another fragment
  /// stands there.
  const Inst *stop = nullptr;
  Fragment *currentField = nullptr;
  bool turnOver = false;
  bool parked = false;

  CTA &ctaField;
  Machine &machineField;
  const Program &programField;
  ClusterListener *listenerField;
  uint32_t indexField;
  const uint64_t localBase; ///< Of lane 0.
  AlignedMemory registerFile;
  const Inst *const codeEnd; ///< Behind the last instruction.
  char *local = nullptr;
  /// Where the frame of a lane's caller begins and ends, by the depth of the
  /// call. Lanes of one fragment may have frames of different sizes.
  struct Link {
    uint32_t frame, end;
  };
  std::vector<std::array<Link, 32>> links;
  llvm::SmallVector<std::unique_ptr<Fragment>, 2> fragments;
  Rendezvous rendezvous;
  std::unique_ptr<UndefinedValues> undefinedField;
  std::unique_ptr<WarpClock> timeField; ///< Of a timed run.
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_WARP_H
