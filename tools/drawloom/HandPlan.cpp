//===- HandPlan.cpp - The plan of a kernel by hand ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HandPlan.h"
#include "ByHand.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Input/Read.h"
#include "drawloom/PTX/Parser.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace drawloom;
using protocol::Graph;

namespace {
/// What a word of the graph for who works means in a plan.
struct Worker {
  llvm::StringRef by;
  std::vector<plan::Unit> units;
  llvm::StringRef does;
  plan::Role::Kind kind;
  plan::Engine engine;
};
} // namespace

static const Worker &findWorker(const Graph::Role &role, bool produces) {
  using Kind = plan::Role::Kind;
  using plan::Engine;
  using plan::Unit;
  static const Worker workers[] = {
      {"tma", {Unit::Tma}, "load", Kind::Load, Engine::tma},
      {"tma", {Unit::Tma}, "store", Kind::Compute, Engine::tma},
      {"tensor-core", {Unit::Tcgen05}, "mma", Kind::Mma, Engine::tensor_core},
      {"warp-groups",
       {Unit::Wgmma, Unit::CudaCores},
       "mma, compute",
       Kind::Mma,
       Engine::threads},
      {"clc",
       {Unit::LaunchControl},
       "try_cancel, broadcast tile",
       Kind::Schedule,
       Engine::threads},
      {"threads",
       {Unit::CudaCores},
       "compute",
       Kind::Compute,
       Engine::threads}};
  if (role.by == "tma")
    return workers[produces ? 0 : 1];
  return *llvm::find_if(workers, [&](const Worker &worker) {
    return worker.by == role.by || worker.by == "threads";
  });
}

/// `does` is what a role does in a slot in which it takes no other.
static std::vector<plan::Step> makeProgram(const progress::Body &body,
                                           llvm::StringRef does) {
  using Kind = plan::Step::Kind;
  std::vector<plan::Step> program;
  for (const progress::Step &step : body) {
    plan::Step made{.kind = Kind::Items};
    if (const auto *items = std::get_if<progress::ItemLoop>(&step.what)) {
      made.body = makeProgram(items->body, does);
    } else if (const auto *loop = std::get_if<progress::Loop>(&step.what)) {
      made.kind = Kind::Loop;
      made.body = makeProgram(loop->body, does);
    } else if (const auto *scope = std::get_if<progress::Produce>(&step.what)) {
      made.kind = Kind::Produce;
      if (scope->body.empty())
        made.body.push_back({.kind = Kind::Work, .work = {does.str()}});
      made.pipes = {scope->pipe};
      made.lag = scope->lag;
      llvm::append_range(made.body, makeProgram(scope->body, does));
    } else if (const auto *scope = std::get_if<progress::Consume>(&step.what)) {
      made.kind = Kind::Consume;
      made.pipes.assign(scope->pipes.begin(), scope->pipes.end());
      made.lag = scope->lag;
      made.body = makeProgram(scope->body, does);
    }
    program.push_back(std::move(made));
  }
  return program;
}

/// How long a role keeps slots of a pipe when it goes on.
static int64_t findLag(llvm::ArrayRef<plan::Step> program, unsigned pipe) {
  int64_t lag = 0;
  for (const plan::Step &step : program) {
    if (step.kind == plan::Step::Kind::Consume && step.pipes.front() == pipe)
      lag = std::max(lag, step.lag);
    lag = std::max(lag, findLag(step.body, pipe));
  }
  return lag;
}

static plan::Role makeRole(const Graph &graph, unsigned index,
                           const HandProof &proof) {
  const Graph::Role &role = graph.roles[index];
  plan::Role made;
  for (auto [number, pipe] : llvm::enumerate(graph.pipes)) {
    if (pipe.producer == index)
      made.produces.push_back(number);
    if (llvm::is_contained(pipe.consumers, index))
      made.consumes.push_back(number);
  }
  const Worker &worker = findWorker(role, !made.produces.empty());
  made.name = role.name;
  made.kind = worker.kind;
  made.warps = role.warps;
  made.at = role.firstWarp;
  made.scope = graph.isPaired && role.by == "tensor-core" ? plan::Scope::pair
                                                          : plan::Scope::cta;
  made.units = worker.units;
  made.does = worker.does;
  if (!proof.network.roles.empty())
    made.program = makeProgram(proof.network.roles[index].body, worker.does);
  return made;
}

static plan::Pipe makePipe(const Graph &graph, const Graph::Pipe &pipe,
                           llvm::ArrayRef<plan::Role> roles) {
  auto engineOf = [&](unsigned role) {
    return findWorker(graph.roles[role], true).engine;
  };
  using Memory = plan::Pipe::Memory;
  plan::Pipe made{.name = pipe.name,
                  .slots = pipe.slots,
                  .memory = pipe.memory == "tensor"    ? Memory::Tensor
                            : pipe.memory == "message" ? Memory::Message
                                                       : Memory::Shared,
                  .scope = plan::Scope::cta,
                  .tensors = {},
                  .slotSize = pipe.size,
                  .producer = pipe.producer,
                  .producerEngine = engineOf(pipe.producer),
                  .consumers = {},
                  .fullArrivals = pipe.fullArrivals,
                  .fullBytes = pipe.bytes,
                  .emptyArrivals = pipe.emptyArrivals,
                  .impliedBy = {},
                  .place = plan::PlacedPipe{.start = pipe.start,
                                            .full = pipe.full,
                                            .empty = pipe.empty,
                                            .reuses = ""},
                  .because = {}};
  unsigned index = &pipe - graph.pipes.data();
  // Messages are read by threads, whatever works for the role.
  for (unsigned role : pipe.consumers)
    made.consumers.push_back({role,
                              made.memory == Memory::Message
                                  ? plan::Engine::threads
                                  : engineOf(role),
                              findLag(roles[role].program, index)});
  return made;
}

static void setVerdict(plan::Plan &plan, const progress::Verdict &verdict,
                       bool isAtOdds) {
  using Kind = progress::Verdict::Kind;
  plan.verdict = verdict.kind == Kind::proved     ? plan::Verdict::Proved
                 : verdict.kind == Kind::provedIf ? plan::Verdict::ProvedIf
                                                  : plan::Verdict::Undecided;
  if (verdict.kind == Kind::proved || verdict.kind == Kind::provedIf)
    plan.verdictWords = verdict.words;
  else
    plan.verdictWords = isAtOdds
                            ? "something is at odds; 'drawloom check' says what"
                            : verdict.construct;
}

static plan::Plan makePlan(const Graph &graph, const HandProof &proof,
                           bool isAtOdds, llvm::StringRef name,
                           const target::Architecture *arch) {
  plan::Plan plan;
  plan.kernel = name;
  plan.arch = arch;
  plan.cluster = {graph.rows, graph.columns};
  plan.items = graph.isDynamic ? plan::Items::Dynamic : plan::Items::Static;
  for (unsigned role = 0; role < graph.roles.size(); ++role)
    plan.roles.push_back(makeRole(graph, role, proof));
  int64_t barriers = graph.sharedBytes, end = 0;
  for (const Graph::Pipe &pipe : graph.pipes) {
    plan.pipes.push_back(makePipe(graph, pipe, plan.roles));
    barriers = std::min({barriers, pipe.full, pipe.empty});
    end = std::max(
        {end, pipe.full + 8 * pipe.slots, pipe.empty + 8 * pipe.slots});
    if (pipe.memory == "shared" && pipe.size > 0)
      plan.memory.push_back({pipe.name, pipe.start, pipe.size * pipe.slots});
  }
  for (const Graph::Other &other : graph.others)
    end = std::max(end, other.byte + 8);
  plan.memory.push_back({"barriers", barriers, end - barriers});
  plan.warps = graph.threads / arch->warpSize;
  for (int64_t warp = 0; warp < *plan.warps; ++warp)
    if (!graph.roleOf(warp))
      plan.holes.push_back(warp);
  plan.sharedBytes = graph.sharedBytes;
  if (graph.tensorColumns)
    plan.tensorColumns = graph.tensorColumns;
  setVerdict(plan, proof.verdict, isAtOdds);
  return plan;
}

llvm::Expected<std::vector<plan::Plan>>
drawloom::makeHandPlans(const ptx::Module &module, llvm::MemoryBufferRef text) {
  llvm::StringRef path = text.getBufferIdentifier();
  llvm::Expected<const target::Architecture *> arch =
      target::findArchitecture(module.target.str());
  if (!arch)
    return arch.takeError();
  std::vector<plan::Plan> plans;
  for (const ptx::Function *function : module.functions) {
    auto words = protocol::findGraph(*function, text.getBuffer());
    if (!function->isEntry || !words)
      continue;
    llvm::Expected<Graph> graph = protocol::parseGraph(*words);
    if (!graph)
      return llvm::createStringError(path + ": " +
                                     llvm::toString(graph.takeError()));
    llvm::Expected<protocol::Claims> claims =
        protocol::extract(*function, {.threads = graph->threads,
                                      .cluster = {graph->ctas(), 1, 1},
                                      .hasGraph = true});
    if (!claims)
      return claims.takeError();
    std::vector<protocol::Misfit> misfits = protocol::fit(*claims);
    HandProof proof;
    if (misfits.empty())
      proof = proveByHand(module, *function, *claims, *graph, misfits);
    // Without its parameters, as the compiler's kernels are called.
    std::string name = llvm::demangle(function->name.str());
    plans.push_back(makePlan(*graph, proof, !misfits.empty(),
                             llvm::StringRef(name).split('(').first, *arch));
  }
  if (plans.empty())
    return llvm::createStringError(
        "'" + path +
        "' holds no kernel that says which roles and pipes it has, as those of "
        "the device library do [no-kernel]");
  return plans;
}

llvm::Expected<std::vector<plan::Plan>>
drawloom::makeHandPlans(llvm::StringRef path) {
  auto buffer = input::readText(path);
  if (!buffer)
    return buffer.takeError();
  ptx::ParseResult parsed = ptx::parseModule((*buffer)->getMemBufferRef());
  if (!parsed)
    return llvm::createStringError(llvm::StringRef(parsed.str()).rtrim());
  return makeHandPlans(*parsed.module, (*buffer)->getMemBufferRef());
}
