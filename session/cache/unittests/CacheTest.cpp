//===- CacheTest.cpp - Values that are made once --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Cache/Cache.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <atomic>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace drawloom::cache;
using namespace std::chrono_literals;

namespace {
class CacheTest : public testing::Test {
protected:
  CacheTest() {
    (void)llvm::sys::fs::createUniqueDirectory("drawloom-cache", folder);
    config.folder = folder.str().str();
    key = KeyBuilder().add("name", "gemm").finish();
  }
  ~CacheTest() override { (void)llvm::sys::fs::remove_directories(folder); }

  /// What a cache gives, made or not.
  std::string get(Cache &cache, llvm::StringRef value = "value") {
    std::string result;
    llvm::Error error = cache.get(
        key,
        [&](llvm::StringRef taken) {
          result = taken.str();
          return taken != rejected;
        },
        [&]() -> llvm::Expected<std::string> {
          ++made;
          std::this_thread::sleep_for(takes);
          if (fails)
            return llvm::createStringError("can't be made");
          result = value.str();
          return result;
        });
    if (error)
      return llvm::toString(std::move(error));
    return result;
  }

  llvm::SmallString<128> folder;
  Config config;
  Key key;
  llvm::StringRef rejected = "no value";
  std::atomic<unsigned> made = 0;
  std::chrono::milliseconds takes{0};
  bool fails = false;
};
} // namespace

TEST_F(CacheTest, MakesAValueOnce) {
  Cache cache(config);
  EXPECT_EQ(get(cache), "value");
  EXPECT_EQ(get(cache, "another"), "value");
  Cache other(config);
  EXPECT_EQ(get(other, "another"), "value");
  EXPECT_EQ(made, 1u);
  EXPECT_EQ(cache.getDisk().getCounters().get(Event::Made), 1u);
  EXPECT_EQ(cache.getDisk().getCounters().get(Event::DiskHit), 2u);
}

TEST_F(CacheTest, MakesAValueOnceForManyAtATime) {
  takes = 100ms;
  std::vector<std::thread> threads;
  std::atomic<unsigned> right = 0;
  for (unsigned i = 0; i != 8; ++i)
    threads.emplace_back([&] {
      Cache cache(config);
      right += get(cache) == "value";
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 8u);
  EXPECT_EQ(made, 1u);
}

TEST_F(CacheTest, DoesNotWaitForAFailureTwice) {
  fails = true;
  takes = 200ms;
  auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  std::atomic<unsigned> right = 0;
  for (unsigned i = 0; i != 8; ++i)
    threads.emplace_back([&] {
      Cache cache(config);
      right += get(cache) == "can't be made";
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 8u);
  EXPECT_EQ(made, 8u);
  // One, and then all others side by side: 400 ms, where a queue takes 1.6 s.
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1200ms);
}

TEST_F(CacheTest, WaitsForSomeTimeOnly) {
  config.patience = 50ms;
  Cache cache(config);
  KeyLock lock = cache.getDisk().lock(key, 10ms);
  ASSERT_TRUE(lock.isHeld());
  EXPECT_EQ(get(cache), "value");
  EXPECT_EQ(made, 1u);
}

TEST_F(CacheTest, MakesWhatTheCallerRejects) {
  Cache cache(config);
  EXPECT_EQ(get(cache, "no value"), "no value");
  EXPECT_EQ(get(cache), "value");
  EXPECT_EQ(get(cache, "another"), "value");
  EXPECT_EQ(made, 2u);
}

TEST_F(CacheTest, GivesTheErrorAndKeepsNothing) {
  Cache cache(config);
  fails = true;
  EXPECT_EQ(get(cache), "can't be made");
  fails = false;
  EXPECT_EQ(get(cache), "value");
}

TEST_F(CacheTest, MakesItWithoutAStoreThatIsNotThere) {
  // No server listens at port 1.
  for (const char *url : {"redis://127.0.0.1:1", "http://127.0.0.1:1/cache"}) {
    config.store = url;
    Cache cache(config);
    for (unsigned number = 0; number != 6; ++number) {
      key = KeyBuilder().add(url, std::to_string(number)).finish();
      EXPECT_EQ(get(cache), "value");
    }
  }
  Cache cache(config);
  EXPECT_EQ(made, 12u);
  // After a failure it is left alone.
  EXPECT_EQ(cache.getDisk().getCounters().get(Event::StoreFailure), 1u);
}

TEST_F(CacheTest, LeavesASilentStoreAloneForLonger) {
  // It takes connections and says nothing.
  int silent = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto *place = reinterpret_cast<sockaddr *>(&address);
  ASSERT_EQ(bind(silent, place, size), 0);
  ASSERT_EQ(listen(silent, 8), 0);
  ASSERT_EQ(getsockname(silent, place, &size), 0);
  config.store = "redis://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  config.storeOptions.timeout = 100ms;
  Cache cache(config);
  auto ask = [&](const char *name) {
    key = KeyBuilder().add("silent", name).finish();
    EXPECT_EQ(get(cache), "value");
    return cache.getDisk().getCounters().get(Event::StoreFailure);
  };
  EXPECT_EQ(ask("first"), 1u);
  // 250 ms would be enough for one that fails at once; this one took 100 ms.
  std::this_thread::sleep_for(400ms);
  EXPECT_EQ(ask("second"), 1u);
  std::this_thread::sleep_for(900ms);
  EXPECT_EQ(ask("third"), 2u);
  close(silent);
}

TEST_F(CacheTest, MakesItWithoutAFolderThatOthersMayWrite) {
  ASSERT_EQ(chmod(config.folder.c_str(), 0777), 0);
  Cache cache(config);
  EXPECT_EQ(cache.takeWarnings(),
            std::vector<std::string>(
                {"there is no cache: '" + config.folder +
                 "' may be written by others (mode 0777); 'chmod go-w' changes "
                 "that [cache-setting]"}));
  EXPECT_EQ(get(cache), "value");
  EXPECT_EQ(get(cache), "value");
  EXPECT_EQ(made, 2u);
}

namespace {
/// A store in this process: a server that speaks as much of Redis as is needed.
class FakeRedis {
public:
  FakeRedis() : listening(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto *place = reinterpret_cast<sockaddr *>(&address);
    EXPECT_EQ(bind(listening, place, size), 0);
    EXPECT_EQ(listen(listening, 8), 0);
    EXPECT_EQ(getsockname(listening, place, &size), 0);
    url =
        "redis://me:word@127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread = std::thread([this] { serve(); });
  }
  ~FakeRedis() {
    shutdown(listening, SHUT_RDWR);
    // A connection is kept after its cache.
    shutdown(connection, SHUT_RDWR);
    thread.join();
    close(listening);
  }

  std::string url;
  /// What GET is answered with; nothing if it is empty.
  std::string entry;
  std::atomic<unsigned> writes = 0;

private:
  void serve() {
    while ((connection = accept(listening, nullptr, nullptr)) >= 0) {
      std::array<char, 65536> bytes;
      ssize_t count;
      while ((count = recv(connection, bytes.data(), bytes.size(), 0)) > 0) {
        llvm::StringRef command(bytes.data(), count);
        std::string answer = "+OK\r\n";
        if (command.contains("\r\nGET\r\n"))
          answer = entry.empty() ? "$-1\r\n"
                                 : "$" + std::to_string(entry.size()) + "\r\n" +
                                       entry + "\r\n";
        else if (!command.contains("\r\nAUTH\r\n"))
          ++writes;
        (void)!send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
      }
      close(connection);
    }
  }

  int listening;
  std::atomic<int> connection = -1;
  std::thread thread;
};
} // namespace

TEST_F(CacheTest, SaysOnceThatAStoreIsNotSigned) {
  FakeRedis server;
  config.store = server.url;
  {
    Cache cache(config);
    EXPECT_TRUE(cache.takeWarnings().empty());
    EXPECT_EQ(get(cache), "value");
    std::vector<std::string> warnings = cache.takeWarnings();
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings.front(),
              "the store redis://***" +
                  server.url.substr(server.url.find('@')) +
                  " is used without a secret: any client that can write to "
                  "it can supply kernels; DRAWLOOM_CACHE_SECRET names a file "
                  "with one "
                  "(docs/Cache.md)");
    // What the disk has doesn't need the store.
    EXPECT_EQ(get(cache), "value");
    key = KeyBuilder().add("name", "another").finish();
    EXPECT_EQ(get(cache), "value");
    EXPECT_TRUE(cache.takeWarnings().empty());
  }
  config.secret = "a secret of many bytes";
  Cache sealed(config);
  key = KeyBuilder().add("name", "a third").finish();
  EXPECT_EQ(get(sealed), "value");
  EXPECT_TRUE(sealed.takeWarnings().empty());
}

TEST_F(CacheTest, WhoOnlyReadsPutsNothingIntoTheStore) {
  FakeRedis server;
  config.store = server.url;
  config.readsStoreOnly = true;
  config.secret = "a secret of many bytes";
  Cache cache(config);
  EXPECT_EQ(get(cache), "value");
  EXPECT_EQ(server.writes, 0u);
  key = KeyBuilder().add("name", "signed").finish();
  server.entry = seal(key, "taken", config.secret);
  EXPECT_EQ(get(cache), "taken");
  // One that isn't signed is not taken, and not on the disk afterwards.
  key = KeyBuilder().add("name", "forged").finish();
  server.entry = seal(key, "forged", "");
  EXPECT_EQ(get(cache), "value");
  EXPECT_EQ(cache.getDisk().get(key), "value");
  EXPECT_EQ(server.writes, 0u);
}
