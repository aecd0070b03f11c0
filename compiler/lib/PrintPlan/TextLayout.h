//===- TextLayout.h - Tables, bars and lines of a width ------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What a page of text for a terminal is made of. Widths are columns of the
// screen, not bytes.

#ifndef DRAWLOOM_LIB_ANALYSIS_PRINTPLAN_TEXTLAYOUT_H
#define DRAWLOOM_LIB_ANALYSIS_PRINTPLAN_TEXTLAYOUT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace drawloom::plan {

constexpr unsigned pageWidth = 100;

unsigned measureColumns(llvm::StringRef text);

/// Prints `text` from column `indent` on, in lines that end at the page's
/// width; the first line is already at that column.
void printWrapped(llvm::StringRef text, unsigned indent, llvm::raw_ostream &os);

/// Rows in columns. The last column is wrapped at the width of the page.
class Table {
public:
  /// A head with a '>' in front is of a column for numbers, which stand to the
  /// right.
  explicit Table(std::vector<std::string> heads);

  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  void print(llvm::raw_ostream &os) const;

private:
  std::vector<bool> rightAligned;
  std::vector<std::vector<std::string>> rows;
};

/// Bars over a common length: how much of a limit is used, and which part of it
/// is whose.
class Bars {
public:
  Bars(llvm::raw_ostream &os, unsigned nameWidth)
      : os(os), nameWidth(nameWidth) {}

  /// Starts a new limit.
  void total(llvm::StringRef name, int64_t used, int64_t limit,
             llvm::StringRef words);
  /// A part of the limit that `total` named last.
  void part(llvm::StringRef name, int64_t start, int64_t size,
            llvm::StringRef words);

private:
  unsigned scale(int64_t value) const;
  void line(llvm::StringRef name, llvm::StringRef bar, unsigned width,
            llvm::StringRef words);

  llvm::raw_ostream &os;
  unsigned nameWidth;
  int64_t limit = 0;
};

} // namespace drawloom::plan

#endif // DRAWLOOM_LIB_ANALYSIS_PRINTPLAN_TEXTLAYOUT_H
