//===- AlignedSums.cpp - Sums that keep few bits --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AlignedSums.h"
#include "drawloom/Interpreter/ErrorBound.h"
#include <cmath>

using namespace drawloom::interp;

/// Elements of k that one wgmma on 8-bit types takes.
static constexpr int64_t instructionDepth = 32;

/// The power of two of the number's exponent; 0 for 0.
static double getPower(double magnitude) {
  return magnitude == 0 || !std::isfinite(magnitude)
             ? magnitude
             : std::ldexp(1.0, std::ilogb(magnitude));
}

namespace {

/// The values of an operand and their powers of two. That of a subnormal number
/// is the smallest normal one.
struct Terms {
  explicit Terms(const ProductOperand &operand) : values(operand.values) {
    const FormatInfo &info = getInfo(operand.format);
    double smallest = std::ldexp(1.0, (info.hasZero ? 1 : 0) - info.bias);
    for (size_t i = 0; i < values.size(); ++i) {
      double most = std::abs(values[i]);
      if (!operand.offs.empty())
        most += operand.offs[i];
      powers.push_back(most == 0 ? 0 : std::max(getPower(most), smallest));
    }
  }

  /// From rows of k elements to k rows.
  void transpose(int64_t rows, int64_t k) {
    for (std::vector<double> *from : {&values, &powers}) {
      std::vector<double> to(from->size());
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t i = 0; i < k; ++i)
          to[i * rows + row] = (*from)[row * k + i];
      *from = std::move(to);
    }
  }

  std::vector<double> values, powers;
};

/// What is known about the accumulators of a row of the result.
struct Row {
  explicit Row(int64_t n) : sums(n, 0.0), offs(n, 0.0) {}

  std::vector<double> sums; ///< Exact.
  std::vector<double> offs; ///< How far the hardware's may be from it.
};

} // namespace

/// One instruction. `left` has one number for each k, `right` a row of n. The
/// loops along n are innermost, for the sake of vector instructions.
static void addInstruction(Row &row, const double *left,
                           const double *leftPowers, const double *right,
                           const double *rightPowers, const double *spread,
                           int64_t depth, int64_t n, bool isExact,
                           unsigned bits) {
  std::vector<double> added(n, 0.0), magnitudes(n, 0.0), largest(n, 0.0);
  for (int64_t i = 0; i < depth; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double p = left[i] * right[i * n + j];
      added[j] += p;
      magnitudes[j] += std::abs(p);
      largest[j] = std::max(largest[j], leftPowers[i] * rightPowers[i * n + j]);
    }

  std::vector<double> grids(n), inverses(n), lost(n, 0.0);
  for (int64_t j = 0; j < n; ++j) {
    double off = row.offs[j] + spread[j];
    double most = std::abs(row.sums[j]) + off;
    double least = std::abs(row.sums[j]) - off;
    double power = std::max(largest[j], getPower(most));
    grids[j] = std::ldexp(power, -static_cast<int>(bits));
    inverses[j] = grids[j] == 0 ? 0 : 1 / grids[j];
    bool isLargest = least > 0 && getPower(least) == power;
    lost[j] = isLargest ? 0 : std::min(grids[j], most);
  }
  if (isExact) {
    for (int64_t i = 0; i < depth; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double p = std::abs(left[i] * right[i * n + j]);
        double units = p * inverses[j];
        // Below 2^(bits + 2); what is no number stays none.
        int32_t whole = units < 0x1p30 ? static_cast<int32_t>(units) : 0;
        lost[j] += p - whole * grids[j];
      }
  } else {
    for (int64_t j = 0; j < n; ++j)
      lost[j] += static_cast<double>(depth) * grids[j];
  }

  double factor = getSumErrorFactor(instructionDepth, 0x1p-24);
  for (int64_t j = 0; j < n; ++j) {
    row.sums[j] += added[j];
    row.offs[j] += lost[j] + factor * (magnitudes[j] + spread[j]);
    double most = std::abs(row.sums[j]) + row.offs[j] + spread[j];
    row.offs[j] += std::ldexp(getPower(most), -static_cast<int>(bits));
  }
}

std::vector<double>
drawloom::interp::boundAlignedSums(const ProductOperand &a,
                                   const ProductOperand &b,
                                   const std::vector<double> &spread, int64_t m,
                                   int64_t n, int64_t k, unsigned bits) {
  Terms left(a), right(b);
  right.transpose(n, k);
  bool isExact = a.offs.empty() && b.offs.empty();
  std::vector<double> result;
  for (int64_t i = 0; i < m; ++i) {
    Row row(n);
    for (int64_t first = 0; first < k; first += instructionDepth)
      addInstruction(row, left.values.data() + i * k + first,
                     left.powers.data() + i * k + first,
                     right.values.data() + first * n,
                     right.powers.data() + first * n, spread.data() + i * n,
                     std::min(instructionDepth, k - first), n, isExact, bits);
    result.insert(result.end(), row.offs.begin(), row.offs.end());
  }
  return result;
}
