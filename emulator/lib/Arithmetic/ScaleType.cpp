//===- ScaleType.cpp - Factors of blocks of elements ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic/ScaleType.h"
#include <cmath>
#include <limits>

using namespace drawloom::emu;

float drawloom::emu::scaleValue(ScaleType type, uint8_t bits) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  if (type == ScaleType::UE8M0)
    return bits == 0xff ? nan : std::ldexp(1.0f, int(bits) - 127);
  bits &= 0x7f;
  if (bits == 0x7f)
    return nan;
  unsigned exponent = bits >> 3, mantissa = bits & 7;
  return exponent ? std::ldexp(1.0f + mantissa / 8.0f, int(exponent) - 7)
                  : std::ldexp(mantissa / 8.0f, -6);
}
