//===- Network.cpp - Building and checking a network ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Progress/Network.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace drawloom::progress;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Step drawloom::progress::loop(Count trips, Body body, std::string location) {
  return {Loop{trips, std::move(body)}, std::move(location)};
}

Step drawloom::progress::forEachItem(SizeId stream, Body body,
                                     std::string location) {
  return {ItemLoop{stream, std::move(body)}, std::move(location)};
}

Step drawloom::progress::onItems(int64_t every, int64_t from, Body body,
                                 std::string location) {
  return {OnItems{every, from, std::move(body)}, std::move(location)};
}

Step drawloom::progress::produce(PipeId pipe, Body body, int64_t lag,
                                 Bytes bytes, std::string location) {
  return {Produce{pipe, std::move(body), lag, std::move(bytes)},
          std::move(location)};
}

Step drawloom::progress::consume(llvm::SmallVector<PipeId, 2> pipes, Body body,
                                 int64_t lag, std::string location) {
  return {Consume{std::move(pipes), std::move(body), lag}, std::move(location)};
}

Step drawloom::progress::arriveAt(BarrierId barrier, std::string location) {
  return {Arrive{barrier}, std::move(location)};
}

Step drawloom::progress::waitAt(BarrierId barrier, std::string location) {
  return {Wait{barrier}, std::move(location)};
}

Step drawloom::progress::take(PoolId pool, int64_t amount, bool oneWarp,
                              std::string location) {
  return {Transfer{pool, /*take=*/true, amount, oneWarp}, std::move(location)};
}

Step drawloom::progress::give(PoolId pool, int64_t amount, bool oneWarp,
                              std::string location) {
  return {Transfer{pool, /*take=*/false, amount, oneWarp}, std::move(location)};
}

Step drawloom::progress::relinquish(PoolId pool, std::string location) {
  return {Relinquish{pool}, std::move(location)};
}

Step drawloom::progress::launchWait(std::string location) {
  return {Launch{/*wait=*/true}, std::move(location)};
}

Step drawloom::progress::launchDependents(std::string location) {
  return {Launch{/*wait=*/false}, std::move(location)};
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

namespace {
/// Walks the programs once and keeps the first mistake.
class MistakeFinder {
public:
  explicit MistakeFinder(const Network &network) : network(network) {}

  std::optional<std::string> find();

private:
  void mistake(const Twine &text) {
    if (!found)
      found = text.str();
  }
  std::string at(const Step &step) const {
    return step.location.empty() ? "" : " at " + step.location;
  }
  std::string where(const Step &step) const {
    return "role @" + network.roles[role].name + at(step) + ": ";
  }

  void checkSizes();
  void checkPipe(const Pipe &pipe);
  void checkBody(const Body &body);
  void checkCount(const Count &count, const Step &step);
  void checkEverywhere(const Step &step, const Twine &what);
  void check(const Step &step, const Loop &loop);
  void check(const Step &step, const ItemLoop &loop);
  void check(const Step &step, const OnItems &guard);
  void check(const Step &step, const Produce &scope);
  void check(const Step &step, const Consume &scope);
  void check(const Step &step, const Arrive &event);
  void check(const Step &step, const Wait &event);
  void check(const Step &step, const Transfer &event);
  void check(const Step &step, const Relinquish &event);
  void check(const Step &step, const Launch &) {}

  const Network &network;
  std::optional<std::string> found;

  // Where the walk is.
  RoleId role = 0;
  std::optional<SizeId> stream;
  const OnItems *guard = nullptr;
  llvm::SmallVector<PipeId, 4> producing, consuming;
  std::vector<bool> arrives, waits;
  /// The stream in which a pipe that divides its items is filled and emptied.
  std::vector<std::optional<SizeId>> pipeStream;
};
} // namespace

void MistakeFinder::checkSizes() {
  for (const Size &size : network.sizes) {
    if (size.min < 0 || size.max < size.min)
      mistake("size '" + size.name + "' has no values");
    if (!size.perItemOf)
      continue;
    if (*size.perItemOf >= network.sizes.size())
      return mistake("size '" + size.name + "' belongs to an unknown stream");
    if (network.sizes[*size.perItemOf].perItemOf)
      mistake("size '" + size.name + "' belongs to '" +
              network.sizes[*size.perItemOf].name + "', which is no stream");
  }
}

void MistakeFinder::checkPipe(const Pipe &pipe) {
  std::string name = "pipe '" + pipe.name + "'";
  if (pipe.slots.size) {
    if (*pipe.slots.size >= network.sizes.size())
      return mistake(name + " has an unknown number of slots");
    const Size &size = network.sizes[*pipe.slots.size];
    if (size.perItemOf || size.min + pipe.slots.offset < 1)
      mistake(name +
              " needs at least one slot, the same number always; size '" +
              size.name + "' may be less or change");
  } else if (pipe.slots.offset < 1) {
    mistake(name + " has " + Twine(pipe.slots.offset) +
            " slots; it needs at least one");
  }
  if (pipe.producer >= network.roles.size())
    return mistake(name + " has no producer");
  if (pipe.consumers.empty())
    mistake(name + " has no consumer");
  if (pipe.consumers.size() > 16)
    mistake(name + " has " + Twine(pipe.consumers.size()) +
            " consumers; at most 16 are supported");
  for (auto [i, consumer] : llvm::enumerate(pipe.consumers)) {
    if (consumer.role >= network.roles.size())
      return mistake(name + " has an unknown consumer");
    const Role &from = network.roles[pipe.producer];
    const Role &to = network.roles[consumer.role];
    if (!pipe.shared && from.leads != to.leads)
      mistake(name + " goes from @" + from.name + " to @" + to.name +
              ", of which one acts in the first CTA only, and is not shared");
    if (consumer.every < 1 || consumer.from < 0 ||
        consumer.from >= consumer.every)
      mistake(name + " gives a consumer every " + Twine(consumer.every) +
              " from " + Twine(consumer.from) + " items");
    for (const Consumer &other : llvm::drop_begin(pipe.consumers, i + 1))
      if (other.role == consumer.role)
        mistake(name + " has the consumer @" +
                network.roles[consumer.role].name + " twice");
  }
}

void MistakeFinder::checkCount(const Count &count, const Step &step) {
  if (!count.size) {
    if (count.offset < 0)
      mistake(where(step) + "a loop with " + Twine(count.offset) + " trips");
    return;
  }
  if (*count.size >= network.sizes.size())
    return mistake(where(step) + "a loop over an unknown size");
  const Size &size = network.sizes[*count.size];
  if (size.perItemOf && size.perItemOf != stream)
    mistake(where(step) + "size '" + size.name +
            "' differs between work tiles, but the loop is not in the loop "
            "over '" +
            network.sizes[*size.perItemOf].name + "'");
}

void MistakeFinder::check(const Step &step, const Loop &loop) {
  checkCount(loop.trips, step);
  checkBody(loop.body);
}

void MistakeFinder::check(const Step &step, const ItemLoop &loop) {
  if (loop.stream >= network.sizes.size() ||
      network.sizes[loop.stream].perItemOf)
    return mistake(where(step) + "the items of an unknown stream");
  if (stream)
    return mistake(where(step) + "an item loop inside another");
  stream = loop.stream;
  checkBody(loop.body);
  stream.reset();
}

void MistakeFinder::check(const Step &step, const OnItems &items) {
  if (!stream)
    mistake(where(step) + "'on items' outside an item loop");
  if (guard)
    mistake(where(step) + "'on items' inside another");
  if (items.every < 1 || items.from < 0 || items.from >= items.every)
    return mistake(where(step) + "every " + Twine(items.every) + " from " +
                   Twine(items.from) + " items");
  const OnItems *outer = std::exchange(guard, &items);
  checkBody(items.body);
  guard = outer;
}

void MistakeFinder::check(const Step &step, const Produce &scope) {
  if (scope.pipe >= network.pipes.size())
    return mistake(where(step) + "produces into an unknown pipe");
  const Pipe &pipe = network.pipes[scope.pipe];
  if (pipe.producer != role)
    mistake(where(step) + "produces into pipe '" + pipe.name +
            "', whose producer is @" + network.roles[pipe.producer].name);
  if (llvm::is_contained(producing, scope.pipe))
    mistake(where(step) + "produces into pipe '" + pipe.name +
            "' inside a produce of the same pipe");
  if (scope.lag < 0 || scope.bytes.announced < 0 ||
      llvm::any_of(scope.bytes.copies, [](int64_t copy) { return copy < 0; }))
    mistake(where(step) + "a produce with a negative number");
  if (scope.bytes.copies.size() > 8)
    mistake(where(step) + "a produce with more than 8 copies");
  bool divided = llvm::any_of(pipe.consumers, [](const Consumer &consumer) {
    return consumer.every > 1;
  });
  if (divided && !stream)
    mistake(where(step) + "pipe '" + pipe.name +
            "' divides the work tiles, but is filled outside them");
  if (divided && stream) {
    std::optional<SizeId> &known = pipeStream[scope.pipe];
    if (known && known != stream)
      mistake(where(step) + "pipe '" + pipe.name + "' divides two streams");
    known = stream;
  }
  producing.push_back(scope.pipe);
  checkBody(scope.body);
  producing.pop_back();
}

void MistakeFinder::check(const Step &step, const Consume &scope) {
  if (scope.pipes.empty())
    mistake(where(step) + "a consume without a pipe");
  if (scope.lag < 0)
    mistake(where(step) + "a consume with a negative lag");
  size_t depth = consuming.size();
  for (PipeId id : scope.pipes) {
    if (id >= network.pipes.size())
      return mistake(where(step) + "consumes from an unknown pipe");
    const Pipe &pipe = network.pipes[id];
    auto self = llvm::find_if(pipe.consumers, [&](const Consumer &consumer) {
      return consumer.role == role;
    });
    if (self == pipe.consumers.end())
      return mistake(where(step) + "consumes from pipe '" + pipe.name +
                     "' without being one of its consumers");
    if (llvm::is_contained(consuming, id))
      mistake(where(step) + "consumes from pipe '" + pipe.name +
              "' inside a consume of the same pipe");
    if (self->every > 1) {
      if (!guard || guard->every != self->every || guard->from != self->from)
        mistake(where(step) + "consumes from pipe '" + pipe.name +
                "' for other items than every " + Twine(self->every) +
                " from " + Twine(self->from));
      std::optional<SizeId> &known = pipeStream[id];
      if (known && known != stream)
        mistake(where(step) + "pipe '" + pipe.name + "' divides two streams");
      known = stream;
    }
    consuming.push_back(id);
  }
  checkBody(scope.body);
  consuming.truncate(depth);
}

/// What every CTA has counts on the roles of every CTA.
void MistakeFinder::checkEverywhere(const Step &step, const Twine &what) {
  if (network.roles[role].leads)
    mistake(where(step) + what +
            " of every CTA, but it acts in the first one only");
}

void MistakeFinder::check(const Step &step, const Arrive &event) {
  if (event.barrier >= network.barriers.size())
    return mistake(where(step) + "arrives at an unknown barrier");
  checkEverywhere(step, "a barrier");
  arrives[event.barrier] = true;
}

void MistakeFinder::check(const Step &step, const Wait &event) {
  if (event.barrier >= network.barriers.size())
    return mistake(where(step) + "waits at an unknown barrier");
  waits[event.barrier] = true;
}

void MistakeFinder::check(const Step &step, const Transfer &event) {
  if (event.pool >= network.pools.size())
    return mistake(where(step) + "an unknown pool");
  if (event.amount < 0)
    mistake(where(step) + "a negative amount of " +
            network.pools[event.pool].name);
  checkEverywhere(step, "a pool");
}

void MistakeFinder::check(const Step &step, const Relinquish &event) {
  if (event.pool >= network.pools.size())
    mistake(where(step) + "an unknown pool");
}

void MistakeFinder::checkBody(const Body &body) {
  for (const Step &step : body) {
    if (found)
      return;
    std::visit([&](const auto &what) { check(step, what); }, step.what);
  }
}

std::optional<std::string> MistakeFinder::find() {
  checkSizes();
  for (const Pipe &pipe : network.pipes) {
    if (found)
      return found;
    checkPipe(pipe);
  }
  pipeStream.resize(network.pipes.size());
  for (; role < network.roles.size() && !found; ++role) {
    if (network.roles[role].warps < 1)
      mistake("role @" + network.roles[role].name + " has no warps");
    arrives.assign(network.barriers.size(), false);
    waits.assign(network.barriers.size(), false);
    checkBody(network.roles[role].body);
    for (auto [barrier, waiting] : llvm::enumerate(waits))
      if (waiting && !arrives[barrier])
        mistake("role @" + network.roles[role].name + " waits at barrier '" +
                network.barriers[barrier].name + "' and never arrives there");
  }
  return found;
}

std::optional<std::string>
drawloom::progress::findMistake(const Network &network) {
  return MistakeFinder(network).find();
}
