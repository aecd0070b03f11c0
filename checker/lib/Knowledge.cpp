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
    ClockRef &own = (*result)[cluster];
    own = joined(own, clock);
  }
  return *result == *x ? x : WorldRef(result);
}

void Knowledge::join(const Knowledge &other) {
  for (unsigned part = 0; part != partCount; ++part)
    parts[part] = joined(parts[part], other.parts[part]);
  world = joined(world, other.world);
  worldFenced = joined(worldFenced, other.worldFenced);
}
