//===- Report.cpp - Why a launch ended early -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <bit>

using namespace drawloom::emu;

std::string Dim3::str() const {
  return "(" + llvm::utostr(x) + ", " + llvm::utostr(y) + ", " +
         llvm::utostr(z) + ")";
}

llvm::StringRef drawloom::emu::spelling(ReportKind kind) {
  static constexpr llvm::StringLiteral texts[] = {
#define EMU_REPORT(name, text) text,
#include "drawloom/Emulator/ReportKinds.def"
  };
  return texts[static_cast<unsigned>(kind)];
}

std::string drawloom::emu::codeOf(ReportKind kind) {
  std::string code = spelling(kind).str();
  llvm::replace(code, ' ', '-');
  return code;
}

std::string drawloom::emu::describeLanes(uint32_t lanes) {
  std::string text = std::popcount(lanes) == 1 ? "lane " : "lanes ";
  bool first = true;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    unsigned last = lane;
    while (last < 31 && lanes >> (last + 1) & 1)
      ++last;
    if (!first)
      text += ", ";
    first = false;
    text += llvm::utostr(lane);
    if (last > lane)
      text += (last == lane + 1 ? ", " : "-") + llvm::utostr(last);
    lane = last;
  }
  return text;
}

std::string Report::str(bool namesLine) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  const char *separator = "";
  if (line && namesLine) {
    os << "line " << line;
    if (!source.empty())
      os << " (" << ptx::spell(source) << ")";
    separator = ", ";
  } else if (!source.empty()) {
    os << ptx::spell(source);
    separator = ", ";
  }
  if (!function.empty() && function != kernel) {
    os << separator << "in '" << function << "'";
    separator = ", ";
  }
  if (hasThread) {
    os << separator << "CTA " << cta.str() << ", warp " << warp << ", "
       << describeLanes(lanes);
    separator = ", ";
  }
  if (*separator)
    os << ": ";
  os << message;
  return text;
}

std::string Report::strWithCode(bool namesLine) const {
  // What follows the first line are details: where every warp stands.
  std::string text = str(namesLine);
  size_t end = std::min(text.find('\n'), text.size());
  text.insert(end, " [" + codeOf(kind) + "]");
  // Some messages begin with what kind it is.
  if (!llvm::StringRef(message).starts_with(spelling(kind)))
    text.insert(0, (spelling(kind) + ": ").str());
  return text;
}
