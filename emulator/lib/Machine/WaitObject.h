//===- WaitObject.h - What a fragment can wait for --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers, pools and other things that make lanes wait derive from WaitObject.
// A waiting fragment costs nothing: it is in its object's list until the object
// wakes it. There are two ways to wait (Warp::wait):
//
//   Retry     the fragment stands at the instruction, which is executed again
//             when it is woken: for conditions that are simply tested again;
//   Resume    the instruction is done but for the waiting: the fragment goes on
//             with the next one when it is woken: for arrivals that count once.
//
// When nothing can move, the objects say what is waited for.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_WAITOBJECT_H
#define DRAWLOOM_EMULATOR_WAITOBJECT_H

#include "Machine/Fragment.h"
#include "drawloom/Emulator/Report.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace drawloom::emu {

class WaitObject {
public:
  WaitObject() = default;
  virtual ~WaitObject();
  WaitObject(const WaitObject &) = delete;
  WaitObject &operator=(const WaitObject &) = delete;

  /// What `waiter` waits for and what is missing, for a deadlock report:
  /// "barrier 1: 64 of 96 threads have arrived".
  virtual std::string describe(const Fragment &waiter) const = 0;

  /// Whether some of what completes it has come and the rest hasn't: with a
  /// wrong count it never does. A deadlock report begins with these; who waits
  /// for what no thread has arrived at is a victim.
  virtual bool isPartlyComplete() const { return false; }

  /// The kind of a deadlock in which this is what the first lanes wait for.
  virtual ReportKind deadlockKind() const { return ReportKind::Deadlock; }

  virtual WaitKind waitKind() const { return WaitKind::Other; }

  bool hasWaiters() const { return !waiters.empty(); }
  /// Makes all waiting fragments ready.
  void wakeAll();
  /// Makes those ready for which `wanted` is true.
  void wakeIf(llvm::function_ref<bool(const Fragment &)> wanted);
  void wake(Fragment &fragment);

private:
  friend class Warp;
  llvm::simple_ilist<Fragment, llvm::ilist_tag<WaitList>> waiters;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_WAITOBJECT_H
