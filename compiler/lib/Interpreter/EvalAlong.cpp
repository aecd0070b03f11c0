//===- EvalAlong.cpp - Operations along an axis of a tile -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are combined upwards, floats in double, and the result is rounded
// once. A kernel may combine them in any order and round each time:
// ErrorBound.h has the factor g of a sum. The elements themselves may be off,
// too.
//
//===----------------------------------------------------------------------===//

#include "Deviate.h"
#include "Evaluator.h"
#include "Numbers.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Interpreter/ErrorBound.h"

using namespace drawloom::interp;
using namespace drawloom;
using llvm::LogicalResult;
using mlir::Operation;

using S = int64_t;
using U = uint64_t;

/// How to combine two elements: one of the two functions.
namespace {
struct Combiner {
  double (*floats)(double, double) = nullptr;
  /// Of sign-extended numbers.
  S (*ints)(S, S) = nullptr;
};
} // namespace

static Combiner getCombiner(tile::Reduction kind) {
  // Sign extension keeps the order of unsigned numbers of one width.
  switch (kind) {
  case tile::Reduction::AddF:
    return {[](double a, double b) { return a + b; }};
  case tile::Reduction::MulF:
    return {[](double a, double b) { return a * b; }};
  case tile::Reduction::MaximumF:
    return {maximum};
  case tile::Reduction::MinimumF:
    return {minimum};
  case tile::Reduction::MaxNumF:
    return {maxNum};
  case tile::Reduction::MinNumF:
    return {minNum};
  case tile::Reduction::AddI:
    return {nullptr, [](S a, S b) { return S(U(a) + U(b)); }};
  case tile::Reduction::MulI:
    return {nullptr, [](S a, S b) { return S(U(a) * U(b)); }};
  case tile::Reduction::MaxSI:
    return {nullptr, [](S a, S b) { return a > b ? a : b; }};
  case tile::Reduction::MinSI:
    return {nullptr, [](S a, S b) { return a < b ? a : b; }};
  case tile::Reduction::MaxUI:
    return {nullptr, [](S a, S b) { return U(a) > U(b) ? a : b; }};
  case tile::Reduction::MinUI:
    return {nullptr, [](S a, S b) { return U(a) < U(b) ? a : b; }};
  case tile::Reduction::AndI:
    return {nullptr, [](S a, S b) { return a & b; }};
  case tile::Reduction::OrI:
    return {nullptr, [](S a, S b) { return a | b; }};
  case tile::Reduction::XOrI:
    return {nullptr, [](S a, S b) { return a ^ b; }};
  }
  llvm_unreachable("every kind of reduction is listed");
}

/// Whether an element is made of what the one before it along the axis is made
/// of, and one more: then that one is where to begin.
static bool continues(tile::AxisOpInterface op, int64_t number,
                      const tile::ElementRange &range) {
  if (range.count == 1)
    return false;
  tile::ElementRange before = op.getCombined(number - range.stride);
  return before.first == range.first && before.count + 1 == range.count;
}

template <typename T, typename Get, typename Combine>
static std::vector<T> combineAll(tile::AxisOpInterface op, int64_t count,
                                 Get get, Combine combine) {
  std::vector<T> values(count);
  for (int64_t i = 0; i < count; ++i) {
    tile::ElementRange range = op.getCombined(i);
    auto getElement = [&](int64_t j) {
      return get(range.first + j * range.stride);
    };
    if (continues(op, i, range)) {
      values[i] =
          combine(values[i - range.stride], getElement(range.count - 1));
      continue;
    }
    values[i] = getElement(0);
    for (int64_t j = 1; j < range.count; ++j)
      values[i] = combine(values[i], getElement(j));
  }
  return values;
}

static LogicalResult combine(Operation *op, Evaluator &eval) {
  auto along = mlir::cast<tile::AxisOpInterface>(op);
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  TensorRef source = eval.get(along.getSource());
  Combiner combiner = getCombiner(along.getKind());
  int64_t count = result->getNumElements();
  if (combiner.floats) {
    auto get = [&](int64_t i) { return source->getFloat(i); };
    for (auto [i, value] : llvm::enumerate(
             combineAll<double>(along, count, get, combiner.floats)))
      result->setFloat(i, value);
  } else {
    auto get = [&](int64_t i) { return source->getInt(i); };
    for (auto [i, value] :
         llvm::enumerate(combineAll<int64_t>(along, count, get, combiner.ints)))
      result->setInt(i, value);
  }
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

static constexpr NamedRule alongRules[] = {
    {"tile.reduce", combine},
    {"tile.scan", combine},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getAlongRules() {
  return alongRules;
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// How far a product of many elements, taken in any order, is from the exact
/// one of the reference's elements: each multiplication rounds by a factor of
/// 1 + u, or, where its result is subnormal, by half of the smallest number,
/// which the factors after it enlarge.
static double getProductError(const HostTensor &source, const TensorRef &off,
                              const tile::ElementRange &range, double u) {
  const FormatInfo &info = getInfo(source.getFormat());
  double smallest = std::ldexp(1.0, 1 - info.bias - int(info.mantissaBits));
  double exact = 1, moved = 1, growth = 1, count = double(range.count);
  for (int64_t j = 0; j < range.count; ++j) {
    int64_t at = range.first + j * range.stride;
    double element = std::abs(source.getFloat(at));
    double largest = element + (off ? off->getFloat(at) : 0);
    exact *= element;
    moved *= largest;
    growth *= std::max(1.0, largest);
  }
  double rounded = std::exp(count * std::log1p(u));
  // What these products have lost themselves, in f64.
  double own = count * 0x1p-51 * moved;
  return moved * rounded - exact + own + count * smallest * growth * rounded;
}

namespace {
/// What elements come to: how far they are off together, and how large they
/// are.
struct Spread {
  double moved, magnitude;
};
} // namespace

static LogicalResult deviate(Operation *op, Evaluator &eval) {
  auto along = mlir::cast<tile::AxisOpInterface>(op);
  TensorRef source = eval.get(along.getSource());
  TensorRef off = eval.getDeviation(along.getSource());
  bool adds = along.getKind() == tile::Reduction::AddF;
  bool multiplies = along.getKind() == tile::Reduction::MulF;
  if (!isFloat(source->getFormat())) {
    if (off)
      return op->emitError("there is no rule for combining integers that are "
                           "computed from floats [interpreter]");
    return llvm::success();
  }
  if (!adds && !multiplies && !off)
    return llvm::success();
  TensorRef result = eval.get(op->getResult(0));
  double u = getUnitRoundoff(result->getFormat());
  auto getOff = [&](int64_t i) { return off ? off->getFloat(i) : 0; };
  auto getSpread = [&](int64_t i) -> Spread {
    return {getOff(i), std::abs(source->getFloat(i)) + getOff(i)};
  };
  auto join = [&](Spread a, Spread b) -> Spread {
    return {adds ? a.moved + b.moved : std::max(a.moved, b.moved),
            a.magnitude + b.magnitude};
  };
  std::vector<Spread> spreads =
      combineAll<Spread>(along, result->getNumElements(), getSpread, join);
  HostTensor deviation(Format::F64, result->getShape());
  for (auto [i, spread] : llvm::enumerate(spreads)) {
    double total = spread.moved;
    tile::ElementRange range = along.getCombined(i);
    if (multiplies)
      total = getProductError(*source, off, range, u);
    if (adds)
      total += getSumErrorFactor(range.count, u) * spread.magnitude;
    if (adds || multiplies)
      total += 2 * u * std::abs(result->getFloat(i));
    deviation.setFloat(i, std::isnan(total) ? infinity : total * (1 + 0x1p-40));
  }
  eval.setDeviation(op->getResult(0), std::move(deviation));
  return llvm::success();
}

static constexpr NamedRule deviations[] = {
    {"tile.reduce", deviate},
    {"tile.scan", deviate},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getAlongDeviations() {
  return deviations;
}
