//===- MonitorAnswers.cpp - Who asks for work tiles, against a plan -------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoleMonitor.h"
#include "drawloom/Analysis/Slots/Engines.h"

using namespace drawloom;
using namespace drawloom::protocol;
using namespace drawloom::protocol::planned;
using Kind = Event::Kind;

/// The role that hands out work tiles expects an answer, waits for it, and asks
/// again.
llvm::Error RoleMonitor::ask(const Event &event) {
  switch (event.kind) {
  case Kind::Init:
    if (llvm::popcount(event.mask) != 1 || syncs || event.count != 1)
      return fail(event.line,
                  "the barrier of answers is set up by {0} lanes for {1} "
                  "arrivals{2}; one does, for one, before the CTA synchronizes",
                  llvm::popcount(event.mask), event.count,
                  syncs ? " after the barrier of the CTA" : "");
    comparison.inits[{rank, event.barrier}][{event.line, warp}] = event.count;
    return llvm::Error::success();
  case Kind::ArriveExpect:
    if (!role || role->kind != plan::Role::Kind::Schedule)
      return fail(event.line, "asks for work tiles, which is not its part of "
                              "the plan");
    if (event.count != plan::nextTileBytes || llvm::popcount(event.mask) != 1)
      return fail(event.line,
                  "{0} lanes expect an answer of {1} bytes; one does, of {2}",
                  llvm::popcount(event.mask), event.count, plan::nextTileBytes);
    if (asking.isAsked)
      return fail(event.line, "asks again before it has the answer");
    asking.isAsked = true;
    asking.arrives = Progress::Yes;
    return llvm::Error::success();
  case Kind::Copy:
    // The answer of the first CTA comes to all.
    if (comparison.ready && (rank != 0 || !asking.isAwaited))
      return fail(event.line, "asks for the items of a cluster{0}",
                  rank ? "; the first CTA does"
                       : " before all of its CTAs are ready");
    if (event.rank != rank)
      return llvm::Error::success();
    if (!asking.isAsked || asking.isOnItsWay ||
        event.address != *comparison.answered - plan::nextTileBytes)
      return fail(
          event.line,
          "an answer comes to byte {0}{1}; the plan has room at {2}",
          event.address,
          asking.isAsked && !asking.isOnItsWay ? "" : ", which is not expected",
          *comparison.answered - plan::nextTileBytes);
    asking.isOnItsWay = true;
    return llvm::Error::success();
  case Kind::Wait:
    if (event.count != asking.parity)
      return fail(event.line,
                  "waits for an answer with parity {0} instead of {1}",
                  event.count, asking.parity);
    if (asking.arrives == Progress::Yes && !asking.isOnItsWay && rank == 0)
      return fail(event.line, "waits for an answer that it has not asked for");
    // These lanes wait along with the one that asks.
    if (!asking.isAsked)
      asking.arrives = Progress::No;
    asking.isAsked = asking.isOnItsWay = asking.isAwaited = false;
    asking.receivers = 0;
    asking.parity ^= 1;
    return llvm::Error::success();
  case Kind::Arrive:
    if (comparison.isBroadcast)
      return broadcast(event);
    [[fallthrough]];
  default:
    return fail(event.line, "does to the barrier of answers what no plan asks "
                            "for");
  }
}

/// Without launch control, the scheduler of the first CTA signals each CTA once
/// for each number, when all are ready for it.
llvm::Error RoleMonitor::broadcast(const Event &event) {
  bool isScheduler = role && role->kind == plan::Role::Kind::Schedule;
  if (!isScheduler || rank != 0 || llvm::popcount(event.mask) != 1)
    return fail(
        event.line,
        "{0} lanes broadcast a number to CTA {1}; one lane of the scheduler "
        "of the first CTA does",
        llvm::popcount(event.mask), event.rank);
  uint32_t bit = uint32_t(1) << event.rank;
  if (!asking.isAwaited || (asking.receivers & bit))
    return fail(event.line, "broadcasts a number to CTA {0} {1}", event.rank,
                asking.isAwaited ? "twice" : "before all CTAs are ready");
  asking.receivers |= bit;
  comparison.broadcastTo |= bit;
  return llvm::Error::success();
}

/// Each CTA of a cluster tells the first one that it is ready for the answer,
/// and that one waits for all.
llvm::Error RoleMonitor::beReady(const Event &event) {
  int64_t ctas = comparison.plan.clusterSize();
  bool isScheduler = role && role->kind == plan::Role::Kind::Schedule;
  switch (event.kind) {
  case Kind::Init:
    if (llvm::popcount(event.mask) != 1 || syncs || event.count != ctas)
      return fail(event.line,
                  "the barrier at which CTAs are ready is set up for {0} "
                  "arrivals instead of {1}, or not once before they meet",
                  event.count, ctas);
    comparison.inits[{rank, event.barrier}][{event.line, warp}] = event.count;
    return llvm::Error::success();
  case Kind::Arrive:
    if (!isScheduler || event.rank != 0 || llvm::popcount(event.mask) != 1)
      return fail(event.line,
                  "{0} lanes say to CTA {1} that they are ready for an answer; "
                  "one lane of the scheduler does, to the first CTA",
                  llvm::popcount(event.mask), event.rank);
    return llvm::Error::success();
  case Kind::Wait:
    if (!isScheduler || rank != 0 || event.count != asking.parity)
      return fail(event.line,
                  "waits with parity {0} for CTAs to be ready; the scheduler "
                  "of the first CTA does, with {1}",
                  event.count, asking.parity);
    asking.isAwaited = true;
    return llvm::Error::success();
  default:
    return fail(event.line, "does to the barrier at which CTAs are ready what "
                            "no plan asks for");
  }
}
