//===- Driver.h - The state behind the driver API ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One emulated device, behind one lock: every entry of the API takes it, so any
// thread may call anything. A handle is the address of a state; the driver
// keeps the set of those that are alive, so a stale handle is an answer, not a
// crash.
//
// Launches are not run when they are made but when the host could see what they
// did: at the next call that isn't a launch into the same stream. So a launch
// that may overlap with the one before it does, and errors of a kernel come
// from later calls, as they do on hardware. After such an error the context
// answers everything with it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_DRIVER_H
#define DRAWLOOM_CUDA_DRIVER_H

#include "Check.h"
#include "DriverApi.h"
#include "FidelityLog.h"
#include "HostVisible.h"
#include "HostWatch.h"
#include "drawloom/Checker/RoleTimes.h"
#include "drawloom/Checker/Trace.h"
#include "drawloom/Emulator/Launch.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <chrono>
#include <mutex>

namespace drawloom::cuda {

using Clock = std::chrono::steady_clock;

struct FunctionState {
  ModuleState *module = nullptr;
  const emu::Kernel *kernel = nullptr;
  std::string name;
  /// What cuFuncSetAttribute set.
  int maxDynamicShared = 0;
  bool nonPortableCluster = false;
};

struct ModuleState {
  ~ModuleState();

  ContextState *context = nullptr;
  LibraryState *library = nullptr; ///< If a library loaded it.
  std::unique_ptr<emu::LoadedModule> loaded;
  std::vector<DevicePointer> managed; ///< Variables that the host sees.
  llvm::StringMap<std::unique_ptr<FunctionState>> functions;
};

/// A kernel of a library. A program may use its handle where the API takes a
/// function; it stands for that kernel in the context that is current.
struct KernelState {
  LibraryState *library = nullptr;
  std::string name;
};

/// Code that belongs to no context: each context loads it when it first uses
/// it.
struct LibraryState {
  std::string text; ///< PTX
  /// Its entries, in the order of the text.
  std::vector<std::unique_ptr<KernelState>> kernels;
};

struct StreamState {
  ContextState *context = nullptr;
  unsigned flags = 0;
  int priority = 0;
  uint32_t actor = 0; ///< Of HostOrder; 0 before the first use.
};

struct EventState {
  ContextState *context = nullptr;
  unsigned flags = 0;
  std::optional<Clock::time_point> recorded;
  checker::StreamEvent clock; ///< If it is watched.
};

/// A pool of device memory. It keeps nothing back, so what is reserved is used.
struct PoolState {
  size_t maxBytes = 0; ///< 0 for what the device has.
  std::array<int, 3> reuse = {1, 1, 1};
  uint64_t releaseThreshold = 0;
  uint64_t used = 0, highest = 0;
};

struct ContextState {
  unsigned flags = 0;
  bool primary = false;
  unsigned retained = 0; ///< Of the primary context.
  /// What a kernel did; every later call answers it.
  Result failure = CUDA_SUCCESS;
  /// By Limit; as on hardware unless a program asks for others.
  std::array<size_t, limitCount> limits = {1 << 10, 1 << 20,
                                           emu::DeviceHeap::defaultLimit};
  std::optional<emu::DeviceHeap> heap; ///< Of its kernels; none before one ran.

  llvm::DenseSet<ModuleState *> modules;
  llvm::DenseSet<StreamState *> streams;
  llvm::DenseSet<EventState *> events;
  llvm::DenseSet<DevicePointer> memory;

  /// Of HostOrder: the legacy default stream, and those of threads.
  uint32_t legacyActor = 0;
  std::map<uint64_t, uint32_t> threadActors; ///< By HostWatch's number.
};

/// The one driver of the process; it is never destroyed, since programs call it
/// while they exit.
class Driver {
public:
  static Driver &get();

  /// SMs that a device has at most: far more than any, and few enough to be
  /// kept in memory.
  static constexpr unsigned maxSms = 1024;

  std::recursive_mutex mutex;
  bool initialized = false;
  std::unique_ptr<emu::Device> device;
  ContextState *primary = nullptr;
  llvm::DenseSet<ContextState *> contexts;
  HostVisible visible;
  llvm::DenseSet<LibraryState *> libraries;
  llvm::DenseSet<KernelState *> kernels; ///< Of those libraries.
  /// Of the last kernel that failed, or why there is no device.
  std::string lastReport;
  /// Asked while a kernel runs; without it, Ctrl-C ends one.
  int (*interrupted)() = nullptr;
  std::string lastFindings;          ///< As they were last asked for.
  emu::RunStatistics lastStatistics; ///< Of the last run.
  double traceScale = 1;             ///< What a microsecond of the trace is.
  emu::TimingReport lastTiming;      ///< Of the last run that was timed.
  std::string lastTimingText;        ///< The same, in JSON.
  checker::PlanNames planNames;      ///< Of roles and pipes; may be none.
  std::unique_ptr<Check> check;      ///< Null if it isn't asked for.
  std::unique_ptr<HostWatch> watch;  ///< The same.
  std::unique_ptr<FidelityLog> fidelity; ///< The same.
  std::unique_ptr<checker::Trace> trace; ///< The same.
  PoolState defaultPool;
  PoolState *currentPool = &defaultPool; ///< Of cuMemAllocAsync.
  llvm::DenseSet<PoolState *> pools;     ///< All but the default one.
  llvm::DenseMap<DevicePointer, PoolState *> pooled; ///< Whose memory it is.
  /// Memory of the program that is page-locked, and its size. Copies take any
  /// memory, and kernels don't reach what is at addresses of the host's.
  std::map<uint64_t, size_t> registered;
  /// What a program set by the names of variables; the environment has what
  /// isn't there.
  llvm::StringMap<std::string> settings;

  /// Makes the device that the settings and the environment ask for.
  Result initialize();
  Result reject(const llvm::Twine &why);
  /// Forgets the device, for another with these settings. Not while a program
  /// has a context.
  Result restart(llvm::StringMap<std::string> settings);

  bool alive(ContextState *context) const { return contexts.contains(context); }
  /// The stream behind a handle: null for the default streams. Nothing if
  /// there is no such stream in `context`.
  std::optional<StreamState *> stream(ContextState &context,
                                      StreamState *handle) const;
  /// The function behind a handle, which may be a library's kernel. Null if
  /// there is no such function in `context`.
  FunctionState *function(ContextState &context, FunctionState *handle);
  /// The module that a library is in `context`, loaded if it isn't yet. Null if
  /// it can't be; then that has been said on standard error.
  ModuleState *module(ContextState &context, LibraryState &library);

  /// Puts a launch behind those that wait. One that isn't programmatic, or is
  /// for another stream, runs those first. The stream is as the program has it.
  Result enqueue(ContextState &context, StreamState *stream,
                 const FunctionState &function, emu::Launch &&launch);
  /// Runs what waits. The result is that of the context it ran in.
  Result flush();
  /// Frees an allocation of the device's memory, visible or not.
  void release(DevicePointer address);
  /// Keeps the times of a run for later queries. Returns those of its roles.
  std::vector<checker::RoleTime> noteTiming(const emu::TimingReport &timing);
  /// To the file that DRAWLOOM_TRACE names.
  void writeTrace() const;
  /// Frees everything that belongs to the context.
  void clear(ContextState &context);

private:
  std::vector<emu::Launch> pending;
  std::vector<checker::HostOperationRef> pendingOperations; ///< If watched.
  ContextState *pendingContext = nullptr;
  StreamState *pendingStream = nullptr;
};

/// Whether the calling thread is in a function for programs that are compiled
/// with a default stream for each thread.
bool &nullStreamIsPerThread();

/// Contexts that are current to the calling thread, the last one first.
std::vector<ContextState *> &contextStack();

/// What a call needs before it can do its work.
enum class Needs {
  Driver,  ///< cuInit
  Context, ///< ... and a current context
  Idle,    ///< ... and that all launches have run
};

/// Holds the lock for one call of the API and finds out whether it may go on.
class Call {
public:
  explicit Call(Needs needs);

  /// CUDA_SUCCESS, or why the call can't be made.
  Result result() const { return resultField; }
  Driver &driver() { return Driver::get(); }
  emu::Device &device() { return *driver().device; }
  ContextState &context() { return *contextField; }

private:
  std::lock_guard<std::recursive_mutex> lock;
  Result resultField = CUDA_SUCCESS;
  ContextState *contextField = nullptr;
};

/// Places parsed PTX in a context.
llvm::Expected<ModuleState *> placeModule(Driver &driver, ContextState &context,
                                          std::unique_ptr<ptx::Module> parsed);
/// The entry of that name; null if the module has none.
FunctionState *findFunction(ModuleState &module, llvm::StringRef name);

/// Fills in what the attributes of a launch say. Those that are about speed
/// mean nothing here.
Result takeAttributes(emu::Launch &launch, bool &cooperative,
                      const LaunchConfig &config);

/// What a report of the emulator is to an application.
Result resultOf(emu::ReportKind kind);

/// What went wrong, as text, on standard error, unless DRAWLOOM_QUIET is set.
void complain(const llvm::Twine &message);
/// A path in which %p is the number of the process: those of one program may
/// each have a file.
std::string perProcess(std::string path);
/// A setting, or a variable of the environment; empty if neither is there.
llvm::StringRef environment(const char *name);

} // namespace drawloom::cuda

/// What every exported function starts with.
#define DRAWLOOM_CALL(needs)                                                   \
  Call call(Needs::needs);                                                     \
  if (call.result() != CUDA_SUCCESS)                                           \
  return call.result()

#endif // DRAWLOOM_CUDA_DRIVER_H
