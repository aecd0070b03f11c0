//===- FrontHalfTest.cpp - A program that fits is planned once ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The front half keeps the plan with which fit-plans finds that a program fits.
// It is the plan that the stages make one after the other, with the same
// messages.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/InitAll.h"
#include "drawloom/Pipelines/Path.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace drawloom;
using namespace mlir;

namespace {
/// How often each pass ran, by name.
using PassCounts = std::map<std::string, int>;

class CountPasses : public PassInstrumentation {
public:
  explicit CountPasses(PassCounts &counts) : counts(counts) {}

  void runBeforePass(Pass *pass, Operation *) override {
    ++counts[pass->getArgument().str()];
  }

private:
  PassCounts &counts;
};

/// What a pipeline leaves: the module, or nothing if it failed, what the passes
/// said, and how often each ran.
struct Result {
  std::string module;
  std::vector<std::string> messages;
  PassCounts counts;
};

class FrontHalfTest : public testing::Test {
public:
  FrontHalfTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  Result run(OwningOpRef<ModuleOp> module, StringRef arch,
             ArrayRef<void (*)(OpPassManager &)> stages) {
    Result result;
    if (!module) {
      ADD_FAILURE() << "no module";
      return result;
    }
    for (Operation &op : module->getOps())
      if (isa<tile::KernelOp, func::FuncOp>(op))
        op.setAttr(tile::targetAttrName, StringAttr::get(&context, arch));
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &said) {
      result.messages.push_back(said.str());
      return success();
    });
    PassManager passes(&context);
    passes.addInstrumentation(std::make_unique<CountPasses>(result.counts));
    for (void (*build)(OpPassManager &) : stages)
      build(passes);
    if (succeeded(passes.run(*module)))
      llvm::raw_string_ostream(result.module) << *module;
    return result;
  }

  /// Both ways to a plan of the same program; returns what the front half did.
  template <class Read>
  Result compare(Read read, StringRef arch) {
    Result whole = run(read(), arch, {buildFrontHalf});
    Result stages = run(read(), arch, {buildTile, buildAgent, buildPlan});
    EXPECT_FALSE(whole.module.empty());
    EXPECT_EQ(whole.module, stages.module);
    EXPECT_EQ(whole.messages, stages.messages);
    return whole;
  }

  Result compareText(StringRef text, StringRef arch) {
    return compare([&] { return parseSourceString<ModuleOp>(text, &context); },
                   arch);
  }

  Result compareExample(const std::string &name, StringRef arch) {
    return compare(
        [&] {
          return parseSourceFile<ModuleOp>(EXAMPLES "/" + name, &context);
        },
        arch);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};
} // namespace

TEST_F(FrontHalfTest, PlansWhatFitsOnce) {
  for (StringRef arch : {"sm_90a", "sm_100a"})
    for (const char *name : {"gemm.mlir", "attention.mlir", "rmsnorm.mlir",
                             "linalg/swiglu.mlir"}) {
      SCOPED_TRACE((arch + " " + name).str());
      Result result = compareExample(name, arch);
      // Its widest subtiles leave loads 3 slots.
      bool isRepeated =
          name == StringRef("attention.mlir") && arch == "sm_100a";
      EXPECT_EQ(result.counts["assign-roles"], isRepeated ? 2 : 1);
      EXPECT_EQ(result.counts["place-memory"], isRepeated ? 2 : 1);
    }
}

// The tensor that the sum starts with leaves loads one slot.
TEST_F(FrontHalfTest, PlansWhatDoesNotFitUntilItDoes) {
  Result result = compareText(R"mlir(
    func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
                 %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %d = linalg.contract
          indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                           affine_map<(m, n, k) -> (n, k)>,
                           affine_map<(m, n, k) -> (m, n)>]
          ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>)
          outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
      return %d : tensor<?x?xf32>
    }
  )mlir",
                              "sm_90a");
  EXPECT_GT(result.counts["assign-roles"], 1);
  EXPECT_NE(result.module.find("\"fit-plans: "), std::string::npos);
}

// Roles by hand are planned, too, and what is planned says so once.
TEST_F(FrontHalfTest, LeavesNothingUnplanned) {
  Result result = compareText(R"mlir(
    tile.kernel @negate(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) {
      tile.for_each (%m, %n) tiles [64, 64] of %x : !tile.view<?x?xf32> {
        %t = tile.load %x[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
        %u = arith.negf %t : tensor<64x64xf32>
        tile.store %u, %y[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
      }
    }
    tile.kernel @by_hand(%x: !tile.view<64x64xf32>, %y: !tile.view<64x64xf32>) {
      %p = agent.pipe "p" slots(1) smem : (tensor<64x64xf32>)
      agent.switch {
        agent.role @load warps(1) {
          agent.produce %p : !agent.pipe<smem, tensor<64x64xf32>> {
            %t = tile.load %x[0, 0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
            agent.yield %t : tensor<64x64xf32>
          }
        }
        agent.role @store warps(4) {
          agent.consume %p as (%t) : !agent.pipe<smem, tensor<64x64xf32>> {
            tile.store %t, %y[0, 0] : tensor<64x64xf32>, !tile.view<64x64xf32>
          }
        }
      }
    }
  )mlir",
                              "sm_90a");
  EXPECT_EQ(result.counts["assign-roles"], 1);
  EXPECT_EQ(result.counts["place-memory"], 2);
}
