//===- Numbers.cpp - Functions of numbers that rules share ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"
#include "llvm/ADT/bit.h"

using namespace drawloom::interp;

double drawloom::interp::fusedMultiplyAddToOdd(double a, double b, double c) {
  double product = a * b;
  double sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  // The error of the sum, exactly (Knuth's two-sum).
  double partOfC = sum - product;
  double error = (product - (sum - partOfC)) + (c - partOfC);
  uint64_t bits = llvm::bit_cast<uint64_t>(sum);
  if (error == 0 || (bits & 1))
    return sum;
  // The exact value lies between `sum` and its odd neighbor on this side.
  bool away = (error > 0) == (sum > 0);
  return llvm::bit_cast<double>(away ? bits + 1 : bits - 1);
}

double drawloom::interp::toDoubleToOdd(uint64_t magnitude) {
  int excess = 64 - llvm::countl_zero(magnitude) - 53;
  if (excess <= 0)
    return static_cast<double>(magnitude);
  uint64_t kept = magnitude >> excess;
  kept |= (kept << excess) != magnitude;
  return std::ldexp(static_cast<double>(kept), excess);
}
