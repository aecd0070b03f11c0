//===- MatrixOperand.h - Operands of matrix instructions --------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What wgmma and tcgen05.mma share: reading an operand into a panel of the
// matrix unit, from shared memory with reports and listeners, or from wherever
// the 16-byte pieces of its rows are.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_MATRIXOPERAND_H
#define DRAWLOOM_EMULATOR_MATRIXOPERAND_H

#include "Arithmetic/MatrixUnit.h"
#include "Arithmetic/SharedMatrix.h"
#include "Machine/Machine.h"

namespace drawloom::emu {

struct IssuePoint;

/// Reads the matrix called `name` from the shared memory of `cta`. `outer` is
/// its M or N. False if the launch has failed.
bool packShared(Machine &machine, const IssuePoint &issue, CTA &cta,
                llvm::StringRef name, const SharedMatrix &matrix,
                ElementFormat format, bool transposed, unsigned outer,
                Panel panel);

/// Copies rows whose 16-byte pieces are at `piece(row, c)`.
template <typename F>
void packRows(F piece, ElementFormat format, unsigned rows, Panel panel) {
  const ElementInfo &info = infoOf(format);
  size_t bytes = info.perPiece * bytesOf(info.compute);
  for (unsigned row = 0; row != rows; ++row)
    for (unsigned c = 0; c != piecesPerStep; ++c)
      info.convert(piece(row, c), panel.data + row * panel.stride + c * bytes);
}

/// The unit that does the products of the host thread that runs the CTA.
inline MatrixUnit &matrixUnit(CTA &cta) {
  return cta.machine().worker().extensions.get<MatrixUnit>();
}

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_MATRIXOPERAND_H
