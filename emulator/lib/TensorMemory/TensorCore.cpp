//===- TensorCore.cpp - The tcgen05 work of a pair of CTAs ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMemory/TensorCore.h"
#include "Engine/Engine.h"
#include "Engine/MbarrierObject.h"
#include "Machine/Lanes.h"
#include "Machine/Machine.h"
#include "Timing/Clock.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

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
      arriveAt(machine, issue, address, Scope::Cluster);
    } else {
      for (uint32_t rest = *ranks; rest && !machine.failed(); rest &= rest - 1)
        arriveAt(machine, issue, inRank(address, llvm::countr_zero(rest)),
                 Scope::Cluster);
    }
    tellOperation(issue, {.kind = OperationEvent::Complete, .engine = kind});
  }

  void tellIssue() const {
    llvm::SmallVector<uint64_t, 16> barriers;
    if (!ranks)
      barriers.push_back(address);
    for (uint32_t rest = ranks.value_or(0); rest; rest &= rest - 1)
      barriers.push_back(inRank(address, llvm::countr_zero(rest)));
    tellOperation(issue, {.engine = kind, .barriers = barriers});
  }

private:
  const uint64_t address;
  const std::optional<uint16_t> ranks;
};
} // namespace

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

TensorCores::TensorCores(Cluster &cluster) {
  for (uint32_t first = 0; first < cluster.size(); first += 2)
    pairs.push_back(std::make_unique<TensorCore>(cluster, first));
}

TensorCore::TensorCore(Cluster &cluster, uint32_t first)
    : cluster(cluster), first(first),
      stores(2 * cluster.cta(first).warps().size()) {}

TensorCore::Thread &TensorCore::threadOf(const IssuePoint &issue) {
  for (std::unique_ptr<Thread> &thread : threads)
    if (thread->cta == issue.cta && thread->warp == issue.warp &&
        thread->lanes == issue.lanes)
      return *thread;
  threads.push_back(std::make_unique<Thread>());
  threads.back()->cta = issue.cta;
  threads.back()->warp = issue.warp;
  threads.back()->lanes = issue.lanes;
  return *threads.back();
}

/// When the work is done as far as a commit is concerned.
static uint64_t timeOf(Clock &clock, const TensorWork &work, uint64_t now) {
  CTA &cta = *work.issue.cta;
  llvm::SmallVector<uint32_t, 2> sms = {cta.sm().index};
  if (work.pair)
    sms.push_back(cta.cluster().cta(cta.rank() ^ 1).sm().index);
  if (work.kind != TensorWork::Multiply)
    return clock.copyTensor(
        sms, uint64_t(work.copyRows) * work.copyPieces * pieceBytes, now);
  return clock.multiply(sms,
                        {.rows = work.form.m,
                         .columns = work.form.n,
                         .aInTensorMemory = work.aInTensorMemory,
                         .aIsSparse = bool(work.form.sparsity)},
                        now);
}

void TensorCore::issue(TensorWork work) {
  work.number = nextNumber++;
  tellOperation(work.issue, {.engine = EngineKind::MatrixMultiply});
  Thread &thread = threadOf(work.issue);
  Machine &machine = cluster.machine();
  if (Clock *clock = machine.clock()) [[unlikely]]
    thread.due = std::max(thread.due, timeOf(*clock, work, machine.now));
  thread.work.push_back(std::move(work));
}

void TensorCore::commit(const IssuePoint &issue, uint64_t address,
                        std::optional<uint16_t> ranks) {
  Machine &machine = cluster.machine();
  Thread &thread = threadOf(issue);
  if (!thread.work.empty()) {
    auto work = std::make_unique<TensorWorkOp>(issue, *this, thread,
                                               thread.work.back().number);
    work->due = thread.due;
    machine.post(thread.queue, std::move(work));
  }
  auto commit = std::make_unique<CommitOp>(issue, address, ranks);
  if (cluster.listener()) [[unlikely]]
    commit->tellIssue();
  commit->due = thread.due;
  machine.post(thread.queue, std::move(commit));
}

std::string TensorCore::nameWork(const IssuePoint &issue) const {
  const Program &program = cluster.grid().program();
  std::string cta = cluster.size() == 1
                        ? ""
                        : formatv("CTA rank {0}, ", issue.cta->rank()).str();
  return formatv("{0} of line {1} ({2}warp {3})",
                 quoteMnemonic(program, issue.inst), program.line(issue.inst),
                 cta, issue.warp);
}

std::string TensorCore::checkOrder(const TensorRegion &region, Access access,
                                   bool writes) const {
  // MMAs and copies are ordered among each other.
  if (access != Access::Async)
    for (const std::unique_ptr<Thread> &thread : threads)
      for (const TensorWork &work : thread->work)
        if (work.writes.overlaps(region) || (writes && work.readsAny(region)))
          return formatv(
              "columns {0} to {1} of tensor memory, which {2} {3}: wait for "
              "the mbarrier of a tcgen05.commit first",
              region.column, region.column + region.columns - 1,
              nameWork(work.issue),
              work.writes.overlaps(region) ? "hasn't finished writing"
                                           : "hasn't finished reading");
  // Two stores of one warp are given in order.
  if (access == Access::Store)
    return "";
  for (const llvm::SmallVectorImpl<Store> &list : stores)
    for (const Store &store : list)
      if (store.region.overlaps(region))
        return formatv("columns {0} to {1} of tensor memory, which {2} may "
                       "still be writing: there was no tcgen05.wait::st behind "
                       "it",
                       region.column, region.column + region.columns - 1,
                       nameWork(store.issue));
  return "";
}

llvm::SmallVectorImpl<TensorCore::Store> &TensorCore::storesOf(Warp &warp) {
  return stores[(warp.cta().rank() - first) * stores.size() / 2 + warp.index()];
}

void TensorCore::stored(Warp &warp, const TensorRegion &region,
                        const Inst *inst) {
  storesOf(warp).push_back({region, warp.issuePoint(inst, allLanes)});
}

//===----------------------------------------------------------------------===//
// The order of the work
//===----------------------------------------------------------------------===//

/// Whether one must be done before the other can be.
static bool conflict(const TensorWork &x, const TensorWork &y) {
  return x.writes.overlaps(y.writes) || y.readsAny(x.writes) ||
         x.readsAny(y.writes);
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

void TensorCore::finishProducts(
    llvm::function_ref<bool(const TensorProduct &)> wanted) {
  for (std::unique_ptr<Thread> &thread : threads)
    llvm::erase_if(thread->products,
                   [&](const std::unique_ptr<TensorProduct> &product) {
                     if (!wanted(*product))
                       return false;
                     product->finish(cluster.machine());
                     return true;
                   });
}

void TensorCore::settle(const TensorRegion &region) {
  finishProducts(
      [&](const TensorProduct &product) { return product.writes(region); });
}

void TensorCore::run(Machine &machine, Thread &thread, uint64_t number) {
  // Work leaves the thread before it is done, so that each is done once even
  // if threads have to do each other's work.
  std::vector<TensorWork> list;
  while (!thread.work.empty() && thread.work.front().number <= number) {
    list.push_back(std::move(thread.work.front()));
    thread.work.pop_front();
  }
  if (machine.options().withoutData)
    return;
  // MMAs of several accumulators may alternate; those of one are collected
  // until something gets in between.
  for (const TensorWork &work : list) {
    runEarlier(machine, thread, work);
    auto it = llvm::find_if(thread.products,
                            [&](const std::unique_ptr<TensorProduct> &product) {
                              return product->canJoin(work);
                            });
    TensorProduct *joined = it == thread.products.end() ? nullptr : it->get();
    finishProducts([&](const TensorProduct &product) {
      return &product != joined && product.blocks(work);
    });
    if (work.kind == TensorWork::Copy) {
      copy(machine, work);
    } else if (work.kind == TensorWork::Shift) {
      shift(machine, work);
    } else if (joined) {
      joined->add(work);
    } else {
      thread.products.push_back(std::make_unique<TensorProduct>(work));
      thread.products.back()->add(work);
    }
  }
  for (const std::unique_ptr<TensorProduct> &product : thread.products)
    product->read(machine);
  if (cluster.listener() && !machine.failed()) [[unlikely]]
    llvm::for_each(list, tellWork);
}
