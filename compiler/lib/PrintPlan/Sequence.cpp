//===- Sequence.cpp - The first work tiles of a plan, event by event ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sequence.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::plan;

//===----------------------------------------------------------------------===//
// A role's program as a list of events
//===----------------------------------------------------------------------===//

namespace {
/// Writes the events of one role in their order, loops unrolled. Contents of
/// pipes are not numbered yet.
class Unroller {
public:
  Unroller(const Plan &plan, unsigned role, const RunSizes &sizes)
      : plan(plan), role(role), sizes(sizes) {}

  std::vector<Event> unroll() {
    run(plan.roles[role].program);
    flush(nullptr);
    return std::move(events);
  }

private:
  // Ends to what a program can make of a picture. Loops in loops may run long
  // and show nothing. Who looks at all pipes takes a step for each.
  static constexpr size_t enoughEvents = 4096, enoughSteps = 65536;

  void emit(Event::Kind kind, unsigned pipe, std::string text = {}) {
    bool isOfEmpty =
        kind == Event::Kind::WaitEmpty || kind == Event::Kind::Release;
    if (isOfEmpty && !plan.pipes[pipe].impliedBy.empty())
      return;
    if (events.size() < enoughEvents)
      events.push_back({kind, role, pipe, item, std::move(text)});
  }

  void run(const std::vector<Step> &steps) {
    for (const Step &step : steps)
      if (takeStep())
        run(step);
  }

  bool takeStep() {
    return ++stepsRun < enoughSteps && events.size() < enoughEvents;
  }

  void run(const Step &step) {
    switch (step.kind) {
    case Step::Kind::Items:
      return runItems(step);
    case Step::Kind::Loop: {
      int64_t trips = step.trips ? std::min(*step.trips, sizes.longest)
                                 : sizes.trips + step.offset;
      const Step *outer = std::exchange(loop, &step);
      for (int64_t i = 0; i < trips && takeStep(); ++i)
        run(step.body);
      flush(&step);
      loop = outer;
      return;
    }
    case Step::Kind::Produce: {
      unsigned pipe = step.pipes.front();
      emit(Event::Kind::WaitEmpty, pipe);
      // The work of a copy is the arrival; other work comes before it.
      std::string work;
      bool onlyWork = llvm::all_of(step.body, [](const Step &inner) {
        return inner.kind == Step::Kind::Work;
      });
      Engine engine = plan.pipes[pipe].producerEngine;
      if (onlyWork && engine != Engine::threads)
        for (const Step &inner : step.body)
          work += joinWork(inner.work);
      else
        run(step.body);
      return emit(Event::Kind::Fill, pipe, work);
    }
    case Step::Kind::Consume:
      stepsRun += step.pipes.size();
      for (unsigned pipe : step.pipes)
        emit(Event::Kind::WaitFull, pipe);
      run(step.body);
      for (unsigned pipe : step.pipes) {
        int64_t &held = holding[{loop, pipe}];
        for (++held; held > step.lag; --held)
          emit(Event::Kind::Release, pipe);
      }
      return;
    case Step::Kind::Work:
      return emit(Event::Kind::Work, 0, joinWork(step.work));
    }
  }

  void runItems(const Step &step) {
    for (item = 0; item < sizes.items; ++item) {
      if (!step.pipes.empty())
        exchangeItem(step);
      if (item % step.every != step.from)
        continue;
      emit(Event::Kind::Item, 0);
      run(step.body);
    }
    // After the last item comes the message that there are no more.
    if (!step.pipes.empty())
      exchangeItem(step);
    item = 0;
  }

  void exchangeItem(const Step &step) {
    unsigned pipe = step.pipes.front();
    std::string text =
        item < sizes.items ? "item " + std::to_string(item) : "no more items";
    emit(step.publishes ? Event::Kind::WaitEmpty : Event::Kind::WaitFull, pipe);
    if (step.publishes)
      emit(Event::Kind::Fill, pipe, text);
    else
      emit(Event::Kind::Release, pipe);
  }

  /// Leaving a loop releases what a lag has kept.
  void flush(const Step *left) {
    stepsRun += holding.size();
    for (auto &[key, held] : holding)
      if (key.first == left)
        for (; held > 0; --held)
          emit(Event::Kind::Release, key.second);
  }

  const Plan &plan;
  unsigned role;
  const RunSizes &sizes;
  std::vector<Event> events;
  size_t stepsRun = 0;
  int64_t item = 0;
  const Step *loop = nullptr;
  /// Slots that a lag keeps, by the innermost loop around their consume.
  llvm::MapVector<std::pair<const Step *, unsigned>, int64_t> holding;
};
} // namespace

//===----------------------------------------------------------------------===//
// The roles against each other
//===----------------------------------------------------------------------===//

namespace {
struct Content {
  int64_t item;
  /// Consumers that have not released it.
  unsigned waiting;
};

class Runner {
public:
  Runner(const Plan &plan, const RunSizes &sizes) : plan(plan), sizes(sizes) {
    for (unsigned role = 0; role < plan.roles.size(); ++role)
      programs.push_back(Unroller(plan, role, sizes).unroll());
    places.resize(programs.size());
    begun.resize(programs.size());
    contents.resize(plan.pipes.size());
  }

  Run run() {
    Run result;
    result.sizes = sizes;
    bool moved = true;
    while (moved) {
      moved = false;
      // A role runs until it has handed something on, then it is the turn of
      // the next: so the picture goes forward in all roles at once.
      for (unsigned role = 0; role < programs.size(); ++role)
        while (places[role] < programs[role].size()) {
          Event event = programs[role][places[role]];
          if (!step(event))
            break;
          ++places[role];
          moved = true;
          // An item begins with its first event that can happen.
          if (event.kind == Event::Kind::Item) {
            begun[role] = event;
            continue;
          }
          if (begun[role])
            result.events.push_back(*std::exchange(begun[role], std::nullopt));
          result.events.push_back(event);
          if (event.kind == Event::Kind::Fill ||
              event.kind == Event::Kind::Release)
            break;
        }
    }
    result.complete = llvm::all_of(llvm::zip(places, programs), [](auto pair) {
      return std::get<0>(pair) == std::get<1>(pair).size();
    });
    return result;
  }

private:
  /// Whether `role` consumes the slots of an item.
  bool takes(unsigned role, int64_t item) const {
    for (const Step &step : plan.roles[role].program)
      if (step.kind == Step::Kind::Items && item % step.every != step.from)
        return false;
    return true;
  }

  unsigned countConsumers(unsigned pipe, int64_t item) const {
    return llvm::count_if(
        plan.pipes[pipe].consumers, [&](const Consumer &consumer) {
          return isMessageOfItems(pipe) || takes(consumer.role, item);
        });
  }

  /// Every role takes every message about items, also of those that it skips.
  bool isMessageOfItems(unsigned pipe) const {
    for (const Role &role : plan.roles)
      for (const Step &step : role.program)
        if (step.kind == Step::Kind::Items && !step.pipes.empty() &&
            step.pipes.front() == pipe)
          return true;
    return false;
  }

  /// Does one event if it can happen, and numbers it.
  bool step(Event &event) {
    if (event.kind == Event::Kind::Item || event.kind == Event::Kind::Work)
      return true;
    std::vector<Content> &ring = contents[event.pipe];
    int64_t item = event.index;
    auto &[reading, releasing] = cursors[{event.role, event.pipe}];
    switch (event.kind) {
    case Event::Kind::WaitEmpty: {
      event.index = ring.size();
      int64_t last = event.index - plan.pipes[event.pipe].slots;
      return last < 0 || ring[last].waiting == 0;
    }
    case Event::Kind::Fill:
      event.index = ring.size();
      ring.push_back({item, countConsumers(event.pipe, item)});
      return true;
    case Event::Kind::WaitFull:
      event.index = find(event, reading);
      if (event.index >= static_cast<int64_t>(ring.size()))
        return false;
      reading = event.index + 1;
      return true;
    default:
      event.index = find(event, releasing);
      if (event.index >= static_cast<int64_t>(ring.size()))
        return false;
      releasing = event.index + 1;
      if (ring[event.index].waiting > 0)
        --ring[event.index].waiting;
      return true;
    }
  }

  /// The first content from `cursor` on that is for the event's role.
  int64_t find(const Event &event, int64_t cursor) const {
    const std::vector<Content> &ring = contents[event.pipe];
    while (cursor < static_cast<int64_t>(ring.size()) &&
           !isMessageOfItems(event.pipe) &&
           !takes(event.role, ring[cursor].item))
      ++cursor;
    return cursor;
  }

  const Plan &plan;
  RunSizes sizes;
  std::vector<std::vector<Event>> programs;
  std::vector<size_t> places;
  std::vector<std::optional<Event>> begun;
  std::vector<std::vector<Content>> contents;
  /// What a role reads next from a pipe, and what it releases next.
  llvm::DenseMap<std::pair<unsigned, unsigned>, std::pair<int64_t, int64_t>>
      cursors;
};
} // namespace

Run plan::runFirstItems(const Plan &plan) {
  RunSizes sizes;
  Run run = Runner(plan, sizes).run();
  if (run.complete)
    return run;
  // Two roles may cut the same number of slots into different loops.
  RunSizes whole = sizes;
  whole.longest = 64;
  Run longer = Runner(plan, whole).run();
  return longer.complete ? longer : run;
}

/// "arrive", "4 warps arrive".
static std::string countWarps(int64_t warps) {
  return warps == 1 ? "arrive" : std::to_string(warps) + " warps arrive";
}

std::string plan::describeArrival(const Plan &plan, const Event &event) {
  const Pipe &pipe = plan.pipes[event.pipe];
  bool fills = event.kind == Event::Kind::Fill;
  Engine engine = pipe.producerEngine;
  if (!fills)
    for (const Consumer &consumer : pipe.consumers)
      if (consumer.role == event.role)
        engine = consumer.engine;
  int64_t warps = plan.roles[event.role].warps;
  std::string text;
  switch (engine) {
  case Engine::tma:
    if (!fills) {
      text = "stores have read, " + countWarps(warps);
      break;
    }
    text = "TMA " + event.text + " [" + std::to_string(event.index) + "], " +
           std::to_string(pipe.fullBytes) + " bytes";
    break;
  case Engine::cp_async:
    text = "cp.async " + event.text + " [" + std::to_string(event.index) +
           "], " + countWarps(warps);
    break;
  case Engine::tensor_core:
    text = "tcgen05.commit";
    break;
  case Engine::threads:
    if (!event.text.empty())
      text = event.text + ", ";
    text += countWarps(warps);
    break;
  }
  return text;
}
