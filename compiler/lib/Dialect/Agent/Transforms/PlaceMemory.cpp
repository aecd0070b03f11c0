//===- PlaceMemory.cpp - Shared and tensor memory for the pipes -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Lays out what a CTA has in shared memory and in tensor memory:
//
//   0        slots of the pipes, the most strictly aligned first
//            operands of MMAs that are in no pipe
//            messages
//            the hardware's answer about the next work tile, and its barrier
//            barriers: for each pipe a full and an empty one for every slot
//            the address of the allocation of tensor memory
//
// A staging pipe may lie on the bytes of a pipe that is no longer used where
// Lifetimes.h has an argument for it; everything else has bytes of its own.

#include "Lifetimes.h"
#include "drawloom/Analysis/RoleTiles/Exchanges.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/RoleTiles/Scratch.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Dialect/Tile/IR/TooLarge.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/Support/MathExtras.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_PLACEMEMORY
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

namespace {
/// A pipe and the room that it takes, in bytes or columns.
struct Room {
  PipeOp pipe;
  int64_t slots;
  /// From one slot to the next.
  int64_t stride;
  int64_t alignment;
  /// Where the first slot, full barrier and empty barrier are.
  struct {
    int64_t start = 0, full = 0, empty = 0;
  } place;
  /// The pipe whose bytes these are, and where they begin in it.
  std::string reuses;
  int64_t offset = 0;
  /// Of a pipe whose bytes others take: how many are taken.
  int64_t taken = 0;

  int64_t size() const { return multiply(stride, slots); }
  bool isOwn() const { return reuses.empty(); }
};

class Placer {
public:
  Placer(SwitchOp op, const target::Architecture &arch) : op(op), arch(arch) {}
  LogicalResult run();

private:
  LogicalResult collect();
  LogicalResult collectScratch();
  LogicalResult checkBarriers();
  void findReuse();
  int64_t layOut();
  LogicalResult checkShared();
  LogicalResult placeColumns();
  InFlightDiagnostic reject(ArrayRef<Room> rooms, StringRef memory,
                            function_ref<std::string(int64_t)> format);
  void record();

  SwitchOp op;
  const target::Architecture &arch;
  /// In the order of the program.
  std::vector<Room> shared, tensor, messages;
  std::vector<Scratch> scratches;
  /// Roles whose warps synchronize before they take another pipe's bytes.
  llvm::SmallPtrSet<Operation *, 2> syncing;
  /// Whether a role that asks for items is answered in shared memory.
  bool dynamic = false;
  int64_t nextTile = 0, tensorAddress = 0, sharedBytes = 0, tensorColumns = 0;
};
} // namespace

static const Room &getLargest(ArrayRef<Room> rooms) {
  return *llvm::max_element(
      rooms, [](const Room &a, const Room &b) { return a.size() < b.size(); });
}

/// Slots that a pipe cannot do without: those that a consumer keeps, and one.
static int64_t countNeededSlots(PipeOp pipe) {
  int64_t needed = 1;
  for (Operation *user : pipe.getPipe().getUsers())
    if (auto consume = dyn_cast<ConsumeOp>(user))
      needed = std::max(needed, consume.getLag() + 1);
  return needed;
}

LogicalResult Placer::collect() {
  for (PipeOp pipe : op->getBlock()->getOps<PipeOp>()) {
    if (pipe.getSwitch() != op)
      continue;
    if (failed(plan::checkMemory(pipe, arch)))
      return failure();
    if (pipe.getPipe().getType().getMemory() == Memory::tmem) {
      tensor.push_back(
          {pipe, pipe.getSlots(), getSlotColumns(pipe, arch), 1, {}, {}});
      continue;
    }
    SlotFootprint slot = getSlotFootprint(pipe);
    Room room = {pipe, pipe.getSlots(), slot.stride, slot.alignment, {}, {}};
    bool isMessage = pipe.getPipe().getType().getMemory() == Memory::message;
    (isMessage ? messages : shared).push_back(room);
  }
  op.walk([&](ForEachItemOp loop) {
    auto items = loop.getSource().getDefiningOp<ItemsOp>();
    dynamic |= items && items.getStream() == Stream::dynamic &&
               (arch.clusterLaunchControl || op.getClusterSize() > 1);
  });
  return success();
}

/// Rejects what no choice of slots makes fit.
LogicalResult Placer::collectScratch() {
  for (RoleOp role : op.getRoles()) {
    Scratch scratch = findScratch(role, arch);
    if (scratch.bytes > arch.maxSharedMemoryPerCta)
      return tile::tooLarge(role.emitError())
             << "role @" << role.getSymName() << " keeps "
             << formatBytes(scratch.bytes)
             << " of operands and of what its threads "
                "exchange in shared memory > "
             << formatBytes(arch.maxSharedMemoryPerCta) << " on " << arch.name
             << "; use a smaller tile [shared-memory-limit]";
    if (scratch.columns > arch.tensorMemory.columns)
      return tile::tooLarge(role.emitError())
             << "role @" << role.getSymName() << " keeps " << scratch.columns
             << " columns of its MMAs' results in tensor memory > "
             << arch.tensorMemory.columns << " on " << arch.name
             << "; use a smaller tile [tensor-memory-limit]";
    if (scratch.bytes || scratch.columns)
      scratches.push_back(scratch);
  }
  return success();
}

LogicalResult Placer::checkBarriers() {
  int64_t roles = 0;
  for (RoleOp role : op.getRoles())
    roles += needsBarrier(role, arch) || syncing.contains(role);
  if (roles + 1 <= int64_t(arch.namedBarriers))
    return success();
  return op.emitError() << roles
                        << " roles exchange elements between their warps, each "
                           "with a named barrier of its own: "
                        << roles << " + 1 of the CTA = " << roles + 1 << " > "
                        << arch.namedBarriers << " on " << arch.name
                        << "; do it in fewer roles, or in roles of one warp "
                           "[named-barrier-limit]";
}

/// Looks for a pipe whose bytes a staging pipe can take: the first that has
/// enough left and is allowed. Two that take bytes of one pipe have different
/// ones, because one is filled while the other is stored.
void Placer::findReuse() {
  for (Room &room : shared) {
    if (!isStaging(room.pipe))
      continue;
    // Of several rejections, the one about the first pipe is reported.
    std::string why;
    for (Room &other : shared) {
      int64_t offset = alignUp(other.taken, room.alignment);
      if (&other == &room || isStaging(other.pipe) ||
          other.size() - offset < room.size() ||
          other.alignment < room.alignment)
        continue;
      ReuseAnswer answer = mayReuse(room.pipe, other.pipe);
      if (why.empty() || answer.allowed)
        why = answer.reason;
      if (!answer.allowed)
        continue;
      if (answer.sync)
        syncing.insert(room.pipe.getProducers().front());
      room.reuses = other.pipe.getName().str();
      room.offset = offset;
      other.taken = offset + room.size();
      break;
    }
    if (why.empty())
      why = "no other pipe has " + formatBytes(room.size()) + " left";
    room.pipe.setBecauseAttr(
        addReason(room.pipe.getBecauseAttr(), op.getContext(),
                  fire(Rule::MemoryReuse,
                       room.isOwn() ? "bytes of its own"
                                    : "on the bytes of '" + room.reuses + "'",
                       why)));
  }
}

/// Gives everything in shared memory its offset; returns the end.
int64_t Placer::layOut() {
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

  if (dynamic)
    nextTile = take(getNextTileBytes(op), nextTileBytes);
  for (std::vector<Room> *rooms : {&shared, &tensor, &messages})
    for (Room &room : *rooms) {
      int64_t bytes = multiply(barrierBytes, room.slots);
      room.place.full = take(bytes, barrierBytes);
      room.place.empty = take(bytes, barrierBytes);
    }
  if (tensorColumns)
    tensorAddress = take(tensorAddressBytes, tensorAddressBytes);
  return end;
}

/// "operands: 4 slots × 48 KiB + bias: 2 slots × 8 KiB", at the largest pipe.
InFlightDiagnostic Placer::reject(ArrayRef<Room> rooms, StringRef memory,
                                  function_ref<std::string(int64_t)> format) {
  const Room &largest = getLargest(rooms);
  PipeOp pipe = largest.pipe;
  InFlightDiagnostic diag = tile::tooLarge(pipe.emitError()) << memory << ": ";
  StringRef separator;
  for (const Room &room : rooms) {
    if (!room.isOwn())
      continue;
    pipe = room.pipe;
    diag << separator << pipe.getName() << ": " << room.slots
         << (room.slots == 1 ? " slot × " : " slots × ") << format(room.stride);
    separator = " + ";
  }
  return diag;
}

/// The most slots of the largest pipe with which `fits` holds, as text.
static std::string suggest(ArrayRef<Room> rooms,
                           function_ref<bool(int64_t removed)> fits) {
  const Room &largest = getLargest(rooms);
  PipeOp pipe = largest.pipe;
  std::string name = pipe.getName().str();
  int64_t needed = countNeededSlots(pipe);
  // More slots than this fit on no machine, and the search shall end.
  constexpr int64_t sensible = 1024;
  for (int64_t slots = std::min(largest.slots - 1, sensible); slots >= needed;
       --slots)
    if (fits(largest.size() - multiply(largest.stride, slots)))
      return "; " + std::to_string(slots) +
             (slots == 1 ? " slot of " : " slots of ") + name +
             (slots == 1 ? " fits" : " fit");
  return "; no number of slots of " + name +
         " makes it fit: use a smaller tile or fewer slots of the others";
}

LogicalResult Placer::checkShared() {
  int64_t limit = arch.maxSharedMemoryPerCta;
  sharedBytes = layOut();
  if (sharedBytes <= limit)
    return success();
  std::vector<Room> &rooms = shared.empty() ? messages : shared;
  if (rooms.empty())
    return tile::tooLarge(op.emitError())
           << "operands outside pipes and barriers take "
           << formatBytes(sharedBytes) << " > " << formatBytes(limit) << " on "
           << arch.name
           << "; use a smaller tile or fewer slots [shared-memory-limit]";
  int64_t slots = 0, scratchBytes = 0;
  for (const Room &room : rooms)
    if (room.isOwn())
      slots = std::min(slots + room.size(), saturated);
  for (const Scratch &scratch : scratches)
    scratchBytes += scratch.bytes;
  return reject(rooms, "shared memory", formatBytes)
         << (scratchBytes
                 ? " + operands outside pipes: " + formatBytes(scratchBytes)
                 : "")
         << " + barriers and messages: "
         << formatBytes(sharedBytes - slots - scratchBytes) << " = "
         << formatBytes(sharedBytes) << " > " << formatBytes(limit) << " on "
         << arch.name
         << suggest(
                rooms,
                [&](int64_t removed) { return sharedBytes - removed <= limit; })
         << " [shared-memory-limit]";
}

LogicalResult Placer::placeColumns() {
  int64_t columns = 0, limit = arch.tensorMemory.columns;
  for (Room &room : tensor) {
    room.place.start = columns;
    columns = std::min(columns + room.size(), saturated);
  }
  int64_t inSlots = columns;
  for (Scratch &scratch : scratches) {
    scratch.column = columns;
    columns += scratch.columns;
  }
  if (columns == 0)
    return success();
  if (columns > limit && tensor.empty())
    return tile::tooLarge(op.emitError())
           << "the roles keep " << columns
           << " columns of their MMAs' results in tensor "
              "memory > "
           << limit << " on " << arch.name
           << "; use a smaller tile [tensor-memory-limit]";
  if (columns > limit)
    return reject(
               tensor, "tensor memory",
               [](int64_t count) { return std::to_string(count) + " columns"; })
           << (columns == inSlots
                   ? ""
                   : " + outside pipes: " + std::to_string(columns - inSlots))
           << " = " << columns << " > " << limit << " columns on " << arch.name
           << suggest(
                  tensor,
                  [&](int64_t removed) { return columns - removed <= limit; })
           << " [tensor-memory-limit]";
  tensorColumns = std::max<int64_t>(arch.tensorMemory.minAllocation,
                                    llvm::PowerOf2Ceil(columns));
  return success();
}

void Placer::record() {
  for (std::vector<Room> *rooms : {&shared, &tensor, &messages})
    for (Room &room : *rooms)
      room.pipe.setPlaceAttr(PlaceAttr::get(
          op.getContext(), room.place.start, room.stride, room.place.full,
          room.place.empty,
          room.isOwn() ? StringAttr()
                       : StringAttr::get(op.getContext(), room.reuses)));
  op.setSharedBytes(sharedBytes);
  for (const Scratch &scratch : scratches)
    RoleOp(scratch.role)
        .setScratchAttr(ScratchAttr::get(op.getContext(), scratch.offset,
                                         scratch.bytes, scratch.column,
                                         scratch.columns));
  if (tensorColumns) {
    op.setTensorColumns(tensorColumns);
    op.setTensorAddress(tensorAddress);
  }
  if (dynamic)
    op.setNextTile(nextTile);
}

LogicalResult Placer::run() {
  if (failed(collect()) || failed(collectScratch()))
    return failure();
  findReuse();
  if (failed(checkBarriers()) || failed(placeColumns()) ||
      failed(checkShared()))
    return failure();
  record();
  return success();
}

namespace {
struct PlaceMemoryPass : agent::impl::PlaceMemoryBase<PlaceMemoryPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](SwitchOp op) {
      FailureOr<const target::Architecture *> arch =
          tile::requireTarget(getOperation());
      return failed(arch) || failed(Placer(op, **arch).run())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
