//===- InstructionDescriptor.h - What a tcgen05.mma is to do ----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 32-bit operand of a tcgen05.mma that has the shape and the types in it.
// Which values it may have depends on the kind of the instruction.
//
// PTX ISA, sections 9.7.16.2.1 (shapes), 9.7.16.4.2 (bits) and 9.7.16.10.1
// (transposes).
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_INSTRUCTIONDESCRIPTOR_H
#define DRAWLOOM_EMULATOR_INSTRUCTIONDESCRIPTOR_H

#include "Arithmetic/MatrixUnit.h"
#include <string>

namespace drawloom::emu {

enum class MmaKind : uint8_t { F16, TF32, F8F6F4, I8 };

/// Decodes the descriptor of a dense MMA of one CTA into `form`. Elements of A
/// and B are as they are in shared memory. What is wrong with it in words, or
/// an empty string.
std::string decodeInstruction(MmaKind kind, uint32_t descriptor, MmaForm &form);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_INSTRUCTIONDESCRIPTOR_H
