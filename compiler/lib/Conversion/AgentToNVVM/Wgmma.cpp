//===- Wgmma.cpp - MMAs of Hopper's warp groups ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The four warps of a group multiply 64 rows together, and the accumulator is
// in their registers, as a fragment. The instructions run on while the threads
// go on: an MMA is issued, committed as a group, and waited for where
// `schedule-wgmma` says.
//
//   fence                    what threads wrote to registers comes first
//   wgmma for each step of k
//   commit_group
//   ...                      no access to the accumulator or A's registers
//   wait_group n             all but the newest n groups are done
//
// LLVM sees none of this. So what must not be torn apart is one piece of inline
// assembly, and accumulators go through the wait as operands and results: no
// use can be moved above it.
//
// An MMA that starts from zero in a loop adds to registers that are zero,
// which also gives the accumulator of no MMAs.

#include "MatrixDescriptors.h"
#include "Patterns.h"
#include "drawloom/Analysis/Slots/Footprint.h"
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
/// others (drawloom/Target/MmaCode.h).
static StringRef getTypeName(Type type) {
  if (type.isBF16())
    return "bf16";
  if (type.isF16())
    return "f16";
  if (type.isF32())
    return "tf32";
  if (type.isInteger(8))
    return "s8";
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  return "e5m2";
}

/// Writes inline assembly that changes accumulators of these types, f32 or i32,
/// and returns what they are then. In the text they are $0, $1, ...; the inputs
/// come after them, or, unless the accumulators are `fresh` (not read), after
/// two times as many.
static SmallVector<Value> emitAssembly(ImplicitLocOpBuilder &b,
                                       const Twine &text, ArrayRef<Type> types,
                                       ArrayRef<Value> accumulators,
                                       ArrayRef<Value> inputs) {
  std::string constraints;
  size_t count = types.size();
  for (Type type : types) {
    constraints += accumulators.empty() ? "=&" : "=";
    constraints += type.isF32() ? "f," : "r,";
  }
  for (size_t i = 0; i < accumulators.size(); ++i)
    constraints += std::to_string(i) + ",";
  for (Value input : inputs)
    constraints += input.getType().isF32() ? "f," : "r,";
  constraints += "~{memory}";
  SmallVector<Value> operands(accumulators);
  llvm::append_range(operands, inputs);
  Type result;
  if (count)
    result = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
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

//===----------------------------------------------------------------------===//
// MMAs
//===----------------------------------------------------------------------===//

static Values await(agent::AwaitOp op, agent::AwaitOp::Adaptor operands,
                    CodeWriter &w) {
  SmallVector<Value> elements;
  for (Value accumulator : operands.getAccumulators())
    llvm::append_range(elements, getElements(w.b, accumulator));
  // If results were the operands' own registers, LLVM could copy an accumulator
  // that is still carried elsewhere in front of the wait. So they are copied
  // after it; ptxas takes the copies out again.
  std::string text =
      llvm::formatv("wgmma.wait_group.sync.aligned {0};", op.getPending())
          .str();
  for (size_t i = 0; i < elements.size(); ++i)
    text +=
        llvm::formatv("\nmov.b32 ${0}, ${1};", i, elements.size() + i).str();
  SmallVector<Value> waited =
      emitAssembly(w.b, text, llvm::to_vector(TypeRange(elements)),
                   /*accumulators=*/{}, elements);
  ArrayRef<Value> rest = waited;
  Values tiles;
  for (Value accumulator : operands.getAccumulators()) {
    int64_t count = cast<VectorType>(accumulator.getType()).getNumElements();
    tiles.push_back(getVector(w.b, rest.take_front(count)));
    rest = rest.drop_front(count);
  }
  return tiles;
}

namespace {
/// The operands of an MMA, as they are in the program and in the code.
struct Mma {
  Operation *op;
  /// A buffer, or a tile in registers, and a buffer.
  Value a, b;
  /// What A has become: the registers, if it is in registers.
  Value fragment;
  /// Subtracted, not added.
  bool negated;
};

/// The inline assembly of the columns [first, first + columns) of an MMA, with
/// an accumulator of elements of `type`.
class MmaAssembly {
public:
  MmaAssembly(const Mma &mma, int64_t first, int64_t columns, Type type,
              CodeWriter &w);

  /// Adds to `accumulator`, elements of a fragment of as many columns, or
  /// starts from zero: in the registers of `accumulator`, or in new ones if
  /// there are none.
  SmallVector<Value> issue(ArrayRef<Value> accumulator, bool fromZero);

private:
  std::string addInput(Value value);
  void copyFragment();
  void addDescriptor(StringRef name, const SharedOperand &operand,
                     StringRef base, int64_t row, int64_t step);
  void addInstruction(int64_t step, int64_t block);

  const Mma &mma;
  int64_t first, columns;
  Type type, aType, bType;
  CodeWriter &w;
  /// Elements along k of an instruction, and the rows of one instruction of
  /// each warp group.
  int64_t k, rows;
  /// Instructions along k and along m.
  int64_t steps, blocks;
  bool inRegisters;
  SharedOperand aOperand, bOperand;
  /// The low halves of the descriptors.
  std::string aBase, bBase;

  std::string text;
  SmallVector<Value> inputs;
  /// The number of the first input in the text.
  size_t firstInput = 0;
};
} // namespace

MmaAssembly::MmaAssembly(const Mma &mma, int64_t first, int64_t columns,
                         Type type, CodeWriter &w)
    : mma(mma), first(first), columns(columns), type(type),
      aType(getElementTypeOrSelf(mma.a.getType())),
      bType(getElementTypeOrSelf(mma.b.getType())), w(w),
      k(bytesOfK * 8 / plan::getElementBits(aType)),
      rows(rowsOfGroup * (w.role.getWarps() / target::warpsPerGroup)),
      inRegisters(!isa<tile::BufferType>(mma.a.getType())),
      bOperand(getOperand(mma.b.getType())) {
  auto shape = cast<ShapedType>(mma.a.getType());
  steps = shape.getDimSize(1) / k;
  blocks = shape.getDimSize(0) / rows;
}

/// The name of a value in the text.
std::string MmaAssembly::addInput(Value value) {
  inputs.push_back(value);
  return "$" + std::to_string(firstInput + inputs.size() - 1);
}

/// The words of A are copied here, after the wait for the MMA that read them
/// before, and not where LLVM computes them.
void MmaAssembly::copyFragment() {
  auto fragment = cast<VectorType>(mma.fragment.getType());
  int64_t words = fragment.getNumElements() * plan::getElementBits(aType) / 32;
  Value packed = vector::BitCastOp::create(
      w.b, VectorType::get(words, w.b.getI32Type()), mma.fragment);
  text += ".reg .b32 a<" + std::to_string(words) + ">;\n";
  for (auto [index, word] : llvm::enumerate(getElements(w.b, packed)))
    text += "mov.b32 a" + std::to_string(index) + ", " + addInput(word) + ";\n";
}

/// A step is some units of 16 bytes away from the first element of the tile,
/// which changes the low half of the descriptor only.
void MmaAssembly::addDescriptor(StringRef name, const SharedOperand &operand,
                                StringRef base, int64_t row, int64_t step) {
  text += llvm::formatv("add.s32 low, {0}, {1};\nmov.b32 high, {2};\n"
                        "mov.b64 {3}, {{low, high};\n",
                        base, operand.getOffset(row, step * k) / 16,
                        operand.describeForWgmma() >> 32, name);
}

void MmaAssembly::addInstruction(int64_t step, int64_t block) {
  std::string from = "da";
  if (inRegisters) {
    int64_t word = (block * steps + step) * 4;
    from = llvm::formatv("{{a{0}, a{1}, a{2}, a{3}}", word, word + 1, word + 2,
                         word + 3);
  } else {
    addDescriptor("da", aOperand, aBase, block * rows, step);
  }
  addDescriptor("db", bOperand, bBase, first, step);
  text += llvm::formatv(
      "wgmma.mma_async.sync.aligned.m64n{0}k{1}.{2}.{3}.{4} {{", columns, k,
      type.isF32() ? "f32" : "s32", getTypeName(aType), getTypeName(bType));
  int64_t perBlock = columns / 2;
  for (int64_t i = 0; i < perBlock; ++i)
    text += (i ? ", $" : "$") + std::to_string(block * perBlock + i);
  text += "}, " + from + ", db, " + (step == 0 ? "first" : "next");
  // Integers can't be negated.
  if (type.isF32())
    text += mma.negated ? ", -1, 1" : ", 1, 1";
  bool transposable = aType.isBF16() || aType.isF16();
  if (transposable && !inRegisters)
    text += aOperand.transposed ? ", 1" : ", 0";
  if (transposable)
    text += bOperand.transposed ? ", 1" : ", 0";
  text += ";\n";
}

SmallVector<Value> MmaAssembly::issue(ArrayRef<Value> accumulator,
                                      bool fromZero) {
  size_t count = blocks * (columns / 2);
  firstInput = count + accumulator.size();
  text = "{\n.reg .pred first, next;\n"
         ".reg .b32 low, high;\n"
         ".reg .b64 da, db;\n"
         "setp.ne.b32 first, " +
         std::to_string(fromZero ? 0 : 1) + ", 0;\nsetp.ne.b32 next, 1, 0;\n";
  if (inRegisters) {
    copyFragment();
  } else {
    aOperand = getOperand(mma.a.getType());
    aBase = addInput(getLowDescriptor(mma.op, 0, w));
  }
  bBase = addInput(getLowDescriptor(mma.op, 1, w));
  text += "wgmma.fence.sync.aligned;\n";
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t block = 0; block < blocks; ++block)
      addInstruction(step, block);
  text += "wgmma.commit_group.sync.aligned;\n}";
  return emitAssembly(w.b, text, SmallVector<Type>(count, type), accumulator,
                      inputs);
}

static Values issue(agent::IssueOp op, agent::IssueOp::Adaptor operands,
                    CodeWriter &w) {
  SmallVector<Value> elements;
  if (Value acc = operands.getAcc())
    elements = getElements(w.b, acc);
  Mma mma{op, op.getA(), op.getB(), operands.getA(), op.getNegated()};
  MmaAssembly assembly(mma, 0, op.getN(),
                       op.getType().getTile().getElementType(), w);
  return {getVector(w.b, assembly.issue(elements, elements.empty()))};
}

/// Threads add each part to the total. A part is waited for before the next one
/// starts: ptxas takes turns with the MMAs of a part that threads read
/// while others are in flight.
///
///   part 0    wgmma to p   commit   wait   total += p
///   part 1    wgmma to q   commit   wait   total += q     while p is added
///   part 2    wgmma to p   ...
///
/// The additions are inline assembly, because LLVM moves others after the last
/// part, where all parts are alive. Two sets of registers, p and q, take turns:
/// ptxas still adds one part while the next is made, and left to itself it
/// takes a third set.
static Values addMma(agent::AddMmaOp op, agent::AddMmaOp::Adaptor operands,
                     CodeWriter &w) {
  SmallVector<Value> elements = getElements(w.b, operands.getAcc());
  int64_t blocks = elements.size() * 2 / op.getN();
  int64_t columns = op.getColumns();
  int64_t perBlock = op.getN() / 2, perPart = columns / 2;
  size_t count = perPart * blocks;
  std::string text = "wgmma.wait_group.sync.aligned 0;";
  for (size_t i = 0; i < count; ++i)
    text += llvm::formatv("\nadd.rn.f32 ${0}, ${0}, ${1};", i, 2 * count + i);
  Mma mma{op, op.getA(), op.getB(), operands.getA(), op.getNegated()};
  std::array<SmallVector<Value>, 2> turns;
  SmallVector<Type> types(count, w.b.getF32Type());
  for (int64_t first = 0; first < op.getN(); first += columns) {
    SmallVector<Value> &part = turns[first / columns % turns.size()];
    part = MmaAssembly(mma, first, columns, w.b.getF32Type(), w)
               .issue(part, /*fromZero=*/true);
    SmallVector<Value *> changed;
    for (int64_t block = 0; block < blocks; ++block)
      for (int64_t i = 0; i < perPart; ++i)
        changed.push_back(&elements[block * perBlock + first / 2 + i]);
    SmallVector<Value> before = llvm::map_to_vector(
        changed, [](const Value *element) { return *element; });
    for (auto [element, after] :
         llvm::zip_equal(changed, emitAssembly(w.b, text, types, before, part)))
      *element = after;
  }
  return {getVector(w.b, elements)};
}

void codegen::addWgmma(PatternList &list) {
  list.add<agent::IssueOp>(issue);
  list.add<agent::AddMmaOp>(addMma);
  list.add<agent::AwaitOp>(await);
  // No instruction: it only marks that no operation may read it yet.
  list.add<agent::AsInFlightOp>(
      [](agent::AsInFlightOp, agent::AsInFlightOp::Adaptor operands,
         CodeWriter &) -> Values { return {operands.getTile()}; });
}
