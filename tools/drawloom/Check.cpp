//===- Check.cpp - drawloom check -----------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByHand.h"
#include "CheckOptions.h"
#include "CommandLine.h"
#include "Terminal.h"
#include "Verb.h"
#include "drawloom/Checker/Suppressions.h"
#include "drawloom/Input/Read.h"
#include "drawloom/PTX/Parser.h"
#include "drawloom/Protocol/Progress.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;

static void printCheckHelp() {
  std::string examples = findExamples();
  llvm::outs()
      << "drawloom check - find deadlocks, data races and missing fences in a "
         "kernel\n"
         "\n"
         "Usage: drawloom check FILE.ptx [options]\n"
         "       drawloom check FILE.ptx --launch LAUNCH.json [options]\n"
         "       drawloom check FILE.mlir --arch ARCH [options]\n"
         "       drawloom check [options] -- COMMAND [arguments]\n"
         "\n"
         "PTX alone is analyzed without running it: every warp is followed "
         "over "
         "all its\n"
         "paths. The report has each mbarrier: which code initializes it and "
         "with what\n"
         "count, which arrives, which bytes it expects, which parity is waited "
         "for; then\n"
         "what cannot fit together, what could not be followed, and whether "
         "the kernel is\n"
         "deadlock-free: 'proved', 'proved if' with the assumptions and their "
         "lines, or\n"
         "'not proved' with the reason (docs/StaticAnalysis.md). A kernel of "
         "the device\n"
         "library has its roles and pipes in its PTX: it is proved "
         "deadlock-free for all\n"
         "sizes, or the sizes that deadlock are printed "
         "(docs/DeviceLibrary.md).\n"
         "\n"
         "PTX with a launch, a tile program and a command are run on the "
         "emulator under\n"
         "the checker, which finds data races, missing fences, unawaited "
         "operations and\n"
         "deadlocks of that run (docs/Checker.md): the same as 'drawloom run "
         "--check',\n"
         "with the same options.\n"
         "\n"
         "Options for PTX alone:\n"
         "  --kernel NAME    only this one; without it, all of the file\n"
         "  --threads N      of a CTA; without it, what the kernel says "
         "(.reqntid or\n"
         "                   .maxntid)\n"
         "  --cluster X,Y,Z  CTAs of a cluster; without it, what the kernel "
         "says\n"
         "                   (.reqnctapercluster), or 1\n"
         "  --states N       of a warp, after which it is given up; 50000 "
         "without it\n"
         "  --report FILE    write all of it as JSON, too\n"
         "  --sarif FILE     write findings as SARIF 2.1.0\n"
         "  --suppressions FILE   known findings, by rule and line: they are "
         "not\n"
         "                   printed and don't count\n"
         "  --quiet          only findings, and kernels that aren't proved "
         "deadlock-free\n"
         "  --help           this text\n"
         "\n";
  printPtxOptions("check");
  llvm::outs() << '\n';
  printProgramOptions();
  llvm::outs() << '\n';
  printCommandOptions();
  llvm::outs() << '\n';
  printCheckerOptions("check");
  llvm::outs() << '\n'
               << exitStatusHelp
               << "What static analysis could not follow is reported and is no "
                  "finding. A command\n"
                  "keeps its own status, or gets 1 if that is 0 and there are "
                  "findings.\n"
                  "\n"
                  "Examples:\n"
                  "  drawloom check "
               << examples << "/check/ring.ptx\n  drawloom check " << examples
               << "/check/reverse.ptx --launch " << examples
               << "/check/reverse.json\n"
                  "  drawloom check -- python3 train.py\n";
}

static llvm::Expected<protocol::ExtractOptions>
readOptions(const CommandLine &line) {
  protocol::ExtractOptions options;
  for (auto [name, into] : {std::pair("--threads", &options.threads),
                            std::pair("--states", &options.stateLimit)})
    if (std::optional<llvm::StringRef> text = line.get(name))
      if (text->getAsInteger(10, *into) || *into == 0)
        return llvm::createStringError(
            name + llvm::Twine(" takes a number from 1 on, not '") + *text +
            "'");
  if (std::optional<llvm::StringRef> text = line.get("--cluster")) {
    llvm::SmallVector<llvm::StringRef> words;
    text->split(words, ',');
    options.cluster = {1, 1, 1};
    bool isBad = words.size() > 3;
    for (size_t i = 0; !isBad && i != words.size(); ++i)
      isBad = words[i].getAsInteger(10, options.cluster[i]) ||
              options.cluster[i] == 0 || options.cluster[i] > 16;
    if (isBad)
      return llvm::createStringError(
          "--cluster takes up to three numbers from 1 to 16, as in 2,1,1, not "
          "'" +
          *text + "'");
  }
  return options;
}

/// The SARIF message of a kernel that isn't proved, or only with conditions; at
/// the first line that one is about.
static llvm::json::Object toMessage(const protocol::Progress &progress,
                                    std::string words) {
  llvm::json::Object message{
      {"severity", "remark"}, {"rule", "progress"}, {"text", std::move(words)}};
  if (!progress.assumptions.empty())
    message["line"] = *progress.assumptions.begin()->lines.begin();
  return message;
}

namespace {
/// Analyzes the kernels of one file, and sums up what was found.
class StaticCheck {
public:
  StaticCheck(const CommandLine &line, const protocol::ExtractOptions &options,
              const ptx::Module &module, llvm::StringRef text,
              checker::Suppressions &suppressions)
      : path(line.getOperands().front()), isQuiet(line.has("--quiet")),
        options(options), module(module), text(text),
        suppressions(suppressions) {}

  llvm::Error check(const ptx::Function &function);

  unsigned errors = 0, suppressed = 0, checked = 0;
  /// For the report and for SARIF.
  llvm::json::Array kernels, messages;

private:
  llvm::Expected<std::optional<protocol::Graph>>
  readGraph(const ptx::Function &function);
  void suppress(llvm::StringRef kernel, std::vector<protocol::Misfit> &misfits);
  void report(const protocol::Claims &claims,
              llvm::ArrayRef<protocol::Misfit> misfits,
              std::optional<protocol::Progress> progress,
              const std::optional<HandProof> &proofByHand);

  llvm::StringRef path;
  bool isQuiet;
  const protocol::ExtractOptions &options;
  const ptx::Module &module;
  llvm::StringRef text;
  checker::Suppressions &suppressions;
};
} // namespace

/// The graph in the comments of a kernel, if it has one.
llvm::Expected<std::optional<protocol::Graph>>
StaticCheck::readGraph(const ptx::Function &function) {
  auto words = protocol::findGraph(function, text);
  if (!words)
    return std::nullopt;
  llvm::Expected<protocol::Graph> read = protocol::parseGraph(*words);
  if (!read)
    return llvm::createStringError(path + ": " +
                                   llvm::toString(read.takeError()));
  return std::move(*read);
}

/// Marks the misfits that a file of suppressions names, and counts both kinds.
void StaticCheck::suppress(llvm::StringRef kernel,
                           std::vector<protocol::Misfit> &misfits) {
  for (protocol::Misfit &misfit : misfits)
    misfit.isSuppressed = suppressions.covers(misfit.rule, kernel,
                                              {{misfit.line, misfit.source}});
  unsigned known = llvm::count_if(
      misfits, [](const protocol::Misfit &one) { return one.isSuppressed; });
  suppressed += known;
  errors += misfits.size() - known;
}

/// Prints what was found in a kernel, and adds it to the files.
void StaticCheck::report(const protocol::Claims &claims,
                         llvm::ArrayRef<protocol::Misfit> misfits,
                         std::optional<protocol::Progress> progress,
                         const std::optional<HandProof> &proofByHand) {
  const protocol::Progress *proof = progress ? &*progress : nullptr;
  std::string printed;
  llvm::raw_string_ostream os(printed);
  protocol::print(claims, misfits, proof, path, isQuiet, os);
  llvm::outs() << colorErrors(printed);
  if (proofByHand && !isQuiet)
    print(*proofByHand, llvm::outs());
  if (proofByHand)
    progress = summarize(*proofByHand);
  // A kernel that may deadlock is reported in any case.
  std::string words;
  if (progress)
    words = claims.kernel + ": deadlock-free: " +
            (proofByHand ? progress->why : protocol::describe(*progress));
  if (progress && !progress->isProved && isQuiet)
    llvm::outs() << words << '\n';
  if (progress && !progress->isUnconditional())
    messages.push_back(toMessage(*progress, std::move(words)));
  kernels.push_back(
      protocol::toJson(claims, misfits, progress ? &*progress : nullptr));
}

llvm::Error StaticCheck::check(const ptx::Function &function) {
  ++checked;
  llvm::Expected<std::optional<protocol::Graph>> graph = readGraph(function);
  if (!graph)
    return graph.takeError();
  bool hasGraph = graph->has_value();
  protocol::ExtractOptions extractOptions = options;
  if (hasGraph) {
    extractOptions.hasGraph = true;
    extractOptions.threads = (*graph)->threads;
    extractOptions.cluster = {(*graph)->ctas(), 1, 1};
  }
  std::optional<Waiting> waiting("following the warps of a kernel");
  llvm::Expected<protocol::Claims> claims =
      protocol::extract(function, extractOptions);
  waiting.reset();
  if (!claims)
    return llvm::createStringError(path + ": " +
                                   llvm::toString(claims.takeError()) +
                                   " (--threads, --cluster) [kernel-threads]");
  claims->kernel = llvm::demangle(claims->kernel);
  if (hasGraph)
    claims->names = (*graph)->nameBarriers();
  std::vector<protocol::Misfit> misfits = protocol::fit(*claims);
  protocol::locate(misfits, module, function);
  std::optional<HandProof> proofByHand;
  if (hasGraph && misfits.empty())
    proofByHand = proveByHand(module, function, *claims, **graph, misfits);
  suppress(claims->kernel, misfits);
  // Where something cannot fit, that comes first.
  std::optional<protocol::Progress> progress;
  if (misfits.empty() && !claims->barriers.empty() && !hasGraph)
    progress = protocol::proveProgress(*claims);
  report(*claims, misfits, std::move(progress), proofByHand);
  return llvm::Error::success();
}

static ExitStatus fail(const llvm::Twine &words) {
  llvm::errs() << "drawloom: " << words << '\n';
  return Failed;
}

static ExitStatus check(const CommandLine &line,
                        const protocol::ExtractOptions &options) {
  llvm::StringRef path = line.getOperands().front();
  auto buffer = input::readText(path);
  if (!buffer)
    return fail(llvm::toString(buffer.takeError()));
  ptx::ParseResult parsed = ptx::parseModule((*buffer)->getMemBufferRef());
  ReportFiles files = {line.get("--report").value_or("").str(),
                       line.get("--sarif").value_or("").str()};
  if (!parsed) {
    fail(llvm::StringRef(parsed.str()).rtrim());
    if (llvm::Error error =
            writeReports({}, {"", files.sarif},
                         {path.str(), "", toMessages(parsed.diagnostics)}))
      fail(llvm::toString(std::move(error)));
    return Failed;
  }
  auto suppressions =
      checker::Suppressions::read(line.get("--suppressions").value_or(""));
  if (!suppressions)
    return fail(llvm::toString(suppressions.takeError()));
  std::optional<llvm::StringRef> wanted = line.get("--kernel");
  StaticCheck found(line, options, *parsed.module, (*buffer)->getBuffer(),
                    *suppressions);
  for (const ptx::Function *function : parsed.module->functions) {
    if (!function->isEntry || !function->hasBody ||
        (wanted && function->name != *wanted))
      continue;
    if (llvm::Error error = found.check(*function))
      return fail(llvm::toString(std::move(error)));
  }
  if (!found.checked && wanted)
    return fail("there is no kernel '" + *wanted + "' in '" + path +
                "' [no-kernel]");
  if (!found.checked)
    return fail("there is no kernel in '" + path + "' [no-kernel]");
  llvm::outs().flush();
  tellUnused(*suppressions);
  llvm::outs() << "check: " << found.checked
               << (found.checked == 1 ? " kernel" : " kernels") << ", "
               << found.errors << (found.errors == 1 ? " error" : " errors");
  if (found.suppressed)
    llvm::outs() << ", " << found.suppressed << " suppressed";
  llvm::outs() << '\n';
  if (llvm::Error error =
          writeReports(llvm::json::Object{{"kernels", std::move(found.kernels)},
                                          {"errors", found.errors}},
                       files, {path.str(), "", std::move(found.messages)}))
    return fail(llvm::toString(std::move(error)));
  return found.errors ? Findings : Clean;
}

static ExitStatus checkStatically(llvm::ArrayRef<llvm::StringRef> arguments) {
  llvm::Expected<CommandLine> line =
      CommandLine::parse(arguments, {{"--kernel", true},
                                     {"--threads", true},
                                     {"--cluster", true},
                                     {"--report", true},
                                     {"--sarif", true},
                                     {"--suppressions", true},
                                     {"--states", true},
                                     {"--quiet", false}});
  if (!line)
    return complain("check", llvm::toString(line.takeError()));
  if (line->getOperands().size() != 1)
    return complain("check", line->getOperands().empty()
                                 ? "expected FILE.ptx, FILE.mlir or -- COMMAND"
                                 : "name one file, not more");
  llvm::Expected<protocol::ExtractOptions> options = readOptions(*line);
  if (!options)
    return complain("check", llvm::toString(options.takeError()));
  return check(*line, *options);
}

ExitStatus drawloom::runCheck(llvm::ArrayRef<llvm::StringRef> arguments) {
  auto of = [](llvm::ArrayRef<llvm::StringLiteral> names) {
    return [names](llvm::StringRef argument) {
      return llvm::is_contained(names, argument.split('=').first);
    };
  };
  const auto *split = llvm::find(arguments, "--");
  llvm::ArrayRef<llvm::StringRef> own(arguments.begin(), split);
  if (llvm::any_of(own, of({"--help", "-h"}))) {
    printCheckHelp();
    return Clean;
  }
  bool runs = split != arguments.end() ||
              llvm::any_of(own, of({"--launch", "--arch"})) ||
              llvm::any_of(own, [](llvm::StringRef argument) {
                return argument.ends_with(".mlir");
              });
  if (!runs) {
    if (const auto *found = llvm::find_if(
            own, of({"--strict", "--remarks", "--plan", "--try-fixes",
                     "--fidelity", "--order", "--orders", "--step-limit",
                     "--progress", "-o", "--device", "--sms"}));
        found != own.end())
      return complain("check",
                      "'" + *found +
                          "' is for a run: add --launch LAUNCH.json, or name a "
                          "tile program (.mlir) or a command after '--'");
    return checkStatically(arguments);
  }
  if (const auto *found = llvm::find_if(
          own, of({"--threads", "--cluster", "--states", "--quiet"}));
      found != own.end())
    return complain("check",
                    "'" + *found + "' is for PTX alone, which is not run");
  return runAny(arguments, "check");
}
