//===- External.cpp - Functions that the system provides -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute/Control/External.h"
#include "Execute/Control/Printf.h"
#include "Machine/Lanes.h"
#include "Machine/Machine.h"
#include "Machine/Tell.h"
#include "Memory/Access.h"
#include "llvm/ADT/StringSwitch.h"

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
  if (char *memory =
          translate(warp, lane, warp.localAddress(lane) + frame, bytes))
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
  if (char *memory =
          translate(warp, lane, warp.localAddress(lane) + frame, bytes))
    memcpy(memory, &value, bytes);
}

/// A string for a message: as much of it as tells which one it is.
static std::string shorten(llvm::StringRef text) {
  constexpr size_t most = 80;
  return text.size() <= most ? text.str() : text.take_front(most).str() + "...";
}

/// int vprintf(const char *format, void *arguments)
static const Inst *vprintf(Warp &warp, const Inst *inst, uint32_t mask) {
  llvm::raw_ostream *output = warp.machine().options().output;
  for (; mask; mask &= mask - 1) {
    unsigned lane = std::countr_zero(mask);
    std::optional<std::string> format =
        readString(warp, lane, argument(warp, inst, 0, lane));
    if (!format)
      return warp.fail(inst, 1u << lane, ReportKind::IllegalAddress,
                       "the format of a printf is not a string in memory of at "
                       "most " +
                           llvm::Twine(printfLimit) + " characters");
    Printf printf(warp, lane, argument(warp, inst, 1, lane));
    if (std::string problem = printf.format(*format); !problem.empty())
      return warp.fail(inst, 1u << lane, ReportKind::IllegalAddress,
                       "printf(\"" + shorten(*format) + "\"): " + problem);
    if (output)
      *output << printf.out;
    setResult(warp, inst, lane, printf.arguments);
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
    uint64_t bytes = argument(warp, inst, 0, lane);
    uint64_t address = warp.machine().heap().allocate(bytes);
    if (address && warp.listener()) [[unlikely]]
      tell(warp.issuePoint(inst, 1u << lane),
           HeapEvent{.kind = HeapEvent::Allocate,
                     .address = address,
                     .bytes = bytes});
    setResult(warp, inst, lane, address);
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
    if (warp.listener()) [[unlikely]]
      tell(warp.issuePoint(inst, 1u << lane),
           HeapEvent{.kind = HeapEvent::Free, .address = address});
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
