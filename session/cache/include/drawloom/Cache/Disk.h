//===- Disk.h - Entries in a folder -----------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Entries in a folder that many processes use at once, and that survives the
// death of any of them and of the host. An entry is written to a file of its
// own, brought to the disk and then renamed, so that its name has all of it or
// nothing. What is read is opened as Entry.h says, and what doesn't open counts
// as missing.
//
//   ab/ab03…      entries, by the first byte of their key
//   tmp/          entries that a process is writing
//   lock          one byte for each key, locked by who makes its value
//   counters      what happened, for `drawloom cache stats`
//
// A user who can write to the folder provides our kernels, so it belongs to
// this user, and no other user may write there. Any other folder is not used at
// all, and no file in one is a symbolic link.
//
// Nothing here is an error to the caller: a disk that is full or read-only
// keeps nothing.

#ifndef DRAWLOOM_CACHE_DISK_H
#define DRAWLOOM_CACHE_DISK_H

#include "drawloom/Cache/Counters.h"
#include "drawloom/Cache/Entry.h"
#include <chrono>
#include <functional>

namespace drawloom::cache {

/// Held by the one that makes a value. The kernel frees it when the process
/// ends, however it ends.
class KeyLock {
public:
  KeyLock() = default;
  KeyLock(KeyLock &&other) noexcept
      : file(std::exchange(other.file, -1)), waited(other.waited) {}
  KeyLock &operator=(KeyLock &&other) noexcept {
    std::swap(file, other.file);
    std::swap(waited, other.waited);
    return *this;
  }
  ~KeyLock() { release(); }

  bool isHeld() const { return file >= 0; }
  /// Whether another process had it before.
  bool hasWaited() const { return waited; }
  void release();

private:
  friend class Disk;
  int file = -1;
  bool waited = false;
};

class Disk {
public:
  /// Entries in `folder`, up to `limit` bytes of them.
  Disk(std::string folder, uint64_t limit, std::string secret);

  llvm::StringRef getFolder() const { return folder; }
  /// Why the folder is not used; empty if it is.
  llvm::StringRef getRejection() const { return rejection; }
  uint64_t getLimit() const { return limit; }
  Counters &getCounters() { return counters; }

  std::optional<std::string> get(const Key &key);
  /// False if the disk doesn't take it.
  bool put(const Key &key, llvm::StringRef value);

  /// Waits for the lock of a key, for so long at most: after that, who wants
  /// the value makes it without.
  KeyLock lock(const Key &key, std::chrono::milliseconds patience);

  struct File {
    std::string path;
    /// Nothing in a file that is not named after one.
    std::optional<Key> key;
    uint64_t bytes = 0;
    /// When it was used last.
    std::chrono::nanoseconds used;
  };

  /// All entries.
  std::vector<File> list() const;
  /// Why the file is not an entry; nothing if it is.
  llvm::Error verify(const File &file) const;
  /// Files that a process is writing, or was writing when it ended.
  unsigned countUnfinished() const;
  /// Removes what was used longest ago until a tenth below the limit, if there
  /// is more than the limit. Gives the number of entries removed.
  unsigned trim();
  /// Removes all entries.
  unsigned clear();

private:
  std::string pathOf(const Key &key) const;

  std::string folder, rejection;
  uint64_t limit;
  std::string secret;
  Counters counters;
};

} // namespace drawloom::cache

#endif // DRAWLOOM_CACHE_DISK_H
