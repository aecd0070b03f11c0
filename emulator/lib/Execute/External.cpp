//===- External.cpp - Functions that the system provides -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute/External.h"
#include "Execute/Lanes.h"
#include "Machine/Machine.h"
#include "Memory/Access.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstdio>

using namespace drawloom;
using namespace drawloom::emu;

/// An argument of a call as a number; 0 if there is none.
static uint64_t argument(Warp &warp, const Inst *inst, unsigned index,
                         unsigned lane) {
  const auto &info = inst->as<CallInfo>();
  if (index >= info.arguments.size())
    return 0;
  const Argument &argument = info.arguments[index];
  uint64_t value = 0;
  if (argument.isRegister) {
    memcpy(&value, warp.lanes<char>(argument.reg) + lane * argument.laneBytes,
           std::min<size_t>(argument.laneBytes, sizeof(value)));
    return value;
  }
  uint32_t frame =
      warp.lanes<uint32_t>(warp.program().frameBase)[lane] + argument.offset;
  size_t bytes = std::min<size_t>(argument.bytes, sizeof(value));
  if (char *memory = translate(warp, lane, localWindow + frame, bytes))
    memcpy(&value, memory, bytes);
  return value;
}

static void setResult(Warp &warp, const Inst *inst, unsigned lane,
                      uint64_t value) {
  const auto &info = inst->as<CallInfo>();
  if (info.results.empty())
    return;
  const Argument &result = info.results.front();
  if (result.isRegister) {
    memcpy(warp.lanes<char>(result.reg) + lane * result.laneBytes, &value,
           std::min<size_t>(result.laneBytes, sizeof(value)));
    return;
  }
  uint32_t frame =
      warp.lanes<uint32_t>(warp.program().frameBase)[lane] + result.offset;
  size_t bytes = std::min<size_t>(result.bytes, sizeof(value));
  if (char *memory = translate(warp, lane, localWindow + frame, bytes))
    memcpy(memory, &value, bytes);
}

/// The characters at a generic address up to the zero; none if the memory ends
/// before that.
static std::optional<std::string> readString(Warp &warp, unsigned lane,
                                             uint64_t address) {
  std::string text;
  while (const char *memory = translate(warp, lane, address++, 1)) {
    if (*memory == 0)
      return text;
    text += *memory;
  }
  return std::nullopt;
}

namespace {

/// Formats one call of vprintf. The buffer has the arguments one after the
/// other, each aligned to its size: 4 bytes, or 8 for doubles, pointers and
/// long integers.
class Formatter {
public:
  Formatter(Warp &warp, unsigned lane, uint64_t buffer)
      : warp(warp), lane(lane), next(buffer) {}

  /// False if an argument can't be read.
  bool format(llvm::StringRef text) {
    while (!text.empty()) {
      size_t percent = text.find('%');
      out += text.take_front(percent);
      text = text.drop_front(std::min(percent, text.size()));
      if (!text.empty() && !directive(text))
        return false;
    }
    return true;
  }

  std::string out;
  unsigned arguments = 0;

private:
  bool directive(llvm::StringRef &text) {
    size_t length = text.find_first_of("diouxXcsaAeEfFgGpn%", 1);
    if (length == llvm::StringRef::npos) {
      out += text;
      text = "";
      return true;
    }
    std::string spec;
    // Width and precision may be arguments.
    for (char c : text.substr(0, length)) {
      uint64_t value = 0;
      if (c == '*' && !take(4, value))
        return false;
      if (c == '*')
        spec += std::to_string(static_cast<int32_t>(value));
      else if (c != 'l' && c != 'h' && c != 'j' && c != 'z' && c != 't')
        spec += c;
    }
    bool isLong =
        text.substr(0, length).find_first_of("lzjt") != llvm::StringRef::npos;
    char conversion = text[length];
    text = text.drop_front(length + 1);
    uint64_t value = 0;
    switch (conversion) {
    case '%':
      out += '%';
      return true;
    case 's': {
      if (!take(8, value))
        return false;
      std::optional<std::string> string = readString(warp, lane, value);
      if (!string)
        return false;
      print(spec + 's', string->c_str());
      return true;
    }
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      if (!take(8, value))
        return false;
      print(spec + conversion, std::bit_cast<double>(value));
      return true;
    case 'p':
      if (!take(8, value))
        return false;
      print(spec + 'p', reinterpret_cast<void *>(value));
      return true;
    case 'd':
    case 'i':
      if (!take(isLong ? 8 : 4, value))
        return false;
      print(spec + "ll" + conversion,
            isLong ? static_cast<long long>(value)
                   : static_cast<long long>(static_cast<int32_t>(value)));
      return true;
    case 'c':
      if (!take(4, value))
        return false;
      print(spec + 'c', static_cast<int>(value));
      return true;
    default:
      if (!take(isLong ? 8 : 4, value))
        return false;
      print(spec + "ll" + conversion, static_cast<unsigned long long>(value));
      return true;
    }
  }

  bool take(unsigned bytes, uint64_t &value) {
    next = (next + bytes - 1) & ~uint64_t(bytes - 1);
    const char *memory = translate(warp, lane, next, bytes);
    if (!memory)
      return false;
    memcpy(&value, memory, bytes);
    next += bytes;
    ++arguments;
    return true;
  }

  template <typename T>
  void print(const std::string &spec, T value) {
    // The specification is put together from checked characters above.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
    int length = snprintf(nullptr, 0, spec.c_str(), value);
    if (length < 0)
      return;
    std::string buffer(length + 1, '\0');
    snprintf(buffer.data(), buffer.size(), spec.c_str(), value);
#pragma clang diagnostic pop
    out.append(buffer, 0, length);
  }

  Warp &warp;
  unsigned lane;
  uint64_t next;
};

} // namespace

/// int vprintf(const char *format, void *arguments)
static const Inst *vprintf(Warp &warp, const Inst *inst, uint32_t mask) {
  llvm::raw_ostream *output = warp.machine().options().output;
  for (; mask; mask &= mask - 1) {
    unsigned lane = std::countr_zero(mask);
    std::optional<std::string> format =
        readString(warp, lane, argument(warp, inst, 0, lane));
    if (!format)
      return warp.fail(inst, 1u << lane, ReportKind::IllegalAddress,
                       "the format of a printf is not a string in memory");
    Formatter formatter(warp, lane, argument(warp, inst, 1, lane));
    if (!formatter.format(*format))
      return warp.fail(inst, 1u << lane, ReportKind::IllegalAddress,
                       "printf(\"" + *format + "\"): argument " +
                           llvm::Twine(formatter.arguments) + " can't be read");
    if (output)
      *output << formatter.out;
    setResult(warp, inst, lane, formatter.arguments);
  }
  return inst + 1;
}

/// void __assertfail(const char *assertion, const char *file, unsigned line,
///                   const char *function, size_t charsize)
static const Inst *assertfail(Warp &warp, const Inst *inst, uint32_t mask) {
  unsigned lane = std::countr_zero(mask);
  auto text = [&](unsigned index) {
    return readString(warp, lane, argument(warp, inst, index, lane))
        .value_or("?");
  };
  return warp.fail(
      inst, mask, ReportKind::Assert,
      text(1) + ":" +
          llvm::Twine(static_cast<uint32_t>(argument(warp, inst, 2, lane))) +
          ": " + text(3) + ": assertion '" + text(0) + "' failed");
}

/// void *malloc(size_t size)
static const Inst *malloc(Warp &warp, const Inst *inst, uint32_t mask) {
  for (; mask; mask &= mask - 1) {
    unsigned lane = std::countr_zero(mask);
    setResult(warp, inst, lane,
              warp.machine().heap().allocate(argument(warp, inst, 0, lane)));
  }
  return inst + 1;
}

/// void free(void *pointer)
static const Inst *free(Warp &warp, const Inst *inst, uint32_t mask) {
  for (; mask; mask &= mask - 1) {
    unsigned lane = std::countr_zero(mask);
    uint64_t address = argument(warp, inst, 0, lane);
    if (!address)
      continue;
    if (llvm::Error error = warp.machine().heap().free(address))
      return warp.fail(inst, 1u << lane, ReportKind::IllegalAddress,
                       "free of 0x" + llvm::Twine::utohexstr(address) + ": " +
                           llvm::toString(std::move(error)));
  }
  return inst + 1;
}

Execute *drawloom::emu::externalFunction(llvm::StringRef name) {
  return llvm::StringSwitch<Execute *>(name)
      .Case("vprintf", vprintf)
      .Case("__assertfail", assertfail)
      .Case("malloc", malloc)
      .Case("free", free)
      .Default(nullptr);
}
