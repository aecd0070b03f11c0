//===- ExamplePlansTest.cpp - Three plans of one fusion -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix product with an epilogue, written with the C++ builder, goes all the
// way to three plans. The golden files are those of the same program in linalg
// (compiler/test/ExamplePlans): both ways into the compiler are one.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Frontend/Fusion.h"
#include "drawloom/InitAll.h"
#include "drawloom/Pipelines/Path.h"
#include "drawloom/PrintPlan/Print.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace drawloom;
using namespace drawloom::frontend;

static std::string readGolden(const std::string &name) {
  auto file = llvm::MemoryBuffer::getFile(GOLDEN_FILES "/" + name);
  return file ? (*file)->getBuffer().str() : "no file " + name;
}

static std::string print(void (*printer)(const plan::Plan &,
                                         llvm::raw_ostream &),
                         const plan::Plan &plan) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printer(plan, stream);
  return text;
}

/// Builds the fusion, plans it for `target`, and compares with the golden files
/// called `name`.
static void expectPlan(const std::string &name, llvm::StringRef target,
                       tile::Roles roles) {
  Fusion fusion("linear");
  Tensor a = fusion.input("a", {"M", "K"}, DataType::BF16);
  Tensor b = fusion.input("b", {"N", "K"}, DataType::BF16);
  Tensor bias = fusion.input("bias", {"M", "N"}, DataType::BF16);
  Tensor mma = matmul(a, transpose(b));
  Tensor sum = add(mma, bias);
  fusion.output("d", cast(sum, DataType::BF16));

  fusion.target(target);
  fusion.schedule().tile = {128, 256, 64};
  fusion.schedule().persistent = tile::Persistence::Static;
  fusion.schedule().roles = roles;
  fusion.circularBuffer({a, b}, 4);
  fusion.circularBuffer({bias}, 2);

  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      fusion.build(context);
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  mlir::PassManager passes(&context);
  buildFrontHalf(passes);
  ASSERT_TRUE(mlir::succeeded(passes.run(**module)));

  agent::SwitchOp roleSwitch;
  (*module)->walk([&](agent::SwitchOp op) { roleSwitch = op; });
  ASSERT_TRUE(roleSwitch);
  mlir::FailureOr<plan::Plan> plan = plan::makePlan(roleSwitch);
  ASSERT_TRUE(mlir::succeeded(plan));
  EXPECT_EQ(print(plan::printText, *plan), readGolden(name + ".txt"));
  EXPECT_EQ(print(plan::printMermaidGraph, *plan),
            readGolden(name + ".graph.mmd"));
  EXPECT_EQ(print(plan::printMermaidSequence, *plan),
            readGolden(name + ".sequence.mmd"));
}

TEST(ExamplePlansTest, HopperSingleRole) {
  expectPlan("hopper-single-role", "sm_90a", tile::Roles::Single);
}

TEST(ExamplePlansTest, HopperMultiRole) {
  expectPlan("hopper-multi-role", "sm_90a", tile::Roles::Multi);
}

TEST(ExamplePlansTest, BlackwellMultiRole) {
  expectPlan("blackwell-multi-role", "sm_100a", tile::Roles::Multi);
}
