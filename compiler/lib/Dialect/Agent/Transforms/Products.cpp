//===- Products.cpp - Matrix products: legal forms, accumulators ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrepareItem.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// Legal forms
//===----------------------------------------------------------------------===//

/// What the target calls an element type; nothing if no product knows it.
static std::optional<target::ElementType> getElementType(Type type, bool tf32,
                                                         bool isScale) {
  using target::ElementType;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF32())
    return tf32 ? ElementType::TF32 : ElementType::F32;
  if (isa<Float8E4M3FNType>(type))
    return isScale ? ElementType::UE4M3 : ElementType::E4M3;
  if (isa<Float8E5M2Type>(type))
    return ElementType::E5M2;
  if (isa<Float6E3M2FNType>(type))
    return ElementType::E3M2;
  if (isa<Float6E2M3FNType>(type))
    return ElementType::E2M3;
  if (isa<Float4E2M1FNType>(type))
    return ElementType::E2M1;
  if (isa<Float8E8M0FNUType>(type))
    return ElementType::UE8M0;
  if (type.isInteger(8))
    return ElementType::S8;
  if (type.isInteger(32))
    return ElementType::S32;
  return std::nullopt;
}

static bool hasTypes(const target::MmaForm &form, tile::MmaOp op) {
  auto isIn = [&](ArrayRef<target::ElementType> set, Value tile, bool isScale) {
    Type type = cast<RankedTensorType>(tile.getType()).getElementType();
    bool isOperand = tile == op.getA() || tile == op.getB();
    std::optional<target::ElementType> known =
        getElementType(type, op.getTf32() && isOperand, isScale);
    return known && llvm::is_contained(set, *known);
  };
  bool sameType = op.getA().getType().getElementType() ==
                  op.getB().getType().getElementType();
  if (!isIn(form.operands, op.getA(), false) ||
      !isIn(form.operands, op.getB(), false) ||
      !(sameType || form.mixedOperands))
    return false;
  Type sum = cast<RankedTensorType>(op.getType()).getElementType();
  std::optional<target::ElementType> sumType =
      getElementType(sum, /*tf32=*/false, /*isScale=*/false);
  if (!sumType || !llvm::is_contained(form.accumulators, *sumType))
    return false;
  if (!op.getAScale())
    return form.scales.empty();
  return isIn(form.scales, op.getAScale(), true) &&
         isIn(form.scales, op.getBScale(), true);
}

/// Whether a product of the tile's shape is made of whole instructions.
static bool divides(const target::MmaForm &form, tile::MmaOp op) {
  bool rows =
      llvm::any_of(form.m, [&](unsigned m) { return op.getM() % m == 0; });
  bool columns = false;
  for (unsigned n = 8; n <= 256; n += 8)
    columns |= form.allows(form.m.front(), n, form.k) && op.getN() % n == 0;
  return rows && columns && op.getK() % form.k == 0;
}

static std::string describeTypes(tile::MmaOp op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << op.getA().getType().getElementType() << " x "
         << op.getB().getType().getElementType() << " -> "
         << cast<RankedTensorType>(op.getType()).getElementType();
  if (op.getAScale())
    stream << " with scales of "
           << cast<RankedTensorType>(op.getAScale().getType()).getElementType();
  return text;
}

static MaybeRefusal checkProduct(tile::MmaOp op,
                                 const target::Architecture &arch) {
  SmallVector<const target::MmaForm *> forms;
  SmallVector<StringRef> kinds;
  for (const target::MmaForm *form : arch.mmaForms()) {
    if (form->ctaGroup != 1)
      continue;
    if (hasTypes(*form, op))
      forms.push_back(form);
    if (!llvm::is_contained(kinds, form->kind))
      kinds.push_back(form->kind);
  }
  if (forms.empty())
    return Refusal{op.getLoc(),
                   llvm::formatv("{0} has no product {1}; it has the kinds {2}",
                                 arch.name, describeTypes(op),
                                 llvm::join(kinds, ", "))
                       .str(),
                   {},
                   /*hasFallback=*/false};
  if (llvm::any_of(forms, [&](auto *form) { return divides(*form, op); }))
    return std::nullopt;
  const target::MmaForm &form = *forms.front();
  unsigned n = 8;
  while (n < 256 && !form.allows(form.m.front(), n, form.k))
    n += 8;
  auto rest = [](int64_t size, unsigned step) {
    return size % step == 0
               ? llvm::formatv("{0} = {1} x {2}", size, size / step, step).str()
               : llvm::formatv("{0} = {1} x {2} + {3}", size, size / step, step,
                               size % step)
                     .str();
  };
  return Refusal{
      op.getLoc(),
      llvm::formatv(
          "a product of {0} x {1} x {2} is not made of whole instructions of "
          "{3} ({4}): rows {5}, columns {6}, k {7}; choose a tile whose rows "
          "are a multiple of {8}, columns of {9} and k of {10}",
          op.getM(), op.getN(), op.getK(), arch.name, describeTypes(op),
          rest(op.getM(), form.m.front()), rest(op.getN(), n),
          rest(op.getK(), form.k), form.m.front(), n, form.k)
          .str(),
      {},
      /*hasFallback=*/false};
}

MaybeRefusal drawloom::agent::checkProducts(Item &item,
                                            const target::Architecture &arch) {
  MaybeRefusal refusal;
  item.body->walk([&](tile::MmaOp op) {
    if (!refusal)
      refusal = checkProduct(op, arch);
  });
  return refusal;
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

static bool isZero(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat());
}

bool drawloom::agent::isProduct(Value value, const Accumulators &accumulators) {
  auto result = dyn_cast<OpResult>(value);
  return result &&
         (isa<tile::MmaOp>(result.getOwner()) ||
          accumulators.contains({result.getOwner(), result.getResultNumber()}));
}

bool drawloom::agent::isAccumulator(Value value,
                                    const Accumulators &accumulators) {
  if (isZero(value))
    return true;
  if (!value.hasOneUse())
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber() > 0 &&
           accumulators.contains({argument.getOwner()->getParentOp(),
                                  argument.getArgNumber() - 1});
  return isProduct(value, accumulators);
}

/// Whether the only use of `value` continues the sum: a product's accumulator,
/// or the first value of a loop.
static bool continues(Value value) {
  if (!value.hasOneUse())
    return false;
  OpOperand &use = *value.use_begin();
  if (auto product = dyn_cast<tile::MmaOp>(use.getOwner()))
    return &use == &product.getAccMutable();
  auto loop = dyn_cast<scf::ForOp>(use.getOwner());
  return loop && use.getOperandNumber() >= loop.getNumControlOperands();
}

/// Removes what is none until nothing changes; `starts` says which first values
/// are accepted.
static Accumulators
findAccumulators(Item &item,
                 function_ref<bool(Value, const Accumulators &)> starts) {
  Accumulators set;
  SmallVector<scf::ForOp> loops;
  item.body->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      if (continues(argument) && isTile(argument.getType()))
        set.insert({loop, i});
  for (bool changed = true; changed;) {
    changed = false;
    for (scf::ForOp loop : loops)
      for (unsigned i = 0; i < loop.getInitArgs().size(); ++i) {
        Value yielded = loop.getYieldedValues()[i];
        if (!set.contains({loop, i}) ||
            (isProduct(yielded, set) && yielded.hasOneUse() &&
             starts(loop.getInitArgs()[i], set)))
          continue;
        set.erase({loop, i});
        changed = true;
      }
  }
  return set;
}

Accumulators drawloom::agent::findAccumulators(Item &item) {
  return ::findAccumulators(item, isAccumulator);
}

static Value addTiles(OpBuilder &builder, Location loc, Value a, Value b) {
  if (isa<FloatType>(cast<RankedTensorType>(a.getType()).getElementType()))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

static Value makeZero(Item &item, Type type) {
  OpBuilder builder = OpBuilder::atBlockBegin(&item.kernel.getBody().front());
  return arith::ConstantOp::create(builder, item.kernel.getLoc(),
                                   builder.getZeroAttr(type));
}

void drawloom::agent::makeAccumulatorsWhole(
    Item &item, function_ref<void(Operation *, const Reason &)> remark) {
  // A sum that starts with something else: add that after the loop.
  Accumulators whatever = ::findAccumulators(
      item, [](Value, const Accumulators &) { return true; });
  Accumulators already = findAccumulators(item);
  SmallVector<scf::ForOp> loops;
  item.body->walk<WalkOrder::PreOrder>(
      [&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    for (unsigned i = 0; i < loop.getInitArgs().size(); ++i) {
      OpOperand &init = loop.getInitArgsMutable()[i];
      if (!whatever.contains({loop, i}) || already.contains({loop, i}) ||
          isAccumulator(init.get(), whatever))
        continue;
      OpBuilder builder(loop->getContext());
      builder.setInsertionPointAfter(loop);
      Value first = init.get();
      init.set(makeZero(item, first.getType()));
      Value sum = addTiles(builder, loop.getLoc(), loop.getResult(i), first);
      loop.getResult(i).replaceAllUsesExcept(sum, sum.getDefiningOp());
      remark(loop, fire(Rule::StartsAtZero));
    }
  // What is left is no sum of products alone.
  Accumulators sums = findAccumulators(item);
  SmallVector<tile::MmaOp> products;
  item.body->walk([&](tile::MmaOp op) { products.push_back(op); });
  for (tile::MmaOp op : products) {
    Value old = op.getAcc();
    if (isAccumulator(old, sums))
      continue;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    op.getAccMutable().assign(makeZero(item, old.getType()));
    Value sum = addTiles(builder, op.getLoc(), op.getResult(), old);
    op.getResult().replaceAllUsesExcept(sum, sum.getDefiningOp());
    remark(op, fire(Rule::FromZero));
  }
}
