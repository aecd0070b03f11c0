//===- litmus.cpp - Pairs of kernels with and without a race --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   litmus FOLDER [NAME...]     runs the files *.litmus of a folder
//   litmus --lessons FOLDER [NAME...]   the same; a file counts once, and has a
//                               variant that is clean and one that isn't
//   litmus --show FILE a        prints a kernel
//   litmus --fixes FOLDER [NAME...]   the fixes with which findings are gone
//   litmus --table FOLDER       the table of docs/MemoryModel.md
//   litmus --page FOLDER PAGE   whether a page has it
//
// A file is the body of a kernel, in two variants:
//
//   # B1: a barrier of the CTA orders what comes before it
//   # warps 2
//   # a: clean
//   # b: unordered
//       @%first st.shared.u32 [%mine], 1;
//   a|  bar.sync 0;
//       @%second ld.shared.u32 %r3, [%mine];
//
// Lines with `a|` are in variant a only. A verdict is `clean`, the names of
// rules, or `stops "text"` if the emulator ends the run with such a report;
// `or` stands between two that depend on the schedule. Lines with `a<` come
// before the CTAs of the cluster meet, those with `a^` stand in the kernel's
// header.
// `# b strict: ...` is for strict mode, where it is another; `# b says: ...` is
// in what a finding says; `# b fix: ...` is in a fix that was tried and with
// which the finding is gone, `# b strict fix: ...` in strict mode. Other
// headers: `warps`, `ctas` (of the one cluster), `clusters`, `launches` (of one
// stream, each may start before the one in front has ended; %launch is its
// number), `sms` (of the device, one CTA on each), `target sm_100a`, `pair` for
// tensor memory of a pair of CTAs, `map` for a tensor map.
//
// ../Prelude.ptx stands around the body: memory, barriers and predicates.
// `WAIT(b, 0)` and `WAIT.acquire.cluster(b, 0)` stand for the loop that waits
// for a phase, by parity.
//
// Every kernel runs under eight schedules, and the verdict must be the same in
// all of them: it is about what may happen.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/RaceChecker.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace drawloom;
using namespace drawloom::checker;

namespace {
struct Variant {
  std::string name;
  std::string verdict[2]; ///< By default, and in strict mode.
  std::vector<std::string> says;
  std::string fix[2]; ///< In those that help, by default and in strict mode.
  std::string header, early, body;
};

struct Test {
  std::string name, target = "sm_90a";
  std::string title; ///< What it shows.
  std::vector<std::string> rules;
  unsigned warps = 1, ctas = 1, clusters = 1, launches = 1;
  unsigned sms = 0; ///< 0: as the device has.
  bool isPair = false, hasMap = false;
  std::vector<Variant> variants;
};
} // namespace

static llvm::Expected<std::string> readFile(const llvm::Twine &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

/// Puts loops in the place of waits.
static std::string expandWaits(llvm::StringRef line, unsigned &labels) {
  auto [before, rest] = line.split("WAIT");
  if (rest.empty())
    return line.str();
  auto [order, arguments] = rest.split('(');
  auto [barrier, phase] = arguments.split(')').first.split(',');
  std::string label = "again" + llvm::utostr(labels++);
  return (label + ": mbarrier.try_wait.parity" + order +
          ".shared::cta.b64 %waited, [" + barrier + "], " + phase.trim() +
          ";\n@!%waited bra " + label + ";")
      .str();
}

static llvm::Expected<Test> parse(llvm::StringRef text, llvm::StringRef name) {
  Test test;
  test.name = name.str();
  llvm::SmallVector<llvm::StringRef, 64> lines;
  text.split(lines, '\n');
  auto variant = [&](llvm::StringRef name) -> Variant & {
    for (Variant &known : test.variants)
      if (known.name == name)
        return known;
    test.variants.push_back({name.str(), {}, {}, {}, {}, {}, {}});
    return test.variants.back();
  };
  bool isFirst = true;
  unsigned labels = 0;
  for (llvm::StringRef line : lines) {
    if (line.consume_front("#")) {
      line = line.trim();
      if (isFirst) {
        llvm::SmallVector<llvm::StringRef, 4> rules;
        line.split(':').first.split(rules, ',');
        test.title = line.split(':').second.trim().str();
        for (llvm::StringRef rule : rules)
          test.rules.push_back(rule.trim().str());
        isFirst = false;
        continue;
      }
      auto [key, value] = line.split(line.contains(':') ? ':' : ' ');
      value = value.trim();
      unsigned *number = llvm::StringSwitch<unsigned *>(key)
                             .Case("warps", &test.warps)
                             .Case("ctas", &test.ctas)
                             .Case("clusters", &test.clusters)
                             .Case("launches", &test.launches)
                             .Case("sms", &test.sms)
                             .Default(nullptr);
      if (key == "target")
        test.target = value.str();
      else if (key == "pair" || key == "map")
        (key == "pair" ? test.isPair : test.hasMap) = true;
      else if (number && value.getAsInteger(10, *number))
        return llvm::createStringError(name + ": " + key + " is a number");
      else if (!number) {
        bool says = key.consume_back(" says");
        bool isFix = key.consume_back(" fix");
        bool isStrict = key.consume_back(" strict");
        Variant &one = variant(key);
        if (isFix) {
          one.fix[isStrict] = value.str();
          continue;
        }
        if (says) {
          one.says.push_back(value.str());
          continue;
        }
        one.verdict[1] = value.str();
        if (!isStrict)
          one.verdict[0] = value.str();
      }
      continue;
    }
    for (Variant &one : test.variants) {
      llvm::StringRef rest = line;
      if (line.size() > 1 && line[1] == '|') {
        if (line[0] != one.name[0])
          continue;
        rest = line.drop_front(2);
      }
      if (line.size() > 1 && (line[1] == '<' || line[1] == '^')) {
        if (line[0] == one.name[0])
          (line[1] == '<' ? one.early : one.header) +=
              line.drop_front(2).str() + "\n";
        continue;
      }
      one.body += expandWaits(rest, labels) + "\n";
    }
  }
  if (test.variants.empty())
    return llvm::createStringError(name + ": has no verdict");
  return test;
}

static std::string kernelOf(const std::string &prelude, const Test &test,
                            const Variant &variant) {
  std::string text = prelude;
  auto replace = [&](llvm::StringRef what, const std::string &by) {
    size_t at = text.find(what.str());
    if (at != std::string::npos)
      text.replace(at, what.size(), by);
  };
  auto replaceAll = [&](llvm::StringRef what, const std::string &by) {
    while (text.find(what.str()) != std::string::npos)
      replace(what, by);
  };
  replace("@TARGET@", test.target);
  replaceAll("@GROUP@", test.isPair ? "2" : "1");
  replace("@ROWS@", test.isPair ? "0x100" : "0x80");
  if (test.target == "sm_100a")
    replaceAll("//T ", "");
  if (test.hasMap)
    replaceAll("//M ", "");
  replace("@HEADER@", variant.header);
  replace("@EARLY@", variant.early);
  replace("@BODY@", variant.body);
  return text;
}

/// What is found in a kernel; an error if the emulator ends the run.
static llvm::Expected<std::vector<Finding>> findingsOf(llvm::StringRef kernel,
                                                       const Test &test,
                                                       int schedule,
                                                       bool isStrict) {
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(kernel, "litmus.ptx"));
  if (!parsed)
    return llvm::createStringError(parsed.str());
  emu::DeviceModel model =
      *emu::findDeviceModel(test.target == "sm_90a" ? "h100" : "b200");
  model.memoryBytes = 1 << 24;
  if (test.sms) {
    model.smCount = test.sms;
    model.ctasPerSm = 1;
  }
  auto device = emu::Device::create(model);
  if (!device)
    return device.takeError();
  auto module = (*device)->load(std::move(parsed.module));
  if (!module)
    return module.takeError();
  auto entry = (*module)->kernel("k");
  if (!entry)
    return entry.takeError();
  std::vector<emu::Launch> launches(test.launches);
  for (auto [index, launch] : llvm::enumerate(launches)) {
    launch.kernel = *entry;
    launch.grid = {test.ctas * test.clusters};
    launch.cluster = {test.ctas};
    launch.block = {test.warps * 32};
    launch.programmatic = index != 0;
    launch.parameters.resize((*entry)->parameterBytes);
    launch.parameters.front() = char(index);
  }
  RaceChecker checker({.isStrict = isStrict});
  emu::RunOptions options;
  options.listener = &checker;
  options.policy = schedule == 0   ? emu::Policy::Deterministic
                   : schedule == 1 ? emu::Policy::Adversarial
                                   : emu::Policy::Random;
  options.seed = schedule;
  options.stepLimit = 1 << 22;
  emu::RunResult run = emu::run(**device, launches, options);
  if (!run.ok())
    return llvm::createStringError("stops \"" + run.report->str() + "\"");
  std::vector<Finding> findings;
  // What memory holds at first matters to tests of that only.
  for (const Finding &finding : checker.findings())
    if ((finding.rule != Rule::Uninitialized &&
         finding.rule != Rule::UninitializedUpdate &&
         finding.rule != Rule::UndefinedValue) ||
        llvm::is_contained(test.rules, "I1"))
      findings.push_back(finding);
  return findings;
}

/// "clean", or names of rules; notes don't count.
static std::string verdictOf(llvm::ArrayRef<Finding> findings) {
  std::set<std::string> rules;
  for (const Finding &finding : findings)
    if (finding.severity != Severity::Note)
      rules.insert(spelling(finding.rule).str());
  return rules.empty() ? "clean" : llvm::join(rules, ", ");
}

/// The fixes with which a kernel's findings are gone.
static std::string tryFixesOf(const std::string &kernel, const Test &test,
                              bool isStrict) {
  auto run = [&](llvm::StringRef text) {
    return findingsOf(text, test, /*schedule=*/0, isStrict);
  };
  llvm::Expected<std::vector<Finding>> findings = run(kernel);
  if (!findings) {
    llvm::consumeError(findings.takeError());
    return "";
  }
  std::string words;
  for (const Finding &finding : *findings)
    if (auto fix = tryFixes(finding, *findings, kernel, run))
      words += describe(*fix) + "\n";
  return words;
}

static bool matches(llvm::StringRef verdict, llvm::StringRef expected) {
  if (auto [one, other] = expected.split(" or "); !other.empty())
    return matches(verdict, one) || matches(verdict, other);
  if (!expected.consume_front("stops \""))
    return verdict == expected;
  return verdict.starts_with("stops") && verdict.contains(expected.drop_back());
}

/// Runs a variant in all ways. Says what is wrong.
static bool runVariant(const std::string &prelude, const Test &test,
                       const Variant &variant) {
  std::string kernel = kernelOf(prelude, test, variant);
  std::string words; // Under the first schedule, in both modes.
  for (bool isStrict : {false, true})
    for (int schedule = 0; schedule != 8; ++schedule) {
      auto findings = findingsOf(kernel, test, schedule, isStrict);
      std::string text = findings ? verdictOf(*findings)
                                  : llvm::toString(findings.takeError());
      if (schedule == 0 && findings)
        for (const Finding &finding : *findings)
          words += finding.str();
      if (matches(text, variant.verdict[isStrict]))
        continue;
      llvm::outs() << test.name << ", " << variant.name
                   << (isStrict ? ", strict" : "") << ", schedule " << schedule
                   << ": " << text << "; expected " << variant.verdict[isStrict]
                   << '\n';
      return false;
    }
  for (bool isStrict : {false, true}) {
    if (variant.fix[isStrict].empty())
      continue;
    std::string fixes = tryFixesOf(kernel, test, isStrict);
    if (fixes.find(variant.fix[isStrict]) != std::string::npos)
      continue;
    llvm::outs() << test.name << ", " << variant.name << ": '"
                 << variant.fix[isStrict] << "' isn't among what helps:\n"
                 << fixes;
    return false;
  }
  for (const std::string &part : variant.says)
    if (words.find(part) == std::string::npos) {
      llvm::outs() << test.name << ", " << variant.name << ": doesn't say '"
                   << part << "' but\n"
                   << words;
      return false;
    }
  return true;
}

/// Whether it shows a bug and its fix.
static bool isLesson(const Test &test) {
  auto isClean = [](const Variant &variant) {
    return variant.verdict[0] == "clean";
  };
  if (llvm::any_of(test.variants, isClean) &&
      !llvm::all_of(test.variants, isClean))
    return true;
  llvm::outs() << test.name
               << ": needs a variant that is clean and one that isn't\n";
  return false;
}

/// All files of a folder, or those of some names.
static llvm::Expected<std::vector<Test>>
readTests(const std::string &folder, llvm::ArrayRef<std::string> names) {
  std::vector<std::string> files;
  std::error_code failed;
  for (llvm::sys::fs::directory_iterator it(folder, failed), end;
       it != end && !failed; it.increment(failed))
    if (llvm::sys::path::extension(it->path()) == ".litmus")
      files.push_back(it->path());
  if (failed)
    return llvm::createStringError("'" + folder + "': " + failed.message());
  llvm::sort(files);
  std::vector<Test> tests;
  for (const std::string &file : files) {
    llvm::StringRef name = llvm::sys::path::stem(file);
    if (!names.empty() && !llvm::is_contained(names, name.str()))
      continue;
    auto text = readFile(file);
    if (!text)
      return text.takeError();
    llvm::Expected<Test> test = parse(*text, name);
    if (!test)
      return test.takeError();
    tests.push_back(std::move(*test));
  }
  return tests;
}

/// A row for each test, by the rules of the memory model or where it was
/// reported.
static std::string tableOf(llvm::ArrayRef<Test> tests) {
  std::vector<std::string> rows;
  for (const Test &test : tests) {
    std::string row = "| " + llvm::join(test.rules, ", ") + " | `" + test.name +
                      "` | " + test.title + " | ";
    std::vector<std::string> verdicts;
    for (const Variant &variant : test.variants) {
      verdicts.push_back(variant.verdict[0]);
      if (variant.verdict[1] != variant.verdict[0])
        verdicts.back() += " (strict: " + variant.verdict[1] + ")";
    }
    rows.push_back(row + llvm::join(verdicts, "; ") + " |\n");
  }
  llvm::sort(rows);
  return "| of | test | what it shows | verdicts |\n|---|---|---|---|\n" +
         llvm::join(rows, "");
}

static int fail(llvm::Error error) {
  llvm::errs() << "litmus: " << llvm::toString(std::move(error)) << '\n';
  return 2;
}

int main(int argc, char **argv) {
  llvm::SmallVector<std::string, 8> arguments(argv + 1, argv + argc);
  std::string mode;
  if (!arguments.empty() && llvm::StringRef(arguments[0]).starts_with("--")) {
    mode = arguments.front();
    arguments.erase(arguments.begin());
  }
  if (arguments.empty())
    return fail(llvm::createStringError("name a folder"));
  std::string folder = arguments.front();
  llvm::ArrayRef<std::string> names = llvm::ArrayRef(arguments).drop_front();
  std::string shown;
  if (mode == "--show") {
    shown = llvm::sys::path::stem(folder).str();
    folder = llvm::sys::path::parent_path(folder).str();
  }
  auto prelude = readFile(folder + "/../Prelude.ptx");
  if (!prelude)
    return fail(prelude.takeError());
  auto tests =
      readTests(folder, mode == "--show"   ? llvm::ArrayRef(shown)
                        : mode == "--page" ? llvm::ArrayRef<std::string>()
                                           : names);
  if (!tests)
    return fail(tests.takeError());
  if (tests->empty())
    return fail(
        llvm::createStringError("there is no such test in '" + folder + "'"));
  if (mode == "--table" || mode == "--page") {
    std::string table = tableOf(*tests);
    if (mode == "--table") {
      llvm::outs() << table;
      return 0;
    }
    auto page = readFile(names.empty() ? "" : names.front());
    if (!page)
      return fail(page.takeError());
    if (page->find(table) != std::string::npos)
      return 0;
    return fail(llvm::createStringError(
        "'" + names.front() + "' is stale: put the output of litmus --table " +
        folder + " in the place of its table"));
  }
  if (mode == "--fixes") {
    for (const Test &test : *tests)
      for (const Variant &variant : test.variants)
        for (bool isStrict : {false, true})
          if (std::string words =
                  tryFixesOf(kernelOf(*prelude, test, variant), test, isStrict);
              !words.empty())
            llvm::outs() << test.name << ", " << variant.name
                         << (isStrict ? ", strict: " : ": ") << words;
    return 0;
  }
  if (mode == "--show") {
    for (const Variant &variant : tests->front().variants)
      if (!names.empty() && variant.name == names.front())
        llvm::outs() << kernelOf(*prelude, tests->front(), variant);
    return 0;
  }
  bool areLessons = mode == "--lessons";
  unsigned right = 0, all = 0;
  for (const Test &test : *tests) {
    unsigned rightHere = 0;
    for (const Variant &variant : test.variants)
      rightHere += runVariant(*prelude, test, variant);
    bool isWhole = rightHere == test.variants.size();
    right += areLessons ? isWhole && isLesson(test) : rightHere;
    all += areLessons ? 1 : test.variants.size();
  }
  llvm::outs() << (areLessons ? "lessons: " : "litmus: ") << right << " of "
               << all << '\n';
  return right == all ? 0 : 1;
}
