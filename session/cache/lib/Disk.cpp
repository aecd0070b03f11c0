//===- Disk.cpp - Entries in a folder -------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Cache/Disk.h"
#include "drawloom/Input/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace drawloom::cache;
using drawloom::input::makePrintable;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// No process writes an unfinished file that is older than this.
static constexpr auto abandonedAfter = std::chrono::hours(1);

/// Whether another user can change what is in a folder.
static std::string distrust(const std::string &folder, bool isParent) {
  auto name = [&] { return "'" + makePrintable(folder) + "' "; };
  struct stat status;
  // One that isn't there keeps nothing.
  if (lstat(folder.c_str(), &status) != 0)
    return "";
  if (isParent && S_ISLNK(status.st_mode) && stat(folder.c_str(), &status) != 0)
    return "";
  if (!S_ISDIR(status.st_mode))
    return name() +
           (S_ISLNK(status.st_mode) ? "is a symbolic link" : "is no folder");
  uid_t user = geteuid();
  if (status.st_uid != user && !(isParent && status.st_uid == 0))
    return name() + "belongs to user " + std::to_string(status.st_uid) +
           ", and this is user " + std::to_string(user);
  // In a folder like /tmp no user renames another user's files.
  bool isSticky = isParent && (status.st_mode & S_ISVTX);
  mode_t others = isParent ? S_IWOTH : S_IWGRP | S_IWOTH;
  if (!(status.st_mode & others) || isSticky)
    return "";
  std::string mode;
  llvm::raw_string_ostream(mode)
      << llvm::format("%04o", status.st_mode & 07777);
  return name() + "may be written by others (mode " + mode +
         "); 'chmod go-w' changes that";
}

/// Makes the folder, and says why it is not used.
static std::string prepare(const std::string &folder) {
  (void)fs::create_directories(folder, /*IgnoreExisting=*/true,
                               fs::perms::owner_all);
  std::string parent = path::parent_path(folder).str();
  std::string rejection = distrust(parent.empty() ? "." : parent, true);
  return rejection.empty() ? distrust(folder, false) : rejection;
}

Disk::Disk(std::string folder, uint64_t limit, std::string secret)
    : folder(std::move(folder)), rejection(prepare(this->folder)), limit(limit),
      secret(std::move(secret)),
      counters(rejection.empty() ? this->folder + "/counters" : "") {}

/// What a file of the folder holds. Links aren't followed.
static llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readFile(const std::string &path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0)
    return std::error_code(errno, std::generic_category());
  auto buffer = llvm::MemoryBuffer::getOpenFile(
      file, path, /*FileSize=*/-1, /*RequiresNullTerminator=*/false,
      /*IsVolatile=*/true);
  ::close(file);
  return buffer;
}

std::string Disk::pathOf(const Key &key) const {
  std::string name = key.hex();
  return folder + "/" + name.substr(0, 2) + "/" + name;
}

std::optional<std::string> Disk::get(const Key &key) {
  if (!rejection.empty())
    return std::nullopt;
  std::string path = pathOf(key);
  auto file = readFile(path);
  if (!file)
    return std::nullopt;
  llvm::Expected<llvm::StringRef> value =
      open((*file)->getBuffer(), key, secret);
  if (!value) {
    llvm::consumeError(value.takeError());
    counters.add(Event::Rejected);
    return std::nullopt;
  }
  // It was used now, so it stays.
  utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return value->str();
}

/// Writes all of it, or says that it can't.
static bool writeAll(int file, llvm::StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes = bytes.drop_front(written);
  }
  return true;
}

bool Disk::put(const Key &key, llvm::StringRef value) {
  if (!rejection.empty())
    return false;
  std::string target = pathOf(key);
  auto makeFolder = [](const llvm::Twine &path) {
    (void)fs::create_directory(path, /*IgnoreExisting=*/true,
                               fs::perms::owner_all);
  };
  makeFolder(folder + "/tmp");
  makeFolder(path::parent_path(target));
  int file;
  llvm::SmallString<128> unfinished;
  if (fs::createUniqueFile(folder + "/tmp/%%%%%%%%%%%%", file, unfinished,
                           fs::OF_None, 0600)) {
    counters.add(Event::NotKept);
    return false;
  }
  // The bytes are on the disk before the name is. If the name gets lost when
  // the host goes down, the value is made again.
  bool written = writeAll(file, seal(key, value, secret)) && fsync(file) == 0;
  ::close(file);
  if (!written || rename(unfinished.c_str(), target.c_str()) != 0) {
    (void)fs::remove(unfinished);
    counters.add(Event::NotKept);
    return false;
  }
  // Looking at all entries takes longer than writing one.
  if (key.bytes.back() % 16 == 0)
    trim();
  return true;
}

//===----------------------------------------------------------------------===//
// Locks
//===----------------------------------------------------------------------===//

void KeyLock::release() {
  if (file >= 0)
    ::close(file);
  file = -1;
}

KeyLock Disk::lock(const Key &key, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  KeyLock lock;
  if (!rejection.empty())
    return lock;
  int file = ::open((folder + "/lock").c_str(),
                    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0)
    return lock;
  // A byte of the file stands for the key. Files of their own would have to be
  // removed, and a lock on a removed file keeps no process out.
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = llvm::support::endian::read64le(key.bytes.data()) >> 2;
  range.l_len = 1;
  auto end = Clock::now() + patience;
  // Asked again and again rather than waited for, since a wait has no end.
  std::chrono::milliseconds pause(1);
  while (fcntl(file, F_OFD_SETLK, &range) != 0) {
    lock.waited = true;
    if ((errno != EAGAIN && errno != EACCES && errno != EINTR) ||
        Clock::now() >= end) {
      ::close(file);
      return lock;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(20));
  }
  lock.file = file;
  return lock;
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

static std::vector<Disk::File> listFolder(const llvm::Twine &folder) {
  std::vector<Disk::File> files;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    struct stat status;
    // It may be gone by now.
    if (lstat(file->path().c_str(), &status) != 0)
      continue;
    files.push_back({file->path(), Key::parse(path::filename(file->path())),
                     static_cast<uint64_t>(status.st_size),
                     std::chrono::seconds(status.st_mtim.tv_sec) +
                         std::chrono::nanoseconds(status.st_mtim.tv_nsec)});
  }
  return files;
}

std::vector<Disk::File> Disk::list() const {
  std::vector<File> files;
  if (!rejection.empty())
    return files;
  for (unsigned first = 0; first != 256; ++first)
    llvm::append_range(
        files, listFolder(folder + "/" +
                          llvm::toHex(uint8_t(first), /*LowerCase=*/true)));
  return files;
}

unsigned Disk::countUnfinished() const {
  return rejection.empty() ? listFolder(folder + "/tmp").size() : 0;
}

llvm::Error Disk::verify(const File &file) const {
  if (!file.key || pathOf(*file.key) != file.path)
    return llvm::createStringError("'" + file.path +
                                   "' is not named after a key [cache-entry]");
  auto text = readFile(file.path);
  if (!text)
    return llvm::createStringError(
        "'" + file.path + "' can't be read: " + text.getError().message() +
        " [cache-entry]");
  llvm::Expected<llvm::StringRef> value =
      open((*text)->getBuffer(), *file.key, secret);
  if (!value)
    return llvm::createStringError("'" + file.path + "' " +
                                   llvm::toString(value.takeError()));
  return llvm::Error::success();
}

unsigned Disk::trim() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  for (const File &file : listFolder(folder + "/tmp"))
    if (now - file.used > abandonedAfter)
      (void)fs::remove(file.path);
  std::vector<File> files = list();
  uint64_t total = 0;
  for (const File &file : files)
    total += file.bytes;
  if (total <= limit)
    return 0;
  llvm::sort(files, [](const File &left, const File &right) {
    return std::tie(left.used, left.path) < std::tie(right.used, right.path);
  });
  unsigned removed = 0;
  for (const File &file : files) {
    if (total <= limit - limit / 10)
      break;
    total -= file.bytes;
    removed += !fs::remove(file.path, /*IgnoreNonExisting=*/false);
  }
  counters.add(Event::Evicted, removed);
  return removed;
}

unsigned Disk::clear() {
  unsigned removed = 0;
  for (const File &file : list())
    removed += !fs::remove(file.path, /*IgnoreNonExisting=*/false);
  counters.reset();
  return removed;
}
