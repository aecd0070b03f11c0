//===- Search.cpp - One run for all sizes at once -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search.h"
#include "LazyState.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <deque>
#include <map>

using namespace drawloom::progress;

namespace {
/// What a fork decided.
struct Decision {
  unsigned parent;
  unsigned cls = 0;
  Path path = {};
  int64_t lower = 0;
  bool known = false;
};

class Searcher {
public:
  Searcher(const Code &code, const LoopClasses &classes, const Box &box,
           unsigned maxStates)
      : code(code), classes(classes), box(box), maxStates(maxStates) {}

  SearchResult search();

private:
  struct Open {
    LazyState state;
    unsigned decision;
  };

  /// Runs a state on; forks it, or ends the path. False stops the search.
  bool expand(LazyState state, unsigned decision);
  void fork(LazyState state, size_t number, unsigned decision);
  bool fail(unsigned decision);
  std::optional<Sizes> readSizes(unsigned decision) const;
  std::string nameConstruct(const Number &number) const;

  const Code &code;
  const LoopClasses &classes;
  const Box &box;
  unsigned maxStates;

  std::vector<Decision> decisions;
  std::deque<Open> open;
  llvm::StringSet<> seen;
  SearchResult result;
};
} // namespace

/// The sizes that a path has decided, if there are such: every number of a size
/// must agree.
std::optional<Sizes> Searcher::readSizes(unsigned decision) const {
  const Network &network = code.network;
  Sizes sizes;
  std::vector<std::vector<bool>> known(network.sizes.size());
  for (const Interval &interval : box)
    sizes.values.push_back({interval.min});
  for (std::vector<bool> &flags : known)
    flags.push_back(false);

  auto require = [&](SizeId size, size_t item, int64_t lower, bool exact) {
    if (lower > box[size].max || (exact && lower < box[size].min))
      return false;
    auto &values = sizes.values[size];
    auto &flags = known[size];
    while (values.size() <= item) {
      values.push_back(box[size].min);
      flags.push_back(false);
    }
    if (exact ? (flags[item] ? values[item] != lower : values[item] > lower)
              : (flags[item] && values[item] < lower))
      return false;
    if (!flags[item])
      values[item] = exact ? lower : std::max(values[item], lower);
    flags[item] = flags[item] | exact;
    return true;
  };
  // Walk from the last decision back: a number's last decision is the one that
  // holds, and earlier ones ask for less.
  std::map<std::pair<unsigned, Path>, bool> done;
  for (; decision != 0; decision = decisions[decision].parent) {
    const Decision &made = decisions[decision];
    if (!done.try_emplace({made.cls, made.path}, true).second)
      continue;
    const LoopClass &cls = classes.classes[made.cls];
    if (!cls.size) {
      if (made.known ? made.lower != cls.constant : made.lower > cls.constant)
        return std::nullopt;
      continue;
    }
    size_t item = 0;
    if (std::optional<SizeId> stream = network.sizes[*cls.size].perItemOf)
      for (auto [level, outer] : llvm::enumerate(cls.scope))
        if (classes.classes[outer].overItems &&
            classes.classes[outer].size == stream)
          item = made.path[level];
    if (!require(*cls.size, item, made.lower, made.known))
      return std::nullopt;
  }
  return sizes;
}

bool Searcher::fail(unsigned decision) {
  result.kind = SearchResult::Kind::spurious;
  uint64_t confirming = 0;
  if (std::optional<Sizes> sizes = readSizes(decision))
    if (std::optional<Failure> failure = run(code, *sizes, confirming);
        failure && confirming < stepLimit) {
      result.failure = std::move(failure);
      result.kind = SearchResult::Kind::failure;
    }
  return false;
}

std::string Searcher::nameConstruct(const Number &number) const {
  const LoopClass &cls = classes.classes[number.cls];
  std::string text =
      cls.size ? "the trip count '" + code.network.sizes[*cls.size].name + "'"
               : "the trip count " + std::to_string(cls.constant);
  text += ", which must be remembered between the loops of";
  llvm::SmallVector<RoleId, 4> roles;
  for (unsigned loop : cls.loops)
    if (!llvm::is_contained(roles, code.loops[loop].role))
      roles.push_back(code.loops[loop].role);
  for (auto [i, role] : llvm::enumerate(roles))
    text += std::string(i == 0                  ? ""
                        : i + 1 == roles.size() ? " and"
                                                : ",") +
            " @" + code.network.roles[role].name;
  return text;
}

void Searcher::fork(LazyState state, size_t number, unsigned decision) {
  for (bool known : {true, false}) {
    LazyState next = known ? state : std::move(state);
    Number &decided = next.numbers[number];
    if (!known)
      ++decided.lower;
    decided.known = known || decided.lower == next.boundsOf(decided.cls).max;
    decisions.push_back(
        {decision, decided.cls, decided.path, decided.lower, decided.known});
    open.push_back({std::move(next), unsigned(decisions.size() - 1)});
  }
}

bool Searcher::expand(LazyState state, unsigned decision) {
  uint64_t before = state.machine.steps;
  bool early = !state.runOn();
  result.steps += state.machine.steps - before;
  if (state.machine.steps >= stepLimit) {
    result.kind = SearchResult::Kind::open;
    result.construct = "loops that take too many steps between two questions";
    return false;
  }
  if (early)
    return fail(decision);
  std::optional<Question> question = state.nextQuestion();
  if (!question) {
    bool succeeded =
        state.machine.allEnded() && !state.machine.findUnconsumed();
    return succeeded || fail(decision);
  }
  const Number asked = state.numbers[question->number];
  if (!seen.insert(state.makeKey()).second)
    return true;
  ++result.states;
  auto [widest, width] = state.widest();
  // Roles that exchange slots can't be further apart than all slots together;
  // what grows beyond that will not stop.
  int64_t far = 16;
  for (int64_t slots : state.machine.slots)
    far += 2 * slots;
  if (result.states >= maxStates || result.steps >= stepLimit || width > far) {
    result.kind = SearchResult::Kind::open;
    result.construct = nameConstruct(widest ? *widest : asked);
    return false;
  }
  auto number = llvm::find_if(state.numbers, [&](const Number &other) {
    return other.cls == asked.cls && other.path == asked.path;
  });
  size_t place = number - state.numbers.begin();
  fork(std::move(state), place, decision);
  return true;
}

SearchResult Searcher::search() {
  decisions.push_back({0});
  open.push_back({LazyState(code, classes, box), 0});
  result.kind = SearchResult::Kind::closed;
  while (!open.empty()) {
    Open next = std::move(open.front());
    open.pop_front();
    if (!expand(std::move(next.state), next.decision))
      break;
  }
  return std::move(result);
}

static SearchResult searchWith(const Code &code, const Box &box, Grain grain,
                               unsigned maxStates, int64_t mostKnown) {
  std::optional<LoopClasses> classes = LoopClasses::make(code, grain);
  if (!classes) {
    SearchResult result;
    result.construct = "loops over the items of one stream that stand at "
                       "different places in their roles";
    return result;
  }
  classes->mostKnown = mostKnown;
  return Searcher(code, *classes, box, maxStates).search();
}

SearchResult drawloom::progress::search(const Code &code, const Box &box,
                                        Grain grain, unsigned maxStates) {
  return searchWith(code, box, grain, maxStates, largestKnown);
}

/// From free classes to exact ones, for the least slots of the box.
static SearchResult searchGrains(const Code &code, const Box &box,
                                 unsigned maxStates) {
  SearchResult result;
  uint64_t states = 0, steps = 0;
  for (Grain grain : {Grain::paired, Grain::linked, Grain::exact}) {
    result = search(code, box, grain, maxStates);
    states += result.states;
    steps += result.steps;
    if (result.kind == SearchResult::Kind::closed ||
        result.kind == SearchResult::Kind::failure)
      break;
  }
  // Loops that all run 8 times have more states than loops that run as often as
  // they like. What holds for any number holds for 8.
  if (result.kind == SearchResult::Kind::open) {
    SearchResult any = searchWith(code, box, Grain::paired, maxStates, 1);
    states += any.states;
    steps += any.steps;
    if (any.kind == SearchResult::Kind::closed)
      result = std::move(any);
  }
  if (result.kind == SearchResult::Kind::spurious) {
    result.kind = SearchResult::Kind::open;
    result.construct = "a trip count that is known to be above " +
                       std::to_string(largestKnown);
  }
  result.states = states;
  result.steps = steps;
  return result;
}

SearchResult drawloom::progress::searchAll(const Code &code, const Box &box,
                                           unsigned maxStates) {
  // More slots never make a role wait, but they let it be early. Where that
  // matters, each number of slots is searched on its own.
  Box part = box;
  SearchResult result;
  uint64_t states = 0, steps = 0;
  auto searchSlots = [&](auto &self, SizeId id) -> bool {
    if (id == box.size()) {
      result = searchGrains(code, part, maxStates);
      states += result.states;
      steps += result.steps;
      return result.kind == SearchResult::Kind::closed;
    }
    if (!code.canBeEarly || !code.isSlots(id))
      return self(self, id + 1);
    constexpr int64_t mostSlots = 16;
    for (int64_t slots = box[id].min; slots <= box[id].max; ++slots) {
      if (slots - box[id].min > mostSlots) {
        result.kind = SearchResult::Kind::open;
        result.construct =
            "the number of slots '" + code.network.sizes[id].name +
            "', which has no bound and lets roles come early to a phase";
        return false;
      }
      part[id] = {slots, slots};
      if (!self(self, id + 1))
        return false;
    }
    return true;
  };
  searchSlots(searchSlots, 0);
  result.states = states;
  result.steps = steps;
  return result;
}
