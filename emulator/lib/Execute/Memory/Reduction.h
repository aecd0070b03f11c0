//===- Reduction.h - Reductions of arrays -----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies may combine what they bring with what is there. A Reduce does that for
// `bytes` bytes, element by element.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_REDUCTION_H
#define DRAWLOOM_EMULATOR_REDUCTION_H

#include "drawloom/PTX/InstructionTable.h"
#include <cstddef>

namespace drawloom::emu {

using Reduce = void(char *to, const char *from, size_t bytes);

/// Null if there is no such reduction. `flushes`: subnormal f32 become zero.
Reduce *reductionOf(ptx::Modifier op, ptx::Type type, bool flushes);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_REDUCTION_H
