//===- Rooms.cpp - What shared and tensor memory hold ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rooms.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Target/Architecture.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

FailureOr<Rooms> Rooms::of(SwitchOp op, const target::Architecture &arch) {
  if (failed(requireLayouts(op)))
    return failure();
  Rooms rooms;
  for (PipeOp pipe : op->getBlock()->getOps<PipeOp>()) {
    if (pipe.getSwitch() != op)
      continue;
    if (failed(plan::checkMemory(pipe, arch)))
      return failure();
    Memory memory = pipe.getPipe().getType().getMemory();
    if (memory == Memory::tmem) {
      rooms.tensor.push_back(
          {pipe, pipe.getSlots(), getSlotColumns(pipe, arch), 1});
      if (std::optional<Rescaling> rescaling = findRescaling(pipe))
        rooms.tensor.back().reuses = rescaling->rescaled.getName();
      else if (PipeOp shared = findShared(pipe))
        rooms.tensor.back().reuses = shared.getName();
      continue;
    }
    SlotFootprint slot = getSlotFootprint(pipe);
    (memory == Memory::message ? rooms.messages : rooms.shared)
        .push_back({pipe, pipe.getSlots(), slot.stride, slot.alignment});
  }
  for (RoleOp role : op.getRoles())
    if (Scratch scratch = findScratch(role, arch);
        scratch.bytes || scratch.columns)
      rooms.scratches.push_back(std::move(scratch));
  op.walk([&](ForEachItemOp loop) {
    auto items = loop.getSource().getDefiningOp<ItemsOp>();
    if (items && items.getStream() == Stream::dynamic &&
        (arch.clusterLaunchControl || op.getClusterSize() > 1))
      rooms.nextTileBytes = getNextTileBytes(op);
  });
  return rooms;
}

int64_t Rooms::layOut() {
  int64_t end = 0;
  auto take = [&](int64_t bytes, int64_t alignment) {
    int64_t start = alignUp(end, alignment);
    end = std::min(start + bytes, saturated);
    return start;
  };
  SmallVector<Room *> order;
  for (Room &room : shared)
    if (room.isOwn())
      order.push_back(&room);
  llvm::sort(order, [](Room *a, Room *b) {
    return a->alignment != b->alignment ? a->alignment > b->alignment : a < b;
  });
  auto place = [&](Room &room) {
    room.place.start = take(room.size(), room.alignment);
  };
  for (Room *room : order)
    place(*room);
  for (Scratch &scratch : scratches)
    scratch.offset = take(scratch.bytes, Scratch::alignment);
  for (Room &room : messages)
    place(room);
  for (Room &room : shared)
    for (Room &other : shared)
      if (!room.isOwn() && other.pipe.getName() == room.reuses)
        room.place.start = other.place.start + room.offset;

  if (nextTileBytes)
    nextTile = take(nextTileBytes, plan::nextTileBytes);
  for (std::vector<Room> *rooms : {&shared, &tensor, &messages})
    for (Room &room : *rooms) {
      int64_t bytes =
          isStagedByRole(room.pipe) ? 0 : multiply(barrierBytes, room.slots);
      room.place.full = take(bytes, barrierBytes);
      room.place.empty =
          take(findImplying(room.pipe) ? 0 : bytes, barrierBytes);
    }
  if (layOutColumns())
    tensorAddress = take(tensorAddressBytes, tensorAddressBytes);
  return end;
}

int64_t Rooms::layOutColumns() {
  int64_t columns = 0;
  auto take = [&](int64_t count) {
    int64_t start = columns;
    columns = std::min(columns + count, saturated);
    return start;
  };
  for (Room &room : tensor)
    if (room.isOwn())
      room.place.start = take(room.size());
  for (Room &room : tensor)
    for (Room &other : tensor)
      if (!room.isOwn() && other.pipe.getName() == room.reuses)
        room.place.start = other.place.start;
  for (Scratch &scratch : scratches)
    scratch.column = take(scratch.columns);
  return columns;
}
