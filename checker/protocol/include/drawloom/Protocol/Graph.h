//===- Graph.h - What a kernel says of its roles and pipes ---- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A kernel of the device library has a line about itself in its PTX, a comment:
// which warps have which role, which pipes go from one role to another, and
// where the barriers of their slots are (device/include/drawloom/device/Graph.h
// has the words). With it, waits and arrivals have names, and what each role
// does is a program over pipes:
//
//   findGraph, parseGraph   PTX -> Graph
//   followRoles             Graph, Claims -> Roles   what each role does
//
// Invariant: what any run of a role does is a run of its program, if nothing is
// at odds and nothing is outside. Slots come in the order of the ring, each
// with the parity that is due, and what is taken is given on.

#ifndef DRAWLOOM_PROTOCOL_GRAPH_H
#define DRAWLOOM_PROTOCOL_GRAPH_H

#include "drawloom/Protocol/Claims.h"

namespace drawloom::protocol {

struct Graph {
  struct Role {
    std::string name;
    unsigned firstWarp = 0, warps = 0;
    /// "tma", "tensor-core", "threads", "warp-groups" or "clc".
    std::string by;
  };
  struct Pipe {
    std::string name;
    unsigned producer = 0;
    std::vector<unsigned> consumers;
    unsigned slots = 0;
    /// "shared", "tensor" or "message", how far it is from a slot to the next,
    /// and where the first one is: bytes, or columns.
    std::string memory;
    int64_t size = 0, start = 0;
    /// Where the barriers of the first slot are, and how often it is arrived
    /// there.
    int64_t full = 0, empty = 0;
    int64_t fullArrivals = 0, emptyArrivals = 0;
    /// That copies bring; 0 if they don't.
    int64_t bytes = 0;
  };
  /// A barrier outside pipes.
  struct Other {
    std::string name;
    int64_t byte = 0;
  };
  unsigned threads = 0;
  /// CTAs of a cluster below each other, and side by side.
  unsigned rows = 1, columns = 1;
  bool isPaired = false, isDynamic = false;
  /// Shared memory of a CTA, and its columns of tensor memory.
  int64_t sharedBytes = 0, tensorColumns = 0;
  std::vector<Role> roles;
  std::vector<Pipe> pipes;
  std::vector<Other> others;

  unsigned ctas() const { return rows * columns; }
  /// By byte: "slot 0 of 'operands' is full".
  std::map<int64_t, std::string> nameBarriers() const;
  /// The role of a warp, if it has one.
  std::optional<unsigned> roleOf(unsigned warp) const;
};

/// The line about a kernel in the PTX that it was parsed from.
std::optional<llvm::StringRef> findGraph(const ptx::Function &kernel,
                                         llvm::StringRef source);
llvm::Expected<Graph> parseGraph(llvm::StringRef line);

/// A part of a role's program.
struct Use {
  enum class Kind {
    Items, ///< The body, for each item.
    Steps, ///< The body, for each K tile.
    Take,  ///< Waits for the next slot of a pipe,
    Give,  ///< and gives on the oldest that it has.
    Scope  ///< Has the next slot while the body runs, and `lag` runs longer.
  };
  Kind kind = Kind::Items;
  unsigned pipe = 0;
  unsigned lag = 0;
  uint32_t line = 0;
  std::vector<Use> body = {};
};
using Program = std::vector<Use>;

/// What all warps of a role do, in all CTAs that have it.
struct FollowedRole {
  Program program;
  unsigned ctas = 0;
};

struct FollowedRoles {
  std::vector<FollowedRole> roles; ///< As in the graph.
  std::vector<Misfit> misfits;
  std::string outside; ///< Why there are no programs; else empty.
};

/// Expects claims with `hasGraph`.
FollowedRoles followRoles(const Claims &claims, const Graph &graph);

/// Looks at the slots and parities of a strand of a role; in the result, waits
/// are takes and arrivals gives of whole slots, with the pipe as the number.
/// None if something doesn't fit.
std::optional<Strand> foldRings(const Strand &strand, unsigned role,
                                const Graph &graph,
                                std::vector<Misfit> &misfits);

/// The program that an automaton of takes, gives and marks is of. If there is
/// none, `outside` says why.
Program findProgram(const Strand &strand, const Graph &graph,
                    std::string &outside);

} // namespace drawloom::protocol

#endif // DRAWLOOM_PROTOCOL_GRAPH_H
