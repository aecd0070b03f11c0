//===- RegisterDemand.cpp - How many registers a role holds ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegisterDemand.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/RoleTiles/Panels.h"
#include "drawloom/Analysis/RoleTiles/Scratch.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

namespace {
class Estimator {
public:
  Estimator(RoleOp role, const target::Architecture &arch)
      : role(role), arch(arch),
        ctas(cast<SwitchOp>(role->getParentOp()).getCtasOfItem()) {
    role.walk([&](ConsumeOp op) {
      for (Value pipe : op.getPipes())
        if (std::optional<plan::Rescaling> rescaling =
                plan::findRescaling(pipe.getDefiningOp<PipeOp>())) {
          int64_t columns = rescaling->countColumnsOfPart();
          inParts[rescaling->scaled] = columns;
          for (Value operand : rescaling->scaled->getOperands())
            inParts[operand] = columns;
        }
    });
  }

  RegisterDemand estimate() {
    demand.held = holdIn(role.getBody().front());
    role.walk([&](Operation *op) {
      work(op);
      demand.widest = std::max(demand.widest, countWidest(op));
      if (auto produce = dyn_cast<ProduceOp>(op))
        demand.copies += countCopies(produce);
    });
    return demand;
  }

private:
  /// Registers of a thread for a tile; none for one that is in memory. Of an
  /// accumulator that is rescaled it is a part at a time.
  int64_t count(Value value) {
    constexpr int64_t registerBits = 32;
    if (!plan::isInRegisters(value))
      return 0;
    auto tile = cast<RankedTensorType>(value.getType());
    auto layout = cast<tile::LayoutAttr>(tile.getEncoding());
    int64_t registers = llvm::divideCeil(
        plan::multiply(layout.getLayout().getInputSize(plan::inRegister),
                       plan::getElementBits(tile.getElementType())),
        registerBits * ctas);
    auto part = inParts.find(value);
    if (part == inParts.end())
      return registers;
    return llvm::divideCeil(registers * part->second, tile.getDimSize(1));
  }

  /// A value that a loop carries in registers.
  int64_t hold(Value result) {
    int64_t registers = count(result);
    if (registers > largestHeld) {
      largestHeld = registers;
      demand.largestHeld =
          cast<RankedTensorType>(result.getType()).dropEncoding();
    }
    return registers;
  }

  /// The most that is held at one time while a block runs: in front of each
  /// operation the results of loops that still have a use, and inside a loop
  /// what it carries.
  int64_t holdIn(Block &block) {
    int64_t most = 0;
    SmallVector<Value> results;
    for (Operation &op : block) {
      int64_t now = 0;
      for (Value result : results)
        if (isUsedFrom(result, op))
          now += hold(result);
      int64_t inside = 0;
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          inside = std::max(inside, holdIn(inner));
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        for (Value result : loop.getResults())
          inside += hold(result);
        llvm::append_range(results, loop.getResults());
      }
      most = std::max(most, std::min(now + inside, plan::saturated));
    }
    return most;
  }

  /// Where a loop begins, what it starts from is what it carries.
  static bool isUsedFrom(Value value, Operation &op) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      if (user == &op && isa<scf::ForOp>(op))
        return false;
      Operation *ancestor = op.getBlock()->findAncestorOpInBlock(*user);
      return ancestor && !ancestor->isBeforeInBlock(&op);
    });
  }

  void work(Operation *op) {
    // Regions pass on what is inside them; shapes and constants are names
    // for registers or immediates; an MMA is held or in tensor memory.
    if (op->getNumRegions() != 0 ||
        isa<arith::ConstantOp, tensor::SplatOp, tensor::ExtractSliceOp,
            tile::BroadcastOp, tile::ExpandDimsOp, tile::ExtractSliceOp,
            tile::TransposeOp, tile::MmaOp>(op))
      return;
    // What goes from a view into a slot never is in registers.
    if (isa<tile::LoadOp>(op) &&
        llvm::all_of(op->getUsers(), [](Operation *user) {
          return isa<YieldOp>(user) && isa<ProduceOp>(user->getParentOp());
        }))
      return;
    for (Value result : op->getResults())
      demand.working = std::max(demand.working, count(result));
    // What threads put into a slot passes through registers, even if they have
    // computed nothing.
    if (isa<YieldOp>(op) && isa<ProduceOp>(op->getParentOp()))
      for (Value value : op->getOperands())
        if (Operation *maker = getMaker(value);
            !isa_and_present<tile::LoadOp>(maker) &&
            !plan::isTcgen05Mma(maker, arch))
          demand.working = std::max(demand.working, count(value));
  }

  /// Registers of the widest instruction that threads issue for `op`.
  int64_t countWidest(Operation *op) {
    if (auto mma = dyn_cast<tile::MmaOp>(op)) {
      if (arch.mma != target::MmaInstruction::Wgmma)
        return 0;
      int64_t registers = std::min(mma.getN(), plan::mostWgmmaColumns) / 2;
      return plan::isPromoted(op, arch)
                 ? std::min(registers, plan::mostPromotedRegisters)
                 : registers;
    }
    if (auto read = dyn_cast<tile::ConvertLayoutOp>(op))
      return plan::getMemory(read.getSource()) == Memory::tmem
                 ? std::min(count(read.getResult()), plan::columnsPerLoad)
                 : 0;
    auto produce = dyn_cast<ProduceOp>(op);
    if (!produce || produce.getEngine() != Engine::threads ||
        produce.getPipe().getType().getMemory() != Memory::tmem)
      return 0;
    int64_t widest = 0;
    for (Value tile : produce.getBody().front().getTerminator()->getOperands())
      widest = std::max(widest, std::min(count(tile), plan::columnsPerStore));
    return widest;
  }

  /// Bulk copies that fill a slot.
  static int64_t countCopies(ProduceOp produce) {
    auto pipe = produce.getPipe().getDefiningOp<PipeOp>();
    if (pipe.getProducerEngine() != Engine::tma)
      return 0;
    int64_t copies = 0;
    for (size_t i = 0; i != pipe.getPipe().getType().getPayload().size(); ++i)
      if (std::optional<plan::Panels> panels = plan::getPanels(pipe, i))
        copies += panels->count * (panels->rows / panels->boxRows());
    return copies;
  }

  RoleOp role;
  const target::Architecture &arch;
  int64_t ctas;
  /// Accumulators that are rescaled, and the columns of a part.
  llvm::DenseMap<Value, int64_t> inParts;
  RegisterDemand demand;
  int64_t largestHeld = 0;
};
} // namespace

RegisterDemand
drawloom::agent::estimateRegisters(RoleOp role,
                                   const target::Architecture &arch) {
  return Estimator(role, arch).estimate();
}
