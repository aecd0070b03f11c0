//===- Handlers.h - Handlers of no family -----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the decoder puts into instructions beside the handlers of the families.
// It knows them by name only: Machine/Handlers.cpp has them.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_HANDLERS_H
#define DRAWLOOM_EMULATOR_HANDLERS_H

#include "Decode/Program.h"
#include "drawloom/Emulator/Report.h"

namespace drawloom::emu {

/// Of an instruction that communicates; its own is in Program::communicating.
Execute communicate;

/// Counts, and executes the instruction: see ExecutionCounts.
Execute counted;

/// Of the end of a function without a return.
Execute implicitReturn;

/// Of what the emulator doesn't execute; `extra` is a Rejection.
Execute rejected;
struct Rejection {
  ReportKind kind;
  llvm::StringRef message;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_HANDLERS_H
