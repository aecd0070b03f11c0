//===- PipeCode.cpp - What pipes become -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipeCode.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/RoleTiles/Panels.h"
#include "drawloom/Analysis/Slots/Multicast.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Analysis/Slots/SignAnalysis.h"
#include "drawloom/Target/Architecture.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Where each tile of a pipe starts in a slot: bytes, or columns.
static SmallVector<int64_t> getOffsets(PipeOp pipe,
                                       const plan::SlotFootprint &footprint,
                                       const target::Architecture &arch) {
  if (pipe.getPipe().getType().getMemory() != Memory::tmem)
    return llvm::to_vector<6>(footprint.offsets);
  SmallVector<int64_t> offsets;
  int64_t column = 0;
  for (Type type : pipe.getPipe().getType().getPayload()) {
    offsets.push_back(column);
    column +=
        plan::getTileColumns(cast<RankedTensorType>(type), /*ctas=*/1, arch);
  }
  return offsets;
}

static SmallVector<tile::BufferType> getBuffers(PipeOp pipe) {
  Memory memory = pipe.getPipe().getType().getMemory();
  SmallVector<tile::BufferType> buffers;
  if (memory == Memory::message)
    return buffers;
  for (auto [number, type] : llvm::enumerate(plan::getHeldTypes(pipe))) {
    auto tile = cast<RankedTensorType>(type);
    if (memory == Memory::tmem) {
      buffers.push_back(tile::BufferType::get(
          tile.getShape(), tile.getElementType(), tile::Space::Tmem));
      continue;
    }
    std::optional<plan::Panels> panels = plan::getPanels(pipe, number);
    buffers.push_back(tile::BufferType::get(
        tile.getShape(), tile.getElementType(), tile::Space::Smem,
        panels ? plan::getAttr(*panels, pipe.getContext()) : Attribute()));
  }
  return buffers;
}

static LoweredPipe describe(PipeOp pipe) {
  LoweredPipe lowered{.pipe = pipe,
                      .counts = plan::countArrivals(pipe),
                      .footprint = plan::getSlotFootprint(pipe),
                      .producer = *pipe.getProducerEngine(),
                      .producers = pipe.getProducers(),
                      .consumers = pipe.getConsumers(),
                      .multicasts = plan::getMulticasts(pipe),
                      .buffers = getBuffers(pipe),
                      .isOfPair = false,
                      .isReleasedLast = isReleasedLast(pipe.getPipe()),
                      .isStaged = plan::isStagedByRole(pipe),
                      .staged = {},
                      .slots = {},
                      .full = {},
                      .empty = {}};
  // Messages are for all roles of a CTA, whomever they act for.
  lowered.isOfPair = plan::hasPairs(pipe.getSwitch()) && !lowered.isMessage() &&
                     (llvm::any_of(lowered.producers, actsForPair) ||
                      llvm::any_of(lowered.consumers, actsForPair));
  return lowered;
}

/// What the full barriers of a pipe order between CTAs.
static Ordering getFilled(LoweredPipe &pipe) {
  if (pipe.pipe.getScope() == Scope::cta)
    return Ordering::local;
  if (pipe.inTensorMemory())
    return Ordering::execution;
  return pipe.producer == Engine::threads ? Ordering::remote : Ordering::local;
}

/// What its empty barriers do. A commit of tcgen05 arrives when the MMAs have
/// read the slot, and the copies that fill it next are issued after that:
/// nothing that was written is passed on.
static Ordering getEmptied(LoweredPipe &pipe) {
  if (pipe.pipe.getScope() == Scope::cta)
    return Ordering::local;
  bool areMmas = llvm::all_of(pipe.consumers, [&](RoleOp role) {
    return pipe.pipe.getConsumerEngine(role) == Engine::tensor_core;
  });
  return pipe.inTensorMemory() || (pipe.producer == Engine::tma && areMmas)
             ? Ordering::execution
             : Ordering::local;
}

/// The memory and the barriers of a pipe.
static void makeMemory(ImplicitLocOpBuilder &b, LoweredPipe &lowered,
                       const target::Architecture &arch) {
  PipeOp pipe = lowered.pipe;
  PlaceAttr place = pipe.getPlaceAttr();
  PipeType type = pipe.getPipe().getType();
  b.setLoc(pipe.getLoc());
  if (!type.getPayload().empty())
    lowered.slots = SlotsOp::create(
        b,
        SlotsType::get(b.getContext(), type.getMemory(),
                       plan::getHeldTypes(pipe)),
        pipe.getName(), pipe.getSlots(), place.getStart(), place.getStride(),
        getOffsets(pipe, lowered.footprint, arch));
  if (lowered.isStaged)
    return;
  auto addBarriers = [&](StringRef end, int64_t arrivals, int64_t at,
                         Ordering orders) {
    return BarriersOp::create(b, BarriersType::get(b.getContext()),
                              (pipe.getName() + "." + end).str(),
                              pipe.getSlots(), arrivals, at, pipe.getScope(),
                              orders);
  };
  lowered.full = addBarriers("full", lowered.counts.fullArrivals,
                             place.getFull(), getFilled(lowered));
  if (lowered.counts.emptyArrivals == 0)
    return;
  lowered.empty = addBarriers("empty", lowered.counts.emptyArrivals,
                              place.getEmpty(), getEmptied(lowered));
}

/// What a role that asks for work tiles is answered.
static NextTile makeNextTile(ImplicitLocOpBuilder &b, SwitchOp roles,
                             const target::Architecture &arch) {
  NextTile nextTile;
  nextTile.at = roles.getNextTile();
  bool isShared = roles.getClusterSize() > 1;
  // The answers of cluster launch control arrive as bytes; without it, threads
  // of the first CTA write them.
  Ordering orders = isShared && !arch.clusterLaunchControl ? Ordering::remote
                                                           : Ordering::local;
  if (nextTile.at)
    nextTile.full = BarriersOp::create(
        b, BarriersType::get(b.getContext()), "next_tile.full", /*count=*/1,
        /*arrivals=*/1, *nextTile.at + plan::nextTileBytes,
        isShared ? Scope::cluster : Scope::cta, orders);
  if (nextTile.at && isShared)
    nextTile.empty = BarriersOp::create(
        b, BarriersType::get(b.getContext()), "next_tile.empty", /*count=*/1,
        roles.getClusterSize(),
        *nextTile.at + plan::nextTileBytes + plan::barrierBytes,
        Scope::cluster);
  return nextTile;
}

/// The stores that begin inside their view, wherever they are.
static llvm::DenseSet<Operation *> findInside(SwitchOp roles) {
  plan::SignAnalysis signs(roles->getParentOfType<tile::KernelOp>());
  llvm::DenseSet<Operation *> inside;
  roles.walk([&](tile::StoreOp op) {
    if (llvm::all_of(op.getMixedOffsets(), [&](OpFoldResult offset) {
          return signs.isNonNegative(offset);
        }))
      inside.insert(op);
  });
  return inside;
}

static RankedTensorType getPart(plan::Rescaling rescaling,
                                const target::Architecture &arch) {
  auto role = rescaling.loop->getParentOfType<RoleOp>();
  auto type = cast<RankedTensorType>(rescaling.scaled.getType());
  int64_t shape[] = {type.getDimSize(0), rescaling.countColumnsOfPart()};
  // The role has a layout for the whole accumulator.
  tile::Layout layout =
      llvm::cantFail(plan::Fragments::get(role, arch).getLayout(shape));
  return RankedTensorType::get(
      shape, type.getElementType(),
      tile::LayoutAttr::get(type.getContext(), std::move(layout)));
}

FailureOr<KernelCode> agent::lowerMemory(ImplicitLocOpBuilder &b,
                                         SwitchOp roles,
                                         const target::Architecture &arch) {
  KernelCode code{.arch = arch,
                  .roles = roles,
                  .cluster = plan::getPeerCluster(roles),
                  .pipes = {},
                  .nextTile = {},
                  .rescaled = {},
                  .beginInside = findInside(roles)};
  for (PipeOp pipe : roles->getBlock()->getOps<PipeOp>()) {
    if (!pipe.getPlace())
      return pipe->emitOpError(
          "has no place: code is generated after 'place-memory' [pass-order]");
    if (std::optional<plan::Rescaling> rescaling = plan::findRescaling(pipe))
      code.rescaled.push_back({*rescaling, getPart(*rescaling, arch)});
    LoweredPipe lowered = describe(pipe);
    makeMemory(b, lowered, arch);
    code.pipes.insert({pipe.getPipe(), std::move(lowered)});
  }
  code.nextTile = makeNextTile(b, roles, arch);
  return code;
}

//===----------------------------------------------------------------------===//
// Set-up and end
//===----------------------------------------------------------------------===//

void agent::setUp(ImplicitLocOpBuilder &b, KernelCode &code) {
  SwitchOp roles = code.roles;
  b.setLoc(roles->getParentOfType<tile::KernelOp>().getLoc());
  SmallVector<Value> barriers;
  for (auto &[value, pipe] : code.pipes)
    for (Value ring : {pipe.full, pipe.empty})
      if (ring)
        barriers.push_back(ring);
  if (code.nextTile.full)
    barriers.push_back(code.nextTile.full);
  if (code.nextTile.empty)
    barriers.push_back(code.nextTile.empty);
  InitBarriersOp::create(b, barriers);
  // Other CTAs may arrive at these barriers as soon as their roles start.
  Participants all =
      roles.getClusterSize() == 1 ? Participants::cta : Participants::cluster;
  std::optional<int64_t> columns = roles.getTensorColumns();
  std::optional<int64_t> address = roles.getTensorAddress();
  if (!columns || !address) {
    SyncOp::create(b, all);
    return;
  }
  // The last warp allocates, while the first one sets up the barriers. The
  // allocation comes before every access by another warp.
  int64_t warp = *roles.getWarps() - 1;
  AllocTensorOp::create(b, *columns, *address, warp);
  auto meet = [&](Participants participants) {
    FenceOp::create(b, Fence::tensor_before);
    SyncOp::create(b, participants);
    FenceOp::create(b, Fence::tensor_after);
  };
  meet(all);
  Value tensor = TensorAddressOp::create(b, b.getI32Type(), *address);
  // Every access of tensor memory comes before it is deallocated, and in pairs
  // the last arrival of the other CTA.
  b.setInsertionPointAfter(roles);
  meet(plan::hasPairs(roles) ? Participants::cluster : Participants::cta);
  FreeTensorOp::create(b, tensor, *columns, warp);
}
