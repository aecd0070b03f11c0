//===- Printable.h - Words of others, shown to people -----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Names in programs, words of other tools and answers of servers end up on
// terminals, which obey control characters, and in JSON, which is UTF-8. Both
// get the text with what they could not show written out: "\x1b[31m", "\xff".

#ifndef DRAWLOOM_INPUT_PRINTABLE_H
#define DRAWLOOM_INPUT_PRINTABLE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace drawloom::input {

/// UTF-8 without control characters but newlines and tabs. Text that is so
/// already stays as it is.
std::string makePrintable(llvm::StringRef text);

} // namespace drawloom::input

#endif // DRAWLOOM_INPUT_PRINTABLE_H
