//===- LazyState.cpp - A machine whose trip counts are not all known ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LazyState.h"
#include "Run.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/LEB128.h"

using namespace drawloom::progress;
using llvm::ArrayRef;

/// More slots never hurt, so the least number of a box stands for all.
static std::vector<int64_t> leastSlots(const Network &network, const Box &box) {
  std::vector<int64_t> slots;
  for (const Pipe &pipe : network.pipes)
    slots.push_back(pipe.slots.offset +
                    (pipe.slots.size ? box[*pipe.slots.size].min : 0));
  return slots;
}

LazyState::LazyState(const Code &code, const LoopClasses &classes,
                     const Box &box)
    : machine(code, leastSlots(code.network, box)), code(code),
      classes(classes), box(box) {}

Interval LazyState::boundsOf(unsigned id) const {
  const LoopClass &cls = classes.classes[id];
  Interval bounds =
      cls.size ? box[*cls.size] : Interval{cls.constant, cls.constant};
  if (bounds.min > classes.mostKnown)
    return {classes.mostKnown, unbounded};
  return bounds;
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

Number &LazyState::numberFor(unsigned cls, const RoleState &role) {
  Path path;
  for (size_t level = 0; level < classes.classes[cls].scope.size(); ++level)
    path.push_back(role.frames[level].iteration);
  for (Number &number : numbers)
    if (number.cls == cls && number.path == path)
      return number;
  Interval bounds = boundsOf(cls);
  numbers.push_back({cls, path, bounds.min, bounds.min == bounds.max});
  return numbers.back();
}

std::optional<bool> LazyState::another(const RoleState &role, unsigned loop,
                                       int64_t iteration) {
  const Count &trips = code.loops[loop].trips;
  if (iteration >= trips.most)
    return false;
  unsigned cls = classes.classOf[loop];
  Number &number = numberFor(cls, role);
  int64_t needed = iteration + 1 - (trips.size ? trips.offset : 0);
  if (needed <= number.lower)
    return true;
  if (number.known || needed > boundsOf(cls).max)
    return false;
  asked = &number - numbers.data();
  return std::nullopt;
}

bool LazyState::runOn() {
  return machine.runOn(
      [&](const RoleState &role, unsigned loop, int64_t iteration) {
        return another(role, loop, iteration);
      },
      stepLimit);
}

std::optional<Question> LazyState::nextQuestion() {
  std::optional<Question> best;
  Path bestPath;
  for (RoleId role = 0; role < code.roles.size(); ++role) {
    const Instruction &instruction = machine.instruction(role);
    const RoleState &state = machine.state.roles[role];
    if (instruction.op != Op::loopBegin && instruction.op != Op::loopEnd)
      continue;
    // Nothing can move, so a role at a loop asks.
    Path path;
    for (const Frame &frame : state.frames)
      path.push_back(frame.iteration);
    int64_t done = 0;
    if (instruction.op == Op::loopEnd)
      done = ++path.back();
    if (another(state, instruction.object, done))
      continue;
    if (best && bestPath <= path)
      continue;
    best = Question{role, asked};
    bestPath = std::move(path);
  }
  return best;
}

//===----------------------------------------------------------------------===//
// What the futures depend on
//===----------------------------------------------------------------------===//

bool LazyState::hasLoop(RoleId role, unsigned cls) const {
  return classes.classes[cls].roles.test(role);
}

/// Whether the role may still enter a loop of the class at this depth before it
/// leaves the current iteration of the loop around. A loop that is known to do
/// all that it may, because its number is at least `lower`, does not count.
bool LazyState::willEnter(RoleId id, size_t level, unsigned cls,
                          std::optional<int64_t> lower) const {
  const RoleState &role = machine.state.roles[id];
  return llvm::any_of(classes.classes[cls].loops, [&](unsigned loop) {
    const LoopSite &site = code.loops[loop];
    bool isDecided = lower && site.trips.size && site.trips.most != unbounded &&
                     *lower >= site.trips.most - site.trips.offset;
    return site.role == id && site.outer.size() == level && !isDecided &&
           site.begin >= role.pc &&
           (level == 0 ||
            code.loops[role.frames[level - 1].loop].bodyContains(site.begin));
  });
}

/// Where a role is with respect to an iteration of nested loops: in it, yet to
/// come, or beyond.
LazyState::Place LazyState::placeOf(RoleId id, ArrayRef<unsigned> scope,
                                    ArrayRef<int64_t> path) const {
  const RoleState &role = machine.state.roles[id];
  for (size_t level = 0; level < path.size(); ++level) {
    bool inside = role.frames.size() > level &&
                  classes.classOf[role.frames[level].loop] == scope[level];
    if (inside && role.frames[level].iteration == path[level])
      continue;
    if (inside && role.frames[level].iteration < path[level])
      return Place::behind;
    return willEnter(id, level, scope[level]) ? Place::behind : Place::done;
  }
  return Place::here;
}

bool LazyState::mayUse(RoleId id, const Number &number) const {
  if (!hasLoop(id, number.cls))
    return false;
  const LoopClass &cls = classes.classes[number.cls];
  switch (placeOf(id, cls.scope, number.path)) {
  case Place::done:
    return false;
  case Place::behind:
    return true;
  case Place::here:
    break;
  }
  const RoleState &role = machine.state.roles[id];
  size_t depth = number.path.size();
  ArrayRef<Frame> inner = ArrayRef(role.frames).drop_front(depth);
  if (llvm::any_of(inner, [&](const Frame &frame) {
        return classes.classOf[frame.loop] == number.cls;
      }))
    return true;
  return llvm::any_of(cls.loops, [&](unsigned loop) {
    const LoopSite &site = code.loops[loop];
    if (site.role != id)
      return false;
    if (depth > 0 &&
        !code.loops[role.frames[depth - 1].loop].bodyContains(site.begin))
      return false;
    return site.begin >= role.pc || llvm::any_of(inner, [&](const Frame &f) {
             return code.loops[f.loop].bodyContains(site.begin);
           });
  });
}

namespace drawloom::progress {
/// Writes the key of a state: the roles and numbers as a tree of iterations.
class KeyWriter {
public:
  explicit KeyWriter(const LazyState &state)
      : state(state), order(state.machine.orderedFacts()) {}

  std::string write() {
    llvm::SmallVector<RoleId, 8> roles;
    for (RoleId role = 0; role < state.code.roles.size(); ++role)
      roles.push_back(role);
    llvm::SmallVector<const Number *, 8> numbers;
    for (const Number &number : state.numbers)
      numbers.push_back(&number);
    writeTree(roles, numbers);
    writeObjects();
    return std::move(key);
  }

private:
  /// Nearly all numbers are small: one byte each.
  void put(int64_t value) {
    uint8_t bytes[10];
    key.append(reinterpret_cast<const char *>(bytes),
               llvm::encodeSLEB128(value, bytes));
  }
  /// What matters of a role's knowledge is how far it is behind what happened.
  void put(const Knowledge &knowledge) {
    if (knowledge.empty())
      return;
    for (size_t fact : order)
      put(state.machine.ageOf(fact, knowledge));
  }
  std::optional<int64_t> baseOf(unsigned cls) const;
  void writeTree(ArrayRef<RoleId> roles, ArrayRef<const Number *> numbers);
  void writeIteration(unsigned cls, int64_t iteration, ArrayRef<RoleId> roles,
                      ArrayRef<const Number *> numbers);
  void writeObjects();

  const LazyState &state;
  llvm::SmallVector<size_t> order;
  std::string key;
  // The iteration that is being written.
  llvm::SmallVector<unsigned, 4> scope;
  Path path;
};
} // namespace drawloom::progress

/// The iteration of the role that is furthest behind in a loop, if that is all
/// that matters: no role has yet to enter the loop, and no bound is near.
std::optional<int64_t> KeyWriter::baseOf(unsigned id) const {
  const LoopClass &cls = state.classes.classes[id];
  if (!cls.uniform || cls.scope != scope || state.boundsOf(id).max != unbounded)
    return std::nullopt;
  int64_t lower = 0;
  for (const Number &number : state.numbers)
    if (number.cls == id && number.path == path)
      lower = number.lower;
  std::optional<int64_t> base;
  for (RoleId role = 0; role < state.code.roles.size(); ++role) {
    if (!state.hasLoop(role, id))
      continue;
    LazyState::Place place = state.placeOf(role, scope, path);
    if (place == LazyState::Place::done)
      continue;
    if (place == LazyState::Place::behind ||
        state.willEnter(role, path.size(), id, lower))
      return std::nullopt;
    const RoleState &roleState = state.machine.state.roles[role];
    if (roleState.frames.size() <= path.size() ||
        state.classes.classOf[roleState.frames[path.size()].loop] != id)
      continue;
    // How far a loop is from the most that it may do, a shift would hide.
    const Frame &frame = roleState.frames[path.size()];
    if (state.code.loops[frame.loop].trips.most != unbounded)
      return std::nullopt;
    int64_t iteration = frame.iteration;
    base = base ? std::min(*base, iteration) : iteration;
  }
  if (base && cls.overItems)
    *base -= *base % state.code.period;
  return base;
}

void KeyWriter::writeTree(ArrayRef<RoleId> roles,
                          ArrayRef<const Number *> numbers) {
  size_t level = path.size();
  llvm::SmallVector<std::pair<unsigned, std::optional<int64_t>>, 8> bases;
  auto base = [&](unsigned cls) {
    for (const auto &[known, shift] : bases)
      if (known == cls)
        return shift;
    return bases.emplace_back(cls, baseOf(cls)).second;
  };
  // What is right here, then what is in each iteration of each loop.
  llvm::SmallVector<std::pair<unsigned, int64_t>, 8> iterations;
  for (RoleId role : roles) {
    const RoleState &roleState = state.machine.state.roles[role];
    if (roleState.frames.size() == level) {
      put(role);
      put(roleState.pc);
      continue;
    }
    const Frame &frame = roleState.frames[level];
    iterations.push_back({state.classes.classOf[frame.loop], frame.iteration});
  }
  put(-1);
  for (const Number *number : numbers) {
    if (number->path.size() > level) {
      iterations.push_back({state.classes.classes[number->cls].scope[level],
                            number->path[level]});
      continue;
    }
    std::optional<int64_t> shift = base(number->cls);
    put(number->cls);
    put(number->known | (shift ? 2 : 0));
    put(number->lower - shift.value_or(0));
  }
  put(-2);
  llvm::sort(iterations);
  iterations.erase(llvm::unique(iterations), iterations.end());
  for (auto [cls, iteration] : iterations) {
    std::optional<int64_t> shift = base(cls);
    put(cls);
    put(iteration - shift.value_or(0));
    writeIteration(cls, iteration, roles, numbers);
  }
  put(-3);
}

/// Writes those of the roles and numbers that are in an iteration of a loop.
void KeyWriter::writeIteration(unsigned cls, int64_t iteration,
                               ArrayRef<RoleId> roles,
                               ArrayRef<const Number *> numbers) {
  size_t level = path.size();
  llvm::SmallVector<RoleId, 8> innerRoles;
  for (RoleId role : roles) {
    const RoleState &roleState = state.machine.state.roles[role];
    if (roleState.frames.size() > level &&
        state.classes.classOf[roleState.frames[level].loop] == cls &&
        roleState.frames[level].iteration == iteration)
      innerRoles.push_back(role);
  }
  llvm::SmallVector<const Number *, 8> innerNumbers;
  for (const Number *number : numbers)
    if (number->path.size() > level && number->path[level] == iteration &&
        state.classes.classes[number->cls].scope[level] == cls)
      innerNumbers.push_back(number);
  scope.push_back(cls);
  path.push_back(iteration);
  writeTree(innerRoles, innerNumbers);
  path.pop_back();
  scope.pop_back();
}

void KeyWriter::writeObjects() {
  const MachineState &machine = state.machine.state;
  for (const PipeState &pipe : machine.pipes) {
    put(pipe.ring.size());
    for (const SlotState &slot : pipe.ring) {
      put(slot.fill | slot.broken << 1 | slot.asynchronous << 2);
      put(slot.pending | (slot.taken & slot.pending) << 16);
      put(slot.filled);
      put(slot.released);
    }
    for (const Knowledge &freed : pipe.free)
      put(freed);
  }
  for (const RoleState &role : machine.roles)
    put(role.known);
  for (const BarrierState &barrier : machine.barriers) {
    if (barrier.arrivals.empty())
      continue;
    int64_t least = *llvm::min_element(barrier.arrivals);
    for (int64_t count : barrier.arrivals)
      put(count - least);
    put(std::min<int64_t>(least, 1));
    for (const Knowledge &phase : barrier.phases)
      put(phase);
  }
  for (int64_t available : machine.pools)
    put(available);
}

std::string LazyState::makeKey() {
  llvm::erase_if(numbers, [&](const Number &number) {
    for (RoleId role = 0; role < code.roles.size(); ++role)
      if (mayUse(role, number))
        return false;
    return true;
  });
  llvm::sort(numbers, [](const Number &a, const Number &b) {
    return std::tie(a.cls, a.path) < std::tie(b.cls, b.path);
  });
  return KeyWriter(*this).write();
}

std::pair<const Number *, int64_t> LazyState::widest() const {
  const Number *widest = nullptr;
  int64_t width = -1;
  for (const Number &number : numbers) {
    if (boundsOf(number.cls).max != unbounded)
      continue;
    // Distance to the slowest role that may still use it; the number itself if
    // it has to be remembered.
    int64_t least = classes.classes[number.cls].uniform
                        ? number.lower
                        : boundsOf(number.cls).min;
    for (RoleId role = 0; role < code.roles.size(); ++role) {
      if (!mayUse(role, number))
        continue;
      int64_t iteration = 0;
      for (const Frame &frame : machine.state.roles[role].frames)
        if (classes.classOf[frame.loop] == number.cls)
          iteration = frame.iteration;
      least = std::min(least, iteration);
    }
    if (number.lower - least > width) {
      width = number.lower - least;
      widest = &number;
    }
  }
  return {widest, width};
}
