//===- RunProgram.cpp - drawloom run PROGRAM.mlir -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "Orders.h"
#include "ProgramOptions.h"
#include "Terminal.h"
#include "Verb.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/OpenStrides.h"
#include "drawloom/Emulator/Schedule.h"
#include "drawloom/Input/Printable.h"
#include "drawloom/Interpreter/Npy.h"
#include "drawloom/PrintPlan/Print.h"
#include "drawloom/Run/Execute.h"
#include "drawloom/Session/Cached.h"
#include "drawloom/Target/Compile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <cstdlib>

using namespace drawloom;
using namespace drawloom::run;

namespace {
class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};
} // namespace

/// The arguments of which no tensor map can be made: TMA rejects their rows.
static llvm::SmallVector<unsigned>
findRejected(const runtime::KernelInfo &kernel, const Arguments &arguments) {
  llvm::SmallVector<unsigned> rejected;
  for (const runtime::Parameter &parameter : kernel.parameters) {
    unsigned number = parameter.argument;
    if (parameter.kind != runtime::Parameter::Kind::TensorMap ||
        llvm::is_contained(rejected, number))
      continue;
    const runtime::ArgumentInfo &info = kernel.arguments[number];
    runtime::Tensor tensor = {
        info.type,
        llvm::SmallVector<int64_t, 4>(arguments.tensors[number].getShape()),
        llvm::to_vector<4>(arguments.strides[number])};
    llvm::Expected<runtime::TensorMapRequest> map =
        runtime::makeTensorMap(info, parameter, tensor);
    if (map)
      continue;
    llvm::consumeError(map.takeError());
    rejected.push_back(number);
  }
  return rejected;
}

/// Says that the distance between rows of these arguments is known at the
/// launch only, so that threads copy them.
static void openStrides(tile::KernelOp kernel,
                        llvm::ArrayRef<unsigned> arguments) {
  auto open = [](tile::ViewType type) {
    llvm::SmallVector<int64_t> strides(type.getRank(),
                                       mlir::ShapedType::kDynamic);
    strides.back() = 1;
    return tile::ViewType::get(type.getShape(), type.getElementType(), strides);
  };
  llvm::SmallVector<mlir::Value> views;
  for (unsigned argument : arguments)
    views.push_back(kernel.getBody().getArgument(argument));
  while (!views.empty()) {
    mlir::Value view = views.pop_back_val();
    view.setType(open(llvm::cast<tile::ViewType>(view.getType())));
    for (mlir::Operation *user : view.getUsers())
      if (auto part = llvm::dyn_cast<tile::SubviewOp>(user))
        views.push_back(part.getResult());
  }
  kernel.setFunctionType(mlir::FunctionType::get(
      kernel.getContext(), kernel.getBody().getArgumentTypes(), {}));
}

/// The same of a function, whose results are arguments of the kernel, too.
static void openStrides(mlir::func::FuncOp function,
                        llvm::ArrayRef<unsigned> arguments) {
  auto open = mlir::UnitAttr::get(function.getContext());
  unsigned inputs = function.getNumArguments();
  for (unsigned argument : arguments)
    if (argument < inputs)
      function.setArgAttr(argument, tile::openStridesAttrName, open);
    else
      function.setResultAttr(argument - inputs, tile::openStridesAttrName,
                             open);
}

namespace {
/// A program that was compiled once more.
struct Recompiled {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tile::KernelOp kernel;
  CompiledModule compiled;
};
} // namespace

/// Plans the program anew, from its text on, with open strides for these
/// arguments: without TMA it may need another tile, or have no second kernel.
/// Nothing if there is no plan.
static std::optional<Recompiled>
recompile(mlir::OwningOpRef<mlir::ModuleOp> program, llvm::StringRef name,
          llvm::ArrayRef<unsigned> arguments, const CompileOptions &options) {
  mlir::Operation *found = program->lookupSymbol(name);
  if (auto kernel = llvm::dyn_cast_if_present<tile::KernelOp>(found))
    openStrides(kernel, arguments);
  else if (auto function = llvm::dyn_cast_if_present<mlir::func::FuncOp>(found))
    openStrides(function, arguments);
  else
    return std::nullopt;
  // What is wrong with it is nothing that the program says.
  mlir::ScopedDiagnosticHandler silent(
      program->getContext(),
      [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::FailureOr<tile::KernelOp> kernel =
      chooseKernel(*program, *options.arch, name);
  if (mlir::failed(kernel))
    return std::nullopt;
  llvm::Expected<CompiledModule> compiled = compile(*program, options);
  if (!compiled) {
    llvm::consumeError(compiled.takeError());
    return std::nullopt;
  }
  return Recompiled{std::move(program), *kernel, std::move(*compiled)};
}

/// Says that threads copy what TMA can't.
static void noteRecompiled(const runtime::ArgumentInfo &info,
                           const Arguments &arguments, unsigned argument) {
  const std::string &name = arguments.names[argument];
  llvm::ArrayRef<int64_t> strides = arguments.strides[argument];
  int64_t bytes =
      (strides.size() < 2 ? 1 : strides[strides.size() - 2]) * info.type->bytes;
  llvm::errs() << "drawloom: note: rows of '" << name << "' are " << bytes
               << " bytes apart, and TMA needs a multiple of 16; recompiled "
                  "with dynamic strides, and '"
               << name << "' is loaded with cp.async, which is slower\n";
}

static void printComparisons(llvm::ArrayRef<Comparison> comparisons) {
  std::vector<std::array<std::string, 7>> rows = {
      {"output", "elements", "largest error", "its bound", "largest share",
       "beyond", "no bound"}};
  for (const Comparison &one : comparisons) {
    auto known = [&](std::string figure) {
      return one.isJudged() ? std::move(figure) : "-";
    };
    rows.push_back({one.name, std::to_string(one.elements),
                    known(llvm::formatv("{0:e2}", one.largestError)),
                    known(llvm::formatv("{0:e2}", one.boundThere)),
                    known(llvm::formatv("{0:f1}%", 100 * one.largestShare)),
                    known(std::to_string(one.outOfBound)),
                    std::to_string(one.unbounded)});
  }
  std::array<size_t, 7> widths = {};
  for (const auto &row : rows)
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      width = std::max(width, cell.size());
  llvm::outs() << '\n';
  for (const auto &row : rows) {
    llvm::outs() << llvm::left_justify(row.front(), widths.front());
    for (auto [width, cell] : llvm::drop_begin(llvm::zip_equal(widths, row)))
      llvm::outs() << "  " << llvm::right_justify(cell, width);
    llvm::outs() << '\n';
  }
}

/// A deadlock or an illegal access is a finding; all else is an error.
static ExitStatus fail(llvm::Error error) {
  ExitStatus status = error.isA<KernelError>() ? Findings : Failed;
  llvm::errs() << "drawloom: "
               << input::makePrintable(llvm::toString(std::move(error)))
               << '\n';
  return status;
}

static ExitStatus report(llvm::ArrayRef<Comparison> comparisons) {
  printComparisons(comparisons);
  bool matches = true, isJudged = true, isComplete = true;
  for (const Comparison &one : comparisons) {
    matches &= one.outOfBound == 0;
    isJudged &= one.isJudged();
    isComplete &= one.unbounded == 0;
    if (one.outOfBound != 0)
      llvm::errs() << "drawloom: " << one.first << '\n';
    if (!one.isJudged())
      llvm::errs() << "drawloom: '" << one.name << "' is not judged: none of "
                   << "its " << one.elements
                   << " elements has a finite bound. Where a divisor or the "
                      "argument of a logarithm may be 0, or a result may "
                      "overflow, there is none; keep them away from that, or "
                      "give other inputs\n";
  }
  if (!matches)
    llvm::outs() << "the results do NOT match the reference\n";
  else if (!isJudged)
    llvm::outs() << "the results are NOT judged\n";
  else if (!isComplete)
    llvm::outs() << "the results match the reference where they have a bound; "
                    "elements without one were not compared\n";
  else
    llvm::outs() << "the results match the reference\n";
  return matches && isJudged ? Clean : Findings;
}

static llvm::Error writeOutputs(const Arguments &arguments,
                                const ProgramOptions &options) {
  for (auto &[name, path] : options.outputs) {
    size_t index = llvm::find(arguments.names, name) - arguments.names.begin();
    std::string text;
    llvm::raw_string_ostream os(text);
    interp::writeNpy(os, arguments.tensors[index]);
    if (mlir::failed(writeOutput(path, text)))
      return llvm::createStringError("'" + name +
                                     "' is not written [cannot-write]");
  }
  return llvm::Error::success();
}

/// Runs again under other orders: every output must have the same bits.
static llvm::Error runOrders(const CompiledModule &module,
                             const runtime::Device &device,
                             const Arguments &before, const Arguments &after,
                             unsigned seeds) {
  std::vector<std::string> all = emu::listSchedules(seeds);
  for (const std::string &name : all) {
    setenv("DRAWLOOM_ORDER", name.c_str(), 1);
    Arguments again = before;
    if (llvm::Error error = execute(module, device, again)) {
      bool isOfKernel = error.isA<KernelError>();
      std::string words =
          "under " + name + ": " + llvm::toString(std::move(error));
      if (isOfKernel)
        return llvm::make_error<KernelError>(std::move(words));
      return llvm::createStringError(words);
    }
    for (auto [argument, first, now] :
         llvm::zip_equal(again.names, after.tensors, again.tensors))
      for (int64_t i = 0; i != now.getNumElements(); ++i)
        if (now.getBits(i) != first.getBits(i))
          return llvm::make_error<KernelError>(llvm::formatv(
              "under {0}, {1}{2} has the bits {3:x} and not {4:x} as under "
              "deterministic; DRAWLOOM_ORDER={0} repeats this run "
              "[orders-differ]",
              name, argument, describeElement(now.getShape(), i),
              now.getBits(i), first.getBits(i)));
  }
  llvm::outs() << all.size() + 1 << " orders: identical outputs\n";
  return llvm::Error::success();
}

/// Whether ptxas takes what has run, if there is one: an emulated device takes
/// PTX that asks for more registers than there are.
static ExitStatus assemble(mlir::ModuleOp module, llvm::StringRef ptx,
                           const target::Architecture &arch) {
  llvm::Expected<target::Ptxas> ptxas =
      target::findPtxas(target::ToolSearch::fromEnvironment(), arch);
  if (!ptxas) {
    std::string why = llvm::toString(ptxas.takeError());
    llvm::outs() << llvm::StringRef(why).split('\n').first
                 << "; whether it takes the PTX is not known\n";
    return Clean;
  }
  llvm::outs().flush();
  mlir::FailureOr<target::AssembledModule> assembled =
      target::assembleModule(module, ptx, arch, *ptxas);
  llvm::outs() << "ptxas " << ptxas->version;
  if (mlir::failed(assembled)) {
    llvm::outs() << " does NOT take the PTX\n";
    return Failed;
  }
  llvm::outs() << " takes the PTX";
  llvm::ListSeparator separator("; ");
  llvm::outs() << ": ";
  for (const target::FunctionResources &function : assembled->report.functions)
    if (function.isKernel)
      llvm::outs() << separator << function.registers << " registers"
                   << (function.spills() ? ", with spills" : ", no spills");
  llvm::outs() << '\n';
  return Clean;
}

namespace {
/// A program, from its text to its outputs. Each step prints what is wrong; the
/// next one needs a clean status.
class ProgramRun {
public:
  ProgramRun(const ProgramOptions &options, InputModule &input)
      : options(options), input(input) {}

  /// Reads the program and makes the arguments of its kernel.
  ExitStatus read();
  ExitStatus compileKernel(cache::Cache *cache);
  /// Runs the kernel and compares, as far as the options ask for it.
  ExitStatus runKernel();

private:
  ExitStatus reject();
  void recompileRejected();
  llvm::Error launch(const runtime::Device &device);
  ExitStatus compareOutputs(const Arguments &before);

  const ProgramOptions &options;
  InputModule &input;
  mlir::ModuleOp module;
  /// The program as the user wrote it.
  mlir::OwningOpRef<mlir::ModuleOp> written;
  tile::KernelOp kernel;
  Arguments arguments;
  CompiledModule compiled;
  std::optional<Recompiled> again;
  double compileTime = 0;
};
} // namespace

/// What was wrong has been printed.
ExitStatus ProgramRun::reject() {
  if (llvm::Error error =
          writeReports({}, {"", options.check.files.sarif},
                       {options.input, "", input.takeMessages()}))
    return fail(std::move(error));
  return Failed;
}

ExitStatus ProgramRun::read() {
  mlir::DialectRegistry dialects;
  registerProgramDialects(dialects);
  if (!input.parse(dialects))
    return reject();
  module = input.get();
  written = module.clone();
  mlir::FailureOr<tile::KernelOp> chosen =
      chooseKernel(module, *options.arch, options.kernel);
  if (mlir::failed(chosen))
    return reject();
  kernel = *chosen;
  llvm::Expected<Arguments> made = makeArguments(kernel, options.arguments);
  if (!made)
    return fail(made.takeError());
  arguments = std::move(*made);
  for (auto &entry : options.outputs)
    if (!llvm::is_contained(arguments.names, entry.first))
      return fail(llvm::createStringError(
          "--output: @" + kernel.getSymName() + " has no argument '" +
          entry.first + "', only " + llvm::join(arguments.names, ", ") +
          " [argument]"));
  return Clean;
}

/// Compiles again, for arguments that TMA rejects. The text doesn't say that it
/// does, so no other run should find it in a cache. What has no plan without
/// TMA is rejected by the launch, with the arithmetic.
void ProgramRun::recompileRejected() {
  llvm::SmallVector<unsigned> rejected =
      findRejected(compiled.kernels.front().info, arguments);
  // Roles by hand say who copies.
  bool hasRoles = !kernel.getBody().front().getOps<agent::SwitchOp>().empty();
  if (rejected.empty() || hasRoles)
    return;
  again = recompile(std::move(written), kernel.getSymName(), rejected,
                    {.arch = options.arch, .unproved = options.unproved});
  if (!again)
    return;
  compiled = std::move(again->compiled);
  module = *again->module;
  kernel = again->kernel;
  for (unsigned argument : rejected)
    noteRecompiled(compiled.kernels.front().info.arguments[argument], arguments,
                   argument);
}

ExitStatus ProgramRun::compileKernel(cache::Cache *cache) {
  Stopwatch compiling;
  std::optional<Waiting> waiting("compiling");
  llvm::Expected<CompiledModule> result = compileCached(
      cache, {input.getText(), input.getName(), kernel.getSymName()},
      {.arch = options.arch, .unproved = options.unproved},
      [&](const CompileOptions &complete) {
        return compile(module, complete);
      });
  if (result) {
    compiled = std::move(*result);
    recompileRejected();
  }
  waiting.reset();
  if (!result) {
    input.report(result.takeError());
    return reject();
  }
  input.report(compiled.messages);
  compileTime = compiling.seconds();
  return Clean;
}

/// Runs the kernel once; its outputs are in `arguments` then.
llvm::Error ProgramRun::launch(const runtime::Device &device) {
  if (options.orders)
    setenv("DRAWLOOM_ORDER", "deterministic", 1);
  Stopwatch running;
  auto sayChosen = [](const runtime::Kernel::Choice &choice) {
    if (choice.why.empty())
      return;
    llvm::outs() << "launching fallback @" << choice.info->name << ": "
                 << choice.why << '\n';
    llvm::outs().flush();
  };
  // The emulated driver shows how far a kernel is.
  if (llvm::Error error = execute(compiled, device, arguments, {}, sayChosen))
    return error;
  llvm::outs() << llvm::formatv(
      "compiled in {0:f2} s; ran in {1:f2} s on {2}{3} with {4} SMs\n",
      compileTime, running.seconds(),
      options.device == "cuda" ? "" : "an emulated ", device.name(),
      device.smCount());
  return llvm::Error::success();
}

/// Compares the outputs with those of the reference interpreter.
ExitStatus ProgramRun::compareOutputs(const Arguments &before) {
  llvm::outs().flush();
  std::optional<Waiting> waiting("comparing with the reference interpreter");
  mlir::FailureOr<std::vector<Comparison>> comparisons =
      compare(kernel, *options.arch, before, arguments);
  waiting.reset();
  return mlir::failed(comparisons) ? Failed : report(*comparisons);
}

ExitStatus ProgramRun::runKernel() {
  std::string plan;
  if (options.check.checks || std::getenv("DRAWLOOM_TRACE") ||
      std::getenv("DRAWLOOM_TIME"))
    plan = printPlans(compiled.kernels.front());
  DriverCheck check(options.check, plan);
  unsigned sms = options.sms.value_or(countSms(compiled.kernels.front().info));
  llvm::Expected<runtime::Device> device = openDevice(options.device, sms);
  if (!device)
    return fail(device.takeError());
  plan::printSummary(compiled.kernels.front().plan, llvm::outs());
  llvm::outs() << "arguments: " << describe(arguments) << '\n';
  llvm::outs().flush();
  Arguments before = arguments;
  if (llvm::Error error = launch(*device))
    return check.judge(fail(std::move(error)));
  if (llvm::Error error = writeOutputs(arguments, options))
    return fail(std::move(error));
  if (options.orders)
    if (llvm::Error error =
            runOrders(compiled, *device, before, arguments, options.orders))
      return check.judge(fail(std::move(error)));
  ExitStatus result = options.compares ? compareOutputs(before) : Clean;
  // Last, so that results don't wait for it.
  ExitStatus assembled = assemble(module, compiled.ptx, *options.arch);
  return check.judge(result == Clean ? assembled : result);
}

static ExitStatus runProgram(const ProgramOptions &options) {
  llvm::Expected<std::unique_ptr<cache::Cache>> cache =
      openCache(options.usesCache);
  if (!cache)
    return fail(cache.takeError());
  std::unique_ptr<InputModule> input = InputModule::open(options.input);
  if (!input)
    return Failed;
  ProgramRun run(options, *input);
  if (ExitStatus status = run.read(); status != Clean)
    return status;
  if (ExitStatus status = run.compileKernel(cache->get()); status != Clean)
    return status;
  return run.runKernel();
}

ExitStatus drawloom::runRunProgram(llvm::ArrayRef<llvm::StringRef> arguments,
                                   llvm::StringRef verb) {
  llvm::Expected<ProgramOptions> options =
      ProgramOptions::read(arguments, verb);
  if (!options)
    return complain(verb, llvm::toString(options.takeError()));
  return runProgram(*options);
}
