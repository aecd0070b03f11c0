//===- Labels.h - How the printers call things ---------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The words and names that more than one form of a plan uses.

#ifndef DRAWLOOM_LIB_ANALYSIS_PRINTPLAN_LABELS_H
#define DRAWLOOM_LIB_ANALYSIS_PRINTPLAN_LABELS_H

#include "drawloom/Analysis/Plan/Plan.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

namespace drawloom::plan {

/// "warp 2", "warps 4–7", or "4 warps" before they are placed.
std::string describeWarps(const Role &role);

/// "smem", "tmem", "message".
llvm::StringRef toString(Pipe::Memory memory);

/// "load", "mma", "compute", "schedule".
llvm::StringRef toString(Role::Kind kind);

/// "48 KiB", "256 columns", "signal".
std::string describeSlot(const Pipe &pipe);

/// "a 128x64xbf16, b 256x64xbf16".
std::string describeTensors(const Pipe &pipe);

/// "a, b"; empty if the tiles have no names, or the pipe is named after them.
std::string listTensors(const Pipe &pipe);

/// "1 arrival by TMA + 49152 bytes", "4 arrivals by threads".
std::string describeFull(const Pipe &pipe);
std::string describeEmpty(const Pipe &pipe);

/// "@linear on sm_100a: 4 warp roles, 4 pipelines, 256 threads, static
/// persistent", and the hardware features that the plan uses, by their names.
std::string describePlan(const Plan &plan);

/// "proved for all sizes", "proved if dim 0 of a >= 1", "undecided: ...".
std::string describeVerdict(const Plan &plan);

/// Text inside a line of Mermaid. Characters that could be Mermaid's own are
/// written as entity codes: a bare semicolon would end the statement.
std::string escapeForMermaid(llvm::StringRef text);

/// Names that a drawing's language takes as identifiers: letters, digits and
/// underscores, no two alike, none of its keywords.
class Identifiers {
public:
  std::string make(llvm::StringRef name);

private:
  llvm::StringSet<> taken;
};

/// The colors of a role in drawings: inside, border.
struct Colors {
  llvm::StringLiteral fill;
  llvm::StringLiteral line;
};

Colors getColors(Role::Kind kind);

} // namespace drawloom::plan

#endif // DRAWLOOM_LIB_ANALYSIS_PRINTPLAN_LABELS_H
