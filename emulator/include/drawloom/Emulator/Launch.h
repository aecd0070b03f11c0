//===- Launch.h - Running kernels -------------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `run` executes launches to the end. Launches of one call are a stream: each
// starts when the one before it has ended, or, if it is `programmatic`, when
// every CTA of that one has said griddepcontrol.launch_dependents or exited.
//
// What runs when is a choice (RunOptions::policy). The same choice gives the
// same run, instruction by instruction; a correct kernel gives the same result
// under every choice.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_LAUNCH_H
#define DRAWLOOM_EMULATOR_LAUNCH_H

#include "drawloom/Emulator/Device.h"
#include "drawloom/Emulator/Report.h"
#include "drawloom/Emulator/Timing.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace drawloom::emu {

class Listener;
struct ClockConstants;

struct Launch {
  const Kernel *kernel = nullptr;
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;
  uint32_t dynamicShared = 0;
  /// Kernel::parameterBytes bytes, laid out as Kernel::parameters says.
  std::vector<char> parameters;
  /// Whether the launch named a cluster, even of one CTA.
  bool explicitCluster = false;
  /// May start before the launch in front of it has ended.
  bool programmatic = false;
  /// Where the CTAs of a cooperative grid meet: %envreg1 has the upper half of
  /// the address, %envreg2 the lower one. 0 for other grids.
  uint64_t gridWorkspace = 0;
};

/// Asynchronous work, by who does it. A policy may treat them differently.
enum class EngineKind : uint8_t {
  Copy,           ///< cp.async
  Bulk,           ///< cp.async.bulk and its reductions
  Tensor,         ///< cp.async.bulk.tensor (TMA)
  MatrixMultiply, ///< wgmma, tcgen05.mma, cp, shift
  Commit,         ///< Arrivals that follow finished work
  RemoteStore,    ///< st.async, red.async
  LaunchControl,  ///< clusterlaunchcontrol
};
inline constexpr unsigned engineKindCount = 7;

enum class Policy : uint8_t {
  /// The clusters run side by side, the warps of each in turn; asynchronous
  /// work is done right after the turn that issued it, in the order of issue.
  Deterministic,
  /// Each step is drawn from RunOptions::seed.
  Random,
  /// Asynchronous work is done only when no warp can move, newest first; with
  /// RunOptions::delayed, only work of that kind is held back.
  Adversarial,
  /// By the clock of a modeled GPU: what is ready first is done first
  /// (Timing.h). RunOptions::seed draws its jitter.
  Timed,
};

struct RunOptions {
  Policy policy = Policy::Deterministic;
  uint64_t seed = 0;
  std::optional<EngineKind> delayed;
  /// Warp instructions after which the run is ended as a livelock.
  uint64_t stepLimit = uint64_t(1) << 40;
  /// Host threads that run clusters under the deterministic policy; 0 for as
  /// many as the host has processors. The result, the statistics and the report
  /// are the same for any number, unless weak accesses of two clusters race:
  /// docs/Emulator.md.
  unsigned threads = 0;
  /// Of a timed run: other constants than those of the device; may be null.
  const ClockConstants *constants = nullptr;
  /// Of a timed run: tensor copies move nothing and MMAs multiply nothing.
  /// What a kernel does must not depend on these numbers.
  bool withoutData = false;
  /// Gets the events of the run; may be null.
  Listener *listener = nullptr;
  /// Where kernels allocate; null for the device's own heap.
  DeviceHeap *heap = nullptr;
  /// Where vprintf and __assertfail write; null discards it.
  llvm::raw_ostream *output = nullptr;
  /// Called about ten times a second by the thread that called run(), with the
  /// warp instructions so far and the CTAs finished; false ends the run.
  llvm::function_ref<bool(uint64_t steps, uint64_t ctas)> progress;
  /// Asked by any of the host threads before a turn of a cluster; once it says
  /// true, the run ends. It may be null.
  llvm::function_ref<bool()> isStopped;
};

struct RunStatistics {
  uint64_t warpInstructions = 0;
  uint64_t ctas = 0;
  uint64_t asyncOperations = 0;
};

struct RunResult {
  std::optional<Report> report; ///< None if all launches ran to their end.
  RunStatistics statistics;
  std::optional<TimingReport> timing; ///< Of a timed run that has ended.

  bool ok() const { return !report; }
};

/// Runs the launches in order. They may belong to several modules of `device`.
RunResult run(Device &device, llvm::ArrayRef<Launch> launches,
              const RunOptions &options);

/// Why the device can't run such a launch, as text; nothing if it can.
std::optional<std::string> checkLaunch(const DeviceModel &model,
                                       const Launch &launch);

/// How many CTAs of such a launch fit on one SM; 0 if not even one does.
unsigned residentCtasPerSm(const DeviceModel &model, const Kernel &kernel,
                           uint32_t threads, uint32_t dynamicShared);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_LAUNCH_H
