//===- Planner.cpp - A schedule for a tiled program -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/Transforms/Planner.h"
#include "CheckGiven.h"
#include "drawloom/Analysis/Plan/Footprint.h"
#include "drawloom/Dialect/Tile/IR/Products.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;
using llvm::formatv;
using plan::formatBytes;
using plan::multiply;

/// Barriers, messages and the address of tensor memory: a few hundred bytes.
static constexpr int64_t barrierRoom = 1024;
/// Loads in flight that hide the latency of memory behind products.
static constexpr int64_t wantedSlots = 4;
/// More have never been seen to help.
static constexpr int64_t mostSlots = 8;
/// One is filled while the other is read.
static constexpr int64_t fewestSlots = 2;
/// Registers of a thread besides the tiles that it holds: addresses, phases and
/// counters, and a piece of a tile that is being computed.
static constexpr int64_t overheadRegisters = 40;
static constexpr int64_t workingRegisters = 64;

static std::string countSlots(int64_t count) {
  return std::to_string(count) + (count == 1 ? " slot" : " slots");
}

namespace {
/// The pipes in shared memory, with sub-tiles of one width.
struct Rooms {
  /// 0 if nothing moves in sub-tiles.
  int64_t columns = 0;
  llvm::SmallVector<int64_t> slots;
  /// Slots of the pipes that share what is left.
  int64_t shared = 0;
  int64_t total = 0;
};

class Planner {
public:
  Planner(const Problem &problem, const Schedule &given,
          const target::Architecture &arch)
      : problem(problem), given(given), arch(arch) {
    choice.schedule = given;
  }

  Choice plan() {
    choice.fault = checkGiven(problem, given, arch);
    if (!choice.fault.empty())
      return std::move(choice);
    for (auto step :
         {&Planner::checkProducts, &Planner::chooseShape, &Planner::chooseWarps,
          &Planner::chooseTensorMemory, &Planner::chooseSharedMemory}) {
      (this->*step)();
      if (!choice.fault.empty())
        break;
    }
    return std::move(choice);
  }

private:
  void checkProducts();
  void chooseShape();
  void chooseWarps();
  void chooseTensorMemory();
  void chooseSharedMemory();

  /// Reasons live in the IR, whose text spells out what is not ASCII.
  void reason(const llvm::Twine &text) {
    std::string plain = text.str();
    for (size_t at; (at = plain.find("×")) != std::string::npos;)
      plain.replace(at, StringRef("×").size(), "x");
    choice.reasons.push_back(std::move(plain));
  }
  void fail(const llvm::Twine &text) { choice.fault = text.str(); }

  int64_t countAbreast() const { return given.abreast.value_or(1); }
  bool holdsAccumulators() const {
    return arch.mma == target::MmaInstruction::Wgmma;
  }

  int64_t countHeldRegisters(int64_t warps) const;
  int64_t getRegisterLimit(int64_t warps) const;
  bool fitsRegisters(int64_t warps) const {
    return countHeldRegisters(warps) + overheadRegisters + workingRegisters <=
           getRegisterLimit(warps);
  }
  int64_t getMostWarps() const;
  /// The rows of the first product that this many warps can't share; 0 if they
  /// can share all.
  int64_t findUnsharedRows(int64_t warps) const;
  /// The first number of warps from `least` on that can share the rows.
  std::optional<int64_t> findWarps(int64_t least, int64_t most) const;

  bool isSliced(const Problem::Pipe &pipe) const {
    return !problem.products.empty() && !pipe.inLoop &&
           pipe.kind != Problem::Pipe::Operands;
  }
  /// Pipes that are refilled all the time share what the others leave.
  bool isStream(const Problem::Pipe &pipe) const {
    return pipe.kind != Problem::Pipe::Output &&
           (pipe.inLoop || problem.products.empty());
  }
  std::optional<int64_t> getGiven(const Problem::Pipe &pipe) const;
  int64_t getSlotBytes(const Problem::Pipe &pipe, int64_t columns) const;
  llvm::SmallVector<int64_t> getWidths() const;
  Rooms fill(int64_t columns, int64_t itemSlots) const;
  std::string spell(const Rooms &rooms) const;
  std::string suggest(const Rooms &rooms) const;

  const Problem &problem;
  const Schedule &given;
  const target::Architecture &arch;
  Choice choice;
};
} // namespace

void Planner::checkProducts() {
  for (const Problem::Product &product : problem.products) {
    std::string fault = target::whyNoCode(
        product.op
            ? describeProduct(mlir::cast<MmaOp>(product.op))
            : makeProduct(product.m, product.n, product.k, product.a, product.b,
                          product.accumulator, product.scale, product.tf32),
        arch);
    if (fault.empty())
      continue;
    choice.faultAt = product.op;
    return fail(fault);
  }
}

void Planner::chooseShape() {
  Schedule &schedule = choice.schedule;
  if (schedule.persistent == Persistence::Granted && !arch.clusterLaunchControl)
    return fail("persistent: work items are granted by cluster launch control, "
                "which " +
                Twine(arch.name) + " does not have; use static");
  if (!schedule.persistent) {
    schedule.persistent = Persistence::Static;
    reason("persistent: static, so that a CTA sets up once and loads the next "
           "item while it ends one");
  }
  if (!schedule.roles) {
    schedule.roles = Roles::Multi;
    reason("roles: multi, so that no kind of work waits for another one");
  }
  if (!schedule.otherwise)
    schedule.otherwise = Otherwise::Refuse;

  int64_t ctas = 1;
  for (int64_t size : schedule.cluster)
    ctas = multiply(ctas, size);
  if (ctas > 1)
    return fail("cluster: " + joinSizes(schedule.cluster, " × ") + " = " +
                Twine(ctas) +
                " CTAs, and there is no code for clusters yet; leave it out");
  if (schedule.cluster.empty())
    schedule.cluster = {1, 1, 1};
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

int64_t Planner::countHeldRegisters(int64_t warps) const {
  constexpr int64_t registerBits = 32;
  int64_t share = registerBits * warps * arch.warpSize;
  int64_t registers = 0;
  auto hold = [&](int64_t rows, int64_t columns, int64_t bits) {
    registers +=
        llvm::divideCeil(multiply(multiply(rows, columns), bits), share);
  };
  // Tiles that run abreast are in roles of their own.
  share *= countAbreast();
  for (const Problem::Tile &tile : problem.carried)
    hold(tile.rows, tile.columns, tile.bits);
  for (const Problem::Product &product : problem.products)
    if (holdsAccumulators() && !product.continues)
      hold(product.m, product.n, product.accumulator.getIntOrFloatBitWidth());
  return std::min(registers, plan::saturated);
}

int64_t Planner::getRegisterLimit(int64_t warps) const {
  // The other roles share one warp group with the least that there is.
  int64_t others =
      target::warpsPerGroup * arch.warpSize * arch.registerBudget.min;
  int64_t fair =
      (arch.registersPerSm - others) / (warps * arch.warpSize * countAbreast());
  int64_t limit = std::min<int64_t>(
      {fair, arch.maxRegistersPerThread, arch.registerBudget.max});
  return limit - limit % arch.registerBudget.step;
}

int64_t Planner::getMostWarps() const {
  constexpr int64_t group = target::warpsPerGroup;
  int64_t most = arch.maxThreadsPerCta / arch.warpSize - group;
  if (holdsAccumulators())
    for (const Problem::Product &product : problem.products)
      most = std::min(most, product.m / target::wgmmaRows * group);
  return std::max(most, group);
}

int64_t Planner::findUnsharedRows(int64_t warps) const {
  // Warp groups multiply whole instructions. Threads that read tensor memory
  // may have copies of rows: by powers of two.
  int64_t rows =
      holdsAccumulators()
          ? warps / target::warpsPerGroup * target::wgmmaRows
          : (warps >> llvm::countr_zero<uint64_t>(warps)) * arch.warpSize;
  for (const Problem::Product &product : problem.products)
    if (product.m % rows != 0)
      return product.m;
  return 0;
}

std::optional<int64_t> Planner::findWarps(int64_t least, int64_t most) const {
  for (int64_t warps = least; warps <= most; warps += target::warpsPerGroup)
    if ((llvm::isPowerOf2_64(warps) || !problem.products.empty()) &&
        !findUnsharedRows(warps))
      return warps;
  return std::nullopt;
}

void Planner::chooseWarps() {
  constexpr int64_t group = target::warpsPerGroup;
  int64_t most = getMostWarps();
  if (given.warps && *given.warps > most) {
    bool byRows = most < arch.maxThreadsPerCta / arch.warpSize - group;
    int64_t groups = *given.warps / group;
    std::string why =
        byRows ? formatv("{0} warp groups of {3} rows each need {1} rows, and "
                         "a product has {2}",
                         groups, groups * target::wgmmaRows,
                         most / group * target::wgmmaRows, target::wgmmaRows)
                     .str()
               : formatv("a CTA has at most {0} threads, and the other roles "
                         "need a warp group",
                         arch.maxThreadsPerCta)
                     .str();
    return fail("warps: " + Twine(*given.warps) + " > " + Twine(most) + ": " +
                why + "; use " + Twine(most));
  }
  if (int64_t rows = given.warps ? findUnsharedRows(*given.warps) : 0) {
    int64_t fewer = *given.warps - group;
    while (fewer > group && findUnsharedRows(fewer))
      fewer -= group;
    int64_t groups = *given.warps / group;
    int64_t unit =
        holdsAccumulators() ? target::wgmmaRows : group * arch.warpSize;
    return fail(formatv("warps: {0} warps are {1} warp groups of {2} rows "
                        "each, and the {3} rows of a product are no multiple "
                        "of {4}; use {5}",
                        *given.warps, groups, unit, rows, groups * unit,
                        fewer));
  }
  int64_t warps = given.warps.value_or(group), tried = 0;
  while (!given.warps && !fitsRegisters(warps)) {
    std::optional<int64_t> more = findWarps(warps + group, most);
    if (!more)
      break;
    tried = warps;
    warps = *more;
  }
  int64_t held = countHeldRegisters(warps);
  int64_t needed = held + overheadRegisters + workingRegisters;
  int64_t limit = getRegisterLimit(warps);
  if (needed > limit) {
    std::string text = formatv(
        "warps: {0} warps hold the accumulators and carried tiles in {1} "
        "registers of each thread, and need about {2} besides: {3} > {4} on "
        "{5}",
        warps, held, overheadRegisters + workingRegisters, needed, limit,
        arch.name);
    for (std::optional<int64_t> more = findWarps(warps + group, most); more;
         more = findWarps(*more + group, most))
      if (fitsRegisters(*more))
        return fail(text + "; " + Twine(*more) + " warps fit");
    return fail(text + "; use a smaller tile");
  }
  if (given.warps)
    return;
  choice.schedule.warps = warps;
  std::string text =
      formatv("warps: {0}, because each thread then needs about {1} + {2} = "
              "{3} registers, {1} of them for tiles, and may have {4} on {5}",
              warps, held, overheadRegisters + workingRegisters, needed, limit,
              arch.name);
  if (tried)
    text += formatv("; with {0} it would be {1} > {2}", tried,
                    countHeldRegisters(tried) + overheadRegisters +
                        workingRegisters,
                    getRegisterLimit(tried));
  reason(text);
}

//===----------------------------------------------------------------------===//
// Tensor memory
//===----------------------------------------------------------------------===//

void Planner::chooseTensorMemory() {
  int64_t lanes = arch.tensorMemory.lanes, limit = arch.tensorMemory.columns;
  if (limit == 0 || problem.products.empty() ||
      choice.schedule.roles != Roles::Multi)
    return;
  constexpr int64_t columnBits = 32;
  int64_t columns = 0;
  for (const Problem::Product &product : problem.products)
    if (!product.continues)
      columns += multiply(
          llvm::divideCeil(product.m, lanes),
          llvm::divideCeil(
              multiply(product.n, product.accumulator.getIntOrFloatBitWidth()),
              columnBits));
  std::optional<int64_t> asked = given.getSlots("result");
  int64_t slots = asked.value_or(2 * columns <= limit ? 2 : 1);
  int64_t total = multiply(slots, columns);
  if (total > limit) {
    std::string text = formatv(
        "tensor memory: result: {0} × {1} columns = {2} > {3} columns on {4}",
        countSlots(slots), columns, total, limit, arch.name);
    if (int64_t fitting = limit / columns)
      return fail(text + "; " + countSlots(fitting) +
                  (fitting == 1 ? " fits" : " fit"));
    return fail(text + "; use a smaller tile");
  }
  if (asked)
    return;
  choice.schedule.slots.emplace_back("result", slots);
  reason(formatv("result-slots: {0} × {1} columns = {2} of {3} columns of "
                 "tensor memory on {4}{5}",
                 countSlots(slots), columns, total, limit, arch.name,
                 slots == 1 ? formatv("; 2 would be {0}", 2 * columns).str()
                            : ""));
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

std::optional<int64_t> Planner::getGiven(const Problem::Pipe &pipe) const {
  if (std::optional<int64_t> slots = given.getSlots(pipe.name))
    return slots;
  // An output has its slots by the name of the pipe alone: the view may be
  // loaded as well.
  if (pipe.kind == Problem::Pipe::Output)
    return std::nullopt;
  for (const std::string &view : pipe.views)
    if (std::optional<int64_t> slots = given.getSlots(view))
      return slots;
  return std::nullopt;
}

int64_t Planner::getSlotBytes(const Problem::Pipe &pipe,
                              int64_t columns) const {
  constexpr int64_t alignment = 128;
  int64_t bytes = 0;
  for (const Problem::Tile &tile : pipe.tiles) {
    int64_t width = isSliced(pipe) && columns ? std::min(columns, tile.columns)
                                              : tile.columns;
    int64_t bits = multiply(multiply(tile.rows, width), tile.bits);
    if (bits >= plan::saturated)
      return plan::saturated;
    bytes += plan::alignUp(llvm::divideCeil(bits, 8), alignment);
  }
  return std::min(bytes, plan::saturated);
}

/// Widths of sub-tiles, the widest first: rows of 128, 64 and 32 bytes, which
/// are what the swizzles of shared memory work on.
llvm::SmallVector<int64_t> Planner::getWidths() const {
  int64_t columns = 0, bits = 0;
  for (const Problem::Pipe &pipe : problem.pipes)
    if (isSliced(pipe))
      for (const Problem::Tile &tile : pipe.tiles) {
        columns = std::gcd(columns, tile.columns);
        bits = bits ? std::min(bits, tile.bits) : tile.bits;
      }
  if (columns == 0)
    return {0};
  if (given.columns)
    return {*given.columns};
  llvm::SmallVector<int64_t> widths;
  int64_t granule = std::max<int64_t>(1, 8 * arch.tma.granuleBytes / bits);
  if (holdsAccumulators())
    granule = std::lcm(granule, target::wgmmaColumns);
  for (int64_t rowBytes : {128, 64, 32}) {
    int64_t width = std::min(rowBytes * 8 / bits, columns);
    while (width > 0 && (columns % width != 0 || width % granule != 0))
      --width;
    if (width > 0 && !llvm::is_contained(widths, width))
      widths.push_back(width);
  }
  if (widths.empty())
    widths.push_back(columns);
  return widths;
}

Rooms Planner::fill(int64_t columns, int64_t itemSlots) const {
  Rooms rooms;
  rooms.columns = columns;
  rooms.total = barrierRoom;
  int64_t open = 0;
  auto take = [&](const Problem::Pipe &pipe, int64_t slots) {
    rooms.total =
        std::min(rooms.total + multiply(slots, getSlotBytes(pipe, columns)),
                 plan::saturated);
  };
  for (const Problem::Pipe &pipe : problem.pipes) {
    int64_t slots = 0;
    if (std::optional<int64_t> asked = getGiven(pipe))
      slots = *asked;
    else if (isStream(pipe))
      open += getSlotBytes(pipe, columns);
    else
      slots = pipe.kind == Problem::Pipe::Output ? fewestSlots : itemSlots;
    take(pipe, slots);
    rooms.slots.push_back(slots);
  }
  if (open == 0)
    return rooms;
  int64_t left = arch.maxSharedMemoryPerCta - rooms.total;
  rooms.shared = std::clamp(left / open, fewestSlots, mostSlots);
  for (auto [pipe, slots] : llvm::zip_equal(problem.pipes, rooms.slots))
    if (slots == 0) {
      slots = rooms.shared;
      take(pipe, slots);
    }
  return rooms;
}

/// "operands: 4 slots × 48 KiB + bias: 2 slots × 8 KiB + 1 KiB for barriers =
/// 209 KiB".
std::string Planner::spell(const Rooms &rooms) const {
  std::string text;
  for (auto [pipe, slots] : llvm::zip_equal(problem.pipes, rooms.slots))
    text += formatv("{0}: {1} × {2} + ", pipe.name, countSlots(slots),
                    formatBytes(getSlotBytes(pipe, rooms.columns)));
  return text + formatBytes(barrierRoom) +
         " for barriers = " + formatBytes(rooms.total);
}

/// What would make it fit: fewer slots of the largest pipe, narrower
/// sub-tiles, or a smaller tile.
std::string Planner::suggest(const Rooms &rooms) const {
  int64_t limit = arch.maxSharedMemoryPerCta, over = rooms.total - limit;
  std::string text;
  const Problem::Pipe *largest = nullptr;
  int64_t largestBytes = 0, largestSlots = 0;
  for (auto [pipe, slots] : llvm::zip_equal(problem.pipes, rooms.slots))
    if (int64_t bytes = multiply(slots, getSlotBytes(pipe, rooms.columns));
        getGiven(pipe) && bytes > largestBytes) {
      largest = &pipe;
      largestBytes = bytes;
      largestSlots = slots;
    }
  if (largest) {
    int64_t slot = getSlotBytes(*largest, rooms.columns);
    int64_t fitting = largestSlots - llvm::divideCeil(over, slot);
    if (fitting > 0)
      text = formatv("; {0} of {1} {2}", countSlots(fitting), largest->name,
                     fitting == 1 ? "fits" : "fit");
  }
  if (given.columns && *given.columns % 2 == 0 &&
      fill(*given.columns / 2, 1).total <= limit)
    text += formatv("{0} columns = {1} {2}", text.empty() ? ";" : ", or",
                    *given.columns / 2, text.empty() ? "fits" : "does");
  return text.empty() ? "; use a smaller tile" : text;
}

void Planner::chooseSharedMemory() {
  if (choice.schedule.roles == Roles::None)
    return;
  if (given.columns)
    for (const Problem::Pipe &pipe : problem.pipes)
      if (isSliced(pipe))
        for (const Problem::Tile &tile : pipe.tiles)
          if (tile.columns % *given.columns != 0)
            return fail(
                "columns: " + Twine(*given.columns) + " does not divide the " +
                Twine(tile.columns) + " columns of '" + pipe.name +
                "': " + Twine(tile.columns) + " % " + Twine(*given.columns) +
                " = " + Twine(tile.columns % *given.columns) + "; use " +
                Twine(std::gcd(tile.columns, *given.columns)));

  if (given.columns && holdsAccumulators() && !problem.products.empty() &&
      *given.columns % target::wgmmaColumns != 0)
    return fail("columns: " + Twine(*given.columns) +
                " is no multiple of the " + Twine(target::wgmmaColumns) +
                " columns of an accumulator that four threads share on " +
                arch.name + ": " + Twine(*given.columns) + " % " +
                Twine(target::wgmmaColumns) + " = " +
                Twine(*given.columns % target::wgmmaColumns) + "; use " +
                Twine(llvm::alignTo(*given.columns, target::wgmmaColumns)));

  // Two slots of the widest sub-tile, unless the loops then get too few.
  int64_t limit = arch.maxSharedMemoryPerCta;
  llvm::SmallVector<int64_t> widths = getWidths();
  std::optional<Rooms> best;
  auto isBetter = [&](const Rooms &rooms) {
    if (!best || best->total > limit)
      return true;
    return rooms.total <= limit && best->shared < wantedSlots &&
           rooms.shared > best->shared;
  };
  for (int64_t itemSlots : {2, 1})
    for (int64_t width : widths)
      if (Rooms rooms = fill(width, itemSlots); isBetter(rooms))
        best = rooms;
  if (best->total > limit)
    return fail("shared memory: " + spell(*best) + " > " + formatBytes(limit) +
                " on " + arch.name + suggest(*best));

  for (auto [pipe, slots] : llvm::zip_equal(problem.pipes, best->slots))
    if (!getGiven(pipe) && !choice.schedule.getSlots(pipe.name))
      choice.schedule.slots.emplace_back(pipe.name, slots);
  if (!problem.pipes.empty())
    reason("slots: " + spell(*best) + " of " + formatBytes(limit) + " on " +
           arch.name);
  if (best->columns == 0 || given.columns)
    return;
  choice.schedule.columns = best->columns;
  std::string text = formatv(
      "columns: the epilogue moves in sub-tiles of {0} columns", best->columns);
  if (best->columns != widths.front()) {
    Rooms wide = fill(widths.front(), 2);
    text +=
        formatv(", because {0} columns leave room for {1} in the loop ({2})",
                widths.front(), countSlots(wide.shared), spell(wide));
  }
  reason(text);
}

Choice tile::chooseSchedule(const Problem &problem, const Schedule &given,
                            const target::Architecture &arch) {
  return Planner(problem, given, arch).plan();
}
