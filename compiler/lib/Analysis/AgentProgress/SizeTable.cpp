//===- SizeTable.cpp - Trip counts in terms of what is known at launch ----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeTable.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

std::string agent::textOf(Location location) {
  std::string text;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    text = (llvm::sys::path::filename(file.getFilename()) + ":" +
            Twine(file.getLine()) + ":" + Twine(file.getColumn()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

std::string SizeTable::keyOf(AffineExpr expr) {
  std::string key;
  llvm::raw_string_ostream(key) << expr;
  return key;
}

bool SizeTable::isNonNegative(AffineExpr expr) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()].nonNegative;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  // Divisors are positive, so the remainder is not negative.
  return expr.getKind() == AffineExprKind::Mod ||
         (isNonNegative(binary.getLHS()) && isNonNegative(binary.getRHS()));
}

std::string SizeTable::wordsOf(AffineExpr expr) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return result.symbols[symbol.getPosition()].words;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  AffineExpr right = binary.getRHS();
  auto side = [&](AffineExpr operand) {
    std::string words = wordsOf(operand);
    return operand.getKind() == AffineExprKind::Add ? "(" + words + ")" : words;
  };
  std::string left = side(binary.getLHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add: {
    // A sum with a negative part is a difference.
    std::string sum = wordsOf(binary.getLHS());
    auto constant = dyn_cast<AffineConstantExpr>(right);
    if (constant && constant.getValue() < 0)
      return sum + " - " + std::to_string(-constant.getValue());
    auto product = dyn_cast<AffineBinaryOpExpr>(right);
    if (product && product.getKind() == AffineExprKind::Mul &&
        product.getRHS() == getAffineConstantExpr(-1, context))
      return sum + " - " + side(product.getLHS());
    return sum + " + " + wordsOf(right);
  }
  case AffineExprKind::Mul:
    return side(right) + " * " + left;
  case AffineExprKind::Mod:
    return left + " mod " + side(right);
  case AffineExprKind::FloorDiv:
    return "floor(" + left + " / " + side(right) + ")";
  default:
    return "ceil(" + left + " / " + side(right) + ")";
  }
}

AffineExpr SizeTable::addSymbol(Symbol symbol, SizeSymbol shown) {
  auto [entry, isNew] = symbolByKey.try_emplace(symbol.key, symbols.size());
  if (isNew) {
    symbols.push_back(std::move(symbol));
    result.symbols.push_back(std::move(shown));
  }
  return getAffineSymbolExpr(entry->second, context);
}

/// Where a value is made, for a reason.
static std::string placeOf(Location location) {
  std::string text = textOf(location);
  return text.empty() ? "" : " at " + text;
}

std::optional<AffineExpr> SizeTable::argumentOf(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (isa<tile::KernelOp>(parent))
    return addSymbol({"argument " + std::to_string(number)},
                     {tile::getArgumentName(argument), number});
  auto items = dyn_cast<ForEachItemOp>(parent);
  if (!items || !items.getStream()) {
    if (isa<scf::ForOp>(parent))
      reason = "the iteration of the loop" + placeOf(parent->getLoc());
    else
      reason = "a value of '" + parent->getName().getStringRef().str() + "'" +
               placeOf(parent->getLoc());
    return std::nullopt;
  }
  Value stream = items.getStream();
  // An item value that comes from outside the stream is the same for all.
  if (auto source = stream.getDefiningOp<ItemsOp>()) {
    Value yielded =
        source.getBody().front().getTerminator()->getOperand(number);
    if (yielded.getParentRegion() != &source.getBody())
      return expressionOf(yielded);
  }
  std::string name = "value " + std::to_string(number) + " of the work tile";
  if (auto named = dyn_cast<NameLoc>(argument.getLoc()))
    name = named.getName().str() + " of the work tile";
  return addSymbol({"item " + std::to_string(streamOf(stream)) + " value " +
                        std::to_string(number),
                    stream},
                   {name});
}

/// Arithmetic that is affine.
std::optional<AffineExpr> SizeTable::arithmeticOf(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1)
    return std::nullopt;
  auto operand = [&](unsigned i) { return expressionOf(op->getOperand(i)); };
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    std::optional<AffineExpr> value = operand(0);
    bool same = value && (isa<arith::IndexCastOp>(op) || isNonNegative(*value));
    return same ? value : std::nullopt;
  }
  if (op->getNumOperands() != 2 ||
      !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::CeilDivUIOp,
           arith::CeilDivSIOp, arith::FloorDivSIOp, arith::DivUIOp,
           arith::DivSIOp, arith::RemUIOp, arith::RemSIOp>(op))
    return std::nullopt;
  std::optional<AffineExpr> left = operand(0), right = operand(1);
  if (!left || !right)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *left + *right;
  if (isa<arith::SubIOp>(op))
    return *left - *right;
  if (isa<arith::MulIOp>(op))
    return isa<AffineConstantExpr>(*left) || isa<AffineConstantExpr>(*right)
               ? std::optional(*left * *right)
               : std::nullopt;
  auto divisor = dyn_cast<AffineConstantExpr>(*right);
  if (!divisor || divisor.getValue() <= 0)
    return std::nullopt;
  if (isa<arith::CeilDivSIOp>(op))
    return left->ceilDiv(*right);
  if (isa<arith::FloorDivSIOp>(op))
    return left->floorDiv(*right);
  // The others agree with these where nothing is negative.
  if (!isNonNegative(*left))
    return std::nullopt;
  if (isa<arith::CeilDivUIOp>(op))
    return left->ceilDiv(*right);
  if (isa<arith::DivUIOp, arith::DivSIOp>(op))
    return left->floorDiv(*right);
  return *left % *right;
}

/// The view that a box was cut from.
static Value getWhole(Value view) {
  while (auto box = view.getDefiningOp<tile::SubviewOp>())
    view = box.getView();
  return view;
}

/// Whether a load reads something that the kernel does not write.
static bool readsConstantMemory(tile::LoadOp load) {
  auto kernel = load->getParentOfType<tile::KernelOp>();
  Value whole = getWhole(load.getView());
  bool written = false;
  kernel.walk([&](tile::StoreOp store) {
    written |= getWhole(store.getView()) == whole;
  });
  return !written;
}

/// Any other operation without side effects: a symbol of its own, which is the
/// same wherever the same operation has the same operands.
std::optional<AffineExpr> SizeTable::symbolOf(OpResult value) {
  Operation *op = value.getOwner();
  bool inRole = op->getParentOfType<RoleOp>() != nullptr;
  auto load = dyn_cast<tile::LoadOp>(op);
  bool repeatable = op->getNumRegions() == 0 &&
                    (isPure(op) || (load && readsConstantMemory(load)));
  Symbol symbol;
  SizeSymbol shown;
  std::string name = op->getName().stripDialect().str();
  if (repeatable) {
    llvm::raw_string_ostream key(symbol.key);
    key << op->getName() << op->getAttrDictionary() << "#"
        << value.getResultNumber();
    std::string words;
    for (Value operand : op->getOperands()) {
      // A view: who it is, not what is in it.
      if (!operand.getType().isIntOrIndex() &&
          !operand.getDefiningOp<tile::SubviewOp>()) {
        key << " " << operand.getAsOpaquePointer();
        continue;
      }
      std::optional<AffineExpr> expr = expressionOf(operand);
      if (!expr)
        return std::nullopt;
      expr->walk([&](AffineExpr part) {
        auto used = dyn_cast<AffineSymbolExpr>(part);
        if (used && symbols[used.getPosition()].stream)
          symbol.stream = symbols[used.getPosition()].stream;
      });
      key << " " << *expr;
      words += (words.empty() ? "" : ", ") + wordsOf(*expr);
    }
    shown.words = name + "(" + words + ")";
    auto argument = load ? dyn_cast<BlockArgument>(load.getView()) : nullptr;
    if (argument && isa<tile::KernelOp>(argument.getOwner()->getParentOp()))
      shown.words = tile::getArgumentName(argument) + "[" + words + "]";
  } else if (!inRole) {
    // The same value for all roles, whatever it is.
    llvm::raw_string_ostream(symbol.key)
        << op << "#" << value.getResultNumber();
    shown.words = "the '" + op->getName().getStringRef().str() + "'" +
                  placeOf(op->getLoc());
  } else {
    reason = "the '" + op->getName().getStringRef().str() + "'" +
             placeOf(op->getLoc()) +
             ", which need not be the same in every role";
    return std::nullopt;
  }
  return addSymbol(std::move(symbol), std::move(shown));
}

/// The size of a view in one dimension; of a box, what it was cut with.
std::optional<AffineExpr> SizeTable::dimensionOf(Value view, int64_t index) {
  int64_t size = cast<tile::ViewType>(view.getType()).getDimSize(index);
  if (!ShapedType::isDynamic(size))
    return getAffineConstantExpr(size, context);
  if (auto box = view.getDefiningOp<tile::SubviewOp>())
    if (auto given = dyn_cast<Value>(box.getMixedSizes()[index]))
      return expressionOf(given);
  std::string words = "dim " + std::to_string(index) + " of ";
  Symbol symbol{.nonNegative = true};
  llvm::raw_string_ostream(symbol.key) << words << view.getAsOpaquePointer();
  auto argument = dyn_cast<BlockArgument>(view);
  if (!argument || !isa<tile::KernelOp>(argument.getOwner()->getParentOp()))
    return addSymbol(std::move(symbol), {words + "a view"});
  return addSymbol(std::move(symbol), {words + tile::getArgumentName(argument),
                                       argument.getArgNumber(), index});
}

std::optional<AffineExpr> SizeTable::expressionOf(Value value) {
  auto known = expressions.find(value);
  if (known == expressions.end()) {
    std::optional<AffineExpr> expr = makeExpression(value);
    known = expressions.try_emplace(value, std::pair(expr, reason)).first;
  }
  reason = known->second.second;
  return known->second.first;
}

std::optional<AffineExpr> SizeTable::makeExpression(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argumentOf(argument);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    if (std::optional<int64_t> number = constant.trySExtValue())
      return getAffineConstantExpr(*number, context);
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<tile::DimOp>(op))
    return dimensionOf(dim.getView(), dim.getIndex());
  if (std::optional<AffineExpr> expr = arithmeticOf(op))
    return expr;
  return symbolOf(cast<OpResult>(value));
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

progress::SizeId SizeTable::streamOf(Value items) {
  for (auto [stream, size] : streams)
    if (stream == items)
      return size;
  // Two streams are distinguished by where they are.
  std::string name = "work tiles";
  if (!streams.empty())
    name += " of the stream" + placeOf(items.getLoc());
  progress::SizeId size = result.network.addSize({.name = name});
  result.sources.push_back({});
  streams.push_back({items, size});
  return size;
}

std::optional<progress::SizeId> SizeTable::sizeOf(AffineExpr trips,
                                                  std::string &problem) {
  auto known = sizeByKey.find(keyOf(trips));
  if (known != sizeByKey.end())
    return known->second;
  Value stream;
  bool mixed = false;
  trips.walk([&](AffineExpr part) {
    auto symbol = dyn_cast<AffineSymbolExpr>(part);
    if (!symbol || !symbols[symbol.getPosition()].stream)
      return;
    mixed |= stream && stream != symbols[symbol.getPosition()].stream;
    stream = symbols[symbol.getPosition()].stream;
  });
  if (mixed) {
    problem = "a trip count that depends on the items of two streams";
    return std::nullopt;
  }
  progress::Size size{.name = wordsOf(trips)};
  if (stream)
    size.perItemOf = streamOf(stream);
  progress::SizeId id = result.network.addSize(std::move(size));
  result.sources.push_back({trips});
  sizeByKey[keyOf(trips)] = id;
  return id;
}

std::optional<progress::Count> SizeTable::countTrips(scf::ForOp loop,
                                                     std::string &problem) {
  auto lower = expressionOf(loop.getLowerBound());
  // A loop that ends a known distance from where it begins, or earlier.
  Value end = loop.getUpperBound();
  std::optional<int64_t> most;
  if (Operation *least = end.getDefiningOp();
      lower && isa_and_nonnull<arith::MinSIOp>(least)) {
    auto bound = expressionOf(least->getOperand(1));
    if (auto reach = dyn_cast_if_present<AffineConstantExpr>(
            bound ? *bound - *lower : AffineExpr())) {
      most = reach.getValue();
      end = least->getOperand(0);
    }
  }
  auto upper = lower ? expressionOf(end) : std::nullopt;
  auto step = upper ? expressionOf(loop.getStep()) : std::nullopt;
  if (!step) {
    problem = "a trip count that depends on " + reason;
    return std::nullopt;
  }
  auto constant = dyn_cast<AffineConstantExpr>(*step);
  if (!constant || constant.getValue() <= 0) {
    problem =
        "a loop whose step, " + wordsOf(*step) + ", is not a positive constant";
    return std::nullopt;
  }
  int64_t by = constant.getValue();
  AffineExpr length = *upper - *lower;
  // Whole steps are taken out of the length: ceil((n - 128) / 128) is one less
  // than ceil(n / 128).
  int64_t offset = 0;
  if (auto whole = dyn_cast<AffineConstantExpr>(length))
    return progress::Count::constant(std::max<int64_t>(
        0,
        llvm::divideCeilSigned(
            std::min(whole.getValue(), most.value_or(whole.getValue())), by)));
  auto sum = dyn_cast<AffineBinaryOpExpr>(length);
  if (sum && sum.getKind() == AffineExprKind::Add)
    if (auto last = dyn_cast<AffineConstantExpr>(sum.getRHS())) {
      int64_t steps = llvm::divideFloorSigned(last.getValue(), by);
      // A size is never below zero; what is added to it must not hide that.
      if (steps <= 0 || isNonNegative(sum.getLHS())) {
        offset = steps;
        length = sum.getLHS() + (last.getValue() - steps * by);
      }
    }
  std::optional<progress::SizeId> size =
      sizeOf(length.ceilDiv(constant), problem);
  if (!size)
    return std::nullopt;
  progress::Count count = progress::Count::of(*size, offset);
  if (most)
    count.most = std::max<int64_t>(0, llvm::divideCeilSigned(*most, by));
  return count;
}
