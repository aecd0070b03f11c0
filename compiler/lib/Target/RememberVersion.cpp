//===- RememberVersion.cpp - Versions of programs that were asked before --===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RememberVersion.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace drawloom::target;
namespace fs = llvm::sys::fs;

VersionMemory::VersionMemory(llvm::StringRef folder, llvm::StringRef program) {
  if (folder.empty())
    return;
  int file = ::open(program.str().c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return;
  struct stat status;
  std::array<char, 4> start = {};
  bool isKnown = fstat(file, &status) == 0 &&
                 read(file, start.data(), start.size()) == 4 &&
                 llvm::StringRef(start.data(), start.size()) == "\x7f"
                                                                "ELF";
  ::close(file);
  if (!isKnown)
    return;
  std::string facts = llvm::formatv(
      "{0} {1} {2} {3} {4}.{5} {6}.{7}", program, status.st_dev, status.st_ino,
      status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
      status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
  auto hash = llvm::BLAKE3::hash<16>(llvm::arrayRefFromStringRef(facts));
  path = (folder + "/" + llvm::toHex(hash, /*LowerCase=*/true)).str();
}

std::optional<Version> VersionMemory::recall() const {
  if (path.empty())
    return std::nullopt;
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> parts;
  // A line that has lost its end is no answer.
  llvm::StringRef line = (*file)->getBuffer();
  if (!line.consume_back("\n"))
    return std::nullopt;
  line.split(parts, '.');
  Version version;
  if (parts.size() != 3 || parts[0].getAsInteger(10, version.major) ||
      parts[1].getAsInteger(10, version.minor) ||
      parts[2].getAsInteger(10, version.patch))
    return std::nullopt;
  return version;
}

void VersionMemory::keep(const Version &version) const {
  if (path.empty())
    return;
  (void)fs::create_directories(llvm::sys::path::parent_path(path),
                               /*IgnoreExisting=*/true, fs::perms::owner_all);
  int file;
  llvm::SmallString<128> unfinished;
  if (fs::createUniqueFile(path + ".%%%%%%", file, unfinished))
    return;
  llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
  os << version.major << '.' << version.minor << '.' << version.patch << '\n';
  os.close();
  bool isWhole = !os.has_error();
  os.clear_error();
  if (!isWhole || fs::rename(unfinished, path))
    (void)fs::remove(unfinished);
}
