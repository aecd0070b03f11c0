//===- FusionGraph.h - What a Fusion has recorded ------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The tensors of a fusion in the order in which they were written. A node is
// checked when it is made, so a graph without an error is right: shapes fit,
// types fit, and operands come before their users.
//
// Transposing and unsqueezing make views: nodes without an operation. An
// operation that reads one reads the tensor below it by a map.

#ifndef DRAWLOOM_LIB_FRONTEND_FUSIONGRAPH_H
#define DRAWLOOM_LIB_FRONTEND_FUSIONGRAPH_H

#include "drawloom/Frontend/Fusion.h"

namespace drawloom::frontend {

enum class NodeKind : uint8_t {
  Input,
  Matmul,
  Transpose,
  Unsqueeze,
  Elementwise,
  Cast,
  Reduce,
  Scan,
};

/// What an element-wise node, a reduction or a scan computes.
enum class Formula : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  Exp,
  Rsqrt,
  Relu,
  Gelu,
  Silu,
};

struct Node {
  NodeKind kind;
  DataType type;
  llvm::SmallVector<Size, 3> shape;
  Where where;
  llvm::SmallVector<unsigned, 2> operands = {};
  Formula formula = Formula::Add;
  /// The second operand of a formula, if it is a number.
  std::optional<double> number = std::nullopt;
  unsigned axis = 0;
  /// Of an input.
  std::string name = {};
};

struct FusionGraph {
  std::string name;
  Where where;
  std::vector<Node> nodes = {};
  struct Output {
    std::string name;
    unsigned node;
  };
  std::vector<Output> outputs = {};
  std::string target = {};
  tile::Schedule schedule = {};
  /// The first mistake; empty if there is none.
  std::string error = {};

  Tensor add(Node node) {
    nodes.push_back(std::move(node));
    return Tensor(this, nodes.size() - 1);
  }
  const Node &get(Tensor tensor) const { return nodes[tensor.node]; }
  static FusionGraph &of(Tensor tensor) { return *tensor.graph; }
  static unsigned index(Tensor tensor) { return tensor.node; }

  /// What a person calls a node: an input by its name.
  std::string describe(unsigned node) const;

  /// A mistake as text, with the line of the program that made it.
  std::string describeError(Where where, const llvm::Twine &message) const;
  void fail(Where where, const llvm::Twine &message);
};

bool isFloat(DataType type);
unsigned getBits(DataType type);

/// Adds the graph's function to a module; the graph has no error.
void emitLinalg(const FusionGraph &graph, mlir::ModuleOp module);

} // namespace drawloom::frontend

#endif // DRAWLOOM_LIB_FRONTEND_FUSIONGRAPH_H
