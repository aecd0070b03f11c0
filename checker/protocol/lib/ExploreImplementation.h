//===- ExploreImplementation.h - States of all roles ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A state has where each role is and what it knows. ExploreSteps.cpp takes
// steps in it; Explore.cpp decides which, and whether a state is a deadlock.

#ifndef DRAWLOOM_PROTOCOL_EXPLOREIMPLEMENTATION_H
#define DRAWLOOM_PROTOCOL_EXPLOREIMPLEMENTATION_H

#include "Explore.h"
#include "Tape.h"
#include "llvm/ADT/BitVector.h"
#include <array>
#include <map>
#include <set>

namespace drawloom::protocol::exploration {

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

} // namespace drawloom::protocol::exploration

#endif // DRAWLOOM_PROTOCOL_EXPLOREIMPLEMENTATION_H
