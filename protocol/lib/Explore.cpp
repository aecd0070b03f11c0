//===- Explore.cpp - One order of a kernel's steps, for all orders --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explore.h"
#include "Tape.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace drawloom;
using namespace drawloom::protocol;
using llvm::formatv;
using StepKind = Step::Kind;

namespace {

/// Something that roles come to and wait at.
struct Object {
  enum Kind : uint8_t { Mbarrier, Named, Cluster, Together, Registers };
  Kind kind;
  BarrierId id;
  int64_t number = 0; ///< Of Together.

  auto operator<=>(const Object &) const = default;
};

/// By role and state of its automaton, what it may do from there on.
struct Future {
  llvm::BitVector comesTo;                 ///< Objects.
  llvm::BitVector reads;                   ///< Decisions.
  std::array<llvm::BitVector, 2> waitsFor; ///< Mbarriers, by the first parity.

  bool operator==(const Future &) const = default;
};

struct State {
  static constexpr uint32_t ended = ~0u;
  static constexpr uint32_t odd = 1u << 16, ready = 1u << 17;
  /// By role: where it is, what it has chosen there, and the object that it
  /// waits at; the latter two from 1.
  std::vector<uint32_t> at, chosen, waitsAt;
  /// By object: the roles that have come, those that have waited for the phase
  /// that is over, and a word. Of an mbarrier it is what is pending, the
  /// parity, and whether it is set up; of a named barrier the number of threads
  /// and 1; of the cluster's, who hasn't waited yet.
  std::vector<uint32_t> come, waited, words;
  std::vector<Tape> tapes;
  /// What roles know, what those know who have come to an object, and what is
  /// known by its last phase.
  std::vector<llvm::BitVector> knows, gathered, handed;
  uint32_t turn = 0;

  std::pair<uint64_t, uint64_t> key() const;
};

class Explorer {
public:
  Explorer(const Claims &claims, llvm::ArrayRef<Role> roles);
  Exploration run(unsigned limit);

private:
  void addObjects();
  void findFutures();
  State makeFirst() const;

  // Each takes a step in a state. False if this can't be, or `result.why` says
  // what is wrong.
  bool take(State &state, unsigned role, const Automaton::Edge &edge);
  bool arrive(State &state, unsigned role, const Step &step);
  bool wait(State &state, unsigned role, const Step &step);
  bool setUp(State &state, unsigned role, const Step &step);
  bool invalidate(State &state, unsigned role, const Step &step);
  bool come(State &state, unsigned role, const Step &step);
  bool comeToCluster(State &state, unsigned role, const Step &step);
  bool decide(State &state, unsigned role, const Step &step);
  bool end(State &state, unsigned role);
  bool complete(State &state, unsigned object);
  bool completeNamed(State &state, unsigned object);
  bool endPhase(State &state, unsigned object);
  void release(State &state, unsigned object);
  void gather(State &state, unsigned role, unsigned object);

  bool isHeld(const State &state, unsigned role, const Step &step) const;
  bool isFine(const State &state);
  bool expand(const State &state, unsigned role);
  bool runOn(State &state, unsigned role);
  void visit(State state);

  // What can be known: that the last phase of an object is over, that an
  // mbarrier is set up, and that a role has waited there for the last time.
  unsigned overOf(unsigned object) const { return object; }
  unsigned setUpOf(unsigned object) const { return objects.size() + object; }
  unsigned waitOf(unsigned role, unsigned object) const {
    return (2 + role) * objects.size() + object;
  }

  const Automaton::State &placeOf(const State &state, unsigned role) const {
    return roles[role].automaton.states[state.at[role]];
  }
  bool hasEnded(const State &state, unsigned role) const {
    return state.at[role] == State::ended;
  }
  const Future &futureOf(const State &state, unsigned role) const {
    return hasEnded(state, role) ? nothing : futures[role][state.at[role]];
  }
  unsigned objectOf(const Step &step) const;
  bool fail(std::string why) {
    if (result.why.empty())
      result.why = std::move(why);
    return false;
  }
  std::string placeOf(unsigned role, const Step &step) const;

  const Claims &claims;
  llvm::ArrayRef<Role> roles;
  std::vector<Object> objects;
  std::map<Object, unsigned> numbers;
  std::vector<uint32_t> counts; ///< Of mbarriers.
  std::vector<std::vector<Future>> futures;
  Future nothing;
  std::set<std::pair<uint64_t, uint64_t>> visited;
  std::vector<State> work;
  Exploration result;
};

} // namespace

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

/// "warp 0 in line 40"
std::string Explorer::placeOf(unsigned role, const Step &step) const {
  WarpId warp = roles[role].members.front().warp;
  std::string text = formatv("warp {0}", warp.warp);
  if (claims.ctas() > 1)
    text += formatv(" of CTA {0}", warp.rank);
  return text + formatv(" in line {0}", roles[role].lines.at(step)).str();
}

/// What a role knows is known by those who go on after it has come; and that it
/// has done what it has.
void Explorer::gather(State &state, unsigned role, unsigned object) {
  state.gathered[object] |= state.knows[role];
  for (unsigned other = 0; other != objects.size(); ++other)
    state.gathered[object].set(waitOf(role, other));
}

/// The phase of an mbarrier is over.
bool Explorer::endPhase(State &state, unsigned object) {
  uint32_t &word = state.words[object];
  // Waits with this parity succeed until now.
  unsigned passing = word & State::odd ? 0 : 1;
  std::string name = nameOf(claims, objects[object].id);
  for (unsigned role = 0; role != roles.size(); ++role) {
    bool isLate = futureOf(state, role).waitsFor[passing].test(object);
    bool isUnknown = (state.waited[object] >> role & 1) &&
                     !state.gathered[object].test(waitOf(role, object));
    if (isLate || isUnknown)
      return fail(formatv("warp {0} may wait for a phase of {1} when the next "
                          "one is over",
                          roles[role].members.front().warp.warp, name));
  }
  word = ((word & (State::odd | State::ready)) ^ State::odd) | counts[object];
  state.come[object] = state.waited[object] = 0;
  for (auto *sets : {&state.knows, &state.gathered, &state.handed})
    for (llvm::BitVector &set : *sets)
      set.reset(overOf(object));
  state.handed[object] = state.gathered[object];
  state.handed[object].set(overOf(object));
  state.gathered[object].reset();
  return true;
}

bool Explorer::arrive(State &state, unsigned role, const Step &step) {
  unsigned object = objectOf(step);
  std::string name = nameOf(claims, step.barrier);
  if (!state.knows[role].test(setUpOf(object)))
    return fail(placeOf(role, step) + " may arrive at " + name +
                " before it is set up");
  int64_t arrivals =
      step.number * static_cast<int64_t>(roles[role].members.size());
  int64_t pending = state.words[object] & 0xffff;
  if (arrivals > pending || !state.knows[role].test(overOf(object)))
    return fail(placeOf(role, step) + " may arrive at " + name +
                " twice in one phase");
  gather(state, role, object);
  state.come[object] |= 1u << role;
  state.words[object] -= static_cast<uint32_t>(arrivals);
  return arrivals != pending || endPhase(state, object);
}

bool Explorer::wait(State &state, unsigned role, const Step &step) {
  unsigned object = objectOf(step);
  if (!state.knows[role].test(setUpOf(object)))
    return fail(placeOf(role, step) + " may wait for " +
                nameOf(claims, step.barrier) + " before it is set up");
  // Nobody knows of this one yet.
  for (auto *sets : {&state.knows, &state.gathered, &state.handed})
    for (llvm::BitVector &set : *sets)
      set.reset(waitOf(role, object));
  state.waited[object] |= 1u << role;
  state.knows[role] |= state.handed[object];
  return true;
}

bool Explorer::setUp(State &state, unsigned role, const Step &step) {
  unsigned object = objectOf(step);
  if ((state.words[object] & State::ready) || roles[role].members.size() > 1)
    return fail(placeOf(role, step) + " sets up " +
                nameOf(claims, step.barrier) + ", which is set up already");
  state.words[object] = counts[object] | State::ready;
  state.knows[role].set(setUpOf(object));
  return true;
}

bool Explorer::invalidate(State &state, unsigned role, const Step &step) {
  unsigned object = objectOf(step);
  bool isFree = state.knows[role].test(setUpOf(object)) &&
                state.knows[role].test(overOf(object)) &&
                (state.words[object] & 0xffff) == counts[object] &&
                roles[role].members.size() == 1;
  for (unsigned other = 0; other != roles.size(); ++other) {
    const Future &future = futureOf(state, other);
    isFree &= !future.comesTo.test(object) &&
              !future.waitsFor[0].test(object) &&
              !future.waitsFor[1].test(object) &&
              (other == role || state.knows[role].test(waitOf(other, object)));
  }
  if (!isFree)
    return fail(placeOf(role, step) + " invalidates " +
                nameOf(claims, step.barrier) + ", which may still be used");
  return true;
}

/// All that wait at an object go on, and know what those know who have come.
void Explorer::release(State &state, unsigned object) {
  for (auto *sets : {&state.knows, &state.gathered, &state.handed})
    for (llvm::BitVector &set : *sets)
      set.reset(overOf(object));
  llvm::BitVector gathered = std::move(state.gathered[object]);
  gathered.set(overOf(object));
  for (unsigned role = 0; role != roles.size(); ++role)
    if (state.waitsAt[role] == object + 1) {
      state.waitsAt[role] = 0;
      state.knows[role] |= gathered;
    }
  state.come[object] = 0;
  state.handed[object] = gathered;
  state.gathered[object] = llvm::BitVector(gathered.size());
}

/// Warps count when all their lanes that are left have come.
bool Explorer::completeNamed(State &state, unsigned object) {
  std::map<unsigned, std::pair<unsigned, unsigned>> leftAndCome;
  for (auto [number, role] : llvm::enumerate(roles))
    for (const Role::Member &member : role.members)
      if (member.warp.rank == objects[object].id.rank) {
        auto &[left, come] = leftAndCome[member.warp.warp];
        left += !hasEnded(state, number);
        come += state.come[object] >> number & 1;
      }
  unsigned alive = 0, warps = 0;
  for (const auto &[warp, counted] : leftAndCome) {
    alive += counted.first != 0;
    warps += counted.first != 0 && counted.second >= counted.first;
  }
  unsigned threads = state.words[object] - 1;
  unsigned wanted = threads ? threads / lanesOfWarp : alive;
  if (warps > wanted)
    return fail(formatv("more than {0} threads may come to barrier {1}",
                        threads, objects[object].id.byte));
  if (warps == wanted)
    release(state, object);
  return true;
}

/// Lets those go on that wait at an object, if all have come.
bool Explorer::complete(State &state, unsigned object) {
  const Object &its = objects[object];
  if (!state.come[object])
    return true;
  if (its.kind == Object::Named)
    return completeNamed(state, object);
  for (auto [number, role] : llvm::enumerate(roles)) {
    bool isWanted = !hasEnded(state, number);
    if (its.kind == Object::Together)
      isWanted &= llvm::any_of(role.members, [&](const Role::Member &one) {
        return one.warp == WarpId{its.id.rank, unsigned(its.id.byte)} &&
               (one.lanes & static_cast<uint32_t>(its.number));
      });
    if (isWanted && !(state.come[object] >> number & 1))
      return true;
  }
  release(state, object);
  return true;
}

bool Explorer::come(State &state, unsigned role, const Step &step) {
  unsigned object = objectOf(step);
  if ((state.come[object] >> role & 1) ||
      !state.knows[role].test(overOf(object)))
    return fail(placeOf(role, step) + " may come to barrier " +
                std::to_string(step.barrier.byte) +
                " before others have left it");
  if (step.kind != StepKind::Together) {
    auto threads = static_cast<uint32_t>(step.number) + 1;
    if (state.come[object] && state.words[object] != threads)
      return fail(placeOf(role, step) + " comes to barrier " +
                  std::to_string(step.barrier.byte) +
                  " for another number of threads than those that wait there");
    state.words[object] = threads;
  }
  gather(state, role, object);
  state.come[object] |= 1u << role;
  if (step.kind != StepKind::Come)
    state.waitsAt[role] = object + 1;
  return complete(state, object);
}

bool Explorer::comeToCluster(State &state, unsigned role, const Step &step) {
  unsigned object = objectOf(step);
  uint32_t bit = 1u << role;
  // Who has come and not yet waited.
  bool isDue = state.words[object] & bit;
  if (isDue == (step.kind == StepKind::ClusterArrive))
    return fail(placeOf(role, step) +
                (isDue ? " may arrive at the cluster's barrier twice"
                       : " may wait for the cluster without an arrival"));
  state.words[object] ^= bit;
  if (step.kind == StepKind::ClusterWait) {
    state.knows[role] |= state.handed[object];
    return true;
  }
  gather(state, role, object);
  state.come[object] |= bit;
  return complete(state, object);
}

bool Explorer::decide(State &state, unsigned role, const Step &step) {
  switch (state.tapes[step.number / 2].read(role, step.number % 2)) {
  case Tape::Answer::Yes:
    return true;
  case Tape::Answer::No:
    return false;
  case Tape::Answer::TooFar:
    return fail("warps may be more than 60 iterations apart");
  }
  return false;
}

bool Explorer::end(State &state, unsigned role) {
  state.at[role] = State::ended;
  for (auto [number, object] : llvm::enumerate(objects)) {
    if (object.kind == Object::Mbarrier || object.kind == Object::Registers)
      continue;
    if (object.kind == Object::Cluster)
      state.come[number] &= ~(1u << role);
    if (!complete(state, number))
      return false;
  }
  return true;
}

bool Explorer::take(State &state, unsigned role, const Automaton::Edge &edge) {
  state.at[role] = edge.to;
  state.chosen[role] = 0;
  switch (edge.step.kind) {
  case StepKind::Arrive:
    return arrive(state, role, edge.step);
  case StepKind::Wait:
    return wait(state, role, edge.step);
  case StepKind::Init:
    return setUp(state, role, edge.step);
  case StepKind::Invalidate:
    return invalidate(state, role, edge.step);
  case StepKind::Sync:
  case StepKind::Come:
  case StepKind::Together:
    return come(state, role, edge.step);
  case StepKind::ClusterArrive:
  case StepKind::ClusterWait:
    return comeToCluster(state, role, edge.step);
  case StepKind::Decide:
    return decide(state, role, edge.step);
  case StepKind::GiveRegisters:
    state.come[objectOf(edge.step)] |= 1u << role;
    return true;
  default:
    return true;
  }
}

/// Whether a role can't take this step now.
bool Explorer::isHeld(const State &state, unsigned role,
                      const Step &step) const {
  if (step.kind == StepKind::ClusterWait)
    return state.come[objectOf(step)] >> role & 1;
  if (step.kind == StepKind::TakeRegisters) {
    // All that give some have to: nobody counts how many there are before.
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
                ", where nobody else arrives");
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
    // In turns, so that none is left behind for ever.
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
