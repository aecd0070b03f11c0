//===- compare-stages.cpp - Runs programs after each pass -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// compare-stages [FILE...] [--suite examples,graphs,breadth,clusters,...]
//     [--every N] [--part I/N] [--arch ARCH] [--orders N]
// compare-stages --bugs
//
// Interprets programs after each pass of the compiler and compares what they
// compute with the stage before. With --bugs, changes one operation after a
// pass and counts how many of these bugs the stage shows.

#include "RunStages.h"
#include "SeededBugs.h"
#include "common/Part.h"
#include "suite/ClusterCases.h"
#include "suite/ComposedCases.h"
#include "suite/ExampleCases.h"
#include "suite/GemmCases.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
namespace cl = llvm::cl;

static cl::OptionCategory category("compare-stages");
static cl::list<std::string> inputs(cl::Positional, cl::desc("FILE..."),
                                    cl::cat(category));
static cl::list<std::string>
    suites("suite", cl::CommaSeparated,
           cl::desc("examples, graphs, gemm, dynamic, clusters or breadth"),
           cl::cat(category));
static cl::list<std::string>
    filters("filter", cl::CommaSeparated,
            cl::desc("those with one of these in their name"),
            cl::cat(category));
static cl::opt<unsigned> most("most", cl::init(0),
                              cl::desc("so many of the files and of each "
                                       "suite, spread evenly; 0 for all"),
                              cl::cat(category));
static cl::opt<std::string> partText("part", cl::init("1/1"),
                                     cl::desc(Part::description),
                                     cl::cat(category));
static cl::opt<bool> isList("list", cl::desc("print the names, run none"),
                            cl::cat(category));
static cl::list<std::string> archs("arch", cl::CommaSeparated,
                                   cl::desc("sm_90a, sm_100a; without it both"),
                                   cl::cat(category));
static cl::opt<unsigned> orders("orders", cl::init(2),
                                cl::desc("orders of the roles"),
                                cl::cat(category));
static cl::opt<bool> isSeededBugs("bugs",
                                  cl::desc("seed bugs, and count those "
                                           "that are caught"),
                                  cl::cat(category));
static cl::opt<unsigned> atLeast("at-least", cl::init(1),
                                 cl::desc("fail if fewer stages are compared"),
                                 cl::cat(category));

static std::vector<suite::Case> makeSuite(llvm::StringRef name,
                                          llvm::StringRef arch) {
  if (name == "examples")
    return suite::makeExampleCases(arch);
  if (name == "graphs")
    return suite::makeGraphCases(arch);
  if (name == "gemm")
    return suite::makeGemmCases(arch, /*seed=*/1);
  if (name == "dynamic")
    return suite::makeDynamicCases(arch, /*seed=*/1);
  if (name == "clusters")
    return suite::makeClusterCases(arch, /*seed=*/1);
  return suite::makeComposedCases(arch, /*seed=*/1, /*count=*/500);
}

static llvm::Expected<std::vector<suite::Case>>
readFiles(llvm::StringRef arch) {
  std::vector<suite::Case> cases;
  for (const std::string &input : inputs) {
    auto file = llvm::MemoryBuffer::getFile(input);
    if (!file)
      return llvm::createStringError("cannot read '" + input + "'");
    suite::Case made;
    made.name = arch.str() + "-" + input;
    made.arch = arch.str();
    made.program = (*file)->getBuffer().str();
    cases.push_back(std::move(made));
  }
  return cases;
}

/// `most` of the cases, spread evenly.
static void append(std::vector<suite::Case> &all,
                   std::vector<suite::Case> cases) {
  llvm::erase_if(cases, [](const suite::Case &one) {
    return !one.rejection.empty() ||
           (!filters.empty() &&
            llvm::none_of(filters, [&](llvm::StringRef text) {
              return llvm::StringRef(one.name).contains(text);
            }));
  });
  size_t count = cases.size();
  size_t wanted = most == 0 ? count : std::min<size_t>(most, count);
  for (size_t i = 0; i < wanted; ++i)
    all.push_back(std::move(cases[i * count / wanted]));
}

static llvm::Expected<std::vector<suite::Case>> collect() {
  llvm::Expected<Part> part = Part::parse(partText);
  if (!part)
    return part.takeError();
  llvm::SmallVector<std::string> wanted(archs.begin(), archs.end());
  if (wanted.empty())
    wanted = {"sm_90a", "sm_100a"};
  std::vector<suite::Case> all;
  for (const std::string &arch : wanted) {
    auto files = readFiles(arch);
    if (!files)
      return files.takeError();
    append(all, std::move(*files));
    for (const std::string &name : suites)
      append(all, makeSuite(name, arch));
  }
  uint64_t index = 0;
  llvm::erase_if(all, [&](const suite::Case &) { return !part->has(index++); });
  return all;
}

static int compareAll(llvm::ArrayRef<suite::Case> cases) {
  stages::Counts counts;
  stages::Options options;
  options.orders = orders;
  for (const suite::Case &one : cases)
    for (const stages::Failure &failure :
         stages::runStages(one, options, counts)) {
      llvm::outs() << one.name << ": after " << failure.pass << ": "
                   << llvm::StringRef(failure.words).rtrim() << '\n';
      llvm::outs().flush();
    }
  llvm::outs() << "stages: " << counts.withinBound
               << " of the stages add in another order, and are within their "
                  "bound; "
               << counts.rejected << " programs are rejected\n"
               << "stages: " << counts.programs << " programs, "
               << counts.compared << " stages compared, " << counts.differ
               << " differ\n";
  return counts.differ == 0 && counts.compared >= atLeast ? 0 : 1;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Runs programs after each pass, and compares\n");
  if (isSeededBugs)
    return stages::runSeededBugs(filters);
  llvm::Expected<std::vector<suite::Case>> cases = collect();
  if (!cases) {
    llvm::errs() << "compare-stages: " << llvm::toString(cases.takeError())
                 << '\n';
    return 2;
  }
  if (!isList)
    return compareAll(*cases);
  for (const suite::Case &one : *cases)
    llvm::outs() << one.name << '\n';
  return 0;
}
