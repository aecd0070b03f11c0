//===- Quote.cpp - A diagnostic with the line that it is about ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/Quote.h"
#include "drawloom/Input/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using drawloom::input::makePrintable;
using llvm::StringRef;

/// The text with a question mark for each byte that is no sign.
static std::string clean(StringRef text) {
  auto *bytes = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  bool isUtf8 = llvm::isLegalUTF8String(
      &bytes, reinterpret_cast<const llvm::UTF8 *>(text.end()));
  std::string result = text.str();
  for (char &c : result) {
    if (c == '\t')
      c = ' ';
    else if (!llvm::isPrint(c) &&
             !(isUtf8 && static_cast<unsigned char>(c) >= 0x80))
      c = '?';
  }
  return result;
}

void drawloom::ptx::printDiagnostic(const llvm::SMDiagnostic &diagnostic,
                                    llvm::raw_ostream &os) {
  constexpr size_t width = 200;
  StringRef line = diagnostic.getLineContents();
  auto isText = [](StringRef text) { return makePrintable(text) == text; };
  StringRef file = diagnostic.getFilename(), message = diagnostic.getMessage();
  if (line.size() <= width && isText(line) && isText(file) && isText(message))
    return diagnostic.print(nullptr, os);
  std::string place = makePrintable(file);
  // What is about no place has neither line nor column.
  bool hasPlace = diagnostic.getLineNo() > 0 && diagnostic.getColumnNo() >= 0;
  size_t column = hasPlace ? diagnostic.getColumnNo() : 0;
  if (hasPlace)
    place += llvm::formatv(":{0}:{1}", diagnostic.getLineNo(), column + 1);
  llvm::SMDiagnostic(place, diagnostic.getKind(), makePrintable(message))
      .print(nullptr, os);
  if (!hasPlace)
    return;
  size_t start =
      line.size() <= width
          ? 0
          : std::min(column - std::min(column, width / 2), line.size() - width);
  StringRef before = start ? "..." : "";
  StringRef after = start + width < line.size() ? "..." : "";
  os << before << clean(line.substr(start, width)) << after << '\n';
  os.indent(before.size() + column - start) << "^\n";
}
