//===- ScaleType.h - Factors of blocks of elements --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With .block_scale, each run of elements of a row of A, or of a column of B,
// is multiplied by a factor of 8 bits. A factor is exact in f32: ue8m0 is a
// power of two, ue4m3 has 4 significant bits.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_SCALETYPE_H
#define DRAWLOOM_EMULATOR_SCALETYPE_H

#include <cstdint>

namespace drawloom::emu {

enum class ScaleType : uint8_t { UE8M0, UE4M3 };

float scaleValue(ScaleType type, uint8_t bits);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_SCALETYPE_H
