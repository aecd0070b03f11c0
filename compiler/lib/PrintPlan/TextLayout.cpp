//===- TextLayout.cpp - Tables, bars and lines of a width -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextLayout.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom::plan;
using llvm::StringRef;

static constexpr unsigned barLength = 44;

unsigned drawloom::plan::measureColumns(StringRef text) {
  int width = llvm::sys::unicode::columnWidthUTF8(text);
  return width < 0 ? text.size() : width;
}

void drawloom::plan::printWrapped(StringRef text, unsigned indent,
                                  llvm::raw_ostream &os) {
  unsigned column = indent;
  bool first = true;
  for (StringRef word : llvm::split(text, ' ')) {
    unsigned width = measureColumns(word);
    if (!first && column + 1 + width > pageWidth) {
      os << '\n';
      os.indent(indent);
      column = indent;
      first = true;
    }
    if (!first) {
      os << ' ';
      ++column;
    }
    os << word;
    column += width;
    first = false;
  }
  os << '\n';
}

Table::Table(std::vector<std::string> heads) {
  for (std::string &head : heads) {
    rightAligned.push_back(StringRef(head).starts_with(">"));
    if (rightAligned.back())
      head.erase(0, 1);
  }
  rows.push_back(std::move(heads));
}

void Table::print(llvm::raw_ostream &os) const {
  std::vector<unsigned> widths(rows.front().size(), 0);
  for (const std::vector<std::string> &row : rows)
    for (auto [width, cell] : llvm::zip(widths, row))
      width = std::max(width, measureColumns(cell));
  for (const std::vector<std::string> &row : rows) {
    // Empty cells at the end leave no spaces behind.
    size_t cells = row.size();
    while (cells > 1 && row[cells - 1].empty())
      --cells;
    unsigned column = 2;
    os.indent(column);
    for (size_t i = 0; i < cells; ++i) {
      if (i + 1 == row.size()) {
        printWrapped(row[i], column, os);
        break;
      }
      unsigned padding = widths[i] - measureColumns(row[i]);
      os.indent(rightAligned[i] ? padding : 0) << row[i];
      if (i + 1 == cells) {
        os << '\n';
        break;
      }
      os.indent((rightAligned[i] ? 0 : padding) + 2);
      column += widths[i] + 2;
    }
  }
}

static std::string repeat(StringRef piece, unsigned count) {
  std::string text;
  while (count--)
    text += piece;
  return text;
}

unsigned Bars::scale(int64_t value) const {
  if (limit <= 0)
    return 0;
  return std::clamp<int64_t>((multiply(value, barLength) + limit / 2) / limit,
                             0, barLength);
}

void Bars::line(StringRef name, StringRef bar, unsigned width,
                StringRef words) {
  unsigned columns = measureColumns(name);
  os.indent(2) << name;
  os.indent(nameWidth - std::min(nameWidth, columns) + 2) << bar;
  os.indent(barLength - width + 2) << words << '\n';
}

void Bars::total(StringRef name, int64_t used, int64_t newLimit,
                 StringRef words) {
  limit = newLimit;
  unsigned filled = scale(used);
  line(name, repeat("█", filled) + repeat("░", barLength - filled), barLength,
       words);
}

void Bars::part(StringRef name, int64_t start, int64_t size, StringRef words) {
  unsigned first = std::min(scale(start), barLength - 1);
  // What is there is seen, be it ever so small.
  unsigned count = std::max(scale(start + size), first + 1) - first;
  line(("  " + name).str(), std::string(first, ' ') + repeat("▒", count),
       first + count, words);
}
