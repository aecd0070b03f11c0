//===- Entry.cpp - What a cache keeps, and how it is believed -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Cache/Entry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SHA256.h"

using namespace drawloom::cache;

using Hash = std::array<uint8_t, 32>;

// The digit at its end is the version of the format.
static constexpr llvm::StringLiteral magic = "DRLMENT1";
static constexpr size_t headerSize = magic.size() + 3 * sizeof(Hash);

static llvm::StringRef toText(llvm::ArrayRef<uint8_t> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::string Key::hex() const { return llvm::toHex(bytes, /*LowerCase=*/true); }

std::optional<Key> Key::parse(llvm::StringRef hex) {
  Key key;
  std::string bytes;
  if (hex.size() != 2 * key.bytes.size() || !llvm::tryGetFromHex(hex, bytes))
    return std::nullopt;
  llvm::copy(bytes, key.bytes.begin());
  if (key.hex() != hex)
    return std::nullopt;
  return key;
}

KeyBuilder &KeyBuilder::add(llvm::StringRef name, llvm::StringRef value) {
  for (llvm::StringRef part : {name, value}) {
    std::array<uint8_t, 8> size;
    llvm::support::endian::write64le(size.data(), part.size());
    hash.update(size);
    hash.update(part);
  }
  return *this;
}

Key KeyBuilder::finish() { return {hash.final<32>()}; }

static Hash computeChecksum(const Key &key, llvm::StringRef value) {
  llvm::BLAKE3 hash;
  hash.update(magic);
  hash.update(key.bytes);
  hash.update(value);
  return hash.final<32>();
}

/// HMAC as RFC 2104 has it, with SHA-256.
static Hash computeCode(const Hash &checksum, llvm::StringRef secret) {
  std::array<uint8_t, 64> block = {};
  Hash hashed;
  llvm::ArrayRef<uint8_t> bytes = llvm::arrayRefFromStringRef(secret);
  if (bytes.size() > block.size()) {
    hashed = llvm::SHA256::hash(bytes);
    bytes = hashed;
  }
  llvm::copy(bytes, block.begin());
  auto update = [&](llvm::SHA256 &hash, uint8_t pad) {
    std::array<uint8_t, 64> padded;
    llvm::transform(block, padded.begin(),
                    [&](uint8_t byte) { return byte ^ pad; });
    hash.update(padded);
  };
  llvm::SHA256 inner, outer;
  update(inner, 0x36);
  inner.update(checksum);
  update(outer, 0x5c);
  outer.update(inner.final());
  return outer.final();
}

std::string drawloom::cache::seal(const Key &key, llvm::StringRef value,
                                  llvm::StringRef secret) {
  Hash checksum = computeChecksum(key, value);
  Hash code = {};
  if (!secret.empty())
    code = computeCode(checksum, secret);
  std::string entry;
  entry.reserve(headerSize + value.size());
  for (llvm::StringRef part : {llvm::StringRef(magic), toText(key.bytes),
                               toText(checksum), toText(code), value})
    entry += part;
  return entry;
}

llvm::Expected<llvm::StringRef> drawloom::cache::open(llvm::StringRef entry,
                                                      const Key &key,
                                                      llvm::StringRef secret) {
  if (entry.size() < headerSize || !entry.consume_front(magic))
    return llvm::createStringError("is no entry of this version [cache-entry]");
  auto take = [&] {
    llvm::StringRef part = entry.take_front(sizeof(Hash));
    entry = entry.drop_front(sizeof(Hash));
    return part;
  };
  if (take() != toText(key.bytes))
    return llvm::createStringError("belongs to another key [cache-entry]");
  Hash checksum = computeChecksum(key, entry.drop_front(2 * sizeof(Hash)));
  if (take() != toText(checksum))
    return llvm::createStringError(
        "is damaged: its checksum is another one [cache-entry]");
  llvm::StringRef code = take();
  if (secret.empty())
    return entry;
  // All bytes are compared, whichever differ: the time tells nothing.
  uint8_t difference = 0;
  for (auto [left, right] : llvm::zip_equal(llvm::arrayRefFromStringRef(code),
                                            computeCode(checksum, secret)))
    difference |= left ^ right;
  if (difference)
    return llvm::createStringError(
        "was not sealed with our secret [cache-entry]");
  return entry;
}
