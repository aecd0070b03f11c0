//===- FindProgram.cpp - Loops and scopes of a role's automaton -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An automaton of takes, gives and marks has a state for each place of the
// program that the role was written as. A mark begins an item, so a state from
// which it leads away is where the loop begins and where its body comes back
// to. Another one ends a K tile, and leads back to where that began:
//
//   0 -- item --> 1 -- take a --> 2 -- give a --> 0     items { a { } }
//   0 -- take a --> 1 -- give a --> 2 -- step --> 0     steps { a { } }
//
// Products of warp groups give slots back one step late, so the first round of
// such a loop has no give, and one comes behind the loop.

#include "drawloom/Protocol/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::protocol;

namespace {

class Finder {
public:
  Finder(const Strand &strand, const Graph &graph, std::string &outside)
      : strand(strand), graph(graph), outside(outside) {}

  Program find() {
    unsigned at = 0;
    Program flat = follow(at, /*isInItems=*/false);
    if (!outside.empty())
      return {};
    return nest(flat);
  }

private:
  static constexpr int64_t itemMark = 0, stepMark = 1;

  /// From `at` to the end, or to where an item is over.
  Program follow(unsigned &at, bool isInItems);
  Use followItems(unsigned &at, bool &isDone);
  std::optional<Use> followSteps(unsigned &at, const Automaton::Edge &edge,
                                 std::set<unsigned> &late);
  std::optional<Program> probe(const Automaton::Edge &edge, unsigned &at) const;
  Program nest(llvm::ArrayRef<Use> flat);
  const Automaton::Edge *findMark(unsigned at, int64_t mark) const {
    for (const Automaton::Edge &edge : strand.automaton.states[at].edges)
      if (edge.step.kind == Step::Kind::Mark && edge.step.number == mark)
        return &edge;
    return nullptr;
  }
  Use makeUse(const Step &step) const {
    return {step.isWait() ? Use::Kind::Take : Use::Kind::Give,
            unsigned(step.number), 0, strand.lines.at(step)};
  }
  std::string describe(const Step &step) const {
    return llvm::formatv("{0} a slot of '{1}' (line {2})",
                         step.isWait() ? "takes" : "gives on",
                         graph.pipes[step.number].name, strand.lines.at(step));
  }
  void fail(const llvm::Twine &why) {
    if (outside.empty())
      outside = why.str();
  }

  const Strand &strand;
  const Graph &graph;
  std::string &outside;
  /// Of a loop over K that has ended in the state that was reached: the step
  /// that would begin another round.
  std::optional<Step> over;
};

} // namespace

/// Whether the second round of a loop is the first with more gives, which are
/// then of slots of the round before; their pipes.
static std::optional<std::set<unsigned>> findLate(llvm::ArrayRef<Use> first,
                                                  llvm::ArrayRef<Use> second) {
  std::set<unsigned> late;
  size_t at = 0;
  for (const Use &use : second) {
    if (at != first.size() && first[at].kind == use.kind &&
        first[at].pipe == use.pipe) {
      ++at;
      continue;
    }
    if (use.kind != Use::Kind::Give || !late.insert(use.pipe).second)
      return std::nullopt;
  }
  if (at != first.size())
    return std::nullopt;
  return late;
}

Use Finder::followItems(unsigned &at, bool &isDone) {
  const Automaton::Edge *into = findMark(at, itemMark);
  Use loop{Use::Kind::Items, 0, 0, strand.lines.at(into->step)};
  at = into->to;
  over.reset();
  loop.body = follow(at, /*isInItems=*/true);
  const Automaton::Edge *again =
      outside.empty() ? findMark(at, itemMark) : nullptr;
  if (!again)
    fail("leaves a loop before its round is over");
  else if (again->to != into->to)
    fail(llvm::formatv("does something else in the first round of a loop than "
                       "in others (line {0})",
                       loop.line)
             .str());
  loop.body = nest(loop.body);
  isDone = true;
  return loop;
}

/// What follows an edge up to the end of a K tile, if nothing is to be
/// decided before; `at` is then the state after it.
std::optional<Program> Finder::probe(const Automaton::Edge &edge,
                                     unsigned &at) const {
  Program body = {makeUse(edge.step)};
  for (at = edge.to; body.size() <= strand.automaton.states.size();) {
    const Automaton::State &state = strand.automaton.states[at];
    if (state.mayEnd || state.edges.size() != 1)
      return std::nullopt;
    const Automaton::Edge &next = state.edges.front();
    at = next.to;
    if (next.step.kind != Step::Kind::Mark)
      body.push_back(makeUse(next.step));
    else if (next.step.number == stepMark)
      return body;
    else
      return std::nullopt;
  }
  return std::nullopt;
}

/// A loop over K that begins with an edge, if one does. Slots that it leaves to
/// be released after it are `late`.
std::optional<Use> Finder::followSteps(unsigned &at,
                                       const Automaton::Edge &edge,
                                       std::set<unsigned> &late) {
  unsigned after = 0;
  std::optional<Program> body = probe(edge, after);
  if (!body)
    return std::nullopt;
  Use loop{Use::Kind::Steps, 0, 0, body->front().line};
  if (after != at) {
    std::optional<Program> second;
    unsigned back = 0;
    for (const Automaton::Edge &other : strand.automaton.states[after].edges)
      if (other.step == edge.step)
        second = probe(other, back);
    auto found = second ? findLate(*body, *second) : std::nullopt;
    if (!found || back != after)
      return std::nullopt;
    late = *found;
  }
  // A slot that is released a round late is a scope with a lag.
  for (Use &use : *body)
    if (use.kind == Use::Kind::Take && late.contains(use.pipe))
      use = {Use::Kind::Scope, use.pipe, 1, use.line};
  loop.body = nest(*body);
  at = after;
  return loop;
}

Program Finder::follow(unsigned &at, bool isInItems) {
  Program program;
  // Pipes whose slots a loop before has left to be given on.
  std::set<unsigned> late;
  bool hadItems = false;
  while (outside.empty()) {
    const Automaton::State &state = strand.automaton.states[at];
    bool isItem = findMark(at, itemMark);
    if (isItem && !isInItems && !hadItems) {
      program.push_back(followItems(at, hadItems));
      continue;
    }
    llvm::SmallVector<const Automaton::Edge *, 2> others;
    for (const Automaton::Edge &edge : state.edges)
      if (edge.step.kind != Step::Kind::Mark && edge.step != over)
        others.push_back(&edge);
    bool isLoop = false;
    if (state.edges.size() + state.mayEnd > 1)
      for (const Automaton::Edge *edge : others)
        if (!isLoop)
          if (std::optional<Use> loop = followSteps(at, *edge, late)) {
            program.push_back(std::move(*loop));
            over = edge->step;
            isLoop = true;
          }
    if (isLoop)
      continue;
    if (others.empty() && (isItem || state.mayEnd))
      return program;
    if (others.size() != 1 || isItem || state.mayEnd) {
      std::string words;
      for (const Automaton::Edge *edge : others)
        words += (words.empty() ? "" : " or ") + describe(edge->step);
      if (isItem)
        words += " or begins an item";
      if (state.mayEnd)
        words += " or ends";
      fail(words + ", and neither items nor steps decide which");
      break;
    }
    const Automaton::Edge &edge = *others.front();
    // In the model, a loop that is left releases what it has at once.
    if (edge.step.isWait() && !late.empty()) {
      fail(llvm::formatv("{0} before it releases the last slot of '{1}'",
                         describe(edge.step), graph.pipes[*late.begin()].name)
               .str());
      break;
    }
    bool isLate = !edge.step.isWait() && late.erase(edge.step.number);
    if (!isLate)
      program.push_back(makeUse(edge.step));
    at = edge.to;
    over.reset();
  }
  return program;
}

/// A take and the give that belongs to it become a scope.
Program Finder::nest(llvm::ArrayRef<Use> flat) {
  Program program;
  while (!flat.empty() && outside.empty()) {
    Use use = flat.front();
    flat = flat.drop_front();
    if (use.kind == Use::Kind::Give) {
      fail(llvm::formatv("gives on a slot of '{0}' that it took in the round "
                         "before (line {1})",
                         graph.pipes[use.pipe].name, use.line)
               .str());
    } else if (use.kind == Use::Kind::Take) {
      // Each has its give, or a give without its take came first.
      const auto *end = llvm::find_if(flat, [&](const Use &other) {
        return other.kind == Use::Kind::Give && other.pipe == use.pipe;
      });
      size_t count = end - flat.begin();
      for (const Use &inner : flat.take_front(count))
        if (inner.kind == Use::Kind::Take &&
            llvm::none_of(flat.take_front(count), [&](const Use &other) {
              return other.kind == Use::Kind::Give && other.pipe == inner.pipe;
            }))
          fail(llvm::formatv("gives on a slot of '{0}' before one of '{1}' "
                             "that it took later (line {2})",
                             graph.pipes[use.pipe].name,
                             graph.pipes[inner.pipe].name, end->line)
                   .str());
      use.kind = Use::Kind::Scope;
      use.body = nest(flat.take_front(count));
      flat = flat.drop_front(std::min(count + 1, flat.size()));
    }
    program.push_back(std::move(use));
  }
  return program;
}

Program protocol::findProgram(const Strand &strand, const Graph &graph,
                              std::string &outside) {
  return Finder(strand, graph, outside).find();
}
