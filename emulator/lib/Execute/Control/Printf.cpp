//===- Printf.cpp - printf of kernels ------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute/Control/Printf.h"
#include "Memory/Access.h"
#include "llvm/ADT/StringExtras.h"
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace drawloom::emu;

std::optional<std::string> drawloom::emu::readString(Warp &warp, unsigned lane,
                                                     uint64_t address,
                                                     uint32_t most) {
  std::string text;
  while (text.size() < most && text.size() <= printfLimit) {
    const char *memory = translate(warp, lane, address++, 1);
    if (!memory)
      return std::nullopt;
    if (*memory == 0)
      return text;
    text += *memory;
  }
  return text.size() > printfLimit ? std::nullopt : std::optional(text);
}

std::string Printf::format(llvm::StringRef text) {
  while (!text.empty()) {
    size_t percent = text.find('%');
    out += text.take_front(percent);
    text = text.drop_front(std::min(percent, text.size()));
    if (text.empty())
      break;
    std::optional<Directive> directive = parse(text);
    if (!directive || arguments + directive->takes() > maxArguments) {
      out += text.front();
      text = text.drop_front();
      continue;
    }
    text = text.drop_front(directive->length);
    if (std::string problem = print(*directive); !problem.empty())
      return problem;
  }
  return "";
}

/// A number in front of `text`, which loses it. More digits than it takes to
/// pass every limit don't count.
static uint64_t takeNumber(llvm::StringRef &text) {
  uint64_t value = 0;
  for (; !text.empty() && llvm::isDigit(text.front()); text = text.drop_front())
    if (value <= printfLimit)
      value = 10 * value + (text.front() - '0');
  return value;
}

std::optional<Printf::Directive> Printf::parse(llvm::StringRef text) {
  const size_t whole = text.size();
  Directive result;
  text = text.drop_front();
  for (; !text.empty(); text = text.drop_front()) {
    char flag = text.front();
    if (flag == '-')
      result.left = true;
    else if (flag == '+')
      result.plus = true;
    else if (flag == ' ')
      result.space = true;
    else if (flag == '#')
      result.alternate = true;
    else if (flag == '0')
      result.zeros = true;
    else
      break;
  }
  if (text.consume_front("*"))
    result.takesWidth = true;
  else
    result.width = takeNumber(text);
  if (text.consume_front(".")) {
    if (text.consume_front("*"))
      result.takesPrecision = true;
    else
      result.precision = takeNumber(text);
  }
  if (text.consume_front("hh"))
    result.size = -2;
  else if (text.consume_front("h"))
    result.size = -1;
  else if (text.consume_front("ll") || text.consume_front("l") ||
           text.consume_front("j") || text.consume_front("z") ||
           text.consume_front("t"))
    result.size = 1;
  if (text.empty() || !llvm::StringRef("diuoxXfFeEgGaAcsp%")
                           .contains(result.type = text.front()))
    return std::nullopt;
  result.length = whole - text.size() + 1;
  return result;
}

std::string Printf::take(unsigned bytes, uint64_t &value) {
  next = (next + bytes - 1) & ~uint64_t(bytes - 1);
  const char *memory = translate(warp, lane, next, bytes);
  if (!memory)
    return "argument " + llvm::utostr(arguments) + " can't be read";
  value = 0;
  memcpy(&value, memory, bytes);
  next += bytes;
  ++arguments;
  return "";
}

/// Width and precision that are arguments; a negative width is one to the left,
/// and a negative precision none. Then the bounds of both.
std::string Printf::takeStars(Directive &directive) {
  uint64_t bits;
  if (directive.takesWidth) {
    if (std::string problem = take(4, bits); !problem.empty())
      return problem;
    int64_t width = static_cast<int32_t>(bits);
    directive.left |= width < 0;
    directive.width = std::abs(width);
  }
  if (directive.takesPrecision) {
    if (std::string problem = take(4, bits); !problem.empty())
      return problem;
    if (auto precision = static_cast<int32_t>(bits); precision >= 0)
      directive.precision = precision;
  }
  for (auto [name, value] : {std::pair("width", directive.width),
                             {"precision", directive.precision.value_or(0)}})
    if (value > printfLimit)
      return "a " + std::string(name) + " of more than " +
             llvm::utostr(printfLimit);
  return "";
}

void Printf::pad(const Directive &directive, llvm::StringRef prefix,
                 llvm::StringRef digits, bool zeros) {
  size_t used = prefix.size() + digits.size();
  size_t missing = directive.width > used ? directive.width - used : 0;
  if (!directive.left && !zeros)
    out.append(missing, ' ');
  out += prefix;
  if (!directive.left && zeros)
    out.append(missing, '0');
  out += digits;
  if (directive.left)
    out.append(missing, ' ');
}

std::string Printf::print(Directive directive) {
  if (std::string problem = takeStars(directive); !problem.empty())
    return problem;
  switch (directive.type) {
  case '%':
    out += '%';
    return "";
  case 'c': {
    uint64_t value;
    if (std::string problem = take(4, value); !problem.empty())
      return problem;
    char character = static_cast<char>(value);
    pad(directive, "", llvm::StringRef(&character, 1), false);
    return "";
  }
  case 's':
    return printString(directive);
  case 'd':
  case 'i':
  case 'u':
  case 'o':
  case 'x':
  case 'X':
  case 'p':
    return printInteger(directive);
  default:
    return printFloat(directive);
  }
}

std::string Printf::printString(const Directive &directive) {
  uint64_t address;
  if (std::string problem = take(8, address); !problem.empty())
    return problem;
  std::optional<std::string> string =
      directive.precision
          ? readString(warp, lane, address, *directive.precision)
          : readString(warp, lane, address);
  if (!string)
    return "argument " + llvm::utostr(arguments - 1) +
           " is no string in memory of at most " + llvm::utostr(printfLimit) +
           " characters";
  pad(directive, "", *string, false);
  return "";
}

/// The digits of a number to the base 8, 10 or 16.
static std::string digitsOf(uint64_t value, char type) {
  if (type == 'x' || type == 'X' || type == 'p')
    return llvm::utohexstr(value, /*LowerCase=*/type != 'X');
  if (type != 'o')
    return llvm::utostr(value);
  std::string digits;
  for (; value; value >>= 3)
    digits.insert(digits.begin(), char('0' + (value & 7)));
  return digits.empty() ? "0" : digits;
}

std::string Printf::printInteger(const Directive &directive) {
  const char type = directive.type;
  const bool isPointer = type == 'p', isSigned = type == 'd' || type == 'i';
  uint64_t value;
  if (std::string problem =
          take(isPointer || directive.size > 0 ? 8 : 4, value);
      !problem.empty())
    return problem;
  if (isPointer) {
    if (value)
      pad(directive, "0x", digitsOf(value, type), directive.zeros);
    else
      pad(directive, "", "(nil)", false);
    return "";
  }
  if (directive.size <= 0) {
    unsigned bits = 32 >> -directive.size;
    value <<= 64 - bits;
    value = isSigned ? static_cast<int64_t>(value) >> (64 - bits)
                     : value >> (64 - bits);
  }
  bool isNegative = isSigned && static_cast<int64_t>(value) < 0;
  std::string prefix;
  if (isSigned)
    prefix = isNegative        ? "-"
             : directive.plus  ? "+"
             : directive.space ? " "
                               : "";
  std::string digits = digitsOf(isNegative ? -value : value, type);
  if (directive.precision) {
    if (*directive.precision == 0 && value == 0)
      digits.clear();
    if (digits.size() < *directive.precision)
      digits.insert(0, *directive.precision - digits.size(), '0');
  }
  if (directive.alternate && type == 'o' && !digits.starts_with("0"))
    digits.insert(0, "0");
  if (directive.alternate && value && (type == 'x' || type == 'X'))
    prefix = type == 'x' ? "0x" : "0X";
  pad(directive, prefix, digits, directive.zeros && !directive.precision);
  return "";
}

/// A number that isn't negative, without a width, by one of 18 formats.
static std::string digitsOf(double value, char type, bool alternate,
                            std::optional<int> precision) {
  // The longest double has 309 digits in front of the point.
  std::string text(precision.value_or(0) + 512, '\0');
  int p = precision.value_or(6), length = 0;
  size_t size = text.size();
  switch (type) {
#define DIGITS(letter)                                                         \
  case #letter[0]:                                                             \
    length = alternate ? snprintf(text.data(), size, "%#.*" #letter, p, value) \
                       : snprintf(text.data(), size, "%.*" #letter, p, value); \
    break;
    DIGITS(f)
    DIGITS(F)
    DIGITS(e)
    DIGITS(E)
    DIGITS(g)
    DIGITS(G)
#undef DIGITS
    // Without a precision, as many digits as the number has.
#define DIGITS(letter)                                                         \
  case #letter[0]:                                                             \
    length =                                                                   \
        !precision                                                             \
            ? (alternate ? snprintf(text.data(), size, "%#" #letter, value)    \
                         : snprintf(text.data(), size, "%" #letter, value))    \
        : alternate ? snprintf(text.data(), size, "%#.*" #letter, p, value)    \
                    : snprintf(text.data(), size, "%.*" #letter, p, value);    \
    break;
    DIGITS(a)
    DIGITS(A)
#undef DIGITS
  default:
    break;
  }
  text.resize(std::clamp<int>(length, 0, size - 1));
  return text;
}

std::string Printf::printFloat(const Directive &directive) {
  uint64_t bits;
  if (std::string problem = take(8, bits); !problem.empty())
    return problem;
  double value = std::bit_cast<double>(bits);
  std::string prefix = std::signbit(value) ? "-"
                       : directive.plus    ? "+"
                       : directive.space   ? " "
                                           : "";
  std::string digits = digitsOf(std::fabs(value), directive.type,
                                directive.alternate, directive.precision);
  llvm::StringRef rest = digits;
  if (rest.consume_front("0x") || rest.consume_front("0X"))
    prefix += digits.substr(0, 2);
  pad(directive, prefix, rest, directive.zeros && std::isfinite(value));
  return "";
}
