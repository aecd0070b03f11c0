//===- Planner.cpp - A schedule for a tiled program -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/Transforms/Planner.h"
#include "CheckGiven.h"
#include "SchedulePlanner.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Tile/IR/DescribeMma.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;
using llvm::formatv;
using plan::multiply;

/// Registers of a thread besides the tiles that it holds: addresses, phases and
/// counters, and a piece of a tile that is being computed.
static constexpr int64_t overheadRegisters = 40;
static constexpr int64_t workingRegisters = 64;

Choice Planner::plan() {
  choice.error = checkGiven(problem, given);
  if (!choice.error.empty())
    return std::move(choice);
  for (auto step :
       {&Planner::chooseCluster, &Planner::checkMmas, &Planner::chooseShape,
        &Planner::chooseWarps, &Planner::chooseSubtile}) {
    (this->*step)();
    if (!choice.error.empty())
      break;
  }
  return std::move(choice);
}

void Planner::checkMmas() {
  for (const Problem::Mma &mma : problem.mmas) {
    target::Mma tiles = mma.op ? describeMma(mlir::cast<MmaOp>(mma.op))
                               : makeMma(mma.m, mma.n, mma.k, mma.a, mma.b,
                                         mma.accumulator, mma.scale, mma.tf32);
    if (choice.schedule.hasPairs() && tiles.ctas == 1)
      tiles = target::ofPair(std::move(tiles));
    std::string error = target::whyNoCode(tiles, arch);
    if (error.empty())
      continue;
    choice.errorAt = mma.op;
    return fail(error);
  }
}

void Planner::chooseShape() {
  Schedule &schedule = choice.schedule;
  if (!schedule.persistent) {
    schedule.persistent = Persistence::Static;
    reason("persistent: static, so that a CTA sets up once and loads the next "
           "tile during the epilogue of this one");
  }
  if (!schedule.roles) {
    schedule.roles = Roles::Multi;
    reason("roles: multi, so that no kind of work waits for another one");
  }
  if (!schedule.fallback)
    schedule.fallback = Fallback::Error;

  if (schedule.hasPairs() && schedule.cluster.empty()) {
    schedule.cluster = {2, 1, 1};
    reason("cluster: 2 x 1 x 1, because cta_group = 2, and the two CTAs of a "
           "pair take neighboring items");
  }
  int64_t ctas = 1;
  for (int64_t size : schedule.cluster)
    ctas = multiply(ctas, size);
  std::string cluster = "cluster: " + joinSizes(schedule.cluster, " × ") +
                        " = " + std::to_string(ctas) + " CTAs";
  if (ctas > arch.maxClusterSize)
    return fail(cluster + ", more than the " + Twine(arch.maxClusterSize) +
                " that " + arch.name + " takes; use fewer [cluster-size]");
  if (ctas > arch.portableClusterSize)
    reason(cluster + ", more than the " + Twine(arch.portableClusterSize) +
           " that every GPU takes, which a launch has to ask for");
  const int64_t *first =
      llvm::find_if(schedule.cluster, [](int64_t size) { return size != 1; });
  if (schedule.hasPairs() &&
      (first == schedule.cluster.end() || *first % 2 != 0))
    return fail(
        cluster +
        ", and cta_group = 2 takes them by twos along the first "
        "dimension that has several; use an even number there [cta-pair]");
  if (schedule.hasPairs() && problem.mmas.empty())
    return fail(
        "cta_group = 2, but the program has no MMA; leave it out [cta-pair]");
  if (ctas > 1 && schedule.roles != Roles::Multi)
    return fail("cluster = [" + joinSizes(schedule.cluster, ", ") +
                "] uses TMA multicast, which needs a dedicated load role; set "
                "roles = multi [cluster-roles]");
  if (schedule.cluster.empty())
    schedule.cluster = {1, 1, 1};
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

int64_t WarpLimits::countHeldRegisters(int64_t warps) const {
  constexpr int64_t registerBits = 32;
  int64_t share = registerBits * warps * arch.warpSize;
  int64_t registers = 0;
  auto hold = [&](int64_t rows, int64_t columns, int64_t bits) {
    registers +=
        llvm::divideCeil(multiply(multiply(rows, columns), bits), share);
  };
  // Interleaved tiles are in roles of their own.
  share *= countInterleaved();
  for (const Problem::Tile &tile : problem.carried)
    hold(tile.rows, tile.columns, tile.bits);
  for (const Problem::Mma &mma : problem.mmas)
    if (holdsAccumulators() ? !mma.continues : mma.isChanged)
      hold(mma.m, mma.n, mma.accumulator.getIntOrFloatBitWidth());
  return std::min(registers, plan::saturated);
}

int64_t WarpLimits::getRegisterLimit(int64_t warps) const {
  // The other roles share one warp group with the least that there is.
  int64_t others =
      target::warpsPerGroup * arch.warpSize * arch.registerBudget.min;
  int64_t fair = (arch.registersPerSm - others) /
                 (warps * arch.warpSize * countInterleaved());
  int64_t limit = std::min<int64_t>(
      {fair, arch.maxRegistersPerThread, arch.registerBudget.max});
  return limit - limit % arch.registerBudget.step;
}

bool WarpLimits::fitsRegisters(int64_t warps) const {
  return countHeldRegisters(warps) + overheadRegisters + workingRegisters <=
         getRegisterLimit(warps);
}

int64_t WarpLimits::getMostWarps() const {
  constexpr int64_t group = target::warpsPerGroup;
  int64_t most = arch.maxThreadsPerCta / arch.warpSize - group;
  if (holdsAccumulators())
    for (const Problem::Mma &mma : problem.mmas)
      most = std::min(most, mma.m / target::wgmmaRows * group);
  return std::max(most, group);
}

int64_t WarpLimits::findUnsharedRows(int64_t warps) const {
  // Warp groups multiply whole instructions. Threads that read tensor memory
  // may have copies of rows: by powers of two.
  int64_t rows =
      holdsAccumulators()
          ? warps / target::warpsPerGroup * target::wgmmaRows
          : (warps >> llvm::countr_zero<uint64_t>(warps)) * arch.warpSize;
  for (const Problem::Mma &mma : problem.mmas)
    if (mma.m % rows != 0)
      return mma.m;
  return 0;
}

std::optional<int64_t> WarpLimits::findWarps(int64_t least,
                                             int64_t most) const {
  for (int64_t warps = least; warps <= most; warps += target::warpsPerGroup)
    if ((llvm::isPowerOf2_64(warps) || !problem.mmas.empty()) &&
        !findUnsharedRows(warps))
      return warps;
  return std::nullopt;
}

/// Rejects a number of warps that a CTA or the rows of an MMA don't allow.
void Planner::checkWarps(int64_t warps, int64_t most) {
  constexpr int64_t group = target::warpsPerGroup;
  int64_t groups = warps / group;
  if (warps > most) {
    bool byRows = most < arch.maxThreadsPerCta / arch.warpSize - group;
    std::string why =
        byRows ? formatv("{0} warp groups of {3} rows each need {1} rows, and "
                         "an MMA has {2}",
                         groups, groups * target::wgmmaRows,
                         most / group * target::wgmmaRows, target::wgmmaRows)
                     .str()
               : formatv("a CTA has at most {0} threads, and the other roles "
                         "need a warp group",
                         arch.maxThreadsPerCta)
                     .str();
    return fail("warps: " + Twine(warps) + " > " + Twine(most) + ": " + why +
                "; use " + Twine(most) + " [schedule-warps]");
  }
  if (int64_t rows = findUnsharedRows(warps)) {
    int64_t fewer = warps - group;
    while (fewer > group && findUnsharedRows(fewer))
      fewer -= group;
    int64_t unit =
        holdsAccumulators() ? target::wgmmaRows : group * arch.warpSize;
    return fail(formatv("warps: {0} warps are {1} warp groups of {2} rows "
                        "each, and the {3} rows of an MMA are no multiple "
                        "of {4}; use {5} [schedule-warps]",
                        warps, groups, unit, rows, groups * unit, fewer));
  }
}

/// Rejects a number of warps whose threads would need more registers than they
/// may have, and names what fits.
void Planner::checkRegisters(int64_t warps, int64_t most) {
  constexpr int64_t group = target::warpsPerGroup;
  if (fitsRegisters(warps))
    return;
  int64_t held = countHeldRegisters(warps);
  std::string text = formatv(
      "registers: with warps = {0}, accumulators and loop-carried tiles need "
      "{1} registers per thread plus about {2} for the rest: {3} > {4} on "
      "{5}",
      warps, held, overheadRegisters + workingRegisters,
      held + overheadRegisters + workingRegisters, getRegisterLimit(warps),
      arch.name);
  for (std::optional<int64_t> more = findWarps(warps + group, most); more;
       more = findWarps(*more + group, most))
    if (fitsRegisters(*more))
      return failTooLarge(text + "; use warps = " + Twine(*more) +
                          " [register-limit]");
  failTooLarge(text + "; use a smaller tile [register-limit]");
}

void Planner::chooseWarps() {
  constexpr int64_t group = target::warpsPerGroup;
  int64_t most = getMostWarps();
  if (given.warps)
    checkWarps(*given.warps, most);
  if (!choice.error.empty())
    return;
  int64_t warps = given.warps.value_or(group), tried = 0;
  while (!given.warps && !fitsRegisters(warps)) {
    std::optional<int64_t> more = findWarps(warps + group, most);
    if (!more)
      break;
    tried = warps;
    warps = *more;
  }
  checkRegisters(warps, most);
  if (!choice.error.empty() || given.warps)
    return;
  choice.schedule.warps = warps;
  int64_t held = countHeldRegisters(warps);
  std::string text =
      formatv("warps: {0}, because each thread then needs about {1} + {2} = "
              "{3} registers, {1} of them for tiles, and may have {4} on {5}",
              warps, held, overheadRegisters + workingRegisters,
              held + overheadRegisters + workingRegisters,
              getRegisterLimit(warps), arch.name);
  if (tried)
    text += formatv("; with {0} it would be {1} > {2}", tried,
                    countHeldRegisters(tried) + overheadRegisters +
                        workingRegisters,
                    getRegisterLimit(tried));
  reason(text);
}

Choice tile::chooseSchedule(const Problem &problem, const Schedule &given,
                            const target::Architecture &arch, size_t narrower) {
  return Planner(problem, given, arch, narrower).plan();
}
