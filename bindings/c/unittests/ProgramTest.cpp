//===- ProgramTest.cpp - Compiles of the C API
//-----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"
#include <cstring>
#include <thread>

using namespace drawloom::capi;

static std::string get(const Program &program, const char *form,
                       const char *kernel = nullptr) {
  DrawloomBytes bytes = {};
  EXPECT_EQ(words(drawloomProgramGet(program.get(), form, kernel, &bytes)), "");
  return bytes.data ? take(bytes) : "";
}

static DrawloomError *fail(const Program &program, const char *form,
                           const char *kernel = nullptr) {
  DrawloomBytes bytes = {};
  return drawloomProgramGet(program.get(), form, kernel, &bytes);
}

TEST(DrawloomC, SaysItsVersion) {
  EXPECT_EQ(drawloomApiVersion(), DRAWLOOM_API_VERSION);
  EXPECT_STRNE(drawloomVersion(), "");
}

TEST(DrawloomC, GivesCodeAndPlan) {
  Program program = compileGemm();
  ASSERT_EQ(drawloomProgramCount(program.get()), 1u);
  EXPECT_STREQ(drawloomProgramKernel(program.get(), 0), "gemm");
  EXPECT_NE(get(program, "ptx").find(".visible .entry gemm("),
            std::string::npos);
  EXPECT_NE(get(program, "description").find("\"sm_100a\""), std::string::npos);
  EXPECT_EQ(get(program, "messages"), "[]");
  EXPECT_NE(get(program, "text").find("@operand_load"), std::string::npos);
  EXPECT_EQ(get(program, "json").substr(0, 1), "{");
  EXPECT_EQ(get(program, "mermaid").substr(0, 8), "graph TD");
  EXPECT_NE(get(program, "sequence").find("sequenceDiagram"),
            std::string::npos);
  EXPECT_EQ(get(program, "dot").substr(0, 7), "digraph");
  EXPECT_NE(get(program, "svg", "gemm").find("<svg"), std::string::npos);
  EXPECT_NE(get(program, "svg-sequence", "gemm").find("waits until"),
            std::string::npos);
  EXPECT_NE(get(program, "html", "gemm").find(">ptx: what the GPU"),
            std::string::npos);
  EXPECT_NE(get(program, "html", "gemm").find("<h2>Reasons"),
            std::string::npos);
  EXPECT_EQ(get(program, "text", "@gemm"), get(program, "text"));
}

TEST(DrawloomC, StopsAfterAStage) {
  Program program;
  DrawloomCompileOptions options = forArch("sm_90a");
  options.stage = "plan";
  ASSERT_EQ(words(compile(readExample("gemm.mlir"), options, program)), "");
  EXPECT_NE(get(program, "module").find("agent.role"), std::string::npos);
  EXPECT_NE(get(program, "text").find("@operand_load"), std::string::npos);
  EXPECT_SAYS(fail(program, "ptx"), "'program' was compiled to plan and has no "
                                    "PTX; compile it to ptx");
  EXPECT_SAYS(fail(program, "cubin"), "SASS");
  EXPECT_SAYS(fail(program, "description"), "has no description");
  EXPECT_SAYS(fail(compileGemm(), "module"), "a stage before ptx");
  EXPECT_SAYS(fail(program, "pdf"),
              "there are the forms module, ptx, cubin, description, messages, "
              "text, json, mermaid, sequence, dot, svg, svg-sequence and html, "
              "and no 'pdf'");
  options.stage = "sass";
  EXPECT_SAYS(compile("", options, program),
              "there are the stages tile, agent, plan, nvvm, llvm, ptx and "
              "cubin, and no 'sass' [api-argument]");
}

TEST(DrawloomC, OptionsOfAnOlderCallerAreShorter) {
  // One that knows nothing behind `arch`: what stands there is not read.
  DrawloomCompileOptions options;
  memset(&options, 0xff, sizeof(options));
  options.structSize = offsetof(DrawloomCompileOptions, kernel);
  options.name = "older.mlir";
  options.arch = "sm_90a";
  Program program;
  EXPECT_EQ(words(compile(readExample("gemm.mlir"), options, program)), "");
  EXPECT_NE(get(program, "ptx"), "");
}

TEST(DrawloomC, ErrorsHaveAPlace) {
  Program program;
  DrawloomCompileOptions options = forArch("sm_90a");
  options.name = "wrong.mlir";
  DrawloomError *error = compile(
      "tile.kernel @k(%A: !tile.view<?xf32>) {\n  oops\n}\n", options, program);
  ASSERT_NE(error, nullptr);
  ASSERT_GE(drawloomErrorCount(error), 1u);
  DrawloomMessage message = drawloomErrorAt(error, 0);
  EXPECT_STREQ(message.severity, "error");
  EXPECT_STREQ(message.file, "wrong.mlir");
  EXPECT_EQ(message.line, 2u);
  EXPECT_EQ(message.column, 3u);
  EXPECT_EQ(words(error).substr(0, 15), "wrong.mlir:2:3:");
  EXPECT_SAYS(compile("", forArch("sm_1"), program), "sm_1");
}

TEST(DrawloomC, CodeByHandIsRejected) {
  Program program;
  EXPECT_SAYS(compile("llvm.func @k() attributes {nvvm.kernel} {\n"
                      "  llvm.return\n}\n",
                      forArch("sm_90a"), program),
              "program:1:1: error: is code by hand, and this interface "
              "compiles programs; 'drawloom compile' takes both");
}

TEST(DrawloomC, OneOfSeveralKernels) {
  std::string one = readExample("gemm.mlir"), two = one;
  two.replace(two.find("@gemm"), 5, "@second");
  Program program;
  ASSERT_EQ(words(compile(one + two, forArch("sm_90a"), program)), "");
  EXPECT_EQ(drawloomProgramCount(program.get()), 2u);
  EXPECT_NE(get(program, "text").find("@second"), std::string::npos);
  EXPECT_SAYS(fail(program, "mermaid"), "'program' holds several kernels; name "
                                        "one of @gemm, @second");
  EXPECT_SAYS(fail(program, "dot", "third"), "no kernel @third, only @gemm");
  DrawloomCompileOptions options = forArch("sm_90a");
  options.kernel = "@second";
  ASSERT_EQ(words(compile(one + two, options, program)), "");
  EXPECT_EQ(drawloomProgramCount(program.get()), 1u);
  options.arch = nullptr;
  EXPECT_SAYS(compile(one + two, options, program),
              "one kernel of several is compiled for an architecture: name "
              "that, too [api-argument]");
  options = forArch("sm_90a");
  options.stage = "plan";
  ASSERT_EQ(words(compile("", options, program)), "");
  EXPECT_SAYS(fail(program, "dot"), "'program' holds no kernel [no-kernel]");
}

TEST(DrawloomC, ThreadsCompileBesideEachOther) {
  std::string ptx[4];
  std::vector<std::thread> threads;
  for (std::string &made : ptx)
    threads.emplace_back([&] { made = get(compileGemm(), "ptx"); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_NE(ptx[0], "");
  for (const std::string &made : ptx)
    EXPECT_EQ(made, ptx[0]);
}

static DrawloomError *reschedule(const std::string &text, const char *fields,
                                 std::string &made) {
  DrawloomBytes bytes = {};
  DrawloomError *error =
      drawloomReschedule(text.data(), text.size(), "gemm.mlir", fields, &bytes);
  if (!error)
    made = take(bytes);
  return error;
}

TEST(DrawloomC, AnotherSchedule) {
  std::string gemm = readExample("gemm.mlir"), text;
  ASSERT_EQ(words(reschedule(gemm, "slots = {operands = 3}", text)), "");
  Program program;
  ASSERT_EQ(words(compile(text, forArch("sm_100a"), program)), "");
  EXPECT_NE(get(program, "text").find("operands       3"), std::string::npos);
  // What is rejected is said at the line of the first text, that of a load.
  ASSERT_EQ(words(reschedule(gemm, "slots = {operands = 5}", text)), "");
  EXPECT_SAYS(compile(text, forArch("sm_100a"), program), "gemm.mlir:16:");
  EXPECT_SAYS(reschedule(gemm, "slot = 3", text), "#tile.schedule<slot = 3>: ");
  EXPECT_SAYS(reschedule("oops\n", "", text), "gemm.mlir:1:1: error: ");
  EXPECT_SAYS(reschedule("", "", text),
              "'gemm.mlir' has no kernel over tiles and no function on "
              "tensors, which a schedule is for [no-kernel]");
}

//===----------------------------------------------------------------------===//
// Untrusted programs
//===----------------------------------------------------------------------===//

/// Why a text is rejected.
static std::string reject(const std::string &text) {
  Program program;
  return words(compile(text, forArch("sm_100a"), program));
}

TEST(DrawloomC, DeepTextsAreRejected) {
  const char *expected = "brackets are nested 257 deep here; the limit is 256";
  for (std::string opening : {"module attributes {a = ", "module {\n"}) {
    std::string text = opening;
    for (unsigned i = 0; i != 60'000; ++i)
      text += opening.back() == '\n' ? "module {\n" : "[";
    EXPECT_NE(reject(text).find(expected), std::string::npos);
    DrawloomBytes bytes = {};
    EXPECT_SAYS(drawloomReschedule(text.data(), text.size(), "a.mlir",
                                   "slots = {a = 1}", &bytes),
                expected);
  }
  std::string schedule = "tile = " + std::string(60'000, '[');
  std::string gemm = readExample("gemm.mlir");
  DrawloomBytes bytes = {};
  EXPECT_SAYS(drawloomReschedule(gemm.data(), gemm.size(), "a.mlir",
                                 schedule.c_str(), &bytes),
              expected);
}

TEST(DrawloomC, NamesThatPtxDoesNotHaveAreRejected) {
  std::string gemm = readExample("gemm.mlir");
  for (std::string name : {"a b", "\xc3\xa4", "a.b", "0a", "_", "a-b"}) {
    std::string text = gemm;
    text.replace(text.find("@gemm"), 5, "@\"" + name + "\"");
    EXPECT_NE(reject(text).find("the name '" + name + "' is no name in PTX"),
              std::string::npos)
        << reject(text);
  }
}

TEST(DrawloomC, ListsOfLinalgAreChecked) {
  EXPECT_NE(
      reject("func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
             "  %v = linalg.transpose ins(%x : tensor<4x4xf32>) outs(%x : "
             "tensor<4x4xf32>) permutation = [1, 18446744073709551615]\n"
             "  return %v : tensor<4x4xf32>\n}")
          .find("program:2:"),
      std::string::npos);
}

TEST(DrawloomC, MessagesAreUtf8) {
  EXPECT_NE(reject("tile.kernel @f(%A: !foo.bar<\"\xff\">) {\n}")
                .find("the text is not UTF-8"),
            std::string::npos);
}

TEST(ProgramMisuse, Null) {
  DrawloomProgram *program = nullptr;
  EXPECT_SAYS(drawloomCompile(nullptr, 3, nullptr, &program),
              "the argument 'text' is null [api-argument]");
  EXPECT_SAYS(drawloomCompile("", 0, nullptr, nullptr),
              "the argument 'program' is null [api-argument]");
  DrawloomBytes bytes;
  EXPECT_SAYS(drawloomProgramGet(nullptr, "ptx", nullptr, &bytes),
              "the argument 'program' is null [api-argument]");
  EXPECT_SAYS(drawloomReschedule(nullptr, 0, nullptr, "", &bytes),
              "the argument 'text' is null [api-argument]");
  EXPECT_SAYS(drawloomReschedule("", 0, nullptr, "", nullptr),
              "the argument 'bytes' is null [api-argument]");
  EXPECT_EQ(drawloomProgramCount(nullptr), 0u);
  EXPECT_EQ(drawloomProgramKernel(nullptr, 0), nullptr);
  EXPECT_STREQ(drawloomErrorText(nullptr), "");
  EXPECT_EQ(drawloomErrorCount(nullptr), 0u);
  EXPECT_STREQ(drawloomErrorAt(nullptr, 7).text, "");
  Program gemm = compileGemm();
  EXPECT_SAYS(drawloomProgramGet(gemm.get(), "ptx", nullptr, nullptr),
              "the argument 'bytes' is null [api-argument]");
  EXPECT_SAYS(drawloomProgramGet(gemm.get(), nullptr, nullptr, &bytes),
              "there are the forms");
  EXPECT_EQ(drawloomProgramKernel(gemm.get(), 1), nullptr);
}

TEST(ProgramMisuse, Options) {
  std::string text = readExample("gemm.mlir");
  auto says = [&](void (*change)(DrawloomCompileOptions &)) {
    DrawloomCompileOptions options = forArch("sm_90a");
    change(options);
    Program program;
    return words(compile(text, options, program));
  };
  EXPECT_EQ(says([](DrawloomCompileOptions &o) { o.structSize = 0; }),
            "structSize of DrawloomCompileOptions is 0; it is "
            "sizeof(DrawloomCompileOptions), " +
                std::to_string(sizeof(DrawloomCompileOptions)));
  EXPECT_EQ(says([](DrawloomCompileOptions &o) { o.arch = "sm_\xff"; }),
            "the arch is not UTF-8 at byte 3 [api-argument]");
  EXPECT_EQ(says([](DrawloomCompileOptions &o) { o.name = "\xff"; }),
            "the name is not UTF-8 at byte 0 [api-argument]");
  EXPECT_EQ(says([](DrawloomCompileOptions &o) {}), "");
  // A newer caller has more, and that is fine.
  EXPECT_EQ(says([](DrawloomCompileOptions &o) { o.structSize += 8; }), "");
}

TEST(ProgramMisuse, Text) {
  Program program;
  EXPECT_SAYS(compile("func.func @f() { \xff }", forArch("sm_90a"), program),
              "the text is not UTF-8 at byte 17 [api-argument]");
  // What is no name in PTX.
  std::string spaced =
      "func.func @\"my kernel\"(%x: tensor<?x64xf32>) -> "
      "tensor<?x64xf32> {\n  return %x : tensor<?x64xf32>\n}\n";
  EXPECT_NE(words(compile(spaced, forArch("sm_90a"), program)), "");
}

TEST(ProgramMisuse, Interrupted) {
  drawloomSetInterrupted([](void *) { return 1; }, nullptr);
  Program program;
  EXPECT_SAYS(compile(readExample("gemm.mlir"), forArch("sm_90a"), program),
              "interrupted [interrupted]");
  drawloomSetInterrupted(nullptr, nullptr);
  EXPECT_EQ(program, nullptr);
}
