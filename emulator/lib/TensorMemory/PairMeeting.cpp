//===- PairMeeting.cpp - What a pair of CTAs does together ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMemory/PairMeeting.h"
#include "Machine/Grid.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom::emu;

static unsigned sideOf(const IssuePoint &issue) {
  return issue.cta->rank() & 1;
}

static bool isSameWarp(const IssuePoint &x, const IssuePoint &y) {
  return x.cta == y.cta && x.warp == y.warp;
}

std::string PairMeeting::describe(const Fragment &waiter) const {
  CTA &cta = waiter.warp->cta();
  CTA &peer = cta.cluster().cta(cta.rank() ^ 1);
  return llvm::formatv("waits for CTA rank {0}, its peer, to do the same{1}",
                       peer.rank(),
                       peer.exited() ? "; that CTA has exited" : "");
}

const PairMeeting::Arrival *PairMeeting::meet(const Arrival &arrival) {
  unsigned side = sideOf(arrival.issue);
  std::optional<Arrival> &own = arrivals[side];
  if (answers[side] || (own && !isSameWarp(own->issue, arrival.issue)))
    return nullptr;
  own = arrival;
  const std::optional<Arrival> &peer = arrivals[!side];
  return peer && !answers[!side] ? &*peer : nullptr;
}

std::optional<uint32_t> PairMeeting::takeAnswer(const IssuePoint &issue) {
  unsigned side = sideOf(issue);
  if (!answers[side] || !isSameWarp(arrivals[side]->issue, issue))
    return std::nullopt;
  arrivals[side].reset();
  uint32_t answer = *answers[side];
  answers[side].reset();
  // Another warp of the CTA may have had to wait.
  wakeAll();
  return answer;
}

void PairMeeting::finish(const IssuePoint &issue, uint32_t answer) {
  unsigned side = sideOf(issue);
  arrivals[side].reset();
  answers[!side] = answer;
  wakeAll();
}
