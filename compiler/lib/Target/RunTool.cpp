//===- RunTool.cpp - A child process and what it printed ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTool.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom::target;

llvm::Expected<TemporaryFile> TemporaryFile::create(llvm::StringRef suffix) {
  llvm::SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("drawloom", suffix, path))
    return llvm::createStringError(error, "cannot make a temporary file: %s",
                                   error.message().c_str());
  return TemporaryFile(path);
}

llvm::Error TemporaryFile::write(llvm::StringRef contents) const {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    os << contents;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return llvm::createFileError(path, error);
  return llvm::Error::success();
}

llvm::Expected<std::string> TemporaryFile::read() const {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createFileError(path, buffer.getError());
  return (*buffer)->getBuffer().str();
}

llvm::Expected<ToolRun>
drawloom::target::runTool(llvm::StringRef program,
                          llvm::ArrayRef<llvm::StringRef> arguments) {
  llvm::Expected<TemporaryFile> out = TemporaryFile::create("out");
  if (!out)
    return out.takeError();
  llvm::Expected<TemporaryFile> err = TemporaryFile::create("err");
  if (!err)
    return err.takeError();

  llvm::SmallVector<llvm::StringRef> argv = {program};
  llvm::append_range(argv, arguments);
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""),
                                                out->getPath(), err->getPath()};
  std::string problem;
  int exitCode = llvm::sys::ExecuteAndWait(program, argv, /*Env=*/std::nullopt,
                                           redirects, /*SecondsToWait=*/0,
                                           /*MemoryLimit=*/0, &problem);
  if (exitCode < 0)
    return llvm::createStringError("cannot run " + program + ": " + problem);

  llvm::Expected<std::string> outText = out->read();
  if (!outText)
    return outText.takeError();
  llvm::Expected<std::string> errText = err->read();
  if (!errText)
    return errText.takeError();
  return ToolRun{exitCode, *outText + *errText};
}
