//===- KernelSignature.cpp - What a compiled kernel is called with --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelSignature.h"
#include "Emitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

LogicalResult KernelSignature::addMap(Operation *copy, Value view, Type type,
                                      ArrayRef<int64_t> dims) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return copy->emitOpError("moves a scalar, which has no code yet");
  auto argument = dyn_cast<BlockArgument>(view);
  if (!argument)
    return copy->emitOpError(
        "moves a tile of a subview, which has no code yet");
  std::optional<Panels> panels = getPanels(tile);
  int64_t rank = cast<tile::ViewType>(view.getType()).getRank();
  if (!panels || dims.back() != rank - 1)
    return copy->emitOpError()
           << "moves rows of " << tile
           << ", for which TMA has no swizzle: rows in memory of 32 or 64 "
              "bytes, or of a multiple of 128";
  // A map counts from the dimension whose elements are next to each other.
  SmallVector<int64_t> box(rank, 1);
  for (auto [index, dim] : llvm::enumerate(dims))
    box[rank - 1 - dim] = tile.getDimSize(index);
  box.front() = panels->elements();
  for (auto [index, map] : llvm::enumerate(maps))
    if (map.view == argument && map.box == box) {
      mapOf[copy] = index;
      return success();
    }
  mapOf[copy] = maps.size();
  maps.push_back({argument, box, panels->width});
  return success();
}

LogicalResult KernelSignature::collect(tile::KernelOp kernel) {
  WalkResult result = kernel.walk([&](Operation *op) {
    LogicalResult added = success();
    if (auto load = dyn_cast<tile::LoadOp>(op))
      added = addMap(op, load.getView(), load.getType(), load.getTileDims());
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      added = addMap(op, store.getView(), store.getValue().getType(),
                     store.getTileDims());
    else if (auto dim = dyn_cast<tile::DimOp>(op))
      sizes.insert({{dim.getView(), dim.getIndex()}, 0});
    return WalkResult(added);
  });
  if (result.wasInterrupted())
    return failure();
  unsigned number = maps.size();
  for (auto &size : sizes)
    size.second = number++;
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (!isa<tile::ViewType>(argument.getType()))
      scalars.insert({argument, number++});
  return success();
}

LLVM::LLVMFuncOp KernelSignature::create(tile::KernelOp kernel,
                                         OpBuilder &builder) {
  MLIRContext *context = builder.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = builder.getI32Type();
  SmallVector<Type> types(maps.size(), pointer);
  types.append(sizes.size(), i32);
  for (auto &[argument, number] : scalars)
    types.push_back(argument.getType().isIndex() ? i32 : argument.getType());
  function = LLVM::LLVMFuncOp::create(
      builder, kernel.getLoc(), kernel.getSymName(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));

  SmallVector<Attribute> parameters;
  auto name = [&](Value argument) {
    return builder.getNamedAttr(
        "argument", builder.getI64IntegerAttr(
                        cast<BlockArgument>(argument).getArgNumber()));
  };
  for (auto [index, map] : llvm::enumerate(maps)) {
    // By value and constant for the whole grid: otherwise LLVM copies the map
    // to local memory and TMA reads the copy.
    function.setArgAttrs(
        index,
        ArrayRef<NamedAttribute>{
            builder.getNamedAttr(LLVM::LLVMDialect::getByValAttrName(),
                                 TypeAttr::get(LLVM::LLVMArrayType::get(
                                     builder.getI8Type(), 128))),
            builder.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                                 builder.getI64IntegerAttr(64)),
            builder.getNamedAttr(NVVM::NVVMDialect::getGridConstantAttrName(),
                                 builder.getUnitAttr())});
    parameters.push_back(builder.getDictionaryAttr(
        {name(map.view),
         builder.getNamedAttr("box", builder.getDenseI64ArrayAttr(map.box)),
         builder.getNamedAttr("swizzle",
                              builder.getI64IntegerAttr(map.swizzle))}));
  }
  for (auto &[size, number] : sizes)
    parameters.push_back(builder.getDictionaryAttr(
        {name(size.first),
         builder.getNamedAttr("dimension",
                              builder.getI64IntegerAttr(size.second))}));
  for (auto &[argument, number] : scalars)
    parameters.push_back(builder.getDictionaryAttr({name(argument)}));
  function->setAttr("agent.parameters", builder.getArrayAttr(parameters));
  return function;
}

Value KernelSignature::getMap(Operation *copy) {
  return function.getBody().getArgument(mapOf.lookup(copy));
}

Value KernelSignature::getSize(Value view, int64_t dimension) {
  return function.getBody().getArgument(sizes.lookup({view, dimension}));
}

Value KernelSignature::getScalar(Value argument) {
  return function.getBody().getArgument(scalars.lookup(argument));
}
