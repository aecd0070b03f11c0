//===- Cache.cpp - Values that are made once ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Cache/Cache.h"
#include "Breaker.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/RandomNumberGenerator.h"
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace drawloom::cache;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Held by the one host that makes a value.
class Cache::Lease {
public:
  Lease(Store &store, const Key &key, std::string holder, milliseconds period)
      : store(store), key(key), holder(std::move(holder)), period(period) {}
  Lease(const Lease &) = delete;
  Lease &operator=(const Lease &) = delete;
  ~Lease() { llvm::consumeError(store.release(key, holder)); }

  /// Calls `make`, and renews the lease until it returns. Nothing else uses the
  /// store meanwhile.
  llvm::Expected<std::string>
  renewWhile(llvm::function_ref<llvm::Expected<std::string>()> make) {
    std::mutex mutex;
    std::condition_variable wake;
    bool ended = false;
    std::thread renewing([&] {
      std::unique_lock guard(mutex);
      while (!wake.wait_for(guard, period / 4, [&] { return ended; }))
        llvm::consumeError(store.renew(key, holder));
    });
    llvm::Expected<std::string> made = make();
    {
      std::lock_guard guard(mutex);
      ended = true;
    }
    wake.notify_one();
    renewing.join();
    return made;
  }

private:
  Store &store;
  Key key;
  std::string holder;
  milliseconds period;
};

Cache::Cache(Config config)
    : config(std::move(config)),
      disk(this->config.folder, this->config.limit, this->config.secret),
      breaker(std::make_unique<Breaker>(this->config.folder + "/store")) {
  if (!disk.getRejection().empty())
    warnings.push_back("there is no cache: " + disk.getRejection().str() +
                       " [cache-setting]");
}

Cache::~Cache() {
  if (store)
    releaseStore(config.store, config.storeOptions, std::move(store));
}

llvm::Expected<Store *> Cache::getStore() {
  if (!store && !config.store.empty()) {
    auto opened = takeStore(config.store, config.storeOptions);
    if (!opened)
      return opened.takeError();
    store = std::move(*opened);
  }
  return store.get();
}

/// A name that no other process has.
static std::string makeHolder() {
  std::array<uint8_t, 16> bytes;
  (void)llvm::getRandomBytes(bytes.data(), bytes.size());
  return llvm::toHex(bytes);
}

Cache::Found Cache::ask(const Key &key,
                        llvm::function_ref<bool(llvm::StringRef)> take) {
  Counters &counters = disk.getCounters();
  auto start = Clock::now();
  llvm::Expected<std::optional<std::string>> entry = store->get(key);
  if (!entry) {
    llvm::consumeError(entry.takeError());
    counters.add(Event::StoreFailure);
    breaker->fail(
        std::chrono::duration_cast<milliseconds>(Clock::now() - start));
    return Found::NoAnswer;
  }
  breaker->succeed();
  if (!*entry)
    return Found::Nothing;
  llvm::Expected<llvm::StringRef> value = open(**entry, key, config.secret);
  if (!value || !take(*value)) {
    llvm::consumeError(value.takeError());
    counters.add(Event::Rejected);
    return Found::Useless;
  }
  counters.add(Event::StoreHit);
  disk.put(key, *value);
  return Found::Value;
}

Cache::Found Cache::askOrLease(const Key &key,
                               llvm::function_ref<bool(llvm::StringRef)> take,
                               std::optional<Lease> &lease) {
  auto end = Clock::now() + config.patience;
  bool waited = false;
  milliseconds pause(5);
  while (true) {
    Found found = ask(key, take);
    // Without an answer, or with an unusable one, every process makes its own:
    // that is no slower than without a store. A lease is for the one that will
    // put it there.
    if (found != Found::Nothing || !store->hasLeases() ||
        config.readsStoreOnly || Clock::now() >= end)
      return found;
    std::string holder = makeHolder();
    llvm::Expected<bool> acquired = store->acquire(key, holder);
    if (!acquired) {
      llvm::consumeError(acquired.takeError());
      disk.getCounters().add(Event::StoreFailure);
      return found;
    }
    if (*acquired) {
      lease.emplace(*store, key, holder, config.storeOptions.lease);
      // The one that had it before may have put the value in between.
      found = ask(key, take);
      // If not, making it failed there, and may take as long here: no process
      // is to wait for that again.
      if (found != Found::Nothing || waited)
        lease.reset();
      return found;
    }
    waited = true;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, milliseconds(100));
  }
}

llvm::Error Cache::get(const Key &key,
                       llvm::function_ref<bool(llvm::StringRef)> take,
                       llvm::function_ref<llvm::Expected<std::string>()> make) {
  if (!disk.getRejection().empty())
    return make().takeError();
  Counters &counters = disk.getCounters();
  auto takeFromDisk = [&] {
    std::optional<std::string> value = disk.get(key);
    if (!value)
      return false;
    bool taken = take(*value);
    counters.add(taken ? Event::DiskHit : Event::Rejected);
    return taken;
  };
  if (takeFromDisk())
    return llvm::Error::success();
  KeyLock lock = disk.lock(key, config.patience);
  if (lock.hasWaited()) {
    if (takeFromDisk())
      return llvm::Error::success();
    // The one that had the lock could not make it, or not keep it. It may take
    // as long here: no process is to wait for that again.
    lock.release();
  }

  std::optional<Lease> lease;
  Found found = Found::NoAnswer;
  if (!config.store.empty() && breaker->isClosed()) {
    llvm::Expected<Store *> opened = getStore();
    if (opened) {
      if (config.secret.empty() && !std::exchange(saidUnsigned, true))
        warnings.push_back(
            "the store " + hidePassword(config.store) +
            " is used without a secret: any client that can write to it "
            "can supply kernels; DRAWLOOM_CACHE_SECRET names a file with one "
            "(docs/Cache.md)");
      found = askOrLease(key, take, lease);
    } else {
      llvm::consumeError(opened.takeError());
      counters.add(Event::StoreFailure);
    }
  }
  if (found == Found::Value)
    return llvm::Error::success();
  llvm::Expected<std::string> made = lease ? lease->renewWhile(make) : make();
  if (!made)
    return made.takeError();
  counters.add(Event::Made);
  disk.put(key, *made);
  if (found != Found::NoAnswer && !config.readsStoreOnly)
    if (llvm::Error error = store->put(key, seal(key, *made, config.secret))) {
      llvm::consumeError(std::move(error));
      counters.add(Event::StoreFailure);
    }
  return llvm::Error::success();
}
