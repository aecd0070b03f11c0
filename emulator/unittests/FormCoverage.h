//===- FormCoverage.h - Which forms are held to values ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Other compilers' kernels use 340 instruction variants (ptx/test/Forms,
// Census-*.ptx). Each must be executed by a kernel whose results a test reads:
// a form that decodes and does the wrong thing isn't covered by being known.
//
// With DRAWLOOM_FORM_COVERAGE set, devices count what the kernels that tests
// launch execute (Device::countExecution). What a kernel has executed
// counts when its harness reads results, and not if it doesn't. When all tests
// have run, the program lists the forms that nothing covered and fails, or
// says
//
//   coverage: 340 of 340 forms
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_FORMCOVERAGE_H
#define DRAWLOOM_EMULATOR_FORMCOVERAGE_H

#include "Decode/Program.h"
#include "llvm/ADT/SmallVector.h"

/// The programs of a harness that are recorded.
class FormCoverage {
public:
  static bool isOn();

  /// A kernel is about to be launched: forgets what it executed before.
  void launch(const drawloom::emu::Program &program);
  /// The programs go away.
  void forget() { programs.clear(); }
  /// Results are read: what was executed counts.
  void read();

private:
  llvm::SmallVector<const drawloom::emu::Program *, 2> programs;
};

#endif // DRAWLOOM_EMULATOR_FORMCOVERAGE_H
