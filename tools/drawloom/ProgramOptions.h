//===- ProgramOptions.h - What drawloom run is asked about a program ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_PROGRAMOPTIONS_H
#define DRAWLOOM_TOOLS_DRAWLOOM_PROGRAMOPTIONS_H

#include "CheckOptions.h"
#include "drawloom/Run/Arguments.h"
#include "drawloom/Target/Architecture.h"
#include <map>
#include <optional>
#include <string>

namespace drawloom {
struct ProgramOptions {
  std::string input;
  std::string kernel;
  std::string device;
  const target::Architecture *arch = nullptr;
  /// What the user asked for; otherwise as many as the kernel needs.
  std::optional<unsigned> sms;
  bool compares = false;
  bool unproved = false;
  bool usesCache = true;
  unsigned orders = 0; ///< Random ones to run again under.
  CheckOptions check;
  run::ArgumentOptions arguments;
  /// Files for outputs, by their names.
  std::map<std::string, std::string> outputs;

  static llvm::Expected<ProgramOptions>
  read(llvm::ArrayRef<llvm::StringRef> arguments, llvm::StringRef verb);
};
} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_PROGRAMOPTIONS_H
