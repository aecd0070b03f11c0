//===- Knowledge.cpp - What a thread knows of others ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"

using namespace drawloom::checker;

WorldRef drawloom::checker::joined(const WorldRef &x, const WorldRef &y) {
  if (x == y || !y)
    return x;
  if (!x)
    return y;
  auto result = std::make_shared<World>(*x);
  for (const auto &[cluster, clock] : *y) {
    std::shared_ptr<const Clock> &own = (*result)[cluster];
    if (!own || clock->covers(*own)) {
      own = clock;
    } else if (!own->covers(*clock)) {
      auto both = std::make_shared<Clock>(*own);
      both->join(*clock);
      own = both;
    }
  }
  return *result == *x ? x : WorldRef(result);
}

SeenRef drawloom::checker::joined(const SeenRef &x, const SeenRef &y) {
  if (x == y || !y)
    return x;
  if (!x)
    return y;
  auto result = std::make_shared<Seen>(*x);
  result->near.joinMemory(y->near);
  result->far.joinMemory(y->far);
  result->world = joined(x->world, y->world);
  result->scWorld = joined(x->scWorld, y->scWorld);
  return *result == *x ? x : *result == *y ? y : SeenRef(result);
}

void drawloom::checker::join(SharedByRank &shared, const SharedByRank &other) {
  for (const auto &[rank, clocks] : other) {
    join(shared[rank].causal, clocks.causal);
    join(shared[rank].fenced, clocks.fenced);
  }
}

bool Knowledge::anyOfShared(
    Part part, uint32_t rank,
    llvm::function_ref<bool(const ClockRef &)> f) const {
  for (const auto &[known, clocks] : shared)
    if ((known == rank || known == anyRank) &&
        f(part == Causal ? clocks.causal : clocks.fenced))
      return true;
  return false;
}

void Knowledge::join(const Knowledge &other) {
  for (unsigned part = 0; part != partCount; ++part)
    checker::join(parts[part], other.parts[part]);
  checker::join(shared, other.shared);
  world = joined(world, other.world);
  worldFenced = joined(worldFenced, other.worldFenced);
  seen = joined(seen, other.seen);
}

void Knowledge::joinMemory(const Knowledge &other) {
  for (Part part : {Causal, FencedShared, FencedGlobal, ScFenced})
    checker::join(parts[part], other.parts[part]);
  checker::join(shared, other.shared);
  world = joined(world, other.world);
  worldFenced = joined(worldFenced, other.worldFenced);
  seen = joined(seen, other.seen);
}
