//===- Deviation.cpp - How far a machine may be from the reference --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Interpreter/Deviation.h"
#include <cmath>

using namespace drawloom::interp;

// The tensor cores align the products of an instruction and cut what lies
// below; they keep at least the bits of f32, so an addition loses less than one
// unit in the last place, 2^-23. For fp8 Hopper keeps 13 bits after the point
// (measured by others: DeepSeek-V3's report, section 3.3.2; bit by bit in
// Xie et al., MMA-Sim, arXiv:2511.10909).
Arithmetic drawloom::interp::getArithmetic(llvm::StringRef architecture) {
  Arithmetic arithmetic{0x1p-23};
  if (architecture.starts_with("sm_90"))
    arithmetic.alignedBits = 13;
  return arithmetic;
}

bool drawloom::interp::isWithin(double machine, double reference,
                                double deviation) {
  if (std::isnan(reference) || std::isnan(machine))
    return (std::isnan(reference) && std::isnan(machine)) ||
           std::isinf(deviation);
  if (std::isinf(reference))
    return machine == reference || std::isinf(deviation);
  return std::abs(machine - reference) <= deviation;
}
