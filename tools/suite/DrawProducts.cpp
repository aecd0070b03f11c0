//===- DrawProducts.cpp - Products, and loops that carry tiles ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Draw.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom::suite;
using llvm::StringRef;

/// An operand of a product from memory: as it is, or computed.
std::string Draw::drawOperand(unsigned rows, unsigned k, StringRef type) {
  bool isTransposed = (type == "bf16" || type == "f16") && oneIn(3);
  Axes axes = {rows, k};
  if (isTransposed)
    std::swap(axes[0], axes[1]);
  std::string name;
  if ((type == "bf16" || type == "f16") && oneIn(4)) {
    static constexpr const char *types[] = {"f32", "bf16", "i8", "f8E4M3FN"};
    Value x = program.load(axes, pick(types));
    if (x.largest > 1 || oneIn(2))
      x = program.unary("math.tanh", scaleDown(x), 1);
    name = program.truncate(x, type);
  } else {
    name = program.loadRaw(axes, type, oneIn(2));
  }
  return program.operand(std::move(name), axes, type, isTransposed);
}

void Draw::addProduct() {
  static constexpr const char *types[] = {"bf16", "bf16", "bf16",     "f16",
                                          "f16",  "f32",  "f8E4M3FN", "i8"};
  StringRef type = pick(types);
  int64_t bytes = type == "f32"                        ? 4
                  : type == "i8" || type == "f8E4M3FN" ? 1
                                                       : 2;
  int64_t tile = (int64_t(32) << below(3)) / bytes;
  unsigned k = program.addAxis(Axis::Kind::Loop, tile, drawSize(tile));
  Axes axes = {m, n};
  // Rows of a product are those of an instruction.
  if (program.getAxis(n).tile % 64 == 0 && oneIn(4))
    std::swap(axes[0], axes[1]);
  Value sum = program.noProducts(axes, type);
  std::vector<Value> carried = program.beginLoop(k, sum);
  std::string a = drawOperand(axes[0], k, type);
  std::string b = drawOperand(axes[1], k, type);
  Value next = program.multiply(a, b, type, axes[0], axes[1], k, carried[0]);
  Value end = program.endLoop(next)[0];
  // Numbers of any sign don't add up to what they could.
  end = program.toFloat(end);
  end.largest = type == "i8" ? 65536 : 64;
  add(program.tame(end));
}

/// A product whose first operand was computed, along an axis that a tile has
/// whole or that the loop walks.
void Draw::addChainedProduct() {
  auto getInner = [&](const Value &value) -> std::optional<unsigned> {
    if (value.axes.size() != 2 || value.axes[0] != m ||
        program.getAxis(value.axes[1]).tile % 16)
      return std::nullopt;
    unsigned inner = value.axes[1];
    if (inner == j || program.getAxis(inner).kind == Axis::Kind::Whole)
      return inner;
    return std::nullopt;
  };
  Value *chosen =
      choose([&](const Value &value) { return getInner(value).has_value(); });
  if (!chosen)
    return addBinary();
  Value x = *chosen;
  unsigned inner = *getInner(x);
  StringRef type = oneIn(3) ? "f16" : "bf16";
  std::string a =
      program.truncate(program.unary("math.tanh", scaleDown(x), 1), type);
  unsigned columns = n;
  if (program.getAxis(n).kind == Axis::Kind::Whole && oneIn(2))
    columns = program.addAxis(Axis::Kind::Whole, 64, 64);
  std::string b = drawOperand(columns, inner, type);
  Value sum = program.noProducts({m, columns}, type);
  Value product = program.multiply(a, b, type, m, columns, inner, sum);
  add(program.tame(product));
}

void Draw::addLoop() {
  if (hasLoop)
    return addBinary();
  hasLoop = true;
  static constexpr int64_t tiles[] = {16, 32, 64};
  int64_t tile = pick(tiles);
  j = program.addAxis(Axis::Kind::Loop, tile, drawSize(tile));
  std::vector<Value> carried;
  unsigned count = 1 + below(2);
  for (unsigned i = 0; i != count; ++i) {
    Axes of = {m, n};
    if (oneIn(2))
      of = {oneIn(3) ? n : m};
    Value *start = choose([&](const Value &value) { return value.axes == of; });
    carried.push_back(start && oneIn(2) ? *start
                                        : program.constant(of, below(2)));
    // Of what the loop adds; trips are few.
    carried.back().largest = 64;
  }
  size_t outside = known.size();
  std::vector<Value> inside = program.beginLoop(*j, carried);
  for (const Value &value : inside)
    add(value);
  add(program.load({m, *j}, oneIn(2) ? "bf16" : "f32"));
  unsigned steps = 2 + below(5);
  for (unsigned i = 0; i != steps; ++i)
    step();
  if (Value *stored = oneIn(3) ? choose([&](const Value &value) {
        return llvm::is_contained(value.axes, *j) && canBeStored(value);
      })
                               : nullptr) {
    program.store(*stored, oneIn(2) ? "f32" : "bf16");
    hasStores = true;
  }
  std::vector<Value> yielded;
  for (const Value &value : inside) {
    // Something of the iteration, brought to the axes of the carried tile.
    Value x = *choose([&](const Value &other) {
      return fit(value, other) || llvm::is_contained(other.axes, *j);
    });
    if (x.axes == Axes{*j})
      x = program.spread(x, {m, *j});
    for (unsigned i = 0; i < x.axes.size();)
      if (llvm::is_contained(value.axes, x.axes[i])) {
        ++i;
      } else {
        if (x.axes.size() == 1)
          break;
        x = program.reduce(oneIn(3) ? "maximumf" : "addf", x, i);
      }
    if (!llvm::all_of(x.axes, [&](unsigned axis) {
          return llvm::is_contained(value.axes, axis);
        }))
      x = value;
    // It may have been made of the carried tile, and more than that.
    x = program.binary("arith.minimumf", x, program.constant(x.axes, 32), 32);
    x = program.binary("arith.maximumf", x, program.constant(x.axes, -32), 32);
    Value next =
        oneIn(2) ? program.binary("arith.maximumf", value, x, 64)
                 : program.binary(
                       "arith.addf",
                       program.binary("arith.mulf", value,
                                      program.constant(value.axes, 0.5), 32),
                       program.binary("arith.mulf", x,
                                      program.constant(value.axes, 0.25), 32),
                       64);
    yielded.push_back(next);
  }
  std::vector<Value> left = program.endLoop(yielded);
  known.resize(outside);
  j.reset();
  for (const Value &value : left)
    add(value);
}
