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

llvm::Expected<std::shared_ptr<Driver>> Driver::open(llvm::StringRef library) {
  // It stays open for as long as the process lives: drivers start threads and
  // can't be unloaded.
  void *handle = dlopen(library.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return llvm::createStringError("no CUDA driver: " + llvm::Twine(dlerror()));
  std::shared_ptr<Driver> driver(new Driver());
#define DRAWLOOM_DRIVER_FUNCTION(name, parameters)                             \
  driver->functionTable.name =                                                 \
      reinterpret_cast<int(*) parameters>(dlsym(handle, #name));               \
  if (!driver->functionTable.name)                                             \
    return llvm::createStringError("'" + library +                             \
                                   "' has no function " #name                  \
                                   "; a driver of CUDA 12 or newer does");
#include "drawloom/Runtime/DriverFunctions.def"
  driver->lastReport =
      reinterpret_cast<const char *(*)()>(dlsym(handle, "drawloomLastReport"));
  if (llvm::Error error =
          driver->check(driver->functionTable.cuInit(0), "cuInit"))
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
