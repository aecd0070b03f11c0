//===- Graphviz.cpp - Drawings by Graphviz --------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graphviz.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;

static llvm::Error makeTemporary(llvm::StringRef ending,
                                 llvm::SmallVectorImpl<char> &path) {
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("drawloom", ending, path))
    return llvm::createStringError("cannot make a temporary file: " +
                                   error.message());
  return llvm::Error::success();
}

static std::string readFile(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

llvm::Expected<std::string> drawloom::renderSvg(llvm::StringRef graph) {
  llvm::ErrorOr<std::string> dot = llvm::sys::findProgramByName("dot");
  if (!dot)
    return llvm::createStringError(
        "svg needs Graphviz, but there is no 'dot' on the PATH; install the "
        "package graphviz, or take the graph in the form dot");

  llvm::SmallString<128> input, output, messages;
  llvm::scope_exit remove([&] {
    for (llvm::StringRef path : {input, output, messages})
      if (!path.empty())
        llvm::sys::fs::remove(path);
  });
  if (llvm::Error error = makeTemporary("dot", input))
    return error;
  if (llvm::Error error = makeTemporary("svg", output))
    return error;
  if (llvm::Error error = makeTemporary("txt", messages))
    return error;

  std::error_code failure;
  llvm::raw_fd_ostream os(input, failure);
  os << graph;
  os.close();
  if (os.has_error()) {
    failure = os.error();
    os.clear_error();
  }
  if (failure)
    return llvm::createFileError(input, failure);

  std::string reason;
  int code = llvm::sys::ExecuteAndWait(
      *dot, {*dot, "-Tsvg", input}, std::nullopt,
      {std::nullopt, llvm::StringRef(output), llvm::StringRef(messages)},
      /*SecondsToWait=*/60, /*MemoryLimit=*/0, &reason);
  if (code != 0) {
    std::string words = reason + readFile(messages);
    return llvm::createStringError("'dot' failed: " + words);
  }
  return readFile(output);
}
