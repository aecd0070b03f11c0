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

static LogicalResult combine(Operation *op, Evaluator &eval) {
  auto along = mlir::cast<tile::AxisOpInterface>(op);
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  TensorRef source = eval.get(along.getSource());
  Combiner combine = getCombiner(along.getKind());
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    auto [first, count, stride] = along.getCombined(i);
    if (combine.floats) {
      double value = source->getFloat(first);
      for (int64_t j = 1; j < count; ++j)
        value = combine.floats(value, source->getFloat(first + j * stride));
      result->setFloat(i, value);
    } else {
      int64_t value = source->getInt(first);
      for (int64_t j = 1; j < count; ++j)
        value = combine.ints(value, source->getInt(first + j * stride));
      result->setInt(i, value);
    }
  }
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

static constexpr NamedRule alongRules[] = {
    {"tile.reduce", combine},
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
static double getProductError(llvm::ArrayRef<double> elements,
                              llvm::ArrayRef<double> offs, double u,
                              double smallest) {
  double exact = 1, moved = 1, growth = 1;
  for (auto [element, off] : llvm::zip_equal(elements, offs)) {
    exact *= std::abs(element);
    moved *= std::abs(element) + off;
    growth *= std::max(1.0, std::abs(element) + off);
  }
  double rounded = std::exp(double(elements.size()) * std::log1p(u));
  // What these products have lost themselves, in f64.
  double own = double(elements.size()) * 0x1p-51 * moved;
  return moved * rounded - exact + own +
         double(elements.size()) * smallest * growth * rounded;
}

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
  const FormatInfo &info = getInfo(result->getFormat());
  double smallest = std::ldexp(1.0, 1 - info.bias - int(info.mantissaBits));
  HostTensor deviation(Format::F64, result->getShape());
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    auto [first, count, stride] = along.getCombined(i);
    double moved = 0, magnitude = 0;
    llvm::SmallVector<double> elements, offs;
    for (int64_t j = 0; j < count; ++j) {
      int64_t at = first + j * stride;
      elements.push_back(source->getFloat(at));
      offs.push_back(off ? off->getFloat(at) : 0);
      moved = adds ? moved + offs.back() : std::max(moved, offs.back());
      magnitude += std::abs(elements.back()) + offs.back();
    }
    double total = moved;
    if (multiplies)
      total = getProductError(elements, offs, u, smallest);
    if (adds)
      total += getSumErrorFactor(count, u) * magnitude;
    if (adds || multiplies)
      total += 2 * u * std::abs(result->getFloat(i));
    deviation.setFloat(i, std::isnan(total) ? infinity : total * (1 + 0x1p-40));
  }
  eval.setDeviation(op->getResult(0), std::move(deviation));
  return llvm::success();
}

static constexpr NamedRule deviations[] = {
    {"tile.reduce", deviate},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getAlongDeviations() {
  return deviations;
}
