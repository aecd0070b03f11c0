//===- Explore.h - One order of a kernel's steps, for all orders - C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A role is lanes with one automaton (Paths.h). What roles do is tried in one
// order, with both answers to everything that a launch decides. One order is
// enough if no step can keep another from being taken: then all orders come to
// the same end. Steps at barriers can, by a phase that is over too early:
//
//   - a wait for a phase, if the next one is over before it
//   - an arrival, if it may count for the phase before
//   - anything before mbarrier.init
//
// So with each step goes what its thread knows to have happened before it, in
// every order: what came before in the thread, and, after a wait, what those
// knew who arrived. What isn't known where it has to be is a failure:
//
//   a phase is over      the waits for the phase before it, of all roles
//   an arrival           the end of the phase before
//   a use                the set-up
//
// Members of a role take the same steps and know the same, but for what the
// others have done; that is known where all have arrived.
//
// What a launch decides (Decisions.h) is a tape for each condition. The role
// that is first writes it, one way and the other; roles that come later read
// what is on it. A tape is kept from the slowest reader to the fastest.

#ifndef DRAWLOOM_PROTOCOL_EXPLORE_H
#define DRAWLOOM_PROTOCOL_EXPLORE_H

#include "drawloom/Protocol/Claims.h"

namespace drawloom::protocol {

struct Role {
  struct Member {
    WarpId warp;
    uint32_t lanes;
  };
  Automaton automaton;
  std::map<Step, uint32_t> lines;
  std::vector<Member> members;
};

struct Exploration {
  std::string why; ///< Why a warp may deadlock; empty if none does.
  unsigned states = 0;
  bool isTooLarge = false; ///< More states than the limit.
  /// Lines of waits for roles that have left.
  std::set<uint32_t> uneven;
};

Exploration explore(const Claims &claims, llvm::ArrayRef<Role> roles,
                    unsigned limit);

/// "byte 8", and of which CTA if there are several.
std::string nameOf(const Claims &claims, BarrierId id);

} // namespace drawloom::protocol

#endif // DRAWLOOM_PROTOCOL_EXPLORE_H
