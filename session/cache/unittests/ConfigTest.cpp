//===- ConfigTest.cpp - What the environment says about a cache -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Cache/Cache.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "gtest/gtest.h"
#include <sys/stat.h>
#include <unistd.h>

using namespace drawloom::cache;

static llvm::Expected<std::optional<Config>>
read(const llvm::StringMap<std::string> &variables) {
  return Config::read([&](llvm::StringRef name) -> std::optional<std::string> {
    auto found = variables.find(name);
    if (found == variables.end())
      return std::nullopt;
    return found->second;
  });
}

static std::string fail(const llvm::StringMap<std::string> &variables) {
  auto config = read(variables);
  return config ? "" : llvm::toString(config.takeError());
}

TEST(Config, FindsItsFolder) {
  EXPECT_EQ((**read({{"HOME", "/h"}})).folder, "/h/.cache/drawloom/kernels");
  EXPECT_EQ((**read({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}})).folder,
            "/x/drawloom/kernels");
  EXPECT_EQ(
      (**read({{"XDG_CACHE_HOME", "/x"}, {"DRAWLOOM_CACHE", "/d"}})).folder,
      "/d/kernels");
  EXPECT_FALSE((*read({})).has_value());
}

TEST(Config, IsOffIfAskedTo) {
  EXPECT_FALSE((*read({{"HOME", "/h"}, {"DRAWLOOM_NO_CACHE", "1"}})));
  EXPECT_TRUE((*read({{"HOME", "/h"}, {"DRAWLOOM_NO_CACHE", ""}})));
}

TEST(Config, ReadsItsSize) {
  auto size = [](llvm::StringRef text) {
    return (**read({{"HOME", "/h"}, {"DRAWLOOM_CACHE_SIZE", text.str()}}))
        .limit;
  };
  EXPECT_EQ((**read({{"HOME", "/h"}})).limit, 1u << 30);
  EXPECT_EQ(size("4096"), 4096u);
  EXPECT_EQ(size("3K"), 3072u);
  EXPECT_EQ(size("500M"), 500u << 20);
  EXPECT_EQ(size("8G"), uint64_t(8) << 30);
  for (const char *text : {"large", "-1", "1T", "99999999999999G"})
    EXPECT_EQ(fail({{"HOME", "/h"}, {"DRAWLOOM_CACHE_SIZE", text}}),
              std::string("DRAWLOOM_CACHE_SIZE is a number of bytes such as "
                          "500M or 2G, not '") +
                  text + "' [cache-setting]");
}

TEST(Config, ReadsTheSecretFromAFile) {
  EXPECT_EQ(fail({{"HOME", "/h"}, {"DRAWLOOM_CACHE_SECRET", "/no/such"}}),
            "DRAWLOOM_CACHE_SECRET: cannot read '/no/such': No such file or "
            "directory [cannot-read]");
  llvm::SmallString<128> path;
  int file;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("secret", "", file, path));
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
  os << "too short\n";
  os.flush();
  llvm::StringMap<std::string> variables = {
      {"HOME", "/h"}, {"DRAWLOOM_CACHE_SECRET", path.str().str()}};
  EXPECT_EQ(fail(variables),
            "DRAWLOOM_CACHE_SECRET names '" + path.str().str() +
                "', which has 9 bytes; a secret has at least 16, such as those "
                "of 'openssl rand -hex 32' [cache-setting]");
  os << " no longer\n";
  os.flush();
  EXPECT_EQ((**read(variables)).secret, "too short\n no longer");
  (void)llvm::sys::fs::remove(path);
}

TEST(Config, TakesNoSecretThatOthersCanRead) {
  llvm::SmallString<128> path;
  int file;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("secret", "", file, path));
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream(file, /*shouldClose=*/true)
      << "long enough for a secret";
  llvm::StringMap<std::string> variables = {
      {"HOME", "/h"}, {"DRAWLOOM_CACHE_SECRET", path.str().str()}};
  for (mode_t mode : {0644, 0602}) {
    chmod(path.c_str(), mode);
    EXPECT_EQ(fail(variables),
              "DRAWLOOM_CACHE_SECRET names '" + path.str().str() +
                  "', which every user of this host may read or write, so it "
                  "is no secret; 'chmod o-rw' changes that [cache-setting]");
  }
  chmod(path.c_str(), 0640);
  EXPECT_EQ(fail(variables), "");
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path.c_str(), 12345, 0), 0);
    EXPECT_EQ(fail(variables), "DRAWLOOM_CACHE_SECRET names '" +
                                   path.str().str() +
                                   "', which belongs to user 12345, and this "
                                   "is user 0 [cache-setting]");
  }
}

TEST(Config, MayOnlyReadTheStore) {
  EXPECT_FALSE((**read({{"HOME", "/h"}})).readsStoreOnly);
  EXPECT_TRUE((**read({{"HOME", "/h"}, {"DRAWLOOM_CACHE_READONLY", "1"}}))
                  .readsStoreOnly);
}

TEST(Config, HidesPasswords) {
  EXPECT_EQ(hidePassword("user:word@host:6379"), "***@host:6379");
  EXPECT_EQ(hidePassword(":word@host"), "***@host");
  EXPECT_EQ(hidePassword("https://host/x?token=abc#y"), "https://host/x?***");
  EXPECT_EQ(hidePassword("host?token=abc"), "host?***");
  EXPECT_EQ(hidePassword("redis://a@b?c=d@host/0?token=e"),
            "redis://***@host/0?***");
  EXPECT_EQ(hidePassword("http://h\x1b[31m"), "http://h\\x1b[31m");
  EXPECT_EQ(hidePassword("redis://me:w@rd@host:6379/0"),
            "redis://***@host:6379/0");
  EXPECT_EQ(hidePassword("http://host/folder"), "http://host/folder");
}
