//===- Clock.cpp - When things happen -------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Timing/Clock.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::divideCeil;

//===----------------------------------------------------------------------===//
// SMs
//===----------------------------------------------------------------------===//

SmClock::SmClock(const ClockConstants &c)
    : sharedReads(c.sharedBytes), sharedWrites(c.sharedBytes),
      stores(c.storeBytes), tensorLoads(std::max(c.tensorLoadBytes, 1u)),
      tensorStores(std::max(c.tensorStoreBytes, 1u)) {}

Clock::Clock(const DeviceModel &model, const ClockConstants &constants,
             uint64_t seed)
    : constants(constants), memory(this->constants, activity), random(seed),
      seed(seed) {
  for (unsigned index = 0; index != model.smCount; ++index)
    sms.push_back(std::make_unique<SmClock>(this->constants));
}

Clock::~Clock() = default;

ProgramClock &Clock::of(const Kernel &kernel) {
  std::unique_ptr<ProgramClock> &entry = programs[&kernel];
  if (!entry)
    entry = std::make_unique<ProgramClock>(kernel, constants);
  return *entry;
}

uint64_t Clock::startOn(llvm::ArrayRef<uint32_t> indices) {
  uint64_t time = nextStart;
  for (uint32_t index : indices) {
    SmClock &unit = sm(index);
    if (unit.vacated)
      time = std::max<uint64_t>(time, unit.vacated + constants.ctaReplace);
    unit.used = true;
  }
  nextStart += constants.ctaDispatch * indices.size();
  return time;
}

void Clock::beginLaunch(const Kernel &kernel, bool overlaps) {
  uint64_t begin = overlaps ? nextStart : end;
  launches.push_back({&kernel, begin, begin});
  nextStart = begin + constants.launchCycles;
}

void Clock::left(uint32_t launch, llvm::ArrayRef<uint32_t> indices,
                 uint64_t now) {
  launches[launch].end = std::max(launches[launch].end, now);
  for (uint32_t index : indices)
    sm(index).vacated = std::max(sm(index).vacated, now);
  end = std::max(end, now);
}

/// The latency of memory differs by SM and by the slice of L2 that an address
/// is in.
uint64_t Clock::latencyOf(uint32_t index, uint64_t address,
                          uint64_t latency) const {
  uint64_t hash = (address >> 12) * 0x9e3779b97f4a7c15ull +
                  (index + 1) * 0xbf58476d1ce4e5b9ull + seed;
  hash ^= hash >> 29;
  int64_t range = int64_t(latency) * constants.jitterPercent / 100;
  return latency + int64_t(hash % (2 * range + 1)) - range;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

uint64_t Clock::load(uint32_t issuer, const Copy &copy,
                     llvm::ArrayRef<uint32_t> targets, uint64_t now) {
  SmClock &unit = sm(issuer);
  const uint64_t rows =
      copy.rows *
      divideCeil(std::max<uint64_t>(copy.rowBytes, 1), constants.tmaRowBytes);
  const uint64_t start = std::max(now, unit.copyFree);
  unit.copyFree = start + std::max<uint64_t>(rows, constants.tmaInterval);
  const MemoryClock::Traffic &traffic = copy.traffic;
  const uint64_t latency = latencyOf(issuer, start, constants.l2Latency) +
                           memory.latency(traffic, start);
  uint64_t stream = (traffic.bytes - traffic.missed) / constants.tmaBoxBytes +
                    traffic.missed / constants.tmaMissBytes;
  uint64_t done =
      std::max(start + std::max(stream, rows), memory.transfer(traffic, start));
  for (uint32_t target : targets)
    done = std::max(done, sm(target).fill.reserve(start, rows));
  // The latency was measured up to the instruction behind the wait.
  return done + latency + constants.tmaLatency - constants.mbarrierWake +
         jitter();
}

uint64_t Clock::copyRemote(uint32_t issuer, uint64_t bytes, uint64_t now) {
  SmClock &unit = sm(issuer);
  uint64_t start = std::max(now, unit.copyFree);
  unit.copyFree = start + divideCeil(bytes, constants.remoteBytes);
  return unit.copyFree + constants.remoteLatency + jitter();
}

uint64_t Clock::store(uint32_t issuer, uint64_t bytes, uint64_t now) {
  SmClock &unit = sm(issuer);
  uint64_t start = std::max(now, unit.storeFree);
  unit.storeFree = start + divideCeil(bytes, constants.storeBytes);
  return unit.storeFree + constants.tmaStoreBase;
}

uint64_t Clock::copyAsync(uint32_t issuer, const MemoryClock::Traffic &traffic,
                          uint64_t now) {
  const uint64_t latency = latencyOf(issuer, now, constants.l2Latency) +
                           memory.latency(traffic, now);
  uint64_t rows = divideCeil(traffic.bytes, constants.tmaRowBytes);
  return std::max(sm(issuer).fill.reserve(now, rows),
                  memory.transfer(traffic, now)) +
         latency + jitter();
}

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

/// Cycles of a tensor core for an MMA of these rows, N columns and 32 bytes of
/// K: 16 elements of 16 bits, or as much of another type.
static uint64_t multiplyCycles(const ClockConstants &constants, uint64_t rows,
                               uint64_t n) {
  constexpr uint64_t k = 16;
  return 2 * rows * n * k / constants.mmaFlops;
}

/// When the tensor cores of all these SMs are free, which they are again after
/// `interval`.
static uint64_t reserve(llvm::ArrayRef<SmClock *> units, uint64_t interval,
                        uint64_t now) {
  uint64_t start = now;
  for (SmClock *unit : units)
    start = std::max(start, unit->tensorFree);
  for (SmClock *unit : units)
    unit->tensorFree = start + interval;
  return start;
}

uint64_t Clock::multiply(llvm::ArrayRef<uint32_t> indices, const Multiply &work,
                         uint64_t now) {
  const bool pair = indices.size() == 2;
  auto units = llvm::map_to_vector<2>(
      indices, [&](uint32_t index) { return &sm(index); });
  // Each MMA reads 32 bytes of a row of A, and of B, or 64 if A is sparse; a
  // CTA of a pair has half of B. 64 rows take the time of 128, unless both CTAs
  // of a pair have 64.
  uint64_t length = multiplyCycles(
      constants, pair && work.rows == 64 ? 64 : 128, work.columns);
  uint64_t bytes = (work.aInTensorMemory ? 0 : work.rows * 32u) +
                   work.columns * (work.aIsSparse ? 64u : 32u) / (pair ? 2 : 1);
  uint64_t interval =
      std::max(length, divideCeil(bytes, constants.sharedBytes));
  if (!work.aInTensorMemory && work.rows == 128)
    interval = std::max<uint64_t>(interval, constants.ummaFloor);
  uint64_t start = reserve(units, interval, now);
  for (SmClock *unit : units) {
    unit->tensorBusy += interval;
    activity.addTensor(start, interval);
    unit->tensorBegin = std::min(unit->tensorBegin, start);
  }
  // The latency was measured up to the instruction behind the wait.
  return start + length + constants.ummaTail - (work.aInTensorMemory ? 32 : 0) +
         (pair ? 34 : 0) - constants.mbarrierWake;
}

uint64_t Clock::copyTensor(llvm::ArrayRef<uint32_t> indices, uint64_t bytes,
                           uint64_t now) {
  auto units = llvm::map_to_vector<2>(
      indices, [&](uint32_t index) { return &sm(index); });
  uint64_t interval = std::max<uint64_t>(1, divideCeil(bytes, 2048)) *
                      constants.tensorCopyCycles;
  return reserve(units, interval, now) + interval + constants.ummaTail -
         constants.mbarrierWake;
}

uint64_t Clock::wgmma(uint32_t index, unsigned n, bool aInShared,
                      uint64_t now) {
  SmClock &unit = sm(index);
  uint64_t bytes = (aInShared ? 64 * 32u : 0) + n * 32u;
  uint64_t length = std::max(multiplyCycles(constants, 64, n),
                             divideCeil(bytes, constants.sharedBytes));
  uint64_t start = std::max(now, unit.tensorFree);
  unit.tensorFree = start + length;
  unit.tensorBusy += length;
  activity.addTensor(start, length);
  unit.tensorBegin = std::min(unit.tensorBegin, start);
  return start + length + constants.wgmmaTail;
}

//===----------------------------------------------------------------------===//
// What came of it
//===----------------------------------------------------------------------===//

void Clock::exited(WarpClock &warp, uint32_t number, uint64_t now) {
  warpCycles += now - warp.start;
  warp.program->warp(number).cycles += now - warp.start;
  end = std::max(end, now);
}

void Clock::phaseEnded(const Kernel &kernel, uint32_t byte) {
  ++of(kernel).phases[byte];
}

TimingReport Clock::report() const {
  TimingReport report;
  report.cycles = end;
  report.launches = launches;
  report.warpCycles = warpCycles;
  report.l2Bytes = memory.l2Bytes;
  report.dramBytes = memory.dramBytes;
  activity.report(report);
  uint64_t multiply = 0;
  for (const std::unique_ptr<SmClock> &unit : sms) {
    report.smsUsed += unit->used;
    report.tensorCycles += unit->tensorBusy;
    if (unit->tensorBegin > unit->tensorFree)
      continue;
    ++multiply;
    report.prologueCycles += unit->tensorBegin;
    report.tailCycles += end - std::min(end, unit->tensorFree);
  }
  if (multiply) {
    report.prologueCycles /= multiply;
    report.tailCycles /= multiply;
  }
  // Power: a GPU that multiplies all the time runs slower.
  report.clockMhz = constants.clockMhz -
                    report.tensorUtilization() *
                        (double(constants.clockMhz) - constants.loadedMhz);
  report.microseconds = double(end) / report.clockMhz;
  for (const auto &[kernel, program] : programs) {
    for (auto [number, count] : llvm::enumerate(program->warps)) {
      WarpTime &warp = report.warps.emplace_back();
      warp.kernel = kernel;
      warp.warp = number;
      warp.cycles = count.cycles;
      for (const auto &[what, wait] : count.waits)
        warp.waits.push_back({what.first, what.second, wait});
      llvm::sort(warp.waits, [](const auto &x, const auto &y) {
        return std::tuple(y.cycles, x.kind, x.byte) <
               std::tuple(x.cycles, y.kind, y.byte);
      });
    }
    for (auto [byte, phases] : program->phases)
      report.mbarriers.push_back({kernel, byte, phases});
    for (auto [index, kinds] : llvm::enumerate(program->stalls))
      for (auto [kind, count] : llvm::enumerate(kinds))
        if (count.cycles)
          report.stalls.push_back({kernel, uint32_t(index), StallKind(kind),
                                   count.cycles, count.times});
  }
  llvm::sort(report.stalls, [](const Stall &x, const Stall &y) {
    return std::tuple(y.cycles, x.instruction, x.kind) <
           std::tuple(x.cycles, y.instruction, y.kind);
  });
  return report;
}
