//===- check-layouts.cpp - Conversions of random layouts, run -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// check-layouts [--count N] [--seed S] [--only I] [--ptxas]
//
// Draws pairs of layouts at random, compiles a kernel for each that brings a
// tile from one to the other, runs it on the emulator in an order drawn at
// random, and compares what every thread ends up with, bit for bit, with what
// the other layout says it has. The checker listens: a barrier that is missing
// is found in any order. Many kernels are in one module.

#include "Kernel.h"
#include "RandomCase.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Checker/RaceChecker.h"
#include "drawloom/Conversion/Passes.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Emulator/Launch.h"
#include "drawloom/PTX/Parser.h"
#include "drawloom/Pipelines/Path.h"
#include "drawloom/Session/Compile.h"
#include "drawloom/Target/Architecture.h"
#include "drawloom/Target/Compile.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>

using namespace drawloom;
namespace cl = llvm::cl;

static cl::OptionCategory category("check-layouts");
static cl::opt<unsigned> caseCount("count", cl::init(200), cl::desc("pairs"),
                                   cl::cat(category));
static cl::opt<unsigned> seed("seed", cl::init(1), cl::desc("of the drawing"),
                              cl::cat(category));
static cl::opt<int> only("only", cl::init(-1),
                         cl::desc("print this case, compile it and run it"),
                         cl::cat(category));

static cl::opt<bool> assembles("ptxas", cl::desc("ptxas must take the code"),
                               cl::cat(category));

/// Kernels of one module.
static constexpr size_t batchSize = 25;

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static llvm::Expected<std::string> compileText(llvm::StringRef text) {
  mlir::DialectRegistry dialects;
  registerProgramDialects(dialects);
  mlir::MLIRContext context(dialects, mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return fail("a kernel is not parsed");
  llvm::Expected<const target::Architecture *> arch =
      target::findArchitecture("sm_100a");
  if (!arch)
    return arch.takeError();
  mlir::PassManager passes(&context);
  // The kernels have no pipes: what comes before has nothing to do.
  passes.addPass(agent::createStageConversions());
  passes.addPass(createConvertAgentToNVVM());
  buildNVVM(passes, (*arch)->name, /*unproved=*/false);
  if (failed(passes.run(*module)))
    return fail("a kernel is not converted");
  llvm::LLVMContext llvmContext;
  mlir::FailureOr<std::unique_ptr<llvm::Module>> code =
      target::translateToLLVM(*module, **arch, llvmContext);
  if (failed(code))
    return fail("a kernel is not translated");
  mlir::FailureOr<std::string> ptx =
      target::emitPTX(std::move(*code), **arch, module->getLoc());
  if (failed(ptx))
    return fail("a kernel has no code");
  if (assembles) {
    llvm::Expected<target::Ptxas> ptxas =
        target::findPtxas(target::ToolSearch::fromEnvironment(), **arch);
    if (!ptxas)
      return ptxas.takeError();
    if (failed(target::assembleModule(*module, *ptx, **arch, *ptxas)))
      return fail("ptxas does not take a kernel");
  }
  return *ptx;
}

static std::string printModule(llvm::ArrayRef<LayoutCase> cases, size_t first) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [index, one] : llvm::enumerate(cases))
    printKernel(os, "case" + std::to_string(first + index), one);
  return text;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// The bits of an element, by where it is in the tile. Odd multiples of a large
/// number differ in every bit, and no two elements of a tile are alike.
static uint64_t getBits(const tile::Layout &layout,
                        llvm::ArrayRef<int64_t> coordinates,
                        const LayoutCase &one) {
  uint64_t number = 0;
  for (auto [coordinate, output] :
       llvm::zip_equal(coordinates, layout.getOutputs()))
    number = number * output.size + coordinate;
  uint64_t bits = (2 * number + 1) * 0x9e3779b97f4a7c15u;
  bits >>= 64 - 8 * one.elementBytes;
  return one.element == "i1" ? bits & 1 : bits;
}

/// What the threads have of the tile, one behind the other.
static std::vector<char> getRegisters(const tile::Layout &layout,
                                      const LayoutCase &one) {
  std::vector<char> all;
  for (int64_t thread = 0; thread < one.getThreads(); ++thread)
    for (int64_t number = 0; number < layout.getInputSize(0); ++number) {
      uint64_t bits = getBits(
          layout, layout.apply({number, thread % 32, thread / 32}), one);
      const char *bytes = reinterpret_cast<const char *>(&bits);
      all.insert(all.end(), bytes, bytes + one.elementBytes);
    }
  return all;
}

/// Runs one kernel. What is wrong, or nothing.
static llvm::Expected<std::string> runCase(emu::Device &device,
                                           const emu::Kernel &kernel,
                                           const LayoutCase &one,
                                           uint64_t order) {
  std::vector<char> input = getRegisters(one.from, one),
                    expected = getRegisters(one.to, one);
  llvm::Expected<uint64_t> in = device.memory().allocate(input.size());
  if (!in)
    return in.takeError();
  llvm::Expected<uint64_t> out = device.memory().allocate(expected.size());
  if (!out)
    return out.takeError();
  std::memcpy(device.memory().translate(*in, input.size()), input.data(),
              input.size());
  char *output = device.memory().translate(*out, expected.size());
  // No element is all ones.
  std::memset(output, 0xff, expected.size());

  emu::Launch launch;
  launch.kernel = &kernel;
  launch.grid = launch.cluster = {1, 1, 1};
  launch.block = {unsigned(llvm::alignTo(one.getThreads(), 128)), 1, 1};
  launch.dynamicShared = kernelSharedBytes;
  launch.parameters.resize(kernel.parameterBytes);
  int32_t offset = 0;
  for (int64_t given : one.offsets)
    offset = std::max<int32_t>(offset, int32_t(given));
  std::memcpy(launch.parameters.data(), &*in, 8);
  std::memcpy(launch.parameters.data() + 8, &*out, 8);
  // The rows of the two views, one for each thread.
  for (auto [place, layout] : {std::pair(16, &one.from), {24, &one.to}}) {
    int64_t stride = layout->getInputSize(0);
    std::memcpy(launch.parameters.data() + place, &stride, 8);
  }
  std::memcpy(launch.parameters.data() + 32, &offset, 4);
  emu::RunOptions options;
  options.policy = emu::Policy::Random;
  options.seed = order;
  options.threads = 1;
  checker::RaceChecker races;
  options.listener = &races;
  emu::RunResult result = emu::run(device, {launch}, options);
  std::string mismatch;
  if (!result.ok()) {
    mismatch = result.report->str();
  } else if (races.count(checker::Severity::Error)) {
    for (const checker::Finding &finding : races.findings())
      mismatch += finding.str();
  } else if (std::memcmp(output, expected.data(), expected.size())) {
    size_t at = 0;
    while (output[at] == expected[at])
      ++at;
    int64_t place = int64_t(at) / one.elementBytes,
            registers = one.to.getInputSize(0);
    mismatch = ("thread " + llvm::Twine(place / registers) + " has another " +
                "element in register " + llvm::Twine(place % registers))
                   .str();
  }
  if (llvm::Error error = device.memory().free(*in))
    return error;
  if (llvm::Error error = device.memory().free(*out))
    return error;
  return mismatch;
}

/// Compiles and runs some cases; gives the number of those that match.
static llvm::Expected<size_t> runBatch(llvm::ArrayRef<LayoutCase> cases,
                                       size_t first) {
  std::string text = printModule(cases, first);
  llvm::Expected<std::string> ptx = compileText(text);
  if (!ptx) {
    llvm::errs() << text;
    return ptx.takeError();
  }
  if (only >= 0)
    llvm::outs() << text << *ptx;
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(*ptx, "layouts.ptx"));
  if (!parsed)
    return fail(parsed.str());
  llvm::Expected<std::unique_ptr<emu::Device>> device =
      emu::Device::create(*emu::findDeviceModel("b200"));
  if (!device)
    return device.takeError();
  llvm::Expected<std::unique_ptr<emu::LoadedModule>> module =
      (*device)->load(std::move(parsed.module));
  if (!module)
    return module.takeError();
  size_t right = 0;
  for (auto [index, one] : llvm::enumerate(cases)) {
    std::string name = "case" + std::to_string(first + index);
    llvm::Expected<const emu::Kernel *> kernel = (*module)->kernel(name);
    if (!kernel)
      return kernel.takeError();
    llvm::Expected<std::string> mismatch =
        runCase(**device, **kernel, one, first + index);
    if (!mismatch)
      return mismatch.takeError();
    if (mismatch->empty()) {
      ++right;
      continue;
    }
    llvm::outs() << name << ": " << *mismatch << '\n';
    printKernel(llvm::outs(), name, one);
  }
  return right;
}

/// What was drawn: a line of counts.
static llvm::Error printCounts(llvm::ArrayRef<LayoutCase> cases) {
  size_t shared = 0;
  std::map<layouts::Way, unsigned> ways;
  for (const LayoutCase &one : cases) {
    shared += one.buffer.has_value();
    if (one.buffer)
      continue;
    llvm::Expected<layouts::Conversion> conversion =
        layouts::planConversion(one.from, one.to, one.elementBytes);
    if (!conversion)
      return conversion.takeError();
    ++ways[conversion->way];
  }
  llvm::outs() << "seed " << seed << ": in registers " << cases.size() - shared
               << " (" << ways[layouts::Way::Nothing] << " the same, "
               << ways[layouts::Way::Registers] << " in the thread, "
               << ways[layouts::Way::Shuffles] << " by shuffles, "
               << ways[layouts::Way::Scratch] << " through scratch), by shared "
               << "memory " << shared << '\n';
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Converts tiles between random layouts\n");
  std::mt19937 random(seed);
  std::vector<LayoutCase> cases;
  for (unsigned i = 0; i < caseCount; ++i)
    cases.push_back(makeRandomCase(random));
  auto report = [](llvm::Error error) {
    llvm::errs() << "check-layouts: " << llvm::toString(std::move(error))
                 << '\n';
    return 1;
  };
  if (llvm::Error error = printCounts(cases))
    return report(std::move(error));
  llvm::ArrayRef<LayoutCase> rest = cases;
  size_t first = 0, right = 0;
  if (only >= 0) {
    first = std::min<size_t>(only, rest.size());
    rest = rest.slice(first).take_front(1);
  }
  size_t count = rest.size();
  while (!rest.empty()) {
    llvm::ArrayRef<LayoutCase> batch = rest.take_front(batchSize);
    llvm::Expected<size_t> matching = runBatch(batch, first);
    if (!matching)
      return report(matching.takeError());
    right += *matching;
    first += batch.size();
    rest = rest.drop_front(batch.size());
  }
  llvm::outs() << "layouts: " << right << " of " << count
               << " conversions match\n";
  return right == count ? 0 : 1;
}
