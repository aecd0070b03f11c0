//===- DiskTest.cpp - A folder that many use ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Cache/Disk.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace drawloom::cache;
using namespace std::chrono_literals;
namespace fs = llvm::sys::fs;

namespace {
class DiskTest : public testing::Test {
protected:
  DiskTest() {
    (void)fs::createUniqueDirectory("drawloom-disk", parent);
    folder = parent;
    folder += "/kernels";
  }
  ~DiskTest() override { (void)fs::remove_directories(parent); }

  Disk makeDisk(uint64_t limit = 1 << 20, llvm::StringRef secret = "") {
    return Disk(folder.str().str(), limit, secret.str());
  }
  static Key makeKey(unsigned number) {
    return KeyBuilder().add("number", std::to_string(number)).finish();
  }
  std::string pathOf(const Key &key) const {
    return (folder + "/" + key.hex().substr(0, 2) + "/" + key.hex()).str();
  }
  static void write(const std::string &path, llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << text;
    ASSERT_FALSE(error);
  }

  llvm::SmallString<128> parent, folder;
};
} // namespace

TEST_F(DiskTest, ReturnsWhatItStored) {
  Disk disk = makeDisk();
  EXPECT_EQ(disk.get(makeKey(1)), std::nullopt);
  EXPECT_TRUE(disk.put(makeKey(1), "one"));
  EXPECT_TRUE(disk.put(makeKey(2), "two"));
  EXPECT_EQ(disk.get(makeKey(1)), "one");
  EXPECT_TRUE(disk.put(makeKey(1), "another"));
  EXPECT_EQ(disk.get(makeKey(1)), "another");
  EXPECT_EQ(disk.get(makeKey(2)), "two");
  EXPECT_EQ(disk.list().size(), 2u);
  EXPECT_EQ(disk.countUnfinished(), 0u);
  for (const Disk::File &file : disk.list())
    EXPECT_FALSE(bool(disk.verify(file)));
  EXPECT_EQ(disk.clear(), 2u);
  EXPECT_EQ(disk.get(makeKey(1)), std::nullopt);
}

TEST_F(DiskTest, BelongsToThisUserOnly) {
  Disk disk = makeDisk();
  disk.put(makeKey(1), "one");
  struct stat status;
  for (const std::string &path : {folder.str().str(), pathOf(makeKey(1))}) {
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 077, 0u) << path;
  }
}

TEST_F(DiskTest, MissesWhatIsDamaged) {
  Disk disk = makeDisk();
  disk.put(makeKey(1), "one");
  disk.put(makeKey(2), "two");
  ASSERT_FALSE(fs::copy_file(pathOf(makeKey(2)), pathOf(makeKey(1))));
  EXPECT_EQ(disk.get(makeKey(1)), std::nullopt);
  EXPECT_EQ(disk.getCounters().get(Event::Rejected), 1u);
  write(folder.str().str() + "/" + makeKey(1).hex().substr(0, 2) + "/notes",
        "mine");
  std::vector<std::string> words;
  for (const Disk::File &file : disk.list())
    if (llvm::Error error = disk.verify(file))
      words.push_back(llvm::toString(std::move(error)));
  llvm::sort(words);
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(words[0], "'" + pathOf(makeKey(1)) +
                          "' belongs to another key [cache-entry]");
  EXPECT_NE(words[1].find("/notes' is not named after a key"),
            std::string::npos);
  // It is written again, and good.
  disk.put(makeKey(1), "one");
  EXPECT_EQ(disk.get(makeKey(1)), "one");
}

TEST_F(DiskTest, NamesWhatCannotBeRead) {
  Disk disk = makeDisk();
  disk.put(makeKey(1), "one");
  // Also root can't read a folder.
  ASSERT_FALSE(fs::remove(pathOf(makeKey(1))));
  ASSERT_FALSE(fs::create_directory(pathOf(makeKey(1))));
  EXPECT_EQ(disk.get(makeKey(1)), std::nullopt);
  std::vector<Disk::File> files = disk.list();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(llvm::toString(disk.verify(files.front())),
            "'" + pathOf(makeKey(1)) +
                "' can't be read: Is a directory [cache-entry]");
}

TEST_F(DiskTest, MissesWhatWasSealedWithoutTheSecret) {
  Disk open = makeDisk();
  open.put(makeKey(1), "forged");
  Disk disk = makeDisk(1 << 20, "a secret of our own");
  EXPECT_EQ(disk.get(makeKey(1)), std::nullopt);
}

TEST_F(DiskTest, RemovesWhatWasUsedLongestAgo) {
  Disk disk = makeDisk(10'000);
  std::string value(900, 'x');
  for (unsigned number = 0; number != 10; ++number) {
    disk.put(makeKey(number), value);
    // An hour apart, the first the oldest.
    timespec times[2] = {};
    times[0].tv_sec = times[1].tv_sec = 1'000'000 + 3600 * number;
    utimensat(AT_FDCWD, pathOf(makeKey(number)).c_str(), times, 0);
  }
  // 10 x (900 + 104) bytes; to be used is to be young.
  EXPECT_EQ(disk.get(makeKey(0)), value);
  EXPECT_EQ(disk.trim(), 2u);
  EXPECT_EQ(disk.get(makeKey(0)), value);
  EXPECT_EQ(disk.get(makeKey(1)), std::nullopt);
  EXPECT_EQ(disk.get(makeKey(2)), std::nullopt);
  EXPECT_EQ(disk.get(makeKey(3)), value);
  EXPECT_EQ(disk.trim(), 0u);
  EXPECT_EQ(disk.getCounters().get(Event::Evicted), 2u);
}

TEST_F(DiskTest, StaysNearItsLimit) {
  Disk disk = makeDisk(100'000);
  for (unsigned number = 0; number != 300; ++number)
    disk.put(makeKey(number), std::string(900, 'x'));
  uint64_t total = 0;
  for (const Disk::File &file : disk.list())
    total += file.bytes;
  EXPECT_LT(total, 200'000u);
  EXPECT_GT(total, 80'000u);
}

TEST_F(DiskTest, RemovesAbandonedFiles) {
  Disk disk = makeDisk();
  disk.put(makeKey(1), "one");
  std::string unfinished = (folder + "/tmp/0123").str();
  write(unfinished, "half an en");
  EXPECT_EQ(disk.countUnfinished(), 1u);
  disk.trim();
  EXPECT_EQ(disk.countUnfinished(), 1u);
  timespec times[2] = {};
  utimensat(AT_FDCWD, unfinished.c_str(), times, 0);
  disk.trim();
  EXPECT_EQ(disk.countUnfinished(), 0u);
}

TEST_F(DiskTest, KeepsNothingWhereItCannotWrite) {
  // Also root can't make a folder below a file.
  write((parent + "/file").str(), "");
  Disk disk((parent + "/file/below").str(), 1 << 20, "");
  EXPECT_FALSE(disk.put(makeKey(1), "one"));
  EXPECT_EQ(disk.get(makeKey(1)), std::nullopt);
  EXPECT_FALSE(disk.lock(makeKey(1), 10ms).isHeld());
  EXPECT_EQ(disk.getCounters().get(Event::NotKept), 0u);
}

TEST_F(DiskTest, LocksOneKey) {
  Disk disk = makeDisk();
  KeyLock first = disk.lock(makeKey(1), 10ms);
  EXPECT_TRUE(first.isHeld());
  EXPECT_FALSE(first.hasWaited());
  KeyLock second = disk.lock(makeKey(1), 10ms);
  EXPECT_FALSE(second.isHeld());
  EXPECT_TRUE(second.hasWaited());
  EXPECT_TRUE(disk.lock(makeKey(2), 10ms).isHeld());
  first.release();
  EXPECT_TRUE(disk.lock(makeKey(1), 10ms).isHeld());
}

TEST_F(DiskTest, FreesTheLockOfADeadProcess) {
  Disk disk = makeDisk();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  pid_t child = fork();
  if (child == 0) {
    KeyLock lock = disk.lock(makeKey(1), 10ms);
    (void)!::write(ready[1], lock.isHeld() ? "y" : "n", 1);
    pause();
    _exit(0);
  }
  char answer = 0;
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  EXPECT_FALSE(disk.lock(makeKey(1), 10ms).isHeld());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(disk.lock(makeKey(1), 10ms).isHeld());
  close(ready[0]);
  close(ready[1]);
}

//===----------------------------------------------------------------------===//
// Folders of others
//===----------------------------------------------------------------------===//

TEST_F(DiskTest, AFolderThatOthersMayWriteIsNotUsed) {
  EXPECT_TRUE(makeDisk().put(makeKey(1), "one"));
  for (mode_t mode : {0777, 0770, 0702, 01777}) {
    ASSERT_EQ(chmod(folder.c_str(), mode), 0);
    Disk disk = makeDisk();
    EXPECT_TRUE(
        disk.getRejection().contains("may be written by others (mode "));
    EXPECT_EQ(disk.get(makeKey(1)), std::nullopt);
    EXPECT_FALSE(disk.put(makeKey(2), "two"));
    EXPECT_FALSE(disk.lock(makeKey(2), 1ms).isHeld());
    EXPECT_EQ(disk.list().size(), 0u);
    EXPECT_EQ(disk.clear(), 0u);
  }
  ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
  EXPECT_EQ(makeDisk().get(makeKey(1)), "one");
  ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
  EXPECT_EQ(makeDisk().getRejection(),
            ("'" + folder +
             "' may be written by others (mode 0777); 'chmod go-w' changes "
             "that")
                .str());
}

TEST_F(DiskTest, AFolderInOneThatOthersMayWriteIsNotUsed) {
  ASSERT_EQ(chmod(parent.c_str(), 0777), 0);
  EXPECT_EQ(makeDisk().getRejection(),
            ("'" + parent +
             "' may be written by others (mode 0777); 'chmod go-w' changes "
             "that")
                .str());
  // As /tmp is.
  ASSERT_EQ(chmod(parent.c_str(), 01777), 0);
  EXPECT_EQ(makeDisk().getRejection(), "");
}

TEST_F(DiskTest, AFolderOfAnotherUserIsNotUsed) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a folder to another user";
  (void)makeDisk();
  ASSERT_EQ(chown(folder.c_str(), 12345, 0), 0);
  EXPECT_EQ(
      makeDisk().getRejection(),
      ("'" + folder + "' belongs to user 12345, and this is user 0").str());
}

TEST_F(DiskTest, LinksAreNotFollowed) {
  std::string elsewhere = (parent + "/elsewhere").str();
  ASSERT_FALSE(fs::create_directory(elsewhere));
  ASSERT_EQ(symlink(elsewhere.c_str(), folder.c_str()), 0);
  EXPECT_EQ(makeDisk().getRejection(),
            ("'" + folder + "' is a symbolic link").str());
  ASSERT_EQ(unlink(folder.c_str()), 0);

  ASSERT_TRUE(makeDisk().put(makeKey(1), "one"));
  std::string victim = elsewhere + "/victim", before(200, 'x');
  for (const char *name : {"/counters", "/lock"}) {
    write(victim, before);
    std::string path = (folder + name).str();
    (void)unlink(path.c_str());
    ASSERT_EQ(symlink(victim.c_str(), path.c_str()), 0);
  }
  Disk disk = makeDisk();
  EXPECT_EQ(disk.get(makeKey(1)), "one");
  disk.getCounters().add(Event::Made);
  EXPECT_FALSE(disk.lock(makeKey(1), 1ms).isHeld());
  EXPECT_EQ(llvm::MemoryBuffer::getFile(victim).get()->getBuffer(), before);

  // An entry that is whole, but somewhere else.
  std::string entry = pathOf(makeKey(1));
  ASSERT_EQ(rename(entry.c_str(), victim.c_str()), 0);
  ASSERT_EQ(symlink(victim.c_str(), entry.c_str()), 0);
  EXPECT_EQ(disk.get(makeKey(1)), std::nullopt);
  EXPECT_TRUE(disk.put(makeKey(1), "two"));
  EXPECT_EQ(disk.get(makeKey(1)), "two");
  EXPECT_TRUE(fs::exists(victim));
}

TEST_F(DiskTest, WhatIsNotSignedIsNeitherTakenNorKept) {
  ASSERT_TRUE(makeDisk().put(makeKey(1), "forged"));
  Disk disk = makeDisk(1 << 20, "a secret of many bytes");
  EXPECT_EQ(disk.get(makeKey(1)), std::nullopt);
  EXPECT_TRUE(disk.put(makeKey(1), "made"));
  EXPECT_EQ(disk.get(makeKey(1)), "made");
}
