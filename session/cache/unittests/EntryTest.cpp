//===- EntryTest.cpp - Entries that are whole, and others -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Cache/Entry.h"
#include "gtest/gtest.h"

using namespace drawloom::cache;

static Key makeKey(llvm::StringRef name) {
  return KeyBuilder().add("name", name).finish();
}

/// Why it doesn't open; empty if it does.
static std::string reject(llvm::StringRef entry, const Key &key,
                          llvm::StringRef secret = "") {
  llvm::Expected<llvm::StringRef> value = open(entry, key, secret);
  return value ? "" : llvm::toString(value.takeError());
}

static const char *secret = "correct horse battery staple";

TEST(Key, IsTheSameOnlyForTheSameParts) {
  Key key = KeyBuilder().add("a", "bc").add("d", "").finish();
  EXPECT_EQ(key, KeyBuilder().add("a", "bc").add("d", "").finish());
  EXPECT_NE(key, KeyBuilder().add("ab", "c").add("d", "").finish());
  EXPECT_NE(key, KeyBuilder().add("a", "bcd").add("", "").finish());
  EXPECT_NE(key, KeyBuilder().add("d", "").add("a", "bc").finish());
}

TEST(Key, ReadsWhatItWrites) {
  Key key = makeKey("gemm");
  EXPECT_EQ(Key::parse(key.hex()), key);
  EXPECT_EQ(Key::parse(key.hex().substr(1)), std::nullopt);
  EXPECT_EQ(Key::parse(llvm::StringRef(key.hex()).upper()), std::nullopt);
  EXPECT_EQ(Key::parse(std::string(64, 'g')), std::nullopt);
}

TEST(Entry, GivesTheValue) {
  Key key = makeKey("gemm");
  for (llvm::StringRef word : {"", secret})
    for (llvm::StringRef value :
         {llvm::StringRef(""), llvm::StringRef("a\0b", 3)}) {
      std::string entry = seal(key, value, word);
      llvm::Expected<llvm::StringRef> opened = open(entry, key, word);
      ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
      EXPECT_EQ(*opened, value);
    }
}

TEST(Entry, IsNotOpenedIfCut) {
  Key key = makeKey("gemm");
  std::string entry = seal(key, "value", "");
  for (size_t size = 0; size != entry.size(); ++size)
    EXPECT_NE(reject(llvm::StringRef(entry).take_front(size), key), "") << size;
  EXPECT_EQ(reject(llvm::StringRef(entry).take_front(50), key),
            "is no entry of this version [cache-entry]");
  EXPECT_EQ(reject(llvm::StringRef(entry).drop_back(), key),
            "is damaged: its checksum is another one [cache-entry]");
  EXPECT_NE(reject(entry + "x", key), "");
}

TEST(Entry, IsNotOpenedIfAnyBitIsAnother) {
  Key key = makeKey("gemm");
  std::string entry = seal(key, "value", secret);
  for (size_t bit = 0; bit != 8 * entry.size(); ++bit) {
    std::string other = entry;
    other[bit / 8] ^= 1 << bit % 8;
    EXPECT_NE(reject(other, key, secret), "") << bit;
  }
}

TEST(Entry, IsNotOpenedUnderAnotherKey) {
  std::string entry = seal(makeKey("gemm"), "value", "");
  EXPECT_EQ(reject(entry, makeKey("attention")),
            "belongs to another key [cache-entry]");
}

TEST(Entry, NeedsTheSecretWhereThereIsOne) {
  Key key = makeKey("gemm");
  for (llvm::StringRef other : {"", "another secret of 28 letters"})
    EXPECT_EQ(reject(seal(key, "forged", other), key, secret),
              "was not sealed with our secret [cache-entry]");
  // Who has none believes all.
  EXPECT_EQ(reject(seal(key, "value", secret), key), "");
  // Longer than a block of SHA-256.
  std::string large(100, 'x');
  EXPECT_EQ(reject(seal(key, "value", large), key, large), "");
  EXPECT_NE(reject(seal(key, "value", large), key, large + "x"), "");
}
