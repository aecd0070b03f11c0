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
#include "drawloom/Session/Compile.h"
#include <cstring>
#include <initializer_list>

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
/// zero. An error if the caller doesn't say how many it has.
template <typename Options>
llvm::Expected<Options> complete(const Options *given, llvm::StringRef name) {
  Options options = {};
  if (!given)
    return options;
  if (given->structSize <= sizeof(given->structSize))
    return llvm::createStringError(
        "structSize of " + name + " is " + llvm::Twine(given->structSize) +
        "; it is sizeof(" + name + "), " + llvm::Twine(sizeof(Options)));
  memcpy(&options, given, std::min(given->structSize, sizeof(Options)));
  return options;
}

//===----------------------------------------------------------------------===//
// What a caller gives
//===----------------------------------------------------------------------===//

/// Of a tensor.
constexpr unsigned maxRank = 32;
/// Of an emulated device.
constexpr unsigned maxSms = 1024;

/// An error if one of these, which a function can't do without, is null.
llvm::Error
checkGiven(std::initializer_list<std::pair<const void *, llvm::StringRef>> all);

/// An error if one of these is not UTF-8. Null is no string.
llvm::Error checkStrings(
    std::initializer_list<std::pair<const char *, llvm::StringRef>> all);

/// An error if the text is null or not UTF-8.
llvm::Error checkText(const char *text, size_t size);

/// An error if a tensor can't have so many dimensions, or they aren't there.
llvm::Error checkShape(llvm::StringRef name, const void *shape, size_t rank);

/// Whether this thread's caller wants to be asked whether a call is to stop.
bool asksCaller();

/// Whether it is to stop. The caller is asked a few times a second, so this may
/// be called often.
bool isInterrupted();

/// Begins a call that may be stopped, and says whether it was.
void beginInterruptible();
bool wasInterrupted();

/// What a call gives that was stopped.
llvm::Error failInterrupted();

/// Runs `body`, which gives an error if it fails.
template <typename Body>
DrawloomError *guard(Body body) {
  if (llvm::Error error = body())
    return give(std::move(error));
  return nullptr;
}

/// The same for what asks isInterrupted(): the error is that it was, if so.
template <typename Body>
DrawloomError *guardInterruptible(Body body) {
  beginInterruptible();
  llvm::Error error = body();
  if (!error)
    return nullptr;
  if (!wasInterrupted())
    return give(std::move(error));
  llvm::consumeError(std::move(error));
  return give(failInterrupted());
}

} // namespace drawloom::capi

#endif // DRAWLOOM_C_LIB_HANDLES_H
