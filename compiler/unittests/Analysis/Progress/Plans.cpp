//===- Plans.cpp - The networks of known plans ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

using namespace drawloom::progress;

namespace {
Bytes tma(std::initializer_list<int64_t> copies) {
  Bytes bytes;
  bytes.copies = copies;
  bytes.announced = bytes.delivered();
  return bytes;
}

Bytes operandBytes() { return tma({128 * 64 * 2, 256 * 64 * 2}); }

/// The subtiles of an output tile of 256 columns.
constexpr int64_t subTiles = 4;
} // namespace

std::string test::verdictOf(const Network &network) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(prove(network), network, os);
  return text;
}

Network test::hopperSingleRole(int64_t operandSlots) {
  Network n;
  SizeId items = n.addSize({.name = "items"}), k = n.addSize({.name = "k"});
  RoleId load = n.addRole({.name = "operand_load"});
  RoleId compute = n.addRole({.name = "compute", .warps = 8});
  PipeId operands = n.addPipe({.name = "operands",
                               .slots = Count::constant(operandSlots),
                               .producer = load,
                               .consumers = {{.role = compute}}});
  PipeId output = n.addPipe({.name = "output",
                             .slots = Count::constant(2),
                             .producer = compute,
                             .consumers = {{.role = compute}}});
  n.roles[load].body = {forEachItem(
      items, {loop(Count::of(k), {produce(operands, {}, 0, operandBytes())})})};
  n.roles[compute].body = {forEachItem(
      items, {loop(Count::of(k), {consume({operands}, {}, /*lag=*/1)}),
              loop(Count::constant(subTiles),
                   {produce(output), consume({output}, {}, /*lag=*/1)})})};
  return n;
}

Network test::hopperMultiRole(int64_t operandSlots, int64_t residualSlots) {
  Network n = hopperSingleRole(operandSlots);
  SizeId items = 0, k = 1;
  RoleId compute = 1;
  PipeId operands = 0, output = 1;
  RoleId load = n.addRole({.name = "epilogue_load"});
  PipeId residual = n.addPipe({.name = "residual",
                               .slots = Count::constant(residualSlots),
                               .producer = load,
                               .consumers = {{.role = compute}}});
  n.roles[load].body = {forEachItem(
      items, {loop(Count::constant(subTiles),
                   {produce(residual, {}, 0, tma({128 * 64 * 2}))})})};
  n.roles[compute].body = {forEachItem(
      items,
      {loop(Count::of(k), {consume({operands}, {}, /*lag=*/1)}),
       loop(Count::constant(subTiles), {produce(output, {consume({residual})}),
                                        consume({output}, {}, /*lag=*/1)})})};
  return n;
}

Network test::blackwellMultiRole(int64_t operandSlots, int64_t resultSlots,
                                 int64_t residualSlots) {
  Network n;
  SizeId items = n.addSize({.name = "items"}), k = n.addSize({.name = "k"});
  RoleId operandLoad = n.addRole({.name = "operand_load"});
  RoleId epilogueLoad = n.addRole({.name = "epilogue_load"});
  RoleId mma = n.addRole({.name = "mma"});
  RoleId epilogue = n.addRole({.name = "epilogue", .warps = 4});
  PipeId operands =
      n.addPipe({.name = "operands",
                 .slots = Count::constant(operandSlots),
                 .producer = operandLoad,
                 .consumers = {{.role = mma, .engine = Engine::tensorCore}}});
  PipeId result = n.addPipe({.name = "result",
                             .slots = Count::constant(resultSlots),
                             .producer = mma,
                             .consumers = {{.role = epilogue}},
                             .engine = Engine::tensorCore});
  PipeId residual = n.addPipe({.name = "residual",
                               .slots = Count::constant(residualSlots),
                               .producer = epilogueLoad,
                               .consumers = {{.role = epilogue}}});
  PipeId output = n.addPipe({.name = "output",
                             .slots = Count::constant(2),
                             .producer = epilogue,
                             .consumers = {{.role = epilogue}}});
  n.roles[operandLoad].body = {forEachItem(
      items, {loop(Count::of(k), {produce(operands, {}, 0, operandBytes())})})};
  n.roles[epilogueLoad].body = {forEachItem(
      items, {loop(Count::constant(subTiles),
                   {produce(residual, {}, 0, tma({128 * 64 * 2}))})})};
  n.roles[mma].body = {forEachItem(
      items, {produce(result, {loop(Count::of(k), {consume({operands})})})})};
  n.roles[epilogue].body = {forEachItem(
      items, {consume({result}, {loop(Count::constant(subTiles),
                                      {produce(output, {consume({residual})}),
                                       consume({output}, {}, /*lag=*/1)})})})};
  return n;
}

Network test::blackwellPairDynamic(int64_t workSlots, int64_t throttleSlots) {
  Network n;
  SizeId items = n.addSize({.name = "items"}), k = n.addSize({.name = "k"});
  // What both CTAs do together are the warps of one role.
  RoleId scheduler = n.addRole({.name = "scheduler"});
  RoleId load = n.addRole({.name = "operand_load", .warps = 2});
  RoleId mma = n.addRole({.name = "mma"});
  RoleId epilogue = n.addRole({.name = "epilogue", .warps = 8});
  PipeId work = n.addPipe(
      {.name = "work",
       .slots = Count::constant(workSlots),
       .producer = scheduler,
       .consumers = {{.role = load}, {.role = mma}, {.role = epilogue}}});
  PipeId throttle = n.addPipe({.name = "throttle",
                               .slots = Count::constant(throttleSlots),
                               .producer = load,
                               .consumers = {{.role = scheduler}}});
  PipeId operands =
      n.addPipe({.name = "operands",
                 .slots = Count::constant(4),
                 .producer = load,
                 .consumers = {{.role = mma, .engine = Engine::tensorCore}}});
  PipeId result = n.addPipe({.name = "result",
                             .slots = Count::constant(2),
                             .producer = mma,
                             .consumers = {{.role = epilogue}},
                             .engine = Engine::tensorCore});
  n.roles[scheduler].body = {
      forEachItem(items,
                  {produce(work, {}, 0, tma({16})), consume({throttle})}),
      produce(work, {}, 0, tma({16}))};
  n.roles[load].body = {
      forEachItem(items, {consume({work}), produce(throttle),
                          loop(Count::of(k),
                               {produce(operands, {}, 0, operandBytes())})}),
      consume({work})};
  n.roles[mma].body = {
      forEachItem(items, {consume({work}),
                          produce(result, {loop(Count::of(k),
                                                {consume({operands})})})}),
      consume({work})};
  n.roles[epilogue].body = {
      forEachItem(items, {consume({work}), consume({result})}),
      consume({work})};
  return n;
}

Network test::attention(int64_t scoreSlots, int64_t probabilitySlots,
                        int64_t leastBlocks) {
  Network n;
  SizeId items = n.addSize({.name = "items"});
  SizeId blocks = n.addSize({.name = "blocks", .min = leastBlocks});
  RoleId load = n.addRole({.name = "load"}), mma = n.addRole({.name = "mma"});
  RoleId softmax = n.addRole({.name = "softmax", .warps = 4});
  RoleId correction = n.addRole({.name = "correction", .warps = 4});
  auto pipe = [&](const char *name, int64_t slots, RoleId from, RoleId to) {
    return n.addPipe({.name = name,
                      .slots = Count::constant(slots),
                      .producer = from,
                      .consumers = {{.role = to}}});
  };
  PipeId query = pipe("query", 1, load, mma), keys = pipe("keys", 2, load, mma);
  PipeId values = pipe("values", 2, load, mma);
  PipeId scores = pipe("scores", scoreSlots, mma, softmax);
  PipeId probabilities = pipe("probabilities", probabilitySlots, softmax, mma);
  PipeId partial = pipe("partial", 2, mma, correction);
  PipeId scales = pipe("scales", 2, softmax, correction);
  Bytes bytes = tma({128 * 64 * 2});
  Step first = consume({keys}, {produce(scores)});
  Step second = consume({probabilities, values}, {produce(partial)});
  n.roles[load].body = {forEachItem(
      items, {produce(query, {}, 0, bytes),
              loop(Count::of(blocks), {produce(keys, {}, 0, bytes),
                                       produce(values, {}, 0, bytes)})})};
  n.roles[mma].body = {forEachItem(
      items,
      {consume({query}, {first, loop(Count::of(blocks, -1), {first, second}),
                         second})})};
  n.roles[softmax].body = {forEachItem(
      items,
      {loop(Count::of(blocks),
            {consume({scores}, {produce(probabilities), produce(scales)})})})};
  n.roles[correction].body = {forEachItem(
      items, {loop(Count::of(blocks), {consume({partial, scales})})})};
  return n;
}

Network test::pingPong(PingPong kind, int64_t slots) {
  Network n;
  SizeId items = n.addSize({.name = "items"});
  SizeId k = n.addSize({.name = "k", .perItemOf = items});
  RoleId load = n.addRole({.name = "operand_load"});
  RoleId computes[] = {n.addRole({.name = "compute_0", .warps = 4}),
                       n.addRole({.name = "compute_1", .warps = 4})};
  if (kind == PingPong::ringForEach) {
    Body turns;
    for (int64_t turn : {0, 1}) {
      PipeId ring = n.addPipe({.name = "operands_" + std::to_string(turn),
                               .slots = Count::constant(slots),
                               .producer = load,
                               .consumers = {{.role = computes[turn]}}});
      turns.push_back(onItems(
          2, turn,
          {loop(Count::of(k), {produce(ring, {}, 0, operandBytes())})}));
      n.roles[computes[turn]].body = {forEachItem(
          items,
          {onItems(2, turn, {loop(Count::of(k), {consume({ring}, {}, 1)})})})};
    }
    n.roles[load].body = {forEachItem(items, turns)};
    return n;
  }
  PipeId ring =
      n.addPipe({.name = "operands",
                 .slots = Count::constant(slots),
                 .producer = load,
                 .consumers = {{.role = computes[0], .every = 2},
                               {.role = computes[1], .every = 2, .from = 1}}});
  n.roles[load].body = {forEachItem(
      items, {loop(Count::of(k), {produce(ring, {}, 0, operandBytes())})})};
  // Each role may start its products when the other one has issued its own.
  BarrierId mayStart[] = {n.addBarrier({.name = "turn_0", .warps = 8}),
                          n.addBarrier({.name = "turn_1", .warps = 8})};
  bool ordered = kind == PingPong::orderedRing;
  for (int64_t turn : {0, 1}) {
    Body body;
    if (ordered)
      body = {arriveAt(mayStart[turn]), waitAt(mayStart[turn])};
    body.push_back(loop(Count::of(k), {consume({ring}, {}, 1)}));
    if (ordered)
      body.push_back(arriveAt(mayStart[1 - turn]));
    n.roles[computes[turn]].body = {
        forEachItem(items, {onItems(2, turn, body)})};
  }
  // The first one doesn't wait for the other.
  if (ordered)
    n.roles[computes[1]].body.insert(n.roles[computes[1]].body.begin(),
                                     arriveAt(mayStart[0]));
  return n;
}
