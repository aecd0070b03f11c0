//===- Explain.cpp - What a machine that stands still waits for -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::progress;

static std::string describeBytes(const Bytes &bytes) {
  std::string text = "announces " + std::to_string(bytes.announced) +
                     " bytes, delivers " + std::to_string(bytes.delivered());
  if (bytes.copies.size() > 1) {
    text += " (";
    for (auto [i, copy] : llvm::enumerate(bytes.copies))
      text += (i ? " + " : "") + std::to_string(copy);
    text += ")";
  }
  return text;
}

/// The sums of a produce of this pipe that don't agree.
static std::string findBytes(const Code &code, PipeId pipe) {
  for (const std::vector<Instruction> &role : code.roles)
    for (const Instruction &instruction : role)
      if (instruction.op == Op::ownEmpty && instruction.object == pipe &&
          instruction.broken)
        return describeBytes(std::get<Produce>(instruction.step->what).bytes);
  return "";
}

void Machine::describePipe(const Instruction &instruction,
                           WaitingEvent &event) const {
  const PipeState &pipe = state.pipes[event.object];
  const Pipe &description = code.network.pipes[event.object];
  int64_t count = slots[event.object];
  if (event.kind == WaitingEvent::Kind::slotEmpty) {
    event.content = pipe.produced;
    event.slot = event.content % count;
    event.phase = event.content / count - 1;
    if (pipe.ring.empty())
      return;
    const SlotState &oldest = pipe.ring.front();
    if (oldest.fill == SlotState::owned)
      event.blockers.push_back(event.role);
    else if (oldest.broken)
      event.reason = "its last content never became full: @" +
                     code.network.roles[description.producer].name + " " +
                     findBytes(code, event.object);
    for (auto [index, consumer] : llvm::enumerate(description.consumers))
      if (oldest.fill == SlotState::full && (oldest.pending >> index & 1))
        event.blockers.push_back(consumer.role);
    return;
  }
  event.content = pipe.consumed[instruction.consumer];
  event.blockers.push_back(description.producer);
  // The place in the ring of the slot that this consumer takes next.
  std::optional<int64_t> content;
  for (auto [index, slot] : llvm::enumerate(pipe.ring)) {
    if (!((slot.pending & ~slot.taken) >> instruction.consumer & 1))
      continue;
    content = pipe.produced - static_cast<int64_t>(pipe.ring.size() - index);
    if (slot.broken)
      event.reason = "@" + code.network.roles[description.producer].name + " " +
                     findBytes(code, event.object);
    break;
  }
  if (!content && !code.divided[event.object])
    content = event.content;
  event.slot = content ? *content % count : -1;
  event.phase = content ? *content / count : -1;
}

WaitingEvent Machine::describe(RoleId role) const {
  const Instruction &instruction = this->instruction(role);
  WaitingEvent event{.kind = WaitingEvent::Kind::slotEmpty,
                     .role = role,
                     .object = instruction.object,
                     .item = itemOf(role),
                     .location = instruction.step->location};
  const Network &network = code.network;
  switch (instruction.op) {
  case Op::ownFull:
    event.kind = WaitingEvent::Kind::slotFull;
    describePipe(instruction, event);
    break;
  case Op::arrive:
  case Op::wait: {
    event.kind = WaitingEvent::Kind::barrier;
    const auto &arrivals = state.barriers[event.object].arrivals;
    int64_t own = arrivals[memberIndex(event.object, role)];
    event.content = event.phase = own - 1;
    int64_t warps = 0;
    for (auto [member, count] :
         llvm::zip(code.members[event.object], arrivals)) {
      warps += network.roles[member].warps;
      if (count < own)
        event.blockers.push_back(member);
    }
    int64_t expected = network.barriers[event.object].warps;
    if (expected > warps)
      event.reason = "the barrier counts " + std::to_string(expected) +
                     " warps, " + std::to_string(warps) + " arrive";
    break;
  }
  case Op::take:
    event.kind = WaitingEvent::Kind::pool;
    for (RoleId other = 0; other < network.roles.size(); ++other)
      for (const Instruction &later :
           llvm::drop_begin(code.roles[other], state.roles[other].pc))
        if (later.op == Op::give && later.object == event.object &&
            !llvm::is_contained(event.blockers, other))
          event.blockers.push_back(other);
    event.reason = "asks for " + std::to_string(instruction.value) + ", " +
                   std::to_string(state.pools[event.object]) + " are free";
    break;
  default:
    describePipe(instruction, event);
    break;
  }
  for (RoleId blocker : event.blockers)
    if (hasEnded(blocker))
      event.ended.push_back(blocker);
  return event;
}

/// From a role that waits to the one that it waits for, until one comes up
/// twice (only the cycle is kept) or the wait can never end by itself.
static std::vector<unsigned> followBlockers(const Failure &failure,
                                            llvm::ArrayRef<int> indexOf,
                                            unsigned start) {
  std::vector<unsigned> path;
  for (unsigned current = start;;) {
    auto seen = llvm::find(path, current);
    if (seen != path.end()) {
      path.erase(path.begin(), seen);
      return path;
    }
    path.push_back(current);
    const WaitingEvent &event = failure.waiting[current];
    auto next = llvm::find_if(event.blockers,
                              [&](RoleId role) { return indexOf[role] >= 0; });
    if (!event.ended.empty() || !event.reason.empty() ||
        next == event.blockers.end())
      return path;
    current = indexOf[*next];
  }
}

void Machine::explain(Failure &failure) const {
  std::vector<int> indexOf(state.roles.size(), -1);
  for (RoleId role = 0; role < state.roles.size(); ++role) {
    if (hasEnded(role))
      continue;
    indexOf[role] = failure.waiting.size();
    failure.waiting.push_back(describe(role));
  }
  // The shortest chain is the cause; the others wait for it.
  for (unsigned start = 0; start < failure.waiting.size(); ++start) {
    std::vector<unsigned> path = followBlockers(failure, indexOf, start);
    if (failure.slice.empty() || path.size() < failure.slice.size())
      failure.slice = std::move(path);
  }
}
