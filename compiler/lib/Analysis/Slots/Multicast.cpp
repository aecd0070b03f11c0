//===- Multicast.cpp - Slots that several CTAs fill -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Slots/Multicast.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

SmallVector<ArrayRef<int64_t>> plan::getMulticasts(PipeOp pipe) {
  SmallVector<ArrayRef<int64_t>> result(
      pipe.getPipe().getType().getPayload().size());
  // All produces agree, says the pipe's verifier.
  for (Operation *user : pipe.getPipe().getUsers())
    if (auto produce = dyn_cast<ProduceOp>(user)) {
      for (auto [dims, value] :
           llvm::zip(result,
                     produce.getBody().front().getTerminator()->getOperands()))
        if (auto load = value.getDefiningOp<tile::LoadOp>())
          dims = load.getMulticast().value_or(ArrayRef<int64_t>());
      break;
    }
  return result;
}

bool plan::isMulticast(PipeOp pipe) {
  return !llvm::all_of(getMulticasts(pipe),
                       [](ArrayRef<int64_t> dims) { return dims.empty(); });
}

int64_t plan::countAlong(ArrayRef<int64_t> cluster, ArrayRef<int64_t> dims) {
  int64_t ctas = 1;
  for (int64_t dim : dims)
    ctas *= cluster[dim];
  return ctas;
}

int64_t plan::countReceivers(PipeOp pipe) {
  std::optional<ArrayRef<int64_t>> cluster = pipe.getSwitch().getCluster();
  if (!cluster)
    return 1;
  SmallVector<ArrayRef<int64_t>> multicasts = getMulticasts(pipe);
  // As seen from the first CTA: those that differ from it only along the
  // dimensions of some tile.
  int64_t receivers = 0;
  for (int64_t rank = 0; rank < pipe.getSwitch().getClusterSize(); ++rank) {
    SmallVector<int64_t, 3> differs;
    int64_t rest = rank;
    for (auto [dim, size] : llvm::enumerate(*cluster)) {
      if (rest % size != 0)
        differs.push_back(dim);
      rest /= size;
    }
    auto reaches = [&](ArrayRef<int64_t> dims) {
      return llvm::all_of(
          differs, [&](int64_t dim) { return llvm::is_contained(dims, dim); });
    };
    receivers += differs.empty() || llvm::any_of(multicasts, reaches);
  }
  return receivers;
}
