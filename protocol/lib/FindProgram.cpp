//===- FindProgram.cpp - Loops and scopes of a role's automaton -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An automaton of takes, gives and marks has a state for each place of the
// program that the role was written as. A mark begins a round of a loop, so a
// state from which a mark leads away is where a loop begins and where its body
// comes back to:
//
//   0 -- item --> 1 -- take a --> 2 -- give a --> 0     items { a { } }
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
    std::set<int64_t> done;
    Program flat = follow(at, {}, done);
    if (!outside.empty())
      return {};
    return nest(flat);
  }

private:
  /// From `at` to the end, or to where the body of a loop in `around` comes to
  /// an end; `done` are the loops whose other rounds begin there, too.
  Program follow(unsigned &at, const std::set<int64_t> &around,
                 std::set<int64_t> &done);
  Use followLoop(unsigned &at, int64_t mark, const std::set<int64_t> &around,
                 std::set<int64_t> &done, std::set<unsigned> &late);
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

Use Finder::followLoop(unsigned &at, int64_t mark,
                       const std::set<int64_t> &around, std::set<int64_t> &done,
                       std::set<unsigned> &late) {
  const Automaton::Edge *into = findMark(at, mark);
  Use loop{mark ? Use::Kind::Steps : Use::Kind::Items, 0, 0,
           strand.lines.at(into->step)};
  std::set<int64_t> inside = around;
  inside.insert(mark);
  at = into->to;
  loop.body = follow(at, inside, done);
  const Automaton::Edge *again = outside.empty() ? findMark(at, mark) : nullptr;
  if (!again) {
    fail("leaves a loop before its round is over");
  } else if (again->to != into->to) {
    unsigned back = again->to;
    std::set<int64_t> doneAgain;
    Program second = follow(back, inside, doneAgain);
    auto found = findLate(loop.body, second);
    if (!found || back != at)
      fail(llvm::formatv("does something else in the first round of a loop "
                         "than in others (line {0})",
                         loop.line)
               .str());
    else
      late = *found;
  }
  // A slot that is given back a round late is a scope with a lag.
  for (Use &use : loop.body)
    if (use.kind == Use::Kind::Take && late.contains(use.pipe))
      use = {Use::Kind::Scope, use.pipe, 1, use.line};
  loop.body = nest(loop.body);
  done.insert(mark);
  return loop;
}

Program Finder::follow(unsigned &at, const std::set<int64_t> &around,
                       std::set<int64_t> &done) {
  Program program;
  // Pipes whose slots a loop before has left to be given on.
  std::set<unsigned> late;
  while (outside.empty()) {
    const Automaton::State &state = strand.automaton.states[at];
    std::optional<int64_t> mark;
    bool mayRepeat = false;
    llvm::SmallVector<const Automaton::Edge *, 2> others;
    for (const Automaton::Edge &edge : state.edges) {
      if (edge.step.kind != Step::Kind::Mark)
        others.push_back(&edge);
      else if (around.contains(edge.step.number))
        mayRepeat = true;
      else if (!done.contains(edge.step.number))
        mark = edge.step.number;
    }
    if (mark) {
      program.push_back(followLoop(at, *mark, around, done, late));
      continue;
    }
    if (mayRepeat || (others.empty() && state.mayEnd))
      return program;
    if (others.size() != 1 || state.mayEnd) {
      std::string words;
      for (const Automaton::Edge *edge : others)
        words += (words.empty() ? "" : " or ") + describe(edge->step);
      if (state.mayEnd)
        words += " or ends";
      fail(words + ", and neither items nor steps decide which");
      break;
    }
    const Automaton::Edge &edge = *others.front();
    bool isLate = !edge.step.isWait() && late.erase(edge.step.number);
    if (!isLate)
      program.push_back(makeUse(edge.step));
    at = edge.to;
    done.clear();
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
