//===- SharedShadow.h - Who touched shared memory last ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each word of shared memory: the last writes of its bytes, and the reads
// since. An access is compared with those of other threads. A write then takes
// the place of what it covers: what it is ordered behind is known to whoever
// knows the write, and what it races with has been found.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_SHAREDSHADOW_H
#define DRAWLOOM_CHECKER_SHAREDSHADOW_H

#include "Clock.h"
#include "drawloom/Emulator/Events.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace drawloom::checker {

/// An access of one lane to bytes of shared memory.
struct SharedAccess {
  uint64_t address = 0;
  uint32_t bytes = 0;
  uint32_t instruction = 0;
  uint32_t warp = 0; ///< As clocks number it.
  uint32_t time = 0; ///< Of the warp.
  /// Which instruction of the warp it was; lanes of one don't race.
  uint64_t serial = 0;
  uint8_t lane = 0;
  bool writes = false;
  emu::Scope scope = emu::Scope::None; ///< None if it is weak.
};

class SharedShadow {
public:
  using OnRace = llvm::function_ref<void(
      const SharedAccess &before, const SharedAccess &now, uint64_t address)>;

  /// The access comes, of a thread that knows `clock`.
  void touch(const SharedAccess &access, const Clock &clock, OnRace onRace);

private:
  static constexpr unsigned wordBytes = 4;
  struct Record {
    SharedAccess access;
    uint8_t bytes; ///< Of the word, a bit for each.
  };
  llvm::DenseMap<uint64_t, llvm::SmallVector<Record, 2>> words;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_SHAREDSHADOW_H
