//===- ExplainTime.cpp - drawloom explain --time --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long a kernel takes by the model of docs/Timing.md, what its roles wait
// for, and what other schedules take: each is compiled and run, none is
// estimated.
//
//===----------------------------------------------------------------------===//

#include "ExplainTime.h"
#include "CommandLine.h"
#include "Files.h"
#include "ProgramOptions.h"
#include "Terminal.h"
#include "TimePage.h"
#include "TimeReport.h"
#include "drawloom/PrintPlan/Print.h"
#include "drawloom/Run/Execute.h"
#include "drawloom/Session/Compile.h"
#include "drawloom/Session/Page.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace drawloom;

namespace {
/// A schedule that is tried.
struct Variant {
  std::string name; ///< "persistent = dynamic"
  tile::Schedule schedule;
};
} // namespace

/// The function on tensors or the kernel of that name; the first one without a
/// name.
static mlir::Operation *findProgram(mlir::ModuleOp module,
                                    llvm::StringRef name) {
  for (mlir::Operation &op : module.getOps())
    if (llvm::isa<tile::KernelOp, mlir::func::FuncOp>(op) &&
        (name.empty() || mlir::SymbolTable::getSymbolName(&op) == name))
      return &op;
  return nullptr;
}

/// Compiles a copy of the program with a schedule, and runs it by the clock.
/// Tensors are not moved, so that large ones take seconds. The arguments are
/// made for the first one. `trace`: a file for that of the first CTA.
static llvm::Expected<Timed> timeProgram(mlir::ModuleOp program,
                                         const ProgramOptions &options,
                                         std::optional<run::Arguments> &given,
                                         const tile::Schedule *schedule,
                                         llvm::StringRef trace = "") {
  mlir::OwningOpRef<mlir::ModuleOp> copy = program.clone();
  mlir::Operation *found = findProgram(*copy, options.kernel);
  if (schedule)
    tile::setSchedule(found, *schedule);
  mlir::FailureOr<tile::KernelOp> kernel =
      run::chooseKernel(*copy, *options.arch, options.kernel);
  if (mlir::failed(kernel))
    return llvm::make_error<CompileError>(std::vector<Message>());
  if (!given) {
    llvm::Expected<run::Arguments> made =
        run::makeArguments(*kernel, options.arguments);
    if (!made)
      return made.takeError();
    given = std::move(*made);
  }
  run::Arguments arguments = *given;
  Timed timed;
  timed.schedule = tile::getSchedule(*kernel);
  llvm::Expected<CompiledModule> compiled =
      compile(*copy, {.arch = options.arch, .unproved = options.unproved});
  if (!compiled)
    return compiled.takeError();
  timed.plan = compiled->kernels.front().plan;

  DriverCheck names({}, printPlans(compiled->kernels.front()));
  llvm::SmallVector<runtime::Driver::Setting> settings = {
      {"DRAWLOOM_TIME", "without-data"}, {"DRAWLOOM_QUIET", "1"}};
  if (!trace.empty()) {
    settings.push_back({"DRAWLOOM_TRACE", trace.str()});
    settings.push_back({"DRAWLOOM_TRACE_CTAS", "1"});
  }
  llvm::Expected<runtime::Device> device =
      run::openDevice(options.device, options.sms.value_or(0), settings);
  if (!device)
    return device.takeError();
  if (llvm::Error error = run::execute(*compiled, *device, arguments))
    return error;
  llvm::Expected<llvm::json::Value> report =
      llvm::json::parse(device->getDriver().timing());
  if (!report)
    return report.takeError();
  timed.report = std::move(*report->getAsObject());
  return timed;
}

//===----------------------------------------------------------------------===//
// Other schedules
//===----------------------------------------------------------------------===//

static std::string joinSizes(llvm::ArrayRef<int64_t> sizes) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(sizes, os);
  return text + "]";
}

/// One field of the given schedule changed at a time.
static std::vector<Variant> listVariants(const tile::Schedule &given,
                                         const Timed &base, bool isFunction,
                                         const target::Architecture &arch) {
  std::vector<Variant> variants;
  auto add = [&](const llvm::Twine &name) -> tile::Schedule & {
    variants.push_back({name.str(), given});
    return variants.back().schedule;
  };
  for (const plan::Pipe &pipe : base.plan.pipes) {
    if (base.plan.roles[pipe.producer].kind != plan::Role::Kind::Load ||
        pipe.memory != plan::Pipe::Memory::Shared)
      continue;
    for (int64_t slots : {pipe.slots - 1, pipe.slots + 1}) {
      if (slots == 0)
        continue;
      tile::Schedule &other = add("slots = {" + llvm::Twine(pipe.name) + " = " +
                                  llvm::Twine(slots) + "}");
      llvm::erase_if(other.slots,
                     [&](const auto &one) { return one.first == pipe.name; });
      other.slots.emplace_back(pipe.name, slots);
    }
  }
  const std::pair<plan::Items, tile::Persistence> schedulers[] = {
      {plan::Items::One, tile::Persistence::None},
      {plan::Items::Static, tile::Persistence::Static},
      {plan::Items::Dynamic, tile::Persistence::Dynamic}};
  for (auto [items, persistent] : schedulers)
    if (items != base.plan.items)
      add("persistent = " + tile::stringifyPersistence(persistent)).persistent =
          persistent;
  auto addCluster = [&](llvm::ArrayRef<int64_t> cluster, int64_t group) {
    if (cluster == llvm::ArrayRef(base.plan.cluster) &&
        group == base.schedule.ctaGroup.value_or(1))
      return;
    std::string name = "cluster = " + joinSizes(cluster);
    tile::Schedule &other =
        add(group == 1 ? name : name + ", cta_group = " + llvm::utostr(group));
    other.cluster.assign(cluster.begin(), cluster.end());
    other.clusterIsOpen = false;
    other.ctaGroup = group == 1 ? std::nullopt : std::optional(group);
  };
  const std::array<int64_t, 2> clusters[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}};
  for (const std::array<int64_t, 2> &cluster : clusters)
    if (cluster != clusters[0] || base.plan.clusterSize() != 1)
      addCluster(cluster, 1);
  if (arch.mma == target::MmaInstruction::Tcgen05)
    addCluster(clusters[1], 2);
  // The tile of a kernel is that of its program.
  if (isFunction && base.schedule.tile.size() == 3)
    for (unsigned dimension : {0, 1, 2})
      for (bool isLarger : {false, true}) {
        llvm::SmallVector<int64_t, 3> tile = base.schedule.tile;
        tile[dimension] = isLarger ? 2 * tile[dimension] : tile[dimension] / 2;
        add("tile = " + joinSizes(tile)).tile = tile;
      }
  return variants;
}

/// The first line of what is wrong, without a place.
static std::string shorten(llvm::Error error) {
  std::string text;
  llvm::handleAllErrors(
      std::move(error),
      [&](const CompileError &rejected) {
        llvm::ArrayRef<Message> messages = rejected.getMessages();
        text = "not compiled";
        if (!messages.empty())
          text += ": " + messages.front().text;
      },
      [&](const llvm::ErrorInfoBase &other) {
        text = "not run: " + other.message();
      });
  return llvm::StringRef(text).split('\n').first.str();
}

static void printVariants(mlir::ModuleOp program, const ProgramOptions &options,
                          std::optional<run::Arguments> &arguments,
                          const Timed &base, llvm::ArrayRef<Variant> variants,
                          llvm::raw_ostream &os) {
  size_t width = llvm::StringRef("with").size();
  for (const Variant &variant : variants)
    width = std::max(width, variant.name.size());
  os << '\n' << llvm::left_justify("with", width) << "       time  change\n";
  for (const Variant &variant : variants) {
    llvm::Expected<Timed> timed = [&] {
      Waiting waiting("timing " + variant.name);
      // Why a schedule has no plan is its row.
      mlir::ScopedDiagnosticHandler silent(
          program.getContext(),
          [](mlir::Diagnostic &) { return mlir::success(); });
      return timeProgram(program, options, arguments, &variant.schedule);
    }();
    os << llvm::left_justify(variant.name, width) << "  ";
    if (!timed)
      os << shorten(timed.takeError()) << '\n';
    else
      os << llvm::format("%6.2f us  %+.1f %%\n", timed->microseconds(),
                         100 *
                             (timed->microseconds() / base.microseconds() - 1));
    os.flush();
  }
}

//===----------------------------------------------------------------------===//
// The page
//===----------------------------------------------------------------------===//

namespace {
/// What the verb has beside what a program is asked.
struct TimeOutput {
  bool isPage = false;
  std::string path = "-";
};
} // namespace

/// Takes --format and -o out of the arguments.
static llvm::Expected<TimeOutput>
takeOutput(llvm::SmallVectorImpl<llvm::StringRef> &arguments) {
  TimeOutput output;
  for (size_t i = 0; i < arguments.size();) {
    const bool isFormat = arguments[i] == "--format";
    if (!isFormat && arguments[i] != "-o") {
      ++i;
      continue;
    }
    if (i + 1 == arguments.size())
      return llvm::createStringError("'" + arguments[i] + "' takes a value");
    llvm::StringRef value = arguments[i + 1];
    if (isFormat && value != "text" && value != "html")
      return llvm::createStringError(
          "with --time, --format takes text or html, not '" + value + "'");
    if (isFormat)
      output.isPage = value == "html";
    else
      output.path = value.str();
    arguments.erase(arguments.begin() + i, arguments.begin() + i + 2);
  }
  return output;
}

static llvm::Expected<std::string> makePage(const Timed &timed,
                                            const ProgramOptions &options,
                                            llvm::StringRef trace,
                                            llvm::StringRef text) {
  auto buffer = llvm::MemoryBuffer::getFile(trace);
  if (!buffer)
    return llvm::createStringError("no trace of the run: " +
                                   buffer.getError().message());
  std::string time;
  llvm::raw_string_ostream os(time);
  os << "<section>\n<h1>Time of @" << plan::escapeForXml(timed.plan.kernel)
     << "</h1>\n<pre class=\"time\">" << plan::escapeForXml(text) << "</pre>\n";
  if (llvm::Error error = drawTimeline((*buffer)->getBuffer(), os))
    return error;
  if (timed.report.getNumber("tensorUtilization").value_or(0) > 0)
    drawRoofline(makeRoofline(timed, options), os);
  os << "</section>\n";
  std::string page;
  llvm::raw_string_ostream pageStream(page);
  printPage(timed.plan, {}, pageStream, time);
  return page;
}

/// Times the program and its variants, and writes what came of it.
static ExitStatus explainTime(InputModule &input, mlir::Operation *program,
                              const ProgramOptions &options,
                              const TimeOutput &output) {
  llvm::SmallString<128> trace;
  llvm::scope_exit removeTrace([&] {
    if (!trace.empty())
      llvm::sys::fs::remove(trace);
  });
  if (output.isPage)
    if (std::error_code failed = llvm::sys::fs::createTemporaryFile(
            "drawloom-time", "json", trace)) {
      llvm::errs() << "drawloom: no file for a trace: " << failed.message()
                   << " [cannot-write]\n";
      return Failed;
    }
  std::optional<run::Arguments> made;
  llvm::Expected<Timed> base = [&] {
    Waiting waiting("timing");
    return timeProgram(input.get(), options, made, nullptr, trace);
  }();
  if (!base) {
    input.report(base.takeError());
    return Failed;
  }
  std::string text;
  llvm::raw_string_ostream kept(text);
  const bool isShown = !output.isPage && output.path == "-";
  llvm::raw_ostream &os =
      isShown ? static_cast<llvm::raw_ostream &>(llvm::outs()) : kept;
  printTimed(*base, *made, options, os);
  printVariants(input.get(), options, made, *base,
                listVariants(tile::getSchedule(program), *base,
                             llvm::isa<mlir::func::FuncOp>(program),
                             *options.arch),
                os);
  os << "\nA prediction by a model; docs/Timing.md says how good it is.\n";
  if (isShown)
    return Clean;
  if (output.isPage) {
    llvm::Expected<std::string> page = makePage(*base, options, trace, text);
    if (!page) {
      llvm::errs() << "drawloom: " << llvm::toString(page.takeError()) << '\n';
      return Failed;
    }
    text = std::move(*page);
  }
  return mlir::succeeded(writeOutput(output.path, text)) ? Clean : Failed;
}

ExitStatus drawloom::runExplainTime(llvm::ArrayRef<llvm::StringRef> arguments) {
  llvm::SmallVector<llvm::StringRef> rest(arguments);
  llvm::Expected<TimeOutput> output = takeOutput(rest);
  if (!output)
    return complain("explain", llvm::toString(output.takeError()));
  llvm::Expected<ProgramOptions> options =
      ProgramOptions::read(rest, "explain");
  if (!options)
    return complain("explain", llvm::toString(options.takeError()));
  if (llvm::StringRef(options->input).ends_with(".ptx"))
    return complain("explain", "--time takes a program; of PTX, 'drawloom run "
                               "--time' prints the time");
  mlir::DialectRegistry dialects;
  registerProgramDialects(dialects);
  std::unique_ptr<InputModule> input = InputModule::open(options->input);
  if (!input || !input->parse(dialects))
    return Failed;
  mlir::Operation *program = findProgram(input->get(), options->kernel);
  if (!program) {
    llvm::errs() << "drawloom: '" << options->input
                 << "' holds no such kernel [no-kernel]\n";
    return Failed;
  }
  if (!options->arguments.seed)
    options->arguments.seed = 0; // What they hold doesn't count.
  return explainTime(*input, program, *options, *output);
}
