//===- Selftest.cpp - drawloom selftest -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Verb.h"
#include "drawloom/Target/Architecture.h"
#include "suite/ClusterCases.h"
#include "suite/ExampleCases.h"
#include "suite/GemmCases.h"
#include "suite/RunSuite.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Threading.h"
#include <chrono>

using namespace drawloom;
using namespace drawloom::suite;

namespace {
struct SelftestOptions {
  std::string device;
  uint64_t seed = 1;
  unsigned jobs = 1;
  unsigned every = 1;
};

/// What became of a suite.
struct Tally {
  size_t total = 0, matching = 0, rejected = 0, differentCases = 0;
  int64_t elements = 0, differing = 0;
  double largestShare = 0;
};
} // namespace

static void printSelftestHelp() {
  llvm::outs()
      << "drawloom selftest - run the numeric suite on a GPU or an emulated "
         "one\n"
         "\n"
         "Usage: drawloom selftest --device DEVICE [options]\n"
         "\n"
         "Compiles hundreds of matrix products, static, with dynamic "
         "scheduling and in\n"
         "clusters, the programs of examples/, and graphs of roles that the "
         "examples don't\n"
         "have, for the device, runs them, and compares each result with the "
         "reference\n"
         "interpreter, to the bound that follows from the program. On a GPU "
         "every case\n"
         "also runs on the emulator, and the two are compared bit by bit.\n"
         "\n"
         "Options:\n"
         "  --device DEVICE  cuda, a GPU of this machine, or an emulated h100 "
         "or b200\n"
         "  --seed N         draw other cases (1)\n"
         "  --every N        only every N-th matrix product, to be done "
         "sooner\n"
         "  --jobs N         processes; without it, one for each core, and one "
         "on a GPU\n"
         "  --help           this text\n"
         "\n"
      << exitStatusHelp
      << "\n"
         "Example:\n"
         "  drawloom selftest --device cuda\n";
}

static llvm::Expected<SelftestOptions> readOptions(const CommandLine &line) {
  SelftestOptions options;
  if (!line.getOperands().empty())
    return llvm::createStringError("there is nothing to name but options");
  std::optional<llvm::StringRef> device = line.get("--device");
  if (!device)
    return llvm::createStringError(
        "name the device with --device: cuda, h100 or b200");
  if (!llvm::is_contained({"cuda", "h100", "b200"}, *device))
    return llvm::createStringError("--device takes cuda, h100 or b200, not '" +
                                   *device + "'");
  options.device = device->str();
  options.jobs = *device == "cuda"
                     ? 1
                     : llvm::hardware_concurrency().compute_thread_count();
  auto number = [&](llvm::StringRef option, auto &into) -> llvm::Error {
    if (std::optional<llvm::StringRef> text = line.get(option))
      if (text->getAsInteger(10, into) || into == 0)
        return llvm::createStringError(
            option + " takes a number from 1 on, not '" + *text + "'");
    return llvm::Error::success();
  };
  if (llvm::Error error = number("--seed", options.seed))
    return error;
  if (llvm::Error error = number("--every", options.every))
    return error;
  if (llvm::Error error = number("--jobs", options.jobs))
    return error;
  return options;
}

/// The suite of that name. Only matrix products are so many that some may do.
static std::vector<Case> makeCases(llvm::StringRef suiteName,
                                   llvm::StringRef arch,
                                   const SelftestOptions &options) {
  if (suiteName == "examples")
    return makeExampleCases(arch);
  if (suiteName == "graphs")
    return makeGraphCases(arch);
  std::vector<Case> all =
      suiteName == "dynamic"    ? makeDynamicCases(arch, options.seed)
      : suiteName == "clusters" ? makeClusterCases(arch, options.seed)
                                : makeGemmCases(arch, options.seed);
  std::vector<Case> cases;
  for (size_t i = 0; i < all.size(); i += options.every)
    cases.push_back(std::move(all[i]));
  return cases;
}

static llvm::Expected<Tally> runCases(llvm::StringRef suiteName,
                                      llvm::ArrayRef<Case> cases,
                                      const SelftestOptions &options) {
  RunSuiteOptions how;
  how.jobs = options.jobs;
  how.device = options.device;
  Tally tally;
  bool isTerminal = llvm::sys::Process::StandardErrIsDisplayed();
  llvm::Error error =
      runSuite(cases, how, [&](size_t index, const CaseResult &result) {
        ++tally.total;
        tally.matching += result.matches;
        tally.rejected += result.matches && result.wasRejected;
        tally.elements += result.elements;
        tally.differing += result.differing;
        tally.differentCases += result.differing != 0;
        tally.largestShare = std::max(tally.largestShare, result.largestShare);
        if (isTerminal)
          llvm::errs() << '\r' << suiteName << ": " << tally.total << " of "
                       << cases.size() << " cases run ";
        if (result.matches)
          return;
        if (isTerminal)
          llvm::errs() << '\n';
        llvm::outs() << cases[index].name << ": "
                     << llvm::StringRef(result.words).rtrim() << '\n';
        llvm::outs().flush();
      });
  if (isTerminal)
    llvm::errs() << '\n';
  if (error)
    return error;
  return tally;
}

static ExitStatus selftest(const SelftestOptions &options) {
  auto fail = [](llvm::Error error) {
    llvm::errs() << "drawloom: " << llvm::toString(std::move(error)) << '\n';
    return Failed;
  };
  llvm::Expected<DeviceInfo> device = queryDevice(options.device);
  if (!device)
    return fail(device.takeError());
  // Kernels use what only the architecture itself has.
  std::string arch = device->architecture + "a";
  if (llvm::Expected<const target::Architecture *> known =
          target::findArchitecture(arch);
      !known) {
    llvm::consumeError(known.takeError());
    return fail(llvm::createStringError(
        device->name + " is " + device->architecture + "; there is code for " +
        target::listArchitectures() + " [wrong-device]"));
  }
  bool isEmulated = options.device != "cuda";
  llvm::outs() << "selftest on " << (isEmulated ? "an emulated " : "")
               << device->name << ", " << device->sms << " SMs, code for "
               << arch << '\n';
  llvm::outs().flush();

  auto begin = std::chrono::steady_clock::now();
  bool matches = true;
  for (llvm::StringRef name :
       {"gemm", "dynamic", "clusters", "examples", "graphs"}) {
    llvm::Expected<Tally> tally =
        runCases(name, makeCases(name, arch, options), options);
    if (!tally)
      return fail(tally.takeError());
    matches &= tally->matching == tally->total;
    llvm::outs() << llvm::formatv(
        "{0}: {1} of {2} cases match, {3} of them rejected by name as they "
        "must be; the largest error is {4:f1}% of its bound\n",
        name, tally->matching, tally->total, tally->rejected,
        100 * tally->largestShare);
    if (!isEmulated)
      llvm::outs() << name << ": GPU and emulator differ in "
                   << tally->differing << " of " << tally->elements
                   << " elements, in " << tally->differentCases << " cases\n";
    // What is in the buffer when a worker is forked would be written twice.
    llvm::outs().flush();
  }
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  llvm::outs() << llvm::formatv(
      "{0} in {1:f1} s\n",
      matches ? "everything matches" : "something does NOT match", seconds);
  return matches ? Clean : Findings;
}

ExitStatus drawloom::runSelftest(llvm::ArrayRef<llvm::StringRef> arguments) {
  auto complain = [](llvm::Error error) {
    return drawloom::complain("selftest", llvm::toString(std::move(error)));
  };
  llvm::Expected<CommandLine> line =
      CommandLine::parse(arguments, {{"--device", true},
                                     {"--seed", true},
                                     {"--every", true},
                                     {"--jobs", true}});
  if (!line)
    return complain(line.takeError());
  if (line->wantsHelp()) {
    printSelftestHelp();
    return Clean;
  }
  llvm::Expected<SelftestOptions> options = readOptions(*line);
  if (!options)
    return complain(options.takeError());
  return selftest(*options);
}
