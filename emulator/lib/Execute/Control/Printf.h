//===- Printf.h - printf of kernels -----------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format of a printf is the kernel's, so it never reaches a function of the
// host that reads formats. Each directive is taken apart here and printed by
// its own code:
//
//   %[flags][width][.precision][size]type
//     flags    - + space # 0           size  hh h l ll j z t
//     width    digits or *             type  d i u o x X f F e E g G a A c s p
//     %
//
// As CUDA does, it prints anything else as it stands: %n, positional arguments,
// and directives behind the 32nd argument. The buffer has the arguments one
// after the other, each aligned to its size: 4 bytes, or 8 for doubles,
// pointers and long integers. All is read through the memory of the thread.
//
// Widths, precisions and strings are bounded; what passes a bound is reported.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_PRINTF_H
#define DRAWLOOM_EMULATOR_PRINTF_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace drawloom::emu {

class Warp;

/// The most characters of a string, of a width and of a precision.
inline constexpr uint32_t printfLimit = 1 << 16;

/// The characters at a generic address up to the zero, or `most` of them; none
/// if the memory ends before that, or there are more than printfLimit.
std::optional<std::string> readString(Warp &warp, unsigned lane,
                                      uint64_t address,
                                      uint32_t most = printfLimit + 1);

/// One call of vprintf.
class Printf {
public:
  Printf(Warp &warp, unsigned lane, uint64_t buffer)
      : warp(warp), lane(lane), next(buffer) {}

  /// What is wrong, as text; empty if `out` holds all of the text.
  std::string format(llvm::StringRef text);

  std::string out;
  unsigned arguments = 0;

private:
  static constexpr unsigned maxArguments = 32;

  struct Directive {
    bool left = false, plus = false, space = false, alternate = false,
         zeros = false;
    bool takesWidth = false, takesPrecision = false; ///< From an argument.
    uint64_t width = 0;
    std::optional<uint64_t> precision;
    int size = 0; ///< -2 hh, -1 h, 0, 1 any of the long ones.
    char type = 0;
    size_t length = 0; ///< Of its text.

    unsigned takes() const {
      return takesWidth + takesPrecision + (type != '%');
    }
  };

  static std::optional<Directive> parse(llvm::StringRef text);
  std::string print(Directive directive);
  std::string takeStars(Directive &directive);
  std::string printString(const Directive &directive);
  std::string printInteger(const Directive &directive);
  std::string printFloat(const Directive &directive);
  /// Puts a number behind its sign or 0x, with spaces or zeros in front of it.
  void pad(const Directive &directive, llvm::StringRef prefix,
           llvm::StringRef digits, bool zeros);
  /// The next argument; what is wrong, as text, if it can't be read.
  std::string take(unsigned bytes, uint64_t &value);

  Warp &warp;
  unsigned lane;
  uint64_t next;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_PRINTF_H
