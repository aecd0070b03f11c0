//===- Handles.h - What is behind the handles of the C API ------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_C_LIB_HANDLES_H
#define DRAWLOOM_C_LIB_HANDLES_H

#include "drawloom-c/Drawloom.h"
#include "drawloom/Driver/Compile.h"
#include <cstring>

struct DrawloomError {
  std::string text;
  /// Notes after what they belong to.
  std::vector<drawloom::Message> messages;
};

struct DrawloomProgram {
  std::string text;
  std::string name;
  /// The one that was chosen, or empty.
  std::string kernel;
  drawloom::CompileOptions options;
  drawloom::CompiledModule compiled;

  /// The kernel of that name, or the only one if there is no name.
  llvm::Expected<const drawloom::CompiledKernel *>
  find(const char *kernel) const;
};

namespace drawloom::capi {

/// An error for the caller.
DrawloomError *give(llvm::Error error);

/// Bytes for the caller.
DrawloomBytes give(llvm::StringRef bytes);

inline llvm::StringRef orEmpty(const char *text) { return text ? text : ""; }

/// The options as this version knows them: what an older caller's don't have is
/// zero.
template <typename Options>
Options complete(const Options *given) {
  Options options = {};
  if (given)
    memcpy(&options, given, std::min(given->structSize, sizeof(Options)));
  return options;
}

/// Runs `body`, which gives an error if it fails.
template <typename Body>
DrawloomError *guard(Body body) {
  if (llvm::Error error = body())
    return give(std::move(error));
  return nullptr;
}

} // namespace drawloom::capi

#endif // DRAWLOOM_C_LIB_HANDLES_H
