//===- Paths.cpp - The orders in which lanes use mbarriers ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Protocol/Paths.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::protocol;

unsigned Paths::nodeOf(unsigned state) {
  auto [it, isNew] = byState.try_emplace(state, nodes.size());
  if (isNew)
    nodes.emplace_back();
  return it->second;
}

void Paths::connect(unsigned from, unsigned to, uint32_t lanes) {
  nodes[from].edges.push_back({to, lanes});
}

unsigned Paths::append(unsigned from, const Step &step, uint32_t line,
                       uint32_t by, uint32_t lanes) {
  unsigned to = nodes.size();
  nodes.emplace_back();
  nodes[from].edges.push_back({to, lanes, by, step, line});
  return to;
}

std::set<Step> Strand::waits() const {
  std::set<Step> waits;
  for (const auto &[step, line] : lines)
    if (step.isWait())
      waits.insert(step);
  return waits;
}

/// States that allow the same become one; numbered as they are reached.
static void minimize(std::vector<Automaton::State> &states) {
  std::vector<unsigned> classes(states.size(), 0);
  for (size_t count = 0;;) {
    std::map<std::pair<unsigned, Automaton::State>, unsigned> found;
    std::vector<unsigned> finer;
    for (auto [state, old] : llvm::zip(states, classes)) {
      Automaton::State image = state;
      for (Automaton::Edge &edge : image.edges)
        edge.to = classes[edge.to];
      finer.push_back(found.try_emplace({old, std::move(image)}, found.size())
                          .first->second);
    }
    classes = std::move(finer);
    if (found.size() == count)
      break;
    count = found.size();
  }
  std::map<unsigned, unsigned> order;
  std::vector<unsigned> representatives;
  auto place = [&](unsigned state) {
    auto [it, isNew] = order.try_emplace(classes[state], order.size());
    if (isNew)
      representatives.push_back(state);
    return it->second;
  };
  place(0);
  std::vector<Automaton::State> small;
  for (size_t i = 0; i != representatives.size(); ++i) {
    Automaton::State state = states[representatives[i]];
    for (Automaton::Edge &edge : state.edges)
      edge.to = place(edge.to);
    small.push_back(std::move(state));
  }
  states = std::move(small);
}

namespace drawloom::protocol {

/// Makes the automaton of lanes that go and act together.
class AutomatonBuilder {
public:
  AutomatonBuilder(const Paths &paths, uint32_t lanes)
      : paths(paths), lanes(lanes) {}
  /// Sets of lanes that no edge tells apart.
  static std::vector<uint32_t> findLanes(const Paths &paths);
  /// False if there are more than `limit` states.
  bool build(unsigned limit);
  Strand take();

private:
  using Nodes = std::vector<unsigned>;
  Nodes close(Nodes nodes) const;
  unsigned numberOf(Nodes nodes);

  const Paths &paths;
  uint32_t lanes;
  Strand strand;
  std::map<Nodes, unsigned> numbers;
  std::vector<Nodes> sets;
};

} // namespace drawloom::protocol

std::vector<uint32_t> AutomatonBuilder::findLanes(const Paths &paths) {
  std::vector<uint32_t> sets = {~0u};
  auto split = [&](uint32_t mask) {
    for (size_t i = 0, end = sets.size(); i != end; ++i)
      if (uint32_t inside = sets[i] & mask; inside && inside != sets[i]) {
        sets.push_back(sets[i] & ~mask);
        sets[i] = inside;
      }
  };
  for (const Paths::Node &node : paths.nodes) {
    split(node.ending);
    for (const Paths::Edge &edge : node.edges) {
      split(edge.lanes);
      split(edge.by);
    }
  }
  return sets;
}

/// With all nodes that are reached without a step.
AutomatonBuilder::Nodes AutomatonBuilder::close(Nodes nodes) const {
  std::set<unsigned> seen(nodes.begin(), nodes.end());
  while (!nodes.empty()) {
    unsigned at = nodes.back();
    nodes.pop_back();
    for (const Paths::Edge &edge : paths.nodes[at].edges)
      if ((edge.lanes & lanes) && !(edge.by & lanes) &&
          seen.insert(edge.to).second)
        nodes.push_back(edge.to);
  }
  return Nodes(seen.begin(), seen.end());
}

unsigned AutomatonBuilder::numberOf(Nodes nodes) {
  auto [it, isNew] = numbers.try_emplace(close(std::move(nodes)), sets.size());
  if (isNew)
    sets.push_back(it->first);
  return it->second;
}

bool AutomatonBuilder::build(unsigned limit) {
  numberOf({0});
  std::vector<Automaton::State> &states = strand.automaton.states;
  for (unsigned number = 0; number != sets.size(); ++number) {
    if (number == limit)
      return false;
    Automaton::State state;
    std::map<Step, Nodes> next;
    for (unsigned at : Nodes(sets[number])) {
      const Paths::Node &node = paths.nodes[at];
      state.mayEnd |= (node.ending & lanes) != 0;
      for (const Paths::Edge &edge : node.edges) {
        if (!(edge.lanes & edge.by & lanes))
          continue;
        Step step = edge.step;
        if (step.kind == Step::Kind::Arrive)
          step.number *= llvm::popcount(lanes);
        next[step].push_back(edge.to);
        strand.lines.try_emplace(step, edge.line);
      }
    }
    for (auto &[step, nodes] : next)
      state.edges.push_back({step, numberOf(std::move(nodes))});
    states.push_back(std::move(state));
  }
  minimize(states);
  return true;
}

Strand AutomatonBuilder::take() {
  strand.lanes = lanes;
  return std::move(strand);
}

std::optional<std::vector<Strand>> protocol::findStrands(const Paths &paths,
                                                         unsigned limit) {
  std::vector<Strand> strands;
  for (uint32_t lanes : AutomatonBuilder::findLanes(paths)) {
    AutomatonBuilder builder(paths, lanes);
    if (!builder.build(limit))
      return std::nullopt;
    strands.push_back(builder.take());
  }
  llvm::erase_if(strands,
                 [](const Strand &strand) { return strand.lines.empty(); });
  return strands;
}

Automaton protocol::without(const Automaton &automaton,
                            llvm::function_ref<bool(const Step &)> isLeftOut) {
  using States = std::set<unsigned>;
  auto close = [&](std::vector<unsigned> work) {
    States seen(work.begin(), work.end());
    while (!work.empty()) {
      unsigned at = work.back();
      work.pop_back();
      for (const Automaton::Edge &edge : automaton.states[at].edges)
        if (isLeftOut(edge.step) && seen.insert(edge.to).second)
          work.push_back(edge.to);
    }
    return seen;
  };
  std::map<States, unsigned> numbers = {{close({0}), 0}};
  std::vector<States> sets = {close({0})};
  Automaton result;
  for (size_t number = 0; number != sets.size(); ++number) {
    Automaton::State state;
    std::map<Step, std::vector<unsigned>> next;
    for (unsigned at : sets[number]) {
      state.mayEnd |= automaton.states[at].mayEnd;
      for (const Automaton::Edge &edge : automaton.states[at].edges)
        if (!isLeftOut(edge.step))
          next[edge.step].push_back(edge.to);
    }
    for (auto &[step, targets] : next) {
      auto [it, isNew] =
          numbers.try_emplace(close(std::move(targets)), sets.size());
      if (isNew)
        sets.push_back(it->first);
      state.edges.push_back({step, it->second});
    }
    result.states.push_back(std::move(state));
  }
  minimize(result.states);
  return result;
}
