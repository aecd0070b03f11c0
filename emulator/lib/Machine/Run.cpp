//===- Run.cpp - Launches under way --------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Run.h"
#include "Timing/Clock.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>

using namespace drawloom;
using namespace drawloom::emu;

/// Instructions that a cluster executes in a round. Long enough to keep its
/// registers and its shared memory in a cache and to make the end of a round
/// cheap, short enough that a cluster which spins on memory costs little.
static constexpr uint64_t roundLength = 1 << 13;
/// How often each suspended try_wait is answered "false", with nothing else
/// happening, before that is called a deadlock. A kernel may look at several
/// barriers in turn before it comes to the one that it must wait for.
static constexpr uint64_t falseAnswers = 64;
/// Cycles that a cluster may be ahead of another in a timed run. They notice
/// each other by what they ask of L2 and DRAM, and by global memory.
static constexpr uint64_t skewCycles = 256;
/// Who looks at a clock more often than that slows a run down.
static constexpr uint64_t progressInterval = roundLength;
static constexpr std::chrono::milliseconds progressTime(100);
static constexpr size_t keptFrees = 4096;

Run::Run(Device &device, const RunOptions &options)
    : deviceField(device), optionsField(options), workers(options.threads),
      nextProgressCall(progressInterval) {
  // Some are kept for reports about memory that was freed.
  if (device.memory().frees() > keptFrees)
    device.memory().forgetFrees();
  if (options.policy == Policy::Timed) {
    if (const ClockConstants *constants =
            options.constants ? options.constants
                              : ClockConstants::of(device.model()))
      clockField =
          std::make_unique<Clock>(device.model(), *constants, options.seed);
  } else if (options.policy != Policy::Deterministic)
    shared = std::make_unique<Machine>(*this);
  const DeviceModel &model = device.model();
  sms.resize(model.smCount);
  for (auto [index, sm] : llvm::enumerate(sms)) {
    sm.index = index;
    sm.shared = model.sharedPerSm;
    sm.threads = model.threadsPerSm;
    sm.registers = model.registersPerSm;
    sm.ctas = model.ctasPerSm;
  }
}

Run::~Run() {
  if (shared)
    shared->dropOperations();
  grids.clear();
}

std::unique_ptr<Machine> Run::takeMachine(Cluster &cluster) {
  std::unique_ptr<Machine> machine;
  if (idle.empty()) {
    machine = std::make_unique<Machine>(*this);
  } else {
    machine = std::move(idle.back());
    idle.pop_back();
  }
  machine->serve(cluster);
  return machine;
}

void Run::fail(Report newReport) {
  if (!report)
    report = std::move(newReport);
}

bool Run::startClusters() {
  bool started = false;
  for (auto [index, grid] : llvm::enumerate(grids)) {
    if (index >= launchesStarted) {
      launchesStarted = index + 1;
      if (clockField)
        clockField->beginLaunch(grid->kernel(), grid->launch().programmatic);
      if (Listener *listener = optionsField.listener)
        listener->launchStarted(index, grid->launch());
    }
    while (grid->hasMoreClusters() && grid->startCluster(sms))
      started = true;
    // Later grids wait for this one to end, unless they may overlap with it.
    bool overlaps = index + 1 != grids.size() &&
                    grids[index + 1]->launch().programmatic &&
                    grid->releasesDependents();
    if (!grid->done() && !overlaps)
      break;
  }
  return started;
}

bool Run::endedBefore(uint32_t index) const {
  return llvm::all_of(llvm::ArrayRef(grids).take_front(index),
                      [](auto &grid) { return grid->done(); });
}

void Run::endClusters() {
  clustersChange = false;
  for (std::unique_ptr<Grid> &grid : grids)
    if (grid->endClusters() && grid->done() && optionsField.listener)
      optionsField.listener->launchEnded(grid->index());
  for (std::unique_ptr<Grid> &grid : grids)
    if (grid->prerequisites.hasWaiters() && endedBefore(grid->index()))
      grid->prerequisites.wakeAll();
}

void Run::listMachines() {
  machines.clear();
  for (std::unique_ptr<Grid> &grid : grids)
    for (const std::unique_ptr<Cluster> &cluster : grid->clusters())
      machines.push_back(&cluster->machine());
}

void Run::collect(Machine &machine) {
  steps += std::exchange(machine.stepsField, 0);
  statistics.ctas += std::exchange(machine.statistics.ctas, 0);
  statistics.asyncOperations +=
      std::exchange(machine.statistics.asyncOperations, 0);
  if (std::exchange(machine.hasProgressed, false))
    answersSinceProgress = 0;
  clustersChange |= std::exchange(machine.clustersChange, false);
  if (machine.report)
    fail(std::move(*machine.report));
}

void Run::endRound() {
  nextRound = steps + roundLength;
  Listener *listener = optionsField.listener;
  if (!listener)
    return;
  listener->roundEnded();
  if (!listener->ending())
    return;
  Report stopped;
  stopped.kind = ReportKind::Stopped;
  stopped.message = *listener->ending();
  fail(std::move(stopped));
}

bool Run::advanceShared() {
  bool moved = shared->step(workers.first());
  collect(*shared);
  shared->stepsBefore = steps;
  if (steps >= nextRound)
    endRound();
  return moved;
}

bool Run::advanceRound() {
  listMachines();
  llvm::SmallVector<Machine *, 64> runnable;
  for (Machine *machine : machines) {
    machine->stepsBefore = steps;
    if (machine->hasReady())
      runnable.push_back(machine);
  }
  workers.forEach(runnable, steps, [&](Machine &machine, Worker &worker) {
    if (!isStopped())
      machine.runFor(roundLength, worker);
  });
  bool moved = !runnable.empty();
  for (Machine *machine : machines)
    if (machine->failed())
      fail(*machine->report);
  for (Machine *machine : machines) {
    if (report || isStopped())
      break;
    if (!machine->hasParked())
      continue;
    moved = true;
    machine->runParked(workers.first());
    if (machine->failed())
      fail(*machine->report);
  }
  for (Machine *machine : machines)
    collect(*machine);
  if (moved)
    endRound();
  return moved;
}

bool Run::advanceTimed() {
  listMachines();
  Machine *earliest = nullptr;
  uint64_t first = ~uint64_t(0), second = first;
  for (Machine *machine : machines) {
    uint64_t time = machine->nextTime();
    if (time < first) {
      second = std::exchange(first, time);
      earliest = machine;
    } else {
      second = std::min(second, time);
    }
  }
  if (!earliest)
    return false;
  earliest->stepsBefore = steps;
  // Alone, it comes back now and then all the same.
  uint64_t limit = std::min(second, first + 64 * skewCycles) + skewCycles;
  earliest->runUntil(limit, workers.first());
  collect(*earliest);
  if (steps >= nextRound)
    endRound();
  return true;
}

bool Run::answerFalse() {
  listMachines();
  size_t count = 0;
  if (shared)
    machines = {shared.get()};
  for (Machine *machine : machines)
    count += machine->suspendedCount();
  if (count == 0 || answersSinceProgress > falseAnswers * count)
    return false;
  for (Machine *machine : machines)
    if (machine->suspendedCount()) {
      machine->answerFalse();
      ++answersSinceProgress;
    }
  return true;
}

bool Run::advance() {
  return (clockField ? advanceTimed()
          : shared   ? advanceShared()
                     : advanceRound()) ||
         answerFalse();
}

RunResult Run::run(llvm::ArrayRef<Launch> launches) {
  for (auto [index, launch] : llvm::enumerate(launches)) {
    if (std::optional<std::string> problem =
            checkLaunch(deviceField.model(), launch)) {
      Report invalid;
      invalid.kind = ReportKind::InvalidLaunch;
      invalid.message = *problem;
      if (launch.kernel)
        invalid.kernel = launch.kernel->function->name.str();
      fail(std::move(invalid));
      break;
    }
    grids.push_back(std::make_unique<Grid>(*this, launch, index));
  }
  if (optionsField.policy == Policy::Timed && !clockField && !report) {
    Report invalid;
    invalid.kind = ReportKind::InvalidLaunch;
    invalid.message = "there are no constants for the clock of " +
                      deviceField.model().name.str() +
                      "; h100 and b200 have them";
    fail(std::move(invalid));
  }
  oneCluster = grids.size() == 1 && grids.front()->clusterCount() == 1;
  if (!report)
    startClusters();
  using Clock = std::chrono::steady_clock;
  Clock::time_point nextProgressTime = Clock::now() + progressTime;
  while (!report) {
    bool hasAdvanced = advance();
    if (!report && isStopped()) {
      reportEnded(ReportKind::LaunchFailed, ", as requested");
      break;
    }
    if (!hasAdvanced) {
      if (llvm::all_of(grids, [](auto &grid) { return grid->done(); }))
        break;
      reportDeadlock();
      break;
    }
    if (clustersChange) {
      endClusters();
      startClusters();
    }
    if (steps > optionsField.stepLimit)
      reportEnded(ReportKind::StepLimit,
                  " (the step limit is " +
                      llvm::utostr(optionsField.stepLimit) + ")");
    if (optionsField.progress && steps >= nextProgressCall) {
      nextProgressCall = steps + progressInterval;
      if (Clock::now() < nextProgressTime)
        continue;
      if (!optionsField.progress(steps, statistics.ctas))
        reportEnded(ReportKind::LaunchFailed, ", as requested");
      nextProgressTime = Clock::now() + progressTime;
    }
  }
  endRound();
  for (std::unique_ptr<Grid> &grid : grids)
    for (const std::unique_ptr<Cluster> &cluster : grid->clusters())
      if (std::unique_ptr<ClusterListener> listener = cluster->takeListener())
        optionsField.listener->endCluster(std::move(listener));
  RunResult result;
  result.report = std::move(report);
  result.statistics = statistics;
  result.statistics.warpInstructions = steps;
  if (clockField && result.ok())
    result.timing = clockField->report();
  return result;
}

RunResult drawloom::emu::run(Device &device, llvm::ArrayRef<Launch> launches,
                             const RunOptions &options) {
  return Run(device, options).run(launches);
}
