//===- Store.cpp - Entries that many hosts share --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Cache/Store.h"
#include "Curl.h"
#include <atomic>
#include <unistd.h>

using namespace drawloom::cache;

namespace {
/// A store that is not in use at the moment.
struct IdleStore {
  std::string url;
  StoreOptions options;
  pid_t owner;
  std::unique_ptr<Store> store;

  IdleStore(llvm::StringRef url, const StoreOptions &options,
            std::unique_ptr<Store> store)
      : url(url), options(options), owner(getpid()), store(std::move(store)) {}
  IdleStore(const IdleStore &) = delete;
  IdleStore &operator=(const IdleStore &) = delete;
  ~IdleStore() {
    // The end of a connection of TLS is a message, which the parent's would
    // get: a child forgets it.
    if (owner != getpid())
      (void)store.release();
  }
};
} // namespace

/// Callers of the C API have nothing from one compile to the next that could
/// keep a connection, so the process does. A thread that takes one has it
/// alone; no lock is held, so none is held while another thread forks.
static std::array<std::atomic<IdleStore *>, 8> idle;

llvm::Expected<bool> Store::acquire(const Key &, llvm::StringRef) {
  return true;
}

llvm::Error Store::renew(const Key &, llvm::StringRef) {
  return llvm::Error::success();
}

llvm::Error Store::release(const Key &, llvm::StringRef) {
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Store>>
drawloom::cache::openStore(llvm::StringRef url, const StoreOptions &options) {
  llvm::StringRef scheme = url.split("://").first;
  bool isHttp = scheme == "http" || scheme == "https";
  if (!isHttp && scheme != "redis" && scheme != "rediss")
    return llvm::createStringError(
        "the URL of a store begins with redis://, "
        "rediss://, http:// or https:// [cache-setting]");
  llvm::Expected<Curl> curl = Curl::load();
  if (!curl)
    return curl.takeError();
  if (isHttp)
    return makeHttpStore(*curl, url, options);
  return makeRedisStore(*curl, url, options);
}

llvm::Expected<std::unique_ptr<Store>>
drawloom::cache::takeStore(llvm::StringRef url, const StoreOptions &options) {
  for (std::atomic<IdleStore *> &slot : idle) {
    std::unique_ptr<IdleStore> found(slot.exchange(nullptr));
    if (!found || found->owner != getpid())
      continue;
    if (found->url == url && found->options == options)
      return std::move(found->store);
    found.reset(slot.exchange(found.release()));
  }
  return openStore(url, options);
}

void drawloom::cache::releaseStore(llvm::StringRef url,
                                   const StoreOptions &options,
                                   std::unique_ptr<Store> store) {
  auto given = std::make_unique<IdleStore>(url, options, std::move(store));
  for (std::atomic<IdleStore *> &slot : idle) {
    IdleStore *none = nullptr;
    if (slot.compare_exchange_strong(none, given.get())) {
      (void)given.release();
      return;
    }
  }
  given.reset(idle.front().exchange(given.release()));
}
