//===- Alu.h - Instructions against a reference -----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of instructions, each with a function that says what it computes:
//
//   checkAlu("h100", cross(edges32(), edges32()), {
//     {"add.s32 %d, %a, %b", "r:rr", [](Operands o) { return o.a + o.b; }},
//   });
//
// Every instruction runs for every tuple of values, in one kernel, and bits are
// compared. It runs a second time under a guard that only some lanes have: the
// others must keep what was there. The shape names the registers: h, r and d
// have 16, 32 and 64 bits, b has 8, p is a predicate, - is an operand that the
// instruction doesn't have.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_ALU_H
#define DRAWLOOM_EMULATOR_ALU_H

#include "Harness.h"
#include <bit>
#include <functional>
#include <string>
#include <vector>

/// The bits of up to four source operands.
struct Operands {
  uint64_t a = 0, b = 0, c = 0, e = 0;
};

struct AluRow {
  std::string text;
  std::string shape;
  std::function<uint64_t(Operands)> expect;
};

void checkAlu(llvm::StringRef device, const std::vector<Operands> &values,
              const std::vector<AluRow> &rows);

/// Runs one instruction and gives its results: for errors that are bounded
/// rather than bits.
std::vector<uint64_t> runAlu(llvm::StringRef device,
                             const std::vector<Operands> &values,
                             const std::string &text, const std::string &shape);

using Bits = std::vector<uint64_t>;

/// All pairs, or all triples.
std::vector<Operands> cross(const Bits &a, const Bits &b = {0},
                            const Bits &c = {0}, const Bits &e = {0});
/// `count` tuples of random bits, the same ones every time.
std::vector<Operands> randomOperands(size_t count, uint64_t seed = 1);
std::vector<Operands> operator+(std::vector<Operands> a,
                                const std::vector<Operands> &b);

/// Values where something happens: 0, 1, the largest and smallest ones.
Bits integerEdges(unsigned bits);
/// Zeros, subnormal numbers, the smallest and largest normal ones, infinities,
/// NaNs, and some numbers between.
Bits floatEdges();
Bits doubleEdges();
Bits halfEdges();
Bits bfloatEdges();
/// Two values of `bits` in one.
Bits packed(const Bits &edges, unsigned bits);

inline float asFloat(uint64_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits));
}
inline double asDouble(uint64_t bits) { return std::bit_cast<double>(bits); }
inline uint64_t toBits(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t toBits(double value) { return std::bit_cast<uint64_t>(value); }

/// Applies a function to the halves of packed operands.
template <typename F>
uint64_t halves(Operands o, unsigned bits, F f) {
  uint64_t mask = (uint64_t(1) << bits) - 1;
  uint64_t low = f(Operands{o.a & mask, o.b & mask, o.c & mask});
  uint64_t high = f(Operands{o.a >> bits, o.b >> bits, o.c >> bits});
  return (low & mask) | high << bits;
}

#endif // DRAWLOOM_EMULATOR_ALU_H
