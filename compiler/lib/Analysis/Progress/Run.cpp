//===- Run.cpp - One run at given sizes -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "drawloom/Analysis/Progress/Prove.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::progress;

std::vector<int64_t> drawloom::progress::slotCounts(const Network &network,
                                                    const Sizes &sizes) {
  std::vector<int64_t> slots;
  for (const Pipe &pipe : network.pipes)
    slots.push_back(pipe.slots.size
                        ? sizes.at(*pipe.slots.size) + pipe.slots.offset
                        : pipe.slots.offset);
  return slots;
}

/// The item that a role is in, for sizes that differ between items.
static int64_t itemOf(const Code &code, const RoleState &role) {
  for (const Frame &frame : llvm::reverse(role.frames))
    if (code.loops[frame.loop].overItems)
      return frame.iteration;
  return 0;
}

std::optional<Failure> drawloom::progress::fillFailure(const Machine &machine,
                                                       bool early,
                                                       const Sizes &sizes) {
  Failure failure;
  failure.sizes = sizes;
  if (early) {
    WaitingEvent event = machine.describe(machine.earlyRole);
    failure.kind = event.kind == WaitingEvent::Kind::barrier
                       ? Failure::Kind::earlyArrive
                       : Failure::Kind::earlyWait;
    failure.waiting = {std::move(event)};
    return failure;
  }
  if (!machine.allEnded()) {
    machine.explain(failure);
    return failure;
  }
  std::optional<PipeId> pipe = machine.findUnconsumed();
  if (!pipe)
    return std::nullopt;
  failure.kind = Failure::Kind::unconsumed;
  const Pipe &description = machine.code.network.pipes[*pipe];
  failure.waiting.push_back({.kind = WaitingEvent::Kind::slotEmpty,
                             .role = description.producer,
                             .object = *pipe,
                             .location = description.location});
  return failure;
}

std::optional<Failure> drawloom::progress::run(const Code &code,
                                               const Sizes &sizes,
                                               uint64_t &steps,
                                               uint64_t maxSteps) {
  auto another = [&](const RoleState &role, unsigned loop,
                     int64_t iteration) -> std::optional<bool> {
    const Count &trips = code.loops[loop].trips;
    return iteration <
           trips.at(trips.size ? sizes.at(*trips.size, itemOf(code, role)) : 0);
  };
  Machine machine(code, slotCounts(code.network, sizes));
  machine.steps = steps;
  bool early = !machine.runOn(another, maxSteps);
  steps = machine.steps;
  // Roles that were stopped on their way don't wait for anything.
  if (steps >= maxSteps) {
    Failure unknown;
    unknown.sizes = sizes;
    return unknown;
  }
  return fillFailure(machine, early, sizes);
}

std::optional<Failure> drawloom::progress::run(const Network &network,
                                               const Sizes &sizes) {
  uint64_t steps = 0;
  return run(Code(network), sizes, steps, std::numeric_limits<uint64_t>::max());
}
