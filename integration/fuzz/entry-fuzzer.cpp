//===- entry-fuzzer.cpp - Entries of a cache, mutated ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes are opened as an entry of the key that they name: the value is that of
// an entry which was sealed so, or there is none. The same bytes as a value are
// what an entry of them gives, and nothing is once a byte of it is another one,
// it is cut, or it was sealed without the secret.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Cache/Entry.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::cache;

static constexpr llvm::StringLiteral secret = "a secret of the fuzzer";

static void require(bool holds) {
  if (!holds)
    abort();
}

static std::optional<std::string> tryOpen(llvm::StringRef entry, const Key &key,
                                          llvm::StringRef with) {
  llvm::Expected<llvm::StringRef> value = open(entry, key, with);
  if (value)
    return value->str();
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  Key key;
  for (auto [number, byte] : llvm::enumerate(bytes.substr(8, 32)))
    key.bytes[number] = static_cast<uint8_t>(byte);
  if (auto value = tryOpen(bytes, key, secret))
    require(seal(key, *value, secret) == bytes);
  // Who has no secret doesn't look at the code.
  if (auto value = tryOpen(bytes, key, "")) {
    std::string again = seal(key, *value, "");
    require(bytes.take_front(72) == again.substr(0, 72) &&
            bytes.drop_front(104) == again.substr(104));
  }

  std::string entry = seal(key, bytes, secret);
  require(tryOpen(entry, key, secret) == bytes);
  require(!tryOpen(seal(key, bytes, ""), key, secret));
  size_t place = llvm::hash_value(bytes) % entry.size();
  require(!tryOpen(llvm::StringRef(entry).take_front(place), key, secret));
  entry[place] ^= 1 << (size % 8);
  require(!tryOpen(entry, key, secret));
  return 0;
}
