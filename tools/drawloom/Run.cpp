//===- Run.cpp - drawloom run ---------------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Orders.h"
#include "RunArguments.h"
#include "RunCommand.h"
#include "Verb.h"
#include "drawloom/Checker/RaceChecker.h"
#include "drawloom/Emulator/Fidelity.h"
#include "drawloom/Emulator/Interrupt.h"
#include "drawloom/Emulator/LaunchFile.h"
#include "drawloom/Emulator/Schedule.h"
#include "drawloom/Input/Printable.h"
#include "drawloom/Input/Read.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace drawloom;

namespace {
/// What a run needs, put together from the two files.
struct Setup {
  std::unique_ptr<emu::Device> device;
  std::unique_ptr<emu::LoadedModule> module;
  std::optional<emu::PreparedLaunch> launch;
  emu::RunOptions options;
  std::unique_ptr<checker::RaceChecker> checker; ///< If it is checked.
  std::optional<emu::Report> failure;            ///< Why a run ended early.
  const emu::Interrupt *interrupt = nullptr;
};
} // namespace

/// An error that is about a file.
static llvm::Error inFile(const std::string &path, llvm::Error error) {
  return llvm::createStringError("'" + path +
                                 "': " + llvm::toString(std::move(error)));
}

/// `text`: of the kernel.
static llvm::Expected<Setup> prepare(const RunArguments &arguments,
                                     llvm::StringRef text) {
  auto json = input::readText(arguments.launch);
  if (!json)
    return json.takeError();
  llvm::StringRef folder = llvm::sys::path::parent_path(arguments.launch);
  auto file = emu::parseLaunchFile(
      (*json)->getBuffer(), folder,
      arguments.output ? llvm::StringRef(*arguments.output) : folder);
  if (!file)
    return inFile(arguments.launch, file.takeError());
  const emu::DeviceModel *model = emu::findDeviceModel(file->device);
  if (!model)
    return inFile(
        arguments.launch,
        llvm::createStringError(
            "device: '" + file->device + "' is not one of " +
            llvm::join(llvm::map_range(emu::deviceModels(),
                                       [](auto &m) { return m.name; }),
                       ", ") +
            " [launch-file]"));
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(text, arguments.ptx));
  if (!parsed)
    return llvm::createStringError(llvm::StringRef(parsed.str()).rtrim());

  Setup setup;
  emu::DeviceModel wanted = *model;
  wanted.smCount = file->smCount.value_or(wanted.smCount);
  auto device = emu::Device::create(wanted);
  if (!device)
    return device.takeError();
  setup.device = std::move(*device);
  if (!arguments.fidelity.empty())
    setup.device->countExecution();
  auto module = setup.device->load(std::move(parsed.module));
  if (!module)
    return inFile(arguments.ptx, module.takeError());
  setup.module = std::move(*module);
  if (auto table = llvm::sys::Process::GetEnv("DRAWLOOM_TIME_SLOTS");
      table && !table->empty()) {
    auto slots = emu::readIssueSlots(*table, setup.module->ptx());
    if (!slots)
      return llvm::createStringError("DRAWLOOM_TIME_SLOTS: " +
                                     llvm::toString(slots.takeError()));
    setup.module->setIssueSlots(std::move(*slots));
  }
  auto launch =
      emu::PreparedLaunch::create(*file, *setup.device, *setup.module);
  if (!launch)
    return inFile(arguments.launch, launch.takeError());
  setup.launch = std::move(*launch);
  setup.options = file->options;
  setup.options.output = &llvm::outs();
  if (arguments.order)
    if (llvm::Error error = emu::parseSchedule(*arguments.order, setup.options))
      return error;
  if (arguments.time)
    setup.options.policy = emu::Policy::Timed;
  if (arguments.stepLimit)
    setup.options.stepLimit = *arguments.stepLimit;
  if (arguments.check.checks) {
    auto suppressions =
        checker::Suppressions::read(arguments.check.suppressions);
    if (!suppressions)
      return suppressions.takeError();
    auto names = checker::PlanNames::read(arguments.check.plan);
    if (!names)
      return names.takeError();
    setup.checker = std::make_unique<checker::RaceChecker>(
        checker::CheckOptions{.isStrict = arguments.check.isStrict,
                              .suppressions = std::move(*suppressions),
                              .countsCosts = arguments.check.remarks,
                              .names = std::move(*names)});
    setup.options.listener = setup.checker.get();
  }
  return setup;
}

/// "12.3 M" for 12,345,678.
static std::string thousands(uint64_t count) {
  if (count < 1000000)
    return std::to_string(count);
  return llvm::formatv("{0:f1} M", count / 1e6);
}

/// Runs once. Says what went wrong, located as compilers do.
static bool runOnce(Setup &setup, const RunArguments &arguments,
                    emu::RunStatistics &statistics) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  uint64_t ctas = setup.launch->launch().grid.count();
  bool terminal = llvm::sys::Process::StandardErrIsDisplayed();
  bool shown = false;
  auto progress = [&](uint64_t steps, uint64_t finished) {
    if (!terminal && !arguments.progress)
      return !setup.interrupt->happened();
    double seconds =
        std::chrono::duration<double>(Clock::now() - start).count();
    llvm::errs() << (terminal ? "\r" : "")
                 << llvm::formatv(
                        "{0} of {1} CTAs done, {2} warp instructions, "
                        "{3:f1} s",
                        finished, ctas, thousands(steps), seconds)
                 << (terminal ? "  " : "\n");
    shown = true;
    return !setup.interrupt->happened();
  };
  emu::RunOptions options = setup.options;
  options.progress = progress;
  auto isStopped = [&] { return setup.interrupt->happened(); };
  options.isStopped = isStopped;
  emu::RunResult result =
      emu::run(*setup.device, setup.launch->launch(), options);
  llvm::outs().flush();
  if (shown && terminal)
    llvm::errs() << '\n';
  statistics = result.statistics;
  if (result.timing && arguments.time)
    llvm::outs() << result.timing->str();
  if (result.ok())
    return true;
  const emu::Report &report = *result.report;
  setup.failure = report;
  llvm::errs() << arguments.ptx;
  if (report.line)
    llvm::errs() << ':' << report.line;
  llvm::errs() << ": error: " << report.strWithCode(/*namesLine=*/false)
               << '\n';
  if (options.policy != emu::Policy::Deterministic)
    llvm::errs() << arguments.ptx << ": note: --order "
                 << emu::printSchedule(options) << " repeats this run\n";
  return false;
}

/// Runs under many orders and compares what the arrays hold with the first
/// run's.
static bool runOrders(Setup &setup, const RunArguments &arguments) {
  emu::RunStatistics statistics;
  setup.options.policy = emu::Policy::Deterministic;
  if (!runOnce(setup, arguments, statistics))
    return false;
  std::vector<std::vector<char>> first;
  for (const emu::PreparedLaunch::Array &array : setup.launch->arrays()) {
    llvm::ArrayRef<char> bytes = setup.launch->contents(*setup.device, array);
    first.emplace_back(bytes.begin(), bytes.end());
  }
  std::vector<std::string> all = emu::listSchedules(arguments.seeds);
  for (const std::string &name : all) {
    setup.options.delayed.reset();
    llvm::cantFail(emu::parseSchedule(name, setup.options));
    setup.launch->restore(*setup.device);
    if (!runOnce(setup, arguments, statistics))
      return false;
    for (auto [array, expected] : llvm::zip(setup.launch->arrays(), first)) {
      llvm::ArrayRef<char> bytes = setup.launch->contents(*setup.device, array);
      auto [at, other] =
          std::mismatch(bytes.begin(), bytes.end(), expected.begin());
      if (at == bytes.end())
        continue;
      uint64_t size =
          llvm::cantFail(emu::NumpyArray::elementSize(array.before.type));
      uint64_t number = (at - bytes.begin()) / size;
      llvm::SmallVector<int64_t> shape(array.before.shape.begin(),
                                       array.before.shape.end());
      setup.launch->restore(*setup.device);
      llvm::errs() << arguments.ptx << ": error: under " << name << ", element "
                   << describeElement(shape, number) << " of '" << array.name
                   << "' differs from the deterministic run\n"
                   << arguments.ptx << ": note: written last by "
                   << findWriter(*setup.device, setup.launch->launch(),
                                 setup.options, array.address + number * size,
                                 size)
                   << "\n"
                   << arguments.ptx << ": note: --order " << name
                   << " repeats this run\n";
      return false;
    }
  }
  llvm::outs() << all.size() + 1 << " orders: identical arrays\n";
  return true;
}

/// Puts what would help into the kernel, finding by finding, and runs it again.
/// Says of each finding what was inserted if that made it go away.
static std::vector<checker::Finding> tryFixes(const Setup &setup,
                                              const RunArguments &arguments,
                                              llvm::StringRef ptx,
                                              uint64_t steps) {
  auto run = [&](llvm::StringRef text)
      -> llvm::Expected<std::vector<checker::Finding>> {
    llvm::Expected<Setup> again = prepare(arguments, text);
    if (!again)
      return again.takeError();
    emu::RunOptions options = again->options;
    options.output = nullptr;
    // One that takes so much longer waits for something.
    if (steps)
      options.stepLimit = 8 * steps + 1000000;
    emu::RunResult result =
        emu::run(*again->device, again->launch->launch(), options);
    if (!result.ok())
      return llvm::createStringError(result.report->str());
    return again->checker->findings().vec();
  };
  std::vector<checker::Finding> findings = setup.checker->findingsAndRemarks();
  for (checker::Finding &finding : findings)
    if (finding.severity != checker::Severity::Note && !finding.isSuppressed)
      if (auto fix =
              checker::tryFixes(finding, setup.checker->findings(), ptx, run))
        finding.tried =
            describe(*fix) + ": the finding is gone (results not compared)";
  return findings;
}

/// Writes which instruction variants ran. False if it can't.
static bool tellFidelity(const Setup &setup, const RunArguments &arguments) {
  if (arguments.fidelity.empty())
    return true;
  emu::FidelityReport report;
  report.add(*setup.launch->launch().kernel);
  std::string problem = report.write(arguments.fidelity);
  if (!problem.empty())
    llvm::errs() << "drawloom: " << problem << '\n';
  return problem.empty();
}

static ExitStatus run(const RunArguments &arguments) {
  auto fail = [](llvm::Error error) {
    llvm::errs() << "drawloom: "
                 << input::makePrintable(llvm::toString(std::move(error)))
                 << '\n';
    return Failed;
  };
  auto ptx = input::readText(arguments.ptx);
  if (!ptx)
    return fail(ptx.takeError());
  llvm::StringRef text = (*ptx)->getBuffer();
  llvm::Expected<Setup> setup = prepare(arguments, text);
  if (!setup)
    return fail(setup.takeError());
  // What was found is reported first.
  emu::Interrupt interrupt;
  llvm::scope_exit flushed([] { llvm::outs().flush(); });
  setup->interrupt = &interrupt;
  emu::RunStatistics statistics;
  bool ran = arguments.seeds ? runOrders(*setup, arguments)
                             : runOnce(*setup, arguments, statistics);
  ExitStatus found = Clean;
  if (setup->checker)
    found = tellFindings(
        arguments.triesFixes
            ? tryFixes(*setup, arguments, text, statistics.warpInstructions)
            : setup->checker->findingsAndRemarks(),
        setup->checker->suppressions(), arguments.check.files,
        describeRun(arguments.ptx,
                    setup->failure ? &*setup->failure : nullptr));
  bool isReported = tellFidelity(*setup, arguments);
  if (!ran)
    return Findings;
  if (!arguments.seeds) {
    llvm::outs() << setup->launch->launch().kernel->function->name << ": "
                 << statistics.ctas << " CTAs, " << statistics.warpInstructions
                 << " warp instructions\n";
  }
  if (llvm::Error error = setup->launch->writeOutputs(*setup->device))
    return fail(std::move(error));
  return isReported ? found : Failed;
}

ExitStatus drawloom::runRun(llvm::ArrayRef<llvm::StringRef> arguments,
                            llvm::StringRef verb) {
  auto complain = [&](llvm::Error error) {
    return drawloom::complain(verb, llvm::toString(std::move(error)));
  };
  if (const auto *split = llvm::find(arguments, "--");
      split != arguments.end()) {
    size_t options = split - arguments.begin();
    return runCommand(arguments.take_front(options),
                      arguments.drop_front(options + 1), verb);
  }
  llvm::Expected<CommandLine> line = RunArguments::parse(arguments);
  if (!line)
    return complain(line.takeError());
  if (line->wantsHelp()) {
    printRunHelp();
    return Clean;
  }
  llvm::Expected<RunArguments> read = RunArguments::read(*line, verb);
  if (!read)
    return complain(read.takeError());
  return run(*read);
}
