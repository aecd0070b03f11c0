//===- Composition.cpp - Writes a tile program, step by step --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composition.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace drawloom::suite;
using llvm::formatv;
using llvm::StringRef;
using llvm::Twine;

static bool isInteger(StringRef type) { return type.starts_with("i"); }

unsigned Composition::addAxis(Axis::Kind kind, int64_t tile, int64_t size) {
  std::string offset =
      kind == Axis::Kind::Whole ? "0" : "%x" + std::to_string(axes.size());
  axes.push_back({kind, tile, size, std::move(offset)});
  return axes.size() - 1;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void Composition::line(const Twine &text) {
  body += std::string(4 + 2 * loops.size(), ' ') + text.str() + "\n";
}

std::string Composition::define(const Twine &text) {
  std::string name = newName();
  line(name + " = " + text);
  return name;
}

std::string Composition::tile(const Axes &of, StringRef type) const {
  std::string result = "tensor<";
  for (unsigned axis : of)
    result += std::to_string(axes[axis].tile) + "x";
  return result + type.str() + ">";
}

std::string Composition::view(const Argument &argument) const {
  std::string result = "!tile.view<";
  if (argument.isBatched)
    result += "?x";
  for (unsigned axis : argument.axes)
    result += axes[axis].kind == Axis::Kind::Whole
                  ? std::to_string(axes[axis].size) + "x"
                  : "?x";
  return result + argument.type + ">";
}

/// "%A2[%b, %x0, 0]"
std::string Composition::place(const Argument &argument) const {
  std::vector<std::string> offsets;
  if (argument.isBatched)
    offsets.push_back("%b");
  for (unsigned axis : argument.axes)
    offsets.push_back(axes[axis].offset);
  return argument.name + "[" + llvm::join(offsets, ", ") + "]";
}

const Composition::Argument &Composition::addArgument(StringRef prefix,
                                                      const Axes &of,
                                                      StringRef type,
                                                      bool isBatched) {
  arguments.push_back({prefix.str() + std::to_string(arguments.size()), of,
                       type.str(), isBatched && batch});
  return arguments.back();
}

std::vector<std::vector<int64_t>> Composition::getShapes() const {
  std::vector<std::vector<int64_t>> shapes;
  for (const Argument &argument : arguments) {
    shapes.emplace_back();
    if (argument.isBatched)
      shapes.back().push_back(batch);
    for (unsigned axis : argument.axes)
      shapes.back().push_back(axes[axis].size);
  }
  return shapes;
}

std::string Composition::print() const {
  std::string text = "tile.kernel @composed(";
  text +=
      llvm::join(llvm::map_range(arguments,
                                 [&](const Argument &argument) {
                                   return argument.name + ": " + view(argument);
                                 }),
                 ", ");
  text += ")";
  if (hasSchedule())
    text += " attributes {tile.schedule = #tile.schedule<" + schedule + ">}";
  text += " {\n  %c0 = arith.constant 0 : index\n";
  std::vector<std::string> offsets, tiles, extents;
  // The size of an axis is that of the first argument that has it.
  auto addSize = [&](const std::string &name, const Argument &argument,
                     size_t dimension) {
    text += formatv("  {0} = tile.dim {1}, {2} : {3}\n", name, argument.name,
                    dimension, view(argument));
  };
  if (batch) {
    addSize("%batch",
            *llvm::find_if(
                arguments,
                [](const Argument &argument) { return argument.isBatched; }),
            0);
    offsets.push_back("%b");
    tiles.push_back("1");
    extents.push_back("%batch");
  }
  for (auto [number, axis] : llvm::enumerate(axes)) {
    if (axis.kind == Axis::Kind::Whole)
      continue;
    for (const Argument &argument : arguments) {
      auto found = llvm::find(argument.axes, number);
      if (found == argument.axes.end())
        continue;
      addSize(formatv("%size{0}", number), argument,
              (found - argument.axes.begin()) + argument.isBatched);
      break;
    }
    if (axis.kind == Axis::Kind::Item) {
      offsets.push_back(axis.offset);
      tiles.push_back(std::to_string(axis.tile));
      extents.push_back(formatv("%size{0}", number));
    } else {
      text += formatv("  %step{0} = arith.constant {1} : index\n", number,
                      axis.tile);
    }
  }
  text += formatv("  tile.for_each ({0}) tiles [{1}] of [{2}] {{\n",
                  llvm::join(offsets, ", "), llvm::join(tiles, ", "),
                  llvm::join(extents, ", "));
  return text + body + "  }\n}\n";
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::string Composition::loadRaw(const Axes &of, StringRef type,
                                 bool isBatched) {
  const Argument &argument = addArgument("%A", of, type, isBatched);
  return define("tile.load " + place(argument) + " : " + view(argument) +
                " -> " + tile(of, type));
}

Value Composition::load(const Axes &of, StringRef type, bool isBatched) {
  Value value = {loadRaw(of, type, isBatched), of, 1};
  if (type == "f32")
    return value;
  value.name = define(formatv("arith.{0} {1} : {2} to {3}",
                              isInteger(type) ? "sitofp" : "extf", value.name,
                              tile(of, type), tile(of, "f32")));
  value.largest = isInteger(type) ? 128 : 1;
  return tame(value);
}

void Composition::store(const Value &value, StringRef type) {
  std::string name = truncate(value, type);
  const Argument &argument =
      addArgument("%D", value.axes, type, /*isBatched=*/true);
  line("tile.store " + name + ", " + place(argument) + " : " +
       tile(value.axes, type) + ", " + view(argument));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Value Composition::constant(const Axes &of, double number) {
  return {define(formatv("arith.constant dense<{0:e}> : {1}", number,
                         tile(of, "f32"))),
          of, std::fabs(number)};
}

Value Composition::noProducts(const Axes &of, StringRef type) {
  if (type != "i8")
    return constant(of, 0);
  return {define("arith.constant dense<0> : " + tile(of, "i32")), of, 0, "i32"};
}

Value Composition::toFloat(const Value &sum) {
  if (sum.type == "f32")
    return sum;
  return {define("arith.sitofp " + sum.name + " : " + tile(sum.axes, sum.type) +
                 " to " + tile(sum.axes, "f32")),
          sum.axes, sum.largest};
}

Value Composition::tame(const Value &value) {
  if (value.largest <= 1024)
    return value;
  int power = int(std::ceil(std::log2(value.largest))) - 4;
  return binary("arith.mulf", value,
                constant(value.axes, std::ldexp(1.0, -power)),
                std::ldexp(value.largest, -power));
}

Value Composition::unary(StringRef op, const Value &value, double largest) {
  return {define(op + " " + value.name + " : " + tile(value.axes, "f32")),
          value.axes, largest};
}

Value Composition::spread(const Value &value, const Axes &onto) {
  Value result = value;
  if (result.axes.size() == 2 && result.axes != onto)
    result = transpose(result);
  if (result.axes == onto)
    return result;
  // A vector.
  bool isFirst = onto[0] == result.axes[0];
  int64_t length = axes[result.axes[0]].tile;
  std::string thin = isFirst ? formatv("tensor<{0}x1xf32>", length)
                             : formatv("tensor<1x{0}xf32>", length);
  result.name =
      define(formatv("tile.expand_dims {0} axis {1} : {2} -> {3}", result.name,
                     isFirst ? 1 : 0, tile(result.axes, "f32"), thin));
  result.name = define("tile.broadcast " + result.name + " : " + thin + " -> " +
                       tile(onto, "f32"));
  result.axes = onto;
  return result;
}

/// The axes of both, first those of the one that has more.
static Axes unite(const Axes &a, const Axes &b) {
  Axes result = a.size() >= b.size() ? a : b;
  for (unsigned axis : a.size() >= b.size() ? b : a)
    if (!llvm::is_contained(result, axis))
      result.push_back(axis);
  return result;
}

Value Composition::binary(StringRef op, Value a, Value b, double largest) {
  Axes onto = unite(a.axes, b.axes);
  a = spread(a, onto);
  b = spread(b, onto);
  return tame(
      {define(op + " " + a.name + ", " + b.name + " : " + tile(onto, "f32")),
       onto, largest});
}

Value Composition::select(StringRef predicate, const Value &x, const Value &y,
                          const Value &a, const Value &b) {
  Axes onto = unite(unite(x.axes, y.axes), unite(a.axes, b.axes));
  Value left = spread(x, onto), right = spread(y, onto);
  std::string holds = define("arith.cmpf " + predicate + ", " + left.name +
                             ", " + right.name + " : " + tile(onto, "f32"));
  Value yes = spread(a, onto), no = spread(b, onto);
  return {define("arith.select " + holds + ", " + yes.name + ", " + no.name +
                 " : " + tile(onto, "i1") + ", " + tile(onto, "f32")),
          onto, std::max(a.largest, b.largest)};
}

Value Composition::index(unsigned axis) {
  Axes of = {axis};
  std::string numbers = define("tile.iota : " + tile(of, "i32"));
  return {define("arith.sitofp " + numbers + " : " + tile(of, "i32") + " to " +
                 tile(of, "f32")),
          of, double(axes[axis].tile)};
}

Value Composition::roundTrip(StringRef type, const Value &value) {
  std::string narrow = truncate(value, type);
  return {define(formatv("arith.{0} {1} : {2} to {3}",
                         isInteger(type) ? "sitofp" : "extf", narrow,
                         tile(value.axes, type), tile(value.axes, "f32"))),
          value.axes, value.largest};
}

std::string Composition::truncate(const Value &value, StringRef type) {
  if (type == "f32")
    return value.name;
  return define(formatv("arith.{0} {1} : {2} to {3}",
                        isInteger(type) ? "fptosi" : "truncf", value.name,
                        tile(value.axes, "f32"), tile(value.axes, type)));
}

Value Composition::reduce(StringRef kind, const Value &value,
                          unsigned position) {
  Axes rest = value.axes;
  rest.erase(rest.begin() + position);
  double count = kind == "addf" ? axes[value.axes[position]].tile : 1;
  return tame({define(formatv("tile.reduce {0} {1} axis {2} : {3} -> {4}", kind,
                              value.name, position, tile(value.axes, "f32"),
                              tile(rest, "f32"))),
               rest, count * value.largest});
}

Value Composition::transpose(const Value &value) {
  Axes turned = {value.axes[1], value.axes[0]};
  return {define("tile.transpose " + value.name + " [1, 0] : " +
                 tile(value.axes, "f32") + " -> " + tile(turned, "f32")),
          turned, value.largest};
}

Value Composition::slice(const Value &value, unsigned position, unsigned part,
                         int64_t offset) {
  Axes cut = value.axes;
  cut[position] = part;
  std::vector<std::string> offsets(cut.size(), "0");
  offsets[position] = std::to_string(offset);
  return {define("tile.extract_slice " + value.name + " [" +
                 llvm::join(offsets, ", ") + "] : " + tile(value.axes, "f32") +
                 " -> " + tile(cut, "f32")),
          cut, value.largest};
}

std::string Composition::operand(std::string name, const Axes &of,
                                 StringRef type, bool transposed) {
  if (!transposed)
    return name;
  return define("tile.transpose " + name + " [1, 0] : " + tile(of, type) +
                " -> " + tile({of[1], of[0]}, type));
}

Value Composition::multiply(StringRef a, StringRef b, StringRef type,
                            unsigned m, unsigned n, unsigned k,
                            const Value &sum) {
  return {define("tile.mma " + a + ", " + b + ", " + sum.name +
                 (type == "f32" ? " tf32" : "") + " : " + tile({m, k}, type) +
                 ", " + tile({n, k}, type) + " -> " + tile({m, n}, sum.type)),
          {m, n},
          // Numbers below 1, and integers below 128.
          sum.largest + double(axes[k].tile) * (type == "i8" ? 16384 : 1),
          sum.type};
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::vector<Value> Composition::beginLoop(unsigned axis,
                                          llvm::ArrayRef<Value> carried) {
  std::vector<Value> inside(carried.begin(), carried.end());
  std::vector<std::string> pairs, types;
  for (Value &value : inside) {
    std::string name = newName();
    pairs.push_back(name + " = " + value.name);
    types.push_back(tile(value.axes, value.type));
    value.name = name;
  }
  std::string results = newName();
  line(formatv("{0}:{1} = scf.for {2} = %c0 to %size{3} step %step{3} "
               "iter_args({4}) -> ({5}) {{",
               results, inside.size(), axes[axis].offset, axis,
               llvm::join(pairs, ", "), llvm::join(types, ", ")));
  loops.push_back({results, inside});
  return inside;
}

std::vector<Value> Composition::endLoop(llvm::ArrayRef<Value> yielded) {
  std::vector<std::string> names, types;
  std::vector<Value> left(yielded.begin(), yielded.end());
  for (auto [number, value] : llvm::enumerate(left)) {
    names.push_back(value.name);
    types.push_back(tile(value.axes, value.type));
    value.name = loops.back().results + "#" + std::to_string(number);
  }
  line("scf.yield " + llvm::join(names, ", ") + " : " +
       llvm::join(types, ", "));
  loops.pop_back();
  line("}");
  return left;
}
