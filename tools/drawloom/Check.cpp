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

static void printHelp() {
  llvm::outs()
      << "drawloom check - look at the mbarriers of a kernel without running "
         "it\n"
         "\n"
         "Usage: drawloom check FILE.ptx [options]\n"
         "\n"
         "Follows every warp over all its paths, and says for each mbarrier "
         "who "
         "sets it\n"
         "up and for how many arrivals, who arrives, which bytes it counts and "
         "who waits\n"
         "for which parity; then what cannot fit together, what could not be "
         "followed, and\n"
         "whether it is deadlock-free: 'proved', 'proved if' with the "
         "assumptions and their\n"
         "lines, or 'not proved' with the reason. 'drawloom run --check' finds "
         "data races, and\n"
         "needs a launch. See docs/StaticAnalysis.md and docs/Checker.md.\n"
         "\n"
         "A kernel of the device library says in its PTX which roles and pipes "
         "it has. Of\n"
         "such a kernel it says what each role does with which pipe, loop by "
         "loop, and proves\n"
         "that it comes to its end for all sizes, or says with which it "
         "doesn't; threads and\n"
         "clusters are then the kernel's own (docs/DeviceLibrary.md).\n"
         "\n"
         "Options:\n"
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
         "  --sarif FILE     write what cannot fit as SARIF 2.1.0\n"
         "  --suppressions FILE   what is known, by rule and line: it isn't "
         "told and\n"
         "                   doesn't count\n"
         "  --quiet          only what cannot fit, and kernels that aren't "
         "proved to be\n"
         "                   deadlock-free\n"
         "  --help           this text\n"
         "\n"
         "Exit code: 0 nothing is at odds; 1 something cannot fit, or the file "
         "is at fault;\n"
         "2 bad usage. What could not be followed is told and is no fault.\n"
         "\n"
         "Example:\n"
         "  drawloom check "
      << findExamples() << "/check/handover.ptx\n";
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

static ExitCode check(const CommandLine &line,
                      const protocol::ExtractOptions &options) {
  llvm::StringRef path = line.getOperands().front();
  auto fail = [](const llvm::Twine &words) {
    llvm::errs() << "drawloom: " << words << '\n';
    return Failed;
  };
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
  std::optional<llvm::StringRef> wanted = line.get("--kernel");
  llvm::json::Array kernels, messages;
  auto suppressions =
      checker::Suppressions::read(line.get("--suppressions").value_or(""));
  if (!suppressions)
    return fail(llvm::toString(suppressions.takeError()));
  unsigned faults = 0, suppressed = 0, checked = 0;
  for (const ptx::Function *function : parsed.module->functions) {
    if (!function->isEntry || !function->hasBody ||
        (wanted && function->name != *wanted))
      continue;
    ++checked;
    std::optional<protocol::Graph> graph;
    protocol::ExtractOptions extractOptions = options;
    if (auto words = protocol::findGraph(*function, (*buffer)->getBuffer())) {
      llvm::Expected<protocol::Graph> read = protocol::parseGraph(*words);
      if (!read)
        return fail(path + ": " + llvm::toString(read.takeError()));
      graph = std::move(*read);
      extractOptions.hasGraph = true;
      extractOptions.threads = graph->threads;
      extractOptions.cluster = {graph->ctas(), 1, 1};
    }
    std::optional<Waiting> waiting("following the warps of a kernel");
    llvm::Expected<protocol::Claims> claims =
        protocol::extract(*function, extractOptions);
    waiting.reset();
    if (!claims)
      return fail(path + ": " + llvm::toString(claims.takeError()) +
                  " (--threads, --cluster)");
    claims->kernel = llvm::demangle(claims->kernel);
    if (graph)
      claims->names = graph->nameBarriers();
    std::vector<protocol::Misfit> misfits = protocol::fit(*claims);
    protocol::locate(misfits, *parsed.module, *function);
    std::optional<HandProof> proofByHand;
    if (graph && misfits.empty())
      proofByHand =
          proveByHand(*parsed.module, *function, *claims, *graph, misfits);
    for (protocol::Misfit &misfit : misfits)
      misfit.isSuppressed = suppressions->covers(
          misfit.rule, claims->kernel, {{misfit.line, misfit.source}});
    unsigned known = llvm::count_if(
        misfits, [](const protocol::Misfit &one) { return one.isSuppressed; });
    suppressed += known;
    faults += misfits.size() - known;
    // Where something cannot fit, that comes first.
    std::optional<protocol::Progress> progress;
    if (misfits.empty() && !claims->barriers.empty() && !graph)
      progress = protocol::proveProgress(*claims);
    const protocol::Progress *proof = progress ? &*progress : nullptr;
    std::string report;
    llvm::raw_string_ostream os(report);
    protocol::print(*claims, misfits, proof, path, line.has("--quiet"), os);
    llvm::outs() << colorErrors(report);
    if (proofByHand && !line.has("--quiet"))
      print(*proofByHand, llvm::outs());
    if (proofByHand)
      progress = summarize(*proofByHand);
    // A kernel that may deadlock is reported in any case.
    std::string words;
    if (progress)
      words = claims->kernel + ": deadlock-free: " +
              (proofByHand ? progress->why : protocol::describe(*progress));
    if (progress && !progress->isProved && line.has("--quiet"))
      llvm::outs() << words << '\n';
    if (progress && !progress->isUnconditional())
      messages.push_back(toMessage(*progress, std::move(words)));
    kernels.push_back(
        protocol::toJson(*claims, misfits, progress ? &*progress : nullptr));
  }
  if (!checked && wanted)
    return fail("there is no kernel '" + *wanted + "' in '" + path + "'");
  if (!checked)
    return fail("there is no kernel in '" + path + "'");
  llvm::outs().flush();
  tellUnused(*suppressions);
  llvm::outs() << "check: " << checked
               << (checked == 1 ? " kernel" : " kernels") << ", " << faults
               << (faults == 1 ? " error" : " errors");
  if (suppressed)
    llvm::outs() << ", " << suppressed << " suppressed";
  llvm::outs() << '\n';
  if (llvm::Error error =
          writeReports(llvm::json::Object{{"kernels", std::move(kernels)},
                                          {"errors", faults}},
                       files, {path.str(), "", std::move(messages)}))
    return fail(llvm::toString(std::move(error)));
  return faults ? Failed : Done;
}

ExitCode drawloom::runCheck(llvm::ArrayRef<llvm::StringRef> arguments) {
  auto complain = [](llvm::Error error) {
    llvm::errs() << "drawloom check: " << llvm::toString(std::move(error))
                 << "\n'drawloom check --help' explains the options\n";
    return BadUsage;
  };
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
    return complain(line.takeError());
  if (line->wantsHelp()) {
    printHelp();
    return Done;
  }
  if (line->getOperands().size() != 1)
    return complain(llvm::createStringError(line->getOperands().empty()
                                                ? "name a file of PTX"
                                                : "name one file, not more"));
  llvm::Expected<protocol::ExtractOptions> options = readOptions(*line);
  if (!options)
    return complain(options.takeError());
  return check(*line, *options);
}
