//===- Cluster.cpp - barrier.cluster -------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.13.3. A round ends when every thread of the cluster that
// hasn't exited has arrived. A thread arrives and waits in turn: it learns that
// a round has ended only by waiting, so another arrival before that is
// rejected, whatever the others have done by then.

#include "Decode/Decoder.h"
#include "Machine/Grid.h"
#include "Machine/Lanes.h"
#include "Machine/Machine.h"
#include "Machine/Tell.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;

namespace {

class ClusterBarrier : public Extension, public WaitObject {
public:
  static constexpr ExtensionSlot slot = ExtensionSlot::ClusterSync;
  explicit ClusterBarrier(Cluster &cluster)
      : cluster(cluster), warpsPerCta(cluster.cta(0).warps().size()),
        threads(cluster.size() * warpsPerCta) {}

  std::string describe(const Fragment &) const override {
    return "cluster barrier: " + llvm::utostr(arrived) + " of " +
           llvm::utostr(liveThreads()) + " threads have arrived";
  }

  WaitKind waitKind() const override { return WaitKind::Cluster; }

  void lanesExited(Warp &warp, uint32_t lanes) override {
    WarpState &state = of(warp);
    arrived -= std::popcount(state.arrived & lanes);
    state.arrived &= ~lanes;
    completeIfFull(warp, warp.current().pc, lanes);
  }

  /// Lanes that have arrived and not yet waited.
  uint32_t unwaited(Warp &warp) { return of(warp).unwaited; }
  /// Lanes whose round is still under way.
  uint32_t inRound(Warp &warp) { return of(warp).arrived; }

  void arrive(Warp &warp, const Inst *inst, uint32_t lanes) {
    WarpState &state = of(warp);
    state.arrived |= lanes;
    state.unwaited |= lanes;
    arrived += std::popcount(lanes);
    completeIfFull(warp, inst, lanes);
  }
  /// How many rounds have ended.
  uint64_t ended() const { return rounds; }
  void waited(Warp &warp, uint32_t lanes) { of(warp).unwaited &= ~lanes; }

private:
  struct WarpState {
    uint32_t arrived = 0, unwaited = 0;
  };
  WarpState &of(Warp &warp) {
    return threads[warp.cta().rank() * warpsPerCta + warp.index()];
  }
  uint32_t liveThreads() const {
    uint32_t count = 0;
    for (const std::unique_ptr<CTA> &cta : cluster.ctas())
      count += cta->liveThreads();
    return count;
  }
  /// Ends the round if `lanes` of `warp` at `inst` were the last.
  void completeIfFull(Warp &warp, const Inst *inst, uint32_t lanes) {
    if (arrived == 0 || arrived < liveThreads())
      return;
    if (warp.listener()) [[unlikely]]
      tell(warp.issuePoint(inst, lanes),
           BarrierEvent{.kind = BarrierEvent::Complete,
                        .level = BarrierEvent::Cluster,
                        .generation = rounds});
    ++rounds;
    arrived = 0;
    for (WarpState &state : threads)
      state.arrived = 0;
    wakeAll();
  }

  Cluster &cluster;
  size_t warpsPerCta;
  std::vector<WarpState> threads; ///< By CTA and warp.
  uint32_t arrived = 0;
  uint64_t rounds = 0;
};

} // namespace

static ClusterBarrier &barrierOf(Warp &warp) {
  Cluster &cluster = warp.cta().cluster();
  return cluster.extensions.get<ClusterBarrier>(cluster);
}

/// Of an arrival or a wait; they are in one round.
static void tellRound(Warp &warp, const Inst *inst, uint32_t mask,
                      BarrierEvent event) {
  const ptx::Variant &variant = *warp.program().source(inst)->variant;
  event.level = BarrierEvent::Cluster;
  event.order = orderOf(variant.get(Slot::Sem), event.order);
  tell(warp.issuePoint(inst, mask), event);
}

static const Inst *arrive(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next = inst + 1;
  if (inst->imm) {
    mask = warp.convergeAll(inst, mask, next);
    if (!mask)
      return next;
  }
  ClusterBarrier &barrier = barrierOf(warp);
  if (uint32_t twice = barrier.unwaited(warp) & mask)
    return warp.fail(inst, twice, ReportKind::Protocol,
                     "a second arrival at the cluster barrier without a "
                     "barrier.cluster.wait since the first");
  if (warp.listener()) [[unlikely]]
    tellRound(warp, inst, mask,
              BarrierEvent{.kind = BarrierEvent::Arrive,
                           .generation = barrier.ended(),
                           .order = Order::Release});
  barrier.arrive(warp, inst, mask);
  return next;
}

static const Inst *wait(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next = inst + 1;
  if (inst->imm) {
    mask = warp.convergeAll(inst, mask, next);
    if (!mask)
      return next;
  }
  ClusterBarrier &barrier = barrierOf(warp);
  if (uint32_t never = mask & ~barrier.unwaited(warp))
    return warp.fail(inst, never, ReportKind::Protocol,
                     "a wait at the cluster barrier without a "
                     "barrier.cluster.arrive in front of it");
  uint32_t waiting = barrier.inRound(warp) & mask;
  uint32_t through = mask & ~waiting;
  if (through) {
    barrier.waited(warp, through);
    if (warp.listener()) [[unlikely]]
      tellRound(warp, inst, through,
                BarrierEvent{.kind = BarrierEvent::Wait,
                             .generation = barrier.ended() - 1,
                             .order = Order::Acquire});
  }
  return waiting ? warp.wait(inst, waiting, barrier, WaitMode::Retry) : next;
}

static bool decodeClusterBarrier(Decoder &decoder, Inst &inst) {
  inst.fn = decoder.opcode() == Opcode::BarrierClusterArrive ? arrive : wait;
  inst.imm = decoder.has(Modifier::Aligned);
  return true;
}

void drawloom::emu::registerCluster(DecodeTable &table) {
  table.add(Opcode::BarrierClusterArrive, decodeClusterBarrier);
  table.add(Opcode::BarrierClusterWait, decodeClusterBarrier);
}
