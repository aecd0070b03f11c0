//===- Lookup.cpp - Functions by name, results as text -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Exports.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include <atomic>
#include <dlfcn.h>

using namespace drawloom;
using namespace drawloom::cuda;

namespace {
struct Export {
  llvm::StringLiteral name; ///< Without the version that a symbol may end in.
  llvm::StringLiteral symbol;
  int since; ///< The CUDA version that this symbol came with.
  void *address;
};
} // namespace

extern "C" {
#define CU_REJECTED(name, symbol, since) Result symbol();
#include "Rejected.def"
}

static const Export exportTable[] = {
#define CU_REJECTED(name, symbol, since)                                       \
  {#name, #symbol, since, reinterpret_cast<void *>(&symbol)},
#include "Rejected.def"
#define CU_FUNCTION(name, symbol, since, parameters)                           \
  {#name, #symbol, since, reinterpret_cast<void *>(&symbol)},
#include "Functions.def"
};

/// What programs with a default stream for each thread call instead.
static const Export perThreadTable[] = {
#define CU_PER_THREAD(symbol, suffix, parameters, arguments)                   \
  {#symbol, #symbol "_" #suffix, 0,                                            \
   reinterpret_cast<void *>(&symbol##_##suffix)},
#include "PerThread.def"
};

/// The newest symbol of that name that a program of `version` knows.
static const Export *find(llvm::StringRef name, int version, bool &tooNew) {
  const Export *best = nullptr;
  for (const Export &entry : exportTable) {
    if (entry.name != name && entry.symbol != name)
      continue;
    if (entry.since > version)
      tooNew = true;
    else if (!best || entry.since > best->since)
      best = &entry;
  }
  return best;
}

Result cuda::cuGetProcAddress_v2(const char *name, void **address, int version,
                                 uint64_t flags, int *status) {
  if (!name || !address)
    return CUDA_ERROR_INVALID_VALUE;
  bool tooNew = false;
  const Export *found = find(name, version, tooNew);
  *address = found ? found->address : nullptr;
  if (found && (flags & procPerThread))
    for (const Export &entry : perThreadTable)
      if (entry.name == found->symbol)
        *address = entry.address;
  if (status)
    *status = found ? ProcFound : tooNew ? ProcVersionTooLow : ProcNotFound;
  return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

Result cuda::cuGetProcAddress_v2_ptsz(const char *name, void **address,
                                      int version, uint64_t flags,
                                      int *status) {
  if (!(flags & procLegacy))
    flags |= procPerThread;
  return cuGetProcAddress_v2(name, address, version, flags, status);
}

Result cuda::cuGetProcAddress(const char *name, void **address, int version,
                              uint64_t flags) {
  return cuGetProcAddress_v2(name, address, version, flags, nullptr);
}

/// Says that a program or a library has a runtime linked into it, which won't
/// say a word itself. NVIDIA's own libraries and our runtime ask as well, for
/// others, and go on.
static void nameStaticRuntime(const void *caller) {
  static std::atomic<bool> said = false;
  Dl_info info;
  if (!dladdr(caller, &info) || !info.dli_fname)
    return;
  llvm::StringRef name = llvm::sys::path::filename(info.dli_fname);
  auto begins = [&](llvm::StringRef prefix) {
    return name.starts_with(prefix);
  };
  if (llvm::any_of(llvm::ArrayRef<llvm::StringRef>(
                       {"libnv", "libcudart", "libcublas", "libcudnn"}),
                   begins) ||
      said.exchange(true))
    return;
  complain(llvm::Twine("'") + info.dli_fname +
           "' has NVIDIA's CUDA runtime linked into it, which wants tables of "
           "the driver that aren't documented and can't run on the emulator; "
           "if it is yours, relink it with nvcc -cudart shared");
}

// Tables of functions between NVIDIA's own libraries.
Result cuda::cuGetExportTable(const void **table, const void *) {
  if (!table)
    return CUDA_ERROR_INVALID_VALUE;
  *table = nullptr;
  nameStaticRuntime(__builtin_return_address(0));
  return CUDA_ERROR_NOT_FOUND;
}

// Messages go to standard error, so the callback is never called.
Result cuda::cuLogsRegisterCallback(const void *callback, void *,
                                    const void **handle) {
  if (!callback || !handle)
    return CUDA_ERROR_INVALID_VALUE;
  *handle = callback;
  return CUDA_SUCCESS;
}

Result cuda::cuLogsUnregisterCallback(const void *handle) {
  return handle ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

Result cuda::cuGetErrorName(Result error, const char **text) {
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  *text = nullptr;
  switch (error) {
#define CU_RESULT(name, number, words)                                         \
  case name:                                                                   \
    *text = #name;                                                             \
    return CUDA_SUCCESS;
#include "Results.def"
  }
  return CUDA_ERROR_INVALID_VALUE;
}

Result cuda::cuGetErrorString(Result error, const char **text) {
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  *text = nullptr;
  switch (error) {
#define CU_RESULT(name, number, words)                                         \
  case name:                                                                   \
    *text = words;                                                             \
    return CUDA_SUCCESS;
#include "Results.def"
  }
  return CUDA_ERROR_INVALID_VALUE;
}

void cuda::drawloomLastStatistics(uint64_t *numbers) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  numbers[0] = driver.lastStatistics.warpInstructions;
  numbers[1] = driver.lastStatistics.ctas;
  numbers[2] = driver.lastStatistics.asyncOperations;
}

void cuda::drawloomLastTiming(uint64_t *numbers) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  const emu::TimingReport &timing = driver.lastTiming;
  numbers[0] = timing.cycles;
  numbers[1] = timing.tensorCycles;
  numbers[2] = timing.smsUsed;
  numbers[3] = timing.l2Bytes;
  numbers[4] = timing.dramBytes;
  numbers[5] = timing.microseconds * 1000;
}

const char *cuda::drawloomTiming() {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  return driver.lastTimingText.c_str();
}

int cuda::drawloomStart(const char *const *names, const char *const *values,
                        size_t count) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  llvm::StringMap<std::string> settings;
  for (size_t i = 0; i != count; ++i)
    settings[names[i]] = values[i];
  return driver.restart(std::move(settings));
}

void cuda::drawloomDriverSetInterrupted(int (*interrupted)()) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  driver.interrupted = interrupted;
}

const char *cuda::drawloomFindings() {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  driver.lastFindings.clear();
  if (driver.watch)
    driver.watch->end();
  if (driver.check)
    llvm::raw_string_ostream(driver.lastFindings) << llvm::json::Value(
        checker::toJson(driver.check->listener().findingsAndRemarks()));
  return driver.lastFindings.c_str();
}

const char *cuda::drawloomLastReport() {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  return driver.lastReport.c_str();
}
