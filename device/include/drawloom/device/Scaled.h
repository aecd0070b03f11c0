//===- Scaled.h - Elements with a scale for each block of them -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A format is an element type: Tile<nvfp4, 128, 256>. Then a pipe of operands
// carries their scales, too, and the role that multiplies moves them to tensor
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_SCALED_H
#define DRAWLOOM_DEVICE_SCALED_H

#include "drawloom/device/Mma.h"
#include "drawloom/device/Work.h"
#include <cuda_fp4.h>

namespace drawloom::device {

using mxfp8 = BlockScaled<__nv_fp8_e4m3, 8, __nv_fp8_e8m0, 32>;
using mxfp4 = BlockScaled<__nv_fp4x2_e2m1, 4, __nv_fp8_e8m0, 32>;
using nvfp4 = BlockScaled<__nv_fp4x2_e2m1, 4, __nv_fp8_e4m3, 16>;

/// The code of a scale's type: 0 for e4m3, 1 for e8m0.
template <MmaKind kind, uint32_t code, uint32_t scaleCode_>
struct ScaledMmaElement : KnownMmaElement<kind, code> {
  static constexpr uint32_t scaleCode = scaleCode_;
};
template <>
struct MmaElement<mxfp8> : ScaledMmaElement<MmaKind::MXF8F6F4, 0, 1> {};
template <>
struct MmaElement<mxfp4> : ScaledMmaElement<MmaKind::MXF4, 1, 1> {};
template <>
struct MmaElement<nvfp4> : ScaledMmaElement<MmaKind::MXF4NVF4, 1, 0> {};

/// How many scales a row of so many elements has.
template <class Element>
constexpr int countScales(int columns) {
  return ceilDivide(columns, Stored<Element>::block);
}
/// How many there are in memory for so many rows: whole blocks.
template <class Element>
constexpr size_t countPackedScales(int rows, int columns) {
  return size_t(ceilDivide(rows, 128)) *
         ceilDivide(countScales<Element>(columns), 4) * 512;
}

/// Puts scales of a tensor of rows x columns elements, row after row, into the
/// blocks that tensor cores read: 128 rows and 4 scales of each. What a block
/// has outside the tensor is zero.
template <class Element, class Scale>
void packScales(Scale *to, const Scale *from, int rows, int columns) {
  static_assert(std::is_same_v<Scale, typename Stored<Element>::Scale>,
                "drawloom: scales have the type that the format of their "
                "elements says");
  int count = countScales<Element>(columns), blocks = ceilDivide(count, 4);
  for (int row = 0; row < ceilDivide(rows, 128) * 128; ++row)
    for (int i = 0; i < blocks * 4; ++i) {
      size_t block = size_t(row / 128) * blocks + i / 4;
      int place = row % 32 * 16 + row % 128 / 32 * 4 + i % 4;
      bool isInside = row < rows && i < count;
      to[block * 512 + place] =
          isInside ? from[size_t(row) * count + i] : Scale{};
    }
}

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_SCALED_H
