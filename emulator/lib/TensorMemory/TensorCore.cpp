//===- TensorCore.cpp - tcgen05's work of a CTA --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMemory/TensorCore.h"
#include "Arithmetic/Fold.h"
#include "Execute/Engine.h"
#include "Execute/MatrixOperand.h"
#include "Execute/MbarrierObject.h"
#include "Machine/Machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;

namespace drawloom::emu {
/// All that a thread had issued when it committed.
class TensorWorkOp : public AsyncOp {
public:
  TensorWorkOp(IssuePoint issue, TensorCore &core, TensorCore::Thread &thread,
               uint64_t last)
      : AsyncOp(EngineKind::MatrixMultiply, issue), core(core), thread(thread),
        last(last) {}
  void complete(Machine &machine) override { core.run(machine, thread, last); }

private:
  TensorCore &core;
  TensorCore::Thread &thread;
  const uint64_t last;
};
} // namespace drawloom::emu

namespace {
class CommitOp : public AsyncOp {
public:
  CommitOp(IssuePoint issue, uint64_t address, std::optional<uint16_t> ranks)
      : AsyncOp(EngineKind::Commit, issue), address(address), ranks(ranks) {}

  void complete(Machine &machine) override {
    if (!ranks) {
      arriveAt(machine, issue, address);
      return;
    }
    for (uint32_t rest = *ranks; rest && !machine.failed(); rest &= rest - 1)
      arriveAt(machine, issue, inRank(address, llvm::countr_zero(rest)));
  }

private:
  const uint64_t address;
  const std::optional<uint16_t> ranks;
};
} // namespace

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

TensorCore::Thread &TensorCore::threadOf(const IssuePoint &issue) {
  for (std::unique_ptr<Thread> &thread : threads)
    if (thread->warp == issue.warp && thread->lanes == issue.lanes)
      return *thread;
  threads.push_back(std::make_unique<Thread>());
  threads.back()->warp = issue.warp;
  threads.back()->lanes = issue.lanes;
  return *threads.back();
}

void TensorCore::issue(TensorWork work) {
  work.number = nextNumber++;
  threadOf(work.issue).work.push_back(std::move(work));
}

void TensorCore::commit(const IssuePoint &issue, uint64_t address,
                        std::optional<uint16_t> ranks) {
  Machine &machine = cta.machine();
  Thread &thread = threadOf(issue);
  if (!thread.work.empty())
    machine.post(thread.queue,
                 std::make_unique<TensorWorkOp>(issue, *this, thread,
                                                thread.work.back().number));
  machine.post(thread.queue, std::make_unique<CommitOp>(issue, address, ranks));
}

/// "'tcgen05.mma.cta_group::1.kind::f16' of line 40"
static std::string nameWork(const Program &program, const Inst *inst) {
  return formatv("{0} of line {1}", quoteMnemonic(program, inst),
                 program.line(inst));
}

std::string TensorCore::checkOrder(const TensorRegion &region, Access access,
                                   bool writes) const {
  const Program &program = cta.grid().program();
  // MMAs and copies are ordered among each other.
  if (access != Access::Async)
    for (const std::unique_ptr<Thread> &thread : threads)
      for (const TensorWork &work : thread->work)
        if (work.writes.overlaps(region) ||
            (writes && work.reads.overlaps(region)))
          return formatv(
              "columns {0} to {1} of tensor memory, which {2} (warp {3}) {4}: "
              "wait for the mbarrier of a tcgen05.commit first",
              region.column, region.column + region.columns - 1,
              nameWork(program, work.issue.inst), work.issue.warp,
              work.writes.overlaps(region) ? "hasn't finished writing"
                                           : "hasn't finished reading");
  for (auto [warp, list] : llvm::enumerate(waits))
    for (const Unwaited &entry : list) {
      if (!entry.region.overlaps(region))
        continue;
      // A load after a load is no conflict; a store after a load of the same
      // warp may be ordered by the registers between them.
      if (!entry.isStore && (!writes || access == Access::Store))
        continue;
      // Two stores of one warp are given in order.
      if (entry.isStore && access == Access::Store)
        continue;
      return formatv(
          "columns {0} to {1} of tensor memory, which {2} (warp {3}) may "
          "still be {4}: there was no tcgen05.wait::{5} behind it",
          region.column, region.column + region.columns - 1,
          nameWork(program, entry.inst), warp,
          entry.isStore ? "writing" : "reading", entry.isStore ? "st" : "ld");
    }
  return "";
}

void TensorCore::started(const Warp &warp, bool isStore,
                         const TensorRegion &region, const Inst *inst) {
  waits[warp.index()].push_back({region, inst, isStore});
}

void TensorCore::waited(const Warp &warp, bool isStore) {
  llvm::erase_if(waits[warp.index()], [&](const Unwaited &entry) {
    return entry.isStore == isStore;
  });
}

//===----------------------------------------------------------------------===//
// The work
//===----------------------------------------------------------------------===//

/// Whether one must be done before the other can be.
static bool conflict(const TensorWork &x, const TensorWork &y) {
  return x.writes.overlaps(y.writes) || x.writes.overlaps(y.reads) ||
         x.reads.overlaps(y.writes);
}

/// Whether `next` adds to what `first` has computed, in the same way.
static bool canJoin(const TensorWork &first, const TensorWork &next) {
  return next.kind == TensorWork::Multiply && next.keeps && !next.scale &&
         next.form == first.form && next.lane == first.lane &&
         next.writes.column == first.writes.column &&
         next.aInTensorMemory == first.aInTensorMemory &&
         llvm::equal(next.disabled, first.disabled);
}

void TensorCore::runEarlier(Machine &machine, const Thread &thread,
                            const TensorWork &work) {
  for (std::unique_ptr<Thread> &other : threads) {
    if (other.get() == &thread)
      continue;
    std::optional<uint64_t> last;
    for (const TensorWork &earlier : other->work)
      if (earlier.number < work.number && conflict(earlier, work))
        last = earlier.number;
    if (last)
      run(machine, *other, *last);
  }
}

void TensorCore::run(Machine &machine, Thread &thread, uint64_t number) {
  // Work leaves the thread before it is done, so that each is done once even
  // if threads have to do each other's work.
  std::vector<TensorWork> list;
  while (!thread.work.empty() && thread.work.front().number <= number) {
    list.push_back(std::move(thread.work.front()));
    thread.work.pop_front();
  }
  // MMAs of several accumulators may alternate; those of one are collected
  // until something gets in between.
  std::vector<Batch> open;
  for (const TensorWork &work : list) {
    runEarlier(machine, thread, work);
    Batch *joined = nullptr;
    for (Batch &batch : open)
      if (canJoin(*batch.front(), work) && batch.size() < work.form.maxSteps())
        joined = &batch;
    if (joined)
      joined->push_back(&work);
    for (Batch &other : open)
      if (&other != joined &&
          llvm::any_of(other, [&](const TensorWork *earlier) {
            return conflict(*earlier, work);
          })) {
        multiply(machine, other);
        other.clear();
      }
    llvm::erase_if(open, [](const Batch &batch) { return batch.empty(); });
    if (work.kind == TensorWork::Copy)
      copy(machine, work);
    else if (!joined)
      open.push_back({&work});
  }
  for (const Batch &batch : open)
    multiply(machine, batch);
}

namespace {
/// D in tensor memory.
struct TensorRows {
  TensorMemory &memory;
  const TensorWork &work;

  struct Row {
    uint32_t *words;
    Word8 load(unsigned column) const {
      return loadVector<Word8>(words + column);
    }
    void store(unsigned column, Word8 values) const {
      storeVector(words + column, values);
    }
  };
  bool skips(unsigned row) const {
    unsigned lane = work.laneOf(row);
    return work.disabled[lane / 32] >> lane % 32 & 1;
  }
  Row row(unsigned row) const {
    return {memory.at(work.laneOf(row), work.writes.column)};
  }
};
} // namespace

void TensorCore::multiply(Machine &machine, const Batch &batch) {
  if (machine.failed())
    return;
  const TensorWork &first = *batch.front();
  const MmaForm &form = first.form;
  TensorMemory &memory = tensorMemory(cta);
  MatrixUnit &unit = matrixUnit(cta);
  unit.begin(form, batch.size());
  for (auto [step, work] : llvm::enumerate(batch)) {
    if (work->aInTensorMemory)
      packRows(
          [&](unsigned row, unsigned c) {
            return reinterpret_cast<const char *>(memory.at(
                work->laneOf(row), work->reads.column + c * pieceBytes / 4));
          },
          form.a, form.m, unit.a(step));
    else if (!packShared(machine, work->issue, cta, "A", work->a, form.a,
                         form.aTransposed, form.m, unit.a(step)))
      return;
    if (!packShared(machine, work->issue, cta, "B", work->b, form.b,
                    form.bTransposed, form.n, unit.b(step)))
      return;
  }
  llvm::Expected<Products> products = unit.multiply();
  if (!products) {
    machine.fail(first.issue, ReportKind::LaunchFailed,
                 llvm::toString(products.takeError()));
    return;
  }
  fold(form, *products, first.keeps, std::ldexp(1.0f, -int(first.scale)),
       TensorRows{memory, first});
}

void TensorCore::copy(Machine &machine, const TensorWork &work) {
  if (machine.failed())
    return;
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
        memcpy(memory.at(llvm::countr_zero(to) * 32 + row % 32,
                         work.writes.column + c * pieceBytes / 4),
               cta.shared() + from, pieceBytes);
    }
}
