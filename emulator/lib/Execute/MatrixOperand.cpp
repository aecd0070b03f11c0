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

void drawloom::emu::tellMatrix(const IssuePoint &issue, CTA &cta,
                               const SharedMatrix &matrix, bool transposed,
                               unsigned rows, unsigned pieces) {
  // Rows that are eight apart look alike, but for where they begin.
  constexpr unsigned atomRows = 8;
  RangeList ranges;
  llvm::SmallVector<uint32_t, 32> places;
  for (unsigned first = 0; first != std::min(rows, atomRows); ++first)
    for (unsigned row = first; row < rows; row += atomRows) {
      places.clear();
      for (unsigned c = 0; c != pieces; ++c)
        places.push_back(transposed ? matrix.ofColumn(row, c)
                                    : matrix.ofRow(row, c));
      llvm::sort(places);
      for (uint32_t place : places)
        ranges.add(inRank(place, cta.rank()), pieceBytes);
    }
  tell(issue, AccessEvent{.kind = AccessKind::Read,
                          .proxy = Proxy::Async,
                          .ranges = ranges.get()});
}

/// Reads the matrix of one MMA.
static bool packStep(Machine &machine, CTA &cta, llvm::StringRef name,
                     const SharedOperand &operand, ElementFormat format,
                     bool transposed, unsigned outer, unsigned k, Panel panel) {
  const SharedMatrix &matrix = operand.matrix;
  uint32_t size = cta.cluster().sharedBytes();
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
  const bool mayJoin = !transposed;
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
