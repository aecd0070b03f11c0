//===- Composition.h - Writes a tile program, step by step ------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A tile program that grows by one operation at a time. Tiles are f32 and have
// named axes: two tiles fit together if their axes do, whatever their order, so
// the composer of a program chooses what is computed, and transposes,
// broadcasts and offsets follow.
//
//   axis   tile   tensors have    a tile begins at
//   item   64     208 elements    %m, of the work tile
//   whole  128    128             0: one tile has all of it
//   loop   64     336             %j, of the loop around it
//
// Every value knows how large its elements may be, and is scaled down when that
// is large, so that nothing overflows and bounds stay tight.

#ifndef DRAWLOOM_TOOLS_SUITE_COMPOSITION_H
#define DRAWLOOM_TOOLS_SUITE_COMPOSITION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace drawloom::suite {

struct Axis {
  enum class Kind { Item, Whole, Loop };
  Kind kind;
  int64_t tile, size;
  /// Where a tile begins: "%m", "0".
  std::string offset;
};

/// Axes by number; at most two.
using Axes = llvm::SmallVector<unsigned, 2>;

/// A tile. All are f32, but for the sums of products of i8 while they go on.
struct Value {
  std::string name;
  Axes axes;
  /// No element is larger.
  double largest;
  std::string type = "f32";
};

class Composition {
public:
  unsigned addAxis(Axis::Kind kind, int64_t tile, int64_t size);
  const Axis &getAxis(unsigned axis) const { return axes[axis]; }
  /// Work tiles have a batch, too: the outermost dimension of every output, and
  /// of the inputs that ask for it.
  void addBatch(int64_t size) { batch = size; }

  // Memory.

  /// A tile of a new input, in the order of `axes` in memory, as it is there.
  std::string loadRaw(const Axes &axes, llvm::StringRef type,
                      bool isBatched = false);
  /// The same as f32.
  Value load(const Axes &axes, llvm::StringRef type, bool isBatched = false);
  /// Into a new output of the type, f32, bf16 or f16.
  void store(const Value &value, llvm::StringRef type);

  // Operations.

  Value constant(const Axes &axes, double number);
  /// A sum of products of operands of that type, before the first of them.
  Value noProducts(const Axes &axes, llvm::StringRef type);
  /// An operation of one operand, such as "math.tanh".
  Value unary(llvm::StringRef op, const Value &value, double largest);
  /// An operation of two. Their axes are those of both, first those of `a`.
  Value binary(llvm::StringRef op, Value a, Value b, double largest);
  /// Element by element `a` where `predicate` holds of `x` and `y`, else `b`.
  Value select(llvm::StringRef predicate, const Value &x, const Value &y,
               const Value &a, const Value &b);
  /// The index along the axis in the tile, for the elements of a tile.
  Value index(unsigned axis);
  /// To the type and back: "bf16", "f16", "i32".
  Value roundTrip(llvm::StringRef type, const Value &value);
  Value reduce(llvm::StringRef kind, const Value &value, unsigned position);
  Value transpose(const Value &value);
  /// `part`, a new axis, from `offset` on, of the axis at `position`.
  Value slice(const Value &value, unsigned position, unsigned part,
              int64_t offset);
  /// sum + a b^T, of operands of that type, K last.
  Value multiply(llvm::StringRef a, llvm::StringRef b, llvm::StringRef type,
                 unsigned m, unsigned n, unsigned k, const Value &sum);
  /// A tile as an operand of that type; transposed if its axes are (k, m).
  std::string operand(std::string name, const Axes &axes, llvm::StringRef type,
                      bool transposed);
  std::string truncate(const Value &value, llvm::StringRef type);
  /// A sum of integers as f32.
  Value toFloat(const Value &sum);
  /// `value` with the axes in that order, repeated along those that it lacks.
  Value spread(const Value &value, const Axes &onto);
  /// Scaled by a power of two if it may be large.
  Value tame(const Value &value);

  /// Fields of the kernel's schedule; none leave all of it to the planner.
  void setSchedule(llvm::StringRef fields) { schedule = fields.str(); }
  bool hasSchedule() const { return !schedule.empty(); }

  // Loops.

  /// Walks the axis, which is in scope until the end. Gives what the body sees
  /// of the carried values.
  std::vector<Value> beginLoop(unsigned axis, llvm::ArrayRef<Value> carried);
  /// Gives what the loop leaves.
  std::vector<Value> endLoop(llvm::ArrayRef<Value> yielded);

  /// The whole kernel.
  std::string print() const;
  /// Sizes of the arguments, in their order.
  std::vector<std::vector<int64_t>> getShapes() const;

private:
  struct Argument {
    std::string name;
    Axes axes;
    std::string type;
    bool isBatched;
  };
  struct Loop {
    std::string results;
    std::vector<Value> values;
  };

  std::string tile(const Axes &axes, llvm::StringRef type) const;
  std::string view(const Argument &argument) const;
  std::string place(const Argument &argument) const;
  const Argument &addArgument(llvm::StringRef prefix, const Axes &axes,
                              llvm::StringRef type, bool isBatched);
  std::string newName() { return "%v" + std::to_string(names++); }
  void line(const llvm::Twine &text);
  /// Writes "%v7 = text" and returns the name.
  std::string define(const llvm::Twine &text);

  std::vector<Axis> axes;
  int64_t batch = 0;
  std::vector<Argument> arguments;
  std::vector<Loop> loops;
  std::string body, schedule;
  unsigned names = 0;
};

} // namespace drawloom::suite

#endif // DRAWLOOM_TOOLS_SUITE_COMPOSITION_H
