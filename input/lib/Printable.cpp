//===- Printable.cpp - Words of others, shown to people -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Input/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using llvm::StringRef;

/// The bytes of the first character; 0 if they are not UTF-8.
static size_t countBytes(StringRef text) {
  auto *bytes = reinterpret_cast<const llvm::UTF8 *>(text.data());
  size_t count = llvm::getNumBytesForUTF8(*bytes);
  if (count > text.size() || !llvm::isLegalUTF8Sequence(bytes, bytes + count))
    return 0;
  return count;
}

/// U+0000 to U+001F, U+007F to U+009F: a terminal takes also the latter for
/// the beginning of a command.
static bool isControl(StringRef character) {
  auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1)
    return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

std::string drawloom::input::makePrintable(StringRef text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    size_t count = countBytes(text);
    StringRef character = text.take_front(count ? count : 1);
    text = text.drop_front(character.size());
    if (count && !isControl(character)) {
      result += character;
      continue;
    }
    for (char byte : character)
      result += "\\x" + llvm::toHex(StringRef(&byte, 1), /*LowerCase=*/true);
  }
  return result;
}
