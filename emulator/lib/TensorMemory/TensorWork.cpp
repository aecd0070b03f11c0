//===- TensorWork.cpp - What tcgen05 does to tensor memory ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMemory/TensorWork.h"
#include "Engine/Engine.h"
#include "Engine/MatrixOperand.h"
#include "Machine/Machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;

bool drawloom::emu::findCtas(Machine &machine, const TensorWork &work,
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

static void copyIn(Machine &machine, CTA &cta, const TensorWork &work) {
  TensorMemory &memory = tensorMemory(cta);
  uint32_t size = cta.cluster().sharedBytes();
  for (unsigned row = 0; row != work.copyRows; ++row)
    for (unsigned c = 0; c != work.copyPieces; ++c) {
      uint32_t from = work.a.ofRow(row, c);
      if (from + pieceBytes > size) {
        machine.fail(work.issue, ReportKind::IllegalAddress,
                     formatv("reads 16 bytes at {0:x} in shared memory, "
                             "outside the CTA's {1} bytes",
                             from, size));
        return;
      }
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

//===----------------------------------------------------------------------===//
// For listeners
//===----------------------------------------------------------------------===//

/// The lanes of one CTA that are written.
static TensorLanes writtenLanes(const CTA &cta, const TensorWork &work) {
  TensorLanes lanes;
  switch (work.kind) {
  case TensorWork::Multiply: {
    lanes = lanesOf(work.writes);
    // As in TensorProduct: the odd CTA's words are the last four.
    const uint32_t *disabled = work.disabled;
    if (work.pair)
      disabled += 4 * (cta.rank() & 1);
    for (unsigned lane = 0; lane != lanes.size(); ++lane)
      if (disabled[lane / 32] >> lane % 32 & 1)
        lanes.reset(lane);
    break;
  }
  case TensorWork::Copy:
    for (unsigned row = 0; row != work.copyRows; ++row)
      for (unsigned to = work.copyTo[row / 32]; to; to &= to - 1)
        lanes.set(llvm::countr_zero(to) * 32 + row % 32);
    break;
  case TensorWork::Shift:
    for (unsigned lane = 1; lane != 32; ++lane)
      lanes.set(work.lane + lane);
    break;
  }
  return lanes;
}

static void tellTensor(const TensorWork &work, AccessKind kind,
                       llvm::ArrayRef<TensorRange> ranges) {
  if (ranges.empty())
    return;
  AccessEvent event{.kind = kind,
                    .proxy = Proxy::Tensor,
                    .space = ptx::StateSpace::TensorMemory,
                    .tensor = ranges};
  if (work.kind == TensorWork::Multiply && kind != AccessKind::Read) {
    event.rows = work.form.m;
    event.columns = work.form.n;
  }
  tell(work.issue, event);
}

void drawloom::emu::tellWork(const TensorWork &work) {
  CTA &issuer = *work.issue.cta;
  llvm::SmallVector<CTA *, 2> ctas = {&issuer};
  if (work.pair)
    ctas = {&issuer.cluster().cta(issuer.rank() & ~1u),
            &issuer.cluster().cta(issuer.rank() | 1)};
  const MmaForm &form = work.form;
  llvm::SmallVector<TensorRange, 8> reads, writes;
  for (CTA *cta : ctas) {
    TensorLanes written = writtenLanes(*cta, work);
    addRanges(writes, cta->rank(), written, work.writes);
    if (work.kind == TensorWork::Copy) {
      tellMatrix(work.issue, *cta, work.a, false, work.copyRows,
                 work.copyPieces);
      continue;
    }
    if (work.kind == TensorWork::Shift) {
      addRanges(reads, cta->rank(), written >> 1, work.writes);
      continue;
    }
    if (!work.aInTensorMemory)
      tellOperand(work.issue, *cta, work.a, form.a, form.aTransposed, form.m,
                  stepK(form.a));
    tellOperand(work.issue, *cta, work.b, form.b, form.bTransposed,
                form.n / ctas.size(), form.k());
    for (const TensorRegion &region : work.reads)
      if (region.columns)
        addRanges(reads, cta->rank(), lanesOf(region), region);
  }
  tellTensor(work, AccessKind::Read, reads);
  tellTensor(work, work.keeps ? AccessKind::Reduce : AccessKind::Write, writes);
  tell(work.issue, OperationEvent{.kind = OperationEvent::Complete,
                                  .engine = EngineKind::MatrixMultiply});
}
