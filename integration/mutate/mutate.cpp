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
// Only lines that the launch executes are changed. The bits of kernels whose
// own differ between schedules aren't compared. A barrier to which all come by
// one line is the same barrier if it stands there twice, and isn't doubled. The
// rules:
//
//   not awaited   no wait of the run is for a phase of the barrier in which the
//                 line counts, or for a later one, so neither the number nor
//                 who arrives matters; waits for the phase before the first
//                 don't count
//   ordered       what was left out, moved or weakened only orders (a fence, a
//                 barrier, a wait, a group, the scope of an arrival), or is a
//                 wait for the barrier beside the right one, and without it
//                 every two accesses are still ordered: the checker's verdict,
//                 which doesn't depend on the schedule
//
// `--suite` is all of it; `--part 2/8` is every eighth mutant from the second
// on, so that several processes, or one after another, do it together
// (common/Part.h).
// `--rows FILE` has a row for each mutant, written as soon as it is known; what
// has a row isn't run again. So a run that was cut short goes on, and the rows
// of all parts in one file give the figures of the whole.

#include "Subject.h"
#include "common/Part.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace drawloom;
using namespace drawloom::mutate;
namespace cl = llvm::cl;

static cl::OptionCategory category("mutate");
static cl::opt<std::string> folder(cl::Positional, cl::desc("[FOLDER]"),
                                   cl::init(LAUNCHES), cl::cat(category));
static cl::opt<bool> suite("suite",
                           cl::desc("5,000 mutants, 20 random "
                                    "schedules, and the survivors "
                                    "that are listed"),
                           cl::cat(category));
static cl::opt<std::string> partText("part", cl::init("1/1"),
                                     cl::desc(Part::description),
                                     cl::cat(category));
static cl::opt<bool> isList("list", cl::desc("print the mutants, run none"),
                            cl::cat(category));
static cl::opt<unsigned> count("count", cl::init(5000), cl::desc("of mutants"),
                               cl::cat(category));
static cl::opt<unsigned> seed("seed", cl::init(1), cl::desc("of the draw"),
                              cl::cat(category));
static cl::opt<unsigned> randomRuns("random", cl::init(20),
                                    cl::desc("random schedules for those that "
                                             "aren't killed in one run"),
                                    cl::cat(category));
static cl::opt<unsigned> seconds("seconds", cl::init(0),
                                 cl::desc("stop after so many; 0: never"),
                                 cl::cat(category));
static cl::opt<std::string>
    survivors("survivors",
              cl::desc("a file with those that may survive, as "
                       "they are printed; others fail"),
              cl::cat(category));
static cl::opt<std::string>
    rowsFile("rows",
             cl::desc("a file with a row for each mutant; those that "
                      "have one aren't run"),
             cl::cat(category));
static cl::opt<std::string> only("only",
                                 cl::desc("mutants whose line has this text"),
                                 cl::cat(category));
static cl::opt<bool> isVerbose("verbose", cl::desc("a line for each mutant"),
                               cl::cat(category));

namespace {

struct Verdict {
  enum Kind { Killed, Harmless, Survived };
  Kind kind = Survived;
  /// "report", "result", "finding", or the rule.
  std::string how;
  bool inFirstRun = true;
  bool isNamed = false;
};

/// Mutants with their verdicts, in a file, too.
class Rows {
public:
  llvm::Error open(llvm::StringRef path);
  const Verdict *find(const std::string &what) const;
  void add(const std::string &what, const Verdict &verdict);

private:
  std::map<std::string, Verdict> rows;
  std::unique_ptr<llvm::raw_fd_ostream> file;
};

/// How many of what.
struct Tally {
  unsigned total = 0, killed = 0, harmless = 0, survived = 0, first = 0,
           named = 0, unlisted = 0;
  std::map<std::string, unsigned> byHow;
  std::set<std::string> kernels;

  void add(const std::string &kernel, const Verdict &verdict);
  void print(llvm::raw_ostream &os) const;
};

} // namespace

static const char *const kindNames[] = {"killed", "harmless", "survived"};

llvm::Error Rows::open(llvm::StringRef path) {
  if (auto buffer = llvm::MemoryBuffer::getFile(path)) {
    llvm::SmallVector<llvm::StringRef> lines, fields;
    (*buffer)->getBuffer().split(lines, '\n', -1, false);
    for (llvm::StringRef line : lines) {
      fields.clear();
      line.split(fields, '\t');
      auto kind = fields.size() == 5 ? llvm::find(kindNames, fields[0])
                                     : std::end(kindNames);
      if (kind == std::end(kindNames))
        return llvm::createStringError(path + ": not a row: '" + line + "'");
      rows[fields[4].str()] = {Verdict::Kind(kind - kindNames), fields[1].str(),
                               fields[2] == "first", fields[3] == "named"};
    }
  }
  std::error_code error;
  file = std::make_unique<llvm::raw_fd_ostream>(path, error,
                                                llvm::sys::fs::OF_Append);
  return error ? llvm::createStringError(error, "cannot write '" + path + "'")
               : llvm::Error::success();
}

const Verdict *Rows::find(const std::string &what) const {
  auto found = rows.find(what);
  return found == rows.end() ? nullptr : &found->second;
}

void Rows::add(const std::string &what, const Verdict &verdict) {
  if (!file)
    return;
  *file << kindNames[verdict.kind] << '\t' << verdict.how << '\t'
        << (verdict.inFirstRun ? "first" : "later") << '\t'
        << (verdict.isNamed ? "named" : "") << '\t' << what << '\n';
  file->flush();
}

void Tally::add(const std::string &kernel, const Verdict &verdict) {
  ++total;
  kernels.insert(kernel);
  killed += verdict.kind == Verdict::Killed;
  harmless += verdict.kind == Verdict::Harmless;
  survived += verdict.kind == Verdict::Survived;
  if (verdict.kind == Verdict::Killed) {
    first += verdict.inFirstRun;
    named += verdict.isNamed;
  }
  ++byHow[verdict.how];
}

void Tally::print(llvm::raw_ostream &os) const {
  for (const auto &[how, number] : byHow)
    os << llvm::formatv("  {0,-14} {1}\n", how.empty() ? "survived" : how,
                        number);
  os << "  of " << kernels.size() << " kernels\n"
     << llvm::formatv("mutants: {0} killed, {1} harmless, {2} survived of {3}; "
                      "of the killed {4} in one run, {5} name the place\n",
                      killed, harmless, survived, total, first, named);
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
    return (line >= mutant.line && line < mutant.line + mutant.lines) ||
           subject.arePartners(mutant.line, line);
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
  if (verdict.how.empty() && subject.hasOneResult &&
      outcome.result != subject.right.result)
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
  bool isWeaker = category == "drop" || category == "swap" ||
                  category == "double" || category == "scope" ||
                  category == "count";
  // A wait that was changed awaits something itself.
  if ((isWeaker || category == "bytes") && !opcode.contains("_wait") &&
      !subject.isAwaited(mutant.line))
    return "not awaited";
  // A narrower scope changes no count; nor does a wait for another barrier,
  // which is one that was left out and one more.
  bool isElsewhere = category == "slot" && opcode.contains("_wait");
  if (category == "scope" || isElsewhere || (isWeaker && onlyOrders(opcode)))
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

static llvm::Expected<std::set<std::string>> readLines(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::createStringError("cannot read '" + path + "'");
  llvm::SmallVector<llvm::StringRef> lines;
  (*file)->getBuffer().split(lines, '\n');
  std::set<std::string> set;
  for (llvm::StringRef line : lines)
    set.insert(line.trim().str());
  return set;
}

/// The launches of the folder, each with its mutants drawn.
static llvm::Expected<std::vector<Subject>> readSubjects() {
  std::vector<std::string> bases;
  std::error_code failed;
  for (llvm::sys::fs::directory_iterator at(folder, failed), end;
       at != end && !failed; at.increment(failed))
    if (llvm::sys::path::extension(at->path()) == ".json")
      bases.push_back(llvm::StringRef(at->path()).drop_back(5).str());
  llvm::sort(bases);
  if (bases.empty())
    return llvm::createStringError("there are no launches in '" + folder + "'");
  std::vector<Subject> subjects;
  for (const std::string &base : bases) {
    auto launch = RecordedLaunch::read(base);
    if (!launch)
      return launch.takeError();
    Subject subject;
    subject.launch = std::move(*launch);
    subject.drawMutants(seed);
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

static llvm::Error runMutants(const Part &part, Tally &tally) {
  std::set<std::string> listed;
  if (!survivors.empty()) {
    auto lines = readLines(survivors);
    if (!lines)
      return lines.takeError();
    listed = std::move(*lines);
  }
  Rows rows;
  if (!rowsFile.empty())
    if (llvm::Error error = rows.open(rowsFile))
      return error;
  auto subjects = readSubjects();
  if (!subjects)
    return subjects.takeError();
  auto start = std::chrono::steady_clock::now();
  auto isOver = [&] {
    return seconds && std::chrono::steady_clock::now() - start >
                          std::chrono::seconds(seconds);
  };
  unsigned drawn = 0;
  bool hasMore = true;
  // Kernels in turn, so that a run that is cut short has some of each.
  for (size_t round = 0; hasMore; ++round) {
    hasMore = false;
    for (Subject &subject : *subjects) {
      if (round >= subject.mutants.size() || drawn >= count || isOver())
        continue;
      hasMore = true;
      if (!part.has(drawn++))
        continue;
      const Mutant &mutant = subject.mutants[round];
      std::string what = subject.launch->name() + ", " + mutant.str();
      if (!llvm::StringRef(what).contains(only))
        continue;
      if (isList) {
        llvm::outs() << what << '\n';
        continue;
      }
      Verdict verdict;
      if (const Verdict *known = rows.find(what)) {
        verdict = *known;
      } else {
        if (subject.right.steps == 0) {
          if (llvm::Error error = subject.runAsIs())
            return error;
          for (const auto &[rule, first, second] : subject.known)
            if (isVerbose)
              llvm::outs() << "as it is  " << subject.launch->name() << ", "
                           << checker::spelling(rule) << ", lines " << first
                           << " and " << second << '\n';
        }
        verdict = examine(subject, mutant);
        rows.add(what, verdict);
      }
      tally.add(subject.launch->name(), verdict);
      bool survived = verdict.kind == Verdict::Survived;
      bool isUnlisted = survived && !listed.contains(what);
      tally.unlisted += isUnlisted;
      if (!isVerbose && !survived)
        continue;
      bool killed = verdict.kind == Verdict::Killed;
      llvm::outs() << kindNames[verdict.kind]
                   << (isUnlisted ? ", not listed  " : "  ") << what << "  "
                   << verdict.how
                   << (killed && !verdict.isNamed ? ", not named" : "")
                   << (verdict.inFirstRun ? "" : ", not in the first run")
                   << '\n';
      llvm::outs().flush();
    }
  }
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Changes one thing in kernels, and runs them\n");
  if (suite && survivors.empty())
    survivors = SURVIVORS;
  Tally tally;
  llvm::Expected<Part> part = Part::parse(partText);
  if (llvm::Error error = part ? runMutants(*part, tally) : part.takeError()) {
    llvm::errs() << llvm::toString(std::move(error)) << '\n';
    return 1;
  }
  if (isList)
    return 0;
  tally.print(llvm::outs());
  return !survivors.empty() && tally.unlisted;
}
