//===- Driver.h - A CUDA driver, opened at run time -------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcuda.so.1, opened by name or by path: NVIDIA's, or the emulator's. Nothing
// here or above asks which one it is. The types are those of the driver's ABI,
// so the build needs no CUDA toolkit.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_RUNTIME_DRIVER_H
#define DRAWLOOM_RUNTIME_DRIVER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace drawloom::runtime {

using DevicePointer = unsigned long long;

/// CUlaunchAttribute, of which only the cluster's dimensions are used.
struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    unsigned clusterDim[3];
  } value;
};

/// CUlaunchConfig
struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  void *stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

/// CUtensorMap
struct alignas(64) TensorMap {
  uint64_t words[16];
};

/// The functions that are used, as they are exported.
struct DriverFunctions {
#define DRAWLOOM_DRIVER_FUNCTION(name, parameters) int(*name) parameters;
#include "drawloom/Runtime/DriverFunctions.def"
};

class Driver {
public:
  /// A setting of the emulated driver: a variable of docs/Driver.md and what
  /// it is.
  using Setting = std::pair<std::string, std::string>;

  /// Opens a library and starts it. An error if it is not there, lacks a
  /// function or finds no device. With settings the emulated driver makes a new
  /// device; they come before the variables of the environment, and hold until
  /// it is opened with others. A process has one emulated device at a time, so
  /// that is an error while another is in use.
  static llvm::Expected<std::shared_ptr<Driver>>
  open(llvm::StringRef library = "libcuda.so.1",
       llvm::ArrayRef<Setting> settings = {});

  const DriverFunctions &functions() const { return functionTable; }

  /// What a call returned, as an error: "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY:
  /// out of memory". Success for 0. The emulator's report follows, if there is
  /// one.
  llvm::Error check(int result, llvm::StringRef call) const;

  /// What the checker of the emulated driver has found, as JSON; empty if
  /// nothing is checked.
  std::string findings() const { return findingsOf ? findingsOf() : ""; }

  /// What the clock of the emulated driver says about the last run that was
  /// timed, as JSON; empty if none was.
  std::string timing() const { return timingOf ? timingOf() : ""; }

  /// While the emulated driver runs a kernel it asks this a few times a second,
  /// in the thread of the call, and ends the run if the answer isn't 0; without
  /// it, Ctrl-C does. Null removes it. Other drivers ask nothing.
  void setInterrupted(int (*interrupted)()) const {
    if (setInterruptedOf)
      setInterruptedOf(interrupted);
  }

private:
  Driver() = default;

  DriverFunctions functionTable = {};
  /// The emulator's last report; null in other drivers.
  const char *(*lastReport)() = nullptr;
  const char *(*findingsOf)() = nullptr;
  const char *(*timingOf)() = nullptr;
  void (*setInterruptedOf)(int (*)()) = nullptr;
  mutable std::string shownReport;
};

} // namespace drawloom::runtime

#endif // DRAWLOOM_RUNTIME_DRIVER_H
