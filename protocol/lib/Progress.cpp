//===- Progress.cpp - Whether somebody waits for ever ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Protocol/Progress.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::protocol;
using llvm::formatv;
using Kind = Event::Kind;

namespace {

/// Lanes with the same automaton.
struct Role {
  Automaton automaton;
  std::map<Step, uint32_t> lines;
  WarpId first; ///< A warp of it.
  unsigned members = 0;
  /// By state: barriers that it may still arrive at.
  std::vector<llvm::BitVector> mayArrive;
};

struct Mbarrier {
  BarrierId id;
  /// If nobody waits for it, it doesn't matter.
  bool isAwaited = false;
  /// The roles that arrive there, once in each phase.
  llvm::SmallVector<unsigned, 4> roles = {};
};

/// Where all roles are, and of each barrier the parity and who has arrived.
struct State {
  static constexpr uint16_t ended = 0xffff, odd = 0x8000;
  std::vector<uint16_t> roles, barriers;

  llvm::StringRef key(std::string &storage) const {
    storage.clear();
    for (const std::vector<uint16_t> *words : {&roles, &barriers})
      storage.append(reinterpret_cast<const char *>(words->data()),
                     words->size() * sizeof(uint16_t));
    return storage;
  }
};

class Prover {
public:
  Prover(const Claims &claims, const ProgressLimits &limits)
      : claims(claims), limits(limits) {}
  Progress prove();

private:
  // Each is false if `progress.why` says what is in the way.
  bool isFollowed();
  bool findRoles();
  bool findBarriers();
  bool explore();
  bool go(const State &state, unsigned role, const Automaton::Edge &edge);
  bool isFine(const State &state);

  bool fail(std::string why) {
    progress.why = std::move(why);
    return false;
  }
  bool passes(const State &state, const Step &step) const {
    bool isOdd = state.barriers[indices.at(step.barrier)] & State::odd;
    return isOdd != bool(step.number & 1);
  }
  std::string nameOf(BarrierId id) const {
    return claims.ctas() > 1
               ? formatv("byte {0} of CTA {1}", id.byte, id.rank).str()
               : formatv("byte {0}", id.byte).str();
  }
  /// "warp 0 in line 40"
  std::string placeOf(unsigned role, const Step &step) const {
    const Role &its = roles[role];
    std::string text = formatv("warp {0}", its.first.warp);
    if (claims.ctas() > 1)
      text += formatv(" of CTA {0}", its.first.rank);
    return text + formatv(" in line {0}", its.lines.at(step)).str();
  }
  void visit(State state) {
    std::string storage;
    if (visited.insert(state.key(storage)).second)
      work.push_back(std::move(state));
  }

  const Claims &claims;
  const ProgressLimits &limits;
  Progress progress;
  std::vector<Role> roles;
  std::vector<Mbarrier> barriers;
  std::map<BarrierId, unsigned> indices;
  llvm::StringSet<> visited;
  std::vector<State> work;
};

} // namespace

bool Prover::isFollowed() {
  if (!claims.isWhole())
    return fail("not all of it was followed");
  if (claims.isCounted)
    return fail("a slot or a parity is computed from a counter without a "
                "bound, which was followed for some values only");
  return true;
}

bool Prover::findRoles() {
  std::map<Automaton, unsigned> numbers;
  std::vector<std::pair<WarpId, Strand>> waiters;
  auto add = [&](WarpId warp, Strand strand) {
    auto [it, isNew] = numbers.try_emplace(strand.automaton, roles.size());
    if (isNew)
      roles.push_back(
          {std::move(strand.automaton), std::move(strand.lines), warp, 0, {}});
    ++roles[it->second].members;
  };
  std::set<Step> waited;
  for (const auto &[warp, paths] : claims.paths) {
    auto strands = findStrands(*paths, limits.automaton);
    if (!strands)
      return fail(formatv("warp {0} has more than {1} states", warp.warp,
                          limits.automaton));
    for (Strand &strand : *strands) {
      std::set<Step> waits = strand.waits();
      if (waits.size() == strand.lines.size()) {
        waiters.push_back({warp, std::move(strand)});
        continue;
      }
      waited.insert(waits.begin(), waits.end());
      add(warp, std::move(strand));
    }
  }
  // Who only waits holds up nobody, and goes with those that arrive.
  for (auto &[warp, strand] : waiters)
    if (!llvm::all_of(strand.waits(),
                      [&](const Step &step) { return waited.contains(step); }))
      add(warp, std::move(strand));
  return true;
}

bool Prover::findBarriers() {
  for (const auto &[id, barrier] : claims.barriers) {
    indices[id] = barriers.size();
    barriers.push_back({id, barrier.has(Kind::Wait)});
    std::set<int64_t> counts = barrier.numbersOf(Kind::Init);
    if (counts.size() != 1)
      return fail(formatv("the mbarrier at {0} is set up for several counts",
                          nameOf(id)));
    int64_t arrivals = 0;
    for (auto [number, role] : llvm::enumerate(roles)) {
      std::set<int64_t> times;
      for (const auto &[step, line] : role.lines)
        if (!step.isWait() && step.barrier == id)
          times.insert(step.number);
      if (times.empty())
        continue;
      arrivals += *times.rbegin() * role.members;
      barriers.back().roles.push_back(number);
      if (times.size() > 1)
        return fail(formatv("warp {0} arrives at the mbarrier at {1} with "
                            "different counts",
                            role.first.warp, nameOf(id)));
    }
    if (barriers.back().isAwaited && arrivals != *counts.begin())
      return fail(formatv("the mbarrier at {0} has a count of {1}, and roles "
                          "that arrive there have {2} arrivals",
                          nameOf(id), *counts.begin(), arrivals));
  }
  if (llvm::any_of(barriers,
                   [](const Mbarrier &one) { return one.roles.size() > 15; }))
    return fail("more than 15 roles arrive at one mbarrier");
  for (Role &role : roles) {
    std::vector<Automaton::State> &states = role.automaton.states;
    role.mayArrive.assign(states.size(), llvm::BitVector(barriers.size()));
    for (bool changed = true; changed;) {
      changed = false;
      for (auto [state, may] : llvm::zip(states, role.mayArrive)) {
        llvm::BitVector before = may;
        for (const Automaton::Edge &edge : state.edges) {
          if (!edge.step.isWait())
            may.set(indices.at(edge.step.barrier));
          may |= role.mayArrive[edge.to];
        }
        changed |= may != before;
      }
    }
  }
  return true;
}

/// A role takes a step.
bool Prover::go(const State &state, unsigned role,
                const Automaton::Edge &edge) {
  State next = state;
  next.roles[role] = static_cast<uint16_t>(edge.to);
  const Mbarrier &barrier = barriers[indices.at(edge.step.barrier)];
  if (!edge.step.isWait() && barrier.isAwaited) {
    uint16_t &word = next.barriers[indices.at(edge.step.barrier)];
    auto bit = static_cast<uint16_t>(
        1 << (llvm::find(barrier.roles, role) - barrier.roles.begin()));
    if (word & bit)
      return fail(placeOf(role, edge.step) + " may arrive at " +
                  nameOf(barrier.id) + " twice in one phase");
    word |= bit;
    if ((word & ~State::odd) == (1 << barrier.roles.size()) - 1)
      word = (word & State::odd) ^ State::odd;
  }
  visit(std::move(next));
  return true;
}

/// Whether somebody can go on, or would if roles had the same trip counts.
bool Prover::isFine(const State &state) {
  // For each role a wait in vain, and a role that would have to arrive.
  std::vector<std::optional<std::pair<Step, unsigned>>> circle(roles.size());
  for (auto [number, role] : llvm::enumerate(roles)) {
    if (state.roles[number] == State::ended)
      continue;
    bool isBlocked = false;
    for (const Automaton::Edge &edge :
         role.automaton.states[state.roles[number]].edges) {
      if (!edge.step.isWait() || passes(state, edge.step))
        continue;
      isBlocked = true;
      unsigned index = indices.at(edge.step.barrier);
      std::optional<unsigned> awaited;
      bool hasLeft = false;
      for (auto [bit, other] : llvm::enumerate(barriers[index].roles)) {
        if (state.barriers[index] >> bit & 1)
          continue;
        awaited = other;
        uint16_t at = state.roles[other];
        hasLeft |= at == State::ended || !roles[other].mayArrive[at][index];
      }
      // Nobody arrives there: `awaited` is the role itself.
      if (!hasLeft)
        circle[number] = {edge.step, awaited.value_or(number)};
    }
    if (!isBlocked || !circle[number])
      return true;
  }
  // Who waits for itself is told first.
  std::optional<unsigned> first;
  for (auto [number, wait] : llvm::enumerate(circle))
    if (wait && (!first || wait->second == number))
      first = number;
  if (!first)
    return true;
  const auto &[step, other] = *circle[*first];
  if (other == *first)
    return fail(placeOf(*first, step) + " waits for " + nameOf(step.barrier) +
                ", where nobody else arrives");
  return fail(placeOf(*first, step) + " and " +
              placeOf(other, circle[other]->first) +
              " may wait for each other");
}

bool Prover::explore() {
  State first;
  first.roles.assign(roles.size(), 0);
  first.barriers.assign(barriers.size(), 0);
  visit(std::move(first));
  while (!work.empty()) {
    State state = std::move(work.back());
    work.pop_back();
    if (visited.size() > limits.states)
      return fail(formatv("{0} roles have more than {1} states together",
                          roles.size(), limits.states));
    if (!isFine(state))
      return false;
    for (auto [number, role] : llvm::enumerate(roles)) {
      if (state.roles[number] == State::ended)
        continue;
      const Automaton::State &at = role.automaton.states[state.roles[number]];
      if (at.mayEnd) {
        State next = state;
        next.roles[number] = State::ended;
        visit(std::move(next));
      }
      for (const Automaton::Edge &edge : at.edges)
        if (!edge.step.isWait() || passes(state, edge.step))
          if (!go(state, number, edge))
            return false;
    }
  }
  return true;
}

Progress Prover::prove() {
  progress.isProved =
      isFollowed() && findRoles() && findBarriers() && explore();
  progress.roles = roles.size();
  progress.states = visited.size();
  return std::move(progress);
}

Progress protocol::proveProgress(const Claims &claims,
                                 const ProgressLimits &limits) {
  return Prover(claims, limits).prove();
}
