//===- Terminal.h - For people who look ----------------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What is shown only where a terminal looks: progress and colors. Files and
// other programs get neither.

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_TERMINAL_H
#define DRAWLOOM_TOOLS_DRAWLOOM_TERMINAL_H

#include "drawloom/Emulator/Ticker.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace drawloom {

/// While it lives longer than two seconds, a line on standard error says what
/// is being done and for how long: "drawloom: comparing, 3 s". The line is gone
/// when it ends.
class Waiting {
public:
  explicit Waiting(std::string what);

private:
  emu::Ticker ticker;
};

/// A plan in text, with its heads and its verdict in colors if standard output
/// is a terminal that wants them.
std::string colorPlan(llvm::StringRef text);

/// A report in which lines say "file:line: error:", with that word in red, too.
std::string colorErrors(llvm::StringRef text);

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_TERMINAL_H
