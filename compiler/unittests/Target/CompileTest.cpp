//===- CompileTest.cpp - A compile is a function of its arguments ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the compile says and generates is tested by lit, in test/Target. Here is
// what only a caller of the library can see.

#include "drawloom/Target/Compile.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>
#include <thread>

using namespace drawloom::target;

static constexpr llvm::StringLiteral program = R"mlir(
llvm.func @k(%out: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %inside = arith.cmpi ult, %tid, %n : i32
  scf.if %inside {
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %tid, %to : i32, !llvm.ptr<1>
  }
  llvm.return
}
)mlir";

static mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context) {
  mlir::DialectRegistry registry;
  registerTargetDialects(registry);
  context.appendDialectRegistry(registry);
  return mlir::parseSourceString<mlir::ModuleOp>(program, &context);
}

/// PTX of the program, or nothing if it does not compile.
static std::string compile(llvm::StringRef arch) {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(context);
  if (!module)
    return "";
  mlir::FailureOr<std::string> ptx =
      compileToPTX(*module, *llvm::cantFail(findArchitecture(arch)));
  return mlir::succeeded(ptx) ? *ptx : "";
}

TEST(Compile, LeavesTheModuleAsItWas) {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(context);
  ASSERT_TRUE(module);
  auto print = [&] {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text;
  };
  std::string before = print();
  const Architecture &arch = *llvm::cantFail(findArchitecture("sm_90a"));
  EXPECT_TRUE(mlir::succeeded(compileToPTX(*module, arch)));
  EXPECT_EQ(print(), before);
}

TEST(Compile, GivesTheSameTextWhateverElseRuns) {
  std::string hopper = compile("sm_90a");
  std::string blackwell = compile("sm_100a");
  EXPECT_NE(hopper.find(".target sm_90a"), std::string::npos);
  EXPECT_NE(blackwell.find(".target sm_100a"), std::string::npos);

  std::vector<std::string> results(8);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < results.size(); ++i)
    threads.emplace_back([&results, i] {
      results[i] = compile(i % 2 == 0 ? "sm_90a" : "sm_100a");
    });
  for (std::thread &thread : threads)
    thread.join();
  for (unsigned i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i], i % 2 == 0 ? hopper : blackwell);
}
