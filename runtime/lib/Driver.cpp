//===- Driver.cpp - A CUDA driver, opened at run time ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Runtime/Driver.h"
#include "llvm/ADT/Twine.h"
#include <dlfcn.h>

using namespace drawloom::runtime;

/// Starts the emulated driver anew.
static llvm::Error start(void *handle, llvm::StringRef library,
                         llvm::ArrayRef<Driver::Setting> settings) {
  using Start = int(const char *const *, const char *const *, size_t);
  auto *start = reinterpret_cast<Start *>(dlsym(handle, "drawloomStart"));
  if (!start)
    return llvm::createStringError("'" + library +
                                   "' is no emulated driver: it takes no "
                                   "settings [cuda-driver]");
  llvm::SmallVector<const char *> names, values;
  for (const Driver::Setting &setting : settings) {
    names.push_back(setting.first.c_str());
    values.push_back(setting.second.c_str());
  }
  if (start(names.data(), values.data(), settings.size()) != 0)
    return llvm::createStringError(
        "this process uses the emulated device already, and there is one at a "
        "time: destroy its contexts first [cuda-driver]");
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<Driver>>
Driver::open(llvm::StringRef library, llvm::ArrayRef<Setting> settings) {
  // It stays open for as long as the process lives: drivers start threads and
  // can't be unloaded.
  void *handle = dlopen(library.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return llvm::createStringError("no CUDA driver: " + llvm::Twine(dlerror()) +
                                   " [cuda-driver]");
  if (!settings.empty())
    if (llvm::Error error = start(handle, library, settings))
      return error;
  std::shared_ptr<Driver> driver(new Driver());
#define DRAWLOOM_DRIVER_FUNCTION(name, parameters)                             \
  driver->functionTable.name =                                                 \
      reinterpret_cast<int(*) parameters>(dlsym(handle, #name));               \
  if (!driver->functionTable.name)                                             \
    return llvm::createStringError(                                            \
        "'" + library +                                                        \
        "' has no function " #name                                             \
        "; a driver of CUDA 12 or newer does [cuda-driver]");
#include "drawloom/Runtime/DriverFunctions.def"
  driver->lastReport =
      reinterpret_cast<const char *(*)()>(dlsym(handle, "drawloomLastReport"));
  driver->findingsOf =
      reinterpret_cast<const char *(*)()>(dlsym(handle, "drawloomFindings"));
  driver->timingOf =
      reinterpret_cast<const char *(*)()>(dlsym(handle, "drawloomTiming"));
  driver->setInterruptedOf = reinterpret_cast<void (*)(int (*)())>(
      dlsym(handle, "drawloomDriverSetInterrupted"));
  int result = driver->functionTable.cuInit(0);
  // With settings it is the emulated one, which says what is wrong with them.
  if (std::string report = driver->lastReport ? driver->lastReport() : "";
      result != 0 && !settings.empty() && !report.empty())
    return llvm::createStringError(report);
  if (llvm::Error error = driver->check(result, "cuInit"))
    return error;
  return driver;
}

llvm::Error Driver::check(int result, llvm::StringRef call) const {
  if (result == 0)
    return llvm::Error::success();
  const char *name = nullptr, *text = nullptr;
  functionTable.cuGetErrorName(result, &name);
  functionTable.cuGetErrorString(result, &text);
  std::string message = call.str() + ": " +
                        (name ? name : "error " + std::to_string(result)) +
                        (text ? ": " + std::string(text) : std::string());
  // The report stays until there is another one.
  std::string report = lastReport ? lastReport() : "";
  if (!report.empty() && report != shownReport)
    message += "\n" + report;
  shownReport = std::move(report);
  return llvm::createStringError(message);
}
