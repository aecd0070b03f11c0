//===- KernelSignature.cpp - What a compiled kernel is called with --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelSignature.h"
#include "drawloom/Analysis/RoleTiles/Panels.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

/// A number that the CTAs of a launch count with is all that a workspace holds.
static constexpr int64_t counterBytes = 4;

/// A pointer into global memory.
static Type getGlobalPointer(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(
      context, static_cast<unsigned>(NVVM::NVVMMemorySpace::Global));
}

BlockArgument codegen::getArgument(Value view) {
  while (auto part = view.getDefiningOp<tile::SubviewOp>())
    view = part.getView();
  return dyn_cast<BlockArgument>(view);
}

LogicalResult KernelSignature::addMap(Operation *copy, Value view,
                                      RankedTensorType tile,
                                      ArrayRef<int64_t> dims, Value buffer,
                                      int64_t parts) {
  BlockArgument argument = getArgument(view);
  std::optional<plan::Panels> panels =
      plan::getPanels(cast<tile::BufferType>(buffer.getType()));
  int64_t rank = cast<tile::ViewType>(view.getType()).getRank();
  if (tile.getRank() > 2)
    return copy->emitOpError()
           << "moves a " << tile << ", and tiles of rank " << tile.getRank()
           << " are unsupported; slice the outer dimensions with a loop, or "
              "make them dimensions of the work tile [unsupported-tile]";
  if (!panels || !panels->isBoxed() || dims.back() != rank - 1)
    return copy->emitOpError()
           << "moves rows of " << tile
           << ", which TMA can't cut into boxes of at most 256 elements that "
              "begin at a multiple of 128 bytes; use shorter rows, or a "
              "multiple of 128 bytes [tma-box]";
  // A map counts from the dimension whose elements are next to each other.
  SmallVector<int64_t> box(rank, 1);
  for (auto [index, dim] : llvm::enumerate(dims))
    box[rank - 1 - dim] = tile.getDimSize(index);
  box[rank - 1 - dims.front()] = panels->boxRows(parts);
  box.front() = panels->elements();
  for (auto [index, map] : llvm::enumerate(maps))
    if (map.view == argument && map.box == box &&
        (map.swizzle != 0) == panels->swizzled && map.atom == panels->atom) {
      mapOf[copy] = index;
      return success();
    }
  mapOf[copy] = maps.size();
  maps.push_back(
      {argument, box, panels->swizzled ? panels->width : 0, panels->atom});
  return success();
}

void KernelSignature::addSize(BlockArgument view, int64_t dimension) {
  if (cast<tile::ViewType>(view.getType()).isDynamicDim(dimension))
    sizes.insert({{view, dimension}, 0});
}

/// The stride of a dimension as far as the type says it. A view without strides
/// has its rows next to each other in memory.
static int64_t getKnownStride(tile::ViewType type, int64_t dimension) {
  if (!type.getStrides().empty())
    return type.getStrides()[dimension];
  return dimension + 1 == type.getRank() ? 1 : ShapedType::kDynamic;
}

void KernelSignature::addAccess(Value view) {
  BlockArgument argument = getArgument(view);
  auto type = cast<tile::ViewType>(argument.getType());
  pointers.insert({argument, 0});
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (ShapedType::isDynamic(getKnownStride(type, dim)))
      strides.insert({{argument, dim}, 0});
    addSize(argument, dim);
  }
}

LogicalResult KernelSignature::collect(tile::KernelOp kernel,
                                       const target::Architecture &arch) {
  WalkResult result = kernel.walk([&](Operation *op) {
    LogicalResult added = success();
    auto addCopy = [&](auto copy) {
      auto load = dyn_cast<agent::SlotLoadOp>(op);
      if (copy.getEngine() == agent::Engine::tma)
        added = addMap(op, copy.getView(), copy.getTile(), copy.getDims(),
                       copy.getBuffer(), load ? load.getParts() : 1);
      else
        addAccess(copy.getView());
    };
    llvm::TypeSwitch<Operation *>(op)
        .Case<agent::SlotLoadOp, agent::SlotStoreOp>(addCopy)
        .Case<agent::FitsOp, tile::LoadOp, tile::StoreOp>(
            [&](auto access) { addAccess(access.getView()); })
        .Case([&](tile::DimOp dim) {
          if (auto argument = dyn_cast<BlockArgument>(dim.getView()))
            addSize(argument, dim.getIndex());
        });
    return WalkResult(added);
  });
  if (result.wasInterrupted())
    return failure();
  unsigned number = maps.size();
  for (auto &pointer : pointers)
    pointer.second = number++;
  for (auto &stride : strides)
    stride.second = number++;
  for (auto &size : sizes)
    size.second = number++;
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (!isa<tile::ViewType>(argument.getType()))
      scalars.insert({argument, number++});
  return success();
}

void KernelSignature::addParameters(tile::KernelOp kernel) {
  MLIRContext *context = kernel.getContext();
  Type i32 = IntegerType::get(context, 32);
  SmallVector<Type> types(maps.size(), LLVM::LLVMPointerType::get(context));
  types.append(pointers.size(), getGlobalPointer(context));
  types.append(strides.size(), IntegerType::get(context, 64));
  types.append(sizes.size(), i32);
  for (auto &[argument, number] : scalars)
    types.push_back(argument.getType().isIndex() ? i32 : argument.getType());
  // The workspace is the last one.
  bool counts =
      kernel
          .walk([](agent::AtomicNextTileOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (counts)
    types.push_back(getGlobalPointer(context));
  body = &kernel.getBody().front();
  first = body->getNumArguments();
  for (Type type : types)
    body->addArgument(type, kernel.getLoc());
}

LLVM::LLVMFuncOp KernelSignature::create(tile::KernelOp kernel) {
  OpBuilder builder(kernel);
  MLIRContext *context = builder.getContext();
  using agent::ParameterKind;
  SmallVector<Attribute> parameters;
  auto list = [&](ParameterKind kind, Value argument,
                  std::optional<int64_t> dimension = std::nullopt) {
    parameters.push_back(agent::ParameterAttr::get(
        context, kind, cast<BlockArgument>(argument).getArgNumber(), dimension,
        {}, {}, {}));
  };
  auto function = LLVM::LLVMFuncOp::create(
      builder, kernel.getLoc(), kernel.getSymName(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                  SmallVector<Type>(llvm::drop_begin(
                                      body->getArgumentTypes(), first))));
  for (auto [index, map] : llvm::enumerate(maps)) {
    // By value and constant for the whole grid: otherwise LLVM copies the map
    // to local memory and TMA reads the copy.
    function.setArgAttrs(
        index,
        ArrayRef<NamedAttribute>{
            builder.getNamedAttr(
                LLVM::LLVMDialect::getByValAttrName(),
                TypeAttr::get(LLVM::LLVMArrayType::get(
                    builder.getI8Type(), target::tiledMaps.mapBytes))),
            builder.getNamedAttr(
                LLVM::LLVMDialect::getAlignAttrName(),
                builder.getI64IntegerAttr(target::tiledMaps.mapAlign)),
            builder.getNamedAttr(NVVM::NVVMDialect::getGridConstantAttrName(),
                                 builder.getUnitAttr())});
    parameters.push_back(agent::ParameterAttr::get(
        context, ParameterKind::map, map.view.getArgNumber(), std::nullopt,
        builder.getDenseI64ArrayAttr(map.box), map.swizzle, map.atom));
  }
  for (auto &[view, number] : pointers)
    list(ParameterKind::pointer, view);
  for (auto &[dimension, number] : strides)
    list(ParameterKind::stride, dimension.first, dimension.second);
  for (auto &[dimension, number] : sizes)
    list(ParameterKind::size, dimension.first, dimension.second);
  for (auto &[argument, number] : scalars)
    list(ParameterKind::scalar, argument);
  function->setAttr(agent::parametersAttrName,
                    builder.getArrayAttr(parameters));
  if (parameters.size() < body->getNumArguments() - first)
    function->setAttr(agent::workspaceBytesAttrName,
                      builder.getI64IntegerAttr(counterBytes));
  body->eraseArguments(0, first);
  function.getBody().takeBody(kernel.getBody());
  return function;
}

Value KernelSignature::getMap(Operation *copy) const {
  auto found = mapOf.find(copy);
  return found == mapOf.end() ? Value() : getParameter(found->second);
}

SmallVector<Value> KernelSignature::getMaps() const {
  SmallVector<Value> values;
  for (unsigned number = 0; number < maps.size(); ++number)
    values.push_back(getParameter(number));
  return values;
}

Value KernelSignature::getPointer(BlockArgument view) const {
  return getParameter(pointers.lookup(view));
}

Value KernelSignature::getStride(ImplicitLocOpBuilder &b, BlockArgument view,
                                 int64_t dimension) const {
  int64_t known =
      getKnownStride(cast<tile::ViewType>(view.getType()), dimension);
  if (!ShapedType::isDynamic(known))
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(known));
  return getParameter(strides.lookup({view, dimension}));
}

Value KernelSignature::getSize(ImplicitLocOpBuilder &b, BlockArgument view,
                               int64_t dimension) const {
  auto type = cast<tile::ViewType>(view.getType());
  if (!type.isDynamicDim(dimension))
    return arith::ConstantOp::create(
        b, b.getI32IntegerAttr(type.getDimSize(dimension)));
  return getParameter(sizes.lookup({view, dimension}));
}

Value KernelSignature::getScalar(Value argument) const {
  return getParameter(scalars.lookup(argument));
}
