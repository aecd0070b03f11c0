//===- GlobalAccess.cpp - Threads that read and write global memory -------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Vectors and scalars are too small for a slot, and some tiles have strides
// that TMA rejects: threads load and store them where they are used. A thread
// has the elements that its layout says, and their coordinates are that
// layout's outputs.
//
// Where a thread's elements are next to each other in memory there are two
// ways, chosen at run time for the whole role at once: if the tile is inside
// the view and its first element is aligned, wide accesses; else one access for
// each element, guarded by a comparison with the edges.

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

static constexpr int64_t accessBytes = 16;

namespace {
/// The elements of a tile that a thread reads or writes.
struct Access {
  /// The address of the tile's first element, and of the thread's elements
  /// without what their registers add.
  Value first, thread;
  /// The whole tile is inside the view, and so is the part of its
  /// coordinates that is the same for all its elements.
  Value inside, uniform;
  /// For each dimension of the tile: its coordinates, the thread's part of
  /// them from the start of the view on, the size of the view, the stride.
  struct Dimension {
    plan::Offsets offsets;
    Value relative, size, stride;
  };
  SmallVector<Dimension> dimensions;
  /// Registers that one access moves.
  SmallVector<SmallVector<int64_t>> runs;
};
} // namespace

static Value extend(ImplicitLocOpBuilder &b, Value number) {
  return arith::ExtSIOp::create(b, b.getI64Type(), number);
}

static Value getByte(ImplicitLocOpBuilder &b, Value pointer, Value elements,
                     int64_t bytes) {
  Value scale = arith::ConstantOp::create(b, b.getI64IntegerAttr(bytes));
  Value offset = arith::MulIOp::create(b, elements, scale);
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(offset)});
}

/// 0 <= number < size.
static Value isBelow(ImplicitLocOpBuilder &b, Value number, Value size) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, size);
}

static Value both(ImplicitLocOpBuilder &b, Value x, Value y) {
  return x && y ? arith::AndIOp::create(b, x, y).getResult() : x ? x : y;
}

/// The registers that follow each other along the last dimension.
static SmallVector<SmallVector<int64_t>> getRuns(const tile::Layout &layout,
                                                 int64_t most) {
  SmallVector<int64_t> shape;
  for (const tile::Layout::Output &output : layout.getOutputs())
    shape.push_back(output.size);
  auto each = [](llvm::Error error) -> SmallVector<SmallVector<int64_t>> {
    llvm::consumeError(std::move(error));
    return {};
  };
  llvm::Expected<tile::Layout> memory = tile::Layout::rowMajor("offset", shape);
  if (!memory)
    return each(memory.takeError());
  llvm::Expected<tile::Layout> inverse = memory->invert();
  if (!inverse)
    return each(inverse.takeError());
  llvm::Expected<tile::Layout> places = layout.compose(*inverse);
  if (!places)
    return each(places.takeError());
  llvm::Expected<plan::Offsets> offsets = plan::Offsets::get(*places, 0);
  if (!offsets)
    return each(offsets.takeError());
  // A run ends with its row.
  return offsets->getRuns(
      std::min<int64_t>(most, shape.back() & -shape.back()));
}

/// Where the elements of a tile are. `layout` is null for a scalar.
static Access getAccess(ImplicitLocOpBuilder &b,
                        const KernelSignature &signature,
                        const ViewRegion &region, ArrayRef<Value> offsets,
                        ArrayRef<int64_t> dims, int64_t bytes,
                        const tile::Layout *layout,
                        llvm::function_ref<Value(const plan::Offsets &)> part) {
  Access access;
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  Value first, thread;
  auto add = [&](Value &sum, Value number) {
    sum = sum ? arith::AddIOp::create(b, sum, number).getResult() : number;
  };
  for (auto [dim, given] : llvm::enumerate(offsets)) {
    Value offset = given;
    Value low = region.lows[dim];
    Value size = arith::SubIOp::create(b, region.ends[dim], low);
    size = arith::MaxSIOp::create(b, size, zero);
    Value stride = signature.getStride(b, region.argument, dim);
    Value start = arith::AddIOp::create(b, region.starts[dim], offset);
    add(first, arith::MulIOp::create(b, extend(b, start), stride));
    // From the first element that is there on.
    if (low != region.starts[dim])
      offset = arith::SubIOp::create(b, start, low);
    const auto *found = llvm::find(dims, int64_t(dim));
    if (found == dims.end()) {
      access.uniform = both(b, access.uniform, isBelow(b, offset, size));
      continue;
    }
    unsigned output = found - dims.begin();
    // A coordinate of a fragment is made of digits that never meet.
    plan::Offsets own = llvm::cantFail(plan::Offsets::get(*layout, output));
    Value mine = part(own);
    add(thread, arith::MulIOp::create(b, extend(b, mine), stride));
    Value last = arith::ConstantOp::create(
        b, b.getI32IntegerAttr(layout->getOutputs()[output].size - 1));
    access.inside =
        both(b, access.inside,
             both(b, isBelow(b, offset, size),
                  isBelow(b, arith::AddIOp::create(b, offset, last), size)));
    Value relative = arith::AddIOp::create(b, offset, mine);
    // Registers along the last dimension are next to each other in memory if
    // its stride is one.
    if (matchPattern(stride, m_One()) && output + 1 == dims.size())
      access.runs = getRuns(*layout, accessBytes / bytes);
    access.dimensions.push_back({std::move(own), relative, size, stride});
  }
  access.inside = both(b, access.inside, access.uniform);
  Value pointer = signature.getPointer(region.argument);
  access.first = first ? getByte(b, pointer, first, bytes) : pointer;
  access.thread =
      thread ? getByte(b, access.first, thread, bytes) : access.first;
  return access;
}

/// Where a register's element is, and whether that is inside the view; a
/// null condition is true.
static std::pair<Value, Value> getElement(ImplicitLocOpBuilder &b,
                                          const Access &access, int64_t number,
                                          int64_t bytes) {
  Value offset, condition = access.uniform;
  for (const Access::Dimension &dimension : access.dimensions) {
    int64_t added = dimension.offsets.getAdded(number);
    Value more = arith::ConstantOp::create(b, b.getI64IntegerAttr(added));
    Value part = arith::MulIOp::create(b, more, dimension.stride);
    offset = offset ? arith::AddIOp::create(b, offset, part).getResult() : part;
    Value at = arith::AddIOp::create(
        b, dimension.relative,
        arith::ConstantOp::create(b, b.getI32IntegerAttr(added)));
    condition = both(b, condition, isBelow(b, at, dimension.size));
  }
  return {offset ? getByte(b, access.thread, offset, bytes) : access.thread,
          condition};
}

/// A register of inline assembly for this many bits.
static StringRef getConstraint(unsigned bits) {
  return bits == 64 ? "l" : bits == 32 ? "r" : "h";
}

static LLVM::InlineAsmOp assemble(ImplicitLocOpBuilder &b, Type result,
                                  const Twine &text, const Twine &constraints,
                                  ValueRange operands) {
  return LLVM::InlineAsmOp::create(
      b, result, operands, text.str(), (constraints + ",~{memory}").str(),
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      ArrayAttr());
}

/// Bits in a register: a byte has one of 16 bits.
static Value toRegister(ImplicitLocOpBuilder &b, Value value) {
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  if (isa<FloatType>(value.getType()))
    value = arith::BitcastOp::create(b, b.getIntegerType(bits), value);
  if (bits < 16)
    value = arith::ExtUIOp::create(b, b.getI16Type(), value);
  return value;
}

static Value fromRegister(ImplicitLocOpBuilder &b, Value word, Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits < 16)
    word = arith::TruncIOp::create(b, b.getIntegerType(bits), word);
  if (isa<FloatType>(type))
    word = arith::BitcastOp::create(b, type, word);
  return word;
}

static Value loadGuarded(ImplicitLocOpBuilder &b, Value address,
                         Value condition, Value pad) {
  Type type = pad.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (!condition)
    return LLVM::LoadOp::create(b, type, address, bits / 8);
  Value word = toRegister(b, pad);
  StringRef constraint = getConstraint(bits);
  Value loaded =
      assemble(b, word.getType(),
               "@$1 ld.global.b" + Twine(bits) + " $0, [$2];",
               "=" + constraint + ",b,l,0", {condition, address, word})
          .getRes();
  return fromRegister(b, loaded, type);
}

static void storeGuarded(ImplicitLocOpBuilder &b, Value value, Value address,
                         Value condition) {
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  if (!condition) {
    LLVM::StoreOp::create(b, value, address, bits / 8);
    return;
  }
  StringRef constraint = getConstraint(bits);
  assemble(b, LLVM::LLVMVoidType::get(b.getContext()),
           "@$0 st.global.b" + Twine(bits) + " [$1], $2;", "b,l," + constraint,
           {condition, address, toRegister(b, value)});
}

/// Whether the fast way can be taken: inside, and aligned to `count` elements.
static Value isFast(ImplicitLocOpBuilder &b, const Access &access,
                    int64_t count, int64_t bytes) {
  Type i64 = b.getI64Type();
  Value address = LLVM::PtrToIntOp::create(b, i64, access.first);
  Value low = arith::AndIOp::create(
      b, address,
      arith::ConstantOp::create(b, b.getI64IntegerAttr(count * bytes - 1)));
  Value aligned = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, low,
      arith::ConstantOp::create(b, b.getI64IntegerAttr(0)));
  // Of a matrix, all rows have to be aligned.
  for (const Access::Dimension &dimension : access.dimensions) {
    if (matchPattern(dimension.stride, m_One()))
      continue;
    Value rest = arith::AndIOp::create(
        b, dimension.stride,
        arith::ConstantOp::create(b, b.getI64IntegerAttr(count - 1)));
    aligned = both(b, aligned,
                   arith::CmpIOp::create(
                       b, arith::CmpIPredicate::eq, rest,
                       arith::ConstantOp::create(b, b.getI64IntegerAttr(0))));
  }
  return both(b, access.inside, aligned);
}

/// Whether runs are words of registers that follow each other. Then words are
/// loaded: of halves of them LLVM makes registers of their own.
static bool areWords(const Access &access, int64_t perWord) {
  return perWord > 1 && llvm::all_of(access.runs, [&](ArrayRef<int64_t> run) {
           bool follow = run.size() % perWord == 0 && run[0] % perWord == 0;
           for (auto [index, number] : llvm::enumerate(run))
             follow &= number == run[0] + static_cast<int64_t>(index);
           return follow;
         });
}

static bool isWide(const Access &access) {
  return !access.runs.empty() && access.runs[0].size() > 1;
}

static Access getAccess(CodeWriter &w, const ViewRegion &region,
                        ArrayRef<Value> offsets, ArrayRef<int64_t> dims,
                        int64_t bytes, const tile::Layout *layout) {
  return getAccess(w.b, w.kernel.signature, region, offsets, dims, bytes,
                   layout, [&](const plan::Offsets &own) {
                     ThreadOffset thread = w.getThreadOffset(own);
                     return w.getOffset(thread, own, 0);
                   });
}

/// Wide accesses where they are possible, or each element for itself.
static Value loadWide(ImplicitLocOpBuilder &b, const Access &access,
                      VectorType vector, int64_t bytes,
                      llvm::function_ref<Value()> loadEach) {
  int64_t width = access.runs[0].size();
  // Elements of a register of what is loaded.
  int64_t packed = areWords(access, 4 / bytes) ? 4 / bytes : 1;
  auto registers = vector;
  if (packed > 1)
    registers =
        VectorType::get(vector.getNumElements() / packed, b.getI32Type());
  auto branch = scf::IfOp::create(b, registers, isFast(b, access, width, bytes),
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> elements(registers.getNumElements());
    for (ArrayRef<int64_t> run : access.runs) {
      Value address = getElement(b, access, run[0], bytes).first;
      Value loaded = LLVM::LoadOp::create(
          b, VectorType::get(width / packed, registers.getElementType()),
          address, width * bytes);
      for (int64_t index = 0; index < width; index += packed)
        elements[run[index] / packed] =
            vector::ExtractOp::create(b, loaded, index / packed);
    }
    scf::YieldOp::create(
        b, Value(vector::FromElementsOp::create(b, registers, elements)));
    b.setInsertionPointToStart(branch.elseBlock());
    Value each = loadEach();
    if (packed > 1)
      each = vector::BitCastOp::create(b, registers, each);
    scf::YieldOp::create(b, each);
  }
  Value loaded = branch.getResult(0);
  if (packed > 1)
    loaded = vector::BitCastOp::create(b, vector, loaded);
  return loaded;
}

static Values load(tile::LoadOp op, tile::LoadOp::Adaptor operands,
                   CodeWriter &w) {
  ImplicitLocOpBuilder &b = w.b;
  Type element = getMemoryType(getElementTypeOrSelf(op.getType()));
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  ViewRegion region = w.getRegion(op.getView());
  SmallVector<Value> offsets =
      w.getOffsets(op.getStaticOffsets(), operands.getOffsets());
  Value pad = toMemory(
      b, arith::ConstantOp::create(b, getRegisterAttr(op.getPadOrZero())));
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type) {
    Access access = getAccess(w, region, offsets, {}, bytes, nullptr);
    Value loaded = loadGuarded(b, access.first, access.uniform, pad);
    return {fromMemory(b, loaded, op.getType())};
  }

  const tile::Layout &layout = getLayout(type);
  Access access =
      getAccess(w, region, offsets, op.getTileDims(), bytes, &layout);
  auto vector = VectorType::get(layout.getInputSize(plan::inRegister), element);
  auto loadEach = [&]() -> Value {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      auto [address, condition] = getElement(b, access, i, bytes);
      elements.push_back(loadGuarded(b, address, condition, pad));
    }
    return vector::FromElementsOp::create(b, vector, elements);
  };
  if (!isWide(access))
    return {fromMemory(b, loadEach(), type)};
  return {fromMemory(b, loadWide(b, access, vector, bytes, loadEach), type)};
}

static Values store(tile::StoreOp op, tile::StoreOp::Adaptor operands,
                    CodeWriter &w) {
  ImplicitLocOpBuilder &b = w.b;
  ViewRegion region = w.getRegion(op.getView());
  SmallVector<Value> offsets =
      w.getOffsets(op.getStaticOffsets(), operands.getOffsets());
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (!type) {
    Value value = toMemory(b, operands.getValue());
    int64_t bytes = value.getType().getIntOrFloatBitWidth() / 8;
    Access access = getAccess(w, region, offsets, {}, bytes, nullptr);
    storeGuarded(b, value, access.first, both(b, access.uniform, w.own.leader));
    return {};
  }
  const tile::Layout &layout = getLayout(type);
  Type element = getMemoryType(type.getElementType());
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  Value stored = toMemory(b, operands.getValue());
  Access access =
      getAccess(w, region, offsets, op.getTileDims(), bytes, &layout);
  auto storeEach = [&] {
    for (int64_t i = 0; i < layout.getInputSize(plan::inRegister); ++i) {
      auto [address, condition] = getElement(b, access, i, bytes);
      storeGuarded(b, vector::ExtractOp::create(b, stored, i), address,
                   condition);
    }
  };
  auto storeAll = [&] {
    if (!isWide(access))
      return storeEach();
    int64_t width = access.runs[0].size();
    auto branch = scf::IfOp::create(b, isFast(b, access, width, bytes),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenYield());
    for (ArrayRef<int64_t> run : access.runs)
      LLVM::StoreOp::create(
          b, vector::ShuffleOp::create(b, stored, stored, run),
          getElement(b, access, run[0], bytes).first, width * bytes);
    b.setInsertionPoint(branch.elseYield());
    storeEach();
  };
  if (Value owner = w.getOwner(layout))
    w.when(owner, storeAll);
  else
    storeAll();
  return {};
}

void codegen::addGlobalAccess(PatternList &list) {
  list.add<tile::LoadOp>(load);
  list.add<tile::StoreOp>(store);
}
