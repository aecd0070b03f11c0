//===- VectorAxes.cpp - Along which axis vectors run ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorAxes.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

static bool isVector(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 1;
}

bool VectorAxes::isRemade(Value tile) {
  return isa_and_present<arith::ConstantOp, tensor::SplatOp, tile::IotaOp,
                         tile::LoadOp>(tile.getDefiningOp());
}

VectorAxes::Node VectorAxes::getNode(OpOperand &use) {
  return isRemade(use.get()) ? &use : getNode(use.get());
}

void VectorAxes::tie(OpOperand &use, Value value) {
  if (isVector(use.get()) && isVector(value))
    ties.unionSets(getNode(use), getNode(value));
}

void VectorAxes::visit(Operation *op) {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    if (isVector(reduce.getResult()))
      anchors.push_back({getNode(reduce.getResult()),
                         reduce.getAxis() == 0 ? 1u : 0u, nullptr});
    return;
  }
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    if (isVector(expand.getSource()))
      anchors.push_back({getNode(expand->getOpOperand(0)),
                         expand.getAxis() == 0 ? 1u : 0u,
                         &expand->getOpOperand(0)});
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Operation *end = loop.getBody()->getTerminator();
    for (auto [init, argument, next, result] :
         llvm::zip_equal(loop.getInitArgsMutable(), loop.getRegionIterArgs(),
                         end->getOpOperands(), loop.getResults())) {
      tie(init, argument);
      tie(next, argument);
      if (isVector(result))
        ties.unionSets(getNode(result), getNode(argument));
    }
    return;
  }
  // What a region ends with are its results.
  if (op->getNumRegions() != 0) {
    for (Region &region : op->getRegions())
      if (!region.empty() && region.front().mightHaveTerminator())
        for (auto [use, result] :
             llvm::zip(region.front().getTerminator()->getOpOperands(),
                       op->getResults()))
          tie(use, result);
    return;
  }
  for (Value result : op->getResults())
    for (OpOperand &use : op->getOpOperands())
      tie(use, result);
}

void VectorAxes::infer(RoleOp role, unsigned free) {
  freeAxis = free;
  role->walk([&](Operation *op) {
    if (op != role)
      visit(op);
  });
  auto take = [&](const Anchor &anchor) {
    Node leader = ties.getOrInsertLeaderValue(anchor.node);
    auto [place, inserted] = axes.insert({leader, anchor.axis});
    if (inserted || place->second == anchor.axis)
      return;
    if (anchor.use)
      turned[anchor.use] = anchor.axis;
    else
      made[anchor.node] = anchor.axis;
  };
  for (const Anchor &anchor : anchors)
    if (!anchor.use)
      take(anchor);
  for (const Anchor &anchor : anchors)
    if (anchor.use)
      take(anchor);
}

unsigned VectorAxes::lookup(Node node) const {
  auto leader = ties.findLeader(node);
  auto found = axes.find(leader == ties.member_end() ? node : *leader);
  return found == axes.end() ? freeAxis : found->second;
}

unsigned VectorAxes::get(Value vector) const {
  auto found = made.find(getNode(vector));
  return found == made.end() ? lookup(getNode(vector)) : found->second;
}

unsigned VectorAxes::get(OpOperand &use) const {
  auto found = turned.find(&use);
  return found == turned.end() ? lookup(getNode(use)) : found->second;
}
