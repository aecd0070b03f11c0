//===- SeededBugs.cpp - SeededBugs between passes
//---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SeededBugs.h"
#include "RunStages.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "suite/ExampleCases.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::stages;
using drawloom::tile::KernelOp;

//===----------------------------------------------------------------------===//
// Finding operations
//===----------------------------------------------------------------------===//

/// The first such operation of a role, or of any; null if there is none.
template <typename OpT>
static OpT find(
    KernelOp kernel, StringRef role,
    llvm::function_ref<bool(OpT)> isWanted = [](OpT) { return true; }) {
  OpT found;
  kernel.walk([&](OpT op) {
    auto own = op->template getParentOfType<RoleOp>();
    bool isIn = role.empty() || (own && own.getSymName() == role);
    if (!found && isIn && isWanted(op))
      found = op;
  });
  return found;
}

/// The name of a barrier's ring: "operands.full".
static StringRef getRing(Value barrier) {
  return barrier.getDefiningOp<BarrierOp>()
      .getBarriers()
      .getDefiningOp<BarriersOp>()
      .getName();
}

/// The first one at the barriers of that name.
template <typename OpT>
static OpT findAt(KernelOp kernel, StringRef role, StringRef ring) {
  return find<OpT>(kernel, role,
                   [&](OpT op) { return getRing(op.getBarrier()) == ring; });
}

static BarriersOp findBarriers(KernelOp kernel, StringRef name) {
  return find<BarriersOp>(kernel, "",
                          [&](BarriersOp op) { return op.getName() == name; });
}

static SlotsOp findSlots(KernelOp kernel, StringRef name) {
  return find<SlotsOp>(kernel, "",
                       [&](SlotsOp op) { return op.getName() == name; });
}

static FenceOp findFence(KernelOp kernel, StringRef role, Fence fence) {
  return find<FenceOp>(kernel, role,
                       [&](FenceOp op) { return op.getFence() == fence; });
}

/// The fence right before the arrival that gives tensor memory back.
static FenceOp findReleasingFence(KernelOp kernel, StringRef role) {
  return find<FenceOp>(kernel, role, [](FenceOp op) {
    return op.getFence() == Fence::tensor_before &&
           isa<ArriveOp>(op->getNextNode());
  });
}

static DrainOp findDrain(KernelOp kernel, StringRef role, Work work) {
  return find<DrainOp>(kernel, role,
                       [&](DrainOp op) { return op.getWork() == work; });
}

/// The barriers of the epilogue's warps around the writes of one subtile.
static SyncOp findStagingSync(KernelOp kernel, unsigned number) {
  DrainOp drain = find<DrainOp>(kernel, "epilogue", [](DrainOp op) {
    return op.getWork() == Work::stores && op.getPending() != 0;
  });
  unsigned seen = 0;
  for (Operation *op = drain ? drain->getParentOp() : nullptr; op;
       op = op->getNextNode())
    if (auto sync = dyn_cast<SyncOp>(op); sync && seen++ == number)
      return sync;
  return {};
}

//===----------------------------------------------------------------------===//
// Changing them
//===----------------------------------------------------------------------===//

static bool erase(Operation *op) {
  if (op)
    op->erase();
  return op != nullptr;
}

static bool moveBefore(Operation *op, Operation *other) {
  if (!op || !other)
    return false;
  // What it takes goes along.
  for (Value operand : op->getOperands())
    if (Operation *made = operand.getDefiningOp();
        made && made->getBlock() == op->getBlock())
      made->moveBefore(other);
  op->moveBefore(other);
  return true;
}

static Value makeNumber(Operation *op, int64_t number, Type type) {
  OpBuilder b(op);
  return arith::ConstantOp::create(b, op->getLoc(),
                                   b.getIntegerAttr(type, number));
}

/// Waits for the other parity.
static bool flipParity(WaitOp wait) {
  if (!wait)
    return false;
  OpBuilder b(wait);
  Value one = makeNumber(wait, 1, b.getI32Type());
  wait.getParityMutable().assign(
      arith::XOrIOp::create(b, wait.getLoc(), wait.getParity(), one));
  return true;
}

static bool setCount(AdvanceOp op, int64_t more) {
  if (op)
    op.setCount(op.getCount() + more);
  return op != nullptr;
}

static bool setArrivals(BarriersOp op, int64_t more) {
  if (op)
    op.setArrivals(op.getArrivals() + more);
  return op != nullptr;
}

static bool addBytes(ExpectOp op, int64_t more) {
  if (!op)
    return false;
  OpBuilder b(op);
  Value number = makeNumber(op, more, b.getI32Type());
  op.getBytesMutable().assign(
      arith::AddIOp::create(b, op.getLoc(), op.getBytes(), number));
  return true;
}

/// Takes slot 0, whichever it is.
static bool takeFirst(SlotOp op) {
  if (op)
    op.getIndexMutable().assign(
        makeNumber(op, 0, IntegerType::get(op->getContext(), 32)));
  return op != nullptr;
}

static SlotOp findSlot(KernelOp kernel, StringRef role, StringRef slots,
                       unsigned value = 0) {
  return find<SlotOp>(kernel, role, [&](SlotOp op) {
    return op.getSlots().getDefiningOp<SlotsOp>().getName() == slots &&
           op.getValue() == value;
  });
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
struct SeededBug {
  llvm::StringLiteral name, program, arch, pass;
  /// What the stage with the bug says.
  llvm::StringLiteral words;
  bool (*apply)(KernelOp);
};
} // namespace

static constexpr SeededBug bugs[] = {
    {"stride-of-one", "gemm", "sm_100a", "lower-work-tiles",
     "@epilogue waits for a full slot of 'result'",
     [](KernelOp k) {
       auto loop = find<scf::ForOp>(k, "epilogue", [](scf::ForOp op) {
         return isa<RoleOp>(op->getParentOp());
       });
       loop.getStepMutable().assign(
           makeNumber(loop, 1, IndexType::get(loop->getContext())));
       return true;
     }},
    {"end-not-published", "dynamic_gemm", "sm_100a", "lower-work-tiles",
     "no role can move: @scheduler has ended",
     [](KernelOp k) {
       auto publish = find<PublishOp>(k, "scheduler");
       publish.getThereMutable().assign(
           makeNumber(publish, 1, IntegerType::get(publish->getContext(), 1)));
       return true;
     }},
    {"wrong-first-phase", "gemm", "sm_100a", "assign-slot-phase",
     "is at slot 0 of pipe 'operands', phase 0, but the next one is slot 0, "
     "phase 1",
     [](KernelOp k) {
       find<VariableOp>(k, "operand_load").setInitial({0, 0});
       return true;
     }},
    {"variable-of-another-pipe", "gemm", "sm_100a", "assign-slot-phase",
     "of pipe 'output'",
     [](KernelOp k) {
       auto consume = find<ConsumeOp>(k, "epilogue", [](ConsumeOp op) {
         return op.getEngine(0) == Engine::tma;
       });
       consume.getAtMutable().assign(
           find<VariableOp>(k, "epilogue", [](VariableOp op) {
             return op.getName() == "result.empties";
           }).getVariable());
       return true;
     }},
    {"fence-async-dropped", "gemm", "sm_100a", "lower-pipes",
     "no 'agent.fence async' comes between",
     [](KernelOp k) { return erase(findFence(k, "epilogue", Fence::async)); }},
    {"fence-after-dropped-in-mma", "gemm", "sm_100a", "lower-pipes",
     "no 'agent.fence tensor_after' comes between",
     [](KernelOp k) {
       // One of the two is enough.
       return erase(findFence(k, "mma", Fence::tensor_after)) &&
              erase(findFence(k, "mma", Fence::tensor_after));
     }},
    {"fence-after-dropped-in-epilogue", "gemm", "sm_100a", "lower-pipes",
     "no 'agent.fence tensor_after' comes between",
     [](KernelOp k) {
       return erase(findFence(k, "epilogue", Fence::tensor_after));
     }},
    {"fence-before-dropped", "gemm", "sm_100a", "lower-pipes",
     "while the tcgen05.ld of @epilogue may still read it",
     [](KernelOp k) { return erase(findReleasingFence(k, "epilogue")); }},
    {"wait-for-full-dropped", "gemm", "sm_100a", "lower-pipes",
     "reads slot 0 of 'operands', which a bulk load of @operand_load wrote",
     [](KernelOp k) {
       return erase(findAt<WaitOp>(k, "mma", "operands.full"));
     }},
    {"wait-for-empty-dropped", "gemm", "sm_100a", "lower-pipes",
     "no barrier, drain or sync orders the two",
     [](KernelOp k) {
       return erase(findAt<WaitOp>(k, "operand_load", "operands.empty"));
     }},
    {"wait-for-empty-dropped-of-output", "gemm", "sm_90a", "lower-pipes",
     "while the bulk stores of @compute may still read it",
     [](KernelOp k) {
       return erase(findAt<WaitOp>(k, "compute", "output.empty"));
     }},
    {"sync-before-staging-dropped", "gemm", "sm_100a", "lower-pipes",
     "while the bulk stores of @epilogue may still read it",
     [](KernelOp k) { return erase(findStagingSync(k, 0)); }},
    {"sync-after-staging-dropped", "gemm", "sm_100a", "lower-pipes",
     "which the threads of @epilogue wrote, and no barrier",
     [](KernelOp k) { return erase(findStagingSync(k, 1)); }},
    {"wrong-phase-of-producer", "gemm", "sm_100a", "lower-pipes",
     "@operand_load waits for parity 0 of 'operands.empty'[0]",
     [](KernelOp k) {
       return flipParity(findAt<WaitOp>(k, "operand_load", "operands.empty"));
     }},
    {"wrong-phase-of-consumer", "gemm", "sm_100a", "lower-pipes",
     "@mma waits for parity 1 of 'operands.full'[0]",
     [](KernelOp k) {
       return flipParity(findAt<WaitOp>(k, "mma", "operands.full"));
     }},
    {"wrong-phase-of-accumulator", "gemm", "sm_100a", "schedule-wgmma",
     "no role can move",
     [](KernelOp k) {
       return flipParity(findAt<WaitOp>(k, "epilogue", "result.full"));
     }},
    {"one-arrival-too-many", "gemm", "sm_100a", "lower-pipes",
     "lacks 1 of 5 arrivals",
     [](KernelOp k) {
       return setArrivals(findBarriers(k, "result.empty"), 1);
     }},
    {"one-arrival-too-few", "gemm", "sm_100a", "lower-pipes",
     "no role can move",
     [](KernelOp k) {
       return setArrivals(findBarriers(k, "result.empty"), -3);
     }},
    {"one-slot-too-few", "gemm", "sm_100a", "lower-pipes", "no role can move",
     [](KernelOp k) {
       return setCount(find<AdvanceOp>(k, "operand_load"), -1);
     }},
    {"one-slot-too-many", "gemm", "sm_100a", "lower-pipes",
     "barrier 4 of 'operands.full' in CTA 0 does not exist",
     [](KernelOp k) {
       return setCount(find<AdvanceOp>(k, "operand_load"), 1);
     }},
    {"one-slot-of-memory-too-few", "gemm", "sm_100a", "lower-pipes",
     "slot 3 of 'operands' does not exist; it has 3",
     [](KernelOp k) {
       SlotsOp slots = findSlots(k, "operands");
       slots.setCount(slots.getCount() - 1);
       return true;
     }},
    {"arrival-at-the-wrong-barrier", "gemm", "sm_100a", "lower-pipes",
     "no role can move",
     [](KernelOp k) {
       auto arrive = findAt<ArriveOp>(k, "mma", "operands.empty");
       arrive.getBarrier()
           .getDefiningOp<BarrierOp>()
           .getBarriersMutable()
           .assign(findBarriers(k, "operands.full").getBarriers());
       return true;
     }},
    {"early-release-of-operands", "gemm", "sm_100a", "lower-pipes",
     "while the tensor core for @mma may still read it",
     [](KernelOp k) {
       return moveBefore(findAt<ArriveOp>(k, "mma", "operands.empty"),
                         find<MultiplyOp>(k, "mma"));
     }},
    {"early-release-of-accumulator", "gemm", "sm_100a", "access-memory",
     "while the tcgen05.ld of @epilogue may still read it",
     [](KernelOp k) {
       auto loop = find<scf::ForOp>(k, "epilogue", [](scf::ForOp op) {
         return isa<scf::ForOp>(op->getParentOp());
       });
       return moveBefore(findReleasingFence(k, "epilogue"), loop) &&
              moveBefore(findAt<ArriveOp>(k, "epilogue", "result.empty"), loop);
     }},
    {"early-release-of-staging", "gemm", "sm_100a", "lower-pipes",
     "while the bulk stores of @epilogue may still read it",
     [](KernelOp k) {
       DrainOp drain = findDrain(k, "epilogue", Work::stores);
       drain.setPending(drain.getPending() + 1);
       return true;
     }},
    {"drain-dropped", "gemm", "sm_100a", "lower-pipes",
     "while the bulk stores of @epilogue may still read it",
     [](KernelOp k) { return erase(findDrain(k, "epilogue", Work::stores)); }},
    {"commit-dropped", "gemm", "sm_100a", "lower-pipes",
     "while the bulk stores of @epilogue may still read it",
     [](KernelOp k) { return erase(find<CommitStoresOp>(k, "epilogue")); }},
    {"too-few-bytes", "gemm", "sm_100a", "lower-pipes",
     "no barrier, drain or sync orders the two",
     [](KernelOp k) {
       return addBytes(find<ExpectOp>(k, "operand_load"), -32768);
     }},
    {"too-many-bytes", "gemm", "sm_100a", "lower-pipes",
     "lacks 0 of 1 arrivals and 16 bytes",
     [](KernelOp k) {
       return addBytes(find<ExpectOp>(k, "operand_load"), 16);
     }},
    {"load-dropped", "gemm", "sm_100a", "lower-pipes",
     "lacks 0 of 1 arrivals and 16384 bytes",
     [](KernelOp k) { return erase(find<SlotLoadOp>(k, "operand_load")); }},
    {"accumulates-what-was-there", "gemm", "sm_100a", "lower-pipes",
     "reads slot 0 of 'result', which is empty",
     [](KernelOp k) {
       auto multiply = find<MultiplyOp>(k, "mma");
       multiply.getAccumulateMutable().assign(makeNumber(
           multiply, 1, IntegerType::get(multiply->getContext(), 1)));
       return true;
     }},
    {"sync-of-barriers-dropped", "gemm", "sm_100a", "lower-pipes",
     "which is not set up and synced yet",
     [](KernelOp k) { return erase(find<SyncOp>(k, "")); }},
    {"swapped-slot", "gemm", "sm_100a", "access-memory",
     "while the tensor core for @mma may still read it",
     [](KernelOp k) { return takeFirst(findSlot(k, "mma", "operands")); }},
    {"wrong-slot-of-output", "gemm", "sm_100a", "access-memory",
     "while the bulk stores of @epilogue may still read it",
     [](KernelOp k) { return takeFirst(findSlot(k, "epilogue", "output")); }},
    {"memory-of-two-pipes", "gemm", "sm_100a", "lower-pipes",
     "writes slot 0 of 'operands'",
     [](KernelOp k) {
       findSlots(k, "output").setAt(findSlots(k, "operands").getAt());
       return true;
     }},
    {"read-from-the-wrong-column", "gemm", "sm_100a", "access-memory",
     "of 'D' has the bits",
     [](KernelOp k) {
       auto read = find<tile::ReadOp>(k, "epilogue");
       read.getOffsetsMutable().assign(
           makeNumber(read, 0, IndexType::get(read->getContext())));
       return true;
     }},
    {"too-few-columns", "gemm", "sm_100a", "lower-pipes",
     "slot 1 of 'result' ends at column 512",
     [](KernelOp k) {
       find<AllocTensorOp>(k, "").setColumns(256);
       return true;
     }},
    {"tensor-stores-not-drained", "attention", "sm_100a", "lower-pipes",
     "the tcgen05.st of",
     [](KernelOp k) { return erase(findDrain(k, "", Work::tensor_stores)); }},
    {"wgmma-not-drained", "gemm", "sm_90a", "lower-pipes",
     "while wgmma of @compute may still read it",
     [](KernelOp k) { return erase(findDrain(k, "compute", Work::wgmma)); }},
    {"wgmma-released-early", "gemm", "sm_90a", "schedule-wgmma",
     "while wgmma of @compute may still read it",
     [](KernelOp k) {
       auto await = find<AwaitOp>(
           k, "compute", [](AwaitOp op) { return op.getPending() != 0; });
       await.setPending(await.getPending() + 1);
       return true;
     }},
    {"accumulator-taken-early", "gemm", "sm_90a", "schedule-wgmma",
     "takes the accumulator of one of the 1 MMAs that it leaves in flight",
     [](KernelOp k) {
       auto await = find<AwaitOp>(k, "compute", [](AwaitOp op) {
         return !op.getAccumulators().empty();
       });
       await.setPending(await.getPending() + 1);
       return true;
     }},
    {"message-not-sent", "dynamic_gemm", "sm_100a", "lower-pipes",
     "no role can move: @scheduler",
     [](KernelOp k) {
       return erase(findAt<ArriveOp>(k, "scheduler", "work.full"));
     }},
    {"message-read-before-it-is-there", "dynamic_gemm", "sm_100a",
     "lower-pipes",
     "reads slot 0 of 'work', which the threads of @scheduler wrote",
     [](KernelOp k) {
       return erase(findAt<WaitOp>(k, "operand_load", "work.full"));
     }},
    {"swapped-values-of-a-message", "dynamic_gemm", "sm_100a", "lower-pipes",
     "of 'D' has the bits",
     [](KernelOp k) {
       auto write = find<WriteMessageOp>(k, "scheduler");
       Value first = write.getValues()[0], second = write.getValues()[1];
       write.getValuesMutable().assign(ValueRange{second, first});
       return true;
     }},
    {"release-in-own-cta-only", "clustered_gemm", "sm_100a", "lower-pipes",
     "@operand_load of CTA 0 waits for",
     [](KernelOp k) {
       auto arrive = findAt<ArriveOp>(k, "mma", "operands.empty");
       arrive.getCtasMutable().clear();
       return true;
     }},
    {"same-part-loaded-twice", "clustered_gemm", "sm_100a", "lower-pipes",
     "no barrier, drain or sync orders the two",
     [](KernelOp k) {
       auto load = find<SlotLoadOp>(k, "operand_load");
       load.getPlaceMutable().assign(
           makeNumber(load, 0, IntegerType::get(load->getContext(), 32)));
       return true;
     }},
    {"early-release-of-a-pair", "paired_gemm", "sm_100a", "lower-pipes",
     "while the tensor core for @mma of CTA 0 may still read it",
     [](KernelOp k) {
       return moveBefore(findAt<ArriveOp>(k, "mma", "operands.empty"),
                         find<MultiplyOp>(k, "mma"));
     }},
    {"sent-to-the-wrong-place", "clustered_softmax", "sm_90a", "lower-pipes",
     "which the threads of @compute of CTA 0 wrote",
     [](KernelOp k) {
       auto send = find<SendOp>(k, "");
       send.getPlaceMutable().assign(
           makeNumber(send, 0, IntegerType::get(send->getContext(), 32)));
       return true;
     }},
};

/// Small, but with more K tiles than slots and more work tiles than that.
static std::vector<std::vector<int64_t>> getShapes(StringRef program) {
  if (program == "gemm" || program == "dynamic_gemm")
    return {{300, 392}, {520, 392}, {300, 520}};
  if (program == "clustered_gemm" || program == "paired_gemm")
    return {{520, 456}, {264, 456}, {520, 264}};
  if (program == "clustered_softmax")
    return {{40, 4096}, {40, 4096}};
  return {};
}

static bool isCaught(const SeededBug &bug) {
  for (suite::Case &example : suite::makeExampleCases(bug.arch)) {
    if (example.name != (bug.arch + "-" + bug.program).str())
      continue;
    example.shapes = getShapes(bug.program);
    bool isApplied = false;
    auto change = [&](StringRef pass, KernelOp kernel) {
      if (isApplied || pass != bug.pass)
        return false;
      isApplied = bug.apply(kernel);
      return isApplied;
    };
    Options options;
    options.change = change;
    Counts counts;
    std::vector<Failure> failures = runStages(example, options, counts);
    std::string words = !isApplied         ? "is NOT applied"
                        : failures.empty() ? "is NOT caught"
                                           : failures.front().words;
    llvm::outs() << "bug " << bug.name << ", after " << bug.pass << " of "
                 << example.name << ": " << StringRef(words).rtrim() << '\n';
    return isApplied && !failures.empty() &&
           StringRef(failures.front().words).contains(bug.words);
  }
  return false;
}

int stages::runSeededBugs(llvm::ArrayRef<std::string> filters) {
  unsigned caught = 0, total = 0;
  for (const SeededBug &bug : bugs) {
    if (!filters.empty() && llvm::none_of(filters, [&](StringRef text) {
          return bug.name.contains(text);
        }))
      continue;
    ++total;
    caught += isCaught(bug);
    llvm::outs().flush();
  }
  llvm::outs() << "bugs: " << caught << " of " << total << " are caught\n";
  return caught == total && total != 0 ? 0 : 1;
}
