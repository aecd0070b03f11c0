//===- TensorWork.cpp - What tcgen05 does to tensor memory ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic/Fold.h"
#include "Execute/Engine.h"
#include "Execute/MatrixOperand.h"
#include "Machine/Machine.h"
#include "TensorMemory/TensorCore.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;

/// The CTAs that do the work: the one that issued it, or the even and the odd
/// one of its pair. False if one of them has exited.
static bool findCtas(Machine &machine, const TensorWork &work,
                     llvm::SmallVectorImpl<CTA *> &ctas) {
  CTA &cta = *work.issue.cta;
  if (!work.pair) {
    ctas.push_back(&cta);
    return true;
  }
  for (uint32_t rank : {cta.rank() & ~1u, cta.rank() | 1}) {
    CTA &each = cta.cluster().cta(rank);
    if (each.exited()) {
      machine.fail(work.issue, ReportKind::Protocol,
                   formatv("CTA rank {0} has exited before this work of the "
                           "pair was done: its shared and tensor memory are "
                           "gone",
                           rank));
      return false;
    }
    ctas.push_back(&each);
  }
  return true;
}

namespace {
/// D in tensor memory, with its columns in one group of lanes or in several.
template <bool isSplit>
struct TensorRows {
  TensorMemory &memory;
  const TensorWork &work;
  const uint32_t *disabled;

  struct Row {
    uint32_t *words;
    unsigned partColumns; ///< Of each group of lanes.
    size_t partStride;    ///< From one group of lanes to the next.
    unsigned skipped;     ///< Groups whose lane is disabled, a bit for each.

    uint32_t *at(unsigned column) const {
      if constexpr (!isSplit)
        return words + column;
      return words + column / partColumns * partStride + column % partColumns;
    }
    Word8 load(unsigned column) const { return loadVector<Word8>(at(column)); }
    void store(unsigned column, Word8 values) const {
      if (!isSplit || !(skipped >> column / partColumns & 1))
        storeVector(at(column), values);
    }
  };
  bool isDisabled(unsigned lane) const {
    return disabled[lane / 32] >> lane % 32 & 1;
  }
  bool skips(unsigned row) const {
    return !isSplit && isDisabled(work.laneOf(row));
  }
  Row row(unsigned row) const {
    unsigned skipped = 0;
    for (unsigned part = 0; isSplit && part != work.parts; ++part)
      skipped |=
          unsigned(isDisabled(row + part * TensorMemory::lanes / work.parts))
          << part;
    return {memory.at(work.laneOf(row), work.writes.column),
            unsigned(work.form.n) / work.parts,
            size_t(TensorMemory::lanes / work.parts) * memory.columns(),
            skipped};
  }
};

/// The MMAs of a batch, done in one CTA after the other.
class Multiplication {
public:
  Multiplication(Machine &machine, llvm::ArrayRef<const TensorWork *> batch)
      : machine(machine), batch(batch), first(*batch.front()),
        unit(matrixUnit(*first.issue.cta)) {}

  void run() {
    if (!findCtas(machine, first, ctas))
      return;
    for (auto [index, cta] : llvm::enumerate(ctas)) {
      // Both CTAs of a pair multiply with the same B; what it is multiplied
      // with comes from each one's own tensor memory.
      bool packsB = index == 0 || first.scales.perRow;
      if (packsB)
        unit.begin(first.form, batch.size());
      for (unsigned step = 0; step != batch.size(); ++step)
        if (!packA(*cta, step) || (packsB && !packB(*cta, step)))
          return;
      llvm::Expected<Products> products = unit.multiply();
      if (!products) {
        machine.fail(first.issue, ReportKind::LaunchFailed,
                     llvm::toString(products.takeError()));
        return;
      }
      // With disabled lanes, the second four words are the odd CTA's.
      const uint32_t *disabled = first.disabled + 4 * index;
      float scale = std::ldexp(1.0f, -int(first.scale));
      if (first.parts == 1)
        fold(first.form, *products, first.keeps, scale,
             TensorRows<false>{tensorMemory(*cta), first, disabled});
      else
        fold(first.form, *products, first.keeps, scale,
             TensorRows<true>{tensorMemory(*cta), first, disabled});
    }
  }

private:
  bool packA(CTA &cta, unsigned step) {
    const TensorWork &work = *batch[step];
    const MmaForm &form = work.form;
    if (work.aInTensorMemory) {
      TensorMemory &memory = tensorMemory(cta);
      if (!checkCopiesOfA(cta, work))
        return false;
      packRows(
          [&](unsigned row, unsigned c) {
            unsigned from = work.shiftsA && row ? row - 1 : row;
            return reinterpret_cast<const char *>(memory.at(
                work.laneOf(from), work.reads[0].column + c * pieceBytes / 4));
          },
          form.a, form.m, unit.a(step));
    } else if (!packShared(machine, work.issue, cta, "A", work.a, form.a,
                           form.aTransposed, form.m, form.k(), unit.a(step))) {
      return false;
    }
    return scale(cta, work, "A", work.scales.aColumn, work.scales.aFirst,
                 form.m, 1, form.aTransposed, unit.a(step));
  }

  /// Groups of lanes that each compute some of the columns have the same A.
  bool checkCopiesOfA(CTA &cta, const TensorWork &work) {
    TensorMemory &memory = tensorMemory(cta);
    uint32_t column = work.reads[0].column, columns = work.reads[0].columns;
    for (unsigned row = 0; row != work.form.m; ++row)
      for (unsigned part = 1; part != work.parts; ++part) {
        unsigned lane = row + part * TensorMemory::lanes / work.parts;
        if (std::equal(memory.at(row, column), memory.at(row, column) + columns,
                       memory.at(lane, column)))
          continue;
        machine.fail(
            work.issue, ReportKind::Protocol,
            formatv("row {0} of A differs between lanes {0} and {1} (columns "
                    "{2} to {3}): each {4} lanes must have all of A",
                    row, lane, column, column + columns - 1,
                    TensorMemory::lanes / work.parts));
        return false;
      }
    return true;
  }

  bool packB(CTA &cta, unsigned step) {
    const TensorWork &work = *batch[step];
    const MmaForm &form = work.form;
    Panel panel = unit.b(step);
    unsigned rows = form.n / ctas.size();
    size_t bytes = bytesOf(infoOf(form.b).compute);
    for (auto [half, owner] : llvm::enumerate(ctas)) {
      Panel part = panel;
      part.data += half * rows * (form.bTransposed ? bytes : panel.stride);
      if (!packShared(machine, work.issue, *owner, "B", work.b, form.b,
                      form.bTransposed, rows, form.k(), part))
        return false;
    }
    if (work.zeroColumns.any())
      clearColumns(work, panel, bytes);
    return scale(cta, work, "B", work.scales.bColumn, work.scales.bFirst,
                 form.n, work.parts, form.bTransposed, panel);
  }

  void clearColumns(const TensorWork &work, Panel panel, size_t bytes) {
    unsigned n = work.form.n, k = work.form.k();
    for (unsigned column = 0; column != n; ++column) {
      if (!work.zeroColumns.isZero(column, n, work.parts))
        continue;
      if (!work.form.bTransposed)
        memset(panel.data + column * panel.stride, 0, k * bytes);
      else
        for (unsigned i = 0; i != k; ++i)
          memset(panel.data + i * panel.stride + column * bytes, 0, bytes);
    }
  }

  bool scale(CTA &cta, const TensorWork &work, llvm::StringRef name,
             unsigned column, unsigned firstByte, unsigned rows, unsigned parts,
             bool transposed, Panel panel) {
    if (!work.scales.perRow)
      return true;
    std::string problem = readScales(tensorMemory(cta), work.scales, column,
                                     firstByte, rows, parts, table);
    if (!problem.empty()) {
      machine.fail(work.issue, ReportKind::Protocol,
                   formatv("the scale factors of {0}, {1}", name, problem));
      return false;
    }
    applyScales(table, work.scales.perRow, rows, work.form.k(), transposed,
                panel);
    return true;
  }

  Machine &machine;
  llvm::ArrayRef<const TensorWork *> batch;
  const TensorWork &first;
  MatrixUnit &unit;
  llvm::SmallVector<CTA *, 2> ctas;
  ScaleTable table;
};
} // namespace

void drawloom::emu::multiply(Machine &machine,
                             llvm::ArrayRef<const TensorWork *> batch) {
  if (!machine.failed())
    Multiplication(machine, batch).run();
}

static void copyIn(Machine &machine, CTA &cta, const TensorWork &work) {
  TensorMemory &memory = tensorMemory(cta);
  uint32_t size = cta.cluster().sharedBytes();
  for (unsigned row = 0; row != work.copyRows; ++row)
    for (unsigned c = 0; c != work.copyPieces; ++c) {
      uint32_t from = work.a.ofRow(row, c);
      if (from + pieceBytes > size) {
        machine.fail(work.issue, ReportKind::IllegalAddress,
                     formatv("reads 16 bytes at {0:x} in shared memory, "
                             "outside of the CTA's {1} bytes",
                             from, size));
        return;
      }
      tellAccess(machine, work.issue, AccessKind::Read,
                 inRank(from, cta.rank()), pieceBytes);
      for (unsigned to = work.copyTo[row / 32]; to; to &= to - 1)
        copyPiece(work.copyFormat, cta.shared() + from,
                  memory.at(llvm::countr_zero(to) * 32 + row % 32,
                            work.writes.column + c * pieceBytes / 4));
    }
}

void drawloom::emu::copy(Machine &machine, const TensorWork &work) {
  llvm::SmallVector<CTA *, 2> ctas;
  if (machine.failed() || !findCtas(machine, work, ctas))
    return;
  for (CTA *cta : ctas)
    copyIn(machine, *cta, work);
}

void drawloom::emu::shift(Machine &machine, const TensorWork &work) {
  llvm::SmallVector<CTA *, 2> ctas;
  if (machine.failed() || !findCtas(machine, work, ctas))
    return;
  for (CTA *cta : ctas) {
    TensorMemory &memory = tensorMemory(*cta);
    for (unsigned lane = work.lane + 31; lane != work.lane; --lane)
      std::copy_n(memory.at(lane - 1, work.writes.column), work.writes.columns,
                  memory.at(lane, work.writes.column));
  }
}
