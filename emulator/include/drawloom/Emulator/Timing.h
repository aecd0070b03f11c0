//===- Timing.h - How long a run takes on the GPU ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Under Policy::Timed a run has a clock: every warp and every asynchronous
// operation has a cycle at which it is ready, and the emulator takes the
// earliest. What a kernel computes is what it computes under every other
// policy; the order of events is that of a modeled GPU, and the result says
// how long it took and who waited for what. docs/Timing.md has what is
// modeled, what isn't, and how far the figures are from measured ones.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TIMING_H
#define DRAWLOOM_EMULATOR_TIMING_H

#include <cstdint>
#include <string>
#include <vector>

namespace drawloom::emu {

struct Kernel;

/// Why a warp didn't issue its next instruction.
enum class StallKind : uint8_t {
  Operand, ///< A register that isn't ready.
  Issue,   ///< The scheduler's slot or an execution unit.
  Wait,    ///< A barrier, a group of copies or MMAs, other lanes.
};

/// Cycles that warps spent at one instruction.
struct Stall {
  const Kernel *kernel = nullptr;
  uint32_t instruction = 0; ///< Kernel::place says where it stands.
  StallKind kind = StallKind::Wait;
  uint64_t cycles = 0; ///< Of all warps together.
  uint64_t times = 0;
};

enum class WaitKind : uint8_t { Mbarrier, Barrier, Cluster, Other };

/// What the warps of one number did, of all CTAs of a kernel together.
struct WarpTime {
  const Kernel *kernel = nullptr;
  uint32_t warp = 0;
  uint64_t cycles = 0; ///< From their start to their exit.
  struct Wait {
    WaitKind kind = WaitKind::Other;
    uint32_t byte = 0; ///< Of an mbarrier, in the shared memory of its CTA.
    uint64_t cycles = 0;
  };
  std::vector<Wait> waits; ///< The longest first.
};

/// The mbarrier at one place of the shared memory of a kernel's CTAs.
struct MbarrierPhases {
  const Kernel *kernel = nullptr;
  uint32_t byte = 0;
  uint64_t phases = 0; ///< That have ended, in all CTAs together.
};

struct TimingReport {
  /// From the first launch to the end of the last cluster.
  uint64_t cycles = 0;
  /// Of each launch, from when it could start to the end of its last cluster.
  struct LaunchTime {
    const Kernel *kernel = nullptr;
    uint64_t begin = 0, end = 0;
  };
  std::vector<LaunchTime> launches;
  uint32_t clockMhz = 0;
  double microseconds = 0;
  unsigned smsUsed = 0;
  /// Cycles in which a tensor core multiplies, of all SMs together.
  uint64_t tensorCycles = 0;
  /// Of all warps, from their start to their exit.
  uint64_t warpCycles = 0;
  uint64_t l2Bytes = 0;   ///< From L2 to SMs.
  uint64_t dramBytes = 0; ///< From DRAM, and to it.
  /// The same by time, in windows of as many cycles.
  struct Window {
    uint64_t tensorCycles = 0, l2Bytes = 0, dramBytes = 0;
  };
  std::vector<Window> windows;
  uint64_t windowCycles = 0;
  /// From the first launch to the first MMA of an SM, and from its last MMA to
  /// the end of all: the mean of the SMs that multiply.
  uint64_t prologueCycles = 0, tailCycles = 0;
  std::vector<Stall> stalls;             ///< The largest first.
  std::vector<WarpTime> warps;           ///< By kernel, then by number.
  std::vector<MbarrierPhases> mbarriers; ///< By kernel, then by place.

  /// As text: a line for each launch, one for what the memories moved, and one
  /// for each of the `most` largest stalls, by source line.
  std::string str(unsigned most = 3) const;

  /// Of the cycles of the SMs that are used, from 0 to 1.
  double tensorUtilization() const {
    return cycles && smsUsed ? double(tensorCycles) / (double(cycles) * smsUsed)
                             : 0;
  }
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_TIMING_H
