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

/// Reads the matrix of one MMA.
static bool packStep(Machine &machine, CTA &cta, llvm::StringRef name,
                     const SharedOperand &operand, ElementFormat format,
                     bool transposed, unsigned outer, unsigned k, Panel panel) {
  const SharedMatrix &matrix = operand.matrix;
  uint32_t size = cta.cluster().sharedBytes();
  if (machine.listener())
    tellPieces(machine, operand.issue, cta, matrix, format, transposed, outer,
               k);
  int64_t outside = packShared(matrix, format, transposed, outer, k,
                               cta.shared(), size, panel.data, panel.stride);
  if (outside < 0)
    return true;
  machine.fail(
      operand.issue, ReportKind::IllegalAddress,
      llvm::formatv("matrix {0} starts at {1:x} in shared memory, with leading "
                    "byte offset {2} and stride byte offset {3}: 16 bytes at "
                    "{4:x} are outside of the CTA's {5} bytes",
                    name, matrix.start, matrix.leading, matrix.stride, outside,
                    size));
  return false;
}

bool drawloom::emu::packShared(Machine &machine, CTA &cta, llvm::StringRef name,
                               llvm::ArrayRef<SharedOperand> steps,
                               ElementFormat format, bool transposed,
                               unsigned outer, unsigned k,
                               llvm::function_ref<Panel(unsigned step)> panel) {
  const size_t bytes = k * bytesOf(infoOf(format).compute);
  const unsigned pieces = k / infoOf(format).perPiece;
  const bool mayJoin = !transposed && !machine.listener();
  for (size_t step = 0; step != steps.size();) {
    const Panel first = panel(step);
    // The steps of a main loop lie side by side, here and there. To copy them
    // together touches each row once.
    size_t count = 1;
    while (mayJoin && step + count != steps.size() &&
           (count + 1) * pieces <= SharedMatrix::maxPieces &&
           steps[step + count].matrix.follows(steps[step + count - 1].matrix,
                                              pieces) &&
           panel(step + count).data == first.data + count * bytes)
      ++count;
    if (count > 1 &&
        packAtoms(steps[step].matrix, format, outer, count * k, cta.shared(),
                  cta.cluster().sharedBytes(), first.data, first.stride)) {
      step += count;
      continue;
    }
    if (!packStep(machine, cta, name, steps[step], format, transposed, outer, k,
                  first))
      return false;
    ++step;
  }
  return true;
}
