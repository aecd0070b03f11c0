//===- MutatedPrograms.cpp - Every program gets code or a diagnostic ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Runs the compiler over mutated programs. Each one must end in an error with
// words before there is a plan, or in PTX; never in a rejection after it, in an
// assertion, a signal or silence, and soon. ptxas has to take the PTX of a
// sample. Programs run in child processes, a batch in each, so that a crash
// costs one program and is reported with its number:
//
//   mutated-programs --first 4711 --count 1 --verbose seeds...
//
// prints that program and what the compiler says about it. With --plan-only the
// front half is all that runs. --part 3/25 is every 25th program, from the
// third on (common/Part.h).
//
// The last line: `diagnostics: N programs, V verified, P planned, C compiled, A
// assembled, R rejected, 0 crashes`. Fails if there is a crash, a hang, a
// silent failure or a plan without code, or if fewer than half of the programs
// pass the verifiers.

#include "Mutator.h"
#include "common/Part.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/InitAll.h"
#include "drawloom/Pipelines/Path.h"
#include "drawloom/Target/Compile.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include <csignal>
#include <cstring>
#include <map>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::diagnostics;
namespace cl = llvm::cl;

static cl::OptionCategory category("mutated-programs");
static cl::list<std::string> seedFiles(cl::Positional, cl::OneOrMore,
                                       cl::desc("<programs to start from>"),
                                       cl::cat(category));
static cl::opt<uint64_t> count("count", cl::init(3000),
                               cl::desc("how many programs"),
                               cl::cat(category));
static cl::opt<uint64_t> first("first", cl::init(0),
                               cl::desc("number of the first program"),
                               cl::cat(category));
static cl::opt<std::string> partText("part", cl::init("1/1"),
                                     cl::desc(Part::description),
                                     cl::cat(category));
static cl::opt<bool> isList("list", cl::init(false),
                            cl::desc("print the numbers, run nothing"),
                            cl::cat(category));
static cl::opt<unsigned> jobs("jobs", cl::init(2),
                              cl::desc("processes at a time"),
                              cl::cat(category));
static cl::opt<bool> planOnly("plan-only", cl::init(false),
                              cl::desc("stop after the plan"),
                              cl::cat(category));
static cl::opt<uint64_t>
    assembleEvery("assemble-every", cl::init(0),
                  cl::desc("give ptxas every N-th program that compiles"),
                  cl::cat(category));
static cl::opt<bool> verbose("verbose", cl::init(false),
                             cl::desc("print programs and diagnostics"),
                             cl::cat(category));
/// Seconds of processor time that one program may take.
static constexpr time_t timeLimit = 20;
static constexpr uint64_t batchSize = 200;

namespace {
/// What a child tells its parent, in memory that both see.
struct Tally {
  /// An index into the numbers of the programs.
  uint64_t current;
  uint64_t verified, planned, compiled, assembled, rejected, silent;
  bool isBusy;
};
} // namespace

/// Every kernel and function of the files, as a module of its own.
static std::vector<std::string> readSeeds(const DialectRegistry &registry) {
  std::vector<std::string> seeds;
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  for (const std::string &file : seedFiles) {
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(file, &context);
    if (!module) {
      llvm::errs() << "mutated-programs: cannot read " << file << '\n';
      exit(1);
    }
    for (Operation &op : *module->getBody()) {
      std::string &text = seeds.emplace_back();
      llvm::raw_string_ostream os(text);
      op.print(os);
    }
  }
  return seeds;
}

static void runProgram(uint64_t number, ArrayRef<std::string> seeds,
                       MLIRContext &context, Tally &tally) {
  Mutator mutator(number);
  std::string text = mutator.choose(seeds);
  if (mutator.chance(0.6))
    text = mutator.mutateText(text);

  unsigned errors = 0;
  std::string firstError;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
    if (isError && errors++ == 0)
      firstError = diagnostic.str();
    if (verbose)
      llvm::errs() << diagnostic.getLocation() << ": " << diagnostic << '\n';
  });
  auto conclude = [&](uint64_t &counter, bool failed) {
    ++counter;
    if (!failed || errors != 0)
      return;
    ++tally.silent;
    llvm::errs() << "program " << number << " failed without a diagnostic\n";
  };

  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context));
  if (!module)
    return conclude(tally.rejected, true);
  mutator.mutateModule(*module, 1 + mutator.pick(4));
  if (verbose)
    module->print(llvm::errs(), OpPrintingFlags().assumeVerified());
  if (failed(verify(*module)))
    return conclude(tally.rejected, true);
  ++tally.verified;
  bool assembles = assembleEvery != 0 && number % assembleEvery == 0;
  CompileOptions options;
  options.stopAfter = planOnly    ? Stage::Plan
                      : assembles ? Stage::Cubin
                                  : Stage::PTX;
  // Whether it ends is another question.
  options.unproved = true;
  bool isPlanned = false;
  bool isDone = succeeded(runPath(*module, options, [&](Stage stage) {
    if (stage == Stage::Plan) {
      isPlanned = true;
      if (verbose)
        module->print(llvm::errs());
    }
    return success();
  }));
  conclude(isPlanned ? tally.planned : tally.rejected, !isDone);
  tally.compiled += isDone && !planOnly;
  tally.assembled += isDone && assembles;
  if (isPlanned && !isDone)
    llvm::errs() << "program " << number
                 << " is planned and has no code: " << firstError << '\n';
}

[[noreturn]] static void runBatch(ArrayRef<uint64_t> numbers, uint64_t begin,
                                  uint64_t end, ArrayRef<std::string> seeds,
                                  const DialectRegistry &registry,
                                  Tally &tally) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // Mutations make attributes of it, whether or not the program has some.
  context.loadDialect<tile::TileDialect>();
  // Not by the clock: the host may be busy with something else.
  const itimerval limit = {{0, 0}, {timeLimit, 0}};
  for (tally.current = begin; tally.current < end; ++tally.current) {
    setitimer(ITIMER_VIRTUAL, &limit, nullptr);
    runProgram(numbers[tally.current], seeds, context, tally);
  }
  llvm::errs().flush();
  _exit(0);
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "mutated programs\n");
  llvm::Expected<Part> part = Part::parse(partText);
  if (!part) {
    llvm::errs() << "mutated-programs: " << llvm::toString(part.takeError())
                 << '\n';
    return 1;
  }
  std::vector<uint64_t> numbers;
  for (uint64_t index = 0; index < count; ++index)
    if (part->has(index))
      numbers.push_back(first + index);
  if (isList) {
    for (uint64_t number : numbers)
      llvm::outs() << "program " << number << '\n';
    return 0;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  target::registerTargetDialects(registry);
  std::vector<std::string> seeds = readSeeds(registry);

  auto *tallies = static_cast<Tally *>(mmap(nullptr, jobs * sizeof(Tally),
                                            PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (tallies == MAP_FAILED)
    return 1;
  // A child ends early only by a crash; what is left of its batch goes on.
  std::vector<std::pair<uint64_t, uint64_t>> batches;
  for (uint64_t begin = 0; begin < numbers.size(); begin += batchSize)
    batches.emplace_back(begin,
                         std::min<uint64_t>(begin + batchSize, numbers.size()));
  std::reverse(batches.begin(), batches.end());
  std::map<pid_t, std::pair<unsigned, uint64_t>> children;
  uint64_t crashes = 0;
  while (!batches.empty() || !children.empty()) {
    for (unsigned i = 0; i < jobs && !batches.empty(); ++i) {
      if (tallies[i].isBusy)
        continue;
      auto [begin, end] = batches.back();
      batches.pop_back();
      tallies[i].isBusy = true;
      pid_t child = fork();
      if (child == 0)
        runBatch(numbers, begin, end, seeds, registry, tallies[i]);
      children[child] = {i, end};
    }
    int status = 0;
    pid_t child = wait(&status);
    auto [slot, end] = children[child];
    children.erase(child);
    Tally &tally = tallies[slot];
    tally.isBusy = false;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      continue;
    if (!WIFSIGNALED(status))
      return 1;
    ++crashes;
    bool isHang = WTERMSIG(status) == SIGVTALRM;
    llvm::errs() << "program " << numbers[tally.current]
                 << (isHang ? " did not end within its time"
                            : " ended by a signal: ")
                 << (isHang ? "" : strsignal(WTERMSIG(status))) << '\n';
    if (tally.current + 1 < end)
      batches.emplace_back(tally.current + 1, end);
  }

  Tally all = {};
  for (unsigned i = 0; i < jobs; ++i) {
    all.verified += tallies[i].verified;
    all.planned += tallies[i].planned;
    all.compiled += tallies[i].compiled;
    all.assembled += tallies[i].assembled;
    all.rejected += tallies[i].rejected;
    all.silent += tallies[i].silent;
  }
  if (all.silent != 0)
    llvm::outs() << all.silent << " programs failed without a diagnostic\n";
  uint64_t withoutCode = planOnly ? 0 : all.planned - all.compiled;
  if (withoutCode != 0)
    llvm::outs() << withoutCode << " programs are planned and have no code\n";
  bool fewVerified = numbers.size() > 100 && 2 * all.verified < numbers.size();
  if (fewVerified)
    llvm::outs() << "fewer than half of the programs pass the verifiers\n";
  llvm::outs() << "diagnostics: " << numbers.size() << " programs, "
               << all.verified << " verified, " << all.planned << " planned, "
               << all.compiled << " compiled, " << all.assembled
               << " assembled, " << all.rejected << " rejected, " << crashes
               << " crashes\n";
  return crashes != 0 || all.silent != 0 || withoutCode != 0 || fewVerified;
}
