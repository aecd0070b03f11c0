//===- RemoteStore.cpp - st.async and red.async --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.9.12 and 9.7.13.7: stores and reductions to the shared
// memory of a cluster that complete bytes of an mbarrier there, and releases to
// global memory, which are done when the CTA ends, if not before. What the
// lanes of a warp store is one operation.

#include "Engine/Engine.h"
#include "Engine/MbarrierObject.h"
#include "Execute/Memory/Reduction.h"
#include "Machine/Lanes.h"
#include "Machine/Machine.h"
#include "Memory/Access.h"
#include "Timing/Clock.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::StateSpace;

namespace {

struct RemoteStoreInfo {
  EngineAddress to, barrier;
  llvm::ArrayRef<Reg> values;
  uint32_t valueBytes = 0;
  Reduce *reduce = nullptr; ///< Null for a store.
  AccessEvent event;        ///< What is promised of the access.

  uint32_t bytes() const { return valueBytes * values.size(); }
  /// What a lane stores, which is at most 16 bytes.
  void read(Warp &warp, unsigned lane, char *to) const {
    const uint32_t apart = std::max(valueBytes, 4u);
    for (auto [index, reg] : llvm::enumerate(values))
      memcpy(to + index * valueBytes, warp.lanes<char>(reg) + lane * apart,
             valueBytes);
  }
};

/// Tells the listener, if there is one, what the lanes have stored.
template <typename Stores>
void tellStores(const IssuePoint &issue, AccessEvent event,
                const Stores &stores, uint32_t bytes) {
  if (!listenerOf(issue))
    return;
  RangeList ranges;
  for (const auto &store : stores)
    ranges.addLane(store.lane, store.to, bytes);
  event.ranges = ranges.get();
  tell(issue, event);
}

class RemoteStore : public AsyncOp {
public:
  RemoteStore(IssuePoint issue, const RemoteStoreInfo &info)
      : AsyncOp(EngineKind::RemoteStore, issue), bytes(info.bytes()),
        reduce(info.reduce), event(info.event) {}

  void add(CTA &target, unsigned lane, uint64_t to, uint64_t barrier,
           const char *value) {
    stores.push_back({to, barrier, uint8_t(lane), {}});
    memcpy(stores.back().value, value, bytes);
    SharedUses::begin(target, *this, "writes");
  }

  void complete(Machine &machine) override {
    Cluster &cluster = issue.cta->cluster();
    for (const Store &store : stores) {
      char *memory = translate(cluster, store.to, bytes);
      if (reduce)
        reduce(memory, store.value, bytes);
      else
        memcpy(memory, store.value, bytes);
      SharedUses::end(cluster.cta(rankOf(store.to)), *this);
    }
    tellStores(issue, event, stores, bytes);
    for (const Store &store : stores)
      if (!machine.failed())
        completeBytes(machine, issue, store.barrier, bytes);
    tellOperation(issue, {.kind = OperationEvent::Complete, .engine = kind});
  }

  void setDue() {
    Machine &machine = issue.cta->machine();
    if (Clock *clock = machine.clock()) [[unlikely]]
      due = clock->copyRemote(issue.cta->sm().index, bytes * stores.size(),
                              machine.now);
  }

  void tellIssue() const {
    llvm::SmallVector<uint64_t, 32> barriers;
    for (const Store &store : stores)
      barriers.push_back(store.barrier);
    tellOperation(issue, {.engine = kind, .barriers = barriers});
  }

private:
  struct Store {
    uint64_t to, barrier;
    uint8_t lane;
    char value[16];
  };
  uint32_t bytes;
  Reduce *reduce;
  const AccessEvent event;
  llvm::SmallVector<Store, 1> stores;
};

/// The same to global memory.
class ReleaseStore : public AsyncOp {
public:
  ReleaseStore(IssuePoint issue, const RemoteStoreInfo &info)
      : AsyncOp(EngineKind::RemoteStore, issue), bytes(info.bytes()),
        reduce(info.reduce), event(info.event) {}

  void add(unsigned lane, uint64_t to, const char *value) {
    stores.push_back({to, uint8_t(lane), {}});
    memcpy(stores.back().value, value, bytes);
  }

  void complete(Machine &machine) override {
    for (const Store &store : stores) {
      char *memory = translateOrFail(issue, AccessKind::Write, store.to, bytes);
      if (!memory)
        return;
      if (reduce)
        reduce(memory, store.value, bytes);
      else
        memcpy(memory, store.value, bytes);
    }
    tellStores(issue, event, stores, bytes);
    tellOperation(issue, {.kind = OperationEvent::Complete, .engine = kind});
  }

private:
  struct Store {
    uint64_t to;
    uint8_t lane;
    char value[8];
  };
  uint32_t bytes;
  Reduce *reduce;
  const AccessEvent event;
  llvm::SmallVector<Store, 1> stores;
};

} // namespace

static const Inst *storeRelease(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<RemoteStoreInfo>();
  auto operation =
      std::make_unique<ReleaseStore>(warp.newOperation(inst, mask), info);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    uint64_t to = info.to.of(warp, lane);
    if (!EngineCheck(warp, inst, lane)
             .range("destination", to, info.bytes(), info.bytes(),
                    StateSpace::Global, AccessKind::Write))
      return Inst::leave();
    char value[16];
    info.read(warp, lane, value);
    operation->add(lane, to, value);
  }
  tellOperation(operation->issue, {.engine = EngineKind::RemoteStore});
  warp.machine().post(std::move(operation));
  return inst + 1;
}

static const Inst *storeRemote(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<RemoteStoreInfo>();
  CTA &cta = warp.cta();
  auto operation =
      std::make_unique<RemoteStore>(warp.newOperation(inst, mask), info);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    EngineCheck check(warp, inst, lane);
    uint64_t to = info.to.of(warp, lane);
    uint64_t barrier = info.barrier.of(warp, lane);
    if (!check.range("destination", to, info.bytes(), info.bytes(),
                     StateSpace::SharedCluster))
      return Inst::leave();
    if (rankOf(barrier) != rankOf(to))
      return check.fail(ReportKind::Protocol,
                        "the destination is in CTA rank " + Twine(rankOf(to)) +
                            ", and its mbarrier in rank " +
                            Twine(rankOf(barrier)));
    if (info.reduce ? isOwn(cta, to) : cta.cluster().size() == 1)
      return check.fail(ReportKind::Protocol,
                        info.reduce
                            ? "the destination is in this CTA; it must be in "
                              "another one of the cluster"
                            : "the cluster has one CTA only");
    llvm::SmallVector<CopyTarget, 1> targets;
    if (!check.targets(to, barrier, false, 0, false, targets))
      return Inst::leave();
    char value[16];
    info.read(warp, lane, value);
    operation->add(targets.front().cta(cta), lane, to, barrier, value);
  }
  if (warp.listener()) [[unlikely]]
    operation->tellIssue();
  operation->setDue();
  warp.machine().post(std::move(operation));
  return inst + 1;
}

static bool decodeRemoteStore(Decoder &decoder, Inst &inst) {
  RemoteStoreInfo info;
  StateSpace space = ptx::spaceOf(decoder.get(Slot::Space));
  info.to = decodeEngineAddress(decoder, decoder.operand(0), space);
  info.values = decoder.keepList<Reg>(decoder.sources(1, decoder.type()));
  info.valueBytes = ptx::bitsOf(decoder.type()) / 8;
  bool isRemote = decoder.get(Slot::Completion) != Modifier::None;
  if (isRemote)
    info.barrier = decodeEngineAddress(decoder, decoder.operand(2), space);
  if (decoder.opcode() == Opcode::RedAsync) {
    info.reduce = reductionOf(decoder.get(Slot::Op), decoder.type(), false);
    if (!info.reduce)
      return false;
  }
  info.event.kind = info.reduce ? AccessKind::Reduce : AccessKind::Write;
  info.event.order = orderOf(decoder.get(Slot::Sem),
                             info.reduce ? Order::Relaxed : Order::Weak);
  info.event.scope = scopeOf(decoder.get(Slot::Scope),
                             info.reduce ? Scope::Cluster : Scope::None);
  inst.fn = isRemote ? storeRemote : storeRelease;
  inst.extra = decoder.keep(info);
  return true;
}

void drawloom::emu::registerRemoteStore(DecodeTable &table) {
  table.add(Opcode::StAsync, decodeRemoteStore);
  table.add(Opcode::RedAsync, decodeRemoteStore);
}
