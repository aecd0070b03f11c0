//===- Cache.h - Values that are made once ----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A value that takes long to make and depends on nothing but its key is made
// once and kept: on the disk, and behind it in a store that many hosts share.
//
//   disk ──hit──► value
//    │ miss: lock the key, so that one process of the host goes on
//   store ──hit──► disk, value
//    │ miss: take the lease of the key, so that one host goes on
//   make ──► disk, store, value
//
// Neither the disk nor the store is trusted: what they give is opened (Entry.h)
// and handed to the caller, who may reject it as well. Neither can fail: in the
// end the value is made. A client waits for another for a time only.
// What a user should know of a folder or a store, that one isn't used or isn't
// signed, is a warning for the caller to pass on.

#ifndef DRAWLOOM_CACHE_CACHE_H
#define DRAWLOOM_CACHE_CACHE_H

#include "drawloom/Cache/Disk.h"
#include "drawloom/Cache/Store.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace drawloom::cache {

struct Config {
  std::string folder = "";
  /// Bytes on the disk.
  uint64_t limit = uint64_t(1) << 30;
  /// Of those who may write entries; empty if all may.
  std::string secret = "";
  /// A URL; empty for none.
  std::string store = "";
  StoreOptions storeOptions = {};
  /// Only takes from the store, and puts nothing there.
  bool readsStoreOnly = false;
  /// How long to wait for another process that makes the value.
  std::chrono::milliseconds patience{30'000};

  using Environment =
      llvm::function_ref<std::optional<std::string>(llvm::StringRef name)>;

  /// What the variables say; docs/Cache.md has them. Nothing if the cache is
  /// off or has no place.
  static llvm::Expected<std::optional<Config>> read(Environment environment);
  /// The same, of this process.
  static llvm::Expected<std::optional<Config>> fromEnvironment();
};

/// A URL without what only its owner should know, for people: its password, and
/// the values of its query.
std::string hidePassword(llvm::StringRef url);

class Cache {
public:
  explicit Cache(Config config);
  ~Cache();

  /// Hands the value of `key` to `take`, which may reject it: then it counts as
  /// missing. If there is none, calls `make`, which gives the value to keep. An
  /// error is one of `make`.
  llvm::Error get(const Key &key,
                  llvm::function_ref<bool(llvm::StringRef)> take,
                  llvm::function_ref<llvm::Expected<std::string>()> make);

  /// What was noticed since, for the user.
  std::vector<std::string> takeWarnings() { return std::move(warnings); }

  const Config &getConfig() const { return config; }
  Disk &getDisk() { return disk; }
  /// The store, which is opened when it is first wanted; null if there is none.
  llvm::Expected<Store *> getStore();

private:
  class Lease;
  /// What the store has: nothing, something that is no value, or no answer.
  enum class Found { Value, Nothing, Useless, NoAnswer };

  Found ask(const Key &key, llvm::function_ref<bool(llvm::StringRef)> take);
  /// If there is nothing, waits for who makes it, or gets the lease of the key.
  Found askOrLease(const Key &key,
                   llvm::function_ref<bool(llvm::StringRef)> take,
                   std::optional<Lease> &lease);

  Config config;
  Disk disk;
  std::unique_ptr<Store> store;
  std::unique_ptr<class Breaker> breaker;
  std::vector<std::string> warnings;
  bool saidUnsigned = false;
};

} // namespace drawloom::cache

#endif // DRAWLOOM_CACHE_CACHE_H
