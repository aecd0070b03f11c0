//===- MatrixDescriptors.h - Descriptors for the tensor core -- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The tensor core takes descriptors, which only the hardware reads: one for
// each operand in shared memory, and on Blackwell one for the instruction. The
// fields are those of the PTX ISA, "Shared memory descriptor" and "Instruction
// descriptor" of tcgen05 and "Matrix Descriptor Format" of wgmma.
//
// An operand's rows go along k ("K-major") or along m or n ("MN-major", which
// the program writes as a transpose). Either way they are rows of panels, and
// eight of them are the unit that repeats:
//
//   along k   the stride leads to the next 8 of m or n; 32 bytes of a row are
//             one instruction, so the leading distance has no use
//   along mn  the stride leads to the next 8 of k, the leading distance to the
//             next panel
//
// Invariant: an instruction starts at a whole unit, so moving along k and from
// part to part only changes the address.

#ifndef DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_MATRIXDESCRIPTORS_H
#define DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_MATRIXDESCRIPTORS_H

#include "drawloom/Analysis/RoleTiles/Panels.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace drawloom::codegen {

using plan::Panels;

/// Bytes along k that one instruction takes of each row.
constexpr int64_t bytesOfK = 32;

/// An operand in shared memory.
struct SharedOperand {
  Panels panels;
  /// Its rows go along m or n.
  bool transposed = false;

  /// Bytes from the start of the tile to what an instruction starts with.
  int64_t getOffset(int64_t outer, int64_t k) const {
    return transposed ? panels.getOffset(k, outer) : panels.getOffset(outer, k);
  }
  /// The descriptor for tcgen05 without the address, which is in units of 16
  /// bytes in the lowest bits.
  uint64_t describeForTcgen05() const;
  /// The same for wgmma.
  uint64_t describeForWgmma() const;
};

/// The operand that a buffer in panels is.
SharedOperand getOperand(mlir::Type buffer);

/// An MMA of tiles as instructions of tcgen05: all have one shape.
struct Tcgen05Mma {
  mlir::NVVM::Tcgen05MMAKind kind;
  uint32_t descriptor;
  /// Of the tiles.
  int64_t m, n, k;
  /// Of an instruction.
  int64_t partM, partN, partK;
};

/// How tcgen05.mma computes an MMA. `a` is null if the first operand is in
/// tensor memory.
Tcgen05Mma describeMma(agent::MultiplyOp op, const SharedOperand *a,
                       const SharedOperand &b);

} // namespace drawloom::codegen

#endif // DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_MATRIXDESCRIPTORS_H
