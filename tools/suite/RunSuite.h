//===- RunSuite.h - Many cases, in several processes ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Runs cases in worker processes. A process has one emulated device, and LLVM's
// back end ends the process for what it can't select; so a worker is a fork
// that takes every n-th case, and when one dies the case that it was at has
// failed and another worker goes on behind it.

#ifndef DRAWLOOM_TOOLS_SUITE_RUNSUITE_H
#define DRAWLOOM_TOOLS_SUITE_RUNSUITE_H

#include "suite/RunCase.h"

namespace drawloom::suite {

struct RunSuiteOptions {
  unsigned jobs = 1;
  /// "cuda", or an emulated "h100" or "b200". On a GPU each case also runs on
  /// the emulated device, and the two are compared. Empty: cases are only
  /// compiled.
  std::string device;
  RunCaseOptions cases = {};
};

struct DeviceInfo {
  std::string name;
  /// "sm_100"
  std::string architecture;
  unsigned sms = 0;
};

/// What a device is. Asked in a process of its own: a driver that was started
/// before a fork is of no use behind it.
llvm::Expected<DeviceInfo> queryDevice(llvm::StringRef device);

/// Runs the cases, all for one architecture, and tells `done` about each as it
/// ends, with its index. An error if a device can't be opened.
llvm::Error runSuite(llvm::ArrayRef<Case> cases, const RunSuiteOptions &options,
                     llvm::function_ref<void(size_t, const CaseResult &)> done);

} // namespace drawloom::suite

#endif // DRAWLOOM_TOOLS_SUITE_RUNSUITE_H
