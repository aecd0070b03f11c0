//===- Run.cpp - drawloom run ---------------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckOptions.h"
#include "CommandLine.h"
#include "RunCommand.h"
#include "Schedules.h"
#include "Verb.h"
#include "drawloom/Checker/RaceChecker.h"
#include "drawloom/Emulator/Fidelity.h"
#include "drawloom/Emulator/Interrupt.h"
#include "drawloom/Emulator/LaunchFile.h"
#include "drawloom/Emulator/Schedule.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace drawloom;

namespace {
struct RunArguments {
  std::string ptx, launch;
  std::optional<std::string> output;
  std::optional<std::string> schedule;
  std::optional<uint64_t> stepLimit;
  unsigned seeds = 0; ///< 0: one run.
  bool progress = false;
  bool triesFixes = false;
  std::string fidelity; ///< A file for the report, or empty.
  CheckOptions check;
};

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

void drawloom::printRunHelp() {
  llvm::outs()
      << "Usage: drawloom run FILE.ptx --launch LAUNCH.json [options]\n"
         "\n"
         "Runs a kernel in PTX on an emulated GPU. LAUNCH.json names the "
         "device, the grid,\n"
         "arrays in .npy files, and what the kernel is called with; "
         "docs/Run.md has every\n"
         "field.\n"
         "\n"
         "Options for PTX:\n"
         "  --launch FILE    the launch\n"
         "  -o FOLDER        where to write arrays; without it, next to "
         "LAUNCH.json\n"
         "  --schedule S     instead of the file's: deterministic, "
         "random:SEED,\n"
         "                   adversarial or adversarial:KIND (copy, bulk, "
         "tensor, "
         "mma,\n"
         "                   commit, remote-store, launch-control)\n"
         "  --schedules N    run under N random schedules and every "
         "adversarial one, too,\n"
         "                   and say whether the arrays end up the same, and "
         "if not, which\n"
         "                   element differs first and who wrote it\n"
         "  --step-limit N   warp instructions after which a run is given up\n"
         "  --progress       show progress even if nobody looks at a terminal\n"
         "  --try-fixes      with --check: insert what would help, run it "
         "again, and say\n"
         "                   with which insertion a finding is gone\n"
         "  --help           this text\n"
         "\n"
         "Usage: drawloom run [options] -- COMMAND [arguments]\n"
         "\n"
         "Runs a CUDA program with the emulator's libcuda.so.1 and "
         "libcudart.so.13: one\n"
         "built by nvcc -cudart shared with PTX inside, one that uses the "
         "driver API, or a\n"
         "script that does. docs/Driver.md says what the libraries have.\n"
         "\n"
         "Options for a command:\n"
         "  --device DEVICE  h100, b200 or rtx5090; without it, the first that "
         "it has PTX\n"
         "                   for\n"
         "  --sms N          SMs of the device; without it, as many as the "
         "real one\n"
         "  --schedule S, --step-limit N   as for PTX\n"
         "  --schedules N    run it under as many; its exit code and what it "
         "prints must\n"
         "                   be the same\n"
         "\n"
         "Options for all:\n"
         "  --check          find races, missing fences and work that nobody "
         "waits for:\n"
         "                   docs/Checker.md\n"
         "  --strict         by the letter of PTX, also where released kernels "
         "aren't\n"
         "  --remarks        say where lanes conflict in banks of shared "
         "memory, and where\n"
         "                   they touch more of global memory than they need\n"
         "  --plan FILE      names of roles and pipes, from 'drawloom "
         "explain'\n"
         "                   with --format json; a program has its own\n"
         "  --report FILE    write the findings as JSON, too\n"
         "  --sarif FILE     write them as SARIF 2.1.0, for editors and code "
         "hosts\n"
         "  --suppressions FILE   findings that are known, by rule and line: "
         "they aren't\n"
         "                   told and don't count\n"
         "  --fidelity FILE  write which forms of instructions ran, and which "
         "are exact,\n"
         "                   approximate or inferred: JSON if it ends in "
         ".json, text if\n"
         "                   not; '-' is standard error. docs/Run.md\n"
         "\n"
         "Exit code: 0 the kernel ran to its end, its results match and no "
         "error was\n"
         "found; 1 not so, or an input is at fault; 2 bad usage. Of a command, "
         "its own, or\n"
         "1 if an error was found.\n"
         "\n"
         "Examples:\n"
         "  drawloom run examples/gemm.mlir --arch sm_100a --random --compare\n"
         "  drawloom run examples/run/saxpy.ptx --launch "
         "examples/run/saxpy.json\n"
         "  drawloom run --device b200 -- ./gemm --m=512\n"
         "  drawloom run --check examples/check/reverse.ptx \\\n"
         "    --launch examples/check/reverse.json\n";
}

static llvm::Expected<RunArguments> readArguments(const CommandLine &line) {
  RunArguments result;
  if (line.getOperands().size() != 1)
    return llvm::createStringError(
        line.getOperands().empty() ? "name a program (.mlir), a file of PTX, "
                                     "or a command after '--'"
                                   : "name one file to run, not more");
  result.ptx = line.getOperands().front().str();
  std::optional<llvm::StringRef> launch = line.get("--launch");
  if (!launch)
    return llvm::createStringError("name the launch with --launch");
  result.launch = launch->str();
  if (std::optional<llvm::StringRef> folder = line.get("-o"))
    result.output = folder->str();
  if (std::optional<llvm::StringRef> text = line.get("--schedule"))
    result.schedule = text->str();
  if (std::optional<llvm::StringRef> text = line.get("--step-limit")) {
    result.stepLimit.emplace();
    if (text->getAsInteger(10, *result.stepLimit))
      return llvm::createStringError("--step-limit takes a number, not '" +
                                     *text + "'");
  }
  llvm::Expected<unsigned> seeds = readSchedules(line);
  if (!seeds)
    return seeds.takeError();
  result.seeds = *seeds;
  result.progress = line.has("--progress");
  result.fidelity = line.get("--fidelity").value_or("").str();
  llvm::Expected<CheckOptions> check = CheckOptions::read(line);
  if (!check)
    return check.takeError();
  result.check = *check;
  result.triesFixes = line.has("--try-fixes");
  if (result.triesFixes && !check->checks)
    return llvm::createStringError("--try-fixes goes with --check");
  return result;
}

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  return std::move(*buffer);
}

/// An error that is about a file.
static llvm::Error inFile(const std::string &path, llvm::Error error) {
  return llvm::createStringError("'" + path +
                                 "': " + llvm::toString(std::move(error)));
}

/// `text`: of the kernel.
static llvm::Expected<Setup> prepare(const RunArguments &arguments,
                                     llvm::StringRef text) {
  auto json = readFile(arguments.launch);
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
                       ", ")));
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
  auto launch =
      emu::PreparedLaunch::create(*file, *setup.device, *setup.module);
  if (!launch)
    return inFile(arguments.launch, launch.takeError());
  setup.launch = std::move(*launch);
  setup.options = file->options;
  setup.options.output = &llvm::outs();
  if (arguments.schedule)
    if (llvm::Error error =
            emu::parseSchedule(*arguments.schedule, setup.options))
      return error;
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
  emu::RunResult result =
      emu::run(*setup.device, setup.launch->launch(), options);
  llvm::outs().flush();
  if (shown && terminal)
    llvm::errs() << '\n';
  statistics = result.statistics;
  if (result.ok())
    return true;
  const emu::Report &report = *result.report;
  setup.failure = report;
  llvm::errs() << arguments.ptx;
  if (report.line)
    llvm::errs() << ':' << report.line;
  llvm::errs() << ": error: ";
  // Some messages begin with what kind it is.
  llvm::StringRef kind = emu::spelling(report.kind);
  if (!llvm::StringRef(report.message).starts_with(kind))
    llvm::errs() << kind << ": ";
  llvm::errs() << report.str() << '\n';
  if (options.policy != emu::Policy::Deterministic)
    llvm::errs() << arguments.ptx << ": note: --schedule "
                 << emu::printSchedule(options) << " repeats this run\n";
  return false;
}

/// Runs under many schedules and compares what the arrays hold with the first
/// run's.
static bool runSchedules(Setup &setup, const RunArguments &arguments) {
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
                   << "' is another than under deterministic\n"
                   << arguments.ptx << ": note: written last by "
                   << findWriter(*setup.device, setup.launch->launch(),
                                 setup.options, array.address + number * size,
                                 size)
                   << "\n"
                   << arguments.ptx << ": note: --schedule " << name
                   << " repeats this run\n";
      return false;
    }
  }
  llvm::outs() << all.size() + 1 << " schedules: identical arrays\n";
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
        finding.tried = describe(*fix) + ": the finding is gone";
  return findings;
}

/// Writes which forms of instructions ran. False if it can't.
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

/// "illegal-address", at the line of the source or else of the PTX.
static CheckedRun describeRun(const Setup &setup,
                              const RunArguments &arguments) {
  CheckedRun run{arguments.ptx};
  if (!setup.failure)
    return run;
  const emu::Report &report = *setup.failure;
  run.failure = report.str();
  std::string rule = emu::spelling(report.kind).str();
  llvm::replace(rule, ' ', '-');
  llvm::json::Object message{
      {"rule", rule}, {"text", run.failure}, {"line", report.line}};
  ptx::addSource(message, report.source);
  run.messages.push_back(std::move(message));
  return run;
}

static ExitCode run(const RunArguments &arguments) {
  auto fail = [](llvm::Error error) {
    llvm::errs() << "drawloom: " << llvm::toString(std::move(error)) << '\n';
    return Failed;
  };
  auto ptx = readFile(arguments.ptx);
  if (!ptx)
    return fail(ptx.takeError());
  llvm::StringRef text = (*ptx)->getBuffer();
  llvm::Expected<Setup> setup = prepare(arguments, text);
  if (!setup)
    return fail(setup.takeError());
  // What was found is told first.
  emu::Interrupt interrupt;
  llvm::scope_exit flushed([] { llvm::outs().flush(); });
  setup->interrupt = &interrupt;
  emu::RunStatistics statistics;
  bool ran = arguments.seeds ? runSchedules(*setup, arguments)
                             : runOnce(*setup, arguments, statistics);
  bool isClean = true;
  if (setup->checker)
    isClean = tellFindings(
        arguments.triesFixes
            ? tryFixes(*setup, arguments, text, statistics.warpInstructions)
            : setup->checker->findingsAndRemarks(),
        setup->checker->suppressions(), arguments.check.files,
        describeRun(*setup, arguments));
  bool isTold = tellFidelity(*setup, arguments);
  if (!ran)
    return Failed;
  if (!arguments.seeds) {
    llvm::outs() << setup->launch->launch().kernel->function->name << ": "
                 << statistics.ctas << " CTAs, " << statistics.warpInstructions
                 << " warp instructions\n";
  }
  if (llvm::Error error = setup->launch->writeOutputs(*setup->device))
    return fail(std::move(error));
  return isClean && isTold ? Done : Failed;
}

ExitCode drawloom::runRun(llvm::ArrayRef<llvm::StringRef> arguments) {
  auto complain = [](llvm::Error error) {
    llvm::errs() << "drawloom run: " << llvm::toString(std::move(error))
                 << "\n'drawloom run --help' explains the options\n";
    return BadUsage;
  };
  if (const auto *split = llvm::find(arguments, "--");
      split != arguments.end()) {
    size_t options = split - arguments.begin();
    return runCommand(arguments.take_front(options),
                      arguments.drop_front(options + 1));
  }
  llvm::Expected<CommandLine> line = CommandLine::parse(
      arguments, CheckOptions::with({{"--launch", true},
                                     {"-o", true},
                                     {"--schedule", true},
                                     {"--schedules", true},
                                     {"--step-limit", true},
                                     {"--progress", false},
                                     {"--fidelity", true},
                                     {"--try-fixes", false}}));
  if (!line)
    return complain(line.takeError());
  if (line->wantsHelp()) {
    printRunHelp();
    return Done;
  }
  llvm::Expected<RunArguments> read = readArguments(*line);
  if (!read)
    return complain(read.takeError());
  return run(*read);
}
