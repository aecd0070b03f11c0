//===- ReadTest.cpp - Reading files named by a user -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Input/Read.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <sys/stat.h>
#include <thread>

using namespace drawloom;

static std::string whyNot(llvm::StringRef path, size_t longest = 1000) {
  auto text = input::readText(path, longest);
  return text ? "read" : llvm::toString(text.takeError());
}

namespace {
struct File {
  llvm::SmallString<128> path;
  llvm::FileRemover remover;

  explicit File(llvm::StringRef text) {
    int file;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("read", "txt", file, path));
    llvm::raw_fd_ostream(file, /*shouldClose=*/true) << text;
    remover.setFile(path);
  }
};
} // namespace

TEST(Read, AFileIsReadUpToTheLimit) {
  File file(std::string(1000, 'x'));
  auto text = input::readText(file.path, 1000);
  ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
  EXPECT_EQ((*text)->getBuffer(), std::string(1000, 'x'));
  EXPECT_EQ((*text)->getBufferIdentifier(), file.path);
  EXPECT_EQ(whyNot(file.path, 999),
            ("cannot read '" + file.path +
             "': it has more than 0 MiB (999 bytes), and no text that is read "
             "here is longer [cannot-read]")
                .str());
}

TEST(Read, WhatDoesNotEndIsLeft) {
  EXPECT_EQ(whyNot("/dev/zero", 1 << 20),
            "cannot read '/dev/zero': it has more than 1 MiB (1048576 bytes), "
            "and no text that is read here is longer [cannot-read]");
}

TEST(Read, APipeIsReadToItsEnd) {
  File file("");
  std::string path = (file.path + ".pipe").str();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  llvm::FileRemover remover(path);
  std::string sent(300'000, 'y');
  std::thread writer([&] {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << sent;
  });
  auto text = input::readText(path);
  writer.join();
  ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
  EXPECT_EQ((*text)->getBuffer(), sent);
}

TEST(Read, WhatIsNoFileIsSaid) {
  EXPECT_EQ(
      whyNot("/nowhere/a"),
      "cannot read '/nowhere/a': No such file or directory [cannot-read]");
  EXPECT_EQ(whyNot("/"), "cannot read '/': Is a directory [cannot-read]");
  EXPECT_EQ(
      whyNot("/\x1b[31m"),
      "cannot read '/\\x1b[31m': No such file or directory [cannot-read]");
}
