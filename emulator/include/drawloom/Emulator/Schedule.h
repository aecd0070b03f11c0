//===- Schedule.h - Schedules as text -------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a person names a schedule, in a file, an option or the environment:
//
//   deterministic       warps in turn, asynchronous work as soon as possible
//   random:SEED         drawn from a seed; the same seed is the same run
//   adversarial         asynchronous work as late as possible, newest first
//   adversarial:KIND    only work of that kind is late: copy, bulk, tensor,
//                       mma, commit, remote-store or launch-control
//
// Any text that is printed is one that can be parsed.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_SCHEDULE_H
#define DRAWLOOM_EMULATOR_SCHEDULE_H

#include "drawloom/Emulator/Launch.h"
#include "llvm/Support/Error.h"

namespace drawloom::emu {

llvm::StringRef spelling(EngineKind kind);

/// Fills in policy, seed and delayed. An error says what can be written.
llvm::Error parseSchedule(llvm::StringRef text, RunOptions &options);

std::string printSchedule(const RunOptions &options);

/// So many random ones and every adversarial one, by their names.
std::vector<std::string> listSchedules(unsigned seeds);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_SCHEDULE_H
