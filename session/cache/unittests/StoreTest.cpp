//===- StoreTest.cpp - Stores that answer well, badly and not at all ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Cache/Store.h"
#include "gtest/gtest.h"
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace drawloom::cache;
using namespace std::chrono_literals;

namespace {
/// Sends the answers that it was given, whatever it is asked. An empty answer
/// closes the connection.
class Server {
public:
  explicit Server(std::vector<std::string> answers)
      : answers(std::move(answers)),
        listening(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    EXPECT_EQ(bind(listening, generic, size), 0);
    EXPECT_EQ(listen(listening, 4), 0);
    getsockname(listening, generic, &size);
    port = ntohs(address.sin_port);
    thread = std::thread([this] { serve(); });
  }
  ~Server() {
    shutdown(listening, SHUT_RDWR);
    thread.join();
    close(listening);
  }

  std::string url(llvm::StringRef scheme, llvm::StringRef who = "") const {
    return (scheme + "://" + who + "127.0.0.1:" + llvm::Twine(port)).str();
  }
  /// What it was asked so far, and by how many connections.
  std::string asked;
  std::atomic<unsigned> connections = 0;

private:
  void serve() {
    size_t next = 0;
    while (next != answers.size()) {
      int connection = accept(listening, nullptr, nullptr);
      if (connection < 0)
        return;
      ++connections;
      char buffer[4096];
      while (next != answers.size()) {
        ssize_t count = recv(connection, buffer, sizeof(buffer), 0);
        if (count <= 0)
          break;
        asked.append(buffer, count);
        const std::string &answer = answers[next++];
        if (answer.empty())
          break;
        (void)!send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
      }
      // Who is asked more than he has answers for says nothing.
      if (next == answers.size()) {
        pollfd end = {connection, POLLRDHUP, 0};
        poll(&end, 1, 2000);
      }
      close(connection);
    }
  }

  std::vector<std::string> answers;
  int listening;
  unsigned port = 0;
  std::thread thread;
};
} // namespace

static const Key key = KeyBuilder().add("name", "gemm").finish();

static std::unique_ptr<Store>
openAt(llvm::StringRef url, std::chrono::milliseconds timeout = 200ms) {
  StoreOptions options;
  options.timeout = timeout;
  llvm::Expected<std::unique_ptr<Store>> store = openStore(url, options);
  if (!store) {
    ADD_FAILURE() << llvm::toString(store.takeError());
    return nullptr;
  }
  return std::move(*store);
}

/// What a store has: the entry, "nothing", or the error.
static std::string get(Store &store) {
  llvm::Expected<std::optional<std::string>> entry = store.get(key);
  if (!entry)
    return "error: " + llvm::toString(entry.takeError());
  return entry->value_or("nothing");
}

static std::string put(Store &store) {
  return llvm::toString(store.put(key, "an entry"));
}

TEST(Redis, AsksAndIsAnswered) {
  Server server({"$5\r\nvalue\r\n", "$-1\r\n", "+OK\r\n", "+OK\r\n", "$-1\r\n",
                 ":1\r\n", "$-1\r\n"});
  auto store = openAt(server.url("redis"));
  EXPECT_EQ(get(*store), "value");
  EXPECT_EQ(get(*store), "nothing");
  EXPECT_EQ(put(*store), "");
  EXPECT_TRUE(*store->acquire(key, "me"));
  EXPECT_FALSE(*store->acquire(key, "me"));
  EXPECT_FALSE(bool(store->renew(key, "me")));
  EXPECT_FALSE(bool(store->release(key, "me")));
  std::string name = "drawloom:" + key.hex();
  EXPECT_TRUE(llvm::StringRef(server.asked)
                  .starts_with("*2\r\n$3\r\nGET\r\n$73\r\n" + name + "\r\n"));
  EXPECT_NE(server.asked.find("$2\r\nNX\r\n$2\r\nPX\r\n$4\r\n5000\r\n"),
            std::string::npos);
}

TEST(Redis, SaysWhoItIsAndWhichDatabase) {
  Server server({"+OK\r\n", "+OK\r\n", "$-1\r\n"});
  auto store = openAt(server.url("redis", "me:p%40ss@") + "/3");
  EXPECT_EQ(get(*store), "nothing");
  EXPECT_TRUE(llvm::StringRef(server.asked)
                  .starts_with("*3\r\n$4\r\nAUTH\r\n$2\r\nme\r\n$4\r\np@ss\r\n"
                               "*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n"));
}

TEST(Redis, GivesWhatTheServerRejectsAsAnError) {
  Server server({"-WRONGPASS no\r\n"});
  auto store = openAt(server.url("redis", ":word@"));
  EXPECT_EQ(get(*store), "error: WRONGPASS no [cache-store]");
  Server full({"-OOM command not allowed\r\n"});
  EXPECT_EQ(put(*openAt(full.url("redis"))),
            "OOM command not allowed [cache-store]");
}

TEST(Redis, DoesNotTakeRubbish) {
  for (const char *answer :
       {"HTTP/1.1 400 Bad Request\r\n\r\n", "$x\r\n", ":5\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1"
        "\r\n*1\r\n*1\r\n*1\r\n$1\r\na\r\n"}) {
    Server server({answer});
    EXPECT_TRUE(llvm::StringRef(get(*openAt(server.url("redis"))))
                    .starts_with("error: "))
        << answer;
  }
}

TEST(Redis, SaysWhatIsWrong) {
  auto fail = [](const char *answer) {
    // One that is empty closes the connection if there is another.
    Server server({answer, ":5\r\n"});
    return get(*openAt(server.url("redis")));
  };
  EXPECT_EQ(fail(":5\r\n"),
            "error: GET is answered with no string [cache-store]");
  EXPECT_EQ(fail("$5\r\nval"), "error: no answer in time [cache-store]");
  EXPECT_EQ(fail(""), "error: the connection was closed [cache-store]");
  EXPECT_EQ(fail("HTTP/1.1 400\r\n").find("error: no answer of Redis's: "), 0u);
}

TEST(Redis, TakesNoMoreThanTheLargestEntry) {
  std::string entry(largestEntry + 1, 'x');
  Server server({"$" + std::to_string(entry.size()) + "\r\n" + entry});
  EXPECT_EQ(get(*openAt(server.url("redis"), 20s)),
            "error: the answer has more bytes than any entry: 67108864 "
            "[cache-store]");
  Server none({});
  EXPECT_EQ(llvm::toString(openAt(none.url("redis"))->put(key, entry)),
            "the command has 67108941 bytes, more than any entry: 67108864 "
            "[cache-store]");
}

TEST(Redis, GivesUpInTime) {
  // Nothing, half an answer, and one that promises more than ever comes.
  for (const char *answer : {"", "$5\r\nval", "$2000000000\r\nval"}) {
    Server server({answer, "$", ""});
    auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(llvm::StringRef(get(*openAt(server.url("redis"))))
                    .starts_with("error: "))
        << answer;
    EXPECT_LT(std::chrono::steady_clock::now() - start, 1s);
  }
}

TEST(Redis, ConnectsAgainIfTheServerHasLeft) {
  Server server({"$-1\r\n", "", "$5\r\nvalue\r\n"});
  auto store = openAt(server.url("redis"));
  EXPECT_EQ(get(*store), "nothing");
  EXPECT_EQ(get(*store), "value");
}

TEST(Http, AsksAndIsAnswered) {
  Server server({"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalue",
                 "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno",
                 "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"});
  auto store = openAt(server.url("http") + "/folder/");
  EXPECT_EQ(get(*store), "value");
  EXPECT_EQ(get(*store), "nothing");
  EXPECT_EQ(put(*store), "");
  EXPECT_FALSE(store->hasLeases());
  EXPECT_TRUE(llvm::StringRef(server.asked)
                  .starts_with("GET /folder/" + key.hex() + " HTTP/1.1\r\n"));
  EXPECT_NE(server.asked.find("PUT /folder/" + key.hex() + " HTTP/1.1\r\n"),
            std::string::npos);
}

TEST(Http, GivesOtherAnswersAsErrors) {
  Server server({"HTTP/1.1 302 Found\r\nLocation: "
                 "http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
                 "HTTP/1.1 507 Insufficient Storage\r\nContent-Length: "
                 "0\r\n\r\n"});
  auto store = openAt(server.url("http"));
  EXPECT_EQ(get(*store),
            "error: GET is answered with status 302 [cache-store]");
  EXPECT_EQ(put(*store), "PUT is answered with status 507 [cache-store]");
}

TEST(Http, TakesNoMoreThanTheLargestEntry) {
  std::string entry(largestEntry + 1, 'x');
  Server server({"HTTP/1.1 200 OK\r\nContent-Length: " +
                 std::to_string(entry.size()) + "\r\n\r\n" + entry});
  EXPECT_TRUE(llvm::StringRef(get(*openAt(server.url("http"), 20s)))
                  .starts_with("error: "));
}

TEST(Http, GivesUpInTime) {
  Server server({"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nvalue"});
  auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(
      llvm::StringRef(get(*openAt(server.url("http")))).starts_with("error: "));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1s);
}

TEST(Store, RejectsOtherAddresses) {
  auto fail = [](llvm::StringRef url) {
    auto store = openStore(url, {});
    return store ? "" : llvm::toString(store.takeError());
  };
  EXPECT_EQ(fail("ftp://host"),
            "the URL of a store begins with redis://, rediss://, http:// or "
            "https:// [cache-setting]");
  for (const char *url : {"redis://", "redis://host/data", "redis://:@host",
                          "redis://%4@host", "redis://%zz:word@host"})
    EXPECT_EQ(fail(url),
              "the URL of a Redis server is "
              "redis://[[USER:]PASSWORD@]HOST[:PORT][/DATABASE] [cache-store]")
        << url;
}

static std::unique_ptr<Store> take(llvm::StringRef url,
                                   const StoreOptions &options) {
  return llvm::cantFail(takeStore(url, options));
}

TEST(Store, KeepsItsConnectionForTheNext) {
  Server server({"$1\r\na\r\n", "$1\r\nb\r\n", "$1\r\nc\r\n"});
  std::string url = server.url("redis");
  StoreOptions options;
  auto store = take(url, options);
  Store *first = store.get();
  EXPECT_EQ(get(*store), "a");
  releaseStore(url, options, std::move(store));

  // Others are for who asks for them.
  StoreOptions patient;
  patient.timeout = 900ms;
  EXPECT_NE(take(url, patient).get(), first);
  EXPECT_NE(take(server.url("http"), options).get(), first);
  pid_t child = fork();
  if (child == 0)
    _exit(take(url, options).get() == first);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);

  std::thread([&] { store = take(url, options); }).join();
  EXPECT_EQ(store.get(), first);
  EXPECT_EQ(get(*store), "b");
  EXPECT_NE(take(url, options).get(), first);
  EXPECT_EQ(get(*store), "c");
  EXPECT_EQ(server.connections, 1u);
}

TEST(Store, ConnectsAgainIfWhatWasKeptHasEnded) {
  Server server({"$1\r\na\r\n", "", "$1\r\nb\r\n"});
  std::string url = server.url("redis");
  StoreOptions options;
  auto store = take(url, options);
  EXPECT_EQ(get(*store), "a");
  releaseStore(url, options, std::move(store));
  store = take(url, options);
  EXPECT_EQ(get(*store), "b");
  EXPECT_EQ(server.connections, 2u);
}

//===----------------------------------------------------------------------===//
// Answers that don't end
//===----------------------------------------------------------------------===//

/// How long it takes to be rejected an answer.
static std::chrono::milliseconds waitFor(std::vector<std::string> answers,
                                         std::string &why) {
  Server server(std::move(answers));
  auto store = openAt(server.url("redis"), 300ms);
  auto start = std::chrono::steady_clock::now();
  why = get(*store);
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
}

TEST(Redis, ALargeArrayIsNotWaitedFor) {
  std::string why;
  EXPECT_LT(waitFor({"*500000000\r\n"}, why), 600ms);
  EXPECT_EQ(why, "error: the answer is an array [cache-store]");
}

TEST(Redis, ALongStringIsNotWaitedFor) {
  std::string why;
  EXPECT_LT(waitFor({"$9223372036854775807\r\nabc"}, why), 600ms);
  EXPECT_EQ(why.substr(0, 6), "error:");
  EXPECT_LT(waitFor({"$100000\r\nabc"}, why), 600ms);
  EXPECT_EQ(why, "error: no answer in time [cache-store]");
}

TEST(Redis, WordsOfTheServerAreNoCommandsToATerminal) {
  std::string why;
  waitFor({"-ERR \x1b[2J\x1b]0;x\x07 \xff\r\n"}, why);
  EXPECT_EQ(why, "error: ERR \\x1b[2J\\x1b]0;x\\x07 \\xff [cache-store]");
}

namespace {
/// Sends one byte after the other, for as long as a client listens.
class DrippingServer {
public:
  DrippingServer() : listening(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    EXPECT_EQ(bind(listening, generic, size), 0);
    EXPECT_EQ(listen(listening, 4), 0);
    getsockname(listening, generic, &size);
    port = ntohs(address.sin_port);
    thread = std::thread([this] {
      int connection = accept(listening, nullptr, nullptr);
      std::string start = "$60000000\r\n";
      (void)!send(connection, start.data(), start.size(), MSG_NOSIGNAL);
      while (!ends && send(connection, "x", 1, MSG_NOSIGNAL) == 1)
        std::this_thread::sleep_for(5ms);
      close(connection);
    });
  }
  ~DrippingServer() {
    ends = true;
    shutdown(listening, SHUT_RDWR);
    thread.join();
    close(listening);
  }

  unsigned port = 0;

private:
  std::atomic<bool> ends = false;
  int listening;
  std::thread thread;
};
} // namespace

TEST(Redis, AnAnswerThatDripsIsLeft) {
  DrippingServer server;
  auto store =
      openAt("redis://127.0.0.1:" + std::to_string(server.port), 300ms);
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(get(*store).substr(0, 6), "error:");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 600ms);
}

TEST(Redis, ItsTimeIsThatOfAllThatACommandNeeds) {
  // Who we are is answered late, and then nothing is.
  Server server({"+OK\r\n"});
  auto store = openAt(server.url("redis", "me:word@"), 300ms);
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(get(*store), "error: no answer in time [cache-store]");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 550ms);
}
