//===- Codes.h - The stable names of messages -------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A message ends with a code in brackets: "... = 297 KiB > 227 KiB on sm_100a
// [shared-memory-limit]". Its text may change, its code doesn't, so scripts,
// tests and suppressions name the code. Codes.def has all of them with what
// they mean; a verifier's error about an operation, "'tile.mma' op ...", has
// the name of the operation.

#ifndef DRAWLOOM_INPUT_CODES_H
#define DRAWLOOM_INPUT_CODES_H

#include "llvm/ADT/StringRef.h"

namespace drawloom::input {

/// The code of a message; `otherwise` if it has none, as those of upstream's
/// parsers have none.
llvm::StringRef codeOf(llvm::StringRef message, llvm::StringRef otherwise);

} // namespace drawloom::input

#endif // DRAWLOOM_INPUT_CODES_H
