//===- MatrixOperand.cpp - Operands of matrix instructions ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute/MatrixOperand.h"
#include "Execute/Engine.h"
#include "Machine/Machine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::emu;

/// Tells the listener about every piece of a matrix that is read.
static void tellPieces(Machine &machine, const IssuePoint &issue, CTA &cta,
                       const SharedMatrix &matrix, ElementFormat format,
                       bool transposed, unsigned outer, unsigned k) {
  unsigned rows = transposed ? k : outer;
  unsigned pieces = (transposed ? outer : k) / infoOf(format).perPiece;
  for (unsigned row = 0; row != rows; ++row)
    for (unsigned c = 0; c != pieces; ++c)
      tellAccess(
          machine, issue, AccessKind::Read,
          inRank(transposed ? matrix.ofColumn(row, c) : matrix.ofRow(row, c),
                 cta.rank()),
          pieceBytes);
}

bool drawloom::emu::packShared(Machine &machine, const IssuePoint &issue,
                               CTA &cta, llvm::StringRef name,
                               const SharedMatrix &matrix, ElementFormat format,
                               bool transposed, unsigned outer, unsigned k,
                               Panel panel) {
  uint32_t size = cta.cluster().sharedBytes();
  if (machine.listener())
    tellPieces(machine, issue, cta, matrix, format, transposed, outer, k);
  int64_t outside = packShared(matrix, format, transposed, outer, k,
                               cta.shared(), size, panel.data, panel.stride);
  if (outside < 0)
    return true;
  machine.fail(
      issue, ReportKind::IllegalAddress,
      llvm::formatv("matrix {0} starts at {1:x} in shared memory, with leading "
                    "byte offset {2} and stride byte offset {3}: 16 bytes at "
                    "{4:x} are outside of the CTA's {5} bytes",
                    name, matrix.start, matrix.leading, matrix.stride, outside,
                    size));
  return false;
}
