//===- Suppressions.h - Findings that are known ----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file says which findings are known and stay. Each line names a rule, a
// place and a kernel; what comes later may be left out:
//
//   # The tail of the scan is read and never used.
//   uninitialized  scan.cu:212
//   proxy-fence-before-refill  ptx:512  *fused_attention*
//   same-store
//
// A place is a line of the source, of the PTX (`ptx:512`), or `*`; a finding is
// there if one of its instructions is. Of a source file, the last parts of its
// path will do.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_SUPPRESSIONS_H
#define DRAWLOOM_CHECKER_SUPPRESSIONS_H

#include "drawloom/PTX/SourceLine.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace drawloom::checker {

class Suppressions {
public:
  /// None, if no file is named.
  static llvm::Expected<Suppressions> read(llvm::StringRef file);

  /// Where an instruction stands, in the PTX and in the source: the line there,
  /// and the calls that it is inlined by, if they are known.
  struct Place {
    uint32_t ptxLine;
    llvm::ArrayRef<ptx::SourceLine> source;
  };
  /// Whether there is a line for such a finding. That line counts as used.
  bool covers(llvm::StringRef rule, llvm::StringRef kernel,
              llvm::ArrayRef<Place> places);

  /// "known.txt:3: 'same-store' suppresses nothing", for each that isn't used.
  std::vector<std::string> unused() const;

private:
  struct Entry {
    std::string text, rule;
    std::string file;   ///< Of the source; empty for the PTX.
    uint32_t line = 0;  ///< 0 for any.
    std::string kernel; ///< A pattern.
    unsigned number;    ///< In the file.
    bool isUsed = false;
  };
  std::string name;
  std::vector<Entry> entries;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_SUPPRESSIONS_H
