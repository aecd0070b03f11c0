//===- MatrixDescriptors.cpp - What tcgen05.mma is told -------------------===//
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

int64_t codegen::describePanel(int64_t width) {
  // Eight rows are one core of the swizzle. The distance from one to the next
  // is the stride; along k one core is all there is, so the leading distance
  // has no meaning, and is 1 by convention.
  uint64_t stride = 8 * width / 16;
  uint64_t swizzle = width == 128 ? 2 : width == 64 ? 4 : 6;
  constexpr uint64_t leading = 1, version = 1;
  return static_cast<int64_t>(leading << 16 | stride << 32 | version << 46 |
                              swizzle << 61);
}

FailureOr<uint32_t> codegen::describeInstruction(tile::MmaOp op) {
  auto a = cast<RankedTensorType>(op.getA().getType());
  auto b = cast<RankedTensorType>(op.getB().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  Type element = a.getElementType();
  if (a.getRank() != 2 || element != b.getElementType() ||
      !(element.isBF16() || element.isF16()) ||
      !result.getElementType().isF32() || op->getNumOperands() != 3)
    return op->emitOpError() << "multiplies " << a << " and " << b << " to "
                             << result << ", which has no code yet";
  uint32_t m = result.getDimSize(0), n = result.getDimSize(1);
  if (m != 128 || n % 16 != 0 || n > 256)
    return op->emitOpError() << "is a product of " << m << " x " << n
                             << "; there is code for 128 rows and a multiple "
                                "of 16 columns up to 256";
  uint32_t type = element.isBF16() ? 1 : 0;
  constexpr uint32_t f32 = 1;
  return f32 << 4 | type << 7 | type << 10 | (n / 8) << 17 | (m / 16) << 24;
}
