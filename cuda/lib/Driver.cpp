//===- Driver.cpp - The state behind the driver API -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "RunProgress.h"
#include "drawloom/Emulator/ClockConstants.h"
#include "drawloom/Emulator/Interrupt.h"
#include "drawloom/Emulator/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace drawloom;
using namespace drawloom::cuda;
using llvm::Twine;

void cuda::complain(const Twine &message) {
  if (environment("DRAWLOOM_QUIET").empty())
    llvm::errs() << "drawloom: " << message << '\n';
}

Driver &Driver::get() {
  static Driver *driver = new Driver;
  return *driver;
}

std::vector<ContextState *> &cuda::contextStack() {
  static thread_local std::vector<ContextState *> stack;
  return stack;
}

bool &cuda::nullStreamIsPerThread() {
  static thread_local bool isPerThread = false;
  return isPerThread;
}

std::string cuda::perProcess(std::string path) {
  if (size_t at = path.find("%p"); at != std::string::npos)
    path.replace(at, 2, std::to_string(getpid()));
  return path;
}

llvm::StringRef cuda::environment(const char *name) {
  llvm::StringMap<std::string> &settings = Driver::get().settings;
  if (auto setting = settings.find(name); setting != settings.end())
    return setting->second;
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// A device that can't be.
Result Driver::reject(const Twine &why) {
  lastReport = why.str();
  complain(lastReport);
  return CUDA_ERROR_NO_DEVICE;
}

Result Driver::initialize() {
  if (initialized)
    return CUDA_SUCCESS;
  llvm::StringRef name = environment("DRAWLOOM_DEVICE");
  if (name.empty())
    name = "h100";
  const emu::DeviceModel *model = emu::findDeviceModel(name);
  if (!model)
    return reject("DRAWLOOM_DEVICE is '" + name + "'; there are " +
                  llvm::join(llvm::map_range(emu::deviceModels(),
                                             [](auto &m) { return m.name; }),
                             ", "));
  emu::DeviceModel wanted = *model;
  if (llvm::StringRef sms = environment("DRAWLOOM_SMS"); !sms.empty())
    if (sms.getAsInteger(10, wanted.smCount) || wanted.smCount == 0 ||
        wanted.smCount > maxSms)
      return reject("DRAWLOOM_SMS is '" + sms +
                    "'; it takes a number of SMs from 1 to " + Twine(maxSms));
  auto created = emu::Device::create(wanted);
  if (!created)
    return reject(llvm::toString(created.takeError()));
  device = std::move(*created);
  // Read for each run, too; what is wrong at the start is reported there.
  emu::RunOptions ignored;
  if (llvm::StringRef text = environment("DRAWLOOM_ORDER"); !text.empty())
    if (llvm::Error error = emu::parseSchedule(text, ignored))
      return reject(llvm::toString(std::move(error)));
  if (llvm::StringRef time = environment("DRAWLOOM_TIME");
      !time.empty() && time != "default" && time != "without-data")
    return reject("DRAWLOOM_TIME is '" + time +
                  "'; it takes default or without-data");
  auto names = checker::PlanNames::read(environment("DRAWLOOM_CHECK_PLAN"));
  if (!names)
    return reject("DRAWLOOM_CHECK_PLAN: " + llvm::toString(names.takeError()));
  if (llvm::StringRef mode = environment("DRAWLOOM_CHECK"); !mode.empty()) {
    if (mode != "default" && mode != "strict")
      return reject("DRAWLOOM_CHECK is '" + mode +
                    "'; it takes default or strict");
    auto suppressions =
        checker::Suppressions::read(environment("DRAWLOOM_CHECK_SUPPRESSIONS"));
    if (!suppressions)
      return reject("DRAWLOOM_CHECK_SUPPRESSIONS: " +
                    llvm::toString(suppressions.takeError()));
    check = std::make_unique<Check>(checker::CheckOptions{
        .isStrict = mode == "strict",
        .suppressions = std::move(*suppressions),
        .countsCosts = !environment("DRAWLOOM_CHECK_REMARKS").empty(),
        .names = *names});
    check->listener().watchHost();
    watch = std::make_unique<HostWatch>(*this, *check);
  }
  if (!environment("DRAWLOOM_TRACE").empty()) {
    if (check)
      return reject("DRAWLOOM_TRACE and DRAWLOOM_CHECK are both set; a run is "
                    "traced or checked");
    uint64_t most = UINT64_MAX;
    llvm::StringRef ctas = environment("DRAWLOOM_TRACE_CTAS");
    if (!ctas.empty() && ctas.getAsInteger(10, most))
      return reject("DRAWLOOM_TRACE_CTAS takes a number, not '" + ctas + "'");
    trace = std::make_unique<checker::Trace>(*names, most);
  }
  planNames = std::move(*names);
  if (llvm::StringRef path = environment("DRAWLOOM_FIDELITY"); !path.empty()) {
    device->countExecution();
    fidelity = std::make_unique<FidelityLog>(path);
  }
  if (!primary)
    primary = new ContextState;
  primary->primary = true;
  initialized = true;
  return CUDA_SUCCESS;
}

Result Driver::restart(llvm::StringMap<std::string> wanted) {
  if (!contexts.empty())
    return CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE;
  settings = std::move(wanted);
  watch.reset();
  check.reset();
  fidelity.reset();
  trace.reset();
  lastReport.clear();
  lastStatistics = {};
  device.reset();
  initialized = false;
  return CUDA_SUCCESS;
}

std::optional<StreamState *> Driver::stream(ContextState &context,
                                            StreamState *handle) const {
  uintptr_t number = reinterpret_cast<uintptr_t>(handle);
  if (number == 0 || number == legacyStream || number == perThreadStream)
    return nullptr;
  if (!context.streams.contains(handle))
    return std::nullopt;
  return handle;
}

FunctionState *Driver::function(ContextState &context, FunctionState *handle) {
  auto *kernel = reinterpret_cast<KernelState *>(handle);
  if (kernels.contains(kernel)) {
    ModuleState *loaded = module(context, *kernel->library);
    return loaded ? findFunction(*loaded, kernel->name) : nullptr;
  }
  for (ModuleState *module : context.modules)
    for (auto &entry : module->functions)
      if (entry.second.get() == handle)
        return handle;
  return nullptr;
}

Result cuda::resultOf(emu::ReportKind kind) {
  using emu::ReportKind;
  switch (kind) {
  case ReportKind::InvalidLaunch:
    return CUDA_ERROR_INVALID_VALUE;
  case ReportKind::NotExecuted:
    return CUDA_ERROR_NOT_SUPPORTED;
  case ReportKind::IllegalAddress:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case ReportKind::MisalignedAddress:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case ReportKind::IllegalInstruction:
    return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  case ReportKind::Assert:
    return CUDA_ERROR_ASSERT;
  case ReportKind::StackOverflow:
    return CUDA_ERROR_HARDWARE_STACK_ERROR;
  case ReportKind::Deadlock:
  case ReportKind::StepLimit:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  case ReportKind::LaunchFailed:
  case ReportKind::Divergence:
  case ReportKind::Protocol:
  case ReportKind::Trap:
  case ReportKind::Stopped:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
  return CUDA_ERROR_UNKNOWN;
}

namespace {
/// What kernels print goes through the C library, as the program's own output
/// does, so that the two keep their order.
class StandardOutput : public llvm::raw_ostream {
public:
  ~StandardOutput() override { flush(); }

private:
  void write_impl(const char *text, size_t size) override {
    fwrite(text, 1, size, stdout);
    written += size;
  }
  uint64_t current_pos() const override { return written; }

  uint64_t written = 0;
};
} // namespace

Result Driver::enqueue(ContextState &context, StreamState *stream,
                       const FunctionState &function, emu::Launch &&launch) {
  bool behind = launch.programmatic && pendingContext == &context &&
                pendingStream == stream;
  if (!behind)
    if (Result result = flush(); result != CUDA_SUCCESS)
      return result;
  bool runsAtOnce = watch && watch->runsAtOnce(function, launch);
  pending.push_back(std::move(launch));
  pendingContext = &context;
  pendingStream = stream;
  if (watch)
    pendingOperations.push_back(
        watch->launch(context, stream, *pending.back().kernel));
  // What goes wrong in it comes out of a later call.
  if (runsAtOnce)
    flush();
  return CUDA_SUCCESS;
}

/// Reads how to run from the environment: for each run, so that a program can
/// ask for another order. False, with a message, if a variable is wrong.
static bool readRunOptions(const emu::DeviceModel &model,
                           emu::RunOptions &options,
                           emu::ClockConstants &constants) {
  if (llvm::StringRef text = environment("DRAWLOOM_ORDER"); !text.empty())
    if (llvm::Error error = emu::parseSchedule(text, options)) {
      complain("DRAWLOOM_ORDER: " + llvm::toString(std::move(error)));
      return false;
    }
  if (llvm::StringRef text = environment("DRAWLOOM_STEP_LIMIT"); !text.empty())
    if (text.getAsInteger(10, options.stepLimit)) {
      complain("DRAWLOOM_STEP_LIMIT is '" + text + "'; it takes a number");
      return false;
    }
  if (llvm::StringRef text = environment("DRAWLOOM_THREADS"); !text.empty())
    if (text.getAsInteger(10, options.threads)) {
      complain("DRAWLOOM_THREADS is '" + text + "'; it takes a number");
      return false;
    }
  if (llvm::StringRef time = environment("DRAWLOOM_TIME"); !time.empty()) {
    options.policy = emu::Policy::Timed;
    options.withoutData = time == "without-data";
  }
  if (llvm::StringRef text = environment("DRAWLOOM_TIME_CONSTANTS");
      !text.empty() && emu::ClockConstants::of(model)) {
    constants = *emu::ClockConstants::of(model);
    if (llvm::Error error = emu::setConstants(text, constants)) {
      complain("DRAWLOOM_TIME_CONSTANTS: " + llvm::toString(std::move(error)));
      return false;
    }
    options.constants = &constants;
  }
  return true;
}

std::vector<checker::RoleTime>
Driver::noteTiming(const emu::TimingReport &timing) {
  lastTiming = timing;
  traceScale = lastTiming.clockMhz;
  if (trace)
    trace->addCounters(lastTiming);
  std::vector<checker::RoleTime> roles =
      checker::timeRoles(lastTiming, planNames);
  lastTimingText.clear();
  llvm::raw_string_ostream(lastTimingText) << llvm::json::Value(checker::toJson(
      lastTiming, roles, checker::countFills(lastTiming, planNames)));
  return roles;
}

Result Driver::flush() {
  if (pending.empty())
    return CUDA_SUCCESS;
  std::vector<emu::Launch> launches = std::move(pending);
  pending.clear();
  std::vector<checker::HostOperationRef> operations =
      std::move(pendingOperations);
  pendingOperations.clear();
  ContextState &context = *pendingContext;
  pendingContext = nullptr;
  llvm::scope_exit freeWorkspaces([&] {
    for (const emu::Launch &launch : launches)
      if (launch.gridWorkspace)
        llvm::cantFail(device->memory().free(launch.gridWorkspace));
  });

  emu::RunOptions options;
  StandardOutput output;
  options.output = &output;
  emu::ClockConstants constants;
  if (!readRunOptions(device->model(), options, constants))
    return context.failure = CUDA_ERROR_INVALID_VALUE;
  if (!context.heap)
    context.heap.emplace(device->memory());
  context.heap->setLimit(context.limits[LimitMallocHeap]);
  options.heap = &*context.heap;
  if (check)
    options.listener = &check->listener();
  if (trace)
    options.listener = trace.get();
  std::optional<emu::Interrupt> interrupt;
  if (!interrupted)
    interrupt.emplace();
  std::optional<RunProgress> shown(launches.back().kernel->function->name);
  auto progress = [&](uint64_t steps, uint64_t ctas) {
    shown->note(steps, ctas);
    return interrupt ? !interrupt->happened() : interrupted() == 0;
  };
  options.progress = progress;
  // Other threads ask this. Who gave `interrupted` is asked by its own, above.
  auto isStopped = [&] { return interrupt && interrupt->happened(); };
  options.isStopped = isStopped;
  if (watch)
    watch->runStarts(launches.size());
  emu::RunResult result = emu::run(*device, launches, options);
  if (watch)
    watch->runEnded(operations);
  shown.reset();
  lastStatistics = result.statistics;
  std::vector<checker::RoleTime> roles;
  if (result.timing)
    roles = noteTiming(*result.timing);
  output.flush();
  if (check)
    check->tell();
  if (fidelity)
    fidelity->tell(launches);
  if (trace)
    writeTrace();
  if (result.timing && !environment("DRAWLOOM_TIME").empty())
    complain("time of " + result.timing->str() + checker::describe(roles));
  if (result.ok())
    return CUDA_SUCCESS;
  lastReport = result.report->str();
  complain(result.report->strWithCode());
  return context.failure = resultOf(result.report->kind);
}

void Driver::writeTrace() const {
  std::string path = perProcess(environment("DRAWLOOM_TRACE").str());
  std::error_code failed;
  llvm::raw_fd_ostream os(path, failed);
  if (failed)
    return complain("DRAWLOOM_TRACE: cannot write '" + path +
                    "': " + failed.message() + " [cannot-write]");
  trace->write(os, traceScale);
  os.close();
  if (os.has_error())
    complain("DRAWLOOM_TRACE: cannot write '" + path +
             "': " + os.error().message() + " [cannot-write]");
  os.clear_error();
}

void Driver::release(DevicePointer address) {
  if (check)
    check->listener().freed(address);
  // Plain memory is freed when the device is idle; that of a pool isn't.
  if (watch)
    watch->freed(address, !pooled.contains(address));
  visible.remove(device->memory(), address);
  if (auto pool = pooled.find(address); pool != pooled.end()) {
    pool->second->used -= device->memory().find(address)->size;
    pooled.erase(pool);
  }
  llvm::cantFail(device->memory().free(address));
}

void Driver::clear(ContextState &context) {
  if (watch)
    watch->destroyed(context);
  for (ModuleState *module : context.modules)
    delete module;
  for (StreamState *stream : context.streams)
    delete stream;
  for (EventState *event : context.events)
    delete event;
  for (DevicePointer address : context.memory)
    release(address);
  context.heap.reset();
  context.modules.clear();
  context.streams.clear();
  context.events.clear();
  context.memory.clear();
  context.failure = CUDA_SUCCESS;
}

Call::Call(Needs needs) : lock(Driver::get().mutex) {
  if (!driver().initialized) {
    resultField = CUDA_ERROR_NOT_INITIALIZED;
    return;
  }
  if (needs == Needs::Driver)
    return;
  std::vector<ContextState *> &stack = contextStack();
  contextField = stack.empty() ? nullptr : stack.back();
  if (!contextField) {
    resultField = CUDA_ERROR_INVALID_CONTEXT;
    return;
  }
  if (!driver().alive(contextField)) {
    resultField = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return;
  }
  if (driver().watch)
    driver().watch->begin();
  if (needs == Needs::Idle)
    driver().flush();
  resultField = contextField->failure;
}
