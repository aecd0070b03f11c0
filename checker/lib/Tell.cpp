//===- Tell.cpp - Findings for people who look ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/Tell.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace drawloom;

void checker::tell(const Finding &finding, llvm::raw_ostream &os) {
  std::string text = finding.str();
  const char *plain = std::getenv("NO_COLOR");
  if (!os.has_colors() || (plain && *plain)) {
    os << text << '\n';
    return;
  }
  auto [word, rest] = llvm::StringRef(text).split(':');
  llvm::StringRef code = finding.severity == Severity::Error     ? "\033[1;31m"
                         : finding.severity == Severity::Warning ? "\033[1;33m"
                                                                 : "\033[1;36m";
  os << code << word << ":\033[0m" << rest << '\n';
}

void checker::Teller::tell(const Finding &finding, llvm::raw_ostream &os) {
  if (!finding.isReported())
    return;
  if (finding.severity == Severity::Error && ++errors > most)
    return;
  if (finding.severity == Severity::Warning && ++warnings > most)
    return;
  checker::tell(finding, os);
}

void checker::Teller::tellRest(llvm::raw_ostream &os) const {
  llvm::SmallVector<std::string, 2> more;
  auto add = [&](unsigned count, const char *what) {
    if (count > most)
      more.push_back(llvm::utostr(count - most) + " more " + what +
                     (count - most == 1 ? "" : "s"));
  };
  add(errors, "error");
  add(warnings, "warning");
  if (!more.empty())
    os << "check: " << llvm::join(more, " and ")
       << "; --report FILE has all of them\n";
}
