//===- Machine.cpp - What runs clusters ----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Machine.h"
#include "Machine/Run.h"
#include "Timing/Clock.h"

using namespace drawloom;
using namespace drawloom::emu;

Machine::Machine(Run &run)
    : runField(run), clockField(run.clock()),
      scheduler(Scheduler::create(run.options())) {}

void Machine::serve(Cluster &cluster) {
  only = &cluster;
  alone = runField.hasOneCluster() || clockField;
  nextOperation = 0;
}

Machine::~Machine() = default;

Device &Machine::device() { return runField.device(); }
const RunOptions &Machine::options() const { return runField.options(); }

void Machine::dropOperations() {
  ready.operations.clear();
  parkedOperations.clear();
}

void Machine::makeReady(Warp &warp) {
  if (warp.queued)
    return;
  warp.queued = true;
  ready.warps.push_back(&warp);
  if (clockField)
    horizon = std::min(horizon, warp.nextTime());
}

void Machine::post(std::unique_ptr<AsyncOp> operation) {
  operation->id = nextOperation++;
  operation->due = std::max(operation->due, now);
  horizon = std::min(horizon, operation->due);
  if (CTA *cta = operation->issue.cta)
    ++cta->cluster().inFlight;
  ready.add(std::move(operation));
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
  queue.waiting.push_back(std::move(operation));
}

bool Machine::communicates(const AsyncOp &operation) const {
  CTA *cta = operation.issue.cta;
  if (!cta)
    return false;
  const Program &program = cta->grid().program();
  return program.communicatingWork.contains(
      program.indexOf(operation.issue.inst));
}

void Machine::runOperation(std::unique_ptr<AsyncOp> operation) {
  progressed();
  ++statistics.asyncOperations;
  operation->complete(*this);
  if (AsyncQueue *queue = operation->queue) {
    --queue->sizeField;
    if (!queue->waiting.empty()) {
      std::unique_ptr<AsyncOp> next = std::move(queue->waiting.front());
      queue->waiting.pop_front();
      next->due = std::max(next->due, now);
      ready.add(std::move(next));
    }
  }
  if (CTA *cta = operation->issue.cta)
    if (--cta->cluster().inFlight == 0)
      clustersChange = true;
}

bool Machine::step(Worker &worker) {
  if (ready.empty())
    return false;
  workerField = &worker;
  Choice choice = scheduler->choose(ready);
  if (!choice.isWarp) {
    std::unique_ptr<AsyncOp> operation = ready.take(choice.index);
    now = operation->due;
    actor =
        operation->kind == EngineKind::Commit ? operation->issue.cta : nullptr;
    if (!alone && communicates(*operation))
      parkedOperations.push_back(std::move(operation));
    else
      runOperation(std::move(operation));
    return true;
  }
  std::swap(ready.warps[choice.index], ready.warps.front());
  Warp *warp = ready.warps.front();
  ready.warps.pop_front();
  // What it wakes of its own runs in this turn, or is seen below.
  if (clockField) {
    horizon = std::min(timeLimit, choice.turn);
    stepsField += warp->runTimed(*clockField);
  } else {
    stepsField += warp->run(choice.turn);
  }
  if (warp->unpark()) {
    --stepsField; // The instruction that it stopped at wasn't executed.
    parkedWarps.push_back(warp);
    return true;
  }
  warp->queued = false;
  if (warp->hasReady())
    makeReady(*warp);
  return true;
}

void Machine::finishIfDone() {
  if (only->hasStarted() && only->done() && !failed())
    only->finish(*workerField);
}

void Machine::runFor(uint64_t budget, Worker &worker) {
  workerField = &worker;
  if (!only->hasStarted())
    only->start(worker);
  uint64_t end = stepsField + budget;
  while (!failed() && stepsField < end && step(worker))
    ;
  finishIfDone();
}

uint64_t Machine::nextTime() const {
  uint64_t time = ~uint64_t(0);
  for (const Warp *warp : ready.warps)
    time = std::min(time, warp->nextTime());
  for (const std::unique_ptr<AsyncOp> &operation : ready.operations)
    time = std::min(time, operation->due);
  return time;
}

void Machine::runUntil(uint64_t limit, Worker &worker) {
  timeLimit = limit;
  while (!failed() && nextTime() <= limit && step(worker))
    ;
}

void Machine::runParked(Worker &worker) {
  workerField = &worker;
  alone = true;
  if (ClusterListener *listener = only->listener())
    listener->alone(true);
  for (std::unique_ptr<AsyncOp> &operation :
       std::exchange(parkedOperations, {}))
    if (!failed())
      runOperation(std::move(operation));
  for (Warp *warp : std::exchange(parkedWarps, {})) {
    if (failed())
      break;
    stepsField += warp->run(Scheduler::turnLength);
    warp->queued = false;
    if (warp->hasReady())
      makeReady(*warp);
  }
  alone = false;
  if (ClusterListener *listener = only->listener())
    listener->alone(false);
  finishIfDone();
}

void Machine::answerFalse() {
  Fragment &fragment = suspended.front();
  fragment.answeredFalse = true;
  fragment.warp->wake(fragment);
}
