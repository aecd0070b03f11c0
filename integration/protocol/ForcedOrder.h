//===- ForcedOrder.h - What barriers force to happen in order - -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One run is one of many orders. What holds in all of them is what the code
// forces: a graph of events, with an arrow from one to another if the first is
// over before the second begins, whatever the schedule. Two things overlap if
// no path leads from one to the other.
//
//   a warp          its instructions, one after the other
//   a bulk copy     begins when it is issued, and completes a phase
//   a product       begins when it is issued, behind the products before it; a
//                   commit, or the wait for its group, is behind it
//   a phase         behind all arrivals and bytes that it counts
//   a wait          behind the phase that it waits for
//
// The graph is made from the PTX, walked for given sizes (Walk.h); the plan
// only gives the names. There are more arrows than the hardware promises
// (products of different sums are ordered here), so 'no path' is a safe answer.

#ifndef DRAWLOOM_INTEGRATION_PROTOCOL_FORCEDORDER_H
#define DRAWLOOM_INTEGRATION_PROTOCOL_FORCEDORDER_H

#include "drawloom/Analysis/Plan/Plan.h"
#include "drawloom/Protocol/Walk.h"
#include <map>

namespace drawloom::protocol {

class ForcedOrder {
public:
  struct Node {
    enum class Kind { Instruction, Copy, Mma, Commit, Phase, Meeting };
    Kind kind;
    /// Not of phases and syncs.
    unsigned warp = 0;
    Event event = {};
    /// Slots of each pipe that this warp has waited for before, as who fills
    /// and as who empties.
    std::map<std::string, int64_t> filled = {}, emptied = {};
  };

  /// Walks every warp of `plan`'s kernel with `parameters`, in a grid of one
  /// CTA.
  static llvm::Expected<ForcedOrder>
  create(const plan::Plan &plan, const ptx::Function &kernel,
         const std::vector<uint64_t> &parameters);

  llvm::ArrayRef<Node> nodes() const { return allNodes; }
  const plan::Role *getRole(const Node &node) const;
  const plan::Plan &getPlan() const { return *plan; }

  /// A shortest path from one of `from` to one of `to`, both included; empty if
  /// there is none.
  std::vector<unsigned> findPath(llvm::ArrayRef<unsigned> from,
                                 llvm::ArrayRef<unsigned> to) const;
  /// A node as text.
  std::string describe(unsigned node) const;

private:
  /// What is known of a warp up to one of its events.
  struct WarpPath {
    unsigned warp = 0;
    std::optional<unsigned> last = {}, lastMma = {}, lastOfGroup = {};
    std::vector<std::optional<unsigned>> groups = {};
    /// Barriers of the CTA that it has come to.
    unsigned met = 0;
    std::map<int64_t, int64_t> arrivals = {}, waits = {}, firstParity = {};
    std::map<std::string, int64_t> filled = {}, emptied = {};
  };

  explicit ForcedOrder(const plan::Plan &plan) : plan(&plan) {}
  unsigned add(Node node);
  void connect(unsigned from, unsigned to) { next[from].push_back(to); }
  void addEvent(WarpPath &path, const Event &event);
  void addWait(WarpPath &path, const Event &event, unsigned node);
  unsigned getPhase(int64_t barrier, int64_t number);
  std::string nameBarrier(int64_t barrier) const;

  const plan::Plan *plan;
  std::vector<Node> allNodes;
  std::vector<std::vector<unsigned>> next;
  std::map<std::pair<int64_t, int64_t>, unsigned> phases;
  std::vector<unsigned> syncs;
};

} // namespace drawloom::protocol

#endif // DRAWLOOM_INTEGRATION_PROTOCOL_FORCEDORDER_H
