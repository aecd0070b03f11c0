//===- Call.cpp - Calls and returns of a warp ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode/Decoder.h"
#include "Machine/Tell.h"
#include "Machine/Warp.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom::emu;

/// Copies one lane of what a call passes. Both sides agree (checkCall), so that
/// a predicate goes to a predicate or nowhere.
static void copyLane(Warp &warp, unsigned lane, const Argument &from,
                     const char *fromRegisters, uint32_t fromFrame,
                     const Argument &to, uint32_t toFrame) {
  char *local = warp.localMemory() + lane * localWindowSize;
  if (from.isRegister && from.laneBytes == 0) {
    if (!to.isRegister)
      return;
    uint32_t value;
    memcpy(&value, fromRegisters + (from.reg & ~3u), sizeof(value));
    warp.setPredicate(to.reg, value ^ -(from.reg & 1u), 1u << lane);
    return;
  }
  const char *source = from.isRegister
                           ? fromRegisters + from.reg + lane * from.laneBytes
                           : local + fromFrame + from.offset;
  char *target = to.isRegister ? warp.lanes<char>(to.reg) + lane * to.laneBytes
                               : local + toFrame + to.offset;
  uint32_t bytes = from.isRegister ? from.laneBytes : from.bytes;
  uint32_t room = to.isRegister ? to.laneBytes : to.bytes;
  memcpy(target, source, std::min(bytes, room));
}

void Warp::copyArguments(uint32_t mask, llvm::ArrayRef<Argument> from,
                         const char *fromRegisters, const uint32_t *fromFrames,
                         llvm::ArrayRef<Argument> to,
                         const uint32_t *toFrames) {
  for (auto [source, target] : llvm::zip(from, to))
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      copyLane(*this, lane, source, fromRegisters, fromFrames[lane], target,
               toFrames[lane]);
    }
}

std::shared_ptr<const SavedRegisters>
Warp::save(const ProgramFunction &function) const {
  auto saved = std::make_shared<SavedRegisters>();
  saved->bytes.assign(registers + function.registersBegin,
                      registers + function.registersEnd);
  return saved;
}

void Warp::restore(const ProgramFunction &function, const SavedRegisters &saved,
                   uint32_t mask) {
  const char *bytes = saved.bytes.data() - function.registersBegin;
  for (const RegisterSpan &span : function.registers) {
    if (span.laneBytes == 0) {
      uint32_t value;
      memcpy(&value, bytes + span.reg, sizeof(value));
      setPredicate(span.reg, value, mask);
      continue;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
      size_t offset =
          span.reg + size_t(llvm::countr_zero(rest)) * span.laneBytes;
      memcpy(registers + offset, bytes + offset, span.laneBytes);
    }
  }
}

/// The frame at `base` that ends at `end`, without its link if it has one.
static LocalFrame frameAt(uint32_t base, uint32_t end, bool called) {
  return {base + (called ? frameLinkBytes : 0),
          std::min<uint32_t>(end, localWindowSize)};
}

llvm::SmallVector<LocalFrame, 4> Warp::localFrames(unsigned lane) {
  llvm::SmallVector<LocalFrame, 4> frames;
  Link link = {lanes<uint32_t>(programField.frameBase)[lane],
               lanes<uint32_t>(programField.stackPointer)[lane]};
  for (size_t depth = currentField->calls.size(); depth; --depth) {
    frames.push_back(frameAt(link.frame, link.end, true));
    link = links[depth - 1][lane];
  }
  frames.push_back(frameAt(link.frame, link.end, false));
  return frames;
}

LocalFrame Warp::commonFrame() {
  const uint32_t *bases = lanes<uint32_t>(programField.frameBase);
  const uint32_t *ends = lanes<uint32_t>(programField.stackPointer);
  uint32_t different = 0;
  for (unsigned lane = 1; lane != 32; ++lane)
    different |= (bases[lane] ^ bases[0]) | (ends[lane] ^ ends[0]);
  if (different)
    return {};
  return frameAt(bases[0], ends[0], !currentField->calls.empty());
}

void Warp::tellFrame(const Inst *inst, uint32_t mask,
                     const ProgramFunction &function, const uint32_t *frames) {
  auto tellRange = [&](LocalEvent::Kind kind, uint32_t offset, uint32_t bytes) {
    RangeList ranges;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      ranges.addLane(lane, localWindow + frames[lane] + offset, bytes);
    }
    tell(issuePoint(inst, mask),
         LocalEvent{.kind = kind, .ranges = ranges.get()});
  };
  // Parameters, and what the call itself keeps, are there.
  tellRange(LocalEvent::Write, 0, function.frameBytes);
  for (const LocalVariable &variable : function.locals)
    tellRange(LocalEvent::Allocate, variable.offset, variable.size);
}

const Inst *Warp::call(const Inst *inst, uint32_t mask,
                       const ProgramFunction &callee) {
  if (!localMemory())
    return fail(inst, mask, ReportKind::StackOverflow,
                "no memory for the stack of the warp");
  // A function that is being executed by these lanes already keeps its
  // registers for when they come back: on the stack, as far as room is counted.
  bool recursive =
      &programField.functionOf(inst) == &callee ||
      llvm::any_of(currentField->calls, [&](const CallFrame &outer) {
        return &programField.functionOf(outer.call) == &callee;
      });
  uint32_t kept =
      recursive ? (callee.registersEnd - callee.registersBegin) / 32 : 0;
  uint32_t *frames = lanes<uint32_t>(programField.frameBase);
  uint32_t *ends = lanes<uint32_t>(programField.stackPointer);
  uint32_t callerFrames[32], calleeFrames[32];
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    callerFrames[lane] = frames[lane];
    uint64_t start = llvm::alignTo(uint64_t(ends[lane]) + kept, 16);
    uint64_t end = start + callee.frameBytes;
    if (end + stackSlack > localWindowSize)
      return fail(inst, mask, ReportKind::StackOverflow,
                  "the call of '" + callee.function->name + "' at depth " +
                      llvm::Twine(currentField->calls.size() + 1) + " needs " +
                      llvm::Twine(end) + " bytes of stack; a thread has " +
                      llvm::Twine(localWindowSize));
    calleeFrames[lane] = start;
  }
  bool whole = mask == activeField;
  Fragment &fragment = whole ? *currentField : split(mask);
  if (!whole)
    leaveLoop();
  CallFrame frame;
  frame.call = inst;
  if (recursive)
    frame.saved = save(callee);
  copyArguments(mask, inst->as<CallInfo>().arguments, registers, callerFrames,
                callee.parameters, calleeFrames);
  size_t depth = fragment.calls.size();
  fragment.calls.push_back(std::move(frame));
  if (links.size() <= depth)
    links.resize(depth + 1);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    links[depth][lane] = {callerFrames[lane], ends[lane]};
    frames[lane] = calleeFrames[lane];
    ends[lane] = calleeFrames[lane] + callee.frameBytes;
  }
  if (listenerField) [[unlikely]]
    tellFrame(inst, mask, callee, frames);
  const Inst *target = programField.code.data() + callee.first;
  if (!whole) {
    fragment.pc = target;
    return inst + 1;
  }
  if (fragments.size() > 1)
    leaveLoop();
  return target;
}

const Inst *Warp::ret(const Inst *inst, uint32_t mask) {
  if (currentField->calls.empty())
    return exit(inst, mask);
  bool whole = mask == activeField;
  Fragment &fragment = whole ? *currentField : split(mask);
  CallFrame frame = fragment.calls.pop_back_val();
  const ProgramFunction &callee = programField.functionOf(inst);
  uint32_t *frames = lanes<uint32_t>(programField.frameBase);
  uint32_t *ends = lanes<uint32_t>(programField.stackPointer);
  uint32_t callerFrames[32], calleeFrames[32];
  const std::array<Link, 32> &back = links[fragment.calls.size()];
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    calleeFrames[lane] = frames[lane];
    frames[lane] = callerFrames[lane] = back[lane].frame;
    ends[lane] = back[lane].end;
  }
  // Results in registers of a recursive function are in the region that comes
  // back to life, so they are read from a copy of it.
  const char *from = registers;
  std::shared_ptr<const SavedRegisters> results;
  if (frame.saved) {
    results = save(callee);
    from = results->bytes.data() - callee.registersBegin;
    restore(callee, *frame.saved, mask);
  }
  copyArguments(mask, callee.results, from, calleeFrames,
                frame.call->as<CallInfo>().results, callerFrames);
  leaveLoop(); // Others may stand where these lanes come back to.
  if (whole)
    return frame.call + 1;
  fragment.pc = frame.call + 1;
  return inst + 1;
}
