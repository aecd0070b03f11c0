//===- PrintSvgSequence.cpp - The first work tiles as a drawing -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A line for each event: as text to the left, and as an arrow between a role
// and the barriers of a pipe to the right. The text of an event is never on an
// arrow, so there may be as many columns as there are.

#include "Drawing.h"
#include "Labels.h"
#include "Sequence.h"
#include "drawloom/PrintPlan/Print.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::plan;
using llvm::StringRef;
using Anchor = Drawing::Anchor;

namespace {
constexpr int64_t left = 16, pitch = 18, size = 11;
constexpr StringRef faint = "#64748b", dark = "#334155";

class SequenceDrawer {
public:
  explicit SequenceDrawer(const Plan &plan)
      : plan(plan), run(runFirstItems(plan)) {}

  void draw(llvm::raw_ostream &os);

private:
  std::string describe(const Event &event) const;
  void placeColumns();
  void drawHeads();
  void drawEvent(const Event &event);

  const Plan &plan;
  Run run;
  Drawing drawing;
  std::vector<std::string> words;
  /// Where the lines of roles and pipes are; 0 for pipes that have none.
  std::vector<int64_t> roles, pipes;
  int64_t wordsStart = 0;
  int64_t y = left;
};
} // namespace

std::string SequenceDrawer::describe(const Event &event) const {
  if (event.kind == Event::Kind::Item)
    return "work tile " + std::to_string(event.index);
  if (event.kind == Event::Kind::Work)
    return event.text;
  const Pipe &pipe = plan.pipes[event.pipe];
  std::string slot =
      pipe.name + "[" + std::to_string(event.index % pipe.slots) + "]";
  std::string phase = ", phase " + std::to_string(event.index / pipe.slots % 2);
  switch (event.kind) {
  case Event::Kind::WaitEmpty:
    return "waits until " + slot + " is empty" + phase;
  case Event::Kind::WaitFull:
    return "waits until " + slot + " is full" + phase;
  case Event::Kind::Fill:
    return "fills " + slot + ": " + describeArrival(plan, event);
  default:
    return "frees " + slot + ": " + describeArrival(plan, event);
  }
}

void SequenceDrawer::placeColumns() {
  int64_t widest = 0;
  for (const Role &role : plan.roles)
    widest = std::max(widest, measureText("@" + role.name, size));
  wordsStart = left + widest + 12;
  widest = 0;
  for (const Event &event : run.events)
    widest = std::max(widest,
                      measureText(words.emplace_back(describe(event)), size));
  int64_t x = wordsStart + widest + 24;
  auto place = [&](StringRef name) {
    int64_t half = measureText(name, size) / 2 + 10;
    int64_t middle = x + half;
    x = middle + half;
    return middle;
  };
  pipes.assign(plan.pipes.size(), 0);
  // A role, then what it fills.
  for (const Role &role : plan.roles) {
    roles.push_back(place("@" + role.name));
    for (unsigned number : role.produces)
      if (!plan.pipes[number].isStaging())
        pipes[number] = place(plan.pipes[number].name);
  }
}

void SequenceDrawer::drawHeads() {
  drawing.text(left, y + size,
               std::to_string(run.sizes.items) +
                   " work tiles; loops of unknown length run " +
                   std::to_string(run.sizes.trips) + " times, others at most " +
                   std::to_string(run.sizes.longest) +
                   " times; every slot starts empty",
               {.size = size, .color = faint});
  y += 40;
  for (auto [role, x] : llvm::zip_equal(plan.roles, roles))
    drawing.text(x, y, "@" + role.name,
                 {.size = size,
                  .color = getColors(role.kind).line,
                  .isBold = true,
                  .anchor = Anchor::Middle});
  for (auto [pipe, x] : llvm::zip_equal(plan.pipes, pipes))
    if (x)
      drawing.text(x, y, pipe.name,
                   {.size = size, .color = dark, .anchor = Anchor::Middle});
  y += 8;
  int64_t end = y + pitch * static_cast<int64_t>(run.events.size()) + 4;
  for (auto [role, x] : llvm::zip_equal(plan.roles, roles))
    drawing.line(x, y, x, end, {"none", getColors(role.kind).line, 24});
  for (int64_t x : pipes)
    if (x)
      drawing.line(x, y, x, end, {"none", "#94a3b8", 10, true});
}

void SequenceDrawer::drawEvent(const Event &event) {
  const Role &role = plan.roles[event.role];
  Colors colors = getColors(role.kind);
  int64_t x = roles[event.role], middle = y + pitch / 2;
  bool hasPipe =
      event.kind != Event::Kind::Item && event.kind != Event::Kind::Work;
  if (hasPipe && pipes[event.pipe]) {
    int64_t other = pipes[event.pipe];
    Drawing::Look look = {"none", colors.line, 12};
    if (event.kind == Event::Kind::WaitEmpty ||
        event.kind == Event::Kind::WaitFull) {
      look.isDashed = true;
      drawing.arrow(other, middle, other < x ? x - 2 : x + 2, look);
    } else {
      drawing.arrow(x, middle, other, look);
    }
    return;
  }
  drawing.rectangle(
      x - 5, middle - 5, 10, 10,
      {event.kind == Event::Kind::Item ? colors.line : colors.fill, colors.line,
       10, false, 2});
}

void SequenceDrawer::draw(llvm::raw_ostream &os) {
  placeColumns();
  drawHeads();
  for (auto [event, text] : llvm::zip_equal(run.events, words)) {
    const Role &role = plan.roles[event.role];
    bool begins = event.kind == Event::Kind::Item;
    drawing.text(
        left, y + 13, "@" + role.name,
        {.size = size, .color = getColors(role.kind).line, .isBold = begins});
    drawing.text(wordsStart, y + 13, text,
                 {.size = size, .color = dark, .isBold = begins});
    drawEvent(event);
    y += pitch;
  }
  drawing.text(left, y + 20,
               run.complete ? "every role has ended"
                            : "no role can go on at these sizes",
               {.size = size, .color = faint});
  drawing.print("The first work tiles of @" + plan.kernel, os);
}

void plan::printSvgSequence(const Plan &plan, llvm::raw_ostream &os) {
  SequenceDrawer(plan).draw(os);
}
