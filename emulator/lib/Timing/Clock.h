//===- Clock.h - When things happen -----------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The clock of a timed run. A warp issues an instruction when the registers
// that it needs are ready and its scheduler and an execution unit are free
// (RunTimed.cpp); work of an engine is due when the engine, the memory behind
// it and their latencies let it be. Both are found when they are issued, by
// reserving units: nothing is simulated cycle by cycle.
//
//   warp ──issue──► scheduler, unit           ready time of each register
//        ──post───► TMA, tensor core ─► L2 ─► DRAM      AsyncOp::due
//   AsyncOp or warp ──wakes──► waiter         Fragment::readyAt
//
// Instructions that others can notice (barriers, work of engines, exits) are
// events: a machine does them in the order of their times. Between events a
// warp runs ahead.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_CLOCK_H
#define DRAWLOOM_EMULATOR_CLOCK_H

#include "Decode/Program.h"
#include "Timing/Calendar.h"
#include "drawloom/Emulator/ClockConstants.h"
#include "drawloom/Emulator/Device.h"
#include "drawloom/Emulator/Timing.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <random>

namespace drawloom::emu {

/// What an instruction takes.
struct InstTiming {
  enum Unit : uint8_t { NoUnit, Alu, Fma, Mufu, Lsu, Tensor };
  enum Kind : uint8_t {
    Plain,
    Renames, ///< No instruction of the hardware's: a move, an address.
    Memory,  ///< Inst::extra begins with an AccessInfo.
    TensorLoad,
    TensorStore,
    TensorWait,
  };
  Unit unit = NoUnit;
  Kind kind = Plain;
  bool isEvent = false;
  uint16_t slots = 1;   ///< Instructions that the scheduler issues.
  uint16_t cost = 0;    ///< Cycles of the unit.
  uint16_t latency = 0; ///< Until what it writes is ready.
  uint16_t hold = 0;    ///< Until the warp issues again.
  /// Registers in ProgramClock::registers: those read, then those written.
  uint32_t registers = 0;
  uint16_t reads = 0, writes = 0;
};

/// What the clock knows about a kernel, and what it has counted.
struct ProgramClock {
  const Kernel *kernel = nullptr;
  std::vector<InstTiming> timings; ///< By number of the instruction.
  std::vector<uint32_t> registers;
  uint32_t registerCount = 0;
  struct Count {
    uint64_t cycles = 0, times = 0;
  };
  std::vector<std::array<Count, 3>> stalls; ///< By StallKind.
  struct WarpCount {
    uint64_t cycles = 0;
    /// Cycles, by what was waited for, and the byte of an mbarrier.
    std::map<std::pair<WaitKind, uint32_t>, uint64_t> waits;
  };
  std::vector<WarpCount> warps; ///< By number.
  /// Phases that have ended, by the byte of the mbarrier.
  std::map<uint32_t, uint64_t> phases;

  ProgramClock(const Kernel &kernel, const ClockConstants &constants);
  WarpCount &warp(uint32_t number) {
    if (number >= warps.size())
      warps.resize(number + 1);
    return warps[number];
  }
  void stall(uint32_t instruction, StallKind kind, uint64_t cycles) {
    Count &count = stalls[instruction][unsigned(kind)];
    count.cycles += cycles;
    ++count.times;
  }
};

/// The units of an SM.
struct SmClock {
  explicit SmClock(const ClockConstants &constants);

  Calendar issue[4], alu[4], fma[4], mufu[4];
  Calendar tensor[4]; ///< Of mma.sync.
  Calendar lsu, sharedReads, sharedWrites, fill, stores, tensorLoads,
      tensorStores;
  uint64_t copyFree = 0, storeFree = 0, tensorFree = 0;
  uint64_t tensorBusy = 0;
  uint64_t tensorBegin = ~uint64_t(0); ///< Of its first MMA.
  uint64_t vacated = 0;                ///< When a cluster left it last.
  bool used = false;
};

/// The time of a warp.
struct WarpClock {
  uint64_t time = 0; ///< When it may issue its next instruction.
  uint64_t start = 0;
  uint64_t tensorReady = 0;    ///< When its tcgen05.ld and .st are done.
  std::vector<uint64_t> ready; ///< By register.
  SmClock *sm = nullptr;
  ProgramClock *program = nullptr;
  unsigned scheduler = 0;
};

/// What the tensor cores and memories do, by time. A run that takes longer has
/// longer windows, not more.
class Activity {
public:
  void addTensor(uint64_t begin, uint64_t cycles);
  void addMemory(uint64_t time, uint64_t l2Bytes, uint64_t dramBytes);
  void report(TimingReport &report) const;

private:
  using Window = TimingReport::Window;
  Window &at(uint64_t time);

  static constexpr size_t mostWindows = 2048;
  uint64_t windowCycles = 128;
  std::vector<Window> windows;
};

/// Which lines of global memory L2 has, and what it and DRAM can move.
class MemoryClock {
public:
  MemoryClock(const ClockConstants &constants, Activity &activity);

  struct Traffic {
    uint64_t bytes = 0, missed = 0;
    uint64_t fromL2 = 0; ///< Without what coalesces with other requests.
    /// When the last line is in L2 that another request has asked DRAM for.
    uint64_t arrives = 0;
  };
  /// Bytes that are read or written at `time`.
  void touch(uint64_t address, uint64_t bytes, uint64_t time, Traffic &traffic);
  /// When it has come from L2 and DRAM, asked for at `time`, beside latencies.
  uint64_t transfer(const Traffic &traffic, uint64_t time);
  /// That of the line which takes longest, beside l2Latency.
  uint64_t latency(const Traffic &traffic, uint64_t time) const;

  uint64_t l2Bytes = 0, dramBytes = 0;

private:
  static constexpr unsigned lineBits = 7, chunkBits = 21;
  struct Line {
    uint32_t stamp = 0;   ///< Lines that had been brought in before, plus 1.
    uint32_t time = 0;    ///< Of the last request.
    uint32_t arrival = 0; ///< When DRAM has brought it.
  };
  const ClockConstants &constants;
  Activity &activity;
  Calendar l2, dram;
  uint64_t capacity; ///< In lines.
  uint64_t brought = 0;
  std::vector<std::unique_ptr<Line[]>> chunks;
};

class Clock {
public:
  Clock(const DeviceModel &model, const ClockConstants &constants,
        uint64_t seed);
  ~Clock();

  const ClockConstants constants;

  SmClock &sm(uint32_t index) { return *sms[index]; }
  ProgramClock &of(const Kernel &kernel);

  //===--------------------------------------------------------------------===//
  // Work of engines: when it is due that is issued at `now`
  //===--------------------------------------------------------------------===//

  // SMs are given by their numbers.

  /// A copy in rows of global memory to the shared memory of `targets`.
  struct Copy {
    uint64_t rows = 0, rowBytes = 0;
    MemoryClock::Traffic traffic;
  };
  uint64_t load(uint32_t issuer, const Copy &copy,
                llvm::ArrayRef<uint32_t> targets, uint64_t now);
  /// From shared memory to that of another CTA.
  uint64_t copyRemote(uint32_t issuer, uint64_t bytes, uint64_t now);
  /// When a copy to global memory has read its source.
  uint64_t store(uint32_t issuer, uint64_t bytes, uint64_t now);
  /// And when it is done, from then on.
  uint64_t finishStore(uint64_t now) const {
    return now + constants.l2Latency / 2;
  }
  /// cp.async
  uint64_t copyAsync(uint32_t issuer, const MemoryClock::Traffic &traffic,
                     uint64_t now);
  /// A tcgen05.mma of one CTA or of a pair.
  struct Multiply {
    uint32_t rows = 0, columns = 0; ///< M in each CTA, and N.
    bool aInTensorMemory = false, aIsSparse = false;
  };
  /// When it is done as far as a commit is concerned, on one SM or two.
  uint64_t multiply(llvm::ArrayRef<uint32_t> sms, const Multiply &work,
                    uint64_t now);
  /// The same for a tcgen05.cp or .shift of so many bytes.
  uint64_t copyTensor(llvm::ArrayRef<uint32_t> sms, uint64_t bytes,
                      uint64_t now);
  /// When a wgmma of N columns is done.
  uint64_t wgmma(uint32_t sm, unsigned n, bool aInShared, uint64_t now);
  /// That of memory, as this SM sees it at this address.
  uint64_t latencyOf(uint32_t sm, uint64_t address, uint64_t latency) const;

  //===--------------------------------------------------------------------===//
  // Warps
  //===--------------------------------------------------------------------===//

  void exited(WarpClock &warp, uint32_t number, uint64_t now);
  /// A phase of the mbarrier at that byte of a CTA's shared memory ends.
  void phaseEnded(const Kernel &kernel, uint32_t byte);
  /// When a cluster starts that takes these SMs.
  uint64_t startOn(llvm::ArrayRef<uint32_t> sms);
  void left(uint32_t launch, llvm::ArrayRef<uint32_t> sms, uint64_t now);
  /// A launch comes to its turn; one that `overlaps` doesn't wait for others.
  void beginLaunch(const Kernel &kernel, bool overlaps);

  Activity activity;
  MemoryClock memory;
  uint64_t end = 0; ///< Of what has happened so far.

  TimingReport report() const;

private:
  uint64_t jitter() { return random() % (constants.jitterCycles + 1); }

  std::vector<std::unique_ptr<SmClock>> sms;
  llvm::MapVector<const Kernel *, std::unique_ptr<ProgramClock>> programs;
  std::mt19937_64 random;
  const uint64_t seed;
  uint64_t nextStart = 0;
  std::vector<TimingReport::LaunchTime> launches;
  uint64_t warpCycles = 0;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_CLOCK_H
