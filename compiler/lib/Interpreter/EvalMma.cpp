//===- EvalMma.cpp - Matrix products of tile ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every product of two operands of at most 24 bits, each with its block scale,
// is exact in double. The sum starts from the accumulator, runs over k upwards
// in double, and is rounded once to the accumulator's type. A machine adds in
// another order and rounds more often; ErrorBound.h says how far that may be.
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom::interp;
using namespace drawloom;
using llvm::LogicalResult;
using mlir::Operation;

/// The operand as doubles, as the tensor core reads it: in TF32 the low bits of
/// the mantissa are dropped, and each element is multiplied by its scale.
static llvm::FailureOr<std::vector<double>>
readOperand(tile::MmaOp mma, const HostTensor &operand, const HostTensor *scale,
            llvm::StringRef name) {
  std::vector<double> values = operand.toFloats();
  if (mma.getTf32())
    for (double &value : values)
      value = decode(Format::TF32, encode(Format::TF32, value,
                                          llvm::RoundingMode::TowardZero));
  if (!scale)
    return values;

  int64_t columns = operand.getShape()[1];
  int64_t blocks = scale->getShape()[1];
  for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i) {
    int64_t at = i / columns * blocks + i % columns * blocks / columns;
    double factor = scale->getFloat(at);
    if (factor < 0)
      return mma.emitError() << "the scale of " << name << " is " << factor
                             << formatPosition(scale->getShape(), at)
                             << "; scales are never negative";
    values[i] *= factor;
  }
  return values;
}

/// acc[m, n] += a[m, k] * b[n, k]. The innermost loop runs along n, so that
/// every sum keeps the order of k and the loop still uses vector instructions.
template <typename T, typename Accumulator>
static void multiplyAdd(std::vector<Accumulator> &acc, const std::vector<T> &a,
                        const std::vector<T> &b, int64_t m, int64_t n,
                        int64_t k) {
  std::vector<T> transposed(b.size());
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < k; ++i)
      transposed[i * n + j] = b[j * k + i];
  for (int64_t row = 0; row < m; ++row) {
    Accumulator *sums = acc.data() + row * n;
    for (int64_t i = 0; i < k; ++i) {
      T left = a[row * k + i];
      const T *right = transposed.data() + i * n;
      for (int64_t j = 0; j < n; ++j)
        sums[j] += static_cast<Accumulator>(left * right[j]);
    }
  }
}

static LogicalResult mma(Operation *op, Evaluator &eval) {
  auto mma = mlir::cast<tile::MmaOp>(op);
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  TensorRef a = eval.get(mma.getA()), b = eval.get(mma.getB());
  TensorRef acc = eval.get(mma.getAcc());

  if (!isFloat(result->getFormat())) {
    // Products of i8 fit int64_t, and the sum wraps, so unsigned.
    std::vector<int64_t> left = a->toInts(), right = b->toInts();
    std::vector<int64_t> start = acc->toInts();
    std::vector<uint64_t> sums(start.begin(), start.end());
    multiplyAdd(sums, left, right, mma.getM(), mma.getN(), mma.getK());
    for (int64_t i = 0; i < result->getNumElements(); ++i)
      result->setInt(i, static_cast<int64_t>(sums[i]));
  } else {
    TensorRef aScale, bScale;
    if (mma.getAScale()) {
      aScale = eval.get(mma.getAScale());
      bScale = eval.get(mma.getBScale());
    }
    auto left = readOperand(mma, *a, aScale.get(), "a");
    auto right = readOperand(mma, *b, bScale.get(), "b");
    if (failed(left) || failed(right))
      return llvm::failure();
    if (mma.getNegated())
      for (double &value : *left)
        value = -value;
    std::vector<double> sums = acc->toFloats();
    multiplyAdd(sums, *left, *right, mma.getM(), mma.getN(), mma.getK());
    for (int64_t i = 0; i < result->getNumElements(); ++i)
      result->setFloat(i, sums[i]);
  }
  eval.set(mma.getResult(), std::move(*result));
  return llvm::success();
}

static constexpr NamedRule mmaRules[] = {{"tile.mma", mma}};

llvm::ArrayRef<NamedRule> drawloom::interp::getMmaRules() { return mmaRules; }
