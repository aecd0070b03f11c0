//===- mutate.cpp - Changes one thing in a kernel, and runs what comes of it
//===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// mutate [options] FOLDER
//
// Draws mutants (Mutants.h) of kernels whose launches were written down
// (record.py), and runs each on the emulator under the checker. It is
//
//   killed     it isn't loaded, ends in a report, has another result, or the
//              checker finds what it doesn't find in the kernel
//   harmless   by a rule below, and then under every schedule the result has
//              the same bits and the checker finds nothing
//   survived   neither; it is listed
//
// Only lines that the launch executes are changed. A barrier to which all come
// by one line is the same barrier if it stands there twice, and isn't doubled.
// The rules:
//
//   not awaited   no wait of the run is for a phase of the barrier, so neither
//                 its count nor who arrives matters; waits for the phase before
//                 the first don't count
//   ordered       what was left out, moved or weakened only orders (a fence, a
//                 barrier, a wait, a group), and without it every two accesses
//                 are still ordered: the checker's verdict, which doesn't
//                 depend on the schedule
//
// `--suite` is all of it; `--part 2/8` is every eighth mutant from the second
// on, so that several processes, or one after another, do it together: their
// last lines add up.

#include "Mutants.h"
#include "RecordedLaunch.h"
#include "drawloom/Checker/RaceChecker.h"
#include "drawloom/PTX/Parser.h"
#include "drawloom/Protocol/Claims.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <random>

using namespace drawloom;
using namespace drawloom::mutate;
namespace cl = llvm::cl;

static cl::opt<std::string> folder(cl::Positional, cl::desc("[FOLDER]"),
                                   cl::init(LAUNCHES));
static cl::opt<bool> suite("suite", cl::desc("5,000 mutants, 20 random "
                                             "schedules, and the survivors "
                                             "that are listed"));
static cl::opt<std::string> part("part", cl::init("1/1"),
                                 cl::desc("I/N: every Nth, from the Ith on"));
static cl::opt<unsigned> count("count", cl::init(5000), cl::desc("of mutants"));
static cl::opt<unsigned> seed("seed", cl::init(1), cl::desc("of the draw"));
static cl::opt<unsigned> randomRuns("random", cl::init(20),
                                    cl::desc("random schedules for those that "
                                             "aren't killed in one run"));
static cl::opt<unsigned> seconds("seconds", cl::init(0),
                                 cl::desc("stop after so many; 0: never"));
static cl::opt<std::string>
    survivors("survivors", cl::desc("a file with those that may survive, as "
                                    "they are printed; others fail"));
static cl::opt<bool> isVerbose("verbose", cl::desc("a line for each mutant"));

namespace {

/// A finding, as far as two runs' are the same one.
using FindingKey = std::tuple<checker::Rule, uint32_t, uint32_t>;

/// A run under the checker.
struct Checked {
  Outcome outcome;
  std::vector<checker::Finding> findings;
};

/// A kernel that is right, and what is known about it.
struct Subject {
  std::unique_ptr<RecordedLaunch> launch;
  std::vector<Mutant> mutants;
  Outcome right;
  std::set<FindingKey> known;
  /// Lines that share an mbarrier with a line, and the barriers of a line.
  std::map<uint32_t, std::set<uint32_t>> partners;
  std::map<uint32_t, std::set<protocol::BarrierId>> barriers;
  /// Barriers with a phase that somebody waits for.
  std::set<protocol::BarrierId> awaited;
  /// Lines that do something that synchronises.
  std::set<uint32_t> executed;
  /// Lines of barriers where others come by another line.
  std::set<uint32_t> meetOthers;

  Checked run(llvm::StringRef text, const emu::RunOptions &schedule) const;
};

/// What a run executes, and which barriers it waits for.
class RunListener : public emu::ClusterListener {
public:
  RunListener(Subject &subject, const emu::Kernel &kernel)
      : subject(subject), kernel(kernel) {}
  void access(const emu::AccessEvent &event) override { note(event.origin); }
  void operation(const emu::OperationEvent &event) override {
    note(event.origin);
  }
  void group(const emu::GroupEvent &event) override { note(event.origin); }
  void barrier(const emu::BarrierEvent &event) override {
    note(event.origin);
    if (event.kind != emu::BarrierEvent::Arrive ||
        event.level != emu::BarrierEvent::Cta)
      return;
    auto &lines = rounds[{event.origin.rank, event.number, event.generation}];
    lines.insert(kernel.place(event.origin.instruction).line);
    if (lines.size() > 1)
      subject.meetOthers.insert(lines.begin(), lines.end());
  }
  void fence(const emu::FenceEvent &event) override { note(event.origin); }
  void dependency(const emu::DependencyEvent &event) override {
    note(event.origin);
  }
  void mbarrier(const emu::MbarrierEvent &event) override {
    note(event.origin);
    if (event.kind == emu::MbarrierEvent::Wait && event.phase >= 0)
      subject.awaited.insert(protocol::BarrierId::at(event.address));
  }

private:
  void note(const emu::Origin &origin) {
    subject.executed.insert(kernel.place(origin.instruction).line);
  }
  Subject &subject;
  const emu::Kernel &kernel;
  /// Of a barrier: the lines by which lanes come to it.
  std::map<std::tuple<uint16_t, uint8_t, uint64_t>, std::set<uint32_t>> rounds;
};

class RunWatcher : public emu::Listener {
public:
  explicit RunWatcher(Subject &subject) : subject(subject) {}
  void launchStarted(uint32_t, const emu::Launch &launch) override {
    kernel = launch.kernel;
  }
  std::unique_ptr<emu::ClusterListener>
  startCluster(const emu::ClusterStart &) override {
    return std::make_unique<RunListener>(subject, *kernel);
  }

private:
  Subject &subject;
  const emu::Kernel *kernel = nullptr;
};

struct Verdict {
  enum Kind { Killed, Harmless, Survived };
  Kind kind = Survived;
  /// "report", "result", "finding", or the rule.
  std::string how;
  bool inFirstRun = true;
  bool isNamed = false;
};

} // namespace

static FindingKey keyOf(const checker::Finding &finding) {
  return {finding.rule, finding.first.line, finding.second.line};
}

Checked Subject::run(llvm::StringRef text,
                     const emu::RunOptions &schedule) const {
  checker::RaceChecker checker;
  emu::RunOptions options = schedule;
  options.listener = &checker;
  options.threads = 1;
  options.stepLimit = right.steps ? 10 * right.steps : options.stepLimit;
  Checked checked;
  checked.outcome = launch->run(text, options);
  for (const checker::Finding &finding : checker.findings())
    if (finding.severity != checker::Severity::Note)
      checked.findings.push_back(finding);
  return checked;
}

/// The numbers behind "line" and "lines" in a text.
static std::set<uint32_t> getLines(llvm::StringRef text) {
  std::set<uint32_t> lines;
  while (true) {
    size_t at = text.find("line");
    if (at == llvm::StringRef::npos)
      return lines;
    text = text.substr(at + 4);
    llvm::StringRef rest = text.ltrim("s ");
    uint32_t line = 0;
    if (!rest.consumeInteger(10, line))
      lines.insert(line);
  }
}

/// Whether it says which instruction was changed, or one that shares a barrier
/// with it, or two that it stands between.
static bool isNamed(const Subject &subject, const Mutant &mutant,
                    const std::set<uint32_t> &lines) {
  auto isPartner = [&](uint32_t line) {
    auto found = subject.partners.find(mutant.line);
    return (line >= mutant.line && line < mutant.line + mutant.lines) ||
           (found != subject.partners.end() && found->second.contains(line));
  };
  if (llvm::any_of(lines, isPartner))
    return true;
  return lines.size() > 1 && *lines.begin() <= mutant.line &&
         mutant.line <= *lines.rbegin();
}

/// Whether a run kills the mutant, and how.
static std::optional<Verdict>
judge(const Subject &subject, const Mutant &mutant, const Checked &checked) {
  Verdict verdict;
  verdict.kind = Verdict::Killed;
  std::set<uint32_t> lines;
  const Outcome &outcome = checked.outcome;
  if (!outcome.refusal.empty()) {
    verdict.how = "refusal";
    lines = getLines(outcome.refusal);
    // A parser's error begins with the file and the line.
    verdict.isNamed = llvm::StringRef(outcome.refusal)
                          .contains(llvm::formatv(":{0}:", mutant.line).str());
  } else if (outcome.report) {
    verdict.how = "report";
    lines = getLines(outcome.report->str());
    lines.insert(outcome.report->line);
  }
  for (const checker::Finding &finding : checked.findings)
    if (!subject.known.contains(keyOf(finding))) {
      if (verdict.how.empty())
        verdict.how = "finding";
      verdict.isNamed |=
          isNamed(subject, mutant, {finding.first.line, finding.second.line}) ||
          isNamed(subject, mutant, getLines(finding.str()));
    }
  if (verdict.how.empty() && outcome.result != subject.right.result)
    verdict.how = "result";
  if (verdict.how.empty())
    return std::nullopt;
  verdict.isNamed |= isNamed(subject, mutant, lines);
  return verdict;
}

static bool matches(llvm::StringRef opcode, const char *pattern) {
  return llvm::Regex(pattern).match(opcode);
}

/// Instructions that only order others.
static bool onlyOrders(llvm::StringRef opcode) {
  return matches(opcode, "^fence|^membar|^tcgen05\\.(fence|wait)|^wgmma\\.|"
                         "^bar|^cp\\.async\\.(bulk\\.)?(commit|wait)|"
                         "^mbarrier\\.(try|test)_wait|^griddepcontrol");
}

/// The rule by which it may be harmless; empty if there is none.
static std::string findRule(const Subject &subject, const Mutant &mutant) {
  llvm::StringRef category = mutant.category, opcode = mutant.opcode;
  auto found = subject.barriers.find(mutant.line);
  if (opcode.starts_with("mbarrier.") && found != subject.barriers.end() &&
      llvm::none_of(found->second, [&](const protocol::BarrierId &id) {
        return subject.awaited.contains(id);
      }))
    return "not awaited";
  bool isWeaker = category == "drop" || category == "swap" ||
                  category == "double" || category == "scope" ||
                  category == "count";
  if (isWeaker && onlyOrders(opcode))
    return "ordered";
  return "";
}

static Verdict examine(const Subject &subject, const Mutant &mutant) {
  std::string text = mutant.apply(subject.launch->text());
  emu::RunOptions options;
  if (auto verdict = judge(subject, mutant, subject.run(text, options)))
    return *verdict;
  std::vector<emu::RunOptions> schedules;
  for (unsigned i = 0; i != randomRuns; ++i) {
    options.policy = emu::Policy::Random;
    options.seed = i;
    schedules.push_back(options);
  }
  for (unsigned kind = 0; kind <= emu::engineKindCount; ++kind) {
    options.policy = emu::Policy::Adversarial;
    options.delayed.reset();
    if (kind != emu::engineKindCount)
      options.delayed = emu::EngineKind(kind);
    schedules.push_back(options);
  }
  for (const emu::RunOptions &schedule : schedules)
    if (auto verdict = judge(subject, mutant, subject.run(text, schedule))) {
      verdict->inFirstRun = false;
      return *verdict;
    }
  std::string rule = findRule(subject, mutant);
  if (rule.empty())
    return {Verdict::Survived, ""};
  return {Verdict::Harmless, rule};
}

/// Lines that do something to the same barrier.
static void findPartners(Subject &subject) {
  ptx::ParseResult parsed = ptx::parseModule(
      llvm::MemoryBufferRef(subject.launch->text(), subject.launch->name()));
  if (!parsed)
    return;
  protocol::ExtractOptions options;
  options.threads = subject.launch->block().count();
  options.cluster = {subject.launch->cluster().x, subject.launch->cluster().y,
                     subject.launch->cluster().z};
  options.stateLimit = 3000;
  for (const ptx::Function *function : parsed.module->functions) {
    if (!function->isEntry || !function->hasBody)
      continue;
    auto claims = protocol::extract(*function, options);
    if (!claims) {
      llvm::consumeError(claims.takeError());
      continue;
    }
    for (const auto &[id, barrier] : claims->barriers)
      for (const auto &[one, part] : barrier.parts)
        subject.barriers[one.second].insert(id);
    for (const auto &[id, barrier] : claims->barriers)
      for (const auto &[one, part] : barrier.parts)
        for (const auto &[other, itsPart] : barrier.parts)
          subject.partners[one.second].insert(other.second);
  }
}

/// Draws the order of a kernel's mutants, of lines that its launch executes.
static void drawMutants(Subject &subject) {
  RunWatcher watcher(subject);
  emu::RunOptions options;
  options.threads = 1;
  options.listener = &watcher;
  subject.launch->run(subject.launch->text(), options);
  subject.mutants = makeMutants(subject.launch->text());
  llvm::erase_if(subject.mutants, [&](const Mutant &mutant) {
    bool isTwice = mutant.category == "double" &&
                   matches(mutant.opcode, "^(bar|barrier)(\\.cta)?\\.sync");
    return !subject.executed.contains(mutant.line) ||
           (isTwice && !subject.meetOthers.contains(mutant.line));
  });
  std::mt19937 random(seed);
  std::shuffle(subject.mutants.begin(), subject.mutants.end(), random);
}

/// Runs the kernel as it is, under the checker. Whether it is right.
static bool runAsIs(Subject &subject) {
  Checked right = subject.run(subject.launch->text(), {});
  if (!right.outcome.ok()) {
    llvm::errs() << subject.launch->name() << " isn't right as it is\n";
    return false;
  }
  for (const checker::Finding &finding : right.findings)
    subject.known.insert(keyOf(finding));
  subject.right = std::move(right.outcome);
  findPartners(subject);
  return true;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv,
                              "Changes one thing in kernels, and runs them\n");
  if (suite && survivors.empty())
    survivors = SURVIVORS;
  auto [partText, partsText] = llvm::StringRef(part).split('/');
  unsigned partNumber = 0, parts = 0;
  if (partText.getAsInteger(10, partNumber) ||
      partsText.getAsInteger(10, parts) || partNumber < 1 ||
      partNumber > parts) {
    llvm::errs() << "--part is '" << part << "'; it takes I/N, 1 to N of N\n";
    return 1;
  }
  std::vector<std::string> bases;
  std::error_code failed;
  for (llvm::sys::fs::directory_iterator at(folder, failed), end;
       at != end && !failed; at.increment(failed))
    if (llvm::sys::path::extension(at->path()) == ".json")
      bases.push_back(llvm::StringRef(at->path()).drop_back(5).str());
  llvm::sort(bases);
  std::set<std::string> listed;
  if (!survivors.empty()) {
    auto file = llvm::MemoryBuffer::getFile(survivors);
    if (!file) {
      llvm::errs() << "cannot read '" << survivors << "'\n";
      return 1;
    }
    llvm::SmallVector<llvm::StringRef> lines;
    (*file)->getBuffer().split(lines, '\n');
    for (llvm::StringRef line : lines)
      listed.insert(line.trim().str());
  }
  std::vector<Subject> subjects;
  for (const std::string &base : bases) {
    auto launch = RecordedLaunch::read(base);
    if (!launch) {
      llvm::errs() << llvm::toString(launch.takeError()) << '\n';
      return 1;
    }
    Subject subject;
    subject.launch = std::move(*launch);
    drawMutants(subject);
    subjects.push_back(std::move(subject));
  }
  if (subjects.empty()) {
    llvm::errs() << "there are no launches in '" << folder << "'\n";
    return 1;
  }
  unsigned drawn = 0, total = 0, killed = 0, harmless = 0, survived = 0,
           first = 0, named = 0, kernels = 0, unlisted = 0;
  std::map<std::string, unsigned> byHow;
  auto start = std::chrono::steady_clock::now();
  auto isOver = [&] {
    return seconds && std::chrono::steady_clock::now() - start >
                          std::chrono::seconds(seconds);
  };
  // Kernels in turn, so that a run that is cut short has some of each.
  for (size_t round = 0; drawn < count && !isOver(); ++round) {
    bool hasMore = false;
    for (Subject &subject : subjects) {
      if (round >= subject.mutants.size() || drawn >= count || isOver())
        continue;
      hasMore = true;
      if (drawn++ % parts != partNumber - 1)
        continue;
      if (subject.right.steps == 0) {
        if (!runAsIs(subject))
          return 1;
        ++kernels;
      }
      const Mutant &mutant = subject.mutants[round];
      Verdict verdict = examine(subject, mutant);
      ++total;
      killed += verdict.kind == Verdict::Killed;
      harmless += verdict.kind == Verdict::Harmless;
      survived += verdict.kind == Verdict::Survived;
      if (verdict.kind == Verdict::Killed) {
        first += verdict.inFirstRun;
        named += verdict.isNamed;
      }
      ++byHow[verdict.how];
      std::string what = subject.launch->name() + ", " + mutant.str();
      bool isUnlisted =
          verdict.kind == Verdict::Survived && !listed.contains(what);
      unlisted += isUnlisted;
      if (isVerbose || verdict.kind == Verdict::Survived) {
        llvm::outs() << (verdict.kind == Verdict::Killed     ? "killed"
                         : verdict.kind == Verdict::Harmless ? "harmless"
                                                             : "survived")
                     << (isUnlisted ? ", not listed  " : "  ") << what << "  "
                     << verdict.how
                     << (verdict.kind == Verdict::Killed && !verdict.isNamed
                             ? ", not named"
                             : "")
                     << '\n';
        llvm::outs().flush();
      }
    }
    if (!hasMore)
      break;
  }
  for (const auto &[how, number] : byHow)
    llvm::outs() << llvm::formatv("  {0,-14} {1}\n",
                                  how.empty() ? "survived" : how, number);
  llvm::outs() << llvm::formatv(
      "mutants: {0} killed, {1} harmless, {2} survived of {3}, of {4} "
      "kernels; of the killed {5} in one run, {6} name the place\n",
      killed, harmless, survived, total, kernels, first, named);
  return !survivors.empty() && unlisted;
}
