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

bool plan::hasPairs(SwitchOp roles) {
  return roles.getItems() == Scope::cta &&
         llvm::any_of(roles.getRoles(), [](RoleOp role) {
           return role.getScope() == Scope::pair;
         });
}

/// The first dimension with more than one CTA: these have neighboring ranks.
int64_t plan::getPairDim(SwitchOp roles) {
  ArrayRef<int64_t> cluster = roles.getCluster().value_or(ArrayRef<int64_t>());
  const int64_t *first =
      llvm::find_if(cluster, [](int64_t size) { return size != 1; });
  return first - cluster.begin();
}

SmallVector<int64_t> plan::getPeerCluster(SwitchOp roles) {
  SmallVector<int64_t> cluster(
      roles.getCluster().value_or(ArrayRef<int64_t>()));
  if (!hasPairs(roles))
    return cluster;
  int64_t pair = getPairDim(roles);
  cluster[pair] /= 2;
  cluster.insert(cluster.begin() + pair, 2);
  return cluster;
}

/// The loads that fill a slot; null for what is none. All produces agree, says
/// the pipe's verifier.
static SmallVector<tile::LoadOp> getLoads(PipeOp pipe) {
  SmallVector<tile::LoadOp> loads(pipe.getPipe().getType().getPayload().size());
  for (Operation *user : pipe.getPipe().getUsers())
    if (auto produce = dyn_cast<ProduceOp>(user)) {
      for (auto [load, value] : llvm::zip(
               loads, produce.getBody().front().getTerminator()->getOperands()))
        load = value.getDefiningOp<tile::LoadOp>();
      break;
    }
  return loads;
}

tile::AllGatherOp plan::getGather(PipeOp pipe) {
  for (Operation *user : pipe.getPipe().getUsers())
    if (auto produce = dyn_cast<ProduceOp>(user))
      for (auto gather : produce.getBody().getOps<tile::AllGatherOp>())
        return gather;
  return {};
}

SmallVector<SmallVector<int64_t>> plan::getMulticasts(PipeOp pipe) {
  SmallVector<SmallVector<int64_t>> result;
  bool inPairs = hasPairs(pipe.getSwitch());
  int64_t pair = inPairs ? getPairDim(pipe.getSwitch()) : 0;
  // Of a dimension along which CTAs are paired, the place in the pair is one,
  // too.
  if (tile::AllGatherOp gather = getGather(pipe)) {
    SmallVector<int64_t> dims;
    int64_t along = gather.getAlong();
    if (inPairs && along == pair)
      dims.push_back(along);
    dims.push_back(inPairs && along >= pair ? along + 1 : along);
    return SmallVector<SmallVector<int64_t>>(gather.getParts().size(), dims);
  }
  for (tile::LoadOp load : getLoads(pipe)) {
    SmallVector<int64_t> &dims = result.emplace_back();
    if (!load)
      continue;
    for (int64_t dim : load.getMulticast().value_or(ArrayRef<int64_t>())) {
      // Of a half, the CTAs at the same place of their pair have the same one.
      if (inPairs && dim == pair && !load.getHalved())
        dims.push_back(dim);
      dims.push_back(inPairs && dim >= pair ? dim + 1 : dim);
    }
  }
  return result;
}

SmallVector<Type> plan::getHeldTypes(PipeOp pipe) {
  SmallVector<Type> types(pipe.getPipe().getType().getPayload());
  for (auto [type, load] : llvm::zip_equal(types, getLoads(pipe)))
    if (std::optional<int64_t> dim = load ? load.getHalved() : std::nullopt) {
      auto tile = cast<RankedTensorType>(type);
      SmallVector<int64_t> shape(tile.getShape());
      shape[*dim] /= 2;
      type = RankedTensorType::get(shape, tile.getElementType());
    }
  return types;
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
  SwitchOp roles = pipe.getSwitch();
  SmallVector<int64_t> cluster = getPeerCluster(roles);
  bool inPairs = hasPairs(roles);
  SmallVector<SmallVector<int64_t>> multicasts = getMulticasts(pipe);
  // As seen from the first CTA, or pair: those that differ from it only along
  // the dimensions of some tile.
  int64_t receivers = 0;
  for (int64_t rank = 0; rank < roles.getClusterSize(); ++rank) {
    SmallVector<int64_t, 4> differs;
    int64_t rest = rank;
    for (auto [dim, size] : llvm::enumerate(cluster)) {
      if (rest % size != 0)
        differs.push_back(dim);
      rest /= size;
    }
    if (inPairs && llvm::is_contained(differs, getPairDim(roles)))
      continue;
    auto reaches = [&](ArrayRef<int64_t> dims) {
      return llvm::all_of(
          differs, [&](int64_t dim) { return llvm::is_contained(dims, dim); });
    };
    receivers += differs.empty() || llvm::any_of(multicasts, reaches);
  }
  return receivers;
}
