//===- Machine.cpp - One run ---------------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;

/// How often each suspended try_wait is answered "false", with nothing else
/// happening, before that is called a deadlock. A kernel may look at several
/// barriers in turn before it comes to the one that it must wait for.
static constexpr uint64_t falseAnswers = 64;
static constexpr uint64_t progressInterval = uint64_t(1) << 24;

Machine::Machine(Device &device, const RunOptions &options)
    : deviceField(device), optionsField(options),
      scheduler(Scheduler::create(options)),
      nextProgressCall(progressInterval) {
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

Machine::~Machine() {
  // Operations first: they may refer to what grids own.
  ready.operations.clear();
  grids.clear();
}

void Machine::makeReady(Warp &warp) {
  if (warp.queued)
    return;
  warp.queued = true;
  ready.warps.push_back(&warp);
}

void Machine::post(std::unique_ptr<AsyncOp> operation) {
  operation->id = nextOperation++;
  if (CTA *cta = operation->issue.cta)
    ++cta->cluster().inFlight;
  if (Listener *listener = optionsField.listener)
    listener->async(asyncEvent(*operation, AsyncEvent::Issue));
  uint64_t id = operation->id;
  ready.operations.emplace(id, std::move(operation));
}

void Machine::post(AsyncQueue &queue, std::unique_ptr<AsyncOp> operation) {
  operation->queue = &queue;
  if (queue.sizeField++ == 0) {
    post(std::move(operation));
    return;
  }
  operation->id = nextOperation++;
  if (CTA *cta = operation->issue.cta)
    ++cta->cluster().inFlight;
  if (Listener *listener = optionsField.listener)
    listener->async(asyncEvent(*operation, AsyncEvent::Issue));
  queue.waiting.push_back(std::move(operation));
}

AsyncEvent Machine::asyncEvent(const AsyncOp &operation,
                               AsyncEvent::Kind kind) {
  AsyncEvent event;
  if (CTA *cta = operation.issue.cta)
    event.origin = {cta->grid().index(),
                    cta->grid().program().indexOf(operation.issue.inst),
                    cta->linear(), operation.issue.warp, operation.issue.lanes};
  event.kind = kind;
  event.engine = operation.kind;
  event.id = operation.id;
  return event;
}

void Machine::runOperation(uint64_t id) {
  auto it = ready.operations.find(id);
  std::unique_ptr<AsyncOp> operation = std::move(it->second);
  ready.operations.erase(it);
  progressed();
  ++statistics.asyncOperations;
  operation->complete(*this);
  if (Listener *listener = optionsField.listener)
    listener->async(asyncEvent(*operation, AsyncEvent::Complete));
  if (AsyncQueue *queue = operation->queue) {
    --queue->sizeField;
    if (!queue->waiting.empty()) {
      std::unique_ptr<AsyncOp> next = std::move(queue->waiting.front());
      queue->waiting.pop_front();
      uint64_t nextId = next->id;
      ready.operations.emplace(nextId, std::move(next));
    }
  }
  if (CTA *cta = operation->issue.cta)
    if (--cta->cluster().inFlight == 0)
      clustersChange = true;
}

bool Machine::startClusters() {
  bool started = false;
  for (auto [index, grid] : llvm::enumerate(grids)) {
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

bool Machine::endedBefore(uint32_t index) const {
  return llvm::all_of(llvm::ArrayRef(grids).take_front(index),
                      [](auto &grid) { return grid->done(); });
}

void Machine::endClusters() {
  clustersChange = false;
  for (std::unique_ptr<Grid> &grid : grids) {
    llvm::SmallVector<Cluster *, 16> done;
    for (const std::unique_ptr<Cluster> &cluster : grid->clusters())
      if (cluster->done())
        done.push_back(cluster.get());
    for (Cluster *cluster : done)
      grid->endCluster(*cluster);
  }
  for (std::unique_ptr<Grid> &grid : grids)
    if (grid->prerequisites.hasWaiters() && endedBefore(grid->index()))
      grid->prerequisites.wakeAll();
}

/// Does one thing; false if there was nothing to do.
bool Machine::step() {
  if (ready.empty())
    return answerFalse();
  ready.steps = stepsField;
  Choice choice = scheduler->choose(ready);
  if (!choice.isWarp) {
    runOperation(choice.operation);
    return true;
  }
  std::swap(ready.warps[choice.warp], ready.warps.front());
  Warp *warp = ready.warps.front();
  ready.warps.pop_front();
  // What it wakes of its own runs in this turn, or is seen below.
  stepsField += warp->run(choice.turn);
  warp->queued = false;
  if (warp->hasReady())
    makeReady(*warp);
  return true;
}

bool Machine::answerFalse() {
  if (suspended.empty() ||
      answersSinceProgress++ > falseAnswers * suspended.size())
    return false;
  Fragment &fragment = suspended.front();
  fragment.toldFalse = true;
  fragment.warp->wake(fragment);
  return true;
}

RunResult Machine::run(llvm::ArrayRef<Launch> launches) {
  for (auto [index, launch] : llvm::enumerate(launches)) {
    if (std::optional<std::string> problem =
            checkLaunch(deviceField.model(), launch)) {
      Report report;
      report.kind = ReportKind::InvalidLaunch;
      report.message = *problem;
      if (launch.kernel)
        report.kernel = launch.kernel->function->name.str();
      fail(std::move(report));
      break;
    }
    grids.push_back(std::make_unique<Grid>(*this, launch, index));
  }
  if (!failed())
    startClusters();
  while (!failed()) {
    if (!step()) {
      if (llvm::all_of(grids, [](auto &grid) { return grid->done(); }))
        break;
      reportDeadlock();
      break;
    }
    if (clustersChange) {
      endClusters();
      startClusters();
    }
    if (stepsField > optionsField.stepLimit)
      reportStepLimit();
    if (stepsField >= nextProgressCall) {
      nextProgressCall = stepsField + progressInterval;
      if (optionsField.progress &&
          !optionsField.progress(stepsField, statistics.ctas)) {
        Report report;
        report.kind = ReportKind::LaunchFailed;
        report.message = "the run was cancelled";
        fail(std::move(report));
      }
    }
  }
  RunResult result;
  result.report = std::move(reportField);
  result.statistics = statistics;
  result.statistics.warpInstructions = stepsField;
  return result;
}

RunResult drawloom::emu::run(Device &device, llvm::ArrayRef<Launch> launches,
                             const RunOptions &options) {
  return Machine(device, options).run(launches);
}
