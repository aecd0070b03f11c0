//===- MatrixDescriptors.h - What tcgen05.mma is told --------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// tcgen05.mma takes two kinds of descriptors, which only the machine reads: one
// for each operand in shared memory, and one for the instruction. The fields
// are those of the PTX ISA, "Shared memory descriptor" and "Instruction
// descriptor" of tcgen05.

#ifndef DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_MATRIXDESCRIPTORS_H
#define DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_MATRIXDESCRIPTORS_H

#include "drawloom/Dialect/Tile/IR/TileOps.h"

namespace drawloom::codegen {

/// Bytes along k that one instruction takes of each row.
constexpr int64_t bytesOfK = 32;

/// The descriptor of a panel whose rows, of 32, 64 or 128 bytes, go along k and
/// are swizzled by their width; without the address.
int64_t describePanel(int64_t width);

/// The instruction descriptor of a product; an error if there is none.
llvm::FailureOr<uint32_t> describeInstruction(tile::MmaOp op);

} // namespace drawloom::codegen

#endif // DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_MATRIXDESCRIPTORS_H
