//===- KernelInfo.h - How a compiled kernel is called -----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch of a compiled kernel has to know, besides its code. The
// caller thinks in the arguments of the tile program; the code takes parameters
// that are made from them:
//
//   arguments   A: ?x?xbf16    alpha: f32
//                  │  │              │
//   parameters  map of A (box, swizzle)   size 1 of A   alpha
//
// The compiler fills this in, and it is written next to the code as JSON, so
// that a program can launch a kernel without the compiler.
//
// Invariant of one that was read: every number in it is in range (arguments,
// dimensions, boxes) and every formula can be computed, so a launch checks only
// what the tensors bring.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_RUNTIME_KERNELINFO_H
#define DRAWLOOM_RUNTIME_KERNELINFO_H

#include "drawloom/Runtime/ElementType.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <array>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace drawloom::runtime {

/// A size that is known only at the launch.
constexpr int64_t dynamicSize = -1;

/// An argument of the tile program: a view of a tensor, or a scalar.
struct ArgumentInfo {
  /// As the program calls it.
  std::string name;
  ElementType type = nullptr;
  bool isView = false;
  /// Of a view, the outermost first; `dynamicSize` for sizes that the launch
  /// brings.
  llvm::SmallVector<int64_t, 4> shape = {};
  /// Of a view that declares them, in elements; `dynamicSize` as above. One
  /// that doesn't has its last dimension's elements next to each other.
  llvm::SmallVector<int64_t, 4> strides = {};

  /// What the stride of a dimension has to be, or `dynamicSize`.
  int64_t getStride(size_t dimension) const;

  bool operator==(const ArgumentInfo &) const = default;
};

/// A parameter of the code.
struct Parameter {
  enum class Kind {
    TensorMap, ///< Of the argument's tensor, 128 bytes by value.
    Pointer,   ///< To the tensor's first element.
    Size,      ///< Of the tensor, in `dimension`.
    Stride,    ///< Of the tensor, in `dimension`, in elements.
    Scalar,    ///< The argument itself.
    Workspace, ///< To memory of the launch's own, zero when it begins.
  };

  Kind kind = Kind::Scalar;
  unsigned argument = 0;
  unsigned dimension = 0;
  /// Of an integer parameter: sizes, strides, pointers and integer scalars. Of
  /// a workspace, those that it has.
  unsigned bytes = 4;
  /// Of a tensor map: elements, the innermost dimension first.
  llvm::SmallVector<uint32_t, 5> box = {};
  /// Of a tensor map, in bytes: 0, 32, 64 or 128.
  unsigned swizzle = 0;
  /// Of a tensor map: bytes that the swizzle moves together, 16 or 32.
  unsigned atom = 16;
};

/// A factor of the number of work tiles: a constant, or how many tiles a size
/// of an argument is cut into.
struct ItemFactor {
  /// The size, if there is one.
  std::optional<unsigned> argument = std::nullopt;
  unsigned dimension = 0;
  /// The extent of a tile; without an argument, the factor itself.
  int64_t tile = 1;
};

/// How the CTAs of a launch get their work tiles.
struct ItemsInfo {
  enum class Kind {
    Static,  ///< Each takes every C-th, C being the number of CTAs.
    One,     ///< Each takes one.
    Dynamic, ///< The hardware hands them out; there is a CTA for each.
    Counted, ///< Each takes one, and then what a counter in the workspace says.
  };

  Kind kind = Kind::Static;
  /// The number of items is the product. Nothing if only the kernel can tell.
  std::optional<std::vector<ItemFactor>> count = std::nullopt;
};

/// A step of a formula in reverse Polish notation: it pushes a number, or takes
/// two and pushes what it makes of them.
struct FormulaStep {
  enum class Kind {
    Number,   ///< `value`.
    Size,     ///< Of the argument's tensor, in `dimension`.
    Scalar,   ///< The argument itself, an integer.
    Add,      ///< a + b
    Multiply, ///< a * b
    Modulo,   ///< What is left of a when b is taken away often enough.
    FloorDiv, ///< a / b, rounded down.
    CeilDiv,  ///< a / b, rounded up.
  };

  Kind kind = Kind::Number;
  int64_t value = 0;
  unsigned argument = 0;
  unsigned dimension = 0;

  bool isOperand() const { return kind <= Kind::Scalar; }
  bool divides() const { return kind >= Kind::Modulo; }
};

/// A number that a launch computes from its sizes. What comes out below 0
/// counts as 0: it is how often a loop runs.
struct Formula {
  /// What messages call it: "ceil(dim 1 of A / 64)".
  std::string words;
  std::vector<FormulaStep> steps;
};

/// A formula and what it may be.
struct Bound {
  unsigned formula = 0;
  int64_t least = 0;
  int64_t most = INT64_MAX;
};

/// The sizes for which a kernel is proved deadlock-free.
struct LaunchCondition {
  /// "ceil(dim 1 of A / 64) >= 1"
  std::string words;
  std::vector<Formula> formulas;
  /// It holds if all bounds of one of the cases do.
  std::vector<std::vector<Bound>> cases;
};

struct KernelInfo {
  /// Of the entry in the module.
  std::string name;
  /// "sm_100a"
  std::string target;
  std::vector<ArgumentInfo> arguments;
  std::vector<Parameter> parameters;
  ItemsInfo items;
  unsigned threads = 0;
  /// CTAs of a cluster.
  std::array<unsigned, 3> cluster = {1, 1, 1};
  /// Dynamic shared memory of a CTA.
  unsigned sharedBytes = 0;
  /// Nothing if the kernel ends whatever the sizes are.
  std::optional<LaunchCondition> condition = std::nullopt;
  /// A kernel of the same module and program with smaller clusters and the same
  /// tile, for launches that this one doesn't suit; at most one.
  std::vector<KernelInfo> fallback = {};

  unsigned clusterSize() const { return cluster[0] * cluster[1] * cluster[2]; }
};

/// One JSON object; docs/Run.md has the fields.
void writeJson(const KernelInfo &kernel, llvm::raw_ostream &os);

/// Reads what writeJson wrote, or a person did. The error names the field.
llvm::Expected<KernelInfo> readKernelInfo(llvm::StringRef json);

/// "A: ?x?xbf16", "B: ?x208xbf16, strides [209, 1]"
std::string describe(const ArgumentInfo &argument);

} // namespace drawloom::runtime

#endif // DRAWLOOM_RUNTIME_KERNELINFO_H
