//===- Codes.cpp - The stable names of messages ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Input/Codes.h"
#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

static constexpr llvm::StringLiteral codes[] = {
#define CODE(name, meaning, remedy) name,
#include "drawloom/Input/Codes.def"
};

StringRef drawloom::input::codeOf(StringRef message, StringRef otherwise) {
  // What follows the first line are details.
  StringRef line = message.split('\n').first;
  if (line.ends_with("]")) {
    StringRef code = line.drop_back().rsplit(" [").second;
    if (llvm::is_contained(codes, code))
      return code;
  }
  if (!line.consume_front("'"))
    return otherwise;
  auto [name, rest] = line.split("' op ");
  return rest.empty() || name.contains('\'') || !name.contains('.') ? otherwise
                                                                    : name;
}
