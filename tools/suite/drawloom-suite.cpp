//===- drawloom-suite.cpp - Runs the numeric suite ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tool for tests: the cases of a suite, or some of them, for one or both
// architectures. The last line says how many match, and so does the exit code.
// `drawloom selftest` is the same for users.
//
//===----------------------------------------------------------------------===//

#include "common/Part.h"
#include "drawloom/Target/Architecture.h"
#include "suite/ClusterCases.h"
#include "suite/ComposedCases.h"
#include "suite/ExampleCases.h"
#include "suite/GemmCases.h"
#include "suite/RunSuite.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include <chrono>

using namespace drawloom;
using namespace drawloom::suite;
namespace cl = llvm::cl;

static cl::OptionCategory category("drawloom-suite");
static cl::opt<std::string>
    suiteName(cl::Positional, cl::Required,
              cl::desc("gemm, dynamic, clusters, tiles, examples, graphs or "
                       "breadth"),
              cl::cat(category));
static cl::list<std::string> archs("arch",
                                   cl::desc("sm_90a, sm_100a; without it both"),
                                   cl::CommaSeparated, cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("Of what is drawn"), cl::init(1),
                              cl::cat(category));
static cl::opt<unsigned> count("count",
                               cl::desc("Programs of breadth, for each "
                                        "architecture"),
                               cl::init(500), cl::cat(category));
static cl::opt<unsigned>
    mostRejected("most-rejected",
                 cl::desc("Fail if more of a hundred programs are rejected"),
                 cl::init(100), cl::cat(category));
static cl::opt<unsigned> jobs("jobs", cl::desc("Processes"), cl::init(1),
                              cl::cat(category));
static cl::list<std::string>
    filters("filter", cl::desc("Cases with one of these in their name"),
            cl::CommaSeparated, cl::cat(category));
static cl::opt<unsigned> every("every", cl::desc("Every n-th of them"),
                               cl::init(1), cl::cat(category));
static cl::opt<std::string> partText("part", cl::init("1/1"),
                                     cl::desc(Part::description),
                                     cl::cat(category));
static cl::opt<unsigned>
    orders("orders",
           cl::desc("Run under so many random orders and every "
                    "adversarial one, too, each with 1, 2 and 4 threads"),
           cl::init(0), cl::cat(category));
static cl::opt<bool> compileOnly("compile", cl::desc("Compile, run nothing"),
                                 cl::cat(category));
static cl::opt<std::string> dumpFolder("dump",
                                       cl::desc("Where to write PTX and plans"),
                                       cl::value_desc("folder"),
                                       cl::cat(category));
static cl::opt<bool> printRejections("rejections",
                                     cl::desc("Print why cases are rejected"),
                                     cl::cat(category));
static cl::opt<bool> list("list", cl::desc("Print the names, run nothing"),
                          cl::cat(category));
static cl::opt<bool> printProgram("print",
                                  cl::desc("Print the programs, run nothing"),
                                  cl::cat(category));
static cl::opt<unsigned> atLeast("at-least",
                                 cl::desc("Fail if there are fewer cases"),
                                 cl::init(1), cl::cat(category));

/// `index` counts the cases that parts divide, over all architectures.
static std::vector<Case> makeCases(llvm::StringRef arch, const Part &part,
                                   uint64_t &index) {
  std::vector<Case> cases =
      suiteName == "gemm"       ? makeGemmCases(arch, seed)
      : suiteName == "dynamic"  ? makeDynamicCases(arch, seed)
      : suiteName == "clusters" ? makeClusterCases(arch, seed)
      : suiteName == "tiles"    ? makeDefaultTiles(arch)
      : suiteName == "examples" ? makeExampleCases(arch)
      : suiteName == "breadth"  ? makeComposedCases(arch, seed, count)
                                : makeGraphCases(arch);
  if (!filters.empty())
    llvm::erase_if(cases, [](const Case &one) {
      return llvm::none_of(filters, [&](llvm::StringRef part) {
        return llvm::StringRef(one.name).contains(part);
      });
    });
  std::vector<Case> result;
  for (size_t i = 0; i < cases.size(); i += std::max(1u, every.getValue()))
    if (part.has(index++))
      result.push_back(std::move(cases[i]));
  return result;
}

namespace {
struct Counts {
  size_t total = 0, matching = 0, rejected = 0, several = 0;
  double largestShare = 0;
};
} // namespace

/// Runs the cases of an architecture, and prints those that don't match.
static llvm::Error runCases(llvm::ArrayRef<Case> cases,
                            const target::Architecture &arch, Counts &counts) {
  RunSuiteOptions options;
  options.jobs = jobs;
  if (!compileOnly)
    options.device = run::getEmulatedDevice(arch).str();
  options.cases.orders = orders;
  options.cases.dumpFolder = dumpFolder;
  return runSuite(cases, options, [&](size_t index, const CaseResult &result) {
    ++counts.total;
    counts.matching += result.matches;
    counts.rejected += result.matches && result.wasRejected;
    counts.several += result.matches && cases[index].itemsPerCta >= 3;
    counts.largestShare = std::max(counts.largestShare, result.largestShare);
    if (!result.matches || (printRejections && result.wasRejected))
      llvm::outs() << cases[index].name << ": "
                   << llvm::StringRef(result.words).rtrim() << '\n';
    llvm::outs().flush();
  });
}

static void printCounts(const Counts &counts, double seconds) {
  bool isDrawn = suiteName == "breadth";
  if (isDrawn)
    llvm::outs() << llvm::formatv(
        "{0}: seed {1}, {2} of {3} ran and {4} were rejected while planning, "
        "largest error {5:f1}% of its bound, {6:f1} s\n",
        suiteName, seed, counts.matching - counts.rejected, counts.total,
        counts.rejected, 100 * counts.largestShare, seconds);
  else
    llvm::outs() << llvm::formatv(
        "{0}: seed {1}, {2} rejected by name, {3} with three or more work "
        "items "
        "per CTA, largest error {4:f1}% of its bound, {5:f1} s\n",
        suiteName, seed, counts.rejected, counts.several,
        100 * counts.largestShare, seconds);
  llvm::outs() << suiteName << ": " << counts.matching << " of " << counts.total
               << (isDrawn ? " programs" : " cases") << " match\n";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Runs the numeric suite\n");
  if (!llvm::is_contained({"gemm", "dynamic", "clusters", "tiles", "examples",
                           "graphs", "breadth"},
                          suiteName)) {
    llvm::errs() << "drawloom-suite: the suites are gemm, dynamic, clusters, "
                    "tiles, examples, graphs, breadth\n";
    return 2;
  }
  if (suiteName == "tiles" && !compileOnly) {
    llvm::errs()
        << "drawloom-suite: tiles are there to be compiled: --compile\n";
    return 2;
  }
  llvm::Expected<Part> part = Part::parse(partText);
  if (!part) {
    llvm::errs() << "drawloom-suite: " << llvm::toString(part.takeError())
                 << '\n';
    return 2;
  }
  llvm::SmallVector<std::string> wanted(archs.begin(), archs.end());
  if (wanted.empty())
    wanted = {"sm_90a", "sm_100a"};
  auto begin = std::chrono::steady_clock::now();
  uint64_t index = 0;
  Counts counts;
  for (llvm::StringRef name : wanted) {
    llvm::Expected<const target::Architecture *> arch =
        target::findArchitecture(name);
    if (!arch) {
      llvm::errs() << "drawloom-suite: " << llvm::toString(arch.takeError())
                   << '\n';
      return 2;
    }
    std::vector<Case> cases = makeCases(name, *part, index);
    if (list || printProgram) {
      for (const Case &one : cases)
        llvm::outs() << "// " << one.name << '\n'
                     << (printProgram ? one.program : "");
      continue;
    }
    if (llvm::Error error = runCases(cases, **arch, counts)) {
      llvm::errs() << "drawloom-suite: " << llvm::toString(std::move(error))
                   << '\n';
      return 1;
    }
  }
  if (list || printProgram)
    return 0;
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  printCounts(counts, seconds);
  return counts.matching == counts.total && counts.total >= atLeast &&
                 counts.rejected * 100 <= mostRejected * counts.total
             ? 0
             : 1;
}
