//===- RunTool.h - A child process and what it printed -------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Runs a tool to its end, with its output in memory. A tool that doesn't end is
// ended, and one that prints or writes without end, too. Temporary files are
// gone when the call returns, however it returns.

#ifndef DRAWLOOM_LIB_TARGET_RUNTOOL_H
#define DRAWLOOM_LIB_TARGET_RUNTOOL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileUtilities.h"
#include <memory>
#include <string>

namespace drawloom::target {

/// An empty file of our own, removed with the object.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix);

  llvm::StringRef getPath() const { return path; }
  llvm::Error write(llvm::StringRef contents) const;
  llvm::Expected<std::string> read() const;

private:
  explicit TemporaryFile(llvm::StringRef path)
      : path(path), remover(std::make_unique<llvm::FileRemover>(path)) {}

  std::string path;
  std::unique_ptr<llvm::FileRemover> remover;
};

struct ToolRun {
  int exitCode;
  /// Standard output, then standard error, as text.
  std::string output;
};

/// Bytes that a tool may print, and that a file which it writes may have. A
/// cubin of megabytes is a large one.
constexpr size_t mostPrinted = size_t(16) << 20;
constexpr size_t mostWritten = size_t(256) << 20;

/// How long an assembler may take: DRAWLOOM_PTXAS_SECONDS, or ten minutes.
unsigned getToolSeconds();

/// Runs `program` with `arguments`. Fails if it could not be started, was ended
/// by a signal, took longer than `seconds`, or printed more than it may.
llvm::Expected<ToolRun> runTool(llvm::StringRef program,
                                llvm::ArrayRef<llvm::StringRef> arguments,
                                unsigned seconds);

} // namespace drawloom::target

#endif // DRAWLOOM_LIB_TARGET_RUNTOOL_H
