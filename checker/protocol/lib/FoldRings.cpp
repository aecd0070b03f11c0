//===- FoldRings.cpp - Barriers of a role as slots of pipes ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A strand says "wait for byte 229408 with parity 1, arrive at byte 229376".
// Here it becomes "take a slot of 'operands', give it on", and what would make
// that untrue is found: slots out of order, a parity that isn't due, a slot
// that is given on twice, early or never.

#include "drawloom/Protocol/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::protocol;
using llvm::formatv;

namespace {

/// What a barrier is for.
struct Place {
  std::optional<unsigned> pipe; ///< Else one of the graph's others.
  bool isFull = false;
  unsigned slot = 0;
};

/// Where a role stands with a pipe. Taken slots are counted modulo two rounds;
/// by CTA that it gives them to, those that it hasn't given on.
struct Cursor {
  unsigned taken = 0;
  llvm::SmallVector<unsigned, 4> held;

  unsigned mostHeld() const {
    return held.empty() ? 0 : *llvm::max_element(held);
  }
  auto operator<=>(const Cursor &other) const {
    return std::pair(taken, llvm::ArrayRef(held).vec()) <=>
           std::pair(other.taken, llvm::ArrayRef(other.held).vec());
  }
};

/// A state of the strand, and where the role stands with all pipes.
struct Node {
  unsigned state = 0;
  std::vector<Cursor> cursors;

  auto operator<=>(const Node &) const = default;
};

class Folder {
public:
  Folder(const Strand &strand, unsigned role, const Graph &graph,
         std::vector<Misfit> &misfits)
      : strand(strand), role(role), graph(graph), misfits(misfits) {}
  std::optional<Strand> fold();

private:
  std::optional<Place> find(BarrierId id) const;
  bool findTargets();
  /// The nodes go on; what is left of the step, if anything. False if it is at
  /// odds.
  bool go(Node &node, const Step &step, std::optional<Step> &left);
  bool take(Cursor &cursor, const Step &step, const Place &place);
  bool give(Cursor &cursor, const Step &step, const Place &place, bool &isLast);
  bool end(const Node &node);

  bool fail(const Step &step, const llvm::Twine &title, const llvm::Twine &why,
            const llvm::Twine &advice) {
    auto line = strand.lines.find(step);
    Misfit misfit{.rule = "order",
                  .barrier = step.barrier,
                  .line = line == strand.lines.end() ? 0 : line->second,
                  .title =
                      "role '" + graph.roles[role].name + "' " + title.str(),
                  .why = why.str(),
                  .advice = advice.str()};
    // Other warps of the role say the same.
    if (llvm::none_of(misfits, [&](const Misfit &other) {
          return other.title == misfit.title;
        }))
      misfits.push_back(std::move(misfit));
    return false;
  }
  /// "slot 1 of 'operands'"
  std::string nameSlot(const Graph::Pipe &pipe, unsigned slot) const {
    return formatv("slot {0} of '{1}'", slot % pipe.slots, pipe.name);
  }
  bool produces(const Graph::Pipe &pipe) const { return pipe.producer == role; }

  const Strand &strand;
  unsigned role;
  const Graph &graph;
  std::vector<Misfit> &misfits;
  /// By pipe: the CTAs that slots are given to.
  std::vector<llvm::SmallVector<unsigned, 4>> targets;
};

} // namespace

std::optional<Place> Folder::find(BarrierId id) const {
  for (auto [number, pipe] : llvm::enumerate(graph.pipes))
    for (bool isFull : {true, false}) {
      int64_t at = id.byte - (isFull ? pipe.full : pipe.empty);
      if (at >= 0 && at < 8 * int64_t(pipe.slots))
        return Place{unsigned(number), isFull, unsigned(at / 8)};
    }
  for (const Graph::Other &other : graph.others)
    if (other.byte == id.byte)
      return Place{};
  return std::nullopt;
}

bool Folder::findTargets() {
  targets.resize(graph.pipes.size());
  for (const auto &[step, line] : strand.lines) {
    if (step.kind == Step::Kind::Mark)
      continue;
    std::optional<Place> place = find(step.barrier);
    if (!place)
      return fail(step,
                  formatv("uses an mbarrier at byte {0} outside pipes",
                          step.barrier.byte),
                  "barriers of pipes are the only ones of the kernel",
                  "pass what it guards through a pipe");
    if (!place->pipe)
      continue;
    const Graph::Pipe &pipe = graph.pipes[*place->pipe];
    bool isConsumer = llvm::is_contained(pipe.consumers, role);
    bool isOwn = step.isWait() == place->isFull ? isConsumer : produces(pipe);
    if (!isOwn)
      return fail(step,
                  formatv("{0} {1}, which isn't its own",
                          step.isWait() ? "waits for" : "arrives for",
                          nameSlot(pipe, place->slot)),
                  formatv("the pipe goes from '{0}' to '{1}'",
                          graph.roles[pipe.producer].name,
                          graph.roles[pipe.consumers.front()].name),
                  "use it from these roles only");
    auto &to = targets[*place->pipe];
    if (!step.isWait() && !llvm::is_contained(to, step.barrier.rank))
      to.push_back(step.barrier.rank);
  }
  return true;
}

bool Folder::take(Cursor &cursor, const Step &step, const Place &place) {
  const Graph::Pipe &pipe = graph.pipes[*place.pipe];
  llvm::StringRef state = place.isFull ? "full" : "empty";
  unsigned due = cursor.taken % pipe.slots;
  if (place.slot != due)
    return fail(step,
                formatv("waits for {0} to be {1}, where slot {2} is the next",
                        nameSlot(pipe, place.slot), state, due),
                "slots are taken in the order of the ring, or the other side "
                "waits for one that comes later",
                "wait for each slot once");
  // A fresh barrier lets a producer pass with parity 1.
  unsigned parity = cursor.taken / pipe.slots % 2;
  if (!place.isFull)
    parity ^= 1;
  if (unsigned(step.number) != parity)
    return fail(step,
                formatv("waits for {0} to be {1} with parity {2}, where {3} is "
                        "due",
                        nameSlot(pipe, place.slot), state, step.number, parity),
                "the parity says which round of the ring is meant",
                "change the parity when the slot wraps around, and only then");
  if (cursor.mostHeld() == pipe.slots)
    return fail(step,
                formatv("waits for {0} to be {1}, and has all {2} slots itself",
                        nameSlot(pipe, place.slot), state, pipe.slots),
                "no other role can make it so",
                "give a slot on before the next is taken");
  cursor.taken = (cursor.taken + 1) % (2 * pipe.slots);
  if (cursor.held.empty())
    cursor.held.push_back(0);
  for (unsigned &held : cursor.held)
    ++held;
  return true;
}

bool Folder::give(Cursor &cursor, const Step &step, const Place &place,
                  bool &isLast) {
  const Graph::Pipe &pipe = graph.pipes[*place.pipe];
  llvm::StringRef how = produces(pipe) ? "passes on" : "releases";
  unsigned most = cursor.mostHeld();
  unsigned &held =
      cursor.held[llvm::find(targets[*place.pipe], step.barrier.rank) -
                  targets[*place.pipe].begin()];
  // Another copy into the slot that it took last.
  if (step.kind == Step::Kind::Copy && held == 0 &&
      place.slot == (cursor.taken + pipe.slots - 1) % pipe.slots)
    return true;
  if (held == 0)
    return fail(step,
                formatv("{0} {1}, which it doesn't have", how,
                        nameSlot(pipe, place.slot)),
                "it hasn't waited for it since it last gave it on",
                "wait for a slot first, and give it on once");
  unsigned due = (cursor.taken + 2 * pipe.slots - held) % pipe.slots;
  if (place.slot != due)
    return fail(step,
                formatv("{0} {1}, where slot {2} is the next", how,
                        nameSlot(pipe, place.slot), due),
                "slots are given on in the order in which they were taken",
                "give the oldest slot on first");
  --held;
  isLast = cursor.mostHeld() < most;
  return true;
}

bool Folder::go(Node &node, const Step &step, std::optional<Step> &left) {
  if (step.kind == Step::Kind::Mark) {
    left = {Step::Kind::Mark, {}, step.number};
    return true;
  }
  Place place = *find(step.barrier);
  if (!place.pipe)
    return true;
  Cursor &cursor = node.cursors[*place.pipe];
  if (step.isWait()) {
    left = {Step::Kind::Wait, {}, *place.pipe};
    return take(cursor, step, place);
  }
  bool isLast = false;
  if (!give(cursor, step, place, isLast))
    return false;
  if (isLast)
    left = {Step::Kind::Arrive, {}, *place.pipe};
  return true;
}

bool Folder::end(const Node &node) {
  for (auto [number, cursor] : llvm::enumerate(node.cursors)) {
    if (cursor.mostHeld() == 0)
      continue;
    const Graph::Pipe &pipe = graph.pipes[number];
    // Where it took one.
    Step taken;
    for (const auto &[step, line] : strand.lines)
      if (step.isWait() && find(step.barrier)->pipe == number)
        taken = step;
    return fail(
        taken,
        formatv("ends with {0}", nameSlot(pipe, cursor.taken + 2 * pipe.slots -
                                                    cursor.mostHeld())),
        formatv(
            "'{0}' waits for it",
            graph.roles[produces(pipe) ? pipe.consumers.front() : pipe.producer]
                .name),
        produces(pipe) ? "fill it and pass it on"
                       : "give it back when it has been read");
  }
  return true;
}

std::optional<Strand> Folder::fold() {
  if (!findTargets())
    return std::nullopt;
  Paths paths;
  std::map<Node, unsigned> numbers;
  std::vector<Node> work;
  auto numberOf = [&](const Node &node) {
    auto [it, isNew] = numbers.try_emplace(node, numbers.size());
    if (isNew)
      work.push_back(node);
    return paths.nodeOf(it->second);
  };
  Node first;
  first.cursors.resize(graph.pipes.size());
  for (auto [cursor, to] : llvm::zip(first.cursors, targets))
    cursor.held.assign(to.size(), 0);
  paths.connect(0, numberOf(first), 1);
  while (!work.empty()) {
    Node node = std::move(work.back());
    work.pop_back();
    unsigned at = numberOf(node);
    const Automaton::State &state = strand.automaton.states[node.state];
    if (state.mayEnd) {
      if (!end(node))
        return std::nullopt;
      paths.end(at, 1);
    }
    for (const Automaton::Edge &edge : state.edges) {
      Node next = node;
      next.state = edge.to;
      std::optional<Step> left;
      if (!go(next, edge.step, left))
        return std::nullopt;
      unsigned from = at;
      if (left)
        from = paths.append(at, *left, strand.lines.at(edge.step), 1, 1);
      paths.connect(from, numberOf(next), 1);
    }
  }
  auto strands = findStrands(paths, /*limit=*/20000);
  if (!strands || strands->empty())
    return std::nullopt;
  return std::move(strands->front());
}

std::optional<Strand> protocol::foldRings(const Strand &strand, unsigned role,
                                          const Graph &graph,
                                          std::vector<Misfit> &misfits) {
  return Folder(strand, role, graph, misfits).fold();
}
