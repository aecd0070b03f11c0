//===- BulkStore.cpp - Copies from shared to global memory ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Groups: PTX ISA, section 9.7.9.27.2.

#include "Execute/Copy/BulkStore.h"
#include "Engine/Engine.h"
#include "Execute/Copy/AsyncGroups.h"
#include "Machine/Lanes.h"
#include "Machine/Machine.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Opcode;

BulkStore::~BulkStore() = default;

namespace {

/// The groups that a copy belongs to, of each lane that asked for it.
struct LaneGroups {
  uint8_t lane;
  uint32_t read, whole;
};
using Groups = llvm::SmallVector<LaneGroups, 1>;

class WriteStep : public AsyncOp {
public:
  WriteStep(EngineKind kind, std::unique_ptr<BulkStore> store,
            WarpCopies &copies, Groups groups)
      : AsyncOp(kind, store->issue), store(std::move(store)), copies(copies),
        groups(std::move(groups)) {
    Machine &machine = issue.cta->machine();
    if (Clock *clock = machine.clock()) [[unlikely]] {
      MemoryClock::Traffic traffic;
      this->store->touch(*clock, machine.now, traffic);
      // What is written goes to DRAM some time, whether it was in L2 or not.
      traffic.missed = traffic.bytes;
      clock->memory.transfer(traffic, machine.now);
      due = clock->finishStore(machine.now);
    }
  }

  void complete(Machine &machine) override {
    store->write(machine);
    tellOperation(issue, {.kind = OperationEvent::Complete, .engine = kind});
    machine.worker().buffers.push_back(std::move(store->data));
    for (const LaneGroups &group : groups)
      copies.bulk.end(group.lane, group.whole);
  }

private:
  std::unique_ptr<BulkStore> store;
  WarpCopies &copies;
  Groups groups;
};

class ReadStep : public AsyncOp {
public:
  ReadStep(EngineKind kind, std::unique_ptr<BulkStore> store,
           WarpCopies &copies)
      : AsyncOp(kind, store->issue), store(std::move(store)), copies(copies) {
    forEachLane(issue.lanes, [&](unsigned lane) {
      groups.push_back({uint8_t(lane), copies.bulkReads.begin(lane),
                        copies.bulk.begin(lane)});
    });
    SharedUses::begin(*issue.cta, *this, "reads");
    if (listenerOf(issue)) [[unlikely]]
      tellIssue();
    if (Clock *clock = issue.cta->machine().clock()) [[unlikely]]
      due = clock->store(issue.cta->sm().index, this->store->size(),
                         issue.cta->machine().now);
  }

  void complete(Machine &machine) override {
    std::vector<std::vector<char>> &buffers = machine.worker().buffers;
    if (!buffers.empty()) {
      store->data = std::move(buffers.back());
      buffers.pop_back();
    }
    store->read(machine);
    tellOperation(issue, {.kind = OperationEvent::SourceRead, .engine = kind});
    SharedUses::end(*issue.cta, *this);
    machine.post(
        std::make_unique<WriteStep>(kind, std::move(store), copies, groups));
    for (const LaneGroups &group : groups)
      copies.bulkReads.end(group.lane, group.read);
  }

private:
  void tellIssue() const {
    uint32_t joined[32] = {};
    for (const LaneGroups &group : groups)
      joined[group.lane] = group.whole;
    tell(issue, OperationEvent{.engine = kind, .groups = joined});
  }

  std::unique_ptr<BulkStore> store;
  WarpCopies &copies;
  Groups groups;
};

} // namespace

static WarpCopies &copiesOf(Warp &warp) {
  return warp.extensions.get<WarpCopies>();
}

void BulkStore::post(Warp &warp, EngineKind kind,
                     std::unique_ptr<BulkStore> store) {
  warp.machine().post(
      std::make_unique<ReadStep>(kind, std::move(store), copiesOf(warp)));
}

static const Inst *commitGroup(Warp &warp, const Inst *inst, uint32_t mask) {
  WarpCopies &copies = copiesOf(warp);
  copies.bulkReads.commit(mask);
  copies.bulk.commit(mask);
  if (warp.listener()) [[unlikely]]
    copies.bulk.tellCommit(warp, inst, mask);
  return inst + 1;
}

template <bool readOnly>
static const Inst *waitGroup(Warp &warp, const Inst *inst, uint32_t mask) {
  WarpCopies &copies = copiesOf(warp);
  return (readOnly ? copies.bulkReads : copies.bulk)
      .wait(warp, inst, mask, inst->imm);
}

static bool decodeGroup(Decoder &decoder, Inst &inst) {
  if (decoder.opcode() == Opcode::CpAsyncBulkCommitGroup) {
    inst.fn = commitGroup;
    return true;
  }
  inst.fn =
      decoder.has(ptx::Modifier::Read) ? waitGroup<true> : waitGroup<false>;
  inst.imm = decoder.operand(0).integer();
  return true;
}

void drawloom::emu::registerBulkStore(DecodeTable &table) {
  table.add(Opcode::CpAsyncBulkCommitGroup, decodeGroup);
  table.add(Opcode::CpAsyncBulkWaitGroup, decodeGroup);
}
