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
// PTX ISA, sections 9.7.16.2.1 (shapes), 9.7.16.4.2 (bits), 9.7.16.10.1
// (transposes) and 9.7.16.10.7 (scale factors).
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_INSTRUCTIONDESCRIPTOR_H
#define DRAWLOOM_EMULATOR_INSTRUCTIONDESCRIPTOR_H

#include "Arithmetic/MatrixUnit.h"
#include "TensorMemory/ScaleFactors.h"
#include <string>

namespace drawloom::emu {

enum class MmaKind : uint8_t {
  F16,
  TF32,
  F8F6F4,
  I8,
  MXF8F6F4,
  MXF4,
  MXF4NVF4
};

/// What the opcode and the modifiers of a tcgen05.mma say.
struct MmaVariant {
  MmaKind kind = MmaKind::F16;
  bool pair = false;             ///< cta_group::2
  bool weightStationary = false; ///< .ws
  bool sparse = false;           ///< .sp
  uint8_t scalesPerRow = 0;      ///< With block scales: 1, 2 or 4.
};

/// What the descriptor adds.
struct MmaShape {
  MmaForm form; ///< M is that of each CTA; elements are as in shared memory.
  uint8_t parts = 1;    ///< TensorWork::parts
  uint8_t selector = 0; ///< Of the metadata of a sparse A.
  ScaleType scaleType = ScaleType::UE8M0;
  uint8_t aScale = 0, bScale = 0; ///< The factors' IDs.
};

/// Decodes a descriptor. What is wrong with it as text, or an empty string.
std::string decodeInstruction(const MmaVariant &variant, uint32_t descriptor,
                              MmaShape &shape);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_INSTRUCTIONDESCRIPTOR_H
