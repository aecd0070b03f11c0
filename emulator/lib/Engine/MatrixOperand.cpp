//===- MatrixOperand.cpp - Operands of matrix instructions ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/MatrixOperand.h"
#include "Engine/Engine.h"
#include "Machine/Machine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::emu;

/// What a matrix touches, if each eight rows look like the first eight and a
/// row is in one piece.
static bool findRanges(CTA &cta, const SharedMatrix &matrix, unsigned rows,
                       unsigned pieces,
                       llvm::SmallVectorImpl<MemoryRange> &ranges) {
  constexpr unsigned atomRows = 8;
  SharedMatrix::Atom places;
  if (rows % atomRows || rows == atomRows || pieces > SharedMatrix::maxPieces ||
      !matrix.findAtom(rows / atomRows, pieces, cta.cluster().sharedBytes(),
                       places))
    return false;
  for (const auto &row : places) {
    auto [least, most] = std::minmax_element(row, row + pieces);
    if (*most - *least != (pieces - 1) * pieceBytes)
      return false;
    MemoryRange range;
    range.address = inRank(*least, cta.rank());
    range.bytes = pieces * pieceBytes;
    range.count = rows / atomRows;
    range.pitch = matrix.stride;
    ranges.push_back(range);
  }
  return true;
}

void drawloom::emu::tellMatrix(const IssuePoint &issue, CTA &cta,
                               const SharedMatrix &matrix, bool transposed,
                               unsigned rows, unsigned pieces) {
  AccessEvent event{.kind = AccessKind::Read, .proxy = Proxy::Async};
  llvm::SmallVector<MemoryRange, 16> found;
  if (!transposed && findRanges(cta, matrix, rows, pieces, found)) {
    event.ranges = found;
    return tell(issue, event);
  }
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
  event.ranges = ranges.get();
  tell(issue, event);
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
                    "{4:x} are outside the CTA's {5} bytes",
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
