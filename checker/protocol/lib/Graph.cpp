//===- Graph.cpp - Reads what a kernel says of itself ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Protocol/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetOperations.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::protocol;
using llvm::StringRef;

std::optional<unsigned> Graph::roleOf(unsigned warp) const {
  for (auto [number, role] : llvm::enumerate(roles))
    if (warp >= role.firstWarp && warp < role.firstWarp + role.warps)
      return number;
  return std::nullopt;
}

std::map<int64_t, std::string> Graph::nameBarriers() const {
  std::map<int64_t, std::string> names;
  for (const Pipe &pipe : pipes)
    for (unsigned slot = 0; slot != pipe.slots; ++slot) {
      auto name = [&](StringRef state) {
        return llvm::formatv("slot {0} of '{1}' is {2}", slot, pipe.name, state)
            .str();
      };
      names[pipe.full + 8 * slot] = name("full");
      names[pipe.empty + 8 * slot] = name("empty");
    }
  for (const Other &other : others)
    names[other.byte] = other.name;
  return names;
}

std::optional<StringRef> protocol::findGraph(const ptx::Function &kernel,
                                             StringRef source) {
  if (kernel.instructions.empty())
    return std::nullopt;
  uint32_t first = kernel.instructions.front().line;
  uint32_t last = kernel.instructions.back().line;
  uint32_t line = 0;
  while (!source.empty()) {
    auto [text, rest] = source.split('\n');
    source = rest;
    text = text.trim();
    if (++line >= first && line <= last &&
        text.consume_front("// drawloom: kernel "))
      return text;
  }
  return std::nullopt;
}

namespace {

/// Reads words and numbers of a line, and remembers if one wasn't there.
class Words {
public:
  explicit Words(StringRef line) {
    line.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  }
  bool isAtEnd() const { return at == words.size(); }
  bool tryTake(StringRef word) {
    if (isAtEnd() || words[at] != word)
      return false;
    ++at;
    return true;
  }
  void take(StringRef word) { isGood &= tryTake(word); }
  StringRef takeName() {
    if (!isAtEnd())
      return words[at++];
    isGood = false;
    return "";
  }
  int64_t takeNumber() {
    int64_t number = 0;
    isGood &= !takeName().getAsInteger(10, number) && number >= 0;
    return number;
  }
  int64_t takeNumber(StringRef word) {
    take(word);
    return takeNumber();
  }
  unsigned takeRole(const Graph &graph) {
    StringRef name = takeName();
    const auto *found = llvm::find_if(
        llvm::ArrayRef(graph.roles),
        [&](const Graph::Role &role) { return role.name == name; });
    isGood &= found != llvm::ArrayRef(graph.roles).end();
    return found - graph.roles.data();
  }

  bool isGood = true;

private:
  llvm::SmallVector<StringRef, 64> words;
  size_t at = 0;
};

} // namespace

static Graph::Pipe readPipe(Words &words, const Graph &graph) {
  Graph::Pipe pipe;
  pipe.name = words.takeName().str();
  words.take("from");
  pipe.producer = words.takeRole(graph);
  words.take("to");
  do
    pipe.consumers.push_back(words.takeRole(graph));
  while (words.isGood && !words.tryTake("slots"));
  pipe.slots = words.takeNumber();
  words.take("in");
  pipe.memory = words.takeName().str();
  pipe.size = words.takeNumber();
  pipe.start = words.takeNumber("at");
  pipe.full = words.takeNumber("full");
  pipe.fullArrivals = words.takeNumber("arrivals");
  if (words.tryTake("bytes"))
    pipe.bytes = words.takeNumber();
  pipe.empty = words.takeNumber("empty");
  pipe.emptyArrivals = words.takeNumber("arrivals");
  words.isGood &= pipe.slots > 0;
  return pipe;
}

llvm::Expected<Graph> protocol::parseGraph(StringRef line) {
  Graph graph;
  Words words(line);
  graph.threads = words.takeNumber("threads");
  graph.rows = words.takeNumber("cluster");
  graph.columns = words.takeNumber();
  graph.isPaired = words.takeName() == "pair";
  words.take("items");
  graph.isDynamic = words.takeName() == "dynamic";
  graph.sharedBytes = words.takeNumber("shared");
  graph.tensorColumns = words.takeNumber("columns");
  words.take(";");
  while (words.isGood && !words.isAtEnd()) {
    if (words.tryTake("role")) {
      Graph::Role role;
      role.name = words.takeName().str();
      role.firstWarp = words.takeNumber("warp");
      role.warps = words.takeNumber("warps");
      words.take("by");
      role.by = words.takeName().str();
      graph.roles.push_back(std::move(role));
    } else if (words.tryTake("pipe")) {
      graph.pipes.push_back(readPipe(words, graph));
    } else {
      words.take("barrier");
      std::string name = words.takeName().str();
      graph.others.push_back({std::move(name), words.takeNumber()});
    }
    words.take(";");
  }
  words.isGood &= graph.threads > 0 && graph.threads <= 1024 &&
                  graph.ctas() > 0 && graph.ctas() <= 16;
  if (!words.isGood)
    return llvm::createStringError(
        "the line '// drawloom: kernel' says nothing that can be read; compile "
        "the kernel with the device library of this version");
  return graph;
}

/// Whether each barrier of a pipe gets the arrivals that it was set up for.
static void checkCounts(const Claims &claims, const Graph &graph,
                        const std::map<BarrierId, int64_t> &arrivals,
                        std::vector<Misfit> &misfits) {
  for (const Graph::Pipe &pipe : graph.pipes)
    for (bool isFull : {true, false})
      for (const auto &[id, barrier] : claims.barriers) {
        int64_t at = id.byte - (isFull ? pipe.full : pipe.empty);
        if (at < 0 || at >= 8 * int64_t(pipe.slots))
          continue;
        std::set<int64_t> counts = barrier.numbersOf(Event::Kind::Init);
        auto found = arrivals.find(id);
        int64_t made = found == arrivals.end() ? 0 : found->second;
        // A peer's copies may be all that comes.
        if (!barrier.has(Event::Kind::Wait) || counts == std::set{made})
          continue;
        auto part = llvm::find_if(barrier.parts, [](const auto &one) {
          return one.first.first == Event::Kind::Init;
        });
        misfits.push_back(
            {.rule = "count",
             .barrier = id,
             .line = part == barrier.parts.end() ? 0 : part->second.line,
             .title =
                 llvm::formatv("slot {0} of '{1}' is {2} after {3} "
                               "arrivals, and its roles make {4}",
                               at / 8, pipe.name, isFull ? "full" : "empty",
                               counts.empty() ? 0 : *counts.begin(), made),
             .why = "a phase ends with exactly so many arrivals",
             .advice = "let every role of the pipe arrive for each slot, as "
                       "its scopes do"});
        break;
      }
}

FollowedRoles protocol::followRoles(const Claims &claims, const Graph &graph) {
  FollowedRoles result;
  result.roles.resize(graph.roles.size());
  auto fail = [&](const llvm::Twine &why) {
    result.outside = why.str();
    return result;
  };
  if (!claims.isWhole() || claims.isCounted)
    return fail("not all of it was followed");
  constexpr unsigned mostStates = 20000;
  std::vector<std::optional<Strand>> folded(graph.roles.size());
  std::map<BarrierId, int64_t> arrivals;
  for (const auto &[warp, paths] : claims.paths) {
    std::optional<unsigned> role = graph.roleOf(warp.warp);
    auto strands = findStrands(*paths, mostStates);
    if (!strands)
      return fail(llvm::Twine("warp ") + llvm::Twine(warp.warp) +
                  " has more than " + llvm::Twine(mostStates) + " states");
    // Lanes that only wait go with one that gives.
    std::set<Step> waited;
    auto givesNothing = [](const Strand &strand) {
      return llvm::all_of(strand.lines, [](const auto &one) {
        return one.first.isWait() || one.first.kind == Step::Kind::Mark;
      });
    };
    for (const Strand &strand : *strands)
      if (!givesNothing(strand))
        llvm::set_union(waited, strand.waits());
    bool isThere = false;
    for (const Strand &strand : *strands) {
      std::set<Step> waits = strand.waits();
      if (givesNothing(strand) && llvm::set_is_subset(waits, waited))
        continue;
      if (!role)
        return fail(llvm::Twine("warp ") + llvm::Twine(warp.warp) +
                    ", which has no role, uses mbarriers");
      for (const auto &[step, line] : strand.lines)
        if (step.kind == Step::Kind::Arrive)
          arrivals[step.barrier] += step.number;
      std::optional<Strand> one =
          foldRings(strand, *role, graph, result.misfits);
      if (!one)
        continue;
      isThere = true;
      std::optional<Strand> &first = folded[*role];
      if (first && first->automaton != one->automaton)
        return fail("warps of role '" + graph.roles[*role].name +
                    "' use its pipes in different orders");
      if (!first)
        first = std::move(one);
    }
    if (isThere && warp.warp == graph.roles[*role].firstWarp)
      ++result.roles[*role].ctas;
  }
  if (result.misfits.empty())
    checkCounts(claims, graph, arrivals, result.misfits);
  if (!result.misfits.empty())
    return result;
  for (auto [role, strand, followed] :
       llvm::zip(graph.roles, folded, result.roles)) {
    if (strand)
      followed.program = findProgram(*strand, graph, result.outside);
    if (!result.outside.empty())
      return fail("role '" + role.name + "' " + result.outside);
  }
  return result;
}
