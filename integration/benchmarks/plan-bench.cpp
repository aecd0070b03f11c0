//===- plan-bench.cpp - How long a plan takes -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans bf16(A * B^T + bias) again and again on one thread, from the C++
// builder to the placed roles with their proof, and prints the milliseconds of
// each stage: the median of the rounds. Each round has a context of its own, as
// a compiler process would; making that is a stage like the others.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Frontend/Fusion.h"
#include "drawloom/InitAll.h"
#include "drawloom/Pipelines/Path.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace drawloom;
using Clock = std::chrono::steady_clock;

static llvm::cl::OptionCategory category("plan-bench");
static llvm::cl::opt<unsigned>
    rounds("rounds", llvm::cl::init(21),
           llvm::cl::desc("How often to plan (default 21)"),
           llvm::cl::cat(category));
static llvm::cl::opt<std::string>
    targetName("target", llvm::cl::init("sm_100a"),
               llvm::cl::desc("The architecture (default sm_100a)"),
               llvm::cl::cat(category));

namespace {
using Times = llvm::MapVector<llvm::StringRef, std::vector<double>>;

double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

/// Writes down how long each pass runs. The round's number tells the second run
/// of a pass in one round from the first of the next.
class StopWatch : public mlir::PassInstrumentation {
public:
  StopWatch(Times &times, size_t round) : times(times), round(round) {}
  void runBeforePass(mlir::Pass *, mlir::Operation *) override {
    start = Clock::now();
  }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *) override {
    if (pass->getArgument().empty())
      return;
    std::vector<double> &rounds = times[pass->getArgument()];
    rounds.resize(round + 1);
    rounds.back() += since(start);
  }

private:
  Times &times;
  size_t round;
  Clock::time_point start;
};
} // namespace

static double median(std::vector<double> values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

static llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
build(mlir::MLIRContext &context) {
  using namespace frontend;
  Fusion fusion("linear");
  Tensor a = fusion.input("a", {"M", "K"}, DataType::BF16);
  Tensor b = fusion.input("b", {"N", "K"}, DataType::BF16);
  Tensor bias = fusion.input("bias", {"M", "N"}, DataType::BF16);
  fusion.output("d", cast(add(matmul(a, transpose(b)), bias), DataType::BF16));
  fusion.target(targetName);
  return fusion.build(context);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(argc, argv, "how long a plan takes\n");
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  Times times;
  for (unsigned round = 0; round < std::max(1u, rounds.getValue()); ++round) {
    Clock::time_point whole = Clock::now();
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    times["context"].push_back(since(whole));
    Clock::time_point start = Clock::now();
    llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = build(context);
    if (!module) {
      llvm::errs() << llvm::toString(module.takeError()) << '\n';
      return 1;
    }
    times["builder"].push_back(since(start));
    mlir::PassManager passes(&context);
    buildFrontHalf(passes);
    passes.addInstrumentation(std::make_unique<StopWatch>(times, round));
    if (mlir::failed(passes.run(**module)))
      return 1;
    times["total"].push_back(since(whole));
  }
  for (const auto &[stage, values] : times)
    if (stage != "total")
      llvm::outs() << llvm::format("%-24s %7.2f ms\n", stage.str().c_str(),
                                   median(values));
  llvm::outs() << llvm::format("%-24s %7.2f ms (verifiers included)\n", "total",
                               median(times["total"]));
  return 0;
}
