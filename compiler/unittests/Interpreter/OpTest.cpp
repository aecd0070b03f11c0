//===- OpTest.cpp - One small test for each operation ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "TestProgram.h"
#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include <set>

using namespace drawloom::interp;
using namespace drawloom::interp::test;

namespace {

void runRows(const std::vector<OpRow> &rows) {
  for (const OpRow &row : rows) {
    HostTensor result =
        evaluate(row.body, row.inputs,
                 formatType(row.expected.getFormat(), row.expected.getShape()));
    EXPECT_TRUE(isEqual(result, row.expected)) << row.body;
  }
}

TEST(Op, Integers) { runRows(getIntegerRows()); }
TEST(Op, Floats) { runRows(getFloatRows()); }
TEST(Op, Casts) { runRows(getCastRows()); }
TEST(Op, Math) { runRows(getMathRows()); }
TEST(Op, Tiles) { runRows(getTileRows()); }

/// Operations whose tests are whole kernels: KernelTest.cpp, AgentTest.cpp.
const std::set<std::string> testedInKernels = {
    "scf.for", "scf.if", "scf.while", "tile.for_each", "tile.load",
    "tile.subview", "tile.store", "tile.dim", "agent.consume", "agent.items",
    "agent.pipe", "agent.for_each_item", "agent.produce", "agent.switch",
    "tile.all_gather",
    // As the operations of the protocol.
    "gpu.block_id", "gpu.grid_dim", "tile.transpose_view"};

/// Operations that need no rule, or have none for a reason.
const std::set<std::string> withoutRule = {
    // Run by the interpreter itself.
    "tile.kernel", "tile.return", "agent.role", "agent.yield",
    // Upstream's description is no clamp; see EvalMath.cpp.
    "math.clampf"};

template <typename... OpTs>
std::set<std::string> namesOf() {
  return {OpTs::getOperationName().str()...};
}

/// What `lower-pipes` makes is tested in ProtocolTest.cpp, and in
/// integration/stages with every program there.
const std::set<std::string> ofTheProtocol = namesOf<
#define GET_OP_LIST
#include "drawloom/Dialect/Agent/IR/AgentProtocolOps.cpp.inc"
    ,
#define GET_OP_LIST
#include "drawloom/Dialect/Agent/IR/AgentMessageOps.cpp.inc"
    >();

std::set<std::string> getRules() {
  std::set<std::string> names;
  for (llvm::ArrayRef<NamedRule> table : getAllRules())
    for (const NamedRule &rule : table)
      EXPECT_TRUE(names.insert(rule.operation.str()).second)
          << rule.operation.str() << " has two rules";
  return names;
}

TEST(Op, EveryOperationHasARule) {
  std::set<std::string> rules = getRules();
  for (const char *dialect : {"agent", "arith", "math", "tile"})
    for (const std::string &name : getOperations(dialect))
      EXPECT_NE(rules.count(name), withoutRule.count(name)) << name;
}

TEST(Op, EveryRuleIsOfAnOperation) {
  std::set<std::string> operations;
  for (const char *dialect :
       {"affine", "agent", "arith", "gpu", "math", "scf", "tensor", "tile"})
    for (const std::string &name : getOperations(dialect))
      operations.insert(name);
  for (const std::string &rule : getRules())
    EXPECT_TRUE(operations.count(rule)) << rule;
}

TEST(Op, EveryRuleIsTested) {
  std::vector<std::string> bodies;
  for (const auto &rows : {getIntegerRows(), getFloatRows(), getCastRows(),
                           getMathRows(), getTileRows()})
    for (const OpRow &row : rows)
      bodies.push_back(std::string(row.body) + " ");
  for (const std::string &rule : getRules()) {
    bool inRow = llvm::any_of(bodies, [&](const std::string &body) {
      return body.find(rule + " ") != std::string::npos ||
             body.find(rule + "(") != std::string::npos;
    });
    EXPECT_TRUE(inRow || testedInKernels.count(rule) ||
                ofTheProtocol.count(rule))
        << rule;
  }
}

} // namespace
