//===- CommandLine.h - Options of a verb ---------------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A small reader of command lines. It knows `--name value`, `--name=value`,
// `-o value` and operands, and it suggests the nearest name for a wrong one.
// LLVM's own cl::opt is not used: its options are global, and LLVM's would be
// options of ours.

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_COMMANDLINE_H
#define DRAWLOOM_TOOLS_DRAWLOOM_COMMANDLINE_H

#include "ExitStatus.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <utility>

namespace drawloom {

/// An option with its dashes, such as `--arch`.
struct OptionName {
  llvm::StringLiteral name;
  bool takesValue;
};

class CommandLine {
public:
  /// Reads `arguments`. Fails for an unknown option, a missing or needless
  /// value and an option that is given twice. `--help` and `-h` are always
  /// known.
  static llvm::Expected<CommandLine>
  parse(llvm::ArrayRef<llvm::StringRef> arguments,
        llvm::ArrayRef<OptionName> options);

  bool wantsHelp() const { return has("--help") || has("-h"); }
  bool has(llvm::StringRef option) const { return get(option).has_value(); }
  std::optional<llvm::StringRef> get(llvm::StringRef option) const;
  llvm::ArrayRef<llvm::StringRef> getOperands() const { return operands; }

private:
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>> values;
  llvm::SmallVector<llvm::StringRef> operands;
};

/// Says what is wrong with the command line of a verb, and where its options
/// are explained.
ExitStatus complain(llvm::StringRef verb, const llvm::Twine &words);

/// The folder of the examples that help names: where they are installed, or as
/// it is called in the sources.
std::string findExamples();

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_COMMANDLINE_H
