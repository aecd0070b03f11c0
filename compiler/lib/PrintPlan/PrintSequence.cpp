//===- PrintSequence.cpp - A plan as a sequence diagram -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Labels.h"
#include "Sequence.h"
#include "drawloom/PrintPlan/Print.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using namespace drawloom::plan;
using llvm::StringRef;

namespace {
class SequencePrinter {
public:
  SequencePrinter(const Plan &plan, llvm::raw_ostream &os)
      : plan(plan), os(os), run(runFirstItems(plan)) {}

  void print();

private:
  struct Barriers {
    std::vector<std::string> full, empty;
  };

  void nameParticipants();
  void printParticipants();
  void print(const Event &event);
  void printStaged(const Event &event);
  std::string describeSlot(const Event &event) const;

  const Plan &plan;
  llvm::raw_ostream &os;
  Run run;
  std::vector<std::string> roles;
  std::vector<Barriers> barriers;
  /// Whether each slot has lines of its own, or the slots of a pipe share them.
  bool bySlot = true;
};
} // namespace

void SequencePrinter::nameParticipants() {
  // More lines than this do not fit side by side.
  constexpr int64_t readable = 20;
  int64_t lines = plan.roles.size();
  for (const Pipe &pipe : plan.pipes)
    if (!pipe.isStaging())
      lines += 2 * std::min(pipe.slots, readable);
  bySlot = lines <= readable;

  Identifiers identifiers;
  for (const Role &role : plan.roles)
    roles.push_back(identifiers.make(role.name));
  for (const Pipe &pipe : plan.pipes) {
    Barriers &names = barriers.emplace_back();
    int64_t count = bySlot ? pipe.slots : 1;
    for (int64_t slot = 0; slot < count && !pipe.isStaging(); ++slot) {
      std::string name = pipe.name + (bySlot ? std::to_string(slot) : "");
      names.empty.push_back(identifiers.make(name + "_empty"));
      names.full.push_back(identifiers.make(name + "_full"));
    }
  }
}

void SequencePrinter::printParticipants() {
  for (unsigned role = 0; role < plan.roles.size(); ++role) {
    os << "    participant " << roles[role] << " as @"
       << escapeForMermaid(plan.roles[role].name) << '\n';
    for (unsigned number : plan.roles[role].produces) {
      const Barriers &names = barriers[number];
      for (size_t slot = 0; slot < names.full.size(); ++slot) {
        std::string name = escapeForMermaid(plan.pipes[number].name);
        if (bySlot)
          name += "[" + std::to_string(slot) + "]";
        if (plan.pipes[number].impliedBy.empty())
          os << "    participant " << names.empty[slot] << " as " << name
             << " empty\n";
        os << "    participant " << names.full[slot] << " as " << name
           << " full\n";
      }
    }
  }
}

std::string SequencePrinter::describeSlot(const Event &event) const {
  int64_t slots = plan.pipes[event.pipe].slots;
  std::string phase = "phase " + std::to_string(event.index / slots % 2);
  if (bySlot)
    return phase;
  return "slot " + std::to_string(event.index % slots) + ", " + phase;
}

/// A staging pipe joins a role with itself: its barriers are no line of their
/// own.
void SequencePrinter::printStaged(const Event &event) {
  if (event.kind != Event::Kind::WaitEmpty && event.kind != Event::Kind::Fill)
    return;
  const Pipe &pipe = plan.pipes[event.pipe];
  os << "    " << roles[event.role] << "->>" << roles[event.role] << ": "
     << (event.kind == Event::Kind::Fill ? "write " : "wait for room in ")
     << escapeForMermaid(pipe.name) << " [" << event.index % pipe.slots
     << "]\n";
}

void SequencePrinter::print(const Event &event) {
  const std::string &role = roles[event.role];
  switch (event.kind) {
  case Event::Kind::Item:
    os << "    Note over " << role << ": work tile " << event.index << '\n';
    return;
  case Event::Kind::Work:
    os << "    " << role << "->>" << role << ": "
       << escapeForMermaid(event.text) << '\n';
    return;
  default:
    break;
  }
  if (plan.pipes[event.pipe].isStaging())
    return printStaged(event);
  bool atEmpty = event.kind == Event::Kind::WaitEmpty ||
                 event.kind == Event::Kind::Release;
  const Barriers &names = barriers[event.pipe];
  size_t slot = bySlot ? event.index % plan.pipes[event.pipe].slots : 0;
  const std::string &barrier = atEmpty ? names.empty[slot] : names.full[slot];
  if (event.kind == Event::Kind::WaitEmpty ||
      event.kind == Event::Kind::WaitFull)
    os << "    " << barrier << "->>" << role << ": wait, "
       << describeSlot(event) << '\n';
  else
    os << "    " << role << "->>" << barrier << ": "
       << escapeForMermaid(describeArrival(plan, event))
       << (bySlot ? ""
                  : ", slot " + std::to_string(event.index %
                                               plan.pipes[event.pipe].slots))
       << '\n';
}

void SequencePrinter::print() {
  nameParticipants();
  os << "sequenceDiagram\n";
  printParticipants();
  os << "    Note over " << roles.front();
  if (roles.size() > 1)
    os << "," << roles.back();
  os << ": " << run.sizes.items << " work tiles. Loops of unknown length run "
     << run.sizes.trips << " times, others at most " << run.sizes.longest
     << " times. Every slot starts empty\n";
  for (const Event &event : run.events)
    print(event);
  os << "    Note over " << roles.front();
  if (roles.size() > 1)
    os << "," << roles.back();
  os << (run.complete ? ": every role has ended\n"
                      : ": no role can go on at these sizes\n");
}

void plan::printMermaidSequence(const Plan &plan, llvm::raw_ostream &os) {
  if (!plan.roles.empty())
    SequencePrinter(plan, os).print();
}
