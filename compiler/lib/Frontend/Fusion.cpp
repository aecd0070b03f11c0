//===- Fusion.cpp - A fused kernel, written in C++ ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Frontend/Fusion.h"
#include "FusionGraph.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace drawloom;
using namespace drawloom::frontend;
using llvm::Twine;

namespace {
struct TypeRow {
  llvm::StringLiteral name;
  unsigned bits;
  bool isFloat;
};
} // namespace

/// In the order of DataType.
static constexpr TypeRow typeRows[] = {
    {"f32", 32, true},     {"f16", 16, true},   {"bf16", 16, true},
    {"f8E4M3FN", 8, true}, {"f8E5M2", 8, true}, {"i32", 32, false},
    {"i8", 8, false},
};

llvm::StringRef frontend::toString(DataType type) {
  return typeRows[static_cast<unsigned>(type)].name;
}
bool frontend::isFloat(DataType type) {
  return typeRows[static_cast<unsigned>(type)].isFloat;
}
unsigned frontend::getBits(DataType type) {
  return typeRows[static_cast<unsigned>(type)].bits;
}

std::string Size::print() const {
  return isStatic() ? std::to_string(value) : name.empty() ? "?" : name;
}

static std::string print(llvm::ArrayRef<Size> shape) {
  return "[" +
         llvm::join(llvm::map_range(
                        shape, [](const Size &size) { return size.print(); }),
                    ", ") +
         "]";
}

llvm::ArrayRef<Size> Tensor::shape() const { return graph->get(*this).shape; }
DataType Tensor::type() const { return graph->get(*this).type; }

std::string FusionGraph::describeError(Where at, const Twine &message) const {
  return (llvm::sys::path::filename(at.file) + ":" + Twine(at.line) +
          ": fusion '" + name + "': " + message + " [fusion]")
      .str();
}

void FusionGraph::fail(Where at, const Twine &message) {
  if (error.empty())
    error = describeError(at, message);
}

std::string FusionGraph::describe(unsigned node) const {
  const Node &n = nodes[node];
  std::string shape = print(n.shape);
  return n.kind == NodeKind::Input ? "'" + n.name + "' " + shape
                                   : "a tensor " + shape;
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

static bool isName(llvm::StringRef text) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !text.empty() && !llvm::isDigit(text.front()) &&
         llvm::all_of(text, isPart);
}

static constexpr llvm::StringLiteral nameRule =
    ": a name is made of the letters A to Z and a to z, digits and _, and "
    "begins with no digit";

Fusion::Fusion(llvm::StringRef name, Where where)
    : graph(new FusionGraph{name.str(), where}) {
  if (!isName(name))
    graph->fail(where, "the fusion's name" + nameRule);
}
Fusion::~Fusion() = default;

Tensor Fusion::input(llvm::StringRef name, llvm::ArrayRef<Size> shape,
                     DataType type, Where where) {
  for (const Node &node : graph->nodes)
    if (node.kind == NodeKind::Input && node.name == name)
      graph->fail(where, "input '" + name + "' is declared twice");
  if (name.empty())
    graph->fail(where, "an input has no name: pipes are named after inputs");
  else if (!isName(name))
    graph->fail(where, "input '" + name + "'" + nameRule);
  for (const Size &size : shape)
    if (size.value == 0 || size.value < Size::dynamic)
      graph->fail(where, "input '" + name + "' " + print(shape) +
                             " has a size of " + Twine(size.value) +
                             ": write a number from 1, a name, or -1");
    else if (!size.name.empty() && !isName(size.name))
      graph->fail(where, "input '" + name + "' has a size '" + size.name + "'" +
                             nameRule);
  Node node = {NodeKind::Input, type, {shape.begin(), shape.end()}, where};
  node.name = name.str();
  return graph->add(std::move(node));
}

void Fusion::output(llvm::StringRef name, Tensor tensor, Where where) {
  if (&FusionGraph::of(tensor) != graph.get())
    return graph->fail(where,
                       "output '" + name + "' belongs to another fusion");
  bool isTaken =
      llvm::any_of(graph->nodes,
                   [&](const Node &node) {
                     return node.kind == NodeKind::Input && node.name == name;
                   }) ||
      llvm::any_of(graph->outputs, [&](const FusionGraph::Output &output) {
        return output.name == name;
      });
  if (isTaken || name.empty())
    return graph->fail(where, "output '" + name +
                                  "': an output needs a name of its own");
  if (!isName(name))
    return graph->fail(where, "output '" + name + "'" + nameRule);
  graph->outputs.push_back({name.str(), FusionGraph::index(tensor)});
}

void Fusion::target(llvm::StringRef name) { graph->target = name.str(); }

llvm::StringRef Fusion::error() const { return graph->error; }

tile::Schedule &Fusion::schedule() { return graph->schedule; }

void Fusion::circularBuffer(llvm::ArrayRef<Tensor> tensors, int64_t slots,
                            Where where) {
  std::vector<std::string> names;
  for (Tensor tensor : tensors) {
    if (&FusionGraph::of(tensor) != graph.get())
      return graph->fail(where, "circularBuffer: a tensor belongs to another "
                                "fusion");
    const Node &node = graph->get(tensor);
    if (node.kind == NodeKind::Input)
      names.push_back(node.name);
    else if (node.kind == NodeKind::Matmul)
      names.push_back("result");
    else
      return graph->fail(
          where,
          "circularBuffer: " + graph->describe(FusionGraph::index(tensor)) +
              " is neither an input nor a product, so no pipe is named "
              "after it; write schedule().slots with the pipe's name");
  }
  for (const std::string &name : names)
    graph->schedule.slots.emplace_back(name, slots);
  if (names.size() > 1)
    graph->schedule.together.push_back(std::move(names));
}

llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
Fusion::build(mlir::MLIRContext &context) const {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  if (llvm::Error error = buildInto(*module))
    return std::move(error);
  return module;
}

/// What keeps the graph as it is now from being built, if anything: the first
/// mistake, or something that may still be said.
static std::string findError(const FusionGraph &graph) {
  if (!graph.error.empty())
    return graph.error;
  if (graph.outputs.empty())
    return graph.describeError(graph.where,
                               "has no output: call output() for each tensor "
                               "that the kernel shall store");
  if (!graph.target.empty()) {
    llvm::Expected<const target::Architecture *> arch =
        target::findArchitecture(graph.target);
    if (!arch)
      return graph.describeError(graph.where, llvm::toString(arch.takeError()));
  }
  if (std::string error = graph.schedule.findError(); !error.empty())
    return graph.describeError(graph.where, "schedule: " + error);
  return "";
}

llvm::Error Fusion::buildInto(mlir::ModuleOp module) const {
  if (mlir::SymbolTable::lookupSymbolIn(module, graph->name))
    return llvm::createStringError("the module already has a '" + graph->name +
                                   "' [fusion]");
  if (std::string error = findError(*graph); !error.empty())
    return llvm::createStringError(error);
  emitLinalg(*graph, module);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// What is known of two sizes that must be one; nothing if they differ.
static std::optional<Size> unify(const Size &a, const Size &b) {
  if (a.isStatic() && b.isStatic())
    return a.value == b.value ? std::optional(a) : std::nullopt;
  if (a.isStatic() || b.isStatic()) {
    const Size &known = a.isStatic() ? a : b, &open = a.isStatic() ? b : a;
    return open.name.empty() ? std::optional(known) : std::nullopt;
  }
  if (!a.name.empty() && !b.name.empty() && a.name != b.name)
    return std::nullopt;
  return a.name.empty() ? b : a;
}

/// The graph of both operands. Tensors of two fusions are an error of the
/// first, which then goes on with its own.
static FusionGraph &join(Tensor a, Tensor &b, Where where) {
  FusionGraph &graph = FusionGraph::of(a);
  if (&FusionGraph::of(b) != &graph) {
    graph.fail(where, "an operand belongs to another fusion");
    b = a;
  }
  return graph;
}

/// A node without a meaning, after an error.
static Tensor poison(FusionGraph &graph, Tensor like) {
  return graph.add(Node(graph.get(like)));
}

Tensor frontend::matmul(Tensor a, Tensor b, Where where) {
  FusionGraph &graph = join(a, b, where);
  llvm::SmallVector<Size, 3> left(a.shape()), right(b.shape());
  auto fail = [&](const Twine &why) {
    graph.fail(where, "matmul of " + graph.describe(FusionGraph::index(a)) +
                          " and " + graph.describe(FusionGraph::index(b)) +
                          ": " + why);
    return poison(graph, a);
  };
  if (left.size() < 2 || left.size() != right.size())
    return fail(
        "the operands are [..., M, K] and [..., K, N] of the same rank");
  if (!unify(left.back(), right[right.size() - 2]))
    return fail("inner dimensions differ: " + left.back().print() + " and " +
                right[right.size() - 2].print() +
                (unify(left.back(), right.back())
                     ? "; did you mean a @ b.T?"
                     : "; transpose() an operand if its K is elsewhere"));
  if (a.type() != b.type() &&
      (getBits(a.type()) != 8 || getBits(b.type()) != 8 || !isFloat(a.type()) ||
       !isFloat(b.type())))
    return fail("the types are " + toString(a.type()) + " and " +
                toString(b.type()) + "; cast() one of them");
  Node node = {NodeKind::Matmul,
               isFloat(a.type()) ? DataType::F32 : DataType::I32,
               {},
               where,
               {FusionGraph::index(a), FusionGraph::index(b)}};
  for (size_t i = 0; i + 2 < left.size(); ++i) {
    std::optional<Size> batch = unify(left[i], right[i]);
    if (!batch)
      return fail("batch dimension " + Twine(i) + " is " + left[i].print() +
                  " on the left and " + right[i].print() + " on the right");
    node.shape.push_back(*batch);
  }
  node.shape.push_back(left[left.size() - 2]);
  node.shape.push_back(right.back());
  return graph.add(std::move(node));
}

Tensor frontend::transpose(Tensor x, Where where) {
  FusionGraph &graph = FusionGraph::of(x);
  llvm::SmallVector<Size, 3> shape(x.shape());
  if (shape.size() < 2) {
    graph.fail(where, "transpose of " + graph.describe(FusionGraph::index(x)) +
                          ": it has fewer than two dimensions");
    return poison(graph, x);
  }
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return graph.add(
      {NodeKind::Transpose, x.type(), shape, where, {FusionGraph::index(x)}});
}

Tensor frontend::unsqueeze(Tensor x, unsigned axis, Where where) {
  FusionGraph &graph = FusionGraph::of(x);
  llvm::SmallVector<Size, 3> shape(x.shape());
  if (axis > shape.size()) {
    graph.fail(where, "unsqueeze of " + graph.describe(FusionGraph::index(x)) +
                          " at dimension " + Twine(axis) +
                          ": the last place is " + Twine(shape.size()));
    return poison(graph, x);
  }
  shape.insert(shape.begin() + axis, Size(1));
  Node node = {
      NodeKind::Unsqueeze, x.type(), shape, where, {FusionGraph::index(x)}};
  node.axis = axis;
  return graph.add(std::move(node));
}

/// The type of a result: the wider one of two floats or two integers.
static std::optional<DataType> promote(DataType a, DataType b) {
  if (a == b)
    return a;
  if (isFloat(a) != isFloat(b))
    return std::nullopt;
  // Neither of two 16-bit floats, nor of two 8-bit ones, holds the other.
  if (getBits(a) == getBits(b))
    return DataType::F32;
  return getBits(a) > getBits(b) ? a : b;
}

static Tensor binary(llvm::StringRef name, Formula formula, Tensor a, Tensor b,
                     Where where) {
  FusionGraph &graph = join(a, b, where);
  auto fail = [&](const Twine &why) {
    graph.fail(where, name + " of " + graph.describe(FusionGraph::index(a)) +
                          " and " + graph.describe(FusionGraph::index(b)) +
                          ": " + why);
    return poison(graph, a);
  };
  std::optional<DataType> type = promote(a.type(), b.type());
  if (!type)
    return fail("the types are " + toString(a.type()) + " and " +
                toString(b.type()) + "; cast() one of them");
  llvm::ArrayRef<Size> left = a.shape(), right = b.shape();
  size_t rank = std::max(left.size(), right.size());
  llvm::SmallVector<Size, 3> shape(rank, Size(1));
  for (size_t i = 1; i <= rank; ++i) {
    Size l = i <= left.size() ? left[left.size() - i] : Size(1);
    Size r = i <= right.size() ? right[right.size() - i] : Size(1);
    std::optional<Size> size = l.value == 1   ? std::optional(r)
                               : r.value == 1 ? std::optional(l)
                                              : unify(l, r);
    if (!size)
      return fail("dimension " + Twine(rank - i) + " is " + l.print() +
                  " on the left and " + r.print() +
                  " on the right; dimensions are equal, 1 or missing");
    shape[rank - i] = *size;
  }
  Node node = {NodeKind::Elementwise,
               *type,
               shape,
               where,
               {FusionGraph::index(a), FusionGraph::index(b)}};
  node.formula = formula;
  return graph.add(std::move(node));
}

/// Whether the integers of a type hold a number.
static bool holds(DataType type, double number) {
  double limit = std::ldexp(1.0, getBits(type) - 1);
  return number == std::trunc(number) && -limit <= number && number < limit;
}

static Tensor withNumber(llvm::StringRef name, Formula formula, Tensor a,
                         double number, Where where) {
  FusionGraph &graph = FusionGraph::of(a);
  if (!isFloat(a.type()) && !holds(a.type(), number)) {
    std::string digits;
    llvm::raw_string_ostream(digits) << llvm::format("%g", number);
    graph.fail(where, name + " of " + graph.describe(FusionGraph::index(a)) +
                          " and " + digits + ": " + toString(a.type()) +
                          " has no such number; cast() the tensor");
    return poison(graph, a);
  }
  Node node = {NodeKind::Elementwise,
               a.type(),
               {a.shape().begin(), a.shape().end()},
               where,
               {FusionGraph::index(a)}};
  node.formula = formula;
  node.number = number;
  return graph.add(std::move(node));
}

/// A formula of one float. Narrow types are computed in f32.
static Tensor unary(llvm::StringRef name, Formula formula, Tensor x,
                    Where where) {
  FusionGraph &graph = FusionGraph::of(x);
  if (!isFloat(x.type())) {
    graph.fail(where, name + " of " + graph.describe(FusionGraph::index(x)) +
                          ": it is for floats, not for " + toString(x.type()) +
                          "; cast() it");
    return poison(graph, x);
  }
  Node node = {NodeKind::Elementwise,
               x.type(),
               {x.shape().begin(), x.shape().end()},
               where,
               {FusionGraph::index(x)}};
  node.formula = formula;
  return graph.add(std::move(node));
}

/// Whether a tensor has the dimension; a mistake if not.
static bool hasAxis(llvm::StringRef name, Tensor x, unsigned axis,
                    Where where) {
  FusionGraph &graph = FusionGraph::of(x);
  if (axis < x.shape().size())
    return true;
  graph.fail(where, name + " of " + graph.describe(FusionGraph::index(x)) +
                        " along dimension " + Twine(axis) +
                        ": the dimensions are 0 to " +
                        Twine(int64_t(x.shape().size()) - 1));
  return false;
}

static Tensor scan(llvm::StringRef name, Formula formula, Tensor x,
                   unsigned axis, Where where) {
  FusionGraph &graph = FusionGraph::of(x);
  if (!hasAxis(name, x, axis, where))
    return poison(graph, x);
  if (!x.shape()[axis].isStatic()) {
    graph.fail(where, name + " of " + graph.describe(FusionGraph::index(x)) +
                          " along dimension " + Twine(axis) +
                          ": one tile has all of it, so its size must be a "
                          "number");
    return poison(graph, x);
  }
  Node node = {NodeKind::Scan,
               x.type(),
               {x.shape().begin(), x.shape().end()},
               where,
               {FusionGraph::index(x)}};
  node.formula = formula;
  node.axis = axis;
  return graph.add(std::move(node));
}

static Tensor reduce(llvm::StringRef name, Formula formula, Tensor x,
                     unsigned axis, Where where) {
  FusionGraph &graph = FusionGraph::of(x);
  llvm::SmallVector<Size, 3> shape(x.shape());
  if (!hasAxis(name, x, axis, where))
    return poison(graph, x);
  if (shape[axis].value == 1) {
    graph.fail(where, name + " of " + graph.describe(FusionGraph::index(x)) +
                          " along dimension " + Twine(axis) +
                          ": it has one element, so there is nothing to "
                          "combine");
    return poison(graph, x);
  }
  shape.erase(shape.begin() + axis);
  Node node = {
      NodeKind::Reduce, x.type(), shape, where, {FusionGraph::index(x)}};
  node.formula = formula;
  node.axis = axis;
  return graph.add(std::move(node));
}

Tensor frontend::add(Tensor a, Tensor b, Where where) {
  return binary("add", Formula::Add, a, b, where);
}
Tensor frontend::sub(Tensor a, Tensor b, Where where) {
  return binary("sub", Formula::Sub, a, b, where);
}
Tensor frontend::mul(Tensor a, Tensor b, Where where) {
  return binary("mul", Formula::Mul, a, b, where);
}
Tensor frontend::div(Tensor a, Tensor b, Where where) {
  return binary("div", Formula::Div, a, b, where);
}
Tensor frontend::max(Tensor a, Tensor b, Where where) {
  return binary("max", Formula::Max, a, b, where);
}
Tensor frontend::min(Tensor a, Tensor b, Where where) {
  return binary("min", Formula::Min, a, b, where);
}
Tensor frontend::add(Tensor a, double b, Where where) {
  return withNumber("add", Formula::Add, a, b, where);
}
Tensor frontend::mul(Tensor a, double b, Where where) {
  return withNumber("mul", Formula::Mul, a, b, where);
}
Tensor frontend::max(Tensor a, double b, Where where) {
  return withNumber("max", Formula::Max, a, b, where);
}
Tensor frontend::min(Tensor a, double b, Where where) {
  return withNumber("min", Formula::Min, a, b, where);
}
Tensor frontend::exp(Tensor x, Where where) {
  return unary("exp", Formula::Exp, x, where);
}
Tensor frontend::rsqrt(Tensor x, Where where) {
  return unary("rsqrt", Formula::Rsqrt, x, where);
}
Tensor frontend::relu(Tensor x, Where where) {
  return unary("relu", Formula::Relu, x, where);
}
Tensor frontend::gelu(Tensor x, Where where) {
  return unary("gelu", Formula::Gelu, x, where);
}
Tensor frontend::silu(Tensor x, Where where) {
  return unary("silu", Formula::Silu, x, where);
}
Tensor frontend::cast(Tensor x, DataType type, Where where) {
  FusionGraph &graph = FusionGraph::of(x);
  return graph.add({NodeKind::Cast,
                    type,
                    {x.shape().begin(), x.shape().end()},
                    where,
                    {FusionGraph::index(x)}});
}
/// Many small numbers are lost in a narrow sum.
static Tensor widenForSum(Tensor x, Where where) {
  return isFloat(x.type()) && x.type() != DataType::F32
             ? cast(x, DataType::F32, where)
             : x;
}
/// The identity is minus infinity, which not every 8-bit float has.
static Tensor widenForMaximum(Tensor x, Where where) {
  return isFloat(x.type()) && getBits(x.type()) == 8
             ? cast(x, DataType::F32, where)
             : x;
}
Tensor frontend::sum(Tensor x, unsigned axis, Where where) {
  return reduce("sum", Formula::Add, widenForSum(x, where), axis, where);
}
Tensor frontend::maximum(Tensor x, unsigned axis, Where where) {
  return reduce("maximum", Formula::Max, widenForMaximum(x, where), axis,
                where);
}
Tensor frontend::cumsum(Tensor x, unsigned axis, Where where) {
  return scan("cumsum", Formula::Add, widenForSum(x, where), axis, where);
}
Tensor frontend::cummax(Tensor x, unsigned axis, Where where) {
  return scan("cummax", Formula::Max, widenForMaximum(x, where), axis, where);
}
