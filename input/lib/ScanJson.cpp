//===- ScanJson.cpp - JSON that would exhaust its parser ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Input/Scan.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom::input;
using llvm::StringRef;

std::optional<Rejection> drawloom::input::scanJson(StringRef text) {
  unsigned depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        at += text[at] == '\\';
    } else if (c == '[' || c == '{') {
      if (++depth > deepestNesting)
        return Rejection{
            at, "arrays and objects are nested " + llvm::utostr(depth) +
                    " deep here; the limit is " + llvm::utostr(deepestNesting)};
    } else if ((c == ']' || c == '}') && depth) {
      --depth;
    }
  }
  return std::nullopt;
}

llvm::Expected<llvm::json::Value> drawloom::input::parseJson(StringRef text) {
  if (std::optional<Rejection> rejection = scanJson(text)) {
    // As llvm::json::ParseError says where.
    StringRef before = text.take_front(rejection->at);
    return llvm::createStringError(
        "[" + llvm::Twine(before.count('\n') + 1) + ":" +
        llvm::Twine(before.size() - (before.rfind('\n') + 1)) +
        ", byte=" + llvm::Twine(rejection->at) + "]: " + rejection->words);
  }
  return llvm::json::parse(text);
}
