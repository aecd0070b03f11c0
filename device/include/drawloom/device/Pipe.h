//===- Pipe.h - Slots that go from one role to others --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_PIPE_H
#define DRAWLOOM_DEVICE_PIPE_H

#include "drawloom/device/Role.h"
#include "drawloom/device/Tile.h"
#include <type_traits>

namespace drawloom::device {

/// A ring of slots from one role to another. Each slot has two barriers. `full`
/// ends a phase when the producer has filled the slot, `empty` when the
/// consumer has left it. Everything that a barrier has to know follows from
/// the roles and the payload.
template <Name name_, class Producer_, class Consumer_, int slots_,
          class Payload_>
struct Pipe {
  using Producer = Producer_;
  using Consumer = Consumer_;
  using Payload = Payload_;
  static constexpr auto name = name_;
  static constexpr int slots = slots_;
  static constexpr int fullArrivals = Producer::arrivals;
  static constexpr int emptyArrivals = Consumer::arrivals;

  static_assert(name.isWord(),
                "drawloom: the name of a pipe is one word in ASCII, without "
                "spaces and semicolons");
  static_assert(slots > 0, "drawloom: a pipe has at least one slot");
  static_assert(!std::is_same_v<Producer, Consumer>,
                "drawloom: a role can't consume what it produces itself");
  static_assert(slots == 1 || !std::is_same_v<Payload, Turn>,
                "drawloom: a pipe of turns has one slot: with more, its "
                "producer doesn't wait for its consumer's turn");
  static_assert((Payload::place == Place::Tensor) ==
                    (Producer::by == By::TensorCore),
                "drawloom: tensor cores produce accumulators, and nothing else "
                "does");
};

/// A role's place in a pipe.
struct Cursor {
  uint32_t slot = 0, phase = 0;

  template <int slots>
  __device__ void advance() {
    if (++slot < slots)
      return;
    slot = 0;
    phase ^= 1;
  }
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_PIPE_H
