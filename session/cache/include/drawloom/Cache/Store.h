//===- Store.h - Entries that many hosts share ------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A store on the network: keys and bytes, nothing more. What comes out of one
// is not believed but opened (Entry.h), and what goes wrong with one costs time
// only. Every call ends within the time-out, and a failure is an answer.
//
//   redis://user:password@host:port/db   and rediss:// over TLS
//   http://host/folder                   and https://; GET and PUT of
//   folder/KEY
//
// libcurl makes the connections, for Redis too. It is opened when the first
// store is: programs without a store neither load nor need it.

#ifndef DRAWLOOM_CACHE_STORE_H
#define DRAWLOOM_CACHE_STORE_H

#include "drawloom/Cache/Entry.h"
#include <chrono>
#include <memory>

namespace drawloom::cache {

struct StoreOptions {
  /// Of one request, with the connection that it may need.
  std::chrono::milliseconds timeout{500};
  /// How long a lease lasts that its holder doesn't renew.
  std::chrono::milliseconds lease{5000};
  /// A file with certificates of authorities; empty for the system's.
  std::string authorities = "";

  friend bool operator==(const StoreOptions &, const StoreOptions &) = default;
};

class Store {
public:
  virtual ~Store() = default;

  /// The entry, or nothing if there is none. An error if the store can't tell.
  virtual llvm::Expected<std::optional<std::string>> get(const Key &key) = 0;
  virtual llvm::Error put(const Key &key, llvm::StringRef entry) = 0;

  /// Whether there are leases. Without them each host makes its own values.
  virtual bool hasLeases() const { return false; }
  /// True if no other holder has the lease of the key; then `holder`, a unique
  /// name, has it.
  virtual llvm::Expected<bool> acquire(const Key &key, llvm::StringRef holder);
  /// Another period for the holder.
  virtual llvm::Error renew(const Key &key, llvm::StringRef holder);
  virtual llvm::Error release(const Key &key, llvm::StringRef holder);
};

/// The largest entry that is taken from a store, in bytes.
constexpr size_t largestEntry = 64 << 20;

/// The store at a URL. It is not asked anything yet; an error is one of the URL
/// or of this machine.
llvm::Expected<std::unique_ptr<Store>> openStore(llvm::StringRef url,
                                                 const StoreOptions &options);

/// The same, or one with the same URL and options that was released: its
/// connection is there already. A process that was forked leaves its parent's
/// alone.
llvm::Expected<std::unique_ptr<Store>> takeStore(llvm::StringRef url,
                                                 const StoreOptions &options);
/// Keeps a store for the next caller that asks for it. Eight are kept, until
/// the process ends.
void releaseStore(llvm::StringRef url, const StoreOptions &options,
                  std::unique_ptr<Store> store);

} // namespace drawloom::cache

#endif // DRAWLOOM_CACHE_STORE_H
