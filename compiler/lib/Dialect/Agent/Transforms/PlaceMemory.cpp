//===- PlaceMemory.cpp - Shared and tensor memory for the pipes -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Rooms.h has the order in which things lie. A staging pipe may lie on the
// bytes of a pipe that is no longer used where Lifetimes.h has an argument for
// it; everything else has bytes of its own.

#include "Lifetimes.h"
#include "Rooms.h"
#include "drawloom/Analysis/RoleTiles/Exchanges.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
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
class Placer {
public:
  Placer(SwitchOp op, const target::Architecture &arch, Rooms rooms)
      : op(op), arch(arch), rooms(std::move(rooms)) {}
  LogicalResult run();

private:
  LogicalResult checkScratch();
  LogicalResult checkBarriers();
  void findReuse();
  LogicalResult checkShared();
  LogicalResult checkColumns();
  InFlightDiagnostic reject(ArrayRef<Room> pipes, StringRef memory,
                            function_ref<std::string(int64_t)> format);
  void record();

  SwitchOp op;
  const target::Architecture &arch;
  Rooms rooms;
  /// Roles whose warps synchronize before they take another pipe's bytes.
  llvm::SmallPtrSet<Operation *, 2> syncing;
  int64_t sharedBytes = 0, tensorColumns = 0;
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

/// Rejects what no choice of slots makes fit.
LogicalResult Placer::checkScratch() {
  for (const Scratch &scratch : rooms.scratches) {
    RoleOp role = scratch.role;
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
  for (Room &room : rooms.shared) {
    if (!isStaging(room.pipe))
      continue;
    // Of several rejections, the one about the first pipe is reported.
    std::string why;
    for (Room &other : rooms.shared) {
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

/// "operands: 4 slots × 48 KiB + bias: 2 slots × 8 KiB", at the largest pipe.
InFlightDiagnostic Placer::reject(ArrayRef<Room> pipes, StringRef memory,
                                  function_ref<std::string(int64_t)> format) {
  const Room &largest = getLargest(pipes);
  PipeOp pipe = largest.pipe;
  InFlightDiagnostic diag = tile::tooLarge(pipe.emitError()) << memory << ": ";
  StringRef separator;
  for (const Room &room : pipes) {
    if (!room.isOwn())
      continue;
    pipe = room.pipe;
    diag << separator << pipe.getName() << ": " << countSlots(room.slots)
         << " × " << format(room.stride);
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
      return "; " + countSlots(slots) + " of " + name +
             (slots == 1 ? " fits" : " fit");
  return "; no number of slots of " + name +
         " makes it fit: use a smaller tile" +
         (rooms.size() > 1 ? " or fewer slots of the others" : "");
}

LogicalResult Placer::checkShared() {
  int64_t limit = arch.maxSharedMemoryPerCta;
  sharedBytes = rooms.layOut();
  if (sharedBytes <= limit)
    return success();
  ArrayRef<Room> pipes = rooms.shared.empty() ? rooms.messages : rooms.shared;
  if (pipes.empty())
    return tile::tooLarge(op.emitError())
           << "operands outside pipes and barriers take "
           << formatBytes(sharedBytes) << " > " << formatBytes(limit) << " on "
           << arch.name
           << "; use a smaller tile or fewer slots [shared-memory-limit]";
  int64_t slots = 0, scratchBytes = 0;
  for (const Room &room : pipes)
    if (room.isOwn())
      slots = std::min(slots + room.size(), saturated);
  for (const Scratch &scratch : rooms.scratches)
    scratchBytes += scratch.bytes;
  return reject(pipes, "shared memory", formatBytes)
         << (scratchBytes
                 ? " + operands outside pipes: " + formatBytes(scratchBytes)
                 : "")
         << " + barriers and messages: "
         << formatBytes(sharedBytes - slots - scratchBytes) << " = "
         << formatBytes(sharedBytes) << " > " << formatBytes(limit) << " on "
         << arch.name
         << suggest(
                pipes,
                [&](int64_t removed) { return sharedBytes - removed <= limit; })
         << " [shared-memory-limit]";
}

LogicalResult Placer::checkColumns() {
  int64_t columns = rooms.layOutColumns(), limit = arch.tensorMemory.columns;
  if (columns == 0)
    return success();
  ArrayRef<Room> tensor = rooms.tensor;
  int64_t inSlots = 0;
  for (const Room &room : tensor)
    if (room.isOwn())
      inSlots = std::min(inSlots + room.size(), saturated);
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
  for (std::vector<Room> *pipes :
       {&rooms.shared, &rooms.tensor, &rooms.messages})
    for (Room &room : *pipes)
      room.pipe.setPlaceAttr(PlaceAttr::get(
          op.getContext(), room.place.start, room.stride, room.place.full,
          room.place.empty,
          room.isOwn() ? StringAttr()
                       : StringAttr::get(op.getContext(), room.reuses)));
  op.setSharedBytes(sharedBytes);
  for (const Scratch &scratch : rooms.scratches)
    RoleOp(scratch.role)
        .setScratchAttr(ScratchAttr::get(op.getContext(), scratch.offset,
                                         scratch.bytes, scratch.column,
                                         scratch.columns));
  if (tensorColumns) {
    op.setTensorColumns(tensorColumns);
    op.setTensorAddress(rooms.tensorAddress);
  }
  if (rooms.nextTileBytes)
    op.setNextTile(rooms.nextTile);
}

LogicalResult Placer::run() {
  if (failed(checkScratch()))
    return failure();
  findReuse();
  if (failed(checkBarriers()) || failed(checkColumns()) ||
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
      if (failed(arch))
        return WalkResult::interrupt();
      FailureOr<Rooms> rooms = Rooms::of(op, **arch);
      return failed(rooms) ||
                     failed(Placer(op, **arch, std::move(*rooms)).run())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
