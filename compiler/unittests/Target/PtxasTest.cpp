//===- PtxasTest.cpp - Finding ptxas and reading its answers --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Target/Ptxas.h"
#include "PtxasFixture.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom::target;
namespace fs = llvm::sys::fs;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

TEST(PtxasOutput, VersionIsRead) {
  EXPECT_EQ(parseToolVersion("ptxas: NVIDIA (R) Ptx optimizing assembler\n"
                             "Cuda compilation tools, release 13.0, V13.0.88\n"
                             "Build cuda_13.0.r13.0/compiler.36424714_0\n"),
            (Version{13, 0, 88}));
  EXPECT_EQ(parseToolVersion("ls (GNU coreutils) 9.1"), std::nullopt);
}

TEST(PtxasOutput, ResourcesAreReadPerFunction) {
  PtxasReport report = parsePtxasOutput(
      "ptxas info    : 0 bytes gmem, 64 bytes cmem[3]\n"
      "ptxas info    : Compiling entry function 'k2' for 'sm_90a'\n"
      "ptxas info    : Function properties for k2\n"
      "    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 10 registers, used 4 barriers, 1000 bytes smem, "
      "400 bytes cmem[0], 8 bytes cmem[2]\n"
      "ptxas info    : Compile time = 15.344 ms\n"
      "ptxas info    : Function properties for f\n"
      "    0 bytes stack frame, 24 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "ptxas info    : Function properties for k\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 168 registers\n");
  EXPECT_TRUE(report.messages.empty());
  ASSERT_EQ(report.functions.size(), 3u);

  const FunctionResources &first = report.functions[0];
  EXPECT_EQ(first.name, "k2");
  EXPECT_TRUE(first.isKernel);
  EXPECT_TRUE(first.spills());
  EXPECT_EQ(first.registers, 10u);
  EXPECT_EQ(first.barriers, 4u);
  EXPECT_EQ(first.stackBytes, 16u);
  EXPECT_EQ(first.spillStoreBytes, 8u);
  EXPECT_EQ(first.spillLoadBytes, 12u);
  EXPECT_EQ(first.sharedBytes, 1000u);
  EXPECT_EQ(first.constantBytes, 408u);

  EXPECT_EQ(report.functions[1].name, "f");
  EXPECT_FALSE(report.functions[1].isKernel);
  EXPECT_EQ(report.functions[1].spillStoreBytes, 24u);
  EXPECT_EQ(report.functions[2].name, "k");
  EXPECT_EQ(report.functions[2].registers, 168u);
  EXPECT_FALSE(report.functions[2].spills());
}

TEST(PtxasOutput, MessagesHaveSeverityCodeLineAndText) {
  PtxasReport report = parsePtxasOutput(
      "ptxas a.ptx, line 6; error   : Unknown modifier '.bar'\n"
      "ptxas application ptx input, line 4; fatal   : (C7406) setmaxnreg.dec "
      "has register count (40)\n"
      "ptxas a.ptx, line 5; warning : .minnctapersm is ignored\n"
      "ptxas error   : Entry function 'k' uses too much shared data\n"
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async "
      "instructions are serialized in the function 'k'\n"
      "ptxas info    : something new\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n");
  ASSERT_EQ(report.messages.size(), 6u);
  EXPECT_TRUE(report.hasErrors());

  EXPECT_EQ(report.messages[0].severity, Severity::Error);
  EXPECT_EQ(report.messages[0].line, 6u);
  EXPECT_EQ(report.messages[0].text, "Unknown modifier '.bar'");
  EXPECT_EQ(report.messages[1].severity, Severity::Error);
  EXPECT_EQ(report.messages[1].line, 4u);
  EXPECT_EQ(report.messages[1].code, "C7406");
  EXPECT_EQ(report.messages[2].severity, Severity::Warning);
  EXPECT_EQ(report.messages[3].line, 0u);
  EXPECT_EQ(report.messages[3].function, "k");
  EXPECT_EQ(report.messages[4].severity, Severity::Warning);
  EXPECT_EQ(report.messages[4].code, "C7510");
  EXPECT_EQ(report.messages[5].severity, Severity::Info);
}

TEST(PtxasOutput, AnIgnoredRegisterBudgetIsAnError) {
  PtxasReport report = parsePtxasOutput(
      "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' "
      "ignored; unable to determine register count at entry.\n");
  ASSERT_EQ(report.messages.size(), 1u);
  EXPECT_TRUE(report.messages[0].isIgnoredRegisterBudget());
  EXPECT_TRUE(report.hasErrors());
}

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

namespace {
/// A folder of scripts that pretend to be ptxas.
class FindPtxas : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("drawloom-test", root));
  }
  void TearDown() override { fs::remove_directories(root); }

  std::string at(const llvm::Twine &name) const {
    return (root + "/" + name).str();
  }

  std::string fake(const llvm::Twine &name, llvm::StringRef version) const {
    std::string file = at(name);
    EXPECT_FALSE(fs::create_directories(llvm::sys::path::parent_path(file)));
    {
      std::error_code error;
      llvm::raw_fd_ostream os(file, error);
      os << "#!/bin/sh\necho 'Cuda compilation tools, release " << version
         << ", V" << version << "'\n";
    }
    EXPECT_FALSE(fs::setPermissions(file, fs::all_read | fs::all_exe));
    return file;
  }

  std::string find(const ToolSearch &search,
                   llvm::StringRef arch = "sm_100a") const {
    llvm::Expected<Ptxas> found =
        findPtxas(search, *llvm::cantFail(findArchitecture(arch)));
    return found ? found->path : llvm::toString(found.takeError());
  }

  llvm::SmallString<128> root;
};
} // namespace

TEST_F(FindPtxas, OrderIsVariablePythonCudaHomePath) {
  std::string variable = fake("named/ptxas", "12.9.1");
  std::string python =
      fake("env/lib/python3.12/site-packages/nvidia/cu13/bin/ptxas", "13.4.92");
  std::string home = fake("cuda/bin/ptxas", "13.0.88");
  std::string onPath = fake("bin/ptxas", "13.5.1");

  ToolSearch search{variable, {at("env")}, at("cuda"), {at("bin")}};
  EXPECT_EQ(find(search), variable);
  search.ptxasVariable.reset();
  EXPECT_EQ(find(search), python);
  search.pythonPrefixes.clear();
  EXPECT_EQ(find(search), home);
  search.cudaHome.reset();
  EXPECT_EQ(find(search), onPath);
}

TEST_F(FindPtxas, AllAreListedInOrder) {
  ToolSearch search{
      std::nullopt, {at("env")}, at("cuda"), {at("cuda/bin"), at("bin")}};
  fake("env/lib/python3.12/site-packages/nvidia/cuda_nvcc/bin/ptxas", "12.8.1");
  fake("env/lib/python3.12/site-packages/nvidia/cu13/bin/ptxas", "13.4.92");
  fake("cuda/bin/ptxas", "13.0.88");
  fake("bin/ptxas", "nothing");
  std::vector<PtxasCandidate> all = listPtxas(search);
  // The newer of one environment first, and no file twice.
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].version, (Version{13, 4, 92}));
  EXPECT_EQ(all[1].version, (Version{12, 8, 1}));
  EXPECT_EQ(all[2].origin, ToolOrigin::CudaHome);
  EXPECT_EQ(all[3].version, std::nullopt);
  EXPECT_EQ(all[3].problem,
            "'--version' names no CUDA release [ptxas-missing]");
}

TEST_F(FindPtxas, OneThatIsTooOldIsPassedOver) {
  fake("cuda/bin/ptxas", "12.8.93");
  std::string onPath = fake("bin/ptxas", "13.0.88");
  ToolSearch search{std::nullopt, {}, at("cuda"), {at("bin")}};
  EXPECT_EQ(find(search, "sm_100a"), onPath);
  EXPECT_EQ(find(search, "sm_90a"), at("cuda/bin/ptxas"));
}

TEST_F(FindPtxas, TheNamedOneIsNotPassedOver) {
  std::string variable = fake("named/ptxas", "12.8.93");
  fake("bin/ptxas", "13.0.88");
  ToolSearch search{variable, {}, std::nullopt, {at("bin")}};
  EXPECT_EQ(find(search),
            "no usable ptxas: sm_100a takes PTX 8.8, so the ptxas of CUDA 12.9 "
            "or newer\n"
            "  looked at: DRAWLOOM_PTXAS, pip-installed toolkits, CUDA_HOME "
            "and PATH\n"
            "  " +
                variable +
                " (DRAWLOOM_PTXAS): 12.8.93 is too old\n"
                "  install one with 'pip install nvidia-cuda-nvcc', or set "
                "DRAWLOOM_PTXAS to its path");
  search.ptxasVariable = at("missing");
  EXPECT_NE(find(search).find("(DRAWLOOM_PTXAS): there is no such file"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
class Assemble : public PtxasFixture {
protected:
  const Architecture &arch = *llvm::cantFail(findArchitecture("sm_90a"));
};
} // namespace

TEST_F(Assemble, GivesTheSameBytesTwice) {
  std::string ptx = kernel(arch, "ld.param.u64 %d0, [p]; st.global.u32 [%d0], "
                                 "1; bar.sync 3;");
  llvm::Expected<AssembledModule> first = run(arch, ptx);
  ASSERT_TRUE(bool(first)) << llvm::toString(first.takeError());
  llvm::Expected<AssembledModule> second = run(arch, ptx);
  ASSERT_TRUE(bool(second)) << llvm::toString(second.takeError());
  EXPECT_FALSE(first->cubin.empty());
  EXPECT_EQ(first->cubin, second->cubin);
  ASSERT_EQ(first->report.functions.size(), 1u);
  EXPECT_EQ(first->report.functions[0].name, "k");
  EXPECT_EQ(first->report.functions[0].barriers, 4u);
}

TEST_F(Assemble, RejectedTextIsAnAssemblyErrorWithLines) {
  llvm::Expected<AssembledModule> result =
      run(arch, kernel(arch, "bar.sync 0;\nfoo.bar %r0;"));
  ASSERT_FALSE(bool(result));
  llvm::Error error = result.takeError();
  ASSERT_TRUE(error.isA<AssemblyError>());
  EXPECT_EQ(llvm::toString(std::move(error)),
            "ptxas: line 8: Unknown modifier '.bar'\n"
            "ptxas: line 8: Not a name of any known instruction: 'foo'");
}

TEST_F(Assemble, AnIgnoredRegisterBudgetFails) {
  llvm::Expected<AssembledModule> result =
      run(arch,
          kernel(arch, "setmaxnreg.dec.sync.aligned.u32 40;", ".reqntid 128"));
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(llvm::toString(result.takeError()),
            "ptxas: (C7508) Potential Performance Loss: 'setmaxnreg' ignored; "
            "unable to determine register count at entry.");
}

TEST_F(Assemble, AToolThatCannotRunIsAPlainError) {
  Ptxas missing = ptxas;
  missing.path = "/nowhere/ptxas";
  llvm::Expected<AssembledModule> result =
      assemble(kernel(arch, ""), arch, missing);
  ASSERT_FALSE(bool(result));
  llvm::Error error = result.takeError();
  EXPECT_FALSE(error.isA<AssemblyError>());
  EXPECT_NE(llvm::toString(std::move(error)).find("cannot run /nowhere/ptxas"),
            std::string::npos);
}
