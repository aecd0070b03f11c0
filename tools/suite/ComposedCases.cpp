//===- ComposedCases.cpp - Programs that are drawn ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComposedCases.h"
#include "Draw.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom::suite;
using llvm::StringRef;

/// Rows that TMA can copy are multiples of 16 bytes long, in every array.
int64_t Draw::drawSize(int64_t tile) {
  return 16 * (1 + below(std::max<int64_t>(3 * tile / 16, 2)));
}

void Draw::drawAxes() {
  hasProducts = !oneIn(3);
  static constexpr int64_t rows[] = {64, 128, 128};
  static constexpr int64_t columns[] = {16, 32, 48, 64, 64, 96, 128};
  static constexpr int64_t freeRows[] = {4, 8, 16, 32, 64};
  static constexpr int64_t freeColumns[] = {16, 32, 64, 128, 256};
  int64_t tileM = hasProducts ? pick(rows) : pick(freeRows);
  int64_t tileN = hasProducts ? pick(columns) : pick(freeColumns);
  m = program.addAxis(Axis::Kind::Item, tileM, drawSize(tileM));
  bool isWhole = oneIn(2);
  n = program.addAxis(isWhole ? Axis::Kind::Whole : Axis::Kind::Item, tileN,
                      isWhole ? tileN : drawSize(tileN));
  if (oneIn(5))
    program.addBatch(1 + below(3));
}

Value *Draw::choose(llvm::function_ref<bool(const Value &)> fits) {
  std::vector<Known *> fresh, all;
  for (Known &one : known)
    if (fits(one.value)) {
      all.push_back(&one);
      if (!one.isUsed)
        fresh.push_back(&one);
    }
  if (all.empty())
    return nullptr;
  const std::vector<Known *> &from = fresh.empty() || oneIn(4) ? all : fresh;
  Known *chosen = from[below(from.size())];
  chosen->isUsed = true;
  return &chosen->value;
}

void Draw::addLoad() {
  static constexpr const char *types[] = {"f32", "bf16", "bf16",
                                          "f16", "i8",   "f8E4M3FN"};
  Axes axes;
  switch (below(5)) {
  case 0:
    axes = {j && oneIn(2) ? *j : m};
    break;
  case 1:
    axes = {n};
    break;
  default: {
    axes = {m, j && oneIn(2) ? *j : n};
    if (oneIn(4))
      std::swap(axes[0], axes[1]);
  }
  }
  add(program.load(axes, pick(types), oneIn(2)));
}

Value Draw::scaleDown(const Value &value) {
  if (value.largest <= 4)
    return value;
  return program.binary("arith.mulf", value,
                        program.constant(value.axes, 4 / value.largest), 4);
}

void Draw::addUnary() {
  Value *chosen = choose();
  if (!chosen)
    return addLoad();
  Value x = *chosen;
  unsigned kind = below(12);
  // All that is steep, or has a divisor.
  if (kind < 7)
    x = scaleDown(x);
  switch (kind) {
  case 0:
    return add(program.unary("math.tanh", x, 1));
  case 1:
    return add(program.unary("math.erf", x, 1));
  case 2:
    return add(program.unary(oneIn(2) ? "math.sin" : "math.cos", x, 1));
  case 3:
    return add(program.unary("math.log1p",
                             program.unary("math.absf", x, x.largest), 2));
  case 4:
    return add(program.unary("math.exp", x, 64));
  case 5: { // x / (1 + exp(-x))
    Value e = program.unary("math.exp",
                            program.unary("arith.negf", x, x.largest), 64);
    Value divisor =
        program.binary("arith.addf", e, program.constant(x.axes, 1), 64);
    return add(program.binary("arith.divf", x, divisor, x.largest));
  }
  case 6: { // x / sqrt(x^2 + 1)
    Value square = program.binary("arith.mulf", x, x, 16);
    Value sum =
        program.binary("arith.addf", square, program.constant(x.axes, 1), 17);
    return add(program.binary("arith.mulf", x,
                              program.unary("math.rsqrt", sum, 1), 1));
  }
  case 7:
    return add(program.unary("arith.negf", x, x.largest));
  case 8:
    return add(program.unary("math.absf", x, x.largest));
  case 9:
    return add(program.roundTrip(oneIn(2) ? "bf16" : "f16", x));
  case 10:
    return add(program.roundTrip(
        "i32", program.binary("arith.mulf", x, program.constant(x.axes, 8),
                              8 * x.largest)));
  default:
    return add(program.unary(oneIn(2) ? "math.floor" : "math.sqrt",
                             program.unary("math.absf", x, x.largest),
                             x.largest + 1));
  }
}

bool Draw::fit(const Value &a, const Value &b) {
  Axes all = a.axes;
  for (unsigned axis : b.axes)
    if (!llvm::is_contained(all, axis))
      all.push_back(axis);
  return all.size() <= 2;
}

Value Draw::combine(const Value &a, const Value &b) {
  switch (below(6)) {
  case 0:
    return program.binary("arith.subf", a, b, a.largest + b.largest);
  case 1:
    return program.binary("arith.mulf", a, b, a.largest * b.largest);
  case 2:
    return program.binary(oneIn(2) ? "arith.maximumf" : "arith.minimumf", a, b,
                          std::max(a.largest, b.largest));
  case 3: { // a / (1 + |b|)
    Value size = program.unary("math.absf", scaleDown(b), 4);
    Value divisor =
        program.binary("arith.addf", size, program.constant(b.axes, 1), 5);
    return program.binary("arith.divf", a, divisor, a.largest);
  }
  default:
    return program.binary("arith.addf", a, b, a.largest + b.largest);
  }
}

void Draw::addBinary() {
  Value *first = choose();
  if (!first)
    return addLoad();
  Value a = *first;
  Value *second =
      choose([&](const Value &b) { return fit(a, b) && a.name != b.name; });
  Value b = second ? *second : a;
  add(combine(a, b));
}

void Draw::addSelect() {
  Value *first = choose();
  if (!first)
    return addLoad();
  Value a = *first;
  Value b = *choose([&](const Value &other) { return fit(a, other); });
  if (a.axes.size() == 2 && oneIn(2)) // below the diagonal, or in a corner
    return add(program.select("ole", program.index(a.axes[0]),
                              program.index(a.axes[1]), a, fit(a, b) ? b : a));
  Value limit = program.constant(a.axes, 0.25);
  add(program.select(oneIn(2) ? "ogt" : "ult", a, limit, a, b));
}

void Draw::addReduction() {
  static constexpr const char *kinds[] = {"addf", "addf", "maximumf",
                                          "minimumf"};
  Value *chosen =
      choose([](const Value &value) { return value.axes.size() == 2; });
  if (!chosen)
    return addLoad();
  Value x = *chosen;
  add(program.reduce(pick(kinds), x, below(2)));
}

/// Both halves of a tile, which go into one again; summed up if they can't be
/// stored.
void Draw::addSlices() {
  Value *chosen = choose([&](const Value &value) {
    return value.axes.size() == 2 && llvm::any_of(value.axes, [&](unsigned a) {
             return program.getAxis(a).tile >= 16;
           });
  });
  if (!chosen)
    return addLoad();
  Value x = *chosen;
  unsigned position = below(2);
  if (program.getAxis(x.axes[position]).tile < 16)
    position = 1 - position;
  int64_t half = program.getAxis(x.axes[position]).tile / 2;
  unsigned part = program.addAxis(Axis::Kind::Whole, half, half);
  Value low = program.slice(x, position, part, 0);
  Value high = program.slice(x, position, part, half);
  Value both = combine(low, high);
  if (program.getAxis(x.axes[position]).kind == Axis::Kind::Whole && oneIn(2))
    return add(both);
  add(program.reduce("addf", both, position));
}

void Draw::step() {
  switch (below(hasProducts ? 16 : 13)) {
  case 0:
  case 1:
    return addLoad();
  case 2:
  case 3:
  case 4:
    return addUnary();
  case 5:
  case 6:
    return addBinary();
  case 7:
    return addSelect();
  case 8:
  case 9:
    return addReduction();
  case 10:
    return addSlices();
  case 11:
  case 12:
    return j ? addReduction() : addLoop();
  case 13:
    return j && !oneIn(3) ? addChainedProduct() : addProduct();
  default:
    return addChainedProduct();
  }
}

/// One that tells each work tile, and nothing else, apart.
bool Draw::canBeStored(const Value &value) const {
  auto has = [&](unsigned axis) {
    return llvm::is_contained(value.axes, axis);
  };
  return has(m) && (program.getAxis(n).kind == Axis::Kind::Whole || has(n));
}

/// Stores up to three of the values that nothing was made of; what is left of
/// them goes into the last one.
void Draw::storeResults() {
  std::vector<Value> left;
  for (const Known &one : known)
    if (!one.isUsed)
      left.push_back(one.value);
  std::vector<Value> results, rest;
  for (const Value &value : left)
    (canBeStored(value) ? results : rest).push_back(value);
  if (results.empty() && (!hasStores || !rest.empty()))
    results.push_back(program.load({m, n}, "bf16"));
  size_t most = 1 + below(3);
  while (results.size() > most) {
    rest.push_back(results.back());
    results.pop_back();
  }
  for (const Value &value : rest)
    for (Value &result : results)
      if (fit(result, value)) {
        result = combine(result, value);
        break;
      }
  static constexpr const char *types[] = {"f32", "bf16", "bf16", "f16"};
  for (const Value &result : results)
    program.store(result, pick(types));
}

void Draw::drawSchedule() {
  static constexpr const char *schedules[] = {
      "",
      "",
      "persistent = none",
      "persistent = dynamic",
      "cluster = auto",
      "cluster = auto, persistent = none",
      "cluster = auto, persistent = dynamic"};
  program.setSchedule(pick(schedules));
}

Composition Draw::run() {
  drawAxes();
  if (hasProducts && !oneIn(4))
    addProduct();
  else
    addLoad();
  unsigned steps = 2 + below(7);
  for (unsigned i = 0; i != steps; ++i)
    step();
  storeResults();
  drawSchedule();
  return std::move(program);
}

std::vector<Case> drawloom::suite::makeComposedCases(StringRef arch,
                                                     uint64_t seed,
                                                     unsigned count) {
  std::vector<Case> cases;
  for (unsigned number = 0; number != count; ++number) {
    Composition program = Draw(seed * 1000003 + number).run();
    Case made;
    made.name =
        llvm::formatv("{0}-{1}-{2,0+4}", arch, seed, std::to_string(number));
    made.arch = arch.str();
    made.program = program.print();
    made.shapes = program.getShapes();
    // Few, so that a CTA has several items, unless the schedule has a say.
    made.ctas = program.hasSchedule() ? 0 : 1 + number % 3;
    made.seed = number;
    made.mayBeRejected = true;
    cases.push_back(std::move(made));
  }
  return cases;
}
