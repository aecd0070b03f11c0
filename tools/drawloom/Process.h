//===- Process.h - How a command ends ----------------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A file that may not grow, or a disk that is full, is an error with a message
// and an exit code. A crash is our bug, and its message asks for a report.

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_PROCESS_H
#define DRAWLOOM_TOOLS_DRAWLOOM_PROCESS_H

namespace drawloom {

/// To be called first, after LLVM has set up its handlers.
void prepareProcess();

/// Writes out what is left of standard output. The exit code, or that of a
/// failure if that can't be written.
int finishOutput(int exitCode);

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_PROCESS_H
