//===- MatrixDescriptors.cpp - Descriptors for the tensor core ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixDescriptors.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

SharedOperand codegen::getOperand(Type type) {
  auto buffer = cast<tile::BufferType>(type);
  return {*plan::getPanels(buffer), buffer.getPanels().getTransposed()};
}

/// Without a swizzle, across: the distance to the next 8 of k is the leading
/// one, that to the next panel the stride.
static uint64_t describePlain(const Panels &panels) {
  uint64_t leading = 8 * panels.width / 16, stride = panels.bytes() / 16;
  return leading << 16 | stride << 32;
}

uint64_t SharedOperand::describeForTcgen05() const {
  constexpr uint64_t version = 1;
  if (!panels.swizzled)
    return describePlain(panels) | version << 46;
  // PTX ISA, "Canonical Layouts". Along k there are eight in a unit, with atoms
  // of 32 bytes four.
  uint64_t unitRows = transposed && panels.atom == 32 ? 4 : 8;
  uint64_t stride = unitRows * panels.width / 16;
  uint64_t leading = transposed ? panels.bytes() / 16 : 1;
  uint64_t swizzle = panels.atom == 32     ? 1
                     : panels.width == 128 ? 2
                     : panels.width == 64  ? 4
                                           : 6;
  return leading << 16 | stride << 32 | version << 46 | swizzle << 61;
}

uint64_t SharedOperand::describeForWgmma() const {
  if (!panels.swizzled)
    return describePlain(panels);
  uint64_t swizzle = panels.width == 128 ? 1 : panels.width == 64 ? 2 : 3;
  uint64_t stride = 8 * panels.width / 16;
  uint64_t leading = transposed ? panels.bytes() / 16 : 1;
  return leading << 16 | stride << 32 | swizzle << 62;
}

namespace {
/// One row of the table of operand types: its number in the descriptor.
struct OperandType {
  bool (*is)(Type);
  NVVM::Tcgen05MMAKind kind;
  uint32_t code;
};
} // namespace

// PTX ISA, "Instruction descriptor format".
static const OperandType operandTypes[] = {
    {[](Type t) { return t.isF16(); }, NVVM::Tcgen05MMAKind::F16, 0},
    {[](Type t) { return t.isBF16(); }, NVVM::Tcgen05MMAKind::F16, 1},
    {[](Type t) { return t.isF32(); }, NVVM::Tcgen05MMAKind::TF32, 2},
    {[](Type t) { return isa<Float8E4M3FNType>(t); },
     NVVM::Tcgen05MMAKind::F8F6F4, 0},
    {[](Type t) { return isa<Float8E5M2Type>(t); },
     NVVM::Tcgen05MMAKind::F8F6F4, 1},
    {[](Type t) { return t.isSignlessInteger(8); }, NVVM::Tcgen05MMAKind::I8,
     1},
};

static const OperandType *findType(Type type) {
  const auto *found = llvm::find_if(
      operandTypes, [&](const OperandType &row) { return row.is(type); });
  return found == std::end(operandTypes) ? nullptr : found;
}

/// The widest instruction that divides `n` columns, a multiple of `step`, of
/// which there are `unit` in a unit that cannot be cut.
static int64_t getWidth(int64_t n, int64_t step, int64_t unit) {
  constexpr int64_t widest = 256;
  if (n <= widest)
    return n;
  for (int64_t width = widest; width > unit; width -= step)
    if (n % width == 0 && width % unit == 0)
      return width;
  return unit;
}

Tcgen05Mma codegen::describeMma(agent::MultiplyOp op,
                                const SharedOperand *aOperand,
                                const SharedOperand &bOperand) {
  ShapedType a = op.getA().getType(), b = op.getB().getType();
  // There is code for no other types (drawloom/Target/MmaCode.h).
  const OperandType *aType = findType(a.getElementType());
  const OperandType *bType = findType(b.getElementType());
  // An instruction of 128 rows takes columns in steps of 16, which is what all
  // libraries do. One of 64 rows uses half of the lanes: only if there are no
  // more.
  constexpr int64_t step = 16;
  int64_t m = op.getM(), n = op.getPair() ? 2 * op.getN() : op.getN();
  int64_t partM = m == 64 ? 64 : 128;
  // A pair's instruction has the rows of both CTAs.
  int64_t rows = op.getPair() ? 2 * partM : partM;
  int64_t bits = bOperand.panels.bits;
  int64_t unit = bOperand.transposed ? bOperand.panels.elements() : step;
  int64_t partN = getWidth(n, step, unit);
  // PTX ISA, the type of D: f32, or s32.
  uint32_t sum = op.getAccumulator().getType().getElementType().isF32() ? 1 : 2;
  uint32_t aBit = aOperand && aOperand->transposed;
  uint32_t bBit = bOperand.transposed;
  // One negated operand negates the MMA, so one bit is enough.
  uint32_t negates = op.getNegated();
  uint32_t descriptor = sum << 4 | aType->code << 7 | bType->code << 10 |
                        negates << 13 | aBit << 15 | bBit << 16 |
                        uint32_t(partN / 8) << 17 | uint32_t(rows / 16) << 24;
  return Tcgen05Mma{aType->kind, descriptor, m,     n,
                    op.getK(),   partM,      partN, bytesOfK * 8 / bits};
}
