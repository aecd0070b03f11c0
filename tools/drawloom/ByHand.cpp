//===- ByHand.cpp - The proof of kernels by hand --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByHand.h"
#include "drawloom/Analysis/Progress/Prove.h"
#include "drawloom/Analysis/Progress/Remedy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using progress::Count;
using protocol::Graph;
using protocol::Misfit;
using protocol::Use;

namespace {

/// Makes a network of the programs of a kernel's roles.
class NetworkMaker {
public:
  NetworkMaker(const ptx::Module &module, const ptx::Function &kernel,
               const Graph &graph, const protocol::FollowedRoles &followed)
      : module(module), kernel(kernel), graph(graph), followed(followed) {}

  /// Of steps, by role and place; of pipes, where they are first used.
  std::map<std::pair<unsigned, std::string>, uint32_t> lines;
  std::map<unsigned, uint32_t> firstLines;

  progress::Network make() {
    items = network.addSize({.name = "items"});
    // A sum of no products isn't launched.
    steps = network.addSize({.name = "k", .min = 1, .perItemOf = items});
    for (auto [role, program] : llvm::zip(graph.roles, followed.roles))
      network.addRole(
          {.name = role.name,
           .warps = int64_t(role.warps) * std::max(program.ctas, 1u)});
    for (const Graph::Pipe &pipe : graph.pipes)
      network.addPipe(makePipe(pipe));
    for (auto [role, program] : llvm::zip(network.roles, followed.roles))
      role.body = makeBody(program.program, &role - network.roles.data());
    return std::move(network);
  }

private:
  progress::Engine engineOf(unsigned role) const {
    return graph.roles[role].by == "tensor-core" ? progress::Engine::tensorCore
                                                 : progress::Engine::warps;
  }
  progress::Pipe makePipe(const Graph::Pipe &pipe) const {
    progress::Pipe made{.name = pipe.name,
                        .slots = Count::constant(pipe.slots),
                        .producer = pipe.producer,
                        .consumers = {},
                        .engine = engineOf(pipe.producer)};
    for (unsigned role : pipe.consumers)
      made.consumers.push_back({.role = role, .engine = engineOf(role)});
    return made;
  }
  progress::Body makeBody(const protocol::Program &program, unsigned role) {
    progress::Body body;
    for (const Use &use : program) {
      progress::Body inner = makeBody(use.body, role);
      std::string place = describePlace(use.line);
      lines.try_emplace({role, place}, use.line);
      switch (use.kind) {
      case Use::Kind::Items:
        body.push_back(progress::forEachItem(items, std::move(inner), place));
        break;
      case Use::Kind::Steps:
        body.push_back(
            progress::loop(Count::of(steps), std::move(inner), place));
        break;
      default: {
        const Graph::Pipe &pipe = graph.pipes[use.pipe];
        firstLines.try_emplace(use.pipe, use.line);
        if (pipe.producer != role) {
          body.push_back(
              progress::consume({use.pipe}, std::move(inner), use.lag, place));
          break;
        }
        progress::Bytes bytes;
        if (pipe.bytes)
          bytes = {.announced = pipe.bytes, .copies = {pipe.bytes}};
        body.push_back(progress::produce(use.pipe, std::move(inner), use.lag,
                                         bytes, place));
      }
      }
    }
    return body;
  }
  /// The line of the source, or else of the PTX.
  std::string describePlace(uint32_t line) const {
    Misfit place{.rule = "",
                 .barrier = {},
                 .line = line,
                 .title = "",
                 .why = "",
                 .advice = ""};
    protocol::locate(place, module, kernel);
    if (place.source.empty())
      return llvm::formatv("PTX line {0}", line).str();
    // A wait is the library's; who calls it, in the kernel's own file, is the
    // role, or a function that does a part of its work.
    const auto *call = llvm::find_if(
        llvm::ArrayRef(place.source), [&](const ptx::SourceLine &at) {
          return at.file == place.source.back().file;
        });
    return ptx::spell(*call);
  }

  const ptx::Module &module;
  const ptx::Function &kernel;
  const Graph &graph;
  const protocol::FollowedRoles &followed;
  progress::Network network;
  progress::SizeId items = 0, steps = 0;
};

} // namespace

/// What to do about a failure, as text.
static std::string findAdvice(const progress::Network &network,
                              const progress::Failure &failure) {
  std::string words;
  for (const progress::Remedy &remedy :
       progress::findRemedies(network, failure))
    if (remedy.kind == progress::Remedy::Kind::slots &&
        remedy.condition.empty())
      words +=
          llvm::formatv("{0}{1} slots for '{2}'", words.empty() ? "" : ", or ",
                        remedy.value, network.pipes[remedy.pipe].name);
  return words.empty() ? "both sides of a pipe take as many slots for an item, "
                         "in orders that fit"
                       : words;
}

static Misfit makeMisfit(const NetworkMaker &maker, const Graph &graph,
                         const progress::Network &network,
                         const progress::Failure &failure) {
  Misfit misfit{.rule = "progress",
                .barrier = {},
                .line = 0,
                .title = progress::headlineOf(failure, network),
                .why = "",
                .advice = findAdvice(network, failure)};
  for (const progress::WaitingEvent *event : progress::causesOf(failure)) {
    if (misfit.line == 0) {
      const Graph::Pipe &pipe = graph.pipes[event->object];
      bool isEmpty = event->kind == progress::WaitingEvent::Kind::slotEmpty;
      misfit.barrier.byte = (isEmpty ? pipe.empty : pipe.full) +
                            8 * std::max<int64_t>(event->slot, 0);
      auto line = maker.lines.find({event->role, event->location});
      misfit.line = line == maker.lines.end()
                        ? maker.firstLines.at(event->object)
                        : line->second;
    }
    misfit.why += (misfit.why.empty() ? "" : "; ") +
                  progress::describe(*event, failure, network);
    if (!event->location.empty())
      misfit.why += ", at " + event->location;
  }
  return misfit;
}

HandProof drawloom::proveByHand(const ptx::Module &module,
                                const ptx::Function &kernel,
                                const protocol::Claims &claims,
                                const Graph &graph,
                                std::vector<Misfit> &misfits) {
  HandProof proof;
  protocol::FollowedRoles followed = protocol::followRoles(claims, graph);
  protocol::locate(followed.misfits, module, kernel);
  llvm::append_range(misfits, followed.misfits);
  proof.verdict.construct = followed.outside;
  if (!misfits.empty() || !followed.outside.empty())
    return proof;
  NetworkMaker maker(module, kernel, graph, followed);
  proof.network = maker.make();
  if (std::optional<std::string> mistake =
          progress::findMistake(proof.network)) {
    proof.verdict.construct = *mistake;
    return proof;
  }
  proof.verdict = progress::prove(proof.network);
  if (proof.verdict.failure) {
    misfits.push_back(
        makeMisfit(maker, graph, proof.network, *proof.verdict.failure));
    protocol::locate(misfits.back(), module, kernel);
  }
  return proof;
}

static void printBody(const progress::Network &network,
                      const progress::Body &body, unsigned depth,
                      llvm::raw_ostream &os) {
  for (const progress::Step &step : body) {
    os.indent(4 + 2 * depth);
    const progress::Body *inner = nullptr;
    if (const auto *items = std::get_if<progress::ItemLoop>(&step.what)) {
      os << "for each item";
      inner = &items->body;
    } else if (const auto *loop = std::get_if<progress::Loop>(&step.what)) {
      os << "for each K tile";
      inner = &loop->body;
    } else if (const auto *scope = std::get_if<progress::Produce>(&step.what)) {
      os << "produce " << network.pipes[scope->pipe].name;
      inner = &scope->body;
    } else if (const auto *scope = std::get_if<progress::Consume>(&step.what)) {
      os << "consume " << network.pipes[scope->pipes.front()].name;
      if (scope->lag)
        os << ", released " << scope->lag << " late";
      inner = &scope->body;
    }
    os << ", " << step.location << '\n';
    printBody(network, *inner, depth + 1, os);
  }
}

/// Of what isn't proved for all sizes.
static std::string findReason(const progress::Verdict &verdict) {
  using Kind = progress::Verdict::Kind;
  switch (verdict.kind) {
  case Kind::proved:
    return "";
  case Kind::provedIf:
    return "proved if " + verdict.words;
  case Kind::deadlock:
    return "not proved: the roles may deadlock";
  case Kind::undecided:
    break;
  }
  return "not proved: " + (verdict.construct.empty() ? "something is at odds"
                                                     : verdict.construct);
}

protocol::Progress drawloom::summarize(const HandProof &proof) {
  return {.isProved = proof.verdict.kind == progress::Verdict::Kind::proved,
          .assumptions = {},
          .roles = unsigned(proof.network.roles.size()),
          .states = unsigned(proof.verdict.states),
          .why = findReason(proof.verdict)};
}

void drawloom::print(const HandProof &proof, llvm::raw_ostream &os) {
  for (const progress::Role &role : proof.network.roles) {
    os << "  role " << role.name << '\n';
    printBody(proof.network, role.body, 0, os);
  }
  std::string reason = findReason(proof.verdict);
  if (reason.empty())
    reason =
        llvm::formatv("proved for all sizes; {0} states", proof.verdict.states);
  os << "  deadlock-free: " << reason << '\n';
}
