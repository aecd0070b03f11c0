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

static std::string nameSlot(const WaitingEvent &event, const Network &network) {
  std::string slot =
      event.slot >= 0 ? "slot " + std::to_string(event.slot) : "its next slot";
  return slot + " of '" + network.pipes[event.object].name + "'";
}

static std::string namePhase(const WaitingEvent &event) {
  return event.phase < 0 ? "" : " (phase " + std::to_string(event.phase) + ")";
}

static std::string nameItem(const WaitingEvent &event) {
  return event.item ? ", work tile " + std::to_string(*event.item) : "";
}

static std::string describeWait(const WaitingEvent &event,
                                const Network &network) {
  std::string text = "@" + network.roles[event.role].name + " waits for ";
  switch (event.kind) {
  case WaitingEvent::Kind::slotEmpty:
    text += nameSlot(event, network) + " to be empty" + namePhase(event);
    break;
  case WaitingEvent::Kind::slotFull:
    text += nameSlot(event, network) + " to be full" + namePhase(event);
    break;
  case WaitingEvent::Kind::barrier:
    text += "barrier '" + network.barriers[event.object].name + "'" +
            namePhase(event);
    break;
  case WaitingEvent::Kind::pool:
    text += network.pools[event.object].name;
    break;
  }
  return text + nameItem(event);
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

static std::vector<std::string> explainWait(const WaitingEvent &event,
                                            const Network &network) {
  if (!event.reason.empty())
    return {event.reason};
  std::vector<std::string> lines;
  for (RoleId blocker : event.blockers) {
    std::string line = "@" + network.roles[blocker].name;
    if (blocker == event.role)
      line += " itself keeps it back";
    else
      line += std::string(" must ") + actionFor(event);
    if (llvm::is_contained(event.ended, blocker))
      line += ", but has ended";
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string drawloom::progress::headlineOf(const Failure &failure,
                                           const Network &network,
                                           llvm::StringRef kernel) {
  std::string what;
  switch (failure.kind) {
  case Failure::Kind::stuck:
    what = "deadlock";
    break;
  case Failure::Kind::earlyWait:
    what = "early wait";
    break;
  case Failure::Kind::earlyArrive:
    what = "early arrival";
    break;
  case Failure::Kind::unconsumed:
    what = "slots left over";
    break;
  }
  std::string sizes = describe(network, failure.sizes);
  if (!kernel.empty())
    what += " in " + kernel.str();
  return sizes.empty() ? what : what + " with " + sizes;
}

std::string drawloom::progress::describe(const WaitingEvent &event,
                                         const Failure &failure,
                                         const Network &network) {
  switch (failure.kind) {
  case Failure::Kind::stuck:
  case Failure::Kind::earlyWait:
    return describeWait(event, network);
  case Failure::Kind::earlyArrive:
    return "@" + network.roles[event.role].name +
           " can arrive twice in one phase of barrier '" +
           network.barriers[event.object].name + "'" + nameItem(event);
  case Failure::Kind::unconsumed:
    return "'" + network.pipes[event.object].name +
           "' has a slot in use when all roles have ended" + nameItem(event);
  }
  return "";
}

std::vector<std::string> drawloom::progress::explain(const WaitingEvent &event,
                                                     const Failure &failure,
                                                     const Network &network) {
  switch (failure.kind) {
  case Failure::Kind::stuck:
    return explainWait(event, network);
  case Failure::Kind::earlyWait:
    return {"it can come there two phases ahead of the slot, where its parity "
            "lets it pass;",
            "give each consumer a ring of its own, or order them with a "
            "barrier"};
  case Failure::Kind::earlyArrive:
    return {"wait there before the next arrival"};
  case Failure::Kind::unconsumed:
    return {};
  }
  return {};
}

std::vector<const WaitingEvent *>
drawloom::progress::causesOf(const Failure &failure) {
  std::vector<const WaitingEvent *> events;
  for (unsigned index : failure.slice)
    events.push_back(&failure.waiting[index]);
  if (events.empty() && !failure.waiting.empty())
    events.push_back(&failure.waiting.front());
  return events;
}

void drawloom::progress::print(const Failure &failure, const Network &network,
                               raw_ostream &os) {
  os << headlineOf(failure, network) << ":\n";
  for (const WaitingEvent *event : causesOf(failure)) {
    os << "  " << describe(*event, failure, network);
    if (!event->location.empty())
      os << ", at " << event->location;
    os << '\n';
    for (const std::string &line : explain(*event, failure, network))
      os << "    " << line << '\n';
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
