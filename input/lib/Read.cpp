//===- Read.cpp - Reading files named by a user ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Input/Read.h"
#include "drawloom/Input/Printable.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/FileSystem.h"

namespace fs = llvm::sys::fs;
using llvm::StringRef;

static llvm::Error fail(StringRef path, const llvm::Twine &why) {
  return llvm::createStringError("cannot read '" +
                                 drawloom::input::makePrintable(path) +
                                 "': " + why + " [cannot-read]");
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
drawloom::input::readText(StringRef path, size_t longest) {
  bool isStdin = path == "-";
  fs::file_t file = fs::getStdinHandle();
  if (!isStdin) {
    llvm::Expected<fs::file_t> opened = fs::openNativeFileForRead(path);
    if (!opened)
      return fail(path, llvm::errorToErrorCode(opened.takeError()).message());
    file = *opened;
  }
  llvm::scope_exit closeFile([&] {
    if (!isStdin)
      (void)fs::closeFile(file);
  });
  fs::file_status status;
  if (std::error_code error = fs::status(file, status))
    return fail(path, error.message());
  if (status.type() == fs::file_type::directory_file)
    return fail(path,
                std::make_error_code(std::errc::is_a_directory).message());
  // What isn't a plain file says no size, and a file may grow.
  size_t room = status.type() == fs::file_type::regular_file
                    ? std::min<uint64_t>(status.getSize(), longest) + 1
                    : 1 << 16;
  std::string text;
  size_t size = 0;
  while (size <= longest) {
    if (size == text.size())
      text.resize(std::min(std::max(room, 2 * size), longest + 1));
    llvm::Expected<size_t> count = fs::readNativeFile(
        file, llvm::MutableArrayRef(text.data() + size, text.size() - size));
    if (!count)
      return fail(path, llvm::errorToErrorCode(count.takeError()).message());
    if (*count == 0) {
      text.resize(size);
      return llvm::MemoryBuffer::getMemBufferCopy(text,
                                                  isStdin ? "<stdin>" : path);
    }
    size += *count;
  }
  return fail(path, "it has more than " + llvm::Twine(longest >> 20) +
                        " MiB (" + llvm::Twine(longest) +
                        " bytes), and no text that is read here is longer");
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
drawloom::input::readBytes(StringRef path) {
  if (!fs::is_regular_file(path))
    return readText(path);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail(path, buffer.getError().message());
  return std::move(*buffer);
}
