//===- Interrupt.h - Ctrl-C while a run lasts -------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While one of these lives, SIGINT is noted and does nothing else, so that a
// run can end with a report of where every warp stands. After it, the signal is
// raised again, for the handler that was there before; a second one ends the
// process at once. Only one run at a time has one.
//
//   Interrupt interrupt;
//   options.progress = [&](...) { return !interrupt.happened(); };
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_INTERRUPT_H
#define DRAWLOOM_EMULATOR_INTERRUPT_H

#include <csignal>

namespace drawloom::emu {

class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

  bool happened() const;

private:
  struct sigaction before;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_INTERRUPT_H
