//===- Explore.cpp - One order of a kernel's steps, for all orders --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExploreImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace drawloom;
using namespace drawloom::protocol;
using namespace drawloom::protocol::exploration;
using llvm::formatv;
using StepKind = Step::Kind;

std::string protocol::nameOf(const Claims &claims, BarrierId id) {
  return claims.ctas() > 1
             ? formatv("byte {0} of CTA {1}", id.byte, id.rank).str()
             : formatv("byte {0}", id.byte).str();
}

/// Whether others may wait for it.
static bool comes(StepKind kind) {
  return kind == StepKind::Arrive || kind == StepKind::Sync ||
         kind == StepKind::Come || kind == StepKind::ClusterArrive ||
         kind == StepKind::Together || kind == StepKind::GiveRegisters;
}

static std::optional<Object> makeObject(const Step &step) {
  switch (step.kind) {
  case StepKind::Sync:
  case StepKind::Come:
    return Object{Object::Named, step.barrier};
  case StepKind::ClusterArrive:
  case StepKind::ClusterWait:
    return Object{Object::Cluster, {}};
  case StepKind::Together:
    return Object{Object::Together, step.barrier, step.number};
  case StepKind::GiveRegisters:
  case StepKind::TakeRegisters:
    return Object{Object::Registers, step.barrier};
  case StepKind::Arrive:
  case StepKind::Wait:
  case StepKind::Init:
  case StepKind::Invalidate:
    return Object{Object::Mbarrier, step.barrier};
  default:
    return std::nullopt;
  }
}

unsigned Explorer::objectOf(const Step &step) const {
  return numbers.at(*makeObject(step));
}

std::pair<uint64_t, uint64_t> State::key() const {
  std::string key;
  for (const auto *part : {&at, &chosen, &waitsAt, &come, &waited, &words})
    key.append(reinterpret_cast<const char *>(part->data()),
               part->size() * sizeof(uint32_t));
  for (const Tape &tape : tapes)
    tape.appendKey(key);
  for (const auto *sets : {&knows, &gathered, &handed})
    for (const llvm::BitVector &set : *sets)
      key.append(reinterpret_cast<const char *>(set.getData().data()),
                 set.getData().size() * sizeof(uintptr_t));
  key.push_back(static_cast<char>(turn));
  // Two of a million have the same hash with a probability of 2^-89.
  llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(llvm::arrayRefFromStringRef(key));
  return {hash.low64, hash.high64};
}

Explorer::Explorer(const Claims &claims, llvm::ArrayRef<Role> roles)
    : claims(claims), roles(roles) {
  addObjects();
  findFutures();
}

void Explorer::addObjects() {
  for (const Role &role : roles)
    for (const auto &[step, line] : role.lines) {
      std::optional<Object> object = makeObject(step);
      if (object && numbers.try_emplace(*object, objects.size()).second)
        objects.push_back(*object);
    }
  counts.assign(objects.size(), 0);
  for (auto [number, object] : llvm::enumerate(objects))
    if (object.kind == Object::Mbarrier)
      counts[number] = static_cast<uint32_t>(
          *claims.barriers.at(object.id).numbersOf(Event::Kind::Init).begin());
}

/// What a step adds to the future of the state before it.
static Future addStep(Future future, const Step &step,
                      std::optional<unsigned> object) {
  if (step.isWait())
    for (int64_t parity : {0, 1})
      future.waitsFor[parity][*object] = parity == (step.number & 1);
  if (comes(step.kind))
    future.comesTo.set(*object);
  if (step.kind == StepKind::Decide)
    future.reads.set(step.number / 2);
  return future;
}

void Explorer::findFutures() {
  llvm::BitVector none(objects.size());
  nothing = {none, llvm::BitVector(claims.decisions.size()), {none, none}};
  for (const Role &role : roles) {
    const std::vector<Automaton::State> &states = role.automaton.states;
    std::vector<Future> its(states.size(), nothing);
    for (bool changed = true; changed;) {
      changed = false;
      for (auto [state, future] : llvm::zip(states, its)) {
        Future now = nothing;
        for (const Automaton::Edge &edge : state.edges) {
          std::optional<unsigned> object;
          if (makeObject(edge.step))
            object = objectOf(edge.step);
          Future way = addStep(its[edge.to], edge.step, object);
          now.comesTo |= way.comesTo;
          now.reads |= way.reads;
          for (unsigned parity : {0, 1})
            now.waitsFor[parity] |= way.waitsFor[parity];
        }
        changed |= !(now == future);
        future = std::move(now);
      }
    }
    futures.push_back(std::move(its));
  }
}

State Explorer::makeFirst() const {
  State first;
  for (auto *words : {&first.at, &first.chosen, &first.waitsAt})
    words->assign(roles.size(), 0);
  for (auto *words : {&first.come, &first.waited, &first.words})
    words->assign(objects.size(), 0);
  std::set<BarrierId> setUp;
  for (const Role &role : roles)
    for (const auto &[step, line] : role.lines)
      if (step.kind == StepKind::Init)
        setUp.insert(step.barrier);
  // Of what hasn't happened, there is nothing to be known.
  size_t items = (2 + roles.size()) * objects.size();
  llvm::BitVector all(items, true), none(items);
  for (auto [number, object] : llvm::enumerate(objects)) {
    if (object.kind != Object::Mbarrier)
      continue;
    if (setUp.contains(object.id))
      all.reset(setUpOf(number));
    else
      first.words[number] = counts[number] | State::ready;
  }
  first.knows.assign(roles.size(), all);
  first.gathered.assign(objects.size(), none);
  first.handed.assign(objects.size(), all);
  for (const auto &[text, isInvariant] : claims.decisions)
    first.tapes.emplace_back(isInvariant, roles.size());
  return first;
}

/// Whether a role can't take this step now.
bool Explorer::isHeld(const State &state, unsigned role,
                      const Step &step) const {
  if (step.kind == StepKind::ClusterWait)
    return state.come[objectOf(step)] >> role & 1;
  if (step.kind == StepKind::TakeRegisters) {
    // All that give some have to: how many there are before isn't counted.
    unsigned object = objectOf(step);
    for (unsigned other = 0; other != roles.size(); ++other)
      if (futures[other][0].comesTo.test(object) &&
          !(state.come[object] >> other & 1))
        return true;
    return false;
  }
  if (!step.isWait())
    return false;
  uint32_t word = state.words[objectOf(step)];
  return (word & State::ready) &&
         bool(word & State::odd) == bool(step.number & 1);
}

void Explorer::visit(State state) {
  for (unsigned decision = 0; decision != state.tapes.size(); ++decision) {
    Tape &tape = state.tapes[decision];
    for (unsigned role = 0; role != roles.size(); ++role)
      if (!futureOf(state, role).reads.test(decision))
        tape.leave(role);
    tape.trim();
  }
  if (visited.insert(state.key()).second)
    work.push_back(std::move(state));
}

/// Lets a role take its next step. False if it can't.
bool Explorer::expand(const State &state, unsigned role) {
  if (hasEnded(state, role) || state.waitsAt[role])
    return false;
  const Automaton::State &place = placeOf(state, role);
  State next = state;
  next.turn = (role + 1) % roles.size();
  bool isDecided = llvm::all_of(place.edges, [](const auto &edge) {
    return edge.step.kind == StepKind::Decide;
  });
  size_t options = place.edges.size() + place.mayEnd;
  if (options > 1 && !state.chosen[role] && (!isDecided || place.mayEnd)) {
    // Nothing is known of how it chooses.
    for (size_t option = 1; option <= options; ++option) {
      next.chosen[role] = option;
      visit(next);
    }
    return true;
  }
  if (place.edges.empty() || state.chosen[role] > place.edges.size()) {
    if (end(next, role))
      visit(std::move(next));
    return true;
  }
  llvm::ArrayRef<Automaton::Edge> edges = place.edges;
  if (state.chosen[role])
    edges = edges.slice(state.chosen[role] - 1, 1);
  if (edges.size() == 1 && isHeld(state, role, edges.front().step))
    return false;
  for (const Automaton::Edge &edge : edges) {
    State way = next;
    if (take(way, role, edge) && runOn(way, role))
      visit(std::move(way));
  }
  return true;
}

/// As far as a role can go before it has to wait or to decide: no state on the
/// way has to be remembered.
bool Explorer::runOn(State &state, unsigned role) {
  // A loop without decisions may have no end.
  constexpr unsigned most = 1000;
  for (unsigned steps = 0; steps != most; ++steps) {
    if (hasEnded(state, role) || state.waitsAt[role])
      return true;
    const Automaton::State &place = placeOf(state, role);
    if (place.edges.empty())
      return end(state, role);
    if (place.edges.size() + place.mayEnd > 1 ||
        isHeld(state, role, place.edges.front().step))
      return true;
    if (!take(state, role, place.edges.front()))
      return false;
  }
  return true;
}

/// Of a state in which no role can go on: whether all have ended, or would have
/// if they had looped equally often.
bool Explorer::isFine(const State &state) {
  struct Wait {
    Step step;
    std::optional<unsigned> other;
  };
  std::map<unsigned, Wait> waits;
  bool isExcused = false;
  for (auto [number, role] : llvm::enumerate(roles)) {
    if (hasEnded(state, number))
      continue;
    Step held;
    if (state.waitsAt[number]) {
      for (const auto &[step, line] : role.lines)
        if (makeObject(step) == objects[state.waitsAt[number] - 1])
          held = step;
    } else {
      held = placeOf(state, number)
                 .edges[std::max(state.chosen[number], 1u) - 1]
                 .step;
    }
    Wait &wait = waits[number];
    wait.step = held;
    unsigned object = objectOf(held);
    for (unsigned other = 0; other != roles.size(); ++other) {
      if (!futures[other][0].comesTo.test(object) ||
          (state.come[object] >> other & 1))
        continue;
      if (futureOf(state, other).comesTo.test(object)) {
        wait.other = other;
        continue;
      }
      isExcused = true;
      result.uneven.insert(role.lines.at(held));
    }
  }
  if (isExcused || waits.empty())
    return true;
  auto first = llvm::find_if(waits, [](const auto &wait) {
    return !wait.second.other || *wait.second.other == wait.first;
  });
  if (first == waits.end())
    first = waits.begin();
  const auto &[number, wait] = *first;
  std::string place = placeOf(number, wait.step);
  if (!wait.other || *wait.other == number || !waits.count(*wait.other))
    return fail(place + " waits for " +
                (wait.step.isWait() ? nameOf(claims, wait.step.barrier)
                                    : std::string("others")) +
                ", where no other warp arrives");
  return fail(place + " and " +
              placeOf(*wait.other, waits.at(*wait.other).step) +
              " may wait for each other");
}

Exploration Explorer::run(unsigned limit) {
  if (roles.size() > 31) {
    fail("there are more than 31 roles");
    return std::move(result);
  }
  visit(makeFirst());
  while (!work.empty() && result.why.empty()) {
    State state = std::move(work.back());
    work.pop_back();
    if (visited.size() > limit) {
      result.isTooLarge = true;
      fail(formatv("{0} roles have more than {1} states together", roles.size(),
                   limit));
      break;
    }
    // In turns, so that none is left behind forever.
    bool hasMoved = false;
    for (unsigned i = 0; i != roles.size() && !hasMoved; ++i)
      hasMoved = expand(state, (state.turn + i) % roles.size());
    if (!hasMoved)
      isFine(state);
  }
  result.states = visited.size();
  return std::move(result);
}

Exploration protocol::explore(const Claims &claims, llvm::ArrayRef<Role> roles,
                              unsigned limit) {
  return Explorer(claims, roles).run(limit);
}
