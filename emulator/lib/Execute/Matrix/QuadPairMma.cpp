//===- QuadPairMma.cpp - mma.sync.m8n8k4 of f16 --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.14.5.1. A warp computes four products of 8x4 and 4x8,
// one in each pair of quads: lanes 4p to 4p + 3 have the lower half of the rows
// of A and the columns of B, and lanes 16 + 4p to 19 + 4p the upper one. With t
// the lane's number in its quad and h = 4 in the upper one,
//
//              row-major              column-major
//   A          row t + h, column i    row i + h, column t
//   B          row t, column i + h    row i, column t + h
//   C, D f16   row t + h, column i
//   C, D f32   row (t & 1) + (i & 2) + h, column (i & 4) + (t & 2) + (i & 1)

#include "Decode/Decoder.h"
#include "Execute/Matrix/WarpMma.h"
#include "Execute/Matrix/WarpWide.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

namespace {
struct QuadPairInfo {
  llvm::ArrayRef<Reg> d, a, b, c;
  bool aRows = false, bRows = false; ///< Row-major.
  Type sum = Type::F32, addend = Type::F32;
};
constexpr unsigned m = 8, n = 8, k = 4;
} // namespace

/// Calls f(row, column, place) for the elements of C or D of one lane.
template <typename F>
static void forEachSum(Warp &warp, llvm::ArrayRef<Reg> registers, Type type,
                       unsigned lane, F f) {
  const unsigned t = lane % 4, h = lane / 16 * 4;
  for (unsigned i = 0; i != n; ++i) {
    if (type == Type::F16)
      f(t + h, i, warp.lanes<char>(registers[i / 2]) + 4 * lane + 2 * (i % 2));
    else
      f((t & 1) + (i & 2) + h, (i & 4) + (t & 2) + (i & 1),
        warp.lanes<char>(registers[i]) + 4 * lane);
  }
}

static const Inst *mma(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  if (!wholeWarp(warp, inst, mask, next))
    return next;
  const auto &info = inst->as<QuadPairInfo>();
  auto element = [&](llvm::ArrayRef<Reg> registers, unsigned lane, unsigned i) {
    return readSum(Type::F16,
                   warp.lanes<char>(registers[i / 2]) + 4 * lane + 2 * (i % 2));
  };
  for (unsigned pair = 0; pair != 4; ++pair) {
    double a[m][k], b[n][k], sums[m][n];
    auto forLanes = [&](auto f) {
      for (unsigned quad : {4 * pair, 16 + 4 * pair})
        for (unsigned lane = quad; lane != quad + 4; ++lane)
          f(lane);
    };
    forLanes([&](unsigned lane) {
      const unsigned t = lane % 4, h = lane / 16 * 4;
      for (unsigned i = 0; i != k; ++i) {
        (info.aRows ? a[t + h][i] : a[i + h][t]) = element(info.a, lane, i);
        (info.bRows ? b[i + h][t] : b[t + h][i]) = element(info.b, lane, i);
      }
      forEachSum(warp, info.c, info.addend, lane,
                 [&](unsigned row, unsigned column, const char *at) {
                   sums[row][column] = readSum(info.addend, at);
                 });
    });
    for (unsigned row = 0; row != m; ++row)
      for (unsigned column = 0; column != n; ++column)
        for (unsigned i = 0; i != k; ++i)
          sums[row][column] += a[row][i] * b[column][i];
    forLanes([&](unsigned lane) {
      forEachSum(warp, info.d, info.sum, lane,
                 [&](unsigned row, unsigned column, char *at) {
                   writeSum(info.sum, false, at, sums[row][column]);
                 });
    });
  }
  return next;
}

/// {d}, {a}, {b}, {c}
static bool decodeMma(Decoder &decoder, Inst &inst) {
  if (decoder.get(Slot::Shape) != Modifier::M8N8K4 ||
      decoder.type(Slot::AType) != Type::F16)
    return false;
  QuadPairInfo info;
  info.aRows = decoder.get(Slot::ALayout) == Modifier::Row;
  info.bRows = decoder.get(Slot::BLayout) == Modifier::Row;
  info.sum = decoder.type(Slot::DType);
  info.addend = decoder.type(Slot::CType);
  info.d = decoder.keepList<Reg>(decoder.dests(0));
  info.a = decoder.keepList<Reg>(decoder.sources(1, Type::B32));
  info.b = decoder.keepList<Reg>(decoder.sources(2, Type::B32));
  info.c = decoder.keepList<Reg>(decoder.sources(3, Type::B32));
  inst.fn = mma;
  inst.extra = decoder.keep(info);
  return true;
}

void drawloom::emu::registerQuadPairMma(DecodeTable &table) {
  table.add(Opcode::Mma, decodeMma);
}
