//===- ExploreSteps.cpp - What a step does to a state ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExploreImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::protocol;
using namespace drawloom::protocol::exploration;
using llvm::formatv;
using StepKind = Step::Kind;

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
  // No warp knows of this one yet.
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
