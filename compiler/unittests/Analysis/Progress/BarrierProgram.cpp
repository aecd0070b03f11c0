//===- BarrierProgram.cpp - What each warp does to which barrier ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BarrierProgram.h"
#include "llvm/ADT/STLExtras.h"
#include <deque>
#include <map>

using namespace drawloom::progress;
using namespace drawloom::progress::barriers;
using Kind = WarpStep::Kind;

namespace {
/// A step of a role, before it is given to its warps.
struct RoleStep {
  Kind kind;
  unsigned object;
  /// The how-manieth content of the pipe, or arrival, for this role.
  int64_t index = 0;
  int64_t amount = 0;
  bool oneWarp = false;
};

/// A content of a pipe, in the order of production.
struct Content {
  int64_t item;
  const Bytes *bytes;
};

/// Executes the control flow of one role.
class Unroller {
public:
  Unroller(const Sizes &sizes, std::vector<std::vector<Content>> &contents)
      : sizes(sizes), contents(contents) {}

  std::vector<RoleStep> unroll(const Body &body) {
    visitAll(body);
    letGoOfLagging(body);
    return std::move(out);
  }

private:
  int64_t valueOf(const Count &count) const {
    return count.at(count.size ? sizes.at(*count.size, item) : 0);
  }
  void visitAll(const Body &body) {
    for (const Step &step : body)
      std::visit([&](const auto &what) { visit(what); }, step.what);
  }
  void repeat(int64_t times, const Body &body, bool items) {
    for (int64_t i = 0; i < times; ++i) {
      if (items)
        item = i;
      visitAll(body);
    }
    if (times > 0)
      letGoOfLagging(body);
    if (items)
      item = 0;
  }
  /// Lets go of what lags behind, in a loop that ends, of the scopes that have
  /// no other loop around them.
  void letGoOfLagging(const Body &body) {
    for (const Step &step : body) {
      if (const auto *guard = std::get_if<OnItems>(&step.what)) {
        letGoOfLagging(guard->body);
      } else if (const auto *scope = std::get_if<Produce>(&step.what)) {
        letGoOfLagging(scope->body);
        if (scope->lag > 0)
          letGo(/*fills=*/true, scope->pipe, 0);
      } else if (const auto *scope = std::get_if<Consume>(&step.what)) {
        letGoOfLagging(scope->body);
        for (PipeId pipe : scope->pipes)
          if (scope->lag > 0)
            letGo(/*fills=*/false, pipe, 0);
      }
    }
  }
  /// Lets go of the oldest contents of a pipe until `keep` are left.
  void letGo(bool fills, PipeId pipe, size_t keep) {
    std::deque<int64_t> &held = (fills ? filling : emptying)[pipe];
    for (; held.size() > keep; held.pop_front())
      out.push_back(
          {fills ? Kind::arriveFull : Kind::arriveEmpty, pipe, held.front()});
  }

  void visit(const Loop &loop) {
    repeat(valueOf(loop.trips), loop.body, /*items=*/false);
  }
  void visit(const ItemLoop &loop) {
    repeat(sizes.at(loop.stream), loop.body, /*items=*/true);
  }
  void visit(const OnItems &guard) {
    if (item % guard.every == guard.from)
      visitAll(guard.body);
  }
  void visit(const Produce &scope) {
    int64_t index = contents[scope.pipe].size();
    contents[scope.pipe].push_back({item, &scope.bytes});
    out.push_back({Kind::waitEmpty, scope.pipe, index});
    filling[scope.pipe].push_back(index);
    visitAll(scope.body);
    letGo(/*fills=*/true, scope.pipe, scope.lag);
  }
  void visit(const Consume &scope) {
    for (PipeId pipe : scope.pipes) {
      int64_t index = consumed[pipe]++;
      out.push_back({Kind::waitFull, pipe, index});
      emptying[pipe].push_back(index);
    }
    visitAll(scope.body);
    for (PipeId pipe : scope.pipes)
      letGo(/*fills=*/false, pipe, scope.lag);
  }
  void visit(const Arrive &event) {
    out.push_back({Kind::arrive, event.barrier, arrivals[event.barrier]++});
  }
  void visit(const Wait &event) {
    out.push_back({Kind::wait, event.barrier, arrivals[event.barrier] - 1});
  }
  void visit(const Transfer &event) {
    out.push_back({event.take ? Kind::take : Kind::give, event.pool, 0,
                   event.amount, event.oneWarp});
  }
  void visit(const Relinquish &) {}
  void visit(const Launch &) {}

  const Sizes &sizes;
  std::vector<std::vector<Content>> &contents;
  std::vector<RoleStep> out;
  int64_t item = 0;
  std::map<PipeId, std::deque<int64_t>> filling, emptying;
  std::map<PipeId, int64_t> consumed;
  std::map<BarrierId, int64_t> arrivals;
};

/// Gives the steps of a role to one of its warps.
class WarpWriter {
public:
  WarpWriter(const Network &network,
             const std::vector<std::vector<Content>> &contents,
             unsigned roleBarrier, Warp &warp)
      : network(network), contents(contents), roleBarrier(roleBarrier),
        warp(warp) {}

  void write(const RoleStep &step);

private:
  const Consumer &self(PipeId pipe) const {
    return *llvm::find_if(
        network.pipes[pipe].consumers,
        [&](const Consumer &consumer) { return consumer.role == warp.role; });
  }
  /// The number of the `index`th content that is for this consumer.
  int64_t numberOf(PipeId pipe, int64_t index) const {
    const Consumer &consumer = self(pipe);
    for (auto [number, content] : llvm::enumerate(contents[pipe]))
      if (content.item % consumer.every == consumer.from && index-- == 0)
        return number;
    return -1;
  }
  /// Whether this warp waits where its role does.
  bool waits(Arrival arrival) const {
    return arrival != Arrival::oneWarp || warp.number == 0;
  }
  void writeArrival(const RoleStep &step, Arrival arrival, Engine engine,
                    int64_t number);

  const Network &network;
  const std::vector<std::vector<Content>> &contents;
  /// The barrier among the warps of the role.
  unsigned roleBarrier;
  Warp &warp;
  int64_t joins = 0;
};
} // namespace

void WarpWriter::writeArrival(const RoleStep &step, Arrival arrival,
                              Engine engine, int64_t number) {
  bool leader = warp.number == 0;
  if (arrival == Arrival::leaderAfterBarrier) {
    unsigned barrier = roleBarrier;
    warp.steps.push_back({Kind::arrive, barrier, joins});
    warp.steps.push_back({Kind::wait, barrier, joins});
    ++joins;
  }
  if (arrival == Arrival::everyWarp || leader)
    warp.steps.push_back({.kind = step.kind,
                          .object = step.object,
                          .number = number,
                          .index = step.index,
                          .announces = leader,
                          .asynchronous = engine == Engine::tensorCore});
}

void WarpWriter::write(const RoleStep &step) {
  switch (step.kind) {
  case Kind::waitEmpty:
    if (waits(network.pipes[step.object].arrival))
      warp.steps.push_back({step.kind, step.object, step.index, step.index});
    return;
  case Kind::arriveFull:
    return writeArrival(step, network.pipes[step.object].arrival,
                        network.pipes[step.object].engine, step.index);
  case Kind::waitFull:
    if (waits(self(step.object).arrival))
      warp.steps.push_back({step.kind, step.object,
                            numberOf(step.object, step.index), step.index});
    return;
  case Kind::arriveEmpty:
    return writeArrival(step, self(step.object).arrival,
                        self(step.object).engine,
                        numberOf(step.object, step.index));
  case Kind::arrive:
  case Kind::wait:
    warp.steps.push_back({step.kind, step.object, step.index, step.index});
    return;
  case Kind::take:
  case Kind::give:
    if (!step.oneWarp || warp.number == 0)
      warp.steps.push_back(
          {.kind = step.kind, .object = step.object, .amount = step.amount});
    return;
  }
}

static int64_t arrivals(const Network &network, RoleId role, Arrival arrival) {
  return arrival == Arrival::everyWarp ? network.roles[role].warps : 1;
}

/// Whether a role acts in a CTA.
static bool acts(const Network &network, RoleId role, unsigned cta) {
  return cta == 0 || !network.roles[role].leads;
}

/// How many arrivals end a phase of the barriers of a slot, and where. `item`
/// is the work tile of the pipe's first content: the counts fit every item.
static void count(const Network &network, const Pipe &pipe, int64_t item,
                  PipeBarriers &barriers) {
  unsigned ctas = network.ctas;
  auto fills = [&](unsigned cta) { return acts(network, pipe.producer, cta); };
  bool together = pipe.shared && !network.roles[pipe.producer].leads;
  barriers.fillers = together ? ctas : 1;
  barriers.fullCounts.assign(ctas, 0);
  barriers.emptyCounts.assign(ctas, 0);
  for (const Consumer &consumer : pipe.consumers)
    for (unsigned cta = 0; cta < ctas; ++cta) {
      if (!acts(network, consumer.role, cta))
        continue;
      // One CTA tells it about the bytes of all.
      barriers.fullCounts[cta] =
          arrivals(network, pipe.producer, pipe.arrival) *
          (barriers.hasBytes ? 1 : barriers.fillers);
      if (item % consumer.every != consumer.from)
        continue;
      for (unsigned home = 0; home < ctas; ++home)
        if (pipe.shared ? fills(home) : home == cta)
          barriers.emptyCounts[home] +=
              arrivals(network, consumer.role, consumer.arrival);
    }
}

/// Who fills a shared pipe stays until all slots are back.
static void addTail(const PipeBarriers &pipe, PipeId id, Warp &warp) {
  int64_t filled = pipe.bytes.size();
  for (int64_t content = std::max<int64_t>(0, filled - pipe.slots);
       content < filled; ++content)
    warp.steps.push_back({.kind = Kind::waitEmpty,
                          .object = id,
                          .number = content + pipe.slots,
                          .leaving = true});
}

BarrierProgram::BarrierProgram(const Network &network, const Sizes &sizes) {
  std::vector<std::vector<Content>> contents(network.pipes.size());
  std::vector<std::vector<RoleStep>> roles;
  for (const Role &role : network.roles)
    roles.push_back(Unroller(sizes, contents).unroll(role.body));

  for (auto [id, pipe] : llvm::enumerate(network.pipes)) {
    PipeBarriers barriers;
    barriers.slots = pipe.slots.offset;
    if (pipe.slots.size)
      barriers.slots += sizes.at(*pipe.slots.size);
    barriers.shared = pipe.shared;
    for (const Content &content : contents[id]) {
      barriers.bytes.push_back(content.bytes);
      barriers.hasBytes |=
          content.bytes->announced != 0 || !content.bytes->copies.empty();
    }
    count(network, pipe, contents[id].empty() ? 0 : contents[id].front().item,
          barriers);
    pipes.push_back(std::move(barriers));
  }
  for (const Barrier &barrier : network.barriers)
    barrierCounts.push_back(barrier.warps);
  for (const Pool &pool : network.pools)
    pools.push_back(pool.available);

  for (auto [id, role] : llvm::enumerate(network.roles)) {
    unsigned roleBarrier = barrierCounts.size();
    for (unsigned cta = 0; cta < network.ctas; ++cta)
      for (unsigned number = 0; number < role.warps; ++number) {
        if (!acts(network, id, cta))
          continue;
        Warp warp{static_cast<RoleId>(id), cta, number, {}};
        WarpWriter writer(network, contents, roleBarrier, warp);
        for (const RoleStep &step : roles[id])
          writer.write(step);
        for (auto [pipeId, pipe] : llvm::enumerate(network.pipes))
          if (pipe.shared && pipe.awaited && pipe.producer == id)
            addTail(pipes[pipeId], pipeId, warp);
        warps.push_back(std::move(warp));
      }
    if (role.warps > 1)
      barrierCounts.push_back(role.warps);
  }
}
