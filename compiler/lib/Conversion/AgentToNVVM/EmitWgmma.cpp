//===- EmitWgmma.cpp - Products of Hopper's warp groups ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The four warps of a group multiply 64 rows together, and the sum is in their
// registers, as a fragment. The instructions run on while the threads go on: a
// product is issued, committed as a group, and waited for where
// `schedule-products` says.
//
//   fence                    what threads wrote to the sum and to A comes first
//   wgmma for each step of k
//   commit_group
//   ...                      nobody touches the sum, nor the registers of A
//   wait_group n             all but the newest n groups are done
//
// LLVM sees none of this. So what must not be torn apart is one piece of inline
// assembly, and sums go through the wait as operands and results: no use can be
// moved above it.
//
// A product that starts from zero in a loop adds to registers that are zero,
// which also gives the sum of no products.

#include "Emitter.h"
#include "MatrixDescriptors.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

/// Rows of one instruction.
static constexpr int64_t rowsOfGroup = target::wgmmaRows;

/// The name of the type of an operand in the instruction. There is code for no
/// others (drawloom/Target/Products.h).
static StringRef getTypeName(Type type) {
  if (type.isBF16())
    return "bf16";
  if (type.isF16())
    return "f16";
  if (type.isF32())
    return "tf32";
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  return "e5m2";
}

/// Writes inline assembly that changes `sums`, of f32, and returns what they
/// are then. In the text they are $0, $1, ...; the inputs come behind
/// them, or, unless the sums are `fresh` (not read), behind two times as many.
static SmallVector<Value> emitAssembly(ImplicitLocOpBuilder &b,
                                       const Twine &text, size_t count,
                                       ArrayRef<Value> sums,
                                       ArrayRef<Value> inputs) {
  std::string constraints;
  for (size_t i = 0; i < count; ++i)
    constraints += sums.empty() ? "=&f," : "=f,";
  for (size_t i = 0; i < sums.size(); ++i)
    constraints += std::to_string(i) + ",";
  for (Value input : inputs)
    constraints += input.getType().isF32() ? "f," : "r,";
  constraints += "~{memory}";
  SmallVector<Value> operands(sums);
  llvm::append_range(operands, inputs);
  Type result;
  if (count)
    result = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(count, b.getF32Type()));
  else
    result = LLVM::LLVMVoidType::get(b.getContext());
  auto assembly = LLVM::InlineAsmOp::create(
      b, result, operands, text.str(), constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      ArrayAttr());
  SmallVector<Value> changed;
  for (size_t i = 0; i < count; ++i)
    changed.push_back(LLVM::ExtractValueOp::create(b, assembly.getRes(), i));
  return changed;
}

static SmallVector<Value> getElements(ImplicitLocOpBuilder &b, Value vector) {
  return llvm::to_vector_of<Value>(
      vector::ToElementsOp::create(b, vector).getResults());
}

static Value getVector(ImplicitLocOpBuilder &b, ArrayRef<Value> elements) {
  return vector::FromElementsOp::create(
      b,
      VectorType::get(static_cast<int64_t>(elements.size()),
                      elements.front().getType()),
      elements);
}

/// Nobody reads scratch memory any more. Sums stay in flight.
void Emitter::waitForReads() {
  emitAssembly(b, "wgmma.wait_group.sync.aligned 0;", 0, {}, {});
}

void Emitter::await(agent::AwaitOp op) {
  SmallVector<Value> elements;
  for (Value sum : op.getSums())
    llvm::append_range(elements, getElements(b, tiles.lookup(sum).value));
  // If results were the operands' own registers, LLVM could copy a sum that is
  // still carried elsewhere in front of the wait. So they are copied behind it;
  // ptxas takes the copies out again.
  std::string text =
      llvm::formatv("wgmma.wait_group.sync.aligned {0};", op.getPending())
          .str();
  for (size_t i = 0; i < elements.size(); ++i)
    text +=
        llvm::formatv("\nmov.b32 ${0}, ${1};", i, elements.size() + i).str();
  SmallVector<Value> waited =
      emitAssembly(b, text, elements.size(), /*sums=*/{}, elements);
  ArrayRef<Value> rest = waited;
  for (auto [before, after] : llvm::zip_equal(op.getSums(), op.getTiles())) {
    auto type = cast<VectorType>(tiles.lookup(before).value.getType());
    tiles[after] = {Tile::Kind::Fragment,
                    getVector(b, rest.take_front(type.getNumElements()))};
    rest = rest.drop_front(type.getNumElements());
  }
}

/// The same number, of which LLVM knows nothing: otherwise it computes parts of
/// it anew in every iteration.
static Value hide(ImplicitLocOpBuilder &b, Value value) {
  return LLVM::InlineAsmOp::create(
             b, value.getType(), value, "mov.b32 $0, $1;", "=r,r",
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
             ArrayAttr())
      .getRes();
}

/// The low half of the matrix descriptor of the tile at `slot`: its address in
/// units of 16 bytes, and what of `bits`, which describe its panels, is in that
/// half. Each warp group starts `rows` bytes behind the one before it.
Value Emitter::getDescriptor(Value slot, uint64_t bits, int64_t rows) {
  // The address of a slot is the start of its pipe and the slot's distance from
  // there. What is the same for all slots is computed once, where the role
  // starts.
  auto address = slot.getDefiningOp<LLVM::GEPOp>();
  auto distance =
      address.getDynamicIndices().front().getDefiningOp<arith::MulIOp>();
  auto start = address.getBase().getDefiningOp<LLVM::GEPOp>();
  Value &first = descriptors[{start.getRawConstantIndices()[0], bits, rows}];
  if (!first) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(roleStart);
    Value pointer = LLVM::GEPOp::create(
        b, start.getType(), b.getI8Type(), kernel.shared,
        ArrayRef<LLVM::GEPArg>{start.getRawConstantIndices()[0]});
    Value units = arith::ShRUIOp::create(
        b, LLVM::PtrToIntOp::create(b, b.getI32Type(), pointer), constant(4));
    if (rows) {
      Value group = arith::ShRUIOp::create(b, roleWarp, constant(2));
      units = arith::AddIOp::create(
          b, units, arith::MulIOp::create(b, group, constant(rows / 16)));
    }
    first = hide(b, arith::AddIOp::create(
                        b, units, constant(static_cast<int32_t>(bits))));
    roleStart = first.getDefiningOp();
  }
  int64_t stride = *getConstantIntValue(distance.getRhs());
  Value moved =
      arith::MulIOp::create(b, distance.getLhs(), constant(stride / 16));
  return arith::AddIOp::create(b, first, moved);
}

/// The columns [first, first + columns) of a product. Adds to `sum`, elements
/// of a fragment of as many columns, or starts from zero: in the registers of
/// `sum`, or in new ones if there are none.
SmallVector<Value> Emitter::issueProduct(Value aValue, Value bValue,
                                         int64_t first, int64_t columns,
                                         ArrayRef<Value> sum, bool fromZero) {
  const Tile a = tiles.lookup(aValue), bTile = tiles.lookup(bValue);
  auto shape = cast<RankedTensorType>(aValue.getType());
  Type aType = shape.getElementType();
  Type bType = getElementTypeOrSelf(bValue.getType());
  int64_t aBits = plan::getElementBits(aType);
  int64_t k = bytesOfK * 8 / aBits;
  int64_t warpGroups = role.getWarps() / plan::warpsPerGroup;
  int64_t blocks = shape.getDimSize(0) / (rowsOfGroup * warpGroups);
  size_t perBlock = columns / 2;
  size_t count = blocks * perBlock;
  bool transposable = aType.isBF16() || aType.isF16();

  SmallVector<Value> inputs;
  std::string text = "{\n.reg .pred first, next;\n"
                     ".reg .b32 low, high;\n"
                     ".reg .b64 da, db;\n"
                     "setp.ne.b32 first, " +
                     std::to_string(fromZero ? 0 : 1) +
                     ", 0;\nsetp.ne.b32 next, 1, 0;\n";
  auto addInput = [&](Value value) {
    inputs.push_back(value);
    return "$" + std::to_string(count + sum.size() + inputs.size() - 1);
  };
  bool inRegisters = a.kind == Tile::Kind::Fragment;
  SharedOperand aOperand, bOperand = {*bTile.panels, bTile.transposed};
  std::string aBase;
  if (inRegisters) {
    // The words of A are copied here, behind the wait for the product that read
    // them before, and not where LLVM computes them.
    auto type = cast<VectorType>(a.value.getType());
    int64_t words = type.getNumElements() * aBits / 32;
    Value packed = vector::BitCastOp::create(
        b, VectorType::get(words, b.getI32Type()), a.value);
    text += ".reg .b32 a<" + std::to_string(words) + ">;\n";
    for (auto [index, word] : llvm::enumerate(getElements(b, packed)))
      text +=
          "mov.b32 a" + std::to_string(index) + ", " + addInput(word) + ";\n";
  } else {
    aOperand = {*a.panels, a.transposed};
    int64_t rows = warpGroups > 1 ? aOperand.getOffset(rowsOfGroup, 0) : 0;
    aBase = addInput(getDescriptor(a.value, aOperand.describeForWgmma(), rows));
  }
  std::string bBase =
      addInput(getDescriptor(bTile.value, bOperand.describeForWgmma(), 0));

  text += "wgmma.fence.sync.aligned;\n";
  std::string form =
      llvm::formatv("wgmma.mma_async.sync.aligned.m64n{0}k{1}.f32.{2}.{3} ",
                    columns, k, getTypeName(aType), getTypeName(bType));
  int64_t steps = shape.getDimSize(1) / k;
  // A step is some units of 16 bytes away from the first element of the tile,
  // which changes the low half of the descriptor only.
  auto describe = [&](StringRef name, const SharedOperand &operand,
                      StringRef base, int64_t row, int64_t step) {
    text += llvm::formatv("add.s32 low, {0}, {1};\nmov.b32 high, {2};\n"
                          "mov.b64 {3}, {{low, high};\n",
                          base, operand.getOffset(row, step * k) / 16,
                          operand.describeForWgmma() >> 32, name);
  };
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t block = 0; block < blocks; ++block) {
      std::string from = "da";
      if (inRegisters) {
        int64_t word = (block * steps + step) * 4;
        from = llvm::formatv("{{a{0}, a{1}, a{2}, a{3}}", word, word + 1,
                             word + 2, word + 3);
      } else {
        describe("da", aOperand, aBase, block * rowsOfGroup * warpGroups, step);
      }
      describe("db", bOperand, bBase, first, step);
      text += form + "{";
      for (size_t i = 0; i < perBlock; ++i)
        text += (i ? ", $" : "$") + std::to_string(block * perBlock + i);
      text +=
          "}, " + from + ", db, " + (step == 0 ? "first" : "next") + ", 1, 1";
      if (transposable && !inRegisters)
        text += aOperand.transposed ? ", 1" : ", 0";
      if (transposable)
        text += bOperand.transposed ? ", 1" : ", 0";
      text += ";\n";
    }
  text += "wgmma.commit_group.sync.aligned;\n}";
  return emitAssembly(b, text, count, sum, inputs);
}

/// A of 16 bits may stay in registers, unless it is B as well; what else
/// threads have is written to memory.
LogicalResult Emitter::writeOperands(Operation *product, Value a, Value b) {
  auto isShared = [&](Value operand) {
    return tiles.lookup(operand).kind == Tile::Kind::Shared;
  };
  const Tile tile = tiles.lookup(a);
  bool stays = tile.kind == Tile::Kind::Fragment && !tile.transposed &&
               a != b &&
               plan::getElementBits(getElementTypeOrSelf(a.getType())) == 16;
  if (!isShared(a) && !stays && failed(writeOperand(a, product)))
    return failure();
  return success(isShared(b) || succeeded(writeOperand(b, product)));
}

/// Sums of 8-bit products keep some 14 bits only (PTX does not say how many).
/// So each tile's product is a sum of its own, and threads add it to the total.
/// Where the registers do not hold both, it is made in parts of columns. A part
/// is waited for before the next one starts: ptxas takes turns with the
/// products of a part that threads read while others are in flight.
///
///   part 0    wgmma to p   commit   wait   total += p
///   part 1    wgmma to q   commit   wait   total += q     while p is added
///   part 2    wgmma to p   ...
///
/// The additions are inline assembly, because LLVM moves others behind the last
/// part, where all parts are alive. Two sets of registers, p and q, take turns:
/// ptxas still adds one part while the next is made, and left to itself it
/// takes a third set.
LogicalResult Emitter::emitPromoted(tile::MmaOp op) {
  // What is written is there for this product only.
  const Tile aBefore = tiles.lookup(op.getA());
  const Tile bBefore = tiles.lookup(op.getB());
  if (failed(writeOperands(op, op.getA(), op.getB())))
    return failure();
  SmallVector<Value> elements = getElements(b, getFragment(op.getAcc()));
  // Registers that a part may have beside a small total, and beside others.
  constexpr int64_t small = plan::mostPromotedRegisters;
  int64_t most = elements.size() <= small ? small : small / 2;
  int64_t blocks = elements.size() * 2 / op.getN();
  int64_t columns = op.getN();
  while (columns / 2 * blocks > most && columns % 16 == 0)
    columns /= 2;
  int64_t perBlock = op.getN() / 2, perPart = columns / 2;
  size_t count = perPart * blocks;
  std::string text = "wgmma.wait_group.sync.aligned 0;";
  for (size_t i = 0; i < count; ++i)
    text += llvm::formatv("\nadd.rn.f32 ${0}, ${0}, ${1};", i, 2 * count + i);
  std::array<SmallVector<Value>, 2> turns;
  for (int64_t first = 0; first < op.getN(); first += columns) {
    SmallVector<Value> &part = turns[first / columns % turns.size()];
    part = issueProduct(op.getA(), op.getB(), first, columns, part,
                        /*fromZero=*/true);
    SmallVector<Value *> changed;
    for (int64_t block = 0; block < blocks; ++block)
      for (int64_t i = 0; i < perPart; ++i)
        changed.push_back(&elements[block * perBlock + first / 2 + i]);
    SmallVector<Value> before = llvm::map_to_vector(
        changed, [](const Value *element) { return *element; });
    for (auto [element, after] :
         llvm::zip_equal(changed, emitAssembly(b, text, count, before, part)))
      *element = after;
  }
  tiles[op.getResult()] = {Tile::Kind::Fragment, getVector(b, elements)};
  tiles[op.getA()] = aBefore;
  tiles[op.getB()] = bBefore;
  return success();
}

LogicalResult Emitter::emitIssue(agent::IssueOp op) {
  const Tile aBefore = tiles.lookup(op.getA());
  const Tile bBefore = tiles.lookup(op.getB());
  if (failed(writeOperands(op, op.getA(), op.getB())))
    return failure();
  SmallVector<Value> elements;
  if (Value acc = op.getAcc())
    elements = getElements(b, getFragment(acc));
  SmallVector<Value> next = issueProduct(op.getA(), op.getB(), 0, op.getN(),
                                         elements, elements.empty());
  tiles[op.getSum()] = {Tile::Kind::Fragment, getVector(b, next)};
  tiles[op.getA()] = aBefore;
  tiles[op.getB()] = bBefore;
  return success();
}
