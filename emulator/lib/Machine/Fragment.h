//===- Fragment.h - Lanes that are at one place -----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp is a set of fragments: lanes that stand at one instruction with one
// call stack. Every lane that hasn't exited is in exactly one fragment. A
// branch that some lanes take splits a fragment; fragments that come to the
// same place merge. It is fragments that wait, not warps, so one lane can wait
// for what another lane of its warp will do.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_FRAGMENT_H
#define DRAWLOOM_EMULATOR_FRAGMENT_H

#include "drawloom/Emulator/Timing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/simple_ilist.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace drawloom::emu {

class Warp;
class WaitObject;
struct Inst;

/// The lists that a fragment can be in.
struct WaitList {};
struct SuspendedList {};

/// The registers of a function that a recursive call would overwrite.
struct SavedRegisters {
  std::vector<char> bytes;
};

struct CallFrame {
  /// The instruction that called.
  const Inst *call = nullptr;
  /// What the callee's registers held, if the call is recursive.
  std::shared_ptr<const SavedRegisters> saved;

  // Saved registers of lanes that split inside the callee are one object.
  bool operator==(const CallFrame &) const = default;
};

struct Fragment : llvm::ilist_node<Fragment, llvm::ilist_tag<WaitList>>,
                  llvm::ilist_node<Fragment, llvm::ilist_tag<SuspendedList>> {
  enum State : uint8_t { Ready, Waiting, Free };

  Warp *warp = nullptr;
  const Inst *pc = nullptr;
  uint32_t mask = 0;
  State state = Free;
  /// Waiting in a way that may be answered "not yet" (try_wait).
  bool suspended = false;
  /// Goes on behind the instruction that it waits at (WaitMode::Resume).
  bool resumes = false;
  /// It was answered so: the instruction that waited says false.
  bool answeredFalse = false;
  /// Has had its turn; others of its warp that are ready go first.
  bool yielded = false;
  uint32_t backwardBranches = 0;
  /// What it waits for, and a value for the object's own use.
  WaitObject *object = nullptr;
  uint64_t waitValue = 0;
  /// In a timed run: the cycle in which it may go on.
  uint64_t readyAt = 0;
  /// And what it has waited for until then, if it has.
  struct Waited {
    uint32_t instruction;
    WaitKind kind;
    uint32_t byte; ///< Of an mbarrier, in the shared memory of its CTA.
  };
  std::optional<Waited> waited;
  llvm::SmallVector<CallFrame, 2> calls;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_FRAGMENT_H
