//===- Builders.cpp - Operations from C++ ---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

using namespace mlir;
using namespace drawloom::agent;

/// Adds a region of one block with arguments of `types` to `state`, and fills
/// it.
static Region &addBody(OpBuilder &builder, OperationState &state,
                       TypeRange types, BodyBuilder body) {
  OpBuilder::InsertionGuard guard(builder);
  Region &region = *state.addRegion();
  SmallVector<Location> locations(types.size(), state.location);
  Block *block = builder.createBlock(&region, {}, types, locations);
  body(builder, state.location, block->getArguments());
  return region;
}

void ProduceOp::build(OpBuilder &builder, OperationState &state, Value pipe,
                      BodyBuilder body) {
  state.addOperands(pipe);
  ensureTerminator(addBody(builder, state, {}, body), builder, state.location);
}

void ConsumeOp::build(OpBuilder &builder, OperationState &state,
                      TypeRange results, ValueRange pipes, int64_t lag,
                      BodyBuilder body) {
  state.addTypes(results);
  state.addOperands(pipes);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.lag = builder.getI64IntegerAttr(lag);
  properties.operandSegmentSizes = {static_cast<int32_t>(pipes.size()), 0};
  ensureTerminator(
      addBody(builder, state, getSlotValues(pipes.getTypes()), body), builder,
      state.location);
}

void SwitchOp::build(OpBuilder &builder, OperationState &state,
                     ArrayRef<int64_t> cluster, BodyBuilder body) {
  if (!cluster.empty())
    state.getOrAddProperties<Properties>().cluster =
        builder.getDenseI64ArrayAttr(cluster);
  addBody(builder, state, {}, body);
}

void RoleOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   int64_t warps, BodyBuilder body) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.warps = builder.getI64IntegerAttr(warps);
  ensureTerminator(addBody(builder, state, {}, body), builder, state.location);
}

void ItemsOp::build(OpBuilder &builder, OperationState &state, Stream stream,
                    Value count, TypeRange item, BodyBuilder body) {
  state.addTypes(ItemsType::get(builder.getContext(), llvm::to_vector(item)));
  state.addOperands(count);
  state.getOrAddProperties<Properties>().stream =
      StreamAttr::get(builder.getContext(), stream);
  ensureTerminator(addBody(builder, state, builder.getIndexType(), body),
                   builder, state.location);
}

void ForEachItemOp::build(OpBuilder &builder, OperationState &state,
                          Value source, Value publish, BodyBuilder body) {
  state.addOperands(source);
  if (publish)
    state.addOperands(publish);
  ensureTerminator(
      addBody(builder, state, getItemValues(source.getType()), body), builder,
      state.location);
}
