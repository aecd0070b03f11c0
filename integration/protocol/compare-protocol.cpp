//===- compare-protocol.cpp - Compares plans with the PTX made from them --===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// compare-protocol [--arch ARCH] [--ptx FILE] FILE...
// compare-protocol --suite [--clusters] [--every N] [--part I/N] [--arch ARCH]
//
// Compiles tile programs, from files or those of the numeric suite, and
// compares each kernel's PTX with its plan. With --ptx, compares that text
// instead, which is how tests show that a change of one number is found.

#include "CompileText.h"
#include "Protocol.h"
#include "common/Part.h"
#include "drawloom/PTX/Parser.h"
#include "suite/ClusterCases.h"
#include "suite/GemmCases.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
namespace cl = llvm::cl;

static cl::OptionCategory category("compare-protocol");
static cl::list<std::string> inputs(cl::Positional, cl::desc("FILE..."),
                                    cl::cat(category));
static cl::opt<bool> isSuite("suite",
                             cl::desc("the programs of the numeric suite"),
                             cl::cat(category));
static cl::opt<bool> isClusters("clusters",
                                cl::desc("with --suite: those in clusters"),
                                cl::cat(category));
static cl::list<std::string>
    filters("filter", cl::CommaSeparated,
            cl::desc("those with one of these in their name"),
            cl::cat(category));
static cl::opt<unsigned> every("every", cl::desc("every n-th of them"),
                               cl::init(1), cl::cat(category));
static cl::opt<std::string> partText("part", cl::init("1/1"),
                                     cl::desc(Part::description),
                                     cl::cat(category));
static cl::opt<bool> isList("list", cl::desc("print the names, compile none"),
                            cl::cat(category));
static cl::opt<std::string> arch("arch",
                                 cl::desc("the GPU; without it, what "
                                          "the kernels say"),
                                 cl::cat(category));
static cl::opt<std::string> ptxFile("ptx", cl::desc("compare this PTX instead"),
                                    cl::cat(category));
static cl::opt<std::string> emitFile("emit-ptx",
                                     cl::desc("write the PTX to this file"),
                                     cl::cat(category));

/// What a copy with each parameter moves, if it is a tensor map.
static std::vector<int64_t> getBoxBytes(const runtime::KernelInfo &info) {
  std::vector<int64_t> bytes;
  for (const runtime::Parameter &parameter : info.parameters) {
    int64_t size = 0;
    if (parameter.kind == runtime::Parameter::Kind::TensorMap)
      size = info.arguments[parameter.argument].type->bytes;
    for (int64_t extent : parameter.box)
      size *= extent;
    bytes.push_back(size);
  }
  return bytes;
}

static llvm::Error compare(const CompiledModule &compiled) {
  std::string text = compiled.ptx;
  if (!ptxFile.empty()) {
    auto file = llvm::MemoryBuffer::getFile(ptxFile);
    if (!file)
      return llvm::createStringError("cannot read '" + ptxFile + "'");
    text = (*file)->getBuffer().str();
  }
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(text, "ptx"));
  if (!parsed)
    return llvm::createStringError(parsed.str());
  auto compareOne = [&](const plan::Plan &plan,
                        const runtime::KernelInfo &info) -> llvm::Error {
    const ptx::Function *kernel = parsed.module->findFunction(plan.kernel);
    if (!kernel)
      return llvm::createStringError("the PTX has no @" + plan.kernel);
    return protocol::compare(plan, getBoxBytes(info), *kernel);
  };
  for (const CompiledKernel &kernel : compiled.kernels) {
    if (llvm::Error error = compareOne(kernel.plan, kernel.info))
      return error;
    for (auto [plan, info] :
         llvm::zip_equal(kernel.fallback, kernel.info.fallback))
      if (llvm::Error error = compareOne(plan, info))
        return error;
  }
  return llvm::Error::success();
}

namespace {
struct Source {
  std::string name, text, arch;
};
} // namespace

static llvm::Expected<std::vector<Source>> collectSources() {
  llvm::Expected<Part> part = Part::parse(partText);
  if (!part)
    return part.takeError();
  std::vector<Source> sources;
  for (const std::string &input : inputs) {
    auto file = llvm::MemoryBuffer::getFile(input);
    if (!file)
      return llvm::createStringError("cannot read '" + input + "'");
    sources.push_back({input, (*file)->getBuffer().str(), arch});
  }
  std::vector<std::string> archs = {"sm_90a", "sm_100a"};
  if (!arch.empty())
    archs = {arch};
  for (size_t i = 0; isSuite && i != archs.size(); ++i) {
    std::vector<suite::Case> cases =
        isClusters ? suite::makeClusterCases(archs[i], /*seed=*/1)
                   : suite::makeGemmCases(archs[i], /*seed=*/1);
    llvm::erase_if(cases, [](const suite::Case &one) {
      return !filters.empty() &&
             llvm::none_of(filters, [&](llvm::StringRef part) {
               return llvm::StringRef(one.name).contains(part);
             });
    });
    for (size_t j = 0; j < cases.size(); j += std::max(1u, every.getValue()))
      if (cases[j].rejection.empty())
        sources.push_back({cases[j].name, cases[j].program, archs[i]});
  }
  uint64_t index = 0;
  llvm::erase_if(sources, [&](const Source &) { return !part->has(index++); });
  return sources;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Compares plans of kernels with the PTX made from them\n");
  llvm::Expected<std::vector<Source>> sources = collectSources();
  if (!sources) {
    llvm::errs() << "compare-protocol: " << llvm::toString(sources.takeError())
                 << '\n';
    return 1;
  }
  if (isList) {
    for (const Source &source : *sources)
      llvm::outs() << source.name << '\n';
    return 0;
  }
  unsigned kernels = 0, failed = 0;
  for (const Source &source : *sources) {
    llvm::Expected<CompiledModule> compiled =
        protocol::compileText(source.text, source.name, source.arch);
    if (!compiled) {
      llvm::outs() << llvm::toString(compiled.takeError()) << '\n';
      ++failed;
      continue;
    }
    if (!emitFile.empty()) {
      std::error_code error;
      llvm::raw_fd_ostream os(emitFile, error);
      if (!error)
        os << compiled->ptx;
    }
    for (const CompiledKernel &kernel : compiled->kernels)
      kernels += 1 + kernel.fallback.size();
    if (llvm::Error error = compare(*compiled)) {
      llvm::outs() << source.name
                   << ": error: " << llvm::toString(std::move(error)) << '\n';
      ++failed;
    }
  }
  if (failed) {
    llvm::outs() << "protocol: " << failed << " of " << sources->size()
                 << " programs failed\n";
    return 1;
  }
  llvm::outs() << "protocol: plan and PTX agree for " << kernels
               << (kernels == 1 ? " kernel\n" : " kernels\n");
  return 0;
}
