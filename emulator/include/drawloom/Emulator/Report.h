//===- Report.h - Why a launch ended early ----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch either runs to its end or ends in one Report: what went wrong and
// where. The emulator never guesses on after something that the PTX
// ISA calls undefined or illegal, so there is never a second report.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_REPORT_H
#define DRAWLOOM_EMULATOR_REPORT_H

#include "drawloom/PTX/SourceLine.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace drawloom::emu {

/// Extents or coordinates of a grid, block or cluster.
struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;

  uint64_t count() const { return uint64_t(x) * y * z; }
  bool operator==(const Dim3 &) const = default;
  std::string str() const; ///< "(4, 2, 1)"
};

/// The kinds of failure, as far as a caller treats them differently.
enum class ReportKind : uint8_t {
#define EMU_REPORT(name, text) name,
#include "drawloom/Emulator/ReportKinds.def"
};
llvm::StringRef spelling(ReportKind kind);
/// "illegal-address": the code at the end of the first line of a message.
std::string codeOf(ReportKind kind);

struct Report {
  ReportKind kind = ReportKind::LaunchFailed;
  std::string message; ///< What happened, as text; no location in it.

  std::string kernel;   ///< The entry that was launched.
  std::string function; ///< The function that the instruction stands in.
  uint32_t line = 0;    ///< Of the PTX text; 0 if no instruction is to blame.
  /// From `.loc`: the line, and the calls that it is inlined by; empty if there
  /// is none.
  std::vector<ptx::SourceLine> source;
  bool hasThread = false; ///< Whether cta, warp and lanes mean something.
  Dim3 cta = {0, 0, 0};
  uint32_t warp = 0;
  uint32_t lanes = 0; ///< The lanes that did it, as a mask.

  /// "k.ptx:12: error: ..." is the caller's business; this is
  /// "line 12 (gemm.cu:40), CTA (0, 0, 0), warp 3, lanes 0-15: message", or
  /// "gemm.cu:40, CTA ..." for a caller who has named the line.
  std::string str(bool namesLine = true) const;
  /// "illegal address: ... [illegal-address]", for users.
  std::string strWithCode(bool namesLine = true) const;
};

/// "lanes 0-3, 7" for 0x8f; "lane 5" for 0x20.
std::string describeLanes(uint32_t lanes);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_REPORT_H
