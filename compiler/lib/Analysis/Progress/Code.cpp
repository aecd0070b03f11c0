//===- Code.cpp - The programs of the roles as instructions ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Code.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace drawloom::progress;

namespace {
/// Writes the code of one role.
class RoleWriter {
public:
  RoleWriter(Code &code, RoleId role)
      : code(code), network(code.network), role(role), out(code.roles[role]) {}

  void write();

private:
  /// A scope with a lag, to be flushed when the loop around it is left.
  struct Lagging {
    bool produce;
    PipeId pipe;
    const Step *step;
    bool operator==(const Lagging &other) const {
      return produce == other.produce && pipe == other.pipe;
    }
  };
  using LaggingList = llvm::SmallVector<Lagging, 4>;

  void write(const Body &body);
  void write(const Step &step, const Loop &loop) {
    writeLoop(step, loop.trips, /*overItems=*/false, loop.body);
  }
  void write(const Step &step, const ItemLoop &loop) {
    writeLoop(step, Count::of(loop.stream), /*overItems=*/true, loop.body);
  }
  void write(const Step &step, const OnItems &items);
  void write(const Step &step, const Produce &scope);
  void write(const Step &step, const Consume &scope);
  void write(const Step &step, const Arrive &event);
  void write(const Step &step, const Wait &event);
  void write(const Step &step, const Transfer &event);
  void write(const Step &, const Relinquish &) {}
  void write(const Step &, const Launch &) {}

  void writeLoop(const Step &step, Count trips, bool overItems,
                 const Body &body);
  void flush(const LaggingList &list);
  void touch(unsigned object);
  void remember(const Lagging &entry) {
    if (!llvm::is_contained(lagging, entry))
      lagging.push_back(entry);
  }
  unsigned consumerIndex(PipeId pipe) const {
    return llvm::find_if(network.pipes[pipe].consumers,
                         [&](const Consumer &c) { return c.role == role; }) -
           network.pipes[pipe].consumers.begin();
  }

  Code &code;
  const Network &network;
  RoleId role;
  std::vector<Instruction> &out;
  llvm::SmallVector<unsigned, 4> loops;
  LaggingList lagging;
};
} // namespace

void RoleWriter::touch(unsigned object) {
  for (unsigned loop : loops)
    code.loops[loop].touches.set(object);
}

void RoleWriter::flush(const LaggingList &list) {
  for (const Lagging &entry : list)
    out.push_back({.op = entry.produce ? Op::fill : Op::release,
                   .object = entry.pipe,
                   .consumer = entry.produce ? 0 : consumerIndex(entry.pipe),
                   .step = entry.step});
}

void RoleWriter::writeLoop(const Step &step, Count trips, bool overItems,
                           const Body &body) {
  unsigned index = code.loops.size();
  unsigned begin = out.size();
  unsigned size = network.pipes.size() + network.barriers.size();
  code.loops.push_back(
      {role, trips, overItems, begin, 0, 0, loops, llvm::SmallBitVector(size)});
  out.push_back({.op = Op::loopBegin, .object = index, .step = &step});
  loops.push_back(index);
  LaggingList outer = std::exchange(lagging, {});
  write(body);
  LaggingList inner = std::exchange(lagging, std::move(outer));
  loops.pop_back();
  if (out.size() == begin + 1) {
    // Nothing in it can block: whether it runs does not matter.
    out.pop_back();
    code.loops.pop_back();
    return;
  }
  code.loops[index].end = out.size();
  out.push_back({.op = Op::loopEnd, .object = index, .step = &step});
  flush(inner);
  code.loops[index].after = out.size();
}

void RoleWriter::write(const Step &step, const OnItems &items) {
  unsigned begin = out.size();
  out.push_back({.op = Op::guard,
                 .value = items.every,
                 .value2 = items.from,
                 .step = &step});
  write(items.body);
  if (out.size() == begin + 1) {
    out.pop_back();
    return;
  }
  out[begin].target = out.size();
  code.period = std::lcm(code.period, items.every);
}

void RoleWriter::write(const Step &step, const Produce &scope) {
  touch(scope.pipe);
  out.push_back(
      {.op = Op::ownEmpty,
       .object = scope.pipe,
       .broken = scope.bytes.announced != scope.bytes.delivered(),
       .asynchronous = !scope.bytes.copies.empty() ||
                       network.pipes[scope.pipe].engine == Engine::tensorCore,
       .step = &step});
  write(scope.body);
  out.push_back({.op = Op::fill,
                 .object = scope.pipe,
                 .value = scope.lag,
                 .step = &step});
  if (scope.lag)
    remember({true, scope.pipe, &step});
  code.maxLag = std::max(code.maxLag, scope.lag);
}

void RoleWriter::write(const Step &step, const Consume &scope) {
  for (PipeId pipe : scope.pipes) {
    touch(pipe);
    out.push_back({.op = Op::ownFull,
                   .object = pipe,
                   .consumer = consumerIndex(pipe),
                   .step = &step});
  }
  write(scope.body);
  for (PipeId pipe : scope.pipes) {
    out.push_back({.op = Op::release,
                   .object = pipe,
                   .value = scope.lag,
                   .consumer = consumerIndex(pipe),
                   .step = &step});
    if (scope.lag)
      remember({false, pipe, &step});
  }
  code.maxLag = std::max(code.maxLag, scope.lag);
}

void RoleWriter::write(const Step &step, const Arrive &event) {
  touch(network.pipes.size() + event.barrier);
  out.push_back({.op = Op::arrive, .object = event.barrier, .step = &step});
  auto &members = code.members[event.barrier];
  if (!llvm::is_contained(members, role))
    members.push_back(role);
}

void RoleWriter::write(const Step &step, const Wait &event) {
  touch(network.pipes.size() + event.barrier);
  out.push_back({.op = Op::wait, .object = event.barrier, .step = &step});
}

void RoleWriter::write(const Step &step, const Transfer &event) {
  int64_t warps = event.oneWarp ? 1 : network.roles[role].warps;
  out.push_back({.op = event.take ? Op::take : Op::give,
                 .object = event.pool,
                 .value = event.amount * warps,
                 .step = &step});
}

void RoleWriter::write(const Body &body) {
  for (const Step &step : body)
    std::visit([&](const auto &what) { write(step, what); }, step.what);
}

void RoleWriter::write() {
  write(network.roles[role].body);
  flush(lagging);
  out.push_back({.op = Op::end});
}

/// Whether each arrival of the role at the barrier is followed by a wait there
/// before the next one: then it cannot arrive twice in a phase.
static bool alwaysWaits(const std::vector<Instruction> &code,
                        BarrierId barrier) {
  // In code order, arrive and wait alternate, and no loop begins or ends
  // between an arrive and its wait.
  bool arrived = false;
  for (const Instruction &instruction : code) {
    bool here = instruction.object == barrier;
    if (instruction.op == Op::arrive && here) {
      if (arrived)
        return false;
      arrived = true;
    } else if (instruction.op == Op::wait && here) {
      arrived = false;
    } else if (arrived &&
               (instruction.op == Op::loopBegin ||
                instruction.op == Op::loopEnd || instruction.op == Op::guard)) {
      return false;
    }
  }
  return true;
}

Code::Code(const Network &network)
    : network(network), roles(network.roles.size()),
      members(network.barriers.size()) {
  for (RoleId role = 0; role < network.roles.size(); ++role)
    RoleWriter(*this, role).write();

  slotSizes.resize(network.sizes.size());
  for (const Pipe &pipe : network.pipes) {
    if (pipe.slots.size)
      slotSizes[*pipe.slots.size] = true;
    bool divides = false;
    for (const Consumer &consumer : pipe.consumers) {
      divides |= consumer.every > 1;
      period = std::lcm(period, consumer.every);
    }
    divided.push_back(divides);
    canBeEarly |= divides;
    if (!pipe.slots.size)
      maxSlots = std::max(maxSlots, pipe.slots.offset);
  }
  for (BarrierId barrier = 0; barrier < network.barriers.size(); ++barrier) {
    loose.push_back(!llvm::all_of(members[barrier], [&](RoleId role) {
      return alwaysWaits(roles[role], barrier);
    }));
    canBeEarly |= loose.back();
  }
}
