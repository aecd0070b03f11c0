//===- AgentProgressTest.cpp - Roles in text, and what is proved of them --===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/AgentProgress/AgentProgress.h"
#include "drawloom/Analysis/AgentProgress/ReadVerdict.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

namespace {

/// A producer and a consumer of one pipe, whose bodies are given as text.
class AgentProgress : public ::testing::Test {
protected:
  AgentProgress() {
    context.loadDialect<AgentDialect, tile::TileDialect, arith::ArithDialect,
                        scf::SCFDialect, NVVM::NVVMDialect>();
  }

  ProgressResult prove(StringRef producer, StringRef consumer,
                       StringRef outside = "") {
    std::string text = R"(
      !items = !agent.items<index, index>
      tile.kernel @kernel(%a: !tile.view<?x?xf32>, %table: !tile.view<?xi32>,
                          %n: index) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c64 = arith.constant 64 : index
        %c128 = arith.constant 128 : index
        %K = tile.dim %a, 1 : !tile.view<?x?xf32>
        %items = agent.items static %i of %n -> (index, index) {
          %t = tile.load %table[%i] : !tile.view<?xi32> -> i32
          %k = arith.index_cast %t : i32 to index
          agent.yield %k, %K : index, index
        }
        %p = agent.pipe "p" slots(2) message : ())" +
                       outside.str() + R"(
        agent.switch {
          agent.role @one warps(1) {)" +
                       producer.str() + R"(
          }
          agent.role @two warps(1) {)" +
                       consumer.str() + R"(
          }
        }
      })";
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << "the text does not parse";
      return {};
    }
    SwitchOp roles;
    module->walk([&](SwitchOp op) { roles = op; });
    return proveProgress(roles);
  }

  static std::string textOf(const ProgressResult &result) {
    std::string text;
    llvm::raw_string_ostream os(text);
    progress::print(result.verdict, result.network, os);
    return StringRef(text).split('\n').first.str();
  }

  static constexpr StringRef produce =
      "agent.produce %p : !agent.pipe<message> {}\n";
  static constexpr StringRef consume =
      "agent.consume %p : !agent.pipe<message> {}\n";

  static std::string loop(StringRef bounds, StringRef body) {
    return ("scf.for %j = " + bounds + " {\n" + body + "}\n").str();
  }
  static std::string eachItem(const Twine &body) {
    return ("agent.for_each_item (%x, %y) in %items : !items {\n" + body +
            "}\n")
        .str();
  }

  MLIRContext context;
  /// What code may rely on, after the verdict was left on the roles.
  llvm::Expected<std::optional<LaunchCondition>>
  readBack(const ProgressResult &result) {
    SwitchOp roles;
    module->walk([&](SwitchOp op) { roles = op; });
    roles.setVerdictAttr(toAttribute(result, &context));
    return readVerdict(roles);
  }
  std::string rejection(const ProgressResult &result) {
    auto verdict = readBack(result);
    return verdict ? "" : llvm::toString(verdict.takeError());
  }

  OwningOpRef<ModuleOp> module;
};

TEST_F(AgentProgress, EqualBoundsAreOneSize) {
  // Each role computes the bound for itself.
  std::string bound = "%b = arith.ceildivui %K, %c64 : index\n";
  ProgressResult result = prove(bound + loop("%c0 to %b step %c1", produce),
                                loop("%c0 to %K step %c64", consume));
  EXPECT_EQ(textOf(result), "proved");
  ASSERT_EQ(result.network.sizes.size(), 1u);
  EXPECT_EQ(result.network.sizes[0].name, "ceil(dim 1 of a / 64)");
}

TEST_F(AgentProgress, WholeStepsAreAnOffset) {
  ProgressResult result =
      prove(loop("%c0 to %K step %c64", produce),
            consume.str() + loop("%c64 to %K step %c64", consume));
  EXPECT_EQ(textOf(result), "proved if ceil(dim 1 of a / 64) >= 1");
  ASSERT_TRUE(result.sources[0].value);
  EXPECT_EQ(result.symbols[0].argument, 0u);
  EXPECT_EQ(result.symbols[0].dimension, 1);
}

TEST_F(AgentProgress, AConditionIsReadBackForTheLaunch) {
  auto condition =
      readBack(prove(loop("%c0 to %K step %c64", produce),
                     consume.str() + loop("%c64 to %K step %c64", consume)));
  ASSERT_TRUE(condition && *condition);
  EXPECT_EQ((*condition)->words, "ceil(dim 1 of a / 64) >= 1");
  ASSERT_EQ((*condition)->sizes.size(), 1u);
  const LaunchCondition::Size &size = (*condition)->sizes[0];
  EXPECT_EQ(size.name, "ceil(dim 1 of a / 64)");
  EXPECT_EQ(size.value.getResult(0),
            getAffineSymbolExpr(0, &context).ceilDiv(64));
  ASSERT_EQ(size.sources.size(), 1u);
  EXPECT_EQ(size.sources[0].argument, 0u);
  EXPECT_EQ(size.sources[0].dimension, 1u);
  ASSERT_EQ((*condition)->cases.size(), 1u);
  ASSERT_EQ((*condition)->cases[0].size(), 1u);
  EXPECT_EQ((*condition)->cases[0][0].least, 1);
  EXPECT_EQ((*condition)->cases[0][0].most, std::nullopt);

  auto proved = readBack(prove(produce, consume));
  ASSERT_TRUE(bool(proved));
  EXPECT_FALSE(proved->has_value());
}

TEST_F(AgentProgress, WhatNoLaunchCanCheckIsNotReliedOn) {
  // Each role loads the number, so a shape does not tell.
  std::string load = "%t = tile.load %table[%c0] : !tile.view<?xi32> -> i32\n"
                     "%k = arith.index_cast %t : i32 to index\n";
  EXPECT_EQ(
      rejection(
          prove(load + loop("%c0 to %k step %c64", produce),
                load + consume.str() + loop("%c64 to %k step %c64", consume))),
      "is deadlock-free only if ceil(table[0] / 64) >= 1, which depends on "
      "tensor contents and can't be checked at launch");
  // Each item has a number of its own.
  EXPECT_EQ(rejection(prove(eachItem(loop("%c0 to %x step %c64", produce)),
                            eachItem(consume.str() +
                                     loop("%c64 to %x step %c64", consume)))),
            "is deadlock-free only if ceil(value 0 of the work tile / 64) >= 1 "
            "in every work tile, which depends on tensor contents and can't be "
            "checked at launch");
  EXPECT_TRUE(
      StringRef(rejection(prove("scf.while : () -> () {\n"
                                "  %b = arith.constant false\n"
                                "  scf.condition(%b)\n"
                                "} do { scf.yield }\n" +
                                    produce.str(),
                                consume)))
          .starts_with("is not proved deadlock-free: undecided, 'scf.while', "
                       "whose trip count is unknown before it runs"));
  SwitchOp roles;
  module->walk([&](SwitchOp op) { roles = op; });
  roles.removeVerdictAttr();
  auto verdict = readVerdict(roles);
  EXPECT_EQ(verdict ? "" : llvm::toString(verdict.takeError()),
            "has no verdict on deadlock freedom: code is generated after "
            "'prove-progress'");
}

TEST_F(AgentProgress, WhatIsNotKnownToPassIsOutside) {
  // No list has this operation, and none has to.
  context.allowUnregisteredDialects();
  EXPECT_TRUE(
      StringRef(textOf(prove("\"their.wait\"() : () -> ()\n" + produce.str(),
                             consume)))
          .starts_with("undecided: 'their.wait', which may block at "));
  EXPECT_TRUE(
      StringRef(textOf(prove("nvvm.bar.warp.sync %mask : i32\n" + produce.str(),
                             consume, "%mask = arith.constant -1 : i32\n")))
          .starts_with("undecided: 'nvvm.bar.warp.sync', which may block at "));
  // Arithmetic, special registers and tiles are.
  EXPECT_EQ(textOf(prove("%x = nvvm.read.ptx.sreg.tid.x : i32\n"
                         "%q = arith.divui %n, %K : index\n"
                         "%v = tile.load %a[%q, 0] : !tile.view<?x?xf32> -> "
                         "tensor<8x8xf32>\n" +
                             produce.str(),
                         consume)),
            "proved");
}

TEST_F(AgentProgress, ConstantTripCounts) {
  EXPECT_EQ(textOf(prove(loop("%c0 to %c128 step %c64", produce),
                         consume.str() + consume.str())),
            "proved");
  // A loop that never runs.
  EXPECT_EQ(textOf(prove(loop("%c128 to %c0 step %c64", produce),
                         loop("%c64 to %c0 step %c1", consume))),
            "proved");
  EXPECT_EQ(textOf(prove(loop("%c0 to %c128 step %c64", produce), consume)),
            "deadlock");
}

TEST_F(AgentProgress, DifferentBoundsAreTwoSizes) {
  ProgressResult result = prove(loop("%c0 to %K step %c64", produce),
                                loop("%c0 to %n step %c64", consume));
  EXPECT_EQ(result.network.sizes.size(), 2u);
  EXPECT_NE(result.verdict.kind, progress::Verdict::Kind::proved);
}

TEST_F(AgentProgress, ValuesOfTheItem) {
  // The first value differs from item to item, the second is the same for all.
  ProgressResult result = prove(eachItem(loop("%c0 to %x step %c64", produce)),
                                eachItem(loop("%c0 to %x step %c64", consume)));
  EXPECT_EQ(textOf(result), "proved");
  ASSERT_EQ(result.network.sizes.size(), 2u);
  EXPECT_EQ(result.network.sizes[1].name,
            "ceil(value 0 of the work tile / 64)");
  EXPECT_EQ(result.network.sizes[1].perItemOf, 0u);

  result = prove(eachItem(loop("%c0 to %y step %c64", produce)),
                 eachItem(loop("%c0 to %K step %c64", consume)));
  EXPECT_EQ(textOf(result), "proved");
}

TEST_F(AgentProgress, NumbersThatEachRoleLoads) {
  std::string load = "%t = tile.load %table[%x] : !tile.view<?xi32> -> i32\n"
                     "%k = arith.index_cast %t : i32 to index\n";
  ProgressResult result =
      prove(eachItem(load + loop("%c0 to %k step %c64", produce)),
            eachItem(load + loop("%c0 to %k step %c64", consume)));
  EXPECT_EQ(textOf(result), "proved");
  ASSERT_EQ(result.network.sizes.size(), 2u);
  EXPECT_EQ(result.network.sizes[1].name,
            "ceil(table[value 0 of the work tile] / 64)");
  EXPECT_EQ(result.network.sizes[1].perItemOf, 0u);
}

TEST_F(AgentProgress, BoxesThatEachRoleCuts) {
  // The rows of a group, as a view of its own; each role cuts it for itself.
  std::string box = "%rows = tile.subview %a[%x, 0] [%n, %y] : "
                    "!tile.view<?x?xf32> -> !tile.view<?x?xf32>\n"
                    "%k = tile.dim %rows, 1 : !tile.view<?x?xf32>\n"
                    "%part = tile.subview %table[%x] [%n] : "
                    "!tile.view<?xi32> -> !tile.view<?xi32>\n"
                    "%t = tile.load %part[3] : !tile.view<?xi32> -> i32\n"
                    "%m = arith.index_cast %t : i32 to index\n";
  ProgressResult result =
      prove(eachItem(box + loop("%c0 to %k step %c64", produce) +
                     loop("%c0 to %m step %c1", produce)),
            eachItem(box + loop("%c0 to %K step %c64", consume) +
                     loop("%c0 to %m step %c1", consume)));
  EXPECT_EQ(textOf(result), "proved");
  EXPECT_EQ(result.network.sizes.size(), 3u);
}

TEST_F(AgentProgress, NumbersThatTheKernelWrites) {
  std::string load = "%t = tile.load %table[%x] : !tile.view<?xi32> -> i32\n"
                     "%k = arith.index_cast %t : i32 to index\n";
  std::string store = "%v = arith.constant dense<1> : tensor<1xi32>\n"
                      "tile.store %v, %table[0] : tensor<1xi32>, "
                      "!tile.view<?xi32>\n";
  ProgressResult result =
      prove(eachItem(load + loop("%c0 to %k step %c64", produce)),
            eachItem(load + loop("%c0 to %k step %c64", consume)) + store);
  EXPECT_TRUE(StringRef(textOf(result))
                  .starts_with("undecided: a trip count that depends on the "
                               "'tile.load' at "))
      << textOf(result);
}

TEST_F(AgentProgress, TripCountOfAnIteration) {
  ProgressResult result = prove("scf.for %i = %c0 to %n step %c1 {" +
                                    loop("%c0 to %i step %c1", produce) + "}",
                                consume);
  EXPECT_TRUE(StringRef(textOf(result))
                  .starts_with("undecided: a trip count that depends on the "
                               "iteration of the loop at "))
      << textOf(result);
}

TEST_F(AgentProgress, StepsThatAreNotConstant) {
  ProgressResult result = prove(loop("%c0 to %K step %n", produce), consume);
  EXPECT_TRUE(StringRef(textOf(result))
                  .starts_with("undecided: a loop whose step, n, is not a "
                               "positive constant at "))
      << textOf(result);
}

TEST_F(AgentProgress, Branches) {
  ProgressResult result =
      prove("%first = arith.cmpi eq, %n, %c0 : index\nscf.if %first {\n" +
                produce.str() + "}\n",
            consume);
  EXPECT_TRUE(
      StringRef(textOf(result))
          .starts_with("undecided: 'scf.if' around something that can block"))
      << textOf(result);
}

TEST_F(AgentProgress, SlotsThatBelongToNoItem) {
  // The pipe's own order says who gets which slot: the second item takes what
  // was produced before the first.
  ProgressResult result =
      prove(produce, "agent.for_each_item (%x, %y) in %items every 2 from 1 : "
                     "!items {\n" +
                         consume.str() + "}\n");
  EXPECT_EQ(result.network.pipes[0].consumers[0].every, 1);
  EXPECT_EQ(result.verdict.kind, progress::Verdict::Kind::deadlock);
  ASSERT_TRUE(result.verdict.failure);
  EXPECT_EQ(result.verdict.failure->kind, progress::Failure::Kind::unconsumed);
}

TEST_F(AgentProgress, BarriersAndLaunches) {
  std::string threads = "%id = arith.constant 1 : i32\n"
                        "%t = arith.constant 64 : i32\n";
  std::string barrier = "nvvm.barrier id = %id number_of_threads = %t\n";
  EXPECT_EQ(textOf(prove(threads + barrier + produce.str(),
                         threads + barrier + consume.str())),
            "proved");
  EXPECT_EQ(textOf(prove(threads + barrier + produce.str(),
                         threads + consume.str() + barrier)),
            "deadlock");
  ProgressResult result =
      prove("nvvm.griddepcontrol wait\n" + produce.str(), consume);
  EXPECT_EQ(textOf(result), "proved");
  EXPECT_EQ(result.verdict.assumptions,
            std::vector<std::string>{"the launch wait of @one returns: the "
                                     "grids before this one end"});
}

} // namespace
