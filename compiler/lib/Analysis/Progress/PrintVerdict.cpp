//===- PrintVerdict.cpp - A verdict in the user's names -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Progress/Verdict.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::progress;
using llvm::raw_ostream;

static void printPlace(const WaitingEvent &event, raw_ostream &os) {
  if (event.item)
    os << ", work item " << *event.item;
  if (!event.location.empty())
    os << ", at " << event.location;
}

static void printSlot(const WaitingEvent &event, const Network &network,
                      raw_ostream &os) {
  if (event.slot >= 0)
    os << "slot " << event.slot << " of '";
  else
    os << "its next slot of '";
  os << network.pipes[event.object].name << "'";
}

static void printWhat(const WaitingEvent &event, const Network &network,
                      raw_ostream &os) {
  os << "@" << network.roles[event.role].name << " waits for ";
  switch (event.kind) {
  case WaitingEvent::Kind::slotEmpty:
    printSlot(event, network, os);
    os << " to be empty (phase " << event.phase << ")";
    break;
  case WaitingEvent::Kind::slotFull:
    printSlot(event, network, os);
    os << " to be full";
    if (event.phase >= 0)
      os << " (phase " << event.phase << ")";
    break;
  case WaitingEvent::Kind::barrier:
    os << "barrier '" << network.barriers[event.object].name << "' (phase "
       << event.phase << ")";
    break;
  case WaitingEvent::Kind::pool:
    os << network.pools[event.object].name;
    break;
  }
  printPlace(event, os);
}

static const char *actionFor(const WaitingEvent &event) {
  switch (event.kind) {
  case WaitingEvent::Kind::slotEmpty:
    return "release it";
  case WaitingEvent::Kind::slotFull:
    return "fill it";
  case WaitingEvent::Kind::barrier:
    return "arrive";
  case WaitingEvent::Kind::pool:
    return "give some back";
  }
  return "";
}

static void printWhy(const WaitingEvent &event, const Network &network,
                     raw_ostream &os) {
  if (!event.reason.empty()) {
    os << "    " << event.reason << '\n';
    return;
  }
  for (RoleId blocker : event.blockers) {
    os << "    @" << network.roles[blocker].name;
    if (blocker == event.role)
      os << " itself keeps it back";
    else
      os << " must " << actionFor(event);
    if (llvm::is_contained(event.ended, blocker))
      os << ", but has ended";
    os << '\n';
  }
}

void drawloom::progress::print(const Failure &failure, const Network &network,
                               raw_ostream &os) {
  std::string at = describe(network, failure.sizes);
  switch (failure.kind) {
  case Failure::Kind::stuck:
    os << "deadlock with " << at << ":\n";
    for (unsigned index : failure.slice) {
      os << "  ";
      printWhat(failure.waiting[index], network, os);
      os << '\n';
      printWhy(failure.waiting[index], network, os);
    }
    return;
  case Failure::Kind::earlyWait:
    os << "early wait with " << at << ":\n  ";
    printWhat(failure.waiting.front(), network, os);
    os << "\n    it can come there two phases ahead of the slot, where its "
          "parity lets it pass;\n    give each consumer a ring of its own, or "
          "order them with a barrier\n";
    return;
  case Failure::Kind::earlyArrive:
    os << "early arrival with " << at << ":\n  @"
       << network.roles[failure.waiting.front().role].name
       << " can arrive twice in one phase of barrier '"
       << network.barriers[failure.waiting.front().object].name << "'";
    printPlace(failure.waiting.front(), os);
    os << "\n    wait there before the next arrival\n";
    return;
  case Failure::Kind::unconsumed:
    os << "slots left over with " << at << ":\n  '"
       << network.pipes[failure.waiting.front().object].name
       << "' has a slot in use when all roles have ended";
    printPlace(failure.waiting.front(), os);
    os << '\n';
    return;
  }
}

void drawloom::progress::print(const Verdict &verdict, const Network &network,
                               raw_ostream &os) {
  switch (verdict.kind) {
  case Verdict::Kind::proved:
    os << "proved\n";
    break;
  case Verdict::Kind::provedIf:
    os << "proved if " << verdict.words << '\n';
    break;
  case Verdict::Kind::deadlock:
    os << "deadlock\n";
    break;
  case Verdict::Kind::undecided:
    os << "undecided: " << verdict.construct << '\n';
    if (!verdict.condition.boxes.empty())
      os << "  proved for " << verdict.condition.describe(network) << '\n';
    break;
  }
  if (verdict.failure)
    print(*verdict.failure, network, os);
  if (verdict.kind != Verdict::Kind::undecided && !verdict.construct.empty())
    os << "the condition may be too strict because of " << verdict.construct
       << '\n';
  for (const std::string &assumption : verdict.assumptions)
    os << "assumes that " << assumption << '\n';
}
