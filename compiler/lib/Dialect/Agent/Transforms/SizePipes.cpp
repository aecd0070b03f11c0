//===- SizePipes.cpp - As many slots as memory holds ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The rules about pipes give each one the slots of its kind: four where loads
// run ahead of a loop, two where one is filled while the other is read. This
// pass knows what a slot takes and what else is in memory, and gives the pipes
// that the program leaves open what fits:
//
//   tensor memory   the slots of their kind, or else one; then two for results
//                   of MMAs as far as they fit, in the order of the program,
//                   unless two tiles are interleaved
//   shared memory   loads ahead share what the other pipes leave, up to eight
//                   slots; where they would get fewer than four, inputs of a
//                   work tile make room: one slot instead of two, unless there
//                   is memory left
//
// Where not even this fits, every pipe has one slot, and place-memory has the
// numbers. That place-memory may lay a pipe over the bytes of another is not
// counted here: it follows from the proof, and the proof from the slots.

#include "Rooms.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/Support/FormatVariadic.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_SIZEPIPES
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;
using llvm::formatv;

namespace {
class Sizer {
public:
  Sizer(tile::KernelOp kernel, SwitchOp op, const target::Architecture &arch,
        Rooms rooms)
      : kernel(kernel), op(op), arch(arch), rooms(std::move(rooms)) {}

  void run();

private:
  void sizeColumns();
  void sizeShared();
  int64_t fill(int64_t inputs, int64_t fewest);
  void raise();
  bool fits() { return rooms.layOut() <= int64_t(arch.maxSharedMemoryPerCta); }
  void record(Room &room);
  void explain();

  tile::KernelOp kernel;
  SwitchOp op;
  const target::Architecture &arch;
  Rooms rooms;
};
} // namespace

static bool runsAhead(const Room &room) {
  return hasReason(PipeOp(room.pipe).getBecauseAttr(), Rule::SlotsAhead);
}

/// Whether the program leaves the number of slots open.
static bool isOpen(const Room &room) {
  ArrayAttr because = PipeOp(room.pipe).getBecauseAttr();
  return runsAhead(room) || hasReason(because, Rule::SlotsByKind) ||
         hasReason(because, Rule::SlotsThatFit);
}

/// What copies fill, rather than threads with what they computed.
static bool isLoaded(const Room &room) {
  return PipeOp(room.pipe).getProducerEngine() != Engine::threads;
}

void Sizer::sizeColumns() {
  int64_t limit = arch.tensorMemory.columns;
  if (rooms.layOutColumns() <= limit)
    return;
  for (Room &room : rooms.tensor)
    if (isOpen(room))
      room.slots = 1;
  // Of two tiles side by side, the tensor core works on the other one.
  if (tile::getSchedule(kernel).interleave.value_or(1) > 1)
    return;
  for (Room &room : rooms.tensor) {
    int64_t ofKind = room.pipe.getSlots();
    if (room.slots == ofKind ||
        !hasReason(room.pipe.getBecauseAttr(), Rule::ResultInTensorMemory))
      continue;
    room.slots = ofKind;
    if (rooms.layOutColumns() > limit)
      room.slots = 1;
  }
}

/// Gives loads ahead as many slots as fit beside `inputs` slots for inputs, and
/// no fewer than `fewest`. Returns how many, 0 if not even these fit, and
/// `mostAhead` if there are no loads ahead and all fits.
int64_t Sizer::fill(int64_t inputs, int64_t fewest) {
  bool anyAhead = false;
  for (Room &room : rooms.shared) {
    if (!isOpen(room))
      continue;
    anyAhead |= runsAhead(room);
    room.slots =
        std::min(room.pipe.getSlots(),
                 isLoaded(room) ? inputs : std::max(fewest, int64_t(1)));
  }
  for (int64_t ahead = mostAhead; ahead >= fewest; --ahead) {
    for (Room &room : rooms.shared)
      if (runsAhead(room))
        room.slots = ahead;
    if (fits())
      return ahead;
    if (!anyAhead)
      break;
  }
  return 0;
}

/// Gives pipes besides those that are loaded ahead the slots of their kind, as
/// far as they fit.
void Sizer::raise() {
  for (Room &room : rooms.shared) {
    int64_t slots = room.slots;
    if (!isOpen(room) || runsAhead(room))
      continue;
    room.slots = room.pipe.getSlots();
    if (!fits())
      room.slots = slots;
  }
}

void Sizer::sizeShared() {
  int64_t two = fill(/*inputs=*/2, /*fewest=*/2);
  if (two >= wantedAhead)
    return;
  int64_t one = fill(/*inputs=*/1, /*fewest=*/2);
  if (two != 0 && one <= two) {
    fill(/*inputs=*/2, /*fewest=*/2);
    return;
  }
  if (one == 0)
    fill(/*inputs=*/1, /*fewest=*/1);
  raise();
}

/// Writes a number into its pipe, and why. A consumer can't keep a slot that is
/// the only one.
void Sizer::record(Room &room) {
  PipeOp pipe = room.pipe;
  std::optional<Reason> reason;
  if (runsAhead(room))
    reason = fire(Rule::SlotsAhead, countSlots(room.slots), mostAhead);
  else if (room.slots < int64_t(pipe.getSlots()))
    reason = fire(Rule::SlotsThatFit, countSlots(room.slots), pipe.getSlots());
  if (reason) {
    // It takes the place of what form-pipes said.
    auto isOther = [](Attribute other) {
      return cast<ReasonAttr>(other).getRule() != Rule::SlotsByKind;
    };
    ArrayAttr others =
        ArrayAttr::get(op.getContext(),
                       llvm::filter_to_vector(pipe.getBecauseAttr(), isOther));
    pipe.setBecauseAttr(addReason(others, op.getContext(), *reason));
  }
  pipe.setSlots(room.slots);
  for (Operation *user : pipe.getPipe().getUsers())
    if (auto consume = dyn_cast<ConsumeOp>(user))
      consume.setLag(std::min(consume.getLag(), room.slots - 1));
}

/// "operands: 4 slots x 48 KiB + output: 2 slots x 16 KiB + "
static std::string spell(ArrayRef<Room> rooms,
                         function_ref<std::string(int64_t)> format) {
  std::string text;
  for (const Room &room : rooms)
    if (room.isOwn())
      text += formatv("{0}: {1} x {2} + ", PipeOp(room.pipe).getName(),
                      countSlots(room.slots), format(room.stride));
  return text;
}

/// A line for each memory that holds all of its pipes.
void Sizer::explain() {
  std::vector<std::string> lines;
  int64_t columns = rooms.layOutColumns(), inSlots = 0;
  for (const Room &room : rooms.tensor)
    inSlots += room.isOwn() ? room.size() : 0;
  if (columns != 0 && columns <= int64_t(arch.tensorMemory.columns)) {
    auto format = [](int64_t count) {
      return std::to_string(count) + " columns";
    };
    std::string text = spell(rooms.tensor, format);
    if (columns != inSlots)
      text += "outside pipes: " + format(columns - inSlots) + " + ";
    lines.push_back(formatv("tensor-memory: {0} = {1} of {2} on {3}",
                            StringRef(text).drop_back(3), columns,
                            format(arch.tensorMemory.columns), arch.name));
  }
  int64_t bytes = rooms.layOut(), limit = arch.maxSharedMemoryPerCta;
  if (!rooms.shared.empty() && bytes <= limit) {
    int64_t rest = bytes;
    for (const Room &room : rooms.shared)
      rest -= room.size();
    lines.push_back(
        formatv("shared-memory: {0}{1} for the rest = {2} of {3} on {4}",
                spell(rooms.shared, formatBytes), formatBytes(rest),
                formatBytes(bytes), formatBytes(limit), arch.name));
  }
  // A second run says the same.
  llvm::erase_if(lines, [&](const std::string &line) {
    return llvm::is_contained(tile::getReasons(kernel), line);
  });
  tile::addReasons(kernel, lines);
}

void Sizer::run() {
  sizeColumns();
  sizeShared();
  bool anyOpen = false;
  for (std::vector<Room> *pipes : {&rooms.shared, &rooms.tensor})
    for (Room &room : *pipes)
      if (isOpen(room)) {
        record(room);
        anyOpen = true;
      }
  if (anyOpen)
    explain();
}

namespace {
struct SizePipesPass : agent::impl::SizePipesBase<SizePipesPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](SwitchOp op) {
      FailureOr<const target::Architecture *> arch =
          tile::requireTarget(getOperation());
      if (failed(arch) || failed(requireEngines(op)))
        return WalkResult::interrupt();
      FailureOr<Rooms> rooms = Rooms::of(op, **arch);
      if (failed(rooms))
        return WalkResult::interrupt();
      Sizer(getOperation(), op, **arch, std::move(*rooms)).run();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
