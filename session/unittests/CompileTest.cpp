//===- CompileTest.cpp - A compile is a function of its arguments ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the compiler says and generates is tested by lit. Here is what only a
// caller of the library can see.

#include "drawloom/Session/Compile.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <thread>

using namespace drawloom;

static std::string readExample(llvm::StringRef name) {
  auto file = llvm::MemoryBuffer::getFile(EXAMPLES "/" + name + ".mlir");
  return file ? (*file)->getBuffer().str() : "";
}

static const target::Architecture *find(llvm::StringRef name) {
  return llvm::cantFail(target::findArchitecture(name));
}

/// Everything that a compile gives, as text.
static std::string describe(llvm::Expected<CompiledModule> module) {
  if (!module)
    return llvm::toString(module.takeError());
  std::string text = module->text + module->ptx;
  llvm::raw_string_ostream os(text);
  for (const CompiledKernel &kernel : module->kernels)
    runtime::writeJson(kernel.info, os);
  return text;
}

/// PTX without the lines that it came from.
static std::string dropLines(llvm::StringRef ptx) {
  std::string result;
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    if (!line.ltrim().starts_with(".loc") && !line.ltrim().starts_with(".file"))
      result += line.str() + '\n';
    ptx = rest;
  }
  return result;
}

TEST(Compile, GivesTheSameWhateverElseRuns) {
  const target::Architecture *archs[] = {find("sm_90a"), find("sm_100a")};
  std::string programs[] = {readExample("gemm"), readExample("attention")};
  auto make = [&](unsigned i) {
    return describe(compile(programs[i / 2 % 2], {.arch = archs[i % 2]}));
  };
  std::vector<std::string> alone, together(8);
  for (unsigned i = 0; i != 4; ++i)
    alone.push_back(make(i));
  EXPECT_NE(alone[0].find(".target sm_90a"), std::string::npos);
  EXPECT_NE(alone[1].find(".target sm_100a"), std::string::npos);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i != together.size(); ++i)
    threads.emplace_back([&, i] { together[i] = make(i); });
  for (std::thread &thread : threads)
    thread.join();
  for (unsigned i = 0; i != together.size(); ++i)
    EXPECT_EQ(together[i], alone[i % 4]);
}

TEST(Compile, LeavesTheModuleAsItWas) {
  mlir::DialectRegistry dialects;
  registerProgramDialects(dialects);
  mlir::MLIRContext context(dialects);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(readExample("gemm"), &context);
  ASSERT_TRUE(module);
  auto print = [&] {
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    return text;
  };
  std::string before = print();
  auto compiled = compile(*module, {.arch = find("sm_90a")});
  EXPECT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  EXPECT_EQ(print(), before);
}

TEST(Compile, WhatAStageLeavesIsTakenOn) {
  // From linalg, so that every stage changes something.
  std::string program = readExample("linalg/swiglu");
  for (llvm::StringRef name : {"sm_90a", "sm_100a"}) {
    const target::Architecture *arch = find(name);
    auto whole = compile(program, {.arch = arch});
    ASSERT_TRUE(bool(whole)) << llvm::toString(whole.takeError());
    ASSERT_FALSE(whole->ptx.empty());
    std::string previous = program;
    for (Stage stage : {Stage::Tile, Stage::Agent, Stage::Plan, Stage::NVVM}) {
      auto part = compile(program, {.arch = arch, .stopAfter = stage});
      ASSERT_TRUE(bool(part)) << llvm::toString(part.takeError());
      EXPECT_NE(part->text, previous) << toString(stage).str();
      EXPECT_TRUE(part->ptx.empty());
      auto rest = compile(part->text, {.arch = arch});
      ASSERT_TRUE(bool(rest)) << llvm::toString(rest.takeError());
      EXPECT_EQ(dropLines(rest->ptx), dropLines(whole->ptx))
          << toString(stage).str();
      previous = part->text;
    }
    auto llvm = compile(program, {.arch = arch, .stopAfter = Stage::LLVM});
    ASSERT_TRUE(bool(llvm)) << llvm::toString(llvm.takeError());
    EXPECT_NE(llvm->text.find("define ptx_kernel void"), std::string::npos);
  }
}

TEST(Compile, ErrorsAreValues) {
  testing::internal::CaptureStderr();
  auto parsed = compile("tile.kernel @k() {\n  nonsense\n}\n",
                        {.arch = find("sm_90a")}, "k.mlir");
  std::string program = R"(
tile.kernel @k(%X: !tile.view<64x32xf32>, %Y: !tile.view<64x32xf32>) {
  %x = tile.load %X[0, 0] : !tile.view<64x32xf32> -> tensor<64x32xf32>
  tile.store %x, %Y[0, 0] : tensor<64x32xf32>, !tile.view<64x32xf32>
}
)";
  auto planned = compile(program, {}, "k.mlir");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_FALSE(bool(parsed));
  std::string words = llvm::toString(parsed.takeError());
  EXPECT_EQ(words.find("k.mlir:2:3: error: "), 0u) << words;
  ASSERT_FALSE(bool(planned));
  llvm::handleAllErrors(planned.takeError(), [](const CompileError &error) {
    ASSERT_EQ(error.getMessages().size(), 1u);
    const Message &message = error.getMessages().front();
    EXPECT_EQ(message.severity, mlir::DiagnosticSeverity::Error);
    EXPECT_EQ(message.file, "k.mlir");
    EXPECT_EQ(message.line, 2u);
    EXPECT_NE(message.text.find("has no target to plan for"), std::string::npos)
        << message.text;
  });
}

/// A kernel with roles, for a GPU to be filled in.
static std::string makeKernel(llvm::StringRef name, llvm::StringRef arch) {
  return R"(
tile.kernel @)" +
         name.str() + R"((%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = ")" +
         arch.str() + R"("} {
  %p = agent.pipe "tiles" slots(2) smem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<128x64xf32>> {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
        agent.yield %x : tensor<128x64xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %p as (%x) : !agent.pipe<smem, tensor<128x64xf32>> {
        tile.store %x, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}
)";
}

TEST(Compile, TheKernelsNameTheGPU) {
  auto one = compile(makeKernel("k", "sm_90a"), {});
  ASSERT_TRUE(bool(one)) << llvm::toString(one.takeError());
  EXPECT_EQ(one->kernels.front().info.target, "sm_90a");
  EXPECT_NE(one->ptx.find(".target sm_90a"), std::string::npos);

  EXPECT_EQ(
      describe(compile(makeKernel("a", "sm_90a") + makeKernel("b", "sm_100a"),
                       {}, "two.mlir")),
      "two.mlir:20:1: error: kernel @b is for sm_100a, and one before it "
      "for sm_90a; a module is compiled for one GPU [no-target]");
  EXPECT_EQ(describe(compile("llvm.func @f()", {}, "none.mlir")),
            "none.mlir: error: no kernel here names a GPU to compile for "
            "[no-target]");
}

TEST(Compile, NoKernelIsLostWhenOneCannotBePlanned) {
  mlir::DialectRegistry dialects;
  registerProgramDialects(dialects);
  mlir::MLIRContext context(dialects);
  std::string said;
  mlir::ScopedDiagnosticHandler handler(
      &context,
      [&](mlir::Diagnostic &diagnostic) { said += diagnostic.str(); });
  std::string text = makeKernel("good", "sm_90a") + R"(
tile.kernel @bad(%X: !tile.view<64x32xf32>, %Y: !tile.view<64x32xf32>) {
  %x = tile.load %X[0, 0] : !tile.view<64x32xf32> -> tensor<64x32xf32>
  tile.store %x, %Y[0, 0] : tensor<64x32xf32>, !tile.view<64x32xf32>
}
)";
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  EXPECT_TRUE(mlir::failed(runPath(*module, {.stopAfter = Stage::Plan})));
  EXPECT_NE(said.find("has no target to plan for"), std::string::npos) << said;
  std::vector<std::string> names;
  for (auto kernel : module->getOps<tile::KernelOp>())
    names.push_back(kernel.getSymName().str());
  EXPECT_EQ(names, (std::vector<std::string>{"good", "bad"}));
}

TEST(Compile, StagesAreFoundByName) {
  for (llvm::StringRef name :
       {"tile", "agent", "plan", "nvvm", "llvm", "ptx", "cubin"})
    EXPECT_EQ(toString(findStage(name).value()), name);
  EXPECT_EQ(findStage("sass"), std::nullopt);
}
