//===- Interrupt.cpp - Ctrl-C while a run lasts ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/Interrupt.h"

using namespace drawloom::emu;

/// A handler of signals reaches nothing else.
static volatile std::sig_atomic_t isInterrupted = 0;

Interrupt::Interrupt() {
  isInterrupted = 0;
  struct sigaction noted = {};
  noted.sa_handler = [](int) { isInterrupted = 1; };
  // The next one is handled as by default.
  noted.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &noted, &before);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &before, nullptr);
  if (happened())
    std::raise(SIGINT);
}

bool Interrupt::happened() const { return isInterrupted != 0; }
