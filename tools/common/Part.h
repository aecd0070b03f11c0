//===- Part.h - The cases that one of several processes runs ----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Tools that run many cases take --part 3/50: every 50th case, from the third
// on, after all other options have chosen. So parts 1/50 to 50/50 have every
// case once, and what takes long is in all of them. --list prints the cases and
// runs none. The numbers in the last line of such a tool add up over its parts.
// integration/part.py is the same for scripts; a sweep runs the parts of all of
// them (docs/Sweep.md).

#ifndef DRAWLOOM_TOOLS_COMMON_PART_H
#define DRAWLOOM_TOOLS_COMMON_PART_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace drawloom {

struct Part {
  static constexpr llvm::StringLiteral description =
      "I/N: every Nth case, from the Ith on";

  uint64_t number = 1, count = 1;

  static llvm::Expected<Part> parse(llvm::StringRef text) {
    Part part;
    auto [number, count] = text.split('/');
    if (number.getAsInteger(10, part.number) ||
        count.getAsInteger(10, part.count) || part.number < 1 ||
        part.number > part.count)
      return llvm::createStringError("--part is '" + text +
                                     "'; it takes I/N, 1 to N of N");
    return part;
  }

  /// Whether the case with this number, from 0 on, is in it.
  bool has(uint64_t index) const { return index % count == number - 1; }
};

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_COMMON_PART_H
