//===- TensorProduct.cpp - MMAs that are done together -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMemory/TensorProduct.h"
#include "Arithmetic/Fold.h"
#include "Engine/MatrixOperand.h"
#include "Machine/Machine.h"
#include "TensorMemory/SparseMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Copies the operands of MMAs to where they are multiplied.
class OperandReader {
public:
  using PanelOf = llvm::function_ref<Panel(unsigned step)>;

  OperandReader(Machine &machine, llvm::ArrayRef<CTA *> ctas,
                llvm::ArrayRef<const TensorWork *> works)
      : machine(machine), ctas(ctas), works(works), form(works[0]->form) {}

  /// Reads the rows of A that are `cta`'s. False if the launch has failed.
  bool packA(CTA &cta, PanelOf panel) {
    if (works[0]->aInTensorMemory || form.sparsity) {
      for (auto [step, work] : llvm::enumerate(works))
        if (!packStep(cta, *work, panel(step)))
          return false;
    } else if (!packShared(machine, cta, "A", operands(&TensorWork::a), form.a,
                           form.aTransposed, form.m, form.k(), panel)) {
      return false;
    }
    for (auto [step, work] : llvm::enumerate(works))
      if (!scale(cta, *work, "A", work->scales.aColumn, work->scales.aFirst,
                 form.m, 1, form.aTransposed, panel(step)))
        return false;
    return true;
  }

  /// Reads all of B, with the factors that `cta` has for it.
  bool packB(CTA &cta, PanelOf panel) {
    unsigned rows = form.n / ctas.size();
    size_t bytes = bytesOf(infoOf(form.b).compute);
    for (auto [half, owner] : llvm::enumerate(ctas)) {
      unsigned firstRow = half * rows;
      if (!packShared(machine, *owner, "B", operands(&TensorWork::b), form.b,
                      form.bTransposed, rows, form.k(), [&](unsigned step) {
                        return panel(step).from(firstRow, form.bTransposed,
                                                bytes);
                      }))
        return false;
    }
    for (auto [step, work] : llvm::enumerate(works)) {
      if (work->zeroColumns.any())
        clearColumns(*work, panel(step), bytes);
      if (!scale(cta, *work, "B", work->scales.bColumn, work->scales.bFirst,
                 form.n, work->parts, form.bTransposed, panel(step)))
        return false;
    }
    return true;
  }

private:
  llvm::SmallVector<SharedOperand, 16>
  operands(SharedMatrix TensorWork::*matrix) const {
    return llvm::map_to_vector<16>(works, [&](const TensorWork *work) {
      return SharedOperand{work->issue, work->*matrix};
    });
  }

  /// Reads A of one MMA.
  bool packStep(CTA &cta, const TensorWork &work, Panel panel) {
    llvm::SmallVector<RowMetadata, TensorMemory::lanes> metadata;
    if (form.sparsity) {
      std::string problem = readMetadata(tensorMemory(cta), work, metadata);
      if (!problem.empty()) {
        machine.fail(work.issue, ReportKind::Protocol, problem);
        return false;
      }
    }
    return packStored(
        machine, work.issue, form, metadata, panel, [&](Panel stored) {
          if (work.aInTensorMemory)
            return packTensorMemory(cta, work, stored);
          return packShared(machine, cta, "A",
                            SharedOperand{work.issue, work.a}, form.a,
                            form.aTransposed, form.m, stepK(form.a),
                            [=](unsigned) { return stored; });
        });
  }

  bool packTensorMemory(CTA &cta, const TensorWork &work, Panel panel) {
    TensorMemory &memory = tensorMemory(cta);
    if (!checkCopiesOfA(cta, work))
      return false;
    packRows(
        [&](unsigned row, unsigned c) {
          unsigned from = work.shiftsA && row ? row - 1 : row;
          return reinterpret_cast<const char *>(memory.at(
              work.laneOf(from), work.reads[0].column + c * pieceBytes / 4));
        },
        form.a, form.m, panel);
    return true;
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
  llvm::ArrayRef<CTA *> ctas;
  llvm::ArrayRef<const TensorWork *> works; ///< Alike but for their operands.
  const MmaForm &form;
  ScaleTable table;
};
} // namespace

bool TensorProduct::canJoin(const TensorWork &next) const {
  return next.kind == TensorWork::Multiply && next.keeps && !next.scale &&
         next.form == first.form && next.lane == first.lane &&
         next.pair == first.pair && next.parts == first.parts &&
         next.writes.column == first.writes.column &&
         next.aInTensorMemory == first.aInTensorMemory &&
         next.scales.perRow == first.scales.perRow &&
         llvm::equal(next.disabled, first.disabled) &&
         steps + unread.size() < first.form.maxSteps();
}

bool TensorProduct::blocks(const TensorWork &work) const {
  return first.writes.overlaps(work.writes) || work.readsAny(first.writes) ||
         llvm::any_of(unread, [&](const TensorWork *noted) {
           return noted->readsAny(work.writes);
         });
}

void TensorProduct::read(Machine &machine) {
  llvm::SmallVector<CTA *, 2> ctas;
  if (machine.failed() || unread.empty() || !findCtas(machine, first, ctas))
    return;
  MmaForm form = first.form;
  if (!first.scales.perRow)
    form.m *= ctas.size();
  const size_t bytes = bytesOf(infoOf(form.a).compute);
  const unsigned newSteps = steps + unread.size();
  operands.resize(first.scales.perRow ? ctas.size() : 1);
  for (std::unique_ptr<ProductOperands> &each : operands) {
    if (each)
      each->grow(newSteps);
    else
      each = matrixUnit(machine).take(form, newSteps);
  }
  OperandReader reader(machine, ctas, unread);
  for (auto [index, cta] : llvm::enumerate(ctas)) {
    bool hasOwnB = index < operands.size();
    ProductOperands &to = hasOwnB ? *operands[index] : *operands[0];
    unsigned firstRow = hasOwnB ? 0 : first.form.m;
    if (!reader.packA(
            *cta,
            [&](unsigned step) {
              return to.a(steps + step).from(firstRow, form.aTransposed, bytes);
            }) ||
        (hasOwnB && !reader.packB(*cta, [&](unsigned step) {
          return to.b(steps + step);
        })))
      return;
  }
  steps = newSteps;
  unread.clear();
}

//===----------------------------------------------------------------------===//
// Finishing
//===----------------------------------------------------------------------===//

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

} // namespace

void TensorProduct::addTo(CTA &cta, Products products) const {
  // With disabled lanes, the second four words are the odd CTA's.
  const uint32_t *disabled = first.disabled;
  if (first.pair)
    disabled += 4 * (cta.rank() & 1);
  float scale = std::ldexp(1.0f, -int(first.scale));
  if (first.parts == 1)
    fold(first.form, products, first.keeps, scale,
         TensorRows<false>{tensorMemory(cta), first, disabled});
  else
    fold(first.form, products, first.keeps, scale,
         TensorRows<true>{tensorMemory(cta), first, disabled});
}

void TensorProduct::finish(Machine &machine) {
  read(machine);
  llvm::SmallVector<CTA *, 2> ctas;
  if (machine.failed() || !findCtas(machine, first, ctas))
    return;
  MatrixUnit &unit = matrixUnit(machine);
  size_t ctasOfEach = ctas.size() / operands.size();
  ExecutionCounts *counts = ctas.front()->grid().program().counts.get();
  for (auto [index, each] : llvm::enumerate(operands)) {
    if (counts)
      counts->mmas.add(*each);
    llvm::Expected<Products> products = unit.multiply(*each);
    unit.give(std::move(each));
    if (!products) {
      machine.fail(first.issue, ReportKind::LaunchFailed,
                   llvm::toString(products.takeError()));
      return;
    }
    for (size_t i = 0; i != ctasOfEach; ++i) {
      addTo(*ctas[index * ctasOfEach + i], *products);
      products->data += size_t(first.form.m) * first.form.n;
    }
  }
}
