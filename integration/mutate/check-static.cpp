//===- check-static.cpp - What is claimed without a run, against runs
//-------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// check-static [options] FOLDER...
//
// For launches of kernels that were written down (record.py, record_ours.py):
//
//   claims    taken from the PTX (drawloom/Protocol/Claims.h); nothing may be
//             at odds, since these kernels are right; of those that were
//             followed whole, how many are proved to be deadlock-free, with the
//             boxes of the launch's tensor maps
//   runs      each kernel runs on the emulator, and everything that it does to
//             an mbarrier has to be claimed: who, where, which number
//   mutants   one count, number of bytes or parity is changed, and has to be at
//             odds without a run. They are drawn from kernels that were
//             followed whole.

#include "Mutants.h"
#include "RecordedLaunch.h"
#include "drawloom/Emulator/Listener.h"
#include "drawloom/PTX/Parser.h"
#include "drawloom/Protocol/Progress.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <random>

using namespace drawloom;
using namespace drawloom::mutate;
using protocol::Claims;
using Kind = protocol::Event::Kind;
namespace cl = llvm::cl;

static cl::OptionCategory category("check-static");
static cl::list<std::string> folders(cl::Positional, cl::desc("FOLDER..."),
                                     cl::OneOrMore, cl::cat(category));
static cl::opt<unsigned> every("every", cl::init(1),
                               cl::desc("every n-th kernel"),
                               cl::cat(category));
static cl::opt<unsigned> states("states", cl::init(50000),
                                cl::desc("of a warp, at most"),
                                cl::cat(category));
static cl::opt<unsigned> mutantCount("mutants", cl::init(200),
                                     cl::desc("how many"), cl::cat(category));
static cl::opt<unsigned> seed("seed", cl::init(1), cl::desc("of the mutants"),
                              cl::cat(category));
static cl::opt<unsigned> wholeAtLeast("whole-at-least", cl::init(0),
                                      cl::desc("fail if fewer kernels with "
                                               "mbarriers were followed whole"),
                                      cl::cat(category));
static cl::opt<unsigned>
    provedAtLeast("proved-at-least", cl::init(0),
                  cl::desc("fail if fewer are proved to make progress"),
                  cl::cat(category));
static cl::opt<unsigned> foundAtLeast("found-at-least", cl::init(90),
                                      cl::desc("fail if a smaller share of the "
                                               "mutants is found, in percent"),
                                      cl::cat(category));
static cl::opt<bool> isVerbose("verbose", cl::desc("a line for each mutant"),
                               cl::cat(category));

namespace {

/// What a run does to mbarriers and the analysis did not claim.
struct Comparison {
  const Claims *claims = nullptr;
  const emu::Kernel *kernel = nullptr;
  uint64_t events = 0;
  std::set<std::string> unclaimed;
};

/// Compares the events of a cluster with the claims.
class Comparer : public emu::ClusterListener {
public:
  explicit Comparer(Comparison &comparison) : comparison(comparison) {}
  void mbarrier(const emu::MbarrierEvent &event) override;

private:
  Comparison &comparison;
};

class Watcher : public emu::Listener {
public:
  explicit Watcher(Comparison &comparison) : comparison(comparison) {}
  void launchStarted(uint32_t, const emu::Launch &launch) override {
    comparison.kernel = launch.kernel;
  }
  std::unique_ptr<emu::ClusterListener>
  startCluster(const emu::ClusterStart &) override {
    return std::make_unique<Comparer>(comparison);
  }

private:
  Comparison &comparison;
};

} // namespace

/// The kinds of parts that may tell of an event.
static llvm::ArrayRef<Kind> kindsOf(emu::MbarrierEvent::Kind kind) {
  static const Kind init[] = {Kind::Init}, inval[] = {Kind::Invalidate},
                    bytes[] = {Kind::ArriveExpect, Kind::Expect},
                    copies[] = {Kind::Copy}, waits[] = {Kind::Wait},
                    arrivals[] = {Kind::Arrive, Kind::ArriveExpect,
                                  Kind::Commit, Kind::CopyArrive};
  using Event = emu::MbarrierEvent;
  switch (kind) {
  case Event::Init:
    return init;
  case Event::Invalidate:
    return inval;
  case Event::ExpectBytes:
    return bytes;
  case Event::CompleteBytes:
    return copies;
  case Event::Wait:
    return waits;
  case Event::Arrive:
    return arrivals;
  default:
    return {};
  }
}

void Comparer::mbarrier(const emu::MbarrierEvent &event) {
  using Mbarrier = emu::MbarrierEvent;
  llvm::ArrayRef<Kind> kinds = kindsOf(event.kind);
  if (kinds.empty() || (event.kind == Mbarrier::Wait && !event.success))
    return;
  const Claims &claims = *comparison.claims;
  uint32_t line = comparison.kernel->place(event.origin.instruction).line;
  ++comparison.events;
  if (llvm::any_of(claims.unfollowed, [&](const protocol::Unfollowed &one) {
        return one.line == line || one.line == 0;
      }))
    return;
  protocol::BarrierId id = protocol::BarrierId::at(event.address);
  std::string what =
      llvm::formatv("line {0}, byte {1} of CTA {2}", line, id.byte, id.rank);
  auto found = claims.barriers.find(id);
  const protocol::Part *part = nullptr;
  for (Kind kind : kinds)
    if (found != claims.barriers.end())
      if (auto at = found->second.parts.find({kind, line});
          at != found->second.parts.end())
        part = &at->second;
  if (!part) {
    comparison.unclaimed.insert(what);
    return;
  }
  auto who = part->who.find({event.origin.rank, event.origin.warp});
  if (who == part->who.end()) {
    comparison.unclaimed.insert(
        what + llvm::formatv(", warp {0}", event.origin.warp).str());
    return;
  }
  int64_t number = event.count;
  if (event.kind == Mbarrier::Wait)
    number = event.phase & 1;
  bool hasNumber = event.kind == Mbarrier::Init ||
                   event.kind == Mbarrier::Wait ||
                   event.kind == Mbarrier::ExpectBytes;
  // Bits of a parity above the first don't count.
  if (hasNumber && !part->numbers.contains(number))
    comparison.unclaimed.insert(what +
                                llvm::formatv(", number {0}", number).str());
}

static llvm::Expected<Claims> extract(const RecordedLaunch &launch,
                                      llvm::StringRef text) {
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(text, launch.name()));
  if (!parsed)
    return llvm::createStringError(parsed.str());
  protocol::ExtractOptions options;
  options.threads = launch.block().count();
  options.cluster = {launch.cluster().x, launch.cluster().y,
                     launch.cluster().z};
  options.stateLimit = states;
  for (const ptx::Function *function : parsed.module->functions)
    if (function->isEntry && function->hasBody) {
      options.boxes = launch.boxes(*function);
      return protocol::extract(*function, options);
    }
  return llvm::createStringError("no kernel in " + launch.name());
}

/// Whether something about the changed text is at odds. What can't be parsed
/// isn't counted: nothing if so.
static std::optional<bool> isFound(const RecordedLaunch &launch,
                                   const Mutant &mutant) {
  llvm::Expected<Claims> claims = extract(launch, mutant.apply(launch.text()));
  if (!claims) {
    llvm::consumeError(claims.takeError());
    return std::nullopt;
  }
  std::vector<protocol::Misfit> misfits = protocol::fit(*claims);
  if (isVerbose)
    llvm::outs() << launch.name() << ", " << mutant.str() << ": "
                 << (misfits.empty() ? "not found" : misfits.front().title)
                 << '\n';
  return !misfits.empty();
}

/// The launches in the folders, without the extension of their files.
static std::vector<std::string> listLaunches() {
  std::vector<std::string> bases;
  std::error_code failed;
  for (const std::string &folder : folders)
    for (llvm::sys::fs::directory_iterator at(folder, failed), end;
         at != end && !failed; at.increment(failed))
      if (llvm::sys::path::extension(at->path()) == ".json")
        bases.push_back(llvm::StringRef(at->path()).drop_back(5).str());
  llvm::sort(bases);
  return bases;
}

namespace {
/// Of the kernels as they are.
struct KernelCounts {
  unsigned kernels = 0, whole = 0, proved = 0, conditional = 0, failures = 0;
  uint64_t events = 0;
};

/// Of their mutants.
struct MutantCounts {
  unsigned made = 0, found = 0;
};
} // namespace

/// Compares the claims of a kernel with a run. Whether it was followed whole.
static llvm::Expected<bool> checkLaunch(RecordedLaunch &launch,
                                        KernelCounts &counts) {
  llvm::Expected<Claims> claims = extract(launch, launch.text());
  if (!claims)
    return claims.takeError();
  ++counts.kernels;
  std::vector<protocol::Misfit> misfits = protocol::fit(*claims);
  Comparison comparison;
  comparison.claims = &*claims;
  Watcher watcher(comparison);
  emu::RunOptions options;
  options.threads = 1;
  options.listener = &watcher;
  Outcome outcome = launch.run(launch.text(), options);
  counts.events += comparison.events;
  bool isWhole = claims->isWhole() && !claims->barriers.empty();
  counts.whole += isWhole;
  protocol::Progress progress;
  if (isWhole)
    progress = protocol::proveProgress(*claims);
  bool isProved = progress.isUnconditional();
  counts.proved += isProved;
  counts.conditional += progress.isProved && !isProved;
  bool hasFailed =
      !outcome.ok() || !misfits.empty() || !comparison.unclaimed.empty();
  counts.failures += hasFailed;
  llvm::outs() << llvm::formatv(
      "{0,-42} {1,3} mbarriers, {2,6} events, {3}{4}\n", launch.name(),
      claims->barriers.size(), comparison.events,
      isWhole                    ? "whole, " + protocol::describe(progress)
      : claims->barriers.empty() ? std::string("none")
                                 : std::string("not all followed"),
      hasFailed ? "  FAILED" : "");
  for (const protocol::Misfit &misfit : misfits)
    llvm::outs() << "  at odds: line " << misfit.line << ", " << misfit.title
                 << '\n';
  for (const std::string &one : comparison.unclaimed)
    llvm::outs() << "  not claimed: " << one << '\n';
  if (!outcome.ok())
    llvm::outs() << "  "
                 << (outcome.report ? outcome.report->str() : outcome.refusal)
                 << '\n';
  llvm::outs().flush();
  return isWhole;
}

/// Draws mutants of kernels, each by a category, a kernel and a place, and
/// prints how many of each category are found without a run.
static MutantCounts
findMutants(llvm::ArrayRef<std::unique_ptr<RecordedLaunch>> followed) {
  std::mt19937 random(seed);
  auto below = [&](size_t count) { return random() % count; };
  std::map<std::string, MutantCounts> byCategory;
  std::set<std::pair<std::string, std::string>> drawn;
  const char *categories[] = {"count", "bytes", "phase"};
  MutantCounts all;
  for (unsigned tries = 0;
       !followed.empty() && all.made < mutantCount && tries < 40 * mutantCount;
       ++tries) {
    const char *category = categories[below(std::size(categories))];
    RecordedLaunch &launch = *followed[below(followed.size())];
    std::vector<Mutant> mutants = makeMutants(launch.text());
    llvm::erase_if(mutants, [&](const Mutant &mutant) {
      return mutant.category != category ||
             !llvm::StringRef(mutant.opcode).starts_with("mbarrier");
    });
    if (mutants.empty())
      continue;
    const Mutant &mutant = mutants[below(mutants.size())];
    if (!drawn.insert({launch.name(), mutant.apply(launch.text())}).second)
      continue;
    std::optional<bool> isOne = isFound(launch, mutant);
    if (!isOne)
      continue;
    for (MutantCounts *counts : {&all, &byCategory[category]}) {
      ++counts->made;
      counts->found += *isOne;
    }
  }
  for (const auto &[category, counts] : byCategory)
    llvm::outs() << llvm::formatv("{0,-6} {1} of {2} found\n", category,
                                  counts.found, counts.made);
  return all;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Compares what is claimed of kernels with their runs\n");
  std::vector<std::string> bases = listLaunches();
  KernelCounts counts;
  std::vector<std::unique_ptr<RecordedLaunch>> followed;
  for (size_t i = 0; i < bases.size(); i += std::max(1u, every.getValue())) {
    auto launch = RecordedLaunch::read(bases[i]);
    if (!launch) {
      llvm::errs() << llvm::toString(launch.takeError()) << '\n';
      return 1;
    }
    llvm::Expected<bool> isWhole = checkLaunch(**launch, counts);
    if (!isWhole) {
      llvm::errs() << llvm::toString(isWhole.takeError()) << '\n';
      return 1;
    }
    if (*isWhole)
      followed.push_back(std::move(*launch));
  }
  auto [made, found] = findMutants(followed);
  llvm::outs() << llvm::formatv(
      "check-static: {0} kernels, {1} followed whole, {2} of them proved to be "
      "deadlock-free, {3} more with conditions, {4} failed; {5} events of "
      "their runs; {6} of {7} mutants found without a run\n",
      counts.kernels, counts.whole, counts.proved, counts.conditional,
      counts.failures, counts.events, found, made);
  bool hasEnough =
      made == 0 ? mutantCount == 0 : found * 100 >= made * foundAtLeast;
  return counts.failures || counts.whole < wholeAtLeast ||
         counts.proved < provedAtLeast || !hasEnough;
}
