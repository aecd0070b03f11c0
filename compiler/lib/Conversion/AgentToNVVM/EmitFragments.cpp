//===- EmitFragments.cpp - Tiles in registers -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "drawloom/Conversion/TileToNVVM/TileToNVVM.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

/// The most that a thread reads or writes of memory at once.
static constexpr int64_t accessBytes = 16;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

const tile::Layout &codegen::getLayout(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  return cast<tile::LayoutAttr>(type.getEncoding()).getLayout();
}

VectorType codegen::getVectorType(Value tile) {
  return VectorType::get(getLayout(tile).getInputSize(plan::inRegister),
                         getRegisterType(getElementTypeOrSelf(tile.getType())));
}

TypedAttr codegen::getRegisterAttr(TypedAttr number) {
  Type type = getRegisterType(number.getType());
  if (type == number.getType())
    return number;
  if (auto real = dyn_cast<FloatAttr>(number))
    return IntegerAttr::get(type, real.getValue().bitcastToAPInt().zext(8));
  return IntegerAttr::get(type, cast<IntegerAttr>(number).getInt());
}

int64_t codegen::getCopyMask(const tile::Layout &layout, unsigned input) {
  int64_t mask = 0, weight = 1;
  for (const tile::Layout::Digit &digit : layout.getInputs()[input].digits) {
    if (llvm::all_of(digit.basis, [](int64_t step) { return step == 0; }))
      mask |= weight;
    weight *= digit.count;
  }
  return mask;
}

Value Emitter::getOwner(const tile::Layout &layout) {
  Value owner;
  auto require = [&](Value number, int64_t mask) {
    if (!mask)
      return;
    Value bits = arith::AndIOp::create(b, number, constant(mask));
    Value first =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits, constant(0));
    owner = owner ? arith::AndIOp::create(b, owner, first).getResult() : first;
  };
  require(kernel.lane, getCopyMask(layout, plan::inLane));
  require(roleWarp, getCopyMask(layout, plan::inWarp));
  return owner;
}

LogicalResult Emitter::gather(
    Operation *op,
    llvm::function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> map) {
  Value source = op->getOperand(0), result = op->getResult(0);
  const tile::Layout &from = getLayout(source);
  std::optional<SmallVector<int64_t>> numbers =
      plan::findRegisters(from, getLayout(result), map);
  if (!numbers)
    return op->emitOpError()
           << "makes a " << result.getType() << " of a " << source.getType()
           << ": elements would have to change threads";
  Value fragment = getFragment(source);
  bool isWhole = llvm::equal(
      *numbers, llvm::seq<int64_t>(0, from.getInputSize(plan::inRegister)));
  bind(result, isWhole
                   ? fragment
                   : vector::ShuffleOp::create(b, fragment, fragment, *numbers)
                         .getResult());
  return success();
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

Emitter::ThreadOffset Emitter::getThreadOffset(const plan::Offsets &offsets) {
  auto place = [&](plan::FragmentInput input) {
    return input == plan::inLane ? kernel.lane : roleWarp;
  };
  ThreadOffset thread;
  for (const plan::Offsets::Xor &term : offsets.getXors()) {
    Value bits =
        arith::AndIOp::create(b, place(term.input), constant(term.mask));
    if (term.shift > 0)
      bits = arith::ShLIOp::create(b, bits, constant(term.shift));
    else if (term.shift < 0)
      bits = arith::ShRUIOp::create(b, bits, constant(-term.shift));
    thread.xored =
        thread.xored ? arith::XOrIOp::create(b, thread.xored, bits).getResult()
                     : bits;
  }
  for (const plan::Offsets::Sum &term : offsets.getSums()) {
    Value digit =
        arith::DivUIOp::create(b, place(term.input), constant(term.divisor));
    digit = arith::RemUIOp::create(b, digit, constant(term.count));
    Value part = arith::MulIOp::create(b, digit, constant(term.factor));
    thread.added =
        thread.added ? arith::AddIOp::create(b, thread.added, part).getResult()
                     : part;
  }
  if (!thread.xored)
    thread.xored = constant(0);
  return thread;
}

Value Emitter::getOffset(const ThreadOffset &thread,
                         const plan::Offsets &offsets, int64_t number) {
  Value offset = thread.xored;
  if (int64_t bits = offsets.getXored(number))
    offset = arith::XOrIOp::create(b, offset, constant(bits));
  if (thread.added)
    offset = arith::AddIOp::create(b, offset, thread.added);
  return offset;
}

Value Emitter::getAddress(Value slot, const ThreadOffset &thread,
                          const plan::Offsets &offsets, int64_t number) {
  Value offset = getOffset(thread, offsets, number);
  Value start =
      LLVM::GEPOp::create(b, slot.getType(), b.getI8Type(), slot,
                          ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(offset)});
  // On its own, so that it becomes the constant of the access.
  auto added = static_cast<int32_t>(offsets.getAdded(number));
  return LLVM::GEPOp::create(b, slot.getType(), b.getI8Type(), start,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(added)});
}

FailureOr<plan::Offsets>
Emitter::getSharedOffsets(Value tile, const std::optional<Panels> &panels,
                          bool transposed, Operation *user) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (!panels || panels->atom != 16)
    return user->emitOpError()
           << "moves rows of " << type
           << " between registers and shared memory: they have a multiple of "
              "16 bytes, and a swizzle of 16 bytes at a time";
  llvm::Expected<plan::Offsets> offsets =
      plan::getSharedOffsets(type, getLayout(tile), *panels, transposed);
  if (!offsets)
    return user->emitOpError()
           << "moves a " << type
           << " through shared memory: " << llvm::toString(offsets.takeError());
  return std::move(*offsets);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Threads read a tile in shared memory once, as long as it is there, and one
/// in tensor memory anew for each use: loads are cheaper than all of its
/// columns in registers. A tile in registers stays in its warps.
LogicalResult Emitter::emitConversion(tile::ConvertLayoutOp op) {
  const Tile from = tiles.lookup(op.getSource());
  if (from.kind == Tile::Kind::Fragment) {
    bind(op.getResult(),
         convertInWarp(b, from.value, op.getSource().getType(), op.getType(),
                       [&] { return std::pair(kernel.lane, roleWarp); }));
    return success();
  }
  Read read = reads.lookup({op.getSource(), op.getType()});
  bool isAnew = from.kind == Tile::Kind::Tensor;
  if (isAnew || !read.fragment || read.place != from.value ||
      !read.fragment.getParentRegion()->isAncestor(
          b.getInsertionBlock()->getParent())) {
    FailureOr<Value> fragment = from.kind == Tile::Kind::Tensor
                                    ? loadTensor(from, op.getResult())
                                    : loadShared(from, op.getResult(), op);
    if (failed(fragment))
      return failure();
    read = {from.value, *fragment};
  }
  if (!isAnew)
    reads[{op.getSource(), op.getType()}] = read;
  bind(op.getResult(), read.fragment);
  return success();
}

FailureOr<Value> Emitter::loadShared(const Tile &from, Value tile,
                                     Operation *user) {
  FailureOr<plan::Offsets> offsets =
      getSharedOffsets(tile, from.panels, from.transposed, user);
  if (failed(offsets))
    return failure();
  Type type = getElementTypeOrSelf(tile.getType());
  Type element = getMemoryType(type);
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  ThreadOffset thread = getThreadOffset(*offsets);
  SmallVector<Value> elements(offsets->getRegisters());
  for (ArrayRef<int64_t> run : offsets->getRuns(accessBytes / bytes)) {
    int64_t count = run.size();
    Value loaded = LLVM::LoadOp::create(
        b, VectorType::get(count, element),
        getAddress(from.value, thread, *offsets, run[0]), count * bytes);
    for (auto [index, number] : llvm::enumerate(run))
      elements[number] = vector::ExtractOp::create(b, loaded, int64_t(index));
  }
  Value fragment = vector::FromElementsOp::create(
      b, VectorType::get(offsets->getRegisters(), element), elements);
  return fromMemory(b, fragment, type);
}

LogicalResult Emitter::writeShared(Value tile, Value slot,
                                   const std::optional<Panels> &panels,
                                   Operation *user) {
  FailureOr<plan::Offsets> offsets =
      getSharedOffsets(tile, panels, /*transposed=*/false, user);
  if (failed(offsets))
    return failure();
  int64_t bytes =
      plan::getElementBits(getElementTypeOrSelf(tile.getType())) / 8;
  ThreadOffset thread = getThreadOffset(*offsets);
  Value stored = toMemory(b, getFragment(tile));
  auto write = [&] {
    for (ArrayRef<int64_t> run : offsets->getRuns(accessBytes / bytes)) {
      Value part = vector::ShuffleOp::create(b, stored, stored, run);
      LLVM::StoreOp::create(b, part, getAddress(slot, thread, *offsets, run[0]),
                            run.size() * bytes);
    }
  };
  if (Value owner = getOwner(getLayout(tile)))
    when(owner, write);
  else
    write();
  return success();
}
