//===- Progress.cpp - Deadlock-freedom ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Protocol/Progress.h"
#include "Explore.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::protocol;
using llvm::formatv;

namespace {

class Prover {
public:
  Prover(const Claims &claims, const ProgressLimits &limits)
      : claims(claims), limits(limits) {}
  Progress prove();

private:
  // Each is false if `progress.why` says what is in the way.
  bool isFollowed();
  bool findRoles();
  bool explore();
  void addStrands(WarpId warp, std::vector<Strand> strands);
  void forgetDecisions(llvm::function_ref<bool(int64_t)> isForgotten);
  void forgetIdleDecisions();
  void noteChoices();
  void noteResources();

  bool fail(std::string why) {
    progress.why = std::move(why);
    return false;
  }

  const Claims &claims;
  const ProgressLimits &limits;
  Progress progress;
  std::vector<Role> roles;
  std::set<uint32_t> uneven;
  /// Warps that allocate columns, whether they may do so again, and in which
  /// lines.
  std::map<WarpId, bool> allocations;
  std::set<uint32_t> allocating;
};

} // namespace

bool Prover::isFollowed() {
  if (!claims.isWhole())
    return fail("not all of it was followed");
  if (claims.isCounted)
    return fail("a slot or a parity is computed from a counter without a "
                "bound, which was followed for some values only");
  if (claims.threads % lanesOfWarp)
    return fail(
        formatv("{0} threads are no whole number of warps", claims.threads));
  return true;
}

/// Whether a role may take a step of this kind, and whether it may do so again.
static std::pair<bool, bool> mayTake(const Automaton &automaton,
                                     llvm::ArrayRef<Step::Kind> kinds) {
  // By state: how often at least, up to twice.
  std::vector<unsigned> times(automaton.states.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [state, most] : llvm::zip(automaton.states, times))
      for (const Automaton::Edge &edge : state.edges) {
        unsigned here = llvm::is_contained(kinds, edge.step.kind);
        unsigned now = std::min(2u, times[edge.to] + here);
        changed |= now > most;
        most = std::max(most, now);
      }
  }
  return {times[0] > 0, times[0] > 1};
}

/// Lanes that do the same are a role. Those that only wait, and do so together
/// with others of their warp, go with these.
void Prover::addStrands(WarpId warp, std::vector<Strand> strands) {
  auto gives = [](const Step &step) { return step.gives(); };
  auto givesAnything = [&](const Strand &strand) {
    return llvm::any_of(llvm::make_first_range(strand.lines), gives);
  };
  std::vector<Automaton> waits;
  for (const Strand &strand : strands)
    waits.push_back(without(strand.automaton, gives));
  for (auto [number, strand] : llvm::enumerate(strands)) {
    if (givesAnything(strand))
      continue;
    for (auto [other, main] : llvm::enumerate(strands))
      if (other != number && main.lanes && waits[other] == strand.automaton &&
          (givesAnything(main) || other < number)) {
        main.lanes |= strand.lanes;
        strand.lanes = 0;
        break;
      }
  }
  for (Strand &strand : strands) {
    if (!strand.lanes)
      continue;
    // Columns are allocated by one warp of those that do the same else.
    auto [allocates, again] = mayTake(strand.automaton, {Step::Kind::Allocate});
    if (allocates)
      allocations[warp] |= again;
    Automaton automaton = without(strand.automaton, [&](const Step &step) {
      return step.kind == Step::Kind::Allocate ||
             (step.kind == Step::Kind::Together &&
              !(static_cast<uint32_t>(step.number) & ~strand.lanes));
    });
    for (const auto &[step, line] : strand.lines)
      if (step.kind == Step::Kind::Allocate)
        allocating.insert(line);
    auto found = llvm::find_if(
        roles, [&](const Role &role) { return role.automaton == automaton; });
    if (found == roles.end()) {
      roles.push_back({std::move(automaton), std::move(strand.lines), {}});
      found = std::prev(roles.end());
    }
    found->members.push_back({warp, strand.lanes});
  }
}

bool Prover::findRoles() {
  for (const auto &[warp, paths] : claims.paths) {
    auto strands = findStrands(*paths, limits.automaton);
    if (!strands)
      return fail(formatv("warp {0} has more than {1} states", warp.warp,
                          limits.automaton));
    addStrands(warp, std::move(*strands));
  }
  forgetIdleDecisions();
  for (const auto &[id, barrier] : claims.barriers)
    if (barrier.numbersOf(Event::Kind::Init).size() != 1)
      return fail(formatv("the mbarrier at {0} is set up for several counts",
                          nameOf(claims, id)));
  return true;
}

/// Leaves out decisions. Roles that then do the same are one.
void Prover::forgetDecisions(llvm::function_ref<bool(int64_t)> isForgotten) {
  std::vector<Role> before;
  std::swap(before, roles);
  for (Role &role : before) {
    role.automaton = without(role.automaton, [&](const Step &step) {
      return step.kind == Step::Kind::Decide && isForgotten(step.number / 2);
    });
    auto found = llvm::find_if(roles, [&](const Role &other) {
      return other.automaton == role.automaton;
    });
    if (found == roles.end())
      roles.push_back(std::move(role));
    else
      llvm::append_range(found->members, role.members);
  }
}

/// Decisions after which a role does the same either way.
void Prover::forgetIdleDecisions() {
  for (bool changed = true; changed;) {
    std::set<int64_t> all, wanted;
    for (const Role &role : roles)
      for (const Automaton::State &state : role.automaton.states) {
        std::map<int64_t, std::set<unsigned>> targets;
        for (const Automaton::Edge &edge : state.edges)
          if (edge.step.kind == Step::Kind::Decide)
            targets[edge.step.number / 2].insert(edge.to);
        for (const auto &[decision, states] : targets) {
          all.insert(decision);
          if (states.size() > 1)
            wanted.insert(decision);
        }
      }
    changed = all != wanted;
    if (changed)
      forgetDecisions([&](int64_t one) { return !wanted.contains(one); });
  }
}

/// Where a role goes one way or another, and nothing is known of what decides;
/// and where it waits for one that has left.
void Prover::noteChoices() {
  std::set<uint32_t> lines = uneven;
  for (const Role &role : roles)
    for (const Automaton::State &state : role.automaton.states) {
      bool isDecided =
          !state.mayEnd && llvm::all_of(state.edges, [&](const auto &edge) {
            return edge.step.kind == Step::Kind::Decide &&
                   edge.step.number / 2 == state.edges[0].step.number / 2;
          });
      if (isDecided || state.edges.size() + state.mayEnd < 2)
        continue;
      for (const Automaton::Edge &edge : state.edges)
        if (edge.step.kind != Step::Kind::Decide)
          lines.insert(role.lines.at(edge.step));
    }
  if (!lines.empty())
    progress.assumptions.insert(
        {"trip-counts", "warps loop equally often", std::move(lines)});
}

/// Registers and columns are there if no warp asks for them twice, and all get
/// what they ask for together.
void Prover::noteResources() {
  using Kind = Step::Kind;
  std::set<uint32_t> takes;
  std::map<WarpId, int64_t> registers;
  bool areTwice = false;
  for (const Role &role : roles) {
    areTwice |=
        mayTake(role.automaton, {Kind::TakeRegisters, Kind::GiveRegisters})
            .second;
    for (const auto &[step, line] : role.lines) {
      if (step.kind == Kind::TakeRegisters)
        takes.insert(line);
      if (step.kind == Kind::TakeRegisters || step.kind == Kind::GiveRegisters)
        for (const Role::Member &member : role.members)
          registers[member.warp] =
              std::max(registers[member.warp], step.number);
    }
  }
  bool isOnce = allocations.size() == 1 && !allocations.begin()->second &&
                claims.ctas() == 1;
  if (!allocations.empty() && !isOnce)
    progress.assumptions.insert(
        {"tensor-memory", "there are columns for tcgen05.alloc", allocating});
  if (takes.empty())
    return;
  int64_t all = 0;
  for (const auto &[warp, count] : registers)
    all += count * lanesOfWarp;
  int64_t threads = claims.threads * claims.ctas();
  bool areAll = registers.size() * lanesOfWarp == size_t(threads);
  if (areTwice || !areAll)
    progress.assumptions.insert({"registers",
                                 "there are registers for setmaxnreg.inc",
                                 std::move(takes)});
  else if (all > claims.registers * threads)
    progress.assumptions.insert(
        {"registers",
         formatv("a thread starts with {0} registers or more",
                 (all + threads - 1) / threads),
         std::move(takes)});
}

bool Prover::explore() {
  Exploration exploration = protocol::explore(claims, roles, limits.states);
  if (exploration.isTooLarge && !claims.decisions.empty()) {
    // What decides is left out; then all that is known is that something does.
    forgetDecisions([](int64_t) { return true; });
    exploration = protocol::explore(claims, roles, limits.states);
  }
  progress.states = exploration.states;
  uneven = std::move(exploration.uneven);
  return exploration.why.empty() || fail(std::move(exploration.why));
}

Progress Prover::prove() {
  bool isProved = isFollowed() && findRoles() && explore();
  progress.roles = roles.size();
  if (isProved) {
    noteChoices();
    noteResources();
    // The same about several lines is said once; boxes are those of their
    // lines.
    progress.assumptions.insert(claims.assumptions.begin(),
                                claims.assumptions.end());
    std::map<std::pair<std::string, std::string>, Assumption> merged;
    std::set<Assumption> all;
    for (const Assumption &one : progress.assumptions)
      if (one.rule == "boxes")
        all.insert(one);
      else if (auto [at, isNew] =
                   merged.try_emplace({one.rule, one.words}, one);
               !isNew)
        at->second.lines.insert(one.lines.begin(), one.lines.end());
    for (auto &[what, one] : merged)
      all.insert(std::move(one));
    progress.assumptions = std::move(all);
    progress.isProved = true;
  } else {
    progress.assumptions.clear();
  }
  return std::move(progress);
}

Progress protocol::proveProgress(const Claims &claims,
                                 const ProgressLimits &limits) {
  return Prover(claims, limits).prove();
}
