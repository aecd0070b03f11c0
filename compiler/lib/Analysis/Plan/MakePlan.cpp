//===- MakePlan.cpp - The plan of a kernel, from its IR -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "drawloom/Analysis/Plan/Plan.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Analysis/Slots/ItemCount.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

int64_t Plan::countThreads() const {
  int64_t count = 0;
  for (const Role &role : roles)
    count += role.warps;
  return warps.value_or(count) * arch->warpSize;
}

namespace {
class PlanMaker {
public:
  PlanMaker(SwitchOp op, const target::Architecture &arch)
      : op(op), arch(arch) {}

  Plan make();

private:
  void addPipe(PipeOp pipe);
  void addRole(RoleOp role);
  void nameTensors(PipeOp op, Pipe &pipe);
  void mapMemory();
  void readVerdict();
  Items findItems();

  unsigned numberOf(RoleOp role) const {
    return std::distance(roleOps.begin(), llvm::find(roleOps, role));
  }

  SwitchOp op;
  const target::Architecture &arch;
  Plan plan;
  SmallVector<RoleOp> roleOps;
  PipeNumbers pipeNumbers;
};
} // namespace

static std::string typeToString(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type;
  return text;
}

static std::vector<std::string> readReasons(ArrayAttr because) {
  std::vector<std::string> reasons;
  if (because)
    for (auto reason : because.getAsRange<ReasonAttr>())
      reasons.push_back(reason.str());
  return reasons;
}

/// A tile that is loaded is called like the view that it comes from. Its load
/// says which CTAs have it, or the operation that gathers it.
void PlanMaker::nameTensors(PipeOp pipeOp, Pipe &pipe) {
  for (Operation *user : pipeOp.getPipe().getUsers()) {
    auto produce = dyn_cast<ProduceOp>(user);
    if (!produce)
      continue;
    Operation *end = produce.getBody().front().getTerminator();
    for (auto [tensor, value] : llvm::zip(pipe.tensors, end->getOperands()))
      if (auto load = dyn_cast_or_null<tile::LoadOp>(getMaker(value))) {
        tensor.name = getViewName(load.getView());
        tensor.multicast =
            load.getMulticast().value_or(ArrayRef<int64_t>()).vec();
        tensor.isHalved = load.getHalved().has_value();
      } else if (auto gather = value.getDefiningOp<tile::AllGatherOp>()) {
        tensor.multicast = {static_cast<int64_t>(gather.getAlong())};
      }
    return;
  }
}

void PlanMaker::addPipe(PipeOp pipeOp) {
  Pipe pipe;
  PipeType type = pipeOp.getPipe().getType();
  pipe.name = pipeOp.getName().str();
  pipe.slots = pipeOp.getSlots();
  pipe.scope = pipeOp.getScope();
  SlotFootprint slot = getSlotFootprint(pipeOp);
  switch (type.getMemory()) {
  case Memory::smem:
    pipe.memory = Pipe::Memory::Shared;
    break;
  case Memory::tmem:
    pipe.memory = Pipe::Memory::Tensor;
    break;
  case Memory::message:
    pipe.memory = Pipe::Memory::Message;
    break;
  }
  bool inColumns = pipe.memory == Pipe::Memory::Tensor;
  pipe.slotSize = inColumns ? getSlotColumns(pipeOp, arch) : slot.stride;
  for (auto [payload, bytes, offset] :
       llvm::zip(type.getPayload(), slot.bytes, slot.offsets))
    pipe.tensors.push_back({"", typeToString(payload), inColumns ? 0 : bytes,
                            inColumns ? 0 : offset});
  nameTensors(pipeOp, pipe);

  pipe.producer = numberOf(pipeOp.getProducers().front());
  pipe.producerEngine = *pipeOp.getProducerEngine();
  for (RoleOp role : pipeOp.getConsumers()) {
    Consumer consumer{numberOf(role), *pipeOp.getConsumerEngine(role)};
    for (Operation *user : pipeOp.getPipe().getUsers())
      if (auto consume = dyn_cast<ConsumeOp>(user);
          consume && consume->getParentOfType<RoleOp>() == role)
        consumer.lag = std::max(consumer.lag, consume.getLag());
    pipe.consumers.push_back(consumer);
  }
  BarrierCounts counts = countArrivals(pipeOp);
  pipe.fullArrivals = counts.fullArrivals;
  pipe.fullBytes = counts.fullBytes;
  pipe.emptyArrivals = counts.emptyArrivals;
  if (PipeOp implying = findImplying(pipeOp))
    pipe.impliedBy = implying.getName().str();
  if (PlaceAttr place = pipeOp.getPlaceAttr())
    pipe.place = {place.getStart(), place.getFull(), place.getEmpty(),
                  place.getReuses() ? place.getReuses().str() : ""};
  pipe.because = readReasons(pipeOp.getBecauseAttr());
  plan.pipes.push_back(std::move(pipe));
}

static Role::Kind classify(RoleOp op, const Role &role, const Plan &plan) {
  bool multiplies = false, publishes = false, loads = !role.produces.empty();
  op.walk([&](Operation *inner) {
    multiplies |= isTcgen05Mma(inner, *plan.arch);
    if (auto loop = dyn_cast<ForEachItemOp>(inner))
      publishes |= static_cast<bool>(loop.getPublish());
  });
  if (publishes)
    return Role::Kind::Schedule;
  if (multiplies)
    return Role::Kind::Mma;
  for (unsigned number : role.produces) {
    const Pipe &pipe = plan.pipes[number];
    loads &= pipe.producerEngine == Engine::tma ||
             pipe.producerEngine == Engine::cp_async ||
             pipe.memory == Pipe::Memory::Message;
  }
  return loads ? Role::Kind::Load : Role::Kind::Compute;
}

/// What works for a role, by the hardware's own names.
static Unit getUnit(Engine engine) {
  switch (engine) {
  case Engine::threads:
    return Unit::CudaCores;
  case Engine::cp_async:
    return Unit::CpAsync;
  case Engine::tma:
    return Unit::Tma;
  case Engine::tensor_core:
    return Unit::Tcgen05;
  }
  llvm_unreachable("all engines have a unit");
}

void PlanMaker::addRole(RoleOp roleOp) {
  Role role;
  unsigned number = plan.roles.size();
  role.name = roleOp.getSymName().str();
  role.warps = roleOp.getWarps();
  role.at = roleOp.getAt();
  role.registers = roleOp.getRegisters();
  role.scope = roleOp.getScope();
  role.because = readReasons(roleOp.getBecauseAttr());
  if (ScratchAttr scratch = roleOp.getScratchAttr()) {
    role.column = scratch.getColumn();
    role.columns = scratch.getColumns();
  }
  role.program = makeProgram(roleOp, pipeNumbers);
  for (auto [index, pipe] : llvm::enumerate(plan.pipes)) {
    if (pipe.producer == number)
      role.produces.push_back(index);
    if (llvm::any_of(pipe.consumers, [&](const Consumer &consumer) {
          return consumer.role == number;
        }))
      role.consumes.push_back(index);
  }
  role.kind = classify(roleOp, role, plan);
  Engine engine = Engine::threads;
  if (role.kind == Role::Kind::Mma)
    engine = Engine::tensor_core;
  for (unsigned pipe : role.produces)
    if (role.kind == Role::Kind::Load &&
        plan.pipes[pipe].memory != Pipe::Memory::Message)
      engine = plan.pipes[pipe].producerEngine;
  role.units = {getUnit(engine)};
  roleOp.walk([&](tile::MmaOp mma) {
    if (!isTcgen05Mma(mma, arch))
      role.units = {Unit::Wgmma, Unit::CudaCores};
    else if (role.warps > 1)
      role.units = {Unit::Tcgen05, Unit::CudaCores};
  });
  role.does = summarize(role.program);
  if (role.kind == Role::Kind::Schedule) {
    bool hasControl = arch.clusterLaunchControl;
    role.units = {hasControl ? Unit::LaunchControl : Unit::AtomicCounter};
    role.does = hasControl ? "try_cancel, broadcast tile"
                           : "atomic add, broadcast tile";
  }
  plan.roles.push_back(std::move(role));
}

/// A kernel that is not persistent has as many CTAs as work tiles.
StringRef plan::toString(Items items) {
  static constexpr StringLiteral names[] = {"one", "static", "dynamic"};
  return names[static_cast<unsigned>(items)];
}

StringRef plan::toString(Unit unit) {
  static constexpr StringLiteral names[] = {"CUDA cores",    "cp.async", "TMA",
                                            "tcgen05",       "wgmma",    "CLC",
                                            "atomic counter"};
  return names[static_cast<unsigned>(unit)];
}

std::string plan::joinUnits(ArrayRef<Unit> units) {
  return llvm::join(
      llvm::map_range(units, [](Unit unit) { return toString(unit); }), ", ");
}

bool Pipe::isStaging() const { return hasOneRole() && scope == Scope::cta; }

Items PlanMaker::findItems() {
  Items kind = Items::One;
  if (takesOneItem(op))
    return kind;
  op.walk([&](ForEachItemOp loop) {
    if (auto items = loop.getSource().getDefiningOp<ItemsOp>())
      kind =
          items.getStream() == Stream::dynamic ? Items::Dynamic : Items::Static;
  });
  return kind;
}

/// Shared memory in the order of its addresses.
void PlanMaker::mapMemory() {
  for (const Pipe &pipe : plan.pipes) {
    if (!pipe.place)
      continue;
    if (pipe.memory != Pipe::Memory::Tensor && pipe.slotSize != 0)
      plan.memory.push_back(
          {pipe.name, pipe.place->start, multiply(pipe.slotSize, pipe.slots)});
    if (!pipe.hasBarriers())
      continue;
    int64_t bytes = multiply(barrierBytes, pipe.slots);
    plan.memory.push_back({pipe.name + " full", pipe.place->full, bytes});
    if (pipe.hasEmptyBarriers())
      plan.memory.push_back({pipe.name + " empty", pipe.place->empty, bytes});
  }
  for (RoleOp role : roleOps)
    if (ScratchAttr scratch = role.getScratchAttr();
        scratch && scratch.getBytes())
      plan.memory.push_back({"@" + role.getSymName().str(), scratch.getOffset(),
                             scratch.getBytes()});
  if (std::optional<int64_t> address = op.getTensorAddress())
    plan.memory.push_back(
        {"tensor memory address", *address, tensorAddressBytes});
  if (std::optional<int64_t> nextTile = op.getNextTile())
    plan.memory.push_back({"next tile", *nextTile, getNextTileBytes(op)});
  llvm::sort(plan.memory, [](const MemoryRange &a, const MemoryRange &b) {
    return std::pair(a.offset, StringRef(a.name)) <
           std::pair(b.offset, StringRef(b.name));
  });
}

static Verdict getVerdict(VerdictKind kind) {
  switch (kind) {
  case VerdictKind::proved:
    return Verdict::Proved;
  case VerdictKind::proved_if:
    return Verdict::ProvedIf;
  case VerdictKind::deadlock:
    return Verdict::Deadlock;
  case VerdictKind::undecided:
    return Verdict::Undecided;
  }
  llvm_unreachable("all verdicts are known");
}

StringRef plan::toString(Verdict verdict) {
  static constexpr StringLiteral names[] = {"unknown", "proved", "proved if",
                                            "deadlock", "undecided"};
  return names[static_cast<unsigned>(verdict)];
}

void PlanMaker::readVerdict() {
  VerdictAttr verdict = op.getVerdictAttr();
  if (!verdict)
    return;
  plan.verdict = getVerdict(verdict.getKind());
  if (StringAttr words = verdict.getWords())
    plan.verdictWords = words.str();
}

Plan PlanMaker::make() {
  Operation *kernel = op->getParentOfType<tile::KernelOp>();
  plan.kernel = cast<tile::KernelOp>(kernel).getSymName().str();
  plan.arch = &arch;
  plan.cluster.assign(1, 1);
  if (std::optional<ArrayRef<int64_t>> cluster = op.getCluster())
    plan.cluster.assign(cluster->begin(), cluster->end());
  plan.items = findItems();

  llvm::append_range(roleOps, op.getRoles());
  for (PipeOp pipe : op->getBlock()->getOps<PipeOp>())
    if (pipe.getSwitch() == op) {
      pipeNumbers[pipe] = plan.pipes.size();
      addPipe(pipe);
    }
  for (RoleOp role : roleOps)
    addRole(role);

  plan.warps = op.getWarps();
  if (std::optional<ArrayRef<int64_t>> holes = op.getHoles())
    plan.holes.assign(holes->begin(), holes->end());
  plan.entryRegisters = op.getEntryRegisters();
  plan.sharedBytes = op.getSharedBytes();
  plan.tensorColumns = op.getTensorColumns();
  mapMemory();
  readVerdict();
  for (StringRef reason : tile::getReasons(kernel))
    plan.reasons.push_back(reason.str());
  return std::move(plan);
}

FailureOr<Plan> plan::makePlan(SwitchOp op) {
  auto kernel = op->getParentOfType<tile::KernelOp>();
  if (!kernel)
    return op.emitError() << "is in no kernel, so it has no plan [no-kernel]";
  FailureOr<const target::Architecture *> arch = tile::requireTarget(kernel);
  if (failed(arch) || failed(requireEngines(op)))
    return failure();
  return PlanMaker(op, **arch).make();
}
