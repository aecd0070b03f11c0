//===- check-resources.cpp - Does ptxas need what the plan says? ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// check-resources --arch ARCH [--suite] [FILE...]
//
// Assembles files and, with --suite, matrix products of every type with every
// epilogue and tiles of 128 x 256, and compares with the plan:
//
//   registers      what ptxas gives a thread at entry is what the plan enters
//                  with
//   shared memory  none but the dynamic one of the plan
//   spills         none
//   warnings       none: neither a setmaxnreg that is ignored (C7508) nor wgmma
//                  instructions that are put in a row (C7510)

#include "drawloom/Session/Compile.h"
#include "drawloom/Target/Architecture.h"
#include "drawloom/Target/Ptxas.h"
#include "suite/GemmCases.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
namespace cl = llvm::cl;

static cl::OptionCategory category("check-resources");
static cl::list<std::string> inputs(cl::Positional, cl::desc("FILE..."),
                                    cl::cat(category));
static cl::list<std::string> archs("arch", cl::CommaSeparated, cl::OneOrMore,
                                   cl::desc("GPUs: sm_90a,sm_100a"),
                                   cl::cat(category));
static cl::opt<bool> isSuite("suite",
                             cl::desc("the matrix products of the suite"),
                             cl::cat(category));

namespace {
struct Text {
  std::string name, arch, program;
};
} // namespace

/// What is wrong with the kernel of `text`; empty if nothing is.
static std::string check(const Text &text, const CompileOptions &options) {
  llvm::Expected<CompiledModule> module =
      compile(text.program, options, text.name);
  if (!module)
    return llvm::toString(module.takeError());
  for (const target::PtxasMessage &message : module->report.messages)
    if (message.severity != target::Severity::Info)
      return "ptxas: " + message.text;
  for (const CompiledKernel &kernel : module->kernels)
    for (const target::FunctionResources &used : module->report.functions) {
      if (used.name != kernel.plan.kernel)
        continue;
      if (used.spills())
        return llvm::formatv("spills {0} bytes and loads {1} back",
                             used.spillStoreBytes, used.spillLoadBytes);
      if (kernel.plan.entryRegisters &&
          used.registers != *kernel.plan.entryRegisters)
        return llvm::formatv("{0} registers at entry, the plan says {1}",
                             used.registers, *kernel.plan.entryRegisters);
      if (used.sharedBytes != 0)
        return llvm::formatv("{0} bytes of static shared memory, the plan says "
                             "none",
                             used.sharedBytes);
    }
  return "";
}

static llvm::Expected<std::vector<Text>> collect() {
  std::vector<Text> texts;
  for (const std::string &arch : archs) {
    if (isSuite)
      for (const suite::Case &one : suite::makeDefaultTiles(arch))
        texts.push_back({one.name, arch, one.program});
    for (const std::string &input : inputs) {
      auto file = llvm::MemoryBuffer::getFile(input);
      if (!file)
        return llvm::createStringError("cannot read '" + input + "'");
      texts.push_back({(arch + "-" + llvm::sys::path::stem(input)).str(), arch,
                       (*file)->getBuffer().str()});
    }
  }
  return texts;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Compares what ptxas needs with what was planned\n");
  auto fail = [](llvm::Error error) {
    llvm::errs() << "check-resources: " << llvm::toString(std::move(error))
                 << '\n';
    return 1;
  };
  llvm::Expected<std::vector<Text>> texts = collect();
  if (!texts)
    return fail(texts.takeError());
  size_t right = 0;
  for (const Text &text : *texts) {
    llvm::Expected<const target::Architecture *> arch =
        target::findArchitecture(text.arch);
    if (!arch)
      return fail(arch.takeError());
    llvm::Expected<target::Ptxas> ptxas =
        target::findPtxas(target::ToolSearch::fromEnvironment(), **arch);
    if (!ptxas)
      return fail(ptxas.takeError());
    std::string error = check(
        text, {.arch = *arch, .stopAfter = Stage::Cubin, .ptxas = *ptxas});
    right += error.empty();
    if (!error.empty())
      llvm::outs() << text.name << ": " << error << '\n';
  }
  llvm::outs() << "resources: " << right << " of " << texts->size()
               << " kernels as planned\n";
  return right == texts->size() ? 0 : 1;
}
