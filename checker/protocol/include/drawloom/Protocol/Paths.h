//===- Paths.h - The orders in which lanes use mbarriers ------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Claims.h says what is done to each mbarrier; this says in which order. The
// paths of a warp are a graph: states of the walk (Walk.h), and between them
// what is done to mbarriers. Lanes part where a branch or a guard tells them
// apart, and each lane has its own ways through the graph.
//
//   Paths                            Automaton of the lane that fills slots
//     o -- wait empty, parity 1 --> o       0 -- wait empty 1 --> 1
//     |                             |       1 -- arrive full  --> 2
//     o <----- arrive full -------- o       2 -- wait empty 0 --> 3 ...
//
// Invariant: the sequence of waits and arrivals of a lane, in any run, is a
// word of its automaton, if the warp was followed whole.

#ifndef DRAWLOOM_PROTOCOL_PATHS_H
#define DRAWLOOM_PROTOCOL_PATHS_H

#include "drawloom/Protocol/Walk.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <compare>
#include <set>

namespace drawloom::protocol {

/// A barrier: its CTA in the cluster, and its byte in shared memory there.
struct BarrierId {
  unsigned rank = 0;
  int64_t byte = 0;

  /// At an address in the emulator's shared window, or in that space itself.
  static BarrierId at(uint64_t address);
  auto operator<=>(const BarrierId &) const = default;
};

/// Something that a lane does to a barrier, in its place among what else it
/// does.
struct Step {
  enum class Kind : uint8_t {
    Arrive, ///< `number` times.
    Wait,   ///< For parity `number`.
    // Of kernels with a graph (Graph.h):
    Copy, ///< To a barrier of another CTA.
    Mark,
    // Of others:
    Init, ///< For `number` arrivals.
    Invalidate,
    /// At barrier `barrier.byte` of the CTA, for `number` threads (0: all):
    /// comes and waits, or comes only.
    Sync,
    Come,
    ClusterArrive,
    ClusterWait,
    /// In line `number >> 32`, for the lanes `number` of warp `barrier.byte`.
    Together,
    /// Decides about number `number / 2` of Claims::decisions: `number % 2`.
    Decide,
    /// From here on, a thread has `number` registers: fewer, or more than
    /// before.
    GiveRegisters,
    TakeRegisters,
    /// Allocates columns of tensor memory.
    Allocate
  };
  Kind kind = Kind::Arrive;
  BarrierId barrier;
  int64_t number = 0;

  bool isWait() const { return kind == Kind::Wait; }
  /// Whether a lane does it at once and on its own.
  bool gives() const {
    return kind == Kind::Arrive || kind == Kind::Init ||
           kind == Kind::Invalidate || kind == Kind::Copy ||
           kind == Kind::Mark || kind == Kind::Come;
  }

  auto operator<=>(const Step &) const = default;
};

/// The paths of one warp.
class Paths {
public:
  /// The node of a state of the walk, by its number.
  unsigned nodeOf(unsigned state);
  /// From one node to another, for the lanes of `lanes`.
  void connect(unsigned from, unsigned to, uint32_t lanes);
  /// To a new node: lanes of `by` do it, and all of `lanes` go on.
  unsigned append(unsigned from, const Step &step, uint32_t line, uint32_t by,
                  uint32_t lanes);
  void end(unsigned at, uint32_t lanes) { nodes[at].ending |= lanes; }

private:
  friend class AutomatonBuilder;
  struct Edge {
    unsigned to;
    uint32_t lanes;  ///< That go this way.
    uint32_t by = 0; ///< Of them, those that do `step`.
    Step step = {};
    uint32_t line = 0;
  };
  struct Node {
    uint32_t ending = 0; ///< Lanes that leave the kernel here.
    llvm::SmallVector<Edge, 2> edges;
  };
  std::vector<Node> nodes = std::vector<Node>(1); ///< The first is the start.
  std::map<unsigned, unsigned> byState;
};

/// What lanes may do, step by step; the smallest that says so. It starts in
/// state 0.
struct Automaton {
  struct Edge {
    Step step;
    unsigned to;

    auto operator<=>(const Edge &) const = default;
  };
  struct State {
    bool mayEnd = false;
    std::vector<Edge> edges; ///< Ordered; no two with the same step.

    auto operator<=>(const State &) const = default;
  };
  std::vector<State> states;

  auto operator<=>(const Automaton &) const = default;
};

/// Lanes of a warp that have the same automaton, in which arrivals are those of
/// all of them together.
struct Strand {
  uint32_t lanes = 0;
  Automaton automaton;
  /// By step: a line that does it.
  std::map<Step, uint32_t> lines;

  /// The barriers and parities that it waits for.
  std::set<Step> waits() const;
};

/// Those of a warp that do anything to barriers. None if an automaton would
/// have more than `limit` states.
std::optional<std::vector<Strand>> findStrands(const Paths &paths,
                                               unsigned limit);

/// What is left of an automaton without some of its steps.
Automaton without(const Automaton &automaton,
                  llvm::function_ref<bool(const Step &)> isLeftOut);

} // namespace drawloom::protocol

#endif // DRAWLOOM_PROTOCOL_PATHS_H
