//===- check-proved.cpp - What is proved without a run doesn't hang -------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// check-proved [options] FOLDER...
//
// Kernels of launches that were written down are changed in one place
// (Mutants.h, with everything that can be changed), and each is asked of
// without a run whether it may wait forever, with the boxes of the launch's
// tensor maps. Then it runs.
//
//   proved        must not hang, under any of several schedules
//   proved if     may: what is assumed need not hold for a mutant
//   not proved    runs once; how many of these end says what the proof misses
//
// A hang is a deadlock, or more than 20 times the steps of the kernel itself.

#include "Mutants.h"
#include "RecordedLaunch.h"
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
namespace cl = llvm::cl;

static cl::OptionCategory category("check-proved");
static cl::list<std::string> folders(cl::Positional, cl::desc("FOLDER..."),
                                     cl::OneOrMore, cl::cat(category));
static cl::list<std::string> only("only", cl::CommaSeparated,
                                  cl::desc("launches of these names"),
                                  cl::cat(category));
static cl::opt<unsigned> wanted("proved", cl::init(500),
                                cl::desc("mutants that are proved, at most"),
                                cl::cat(category));
static cl::opt<unsigned> drawn("drawn", cl::init(5000),
                               cl::desc("mutants, at most"), cl::cat(category));
static cl::opt<unsigned> seed("seed", cl::init(1), cl::cat(category));
static cl::opt<unsigned> schedules("orders", cl::init(3),
                                   cl::desc("random ones, for each mutant "
                                            "that is proved"),
                                   cl::cat(category));
static cl::opt<unsigned> states("states", cl::init(20000),
                                cl::desc("of a warp, at most"),
                                cl::cat(category));
static cl::opt<unsigned> steps("steps", cl::init(3000000),
                               cl::desc("of a launch, at most: others are "
                                        "left out"),
                               cl::cat(category));
static cl::opt<unsigned> atLeast("at-least", cl::init(0),
                                 cl::desc("fail if fewer are proved"),
                                 cl::cat(category));
static cl::opt<bool> isVerbose("verbose", cl::desc("a line for each mutant"),
                               cl::cat(category));

namespace {

struct Subject {
  std::unique_ptr<RecordedLaunch> launch;
  std::vector<Mutant> mutants;
  uint64_t steps = 0;
};

enum class Verdict { Refused, Misfit, NotProved, Conditional, Proved };

struct Counts {
  unsigned proved = 0, provedHang = 0;
  unsigned conditional = 0, conditionalHang = 0;
  unsigned ends = 0, endsProved = 0, endsConditional = 0, all = 0;
};

} // namespace

static Verdict prove(const RecordedLaunch &launch, llvm::StringRef text,
                     std::string &words) {
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(text, launch.name()));
  if (!parsed)
    return Verdict::Refused;
  protocol::ExtractOptions options;
  options.threads = launch.block().count();
  options.cluster = {launch.cluster().x, launch.cluster().y,
                     launch.cluster().z};
  options.stateLimit = states;
  for (const ptx::Function *function : parsed.module->functions) {
    if (!function->isEntry || !function->hasBody)
      continue;
    options.boxes = launch.boxes(*function);
    llvm::Expected<protocol::Claims> claims =
        protocol::extract(*function, options);
    if (!claims) {
      words = llvm::toString(claims.takeError());
      return Verdict::NotProved;
    }
    if (std::vector<protocol::Misfit> misfits = protocol::fit(*claims);
        !misfits.empty()) {
      words = misfits.front().title;
      return Verdict::Misfit;
    }
    protocol::Progress progress = protocol::proveProgress(*claims);
    words = protocol::describe(progress);
    return progress.isUnconditional() ? Verdict::Proved
           : progress.isProved        ? Verdict::Conditional
                                      : Verdict::NotProved;
  }
  return Verdict::Refused;
}

/// Whether a run ends, with whatever result; nothing if it can't be launched.
static std::optional<bool> ends(Subject &subject, llvm::StringRef text,
                                emu::RunOptions options) {
  options.threads = 1;
  options.stepLimit = 20 * subject.steps + 100000;
  Outcome outcome = subject.launch->run(text, options);
  if (!outcome.refusal.empty())
    return std::nullopt;
  if (!outcome.report)
    return true;
  const emu::Report &report = *outcome.report;
  bool isHang = report.kind == emu::ReportKind::Deadlock ||
                report.kind == emu::ReportKind::StepLimit ||
                llvm::StringRef(report.message).starts_with("deadlock");
  // Another error ends the run, too, but says nothing of what comes after it.
  if (!isHang)
    return std::nullopt;
  return false;
}

/// Under all schedules. An error in one of them is no hang.
static std::optional<bool> endsAlways(Subject &subject, llvm::StringRef text) {
  std::optional<bool> first = ends(subject, text, {});
  if (!first || !*first)
    return first;
  std::vector<emu::RunOptions> all(schedules + 1);
  for (unsigned i = 0; i != schedules; ++i) {
    all[i].policy = emu::Policy::Random;
    all[i].seed = i;
  }
  all.back().policy = emu::Policy::Adversarial;
  for (const emu::RunOptions &options : all)
    if (ends(subject, text, options) == false)
      return false;
  return true;
}

/// Launches of kernels that are proved themselves, if only with conditions: of
/// others, hardly a mutant is.
static std::vector<Subject> readSubjects() {
  std::vector<std::string> bases;
  std::error_code failed;
  for (const std::string &folder : folders)
    for (llvm::sys::fs::directory_iterator at(folder, failed), end;
         at != end && !failed; at.increment(failed))
      if (llvm::sys::path::extension(at->path()) == ".json")
        bases.push_back(llvm::StringRef(at->path()).drop_back(5).str());
  llvm::sort(bases);
  std::vector<Subject> subjects;
  for (const std::string &base : bases) {
    auto launch = RecordedLaunch::read(base);
    if (!launch) {
      llvm::errs() << llvm::toString(launch.takeError()) << '\n';
      continue;
    }
    if (!only.empty() && !llvm::is_contained(only, (*launch)->name()))
      continue;
    Subject subject = {std::move(*launch), {}, 0};
    emu::RunOptions options;
    options.threads = 1;
    options.stepLimit = steps;
    Outcome outcome = subject.launch->run(subject.launch->text(), options);
    if (!outcome.ok())
      continue;
    subject.steps = outcome.steps;
    subject.mutants = makeMutants(subject.launch->text(), Draw::Everything);
    std::string words;
    Verdict verdict = prove(*subject.launch, subject.launch->text(), words);
    llvm::outs() << llvm::formatv("{0,-42} {1,8} steps, {2,5} mutants: {3}\n",
                                  subject.launch->name(), subject.steps,
                                  subject.mutants.size(), words);
    llvm::outs().flush();
    if (verdict >= Verdict::Conditional && !subject.mutants.empty())
      subjects.push_back(std::move(subject));
  }
  return subjects;
}

/// Asks and runs. False if what is proved hangs.
static bool check(Subject &subject, const Mutant &mutant, Counts &counts) {
  std::string text = mutant.apply(subject.launch->text()), words;
  Verdict verdict = prove(*subject.launch, text, words);
  if (verdict == Verdict::Refused)
    return true;
  bool isProved = verdict == Verdict::Proved;
  std::optional<bool> isEnding =
      isProved ? endsAlways(subject, text) : ends(subject, text, {});
  ++counts.all;
  counts.proved += isProved;
  counts.conditional += verdict == Verdict::Conditional;
  counts.ends += isEnding == true;
  counts.endsProved += isProved && isEnding == true;
  counts.endsConditional += verdict == Verdict::Conditional && isEnding == true;
  counts.conditionalHang +=
      verdict == Verdict::Conditional && isEnding == false;
  bool isWrong = isProved && isEnding == false;
  counts.provedHang += isWrong;
  if (isVerbose || isWrong)
    llvm::outs() << (isWrong ? "PROVED, AND HANGS: " : "")
                 << subject.launch->name() << ", " << mutant.str() << ": "
                 << words << ": "
                 << (!isEnding   ? "error"
                     : *isEnding ? "ends"
                                 : "hangs")
                 << '\n';
  return !isWrong;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Runs mutants that are proved without a run\n");
  std::vector<Subject> subjects = readSubjects();
  std::mt19937 random(seed);
  std::set<std::pair<size_t, size_t>> done;
  Counts counts;
  // A kernel, a kind of change, a place.
  for (unsigned tries = 0; !subjects.empty() && counts.all < drawn &&
                           counts.proved < wanted && tries < 4 * drawn;
       ++tries) {
    size_t kernel = random() % subjects.size();
    Subject &subject = subjects[kernel];
    std::set<std::string> categories;
    for (const Mutant &mutant : subject.mutants)
      categories.insert(mutant.category);
    auto category = std::next(categories.begin(), random() % categories.size());
    std::vector<size_t> places;
    for (auto [number, mutant] : llvm::enumerate(subject.mutants))
      if (mutant.category == *category)
        places.push_back(number);
    size_t place = places[random() % places.size()];
    if (done.insert({kernel, place}).second)
      check(subject, subject.mutants[place], counts);
    if (tries % 50 == 49) {
      llvm::outs() << llvm::formatv("{0} drawn, {1} proved\n", counts.all,
                                    counts.proved);
      llvm::outs().flush();
    }
  }
  llvm::outs() << llvm::formatv(
      "proved: {0} mutants called deadlock-free, {1} hang; {2} conditional, of "
      "which {3} hang; of {4} mutants of {5} kernels {6} run to their end, {7} "
      "of them proved and {8} conditional\n",
      counts.proved, counts.provedHang, counts.conditional,
      counts.conditionalHang, counts.all, subjects.size(), counts.ends,
      counts.endsProved, counts.endsConditional);
  return counts.provedHang || counts.proved < atLeast;
}
