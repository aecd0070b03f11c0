//===- ExecuteTest.cpp - Kernels on a device ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Run/Execute.h"
#include "gtest/gtest.h"

using namespace drawloom;

TEST(Execute, ALaunchIsOfOneKernel) {
  llvm::Expected<runtime::Device> device = run::openDevice("h100", 2);
  ASSERT_TRUE(bool(device)) << llvm::toString(device.takeError());
  CompiledModule module;
  run::Arguments arguments;
  EXPECT_EQ(llvm::toString(run::execute(module, *device, arguments)),
            "a launch is of one kernel, and the module has 0; choose one "
            "[no-kernel]");
}
