//===- EmitFragments.cpp - Tiles in registers -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
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

FailureOr<tile::Layout> Emitter::getLayout(RankedTensorType type, unsigned axis,
                                           Operation *user) {
  if (llvm::Expected<tile::Layout> layout =
          fragments->getLayout(type.getShape(), axis))
    return std::move(*layout);
  else
    return user->emitOpError()
           << "works on a " << type << " in @" << role.getSymName() << ": "
           << llvm::toString(layout.takeError());
}

FailureOr<tile::Layout> Emitter::getLayout(Value tile, Operation *op) {
  return getLayout(cast<RankedTensorType>(tile.getType()), axes.get(tile), op);
}

VectorType Emitter::getVectorType(const tile::Layout &layout, Type element) {
  return VectorType::get(layout.getInputSize(plan::inRegister),
                         getStorageType(element));
}

Type codegen::getStorageType(Type type) {
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 32);
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 8)
    return IntegerType::get(type.getContext(), 8);
  return type;
}

TypedAttr codegen::getStorageAttr(TypedAttr number) {
  Type type = getStorageType(number.getType());
  if (type == number.getType())
    return number;
  if (auto real = dyn_cast<FloatAttr>(number))
    return IntegerAttr::get(type, real.getValue().bitcastToAPInt().zext(8));
  return IntegerAttr::get(type, cast<IntegerAttr>(number).getInt());
}

Type codegen::getMemoryType(Type type) {
  Type storage = getStorageType(type);
  return storage.isInteger(1) ? IntegerType::get(type.getContext(), 8)
                              : storage;
}

Value codegen::toMemory(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType();
  if (!getElementTypeOrSelf(type).isInteger(1))
    return value;
  Type byte = b.getI8Type();
  if (auto vector = dyn_cast<VectorType>(type))
    byte = vector.clone(byte);
  return arith::ExtUIOp::create(b, byte, value);
}

Value codegen::fromMemory(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (!getElementTypeOrSelf(type).isInteger(1))
    return value;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, zero);
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

Value Emitter::gather(
    Value source, const tile::Layout &from, const tile::Layout &to,
    llvm::function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> map) {
  std::optional<SmallVector<int64_t>> numbers =
      plan::findRegisters(from, to, map);
  if (!numbers)
    return {};
  if (llvm::equal(*numbers,
                  llvm::seq<int64_t>(0, from.getInputSize(plan::inRegister))))
    return source;
  return vector::ShuffleOp::create(b, source, source, *numbers);
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
Emitter::getSharedOffsets(RankedTensorType type, unsigned axis,
                          const std::optional<Panels> &panels, bool transposed,
                          Operation *user) {
  if (!panels || panels->atom != 16)
    return user->emitOpError()
           << "moves rows of " << type
           << " between registers and shared memory: they have a multiple of "
              "16 bytes, and a swizzle of 16 bytes at a time";
  FailureOr<tile::Layout> fragment = getLayout(type, axis, user);
  if (failed(fragment))
    return failure();
  llvm::Expected<plan::Offsets> offsets =
      plan::getSharedOffsets(type, *fragment, *panels, transposed);
  if (!offsets)
    return user->emitOpError()
           << "moves a " << type
           << " through shared memory: " << llvm::toString(offsets.takeError());
  return std::move(*offsets);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

FailureOr<Value> Emitter::getFragment(Value value, Operation *user) {
  auto type = cast<RankedTensorType>(value.getType());
  const Tile tile = tiles.lookup(value);
  if (tile.kind == Tile::Kind::Fragment)
    return tile.alongColumns && (!tile.value || axes.get(value, user) == 1)
               ? tile.alongColumns
               : tile.value;
  if (Value known = findRead(value, tile))
    return known;
  FailureOr<tile::Layout> layout = getLayout(type, axes.get(value, user), user);
  if (failed(layout))
    return failure();
  VectorType vector = getVectorType(*layout, type.getElementType());
  switch (tile.kind) {
  case Tile::Kind::Splat:
    if (tile.value)
      return vector::BroadcastOp::create(b, vector, tile.value).getResult();
    return arith::ConstantOp::create(
               b, DenseElementsAttr::get(vector,
                                         Attribute(getStorageAttr(tile.splat))))
        .getResult();
  case Tile::Kind::Iota:
    return makeIota(*layout, type.getElementType());
  case Tile::Kind::Tensor:
    if (fragments->getFamily() == plan::Fragments::Family::Rows)
      return loadTensor(tile, type, user);
    break;
  case Tile::Kind::Shared: {
    FailureOr<Value> fragment =
        loadShared(tile, type, axes.get(value, user), user);
    if (succeeded(fragment))
      reads[value] = {tile.value, *fragment};
    return fragment;
  }
  case Tile::Kind::Fragment:
    break;
  }
  return user->emitOpError()
         << "reads a " << type << " in a way that has no code yet";
}

/// What was read of a tile before, at a place that comes before this one.
Value Emitter::findRead(Value value, const Tile &tile) {
  Read read = reads.lookup(value);
  if (!read.fragment || read.place != tile.value ||
      !read.fragment.getParentRegion()->isAncestor(
          b.getInsertionBlock()->getParent()))
    return {};
  return read.fragment;
}

FailureOr<Value> Emitter::loadShared(const Tile &tile, RankedTensorType type,
                                     unsigned axis, Operation *user) {
  FailureOr<plan::Offsets> offsets =
      getSharedOffsets(type, axis, tile.panels, tile.transposed, user);
  if (failed(offsets))
    return failure();
  Type element = getMemoryType(type.getElementType());
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  ThreadOffset thread = getThreadOffset(*offsets);
  SmallVector<Value> elements(offsets->getRegisters());
  for (ArrayRef<int64_t> run : offsets->getRuns(accessBytes / bytes)) {
    int64_t count = run.size();
    Value loaded = LLVM::LoadOp::create(
        b, VectorType::get(count, element),
        getAddress(tile.value, thread, *offsets, run[0]), count * bytes);
    for (auto [index, number] : llvm::enumerate(run))
      elements[number] = vector::ExtractOp::create(b, loaded, int64_t(index));
  }
  Value fragment = vector::FromElementsOp::create(
      b, VectorType::get(offsets->getRegisters(), element), elements);
  return fromMemory(b, fragment, type.getElementType());
}

LogicalResult Emitter::writeShared(Value value, Value slot,
                                   const std::optional<Panels> &panels,
                                   Operation *user) {
  auto type = cast<RankedTensorType>(value.getType());
  unsigned axis = axes.get(value, user);
  FailureOr<Value> fragment = getFragment(value, user);
  if (failed(fragment))
    return failure();
  FailureOr<plan::Offsets> offsets =
      getSharedOffsets(type, axis, panels, /*transposed=*/false, user);
  FailureOr<tile::Layout> layout = getLayout(type, axis, user);
  if (failed(offsets) || failed(layout))
    return failure();
  int64_t bytes = plan::getElementBits(type.getElementType()) / 8;
  ThreadOffset thread = getThreadOffset(*offsets);
  Value stored = toMemory(b, *fragment);
  auto write = [&] {
    for (ArrayRef<int64_t> run : offsets->getRuns(accessBytes / bytes)) {
      Value part = vector::ShuffleOp::create(b, stored, stored, run);
      LLVM::StoreOp::create(b, part, getAddress(slot, thread, *offsets, run[0]),
                            run.size() * bytes);
    }
  };
  if (Value owner = getOwner(*layout))
    when(owner, write);
  else
    write();
  return success();
}
