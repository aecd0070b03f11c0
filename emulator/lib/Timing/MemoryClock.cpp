//===- MemoryClock.cpp - L2 and DRAM --------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Timing/Clock.h"
#include "drawloom/Emulator/AddressMap.h"
#include <algorithm>

using namespace drawloom::emu;

/// Bytes of device memory that there is a table for.
static constexpr uint64_t addressLimit = uint64_t(1) << 40;

/// Addresses that follow each other are in the same half of L2 up to here.
static constexpr uint64_t halfBytes = 4096;

MemoryClock::MemoryClock(const ClockConstants &constants, Activity &activity)
    : constants(constants), activity(activity), l2(constants.l2Bytes),
      dram(constants.dramBytes),
      capacity((uint64_t(constants.l2MegaBytes) << 20) / 100 * 95 >> lineBits) {
}

/// A line is in L2 if fewer lines than it holds have been brought in since the
/// line was last asked for: least recently used goes first, but for hits in
/// between.
void MemoryClock::touch(uint64_t address, uint64_t bytes, uint64_t time,
                        Traffic &traffic) {
  // An address that no device has is reported when the work is done.
  if (!bytes || address - globalBase >= addressLimit)
    return;
  traffic.bytes += bytes;
  uint64_t first = (address - globalBase) >> lineBits;
  uint64_t last = (address - globalBase + bytes - 1) >> lineBits;
  for (uint64_t line = first; line <= last; ++line) {
    uint64_t chunk = line >> (chunkBits - lineBits);
    if (chunk >= chunks.size())
      chunks.resize(chunk + 1);
    if (!chunks[chunk])
      chunks[chunk] =
          std::make_unique<Line[]>(uint64_t(1) << (chunkBits - lineBits));
    Line &entry =
        chunks[chunk][line & ((uint64_t(1) << (chunkBits - lineBits)) - 1)];
    const uint64_t start = globalBase + (line << lineBits);
    const uint64_t part =
        std::min(address + bytes, start + (uint64_t(1) << lineBits)) -
        std::max(address, start);
    bool hits = entry.stamp && uint32_t(brought + 1) - entry.stamp < capacity;
    if (!hits) {
      ++brought;
      traffic.missed += part;
      entry.arrival = uint32_t(time) + constants.dramLatency;
    } else if (int32_t wait = entry.arrival - uint32_t(time); wait > 0) {
      // It has been asked for, and all wait for the same answer.
      uint64_t latest = std::min<uint64_t>(wait, constants.dramLatency);
      traffic.arrives = std::max(traffic.arrives, time + latest);
    }
    if (!hits || uint32_t(time) - entry.time > constants.l2Window)
      traffic.fromL2 += part;
    entry.stamp = brought + 1;
    entry.time = time;
  }
}

uint64_t MemoryClock::transfer(const Traffic &traffic, uint64_t time) {
  l2Bytes += traffic.bytes;
  dramBytes += traffic.missed;
  activity.addMemory(time, traffic.bytes, traffic.missed);
  uint64_t done = l2.reserve(time, traffic.fromL2);
  if (traffic.missed)
    done = std::max(done, dram.reserve(time, traffic.missed));
  return done;
}

uint64_t MemoryClock::latency(const Traffic &traffic, uint64_t time) const {
  uint64_t latency = traffic.missed ? constants.dramLatency : 0;
  if (traffic.bytes > halfBytes)
    latency = std::max<uint64_t>(latency, constants.l2Far);
  return std::max(latency, std::max(traffic.arrives, time) - time);
}
