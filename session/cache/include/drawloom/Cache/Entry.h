//===- Entry.h - What a cache keeps, and how it is believed -----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An entry is a value with the key that it belongs to, as bytes that may lie on
// a disk or in a store that others write to:
//
//   magic 8 │ key 32 │ checksum 32 │ code 32 │ value
//
// The checksum is BLAKE3 of the magic, the key and the value, so an entry that
// is cut, damaged or was stored under another key is not opened. The code is
// the HMAC-SHA256 of the checksum with a secret, or zeros if there is none:
// a process with the secret opens only entries that were sealed with it.

#ifndef DRAWLOOM_CACHE_ENTRY_H
#define DRAWLOOM_CACHE_ENTRY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace drawloom::cache {

/// The name of a value: a hash of everything that it depends on.
struct Key {
  std::array<uint8_t, 32> bytes = {};

  /// 64 digits.
  std::string hex() const;
  /// What hex() gives, and nothing else.
  static std::optional<Key> parse(llvm::StringRef hex);

  friend bool operator==(const Key &, const Key &) = default;
};

/// Makes a key of named parts. Two lists of parts have the same key only if
/// they are the same list.
class KeyBuilder {
public:
  KeyBuilder &add(llvm::StringRef name, llvm::StringRef value);
  Key finish();

private:
  llvm::BLAKE3 hash;
};

/// A value as an entry. Without a secret it is empty.
std::string seal(const Key &key, llvm::StringRef value, llvm::StringRef secret);

/// The value of an entry, which points into it. The error says what is wrong.
llvm::Expected<llvm::StringRef> open(llvm::StringRef entry, const Key &key,
                                     llvm::StringRef secret);

} // namespace drawloom::cache

#endif // DRAWLOOM_CACHE_ENTRY_H
