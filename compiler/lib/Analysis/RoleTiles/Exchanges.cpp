//===- Exchanges.cpp - Elements that change threads -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/RoleTiles/Exchanges.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/RoleTiles/Scratch.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;
using tile::Layout;

Layout plan::permute(const Layout &layout, ArrayRef<int64_t> permutation) {
  auto pick = [&](const auto &from) {
    std::decay_t<decltype(from)> to = from;
    for (auto [index, dim] : llvm::enumerate(permutation))
      to[index] = from[dim];
    return to;
  };
  std::vector<Layout::Input> inputs(layout.getInputs());
  for (Layout::Input &input : inputs)
    for (Layout::Digit &digit : input.digits)
      digit.basis = pick(digit.basis);
  std::vector<Layout::Output> outputs =
      pick(std::vector<Layout::Output>(layout.getOutputs()));
  for (auto [index, output] : llvm::enumerate(outputs))
    output.name = Layout::dimName(index);
  // The same numbers in another order.
  return llvm::cantFail(Layout::get(std::move(inputs), std::move(outputs)));
}

/// Bytes of an element in memory; nothing if it shares one with others.
static std::optional<int64_t> getBytes(Type element) {
  int64_t bits = element.isIndex() ? 32 : getElementBits(element);
  if (bits % 8 != 0 || !llvm::isPowerOf2_64(bits))
    return std::nullopt;
  return bits / 8;
}

std::optional<int64_t> plan::getExchangeBytes(const Layout &from,
                                              const Layout &to, Type element) {
  std::optional<int64_t> bytes = getBytes(element);
  if (!bytes)
    return std::nullopt;
  llvm::Expected<layouts::Conversion> conversion =
      layouts::planConversion(from, to, *bytes);
  if (!conversion) {
    llvm::consumeError(conversion.takeError());
    return std::nullopt;
  }
  return conversion->way == layouts::Way::Scratch ? conversion->scratchBytes
                                                  : 0;
}

std::optional<int64_t> plan::getSliceBytes(RankedTensorType whole) {
  std::optional<int64_t> bytes = getBytes(whole.getElementType());
  if (!bytes)
    return std::nullopt;
  return multiply(countElements(whole), *bytes);
}

//===----------------------------------------------------------------------===//
// A role
//===----------------------------------------------------------------------===//

static const Layout *getLayout(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto layout = dyn_cast_if_present<tile::LayoutAttr>(type.getEncoding());
  return layout ? &layout.getLayout() : nullptr;
}

/// What several warps have of a sum is combined in memory.
static int64_t count(tile::AxisOpInterface op) {
  const Layout *layout = getLayout(op.getSource());
  if (!layout)
    return 0;
  Type element = op.getSource().getType().getElementType();
  return op.countExchanged(*layout) *
         std::max<int64_t>(getElementBits(element) / 8, 1);
}

static int64_t count(tile::ConvertLayoutOp op) {
  const Layout *from = getLayout(op.getSource());
  const Layout *to = getLayout(op.getResult());
  if (!from || !to)
    return 0;
  return getExchangeBytes(*from, *to, op.getType().getElementType())
      .value_or(0);
}

static int64_t countSlice(Operation *op) {
  const Layout *from = getLayout(op->getOperand(0));
  const Layout *to = getLayout(op->getResult(0));
  if (!from || !to || sliceStaysInThreads(op, *from, *to))
    return 0;
  return getSliceBytes(cast<RankedTensorType>(op->getOperand(0).getType()))
      .value_or(0);
}

int64_t plan::getExchangeBytes(RoleOp role) {
  int64_t most = 0;
  role.walk([&](Operation *op) {
    int64_t bytes =
        llvm::TypeSwitch<Operation *, int64_t>(op)
            .Case([](tile::AxisOpInterface along) { return count(along); })
            .Case([](tile::ConvertLayoutOp convert) { return count(convert); })
            .Case<tile::ExtractSliceOp, tensor::ExtractSliceOp>(countSlice)
            .Default([](Operation *) { return 0; });
    most = std::max(most, bytes);
  });
  return most;
}

bool plan::needsBarrier(RoleOp role, const target::Architecture &arch) {
  bool synchronizes = findScratch(role, arch).bytes != 0;
  role.walk([&](agent::ConsumeOp op) {
    for (Value value : op.getPipes())
      if (auto pipe = value.getDefiningOp<agent::PipeOp>())
        synchronizes |=
            pipe.getProducerEngine() == agent::Engine::tensor_core ||
            isStagedByRole(pipe);
  });
  return role.getWarps() > 1 && synchronizes;
}
