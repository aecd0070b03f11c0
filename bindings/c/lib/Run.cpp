//===- Run.cpp - Runs of the C API ----------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "drawloom/Frontend/ParseProgram.h"
#include "drawloom/Input/Suggest.h"
#include "drawloom/Run/Execute.h"
#include "drawloom/Run/FindSizes.h"
#include "drawloom/Session/Explain.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <cmath>
#include <dlfcn.h>
#include <mutex>

using namespace drawloom;
using namespace drawloom::capi;
using interp::HostTensor;

struct DrawloomResult {
  run::Arguments arguments;
  /// The numbers of those that the kernel writes to.
  std::vector<unsigned> outputs;
  std::string report;
};

/// The emulated driver, which is installed beside this library.
static std::string findDriver() {
  static int anchor;
  Dl_info here = {};
  dladdr(&anchor, &here);
  llvm::SmallString<128> path(orEmpty(here.dli_fname));
  llvm::sys::fs::make_absolute(path);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "libdrawloom-driver.so.1");
  return path.str().str();
}

/// The caller's array as a tensor.
static llvm::Expected<HostTensor> take(const DrawloomArray &array) {
  std::string name = array.name;
  std::optional<interp::Format> format =
      interp::parseFormat(orEmpty(array.type));
  if (!format)
    return llvm::createStringError("'" + name + "': there are no elements of " +
                                   orEmpty(array.type) + " [argument]");
  llvm::ArrayRef<int64_t> shape(array.shape, array.rank);
  if (!interp::countElements(*format, shape))
    return llvm::createStringError(
        "'" + name + "' has a size below 0, or more than " +
        llvm::Twine(interp::maxTensorBytes) + " bytes [argument]");
  HostTensor tensor(*format, shape);
  llvm::MutableArrayRef<char> bytes = tensor.getMutableBytes();
  if (!bytes.empty() && !array.data)
    return llvm::createStringError("'" + name + "' has no elements [argument]");
  if (!bytes.empty())
    memcpy(bytes.data(), array.data, bytes.size());
  return tensor;
}

/// The tensors of arrays by their names. Where numbers are random, an array
/// without elements gives a shape.
static llvm::Error takeAll(llvm::ArrayRef<DrawloomArray> arrays,
                           run::ArgumentOptions &options) {
  for (const DrawloomArray &array : arrays) {
    if (llvm::Error error = checkGiven({{array.name, "name of an array"}}))
      return error;
    if (llvm::Error error =
            checkStrings({{array.name, "name"}, {array.type, "type"}}))
      return error;
    if (llvm::Error error = checkShape(array.name, array.shape, array.rank))
      return error;
    if (options.choosesSizes && !array.data) {
      llvm::ArrayRef<int64_t> shape(array.shape, array.rank);
      if (llvm::any_of(shape, [](int64_t size) { return size < -1; }))
        return llvm::createStringError(
            "'" + llvm::Twine(array.name) +
            "' has a size below -1, which leaves it open [argument]");
      options.shapes[array.name].assign(shape.begin(), shape.end());
      continue;
    }
    llvm::Expected<HostTensor> tensor = take(array);
    if (!tensor)
      return tensor.takeError();
    if (!options.tensors.try_emplace(array.name, std::move(*tensor)).second)
      return llvm::createStringError("'" + llvm::Twine(array.name) +
                                     "' is given twice [argument]");
  }
  return llvm::Error::success();
}

/// What the caller gives; sizes are chosen and numbers random if it says so.
static run::ArgumentOptions makeOptions(bool isRandom, uint64_t seed) {
  run::ArgumentOptions options;
  options.choosesSizes = isRandom;
  options.shapesName = "the shape";
  if (isRandom)
    options.seed = seed;
  return options;
}

static llvm::Expected<run::Arguments>
takeArguments(tile::KernelOp kernel, const run::ArgumentOptions &options) {
  run::Accesses accesses = run::findAccesses(kernel);
  for (mlir::BlockArgument argument : kernel.getBody().getArguments()) {
    std::string name = tile::getArgumentName(argument);
    bool isNeeded = !mlir::isa<tile::ViewType>(argument.getType()) ||
                    accesses.loaded[argument.getArgNumber()];
    if (isNeeded && !options.choosesSizes && !options.tensors.contains(name))
      return llvm::createStringError("@" + kernel.getSymName() + " reads '" +
                                     name + "', which is not given [argument]");
  }
  return run::makeArguments(kernel, options);
}

/// JSON has no infinity, which the share of a bound of 0 is.
static llvm::json::Value toJson(double number) {
  return std::isfinite(number) ? llvm::json::Value(number)
                               : llvm::json::Value(nullptr);
}

static llvm::json::Array toJson(llvm::ArrayRef<run::Comparison> comparisons) {
  llvm::json::Array array;
  for (const run::Comparison &one : comparisons)
    array.push_back(
        llvm::json::Object{{"name", one.name},
                           {"elements", one.elements},
                           {"out_of_bound", one.outOfBound},
                           {"unbounded", one.unbounded},
                           {"largestError", one.largestError},
                           {"bound", one.boundThere},
                           {"largestShare", toJson(one.largestShare)},
                           {"first", one.first},
                           {"matches", one.matches()}});
  return array;
}

/// Writes the plan to a file for the emulated driver, which names roles and
/// pipes in findings by it.
static llvm::Error writePlan(const plan::Plan &plan,
                             llvm::SmallVectorImpl<char> &path) {
  std::string text = explain(plan, PlanForm::Json);
  int file = 0;
  std::error_code failed =
      llvm::sys::fs::createTemporaryFile("drawloom-plan", "json", file, path);
  if (failed)
    return llvm::createStringError("cannot make a file for the plan: " +
                                   failed.message() + " [cannot-write]");
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << text;
  return llvm::Error::success();
}

/// Checks options here, because the driver's messages would name its own
/// settings.
static llvm::Error checkOptions(const DrawloomRunOptions &options) {
  if (llvm::Error error = checkStrings({{options.kernel, "kernel"},
                                        {options.device, "device"},
                                        {options.order, "order"},
                                        {options.check, "check"}}))
    return error;
  static constexpr llvm::StringRef devices[] = {"h100", "b200", "cuda"};
  if (options.device && !llvm::is_contained(devices, options.device))
    return llvm::createStringError(
        "there are the emulated devices h100 and b200, and cuda, a GPU of this "
        "machine, and no '" +
        llvm::Twine(options.device) + "'" +
        input::suggest(options.device, devices) + " [api-argument]");
  if (options.sms > maxSms)
    return llvm::createStringError("sms is " + llvm::Twine(options.sms) +
                                   "; an emulated device has from 1 to " +
                                   llvm::Twine(maxSms) + " SMs [api-argument]");
  static constexpr llvm::StringRef checks[] = {"default", "strict"};
  if (options.check && !llvm::is_contained(checks, options.check))
    return llvm::createStringError("check is 'default' or 'strict', and not '" +
                                   llvm::Twine(options.check) + "'" +
                                   input::suggest(options.check, checks) +
                                   " [api-argument]");
  return llvm::Error::success();
}

static int askInterrupted() { return isInterrupted(); }

static llvm::Expected<runtime::Device>
openDevice(const CompiledKernel &kernel, const target::Architecture &arch,
           const DrawloomRunOptions &options) {
  llvm::StringRef name =
      options.device ? options.device : run::getEmulatedDevice(arch);
  unsigned sms = options.sms ? options.sms : run::countSms(kernel.info);
  std::vector<runtime::Driver::Setting> settings;
  llvm::SmallString<128> planFile;
  llvm::scope_exit removePlan([&] {
    if (!planFile.empty())
      llvm::sys::fs::remove(planFile);
  });
  if (name == "cuda") {
    if (options.order || options.check)
      return llvm::createStringError(
          "orders and checks need an emulated device, not cuda [api-argument]");
  } else {
    if (options.check)
      if (llvm::Error error = writePlan(kernel.plan, planFile))
        return error;
    settings = {{"DRAWLOOM_CHECK", orEmpty(options.check).str()},
                {"DRAWLOOM_CHECK_PLAN", planFile.str().str()},
                {"DRAWLOOM_CHECK_REPORT", ""},
                {"DRAWLOOM_QUIET", "1"}};
    if (options.order)
      settings.push_back({"DRAWLOOM_ORDER", options.order});
  }
  llvm::Expected<runtime::Device> device =
      run::openDevice(name, sms, settings, findDriver());
  if (device)
    device->getDriver().setInterrupted(asksCaller() ? askInterrupted : nullptr);
  return device;
}

namespace {
/// The program that the interpreter runs, which says what a kernel takes, too.
struct Reference {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Listener listener{context};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tile::KernelOp kernel;

  llvm::Error open(const DrawloomProgram &program, const CompiledKernel &chosen,
                   const target::Architecture &arch) {
    mlir::DialectRegistry dialects;
    registerProgramDialects(dialects);
    context.appendDialectRegistry(dialects);
    context.printOpOnDiagnostic(false);
    module = frontend::parseProgram(program.text, context, program.name);
    if (!module)
      return listener.fail();
    mlir::FailureOr<tile::KernelOp> found =
        run::chooseKernel(*module, arch, chosen.plan.kernel);
    if (mlir::failed(found))
      return listener.fail();
    kernel = *found;
    return llvm::Error::success();
  }
};
} // namespace

static llvm::Expected<std::unique_ptr<DrawloomResult>>
runProgram(const DrawloomProgram &program, llvm::ArrayRef<DrawloomArray> arrays,
           const DrawloomRunOptions &options) {
  if (program.options.stopAfter < Stage::PTX)
    return llvm::createStringError("'" + program.name + "' was compiled to " +
                                   toString(program.options.stopAfter) +
                                   ", and a run needs PTX [argument]");
  llvm::Expected<const CompiledKernel *> chosen = program.find(options.kernel);
  if (!chosen)
    return chosen.takeError();
  auto arch = target::findArchitecture((*chosen)->info.target);
  if (!arch)
    return arch.takeError();

  Reference reference;
  if (llvm::Error error = reference.open(program, **chosen, **arch))
    return error;
  run::ArgumentOptions given = makeOptions(options.random, options.seed);
  if (llvm::Error error = takeAll(arrays, given))
    return error;
  llvm::Expected<run::Arguments> arguments =
      takeArguments(reference.kernel, given);
  if (!arguments)
    return arguments.takeError();

  if (isInterrupted())
    return failInterrupted();

  auto result = std::make_unique<DrawloomResult>();
  llvm::json::Object report;
  std::optional<run::Arguments> before;
  if (options.compare)
    before = *arguments;
  {
    // A process has one emulated device at a time.
    static std::timed_mutex mutex;
    std::unique_lock lock(mutex, std::defer_lock);
    while (!lock.try_lock_for(std::chrono::milliseconds(50)))
      if (isInterrupted())
        return failInterrupted();
    llvm::Expected<runtime::Device> device =
        openDevice(**chosen, **arch, options);
    if (!device)
      return device.takeError();
    CompiledModule one;
    one.kernels = {**chosen};
    one.ptx = program.compiled.ptx;
    if (llvm::Error error = run::execute(one, *device, *arguments))
      return error;
    report["device"] = device->name();
    report["sms"] = device->smCount();
    if (options.check) {
      llvm::Expected<llvm::json::Value> findings =
          llvm::json::parse(device->getDriver().findings());
      if (!findings)
        return findings.takeError();
      report["check"] = std::move(*findings);
    }
  }
  if (before) {
    mlir::FailureOr<std::vector<run::Comparison>> comparisons = run::compare(
        reference.kernel, **arch, *before, *arguments, isInterrupted);
    if (mlir::failed(comparisons))
      return reference.listener.fail();
    report["comparison"] = toJson(*comparisons);
  }
  llvm::raw_string_ostream(result->report)
      << llvm::json::Value(std::move(report));
  result->arguments = std::move(*arguments);
  for (auto [index, isOutput] : llvm::enumerate(result->arguments.isOutput))
    if (isOutput)
      result->outputs.push_back(index);
  return result;
}

/// Arrays are there if some are counted.
static llvm::Error checkCount(const DrawloomArray *arrays, size_t count) {
  if (count == 0 || arrays)
    return llvm::Error::success();
  return llvm::createStringError("there are " + llvm::Twine(count) +
                                 " arrays, and they are null [argument]");
}

DrawloomError *drawloomRun(const DrawloomProgram *program,
                           const DrawloomArray *arrays, size_t count,
                           const DrawloomRunOptions *options,
                           DrawloomResult **result) {
  return guardInterruptible([&]() -> llvm::Error {
    if (llvm::Error error =
            checkGiven({{program, "program"}, {result, "result"}}))
      return error;
    if (llvm::Error error = checkCount(arrays, count))
      return error;
    auto given = complete(options, "DrawloomRunOptions");
    if (!given)
      return given.takeError();
    if (llvm::Error error = checkOptions(*given))
      return error;
    auto made = runProgram(*program, {arrays, count}, *given);
    if (!made)
      return made.takeError();
    *result = made->release();
    return llvm::Error::success();
  });
}

/// Runs nothing: `outputs` are what something else made of the arrays.
static llvm::Expected<std::string>
compareOutputs(const DrawloomProgram &program, const char *name,
               llvm::ArrayRef<DrawloomArray> arrays,
               llvm::ArrayRef<DrawloomArray> outputs) {
  llvm::Expected<const CompiledKernel *> chosen = program.find(name);
  if (!chosen)
    return chosen.takeError();
  const target::Architecture &arch = *(*chosen)->plan.arch;
  Reference reference;
  if (llvm::Error error = reference.open(program, **chosen, arch))
    return error;
  run::ArgumentOptions given = makeOptions(false, 0), made = given;
  if (llvm::Error error = takeAll(arrays, given))
    return error;
  if (llvm::Error error = takeAll(outputs, made))
    return error;
  // What the kernel only writes starts without numbers, and its sizes are
  // known.
  for (auto &[output, tensor] : made.tensors)
    if (!given.tensors.contains(output))
      given.shapes[output] = llvm::SmallVector<int64_t>(tensor.getShape());
  llvm::Expected<run::Arguments> before =
      takeArguments(reference.kernel, given);
  if (!before)
    return before.takeError();
  for (auto [argument, isOutput] :
       llvm::zip_equal(before->names, before->isOutput)) {
    bool isGiven = made.tensors.contains(argument);
    if (isOutput != isGiven)
      return llvm::createStringError(
          "@" + reference.kernel.getSymName() +
          (isOutput ? " writes '" : " doesn't write '") + argument +
          (isOutput ? "', which is not among the outputs" : "'"));
  }
  made.tensors.insert(given.tensors.begin(), given.tensors.end());
  llvm::Expected<run::Arguments> after = takeArguments(reference.kernel, made);
  if (!after)
    return after.takeError();
  mlir::FailureOr<std::vector<run::Comparison>> comparisons =
      run::compare(reference.kernel, arch, *before, *after, isInterrupted);
  if (mlir::failed(comparisons))
    return reference.listener.fail();
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(toJson(*comparisons));
  return text;
}

DrawloomError *drawloomCompare(const DrawloomProgram *program,
                               const char *kernel, const DrawloomArray *arrays,
                               size_t count, const DrawloomArray *outputs,
                               size_t outputCount, DrawloomBytes *comparison) {
  return guardInterruptible([&]() -> llvm::Error {
    if (llvm::Error error =
            checkGiven({{program, "program"}, {comparison, "comparison"}}))
      return error;
    if (llvm::Error error = checkStrings({{kernel, "kernel"}}))
      return error;
    if (llvm::Error error = checkCount(arrays, count))
      return error;
    if (llvm::Error error = checkCount(outputs, outputCount))
      return error;
    llvm::Expected<std::string> made = compareOutputs(
        *program, kernel, {arrays, count}, {outputs, outputCount});
    if (!made)
      return made.takeError();
    *comparison = give(*made);
    return llvm::Error::success();
  });
}

void drawloomResultDestroy(DrawloomResult *result) { delete result; }

size_t drawloomResultCount(const DrawloomResult *result) {
  return result ? result->outputs.size() : 0;
}

DrawloomArray drawloomResultAt(const DrawloomResult *result, size_t index) {
  if (index >= drawloomResultCount(result))
    return {};
  unsigned argument = result->outputs[index];
  const HostTensor &tensor = result->arguments.tensors[argument];
  return {result->arguments.names[argument].c_str(),
          interp::getInfo(tensor.getFormat()).name.data(),
          tensor.getBytes().data(), tensor.getShape().size(),
          tensor.getShape().data()};
}

const char *drawloomResultReport(const DrawloomResult *result) {
  return result ? result->report.c_str() : "";
}
