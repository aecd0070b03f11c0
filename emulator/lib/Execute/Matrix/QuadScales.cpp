//===- QuadScales.cpp - Block scales in the registers of a warp ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute/Matrix/QuadScales.h"
#include "Execute/Matrix/WarpWide.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Slot;
using ptx::Type;

static unsigned factorsPerRow(Decoder &decoder) {
  switch (decoder.get(Slot::ScaleVector)) {
  case Modifier::ScaleVec1X:
    return 1;
  case Modifier::ScaleVec2X:
    return 2;
  case Modifier::ScaleVec4X:
    return 4;
  default:
    return decoder.get(Slot::Kind) == Modifier::KindMXF4 ? 2 : 1;
  }
}

QuadScales drawloom::emu::decodeQuadScales(Decoder &decoder, unsigned first) {
  QuadScales scales;
  if (!decoder.has(Modifier::BlockScale))
    return scales;
  auto side = [&](unsigned index) {
    llvm::SmallVector<Reg, 8> selectors = decoder.sources(index + 1, Type::B16);
    return QuadScales::Side{decoder.sources(index, Type::B32)[0], selectors[0],
                            selectors[1]};
  };
  scales.perRow = factorsPerRow(decoder);
  scales.type = decoder.type(Slot::SType) == Type::UE4M3 ? ScaleType::UE4M3
                                                         : ScaleType::UE8M0;
  scales.a = side(first);
  scales.b = side(first + 2);
  return scales;
}

namespace {
/// The selectors of one side, checked.
struct Selectors {
  uint32_t byteId = 0, threadId = 0;

  /// `threads` is how many choices of lanes there are.
  bool read(Warp &warp, const Inst *inst, const QuadScales::Side &side,
            char name, unsigned perRow, unsigned threads, const Inst *&next);
};
} // namespace

bool Selectors::read(Warp &warp, const Inst *inst, const QuadScales::Side &side,
                     char name, unsigned perRow, unsigned threads,
                     const Inst *&next) {
  std::string byteName = std::string("byte-id-") + name,
              threadName = std::string("thread-id-") + name;
  if (!uniformValue(warp, inst, side.byteId, 0, byteName, byteId, next) ||
      !uniformValue(warp, inst, side.threadId, 0, threadName, threadId, next))
    return false;
  std::string problem;
  if (byteId % perRow || byteId >= 4)
    problem = llvm::formatv("{0} is {1}; with scale_vec::{2}X it may be {3}",
                            byteName, byteId, perRow,
                            perRow == 1   ? "0, 1, 2 or 3"
                            : perRow == 2 ? "0 or 2"
                                          : "0");
  else if (threadId >= threads)
    problem = llvm::formatv("{0} is {1}; it must be below {2}", threadName,
                            threadId, threads);
  if (problem.empty())
    return true;
  next = warp.fail(inst, allLanes, ReportKind::IllegalInstruction, problem);
  return false;
}

bool drawloom::emu::readQuadScales(Warp &warp, const Inst *inst,
                                   const QuadScales &scales,
                                   QuadFactors &factors, const Inst *&next) {
  Selectors a, b;
  if (!a.read(warp, inst, scales.a, 'a', scales.perRow, 2, next) ||
      !b.read(warp, inst, scales.b, 'b', scales.perRow, 4, next))
    return false;
  const auto *wordsA = warp.lanes<uint32_t>(scales.a.data);
  const auto *wordsB = warp.lanes<uint32_t>(scales.b.data);
  for (unsigned g = 0; g != 8; ++g)
    for (unsigned i = 0; i != scales.perRow; ++i) {
      auto factor = [&](uint32_t word, const Selectors &selectors) {
        return scaleValue(scales.type, word >> 8 * (selectors.byteId + i));
      };
      unsigned lane = 4 * g + 2 * a.threadId;
      factors.a[g][i] = factor(wordsA[lane], a);
      factors.a[g + 8][i] = factor(wordsA[lane + 1], a);
      factors.b[g][i] = factor(wordsB[4 * g + b.threadId], b);
    }
  return true;
}
