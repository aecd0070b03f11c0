//===- DeviateSums.cpp - Rounding through products ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of numbers in any order, each addition rounded: ErrorBound.h has the
// factor g. The numbers themselves may be off, too.
//
//===----------------------------------------------------------------------===//

#include "AlignedSums.h"
#include "Deviate.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Interpreter/ErrorBound.h"
#include "drawloom/Interpreter/Interpreter.h"

using namespace drawloom::interp;
using namespace drawloom;
using llvm::LogicalResult;
using mlir::Operation;

/// sums[m, n] += a[m, k] * b[n, k], of numbers that are not negative. The
/// innermost loop runs along n, for the sake of vector instructions.
static void addProducts(std::vector<double> &sums, const std::vector<double> &a,
                        const std::vector<double> &b, int64_t m, int64_t n,
                        int64_t k) {
  std::vector<double> transposed(b.size());
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < k; ++i)
      transposed[i * n + j] = b[j * k + i];
  for (int64_t row = 0; row < m; ++row)
    for (int64_t i = 0; i < k; ++i) {
      double left = a[row * k + i];
      if (left == 0)
        continue;
      double *to = sums.data() + row * n;
      const double *right = transposed.data() + i * n;
      for (int64_t j = 0; j < n; ++j)
        to[j] += left * right[j];
    }
}

static ProductOperand readOperand(tile::MmaOp mma, mlir::Value operand,
                                  mlir::Value scale, Evaluator &eval) {
  TensorRef tensor = eval.get(operand);
  ProductOperand result;
  result.format = tensor->getFormat();
  result.values = tensor->toFloats();
  if (TensorRef off = eval.getDeviation(operand)) {
    result.offs = off->toFloats();
    // Low bits that are dropped may make one more unit of difference.
    if (mma.getTf32())
      for (auto [value, moved] : llvm::zip(result.values, result.offs))
        moved += moved == 0 ? 0 : 0x1p-10 * (std::abs(value) + moved);
  }
  if (!scale)
    return result;
  TensorRef scales = eval.get(scale);
  int64_t columns = tensor->getShape()[1], blocks = scales->getShape()[1];
  for (size_t i = 0; i < result.values.size(); ++i) {
    double factor =
        scales->getFloat(i / columns * blocks + i % columns * blocks / columns);
    result.values[i] *= factor;
    if (!result.offs.empty())
      result.offs[i] *= factor;
  }
  return result;
}

static std::vector<double> getMagnitudes(const ProductOperand &operand) {
  std::vector<double> result = operand.values;
  for (double &value : result)
    value = std::abs(value);
  return result;
}

static LogicalResult matrixProduct(Operation *op, Evaluator &eval) {
  auto mma = mlir::cast<tile::MmaOp>(op);
  TensorRef result = eval.get(mma.getResult()), acc = eval.get(mma.getAcc());
  if (!isFloat(result->getFormat()))
    return llvm::success();
  for (mlir::Value scale : {mma.getAScale(), mma.getBScale()})
    if (scale && eval.getDeviation(scale))
      return op->emitError(
          "there is no rule for scales that are computed [interpreter]");
  int64_t m = mma.getM(), n = mma.getN(), k = mma.getK();
  ProductOperand a = readOperand(mma, mma.getA(), mma.getAScale(), eval);
  ProductOperand b = readOperand(mma, mma.getB(), mma.getBScale(), eval);
  std::vector<double> left = getMagnitudes(a), right = getMagnitudes(b);
  std::vector<double> products(m * n, 0.0), spread(m * n, 0.0);
  addProducts(products, left, right, m, n, k);
  if (!a.offs.empty())
    addProducts(spread, a.offs, right, m, n, k);
  if (!b.offs.empty())
    addProducts(spread, left, b.offs, m, n, k);
  if (!a.offs.empty() && !b.offs.empty())
    addProducts(spread, a.offs, b.offs, m, n, k);

  const Arithmetic &arithmetic = *eval.getOptions().arithmetic;
  bool isAligned = arithmetic.alignedBits != 0 && getInfo(a.format).bits == 8 &&
                   getInfo(b.format).bits == 8;
  std::vector<double> cut(m * n, 0.0);
  if (isAligned)
    cut = boundAlignedSums(a, b, spread, m, n, k, arithmetic.alignedBits);
  double factor =
      isAligned ? 0 : getSumErrorFactor(k + 1, arithmetic.sumRoundoff);
  double u = getUnitRoundoff(result->getFormat());
  TensorRef accOff = eval.getDeviation(mma.getAcc());
  HostTensor deviation(Format::F64, result->getShape());
  for (int64_t i = 0; i < m * n; ++i) {
    double off = accOff ? accOff->getFloat(i) : 0;
    double start = std::abs(acc->getFloat(i)) + off;
    double terms = products[i] + spread[i];
    double total =
        spread[i] + off + cut[i] + factor * terms + factor * (start + terms);
    // The rounding of the interpreter's result, and of the addition in f32 that
    // brings an accumulator of its own to the program's.
    total += 2 * u * (std::abs(result->getFloat(i)) + total);
    deviation.setFloat(i, std::isnan(total) ? infinity : total * (1 + 0x1p-40));
  }
  eval.setDeviation(mma.getResult(), std::move(deviation));
  return llvm::success();
}

static constexpr NamedRule rules[] = {
    {"tile.mma", matrixProduct},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getSumDeviations() { return rules; }
