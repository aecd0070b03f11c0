//===- RunCase.cpp - A case of the suite, compiled, run, compared ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "suite/RunCase.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Emulator/Schedule.h"
#include "drawloom/PrintPlan/Print.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::suite;

/// All that diagnostics say, line by line.
static std::string describe(Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
    os << "line " << place.getLine() << ": ";
  os << diagnostic << '\n';
  return text;
}

static LogicalResult writeText(const Twine &path, StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream os(path.str(), code);
  os << text;
  return failure(code.value() != 0);
}

/// The plan as `drawloom explain --format json` writes it, and the PTX.
static LogicalResult dump(const Case &input, const CompiledModule &compiled,
                          StringRef folder) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, input.name);
  std::string plan;
  llvm::raw_string_ostream os(plan);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attributeArray("plans", [&] {
      for (const CompiledKernel &kernel : compiled.kernels)
        plan::printJson(kernel.plan, json);
    });
  });
  return success(!llvm::sys::fs::create_directories(folder) &&
                 succeeded(writeText(path + ".ptx", compiled.ptx)) &&
                 succeeded(writeText(path + ".json", plan)));
}

/// Inputs for a case: its shapes, its seed.
static llvm::Expected<run::Arguments> makeArguments(tile::KernelOp kernel,
                                                    const Case &input) {
  run::ArgumentOptions options;
  options.seed = input.seed;
  if (!input.shapes.empty())
    for (auto [argument, shape] :
         llvm::zip(kernel.getBody().getArguments(), input.shapes))
      if (isa<tile::ViewType>(argument.getType()))
        options.shapes[tile::getArgumentName(argument)].assign(shape.begin(),
                                                               shape.end());
  return run::makeArguments(kernel, options);
}

/// Whether the outputs of two runs have the same bits.
static int64_t countDifferences(const run::Arguments &a,
                                const run::Arguments &b) {
  int64_t differing = 0;
  for (size_t i = 0; i != a.tensors.size(); ++i)
    if (a.isOutput[i] && a.tensors[i].getBytes() != b.tensors[i].getBytes())
      for (int64_t k = 0; k < a.tensors[i].getNumElements(); ++k)
        differing += a.tensors[i].getBits(k) != b.tensors[i].getBits(k);
  return differing;
}

namespace {

/// The steps of one case, each of which may end it with words.
class CaseRunner {
public:
  CaseRunner(const Case &input, const RunCaseOptions &options)
      : input(input), options(options), context(makeDialects()),
        handler(&context, [this](Diagnostic &diagnostic) {
          said += describe(diagnostic);
          for (Diagnostic &note : diagnostic.getNotes())
            said += describe(note);
        }) {
    context.printOpOnDiagnostic(false);
  }

  CaseResult run(ArrayRef<runtime::Device *> devices);

private:
  static DialectRegistry makeDialects() {
    DialectRegistry dialects;
    registerProgramDialects(dialects);
    return dialects;
  }
  bool compile();
  bool isRejectedInPlanning();
  bool execute(runtime::Device &device);
  bool runOrders(runtime::Device &device);
  /// Whether another run has the bits of the first one.
  bool runAgain(runtime::Device &device, const std::string &order,
                llvm::StringRef threads);
  bool fail(const Twine &words) {
    result.words = words.str();
    return false;
  }
  bool fail(llvm::Error error) {
    return fail(llvm::toString(std::move(error)));
  }

  const Case &input;
  const RunCaseOptions &options;
  std::string said;
  MLIRContext context;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  const target::Architecture *arch = nullptr;
  tile::KernelOp kernel;
  std::optional<CompiledModule> compiled;
  std::optional<run::Arguments> before;
  /// Of the first device.
  std::optional<run::Arguments> after;
  CaseResult result;
};

} // namespace

bool CaseRunner::compile() {
  llvm::Expected<const target::Architecture *> found =
      target::findArchitecture(input.arch);
  if (!found)
    return fail(found.takeError());
  arch = *found;
  module = parseSourceString<ModuleOp>(input.program, &context, input.name);
  if (!module)
    return fail("is no program: " + said);
  // The reference is a tile program, too.
  if (failed(runPath(*module, {.arch = arch, .stopAfter = Stage::Tile})) ||
      module->getOps<tile::KernelOp>().empty())
    return fail("is no program: " + said);
  kernel = *module->getOps<tile::KernelOp>().begin();
  llvm::Expected<CompiledModule> made =
      drawloom::compile(*module, {.arch = arch});
  if (!made) {
    std::string words = llvm::toString(made.takeError());
    result.wasRejected = true;
    result.matches = input.mayBeRejected
                         ? isRejectedInPlanning()
                         : !input.rejection.empty() &&
                               StringRef(words).contains(input.rejection);
    return fail(words);
  }
  if (!input.rejection.empty())
    return fail("compiles, but is to be rejected with '" + input.rejection +
                "'");
  compiled = std::move(*made);
  if (!options.dumpFolder.empty() &&
      failed(dump(input, *compiled, options.dumpFolder)))
    return fail("cannot write to '" + options.dumpFolder + "'");
  return true;
}

/// Before there is a plan, at lines of the program.
bool CaseRunner::isRejectedInPlanning() {
  llvm::Expected<CompiledModule> planned =
      drawloom::compile(*module, {.arch = arch, .stopAfter = Stage::Plan});
  if (planned)
    return false;
  bool haveLines = true;
  llvm::handleAllErrors(
      planned.takeError(),
      [&](const CompileError &error) {
        haveLines = llvm::all_of(error.getMessages(), [](const Message &one) {
          return one.severity != DiagnosticSeverity::Error || one.line != 0;
        });
      },
      [&](const llvm::ErrorInfoBase &) { haveLines = false; });
  return haveLines;
}

bool CaseRunner::execute(runtime::Device &device) {
  runtime::LaunchOptions launch;
  launch.ctas = input.ctas;
  run::Arguments results = *before;
  if (llvm::Error error = run::execute(*compiled, device, results, launch)) {
    // What a kernel did wrong stays until the device is reset.
    llvm::consumeError(device.reset());
    return fail(std::move(error));
  }
  FailureOr<std::vector<run::Comparison>> comparisons =
      run::compare(kernel, *arch, *before, results);
  if (failed(comparisons))
    return fail(said);
  for (const run::Comparison &one : *comparisons) {
    if (one.outOfBound != 0)
      return fail(Twine(one.outOfBound) + " of " + Twine(one.elements) +
                  " elements are wrong: " + one.first);
    if (one.unbounded)
      return fail(Twine(one.unbounded) + " elements of " + one.name +
                  " have no bound");
    result.largestShare = std::max(result.largestShare, one.largestShare);
    result.elements += after ? 0 : one.elements;
  }
  if (after)
    result.differing += countDifferences(*after, results);
  else
    after = std::move(results);
  return true;
}

bool CaseRunner::runOrders(runtime::Device &device) {
  for (const char *threads : {"1", "2", "4"}) {
    setenv("DRAWLOOM_THREADS", threads, 1);
    llvm::scope_exit reset([] { unsetenv("DRAWLOOM_THREADS"); });
    if (!runAgain(device, "deterministic", threads))
      return false;
    for (const std::string &order : emu::listSchedules(options.orders))
      if (!runAgain(device, order, threads))
        return false;
  }
  return true;
}

bool CaseRunner::runAgain(runtime::Device &device, const std::string &order,
                          StringRef threads) {
  runtime::LaunchOptions launch;
  launch.ctas = input.ctas;
  setenv("DRAWLOOM_ORDER", order.c_str(), 1);
  llvm::scope_exit reset([] { unsetenv("DRAWLOOM_ORDER"); });
  std::string how = "under " + order + " with " + threads.str() + " threads";
  run::Arguments results = *before;
  if (llvm::Error error = run::execute(*compiled, device, results, launch)) {
    llvm::consumeError(device.reset());
    return fail(how + ": " + llvm::toString(std::move(error)));
  }
  if (int64_t differing = countDifferences(*after, results))
    return fail(how + " " + Twine(differing) +
                " elements differ from the first run");
  return true;
}

CaseResult CaseRunner::run(ArrayRef<runtime::Device *> devices) {
  if (!compile())
    return result;
  if (devices.empty()) {
    result.matches = true;
    return result;
  }
  llvm::Expected<run::Arguments> arguments = makeArguments(kernel, input);
  if (!arguments) {
    fail(arguments.takeError());
    return result;
  }
  before = std::move(*arguments);
  for (runtime::Device *device : devices)
    if (!execute(*device))
      return result;
  if (options.orders && !runOrders(*devices.front()))
    return result;
  result.matches = true;
  return result;
}

CaseResult suite::runCase(const Case &input,
                          ArrayRef<runtime::Device *> devices,
                          const RunCaseOptions &options) {
  return CaseRunner(input, options).run(devices);
}
