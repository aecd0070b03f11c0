//===- CompileKernelTest.cpp - Kernels of a module, planned ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "run/CompileKernel.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/InitAll.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace drawloom;

/// A kernel with roles, and after it one that has no target to plan for.
static constexpr llvm::StringLiteral twoKernels = R"(
!tiles = !agent.pipe<smem, tensor<128x64xf32>>
tile.kernel @good(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "tiles" slots(2) smem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %p : !tiles {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
        agent.yield %x : tensor<128x64xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %p as (%x) : !tiles {
        tile.store %x, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}
tile.kernel @bad(%X: !tile.view<64x32xf32>, %Y: !tile.view<64x32xf32>) {
  %x = tile.load %X[0, 0] : !tile.view<64x32xf32> -> tensor<64x32xf32>
  tile.store %x, %Y[0, 0] : tensor<64x32xf32>, !tile.view<64x32xf32>
}
)";

TEST(CompileKernel, NoKernelIsLostWhenOneCannotBePlanned) {
  DialectRegistry dialects;
  registerAllDialects(dialects);
  MLIRContext context(dialects);
  std::string said;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { said += diagnostic.str(); });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(twoKernels, &context);
  ASSERT_TRUE(module);
  EXPECT_TRUE(failed(run::planKernels(*module)));
  EXPECT_NE(said.find("has no target to plan for"), std::string::npos) << said;
  std::vector<std::string> names;
  for (auto kernel : module->getOps<tile::KernelOp>())
    names.push_back(kernel.getSymName().str());
  EXPECT_EQ(names, (std::vector<std::string>{"good", "bad"}));
}
