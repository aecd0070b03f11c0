//===- RedisStore.cpp - A Redis server as a store -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// hiredis writes commands and reads answers; libcurl connects, with TLS where
// the URL asks for it. hiredis's own connections have TLS only in versions that
// not every system has.

#include "Curl.h"
#include "drawloom/Input/Printable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <hiredis/hiredis.h>
#include <poll.h>

using namespace drawloom::cache;
using Clock = std::chrono::steady_clock;

namespace {
struct Address {
  /// As libcurl connects to it.
  std::string url;
  std::string user, password, database;
};

using Reply = std::unique_ptr<redisReply, decltype(&freeReplyObject)>;

/// A connection, with who we are said.
class Connection {
public:
  static llvm::Expected<std::unique_ptr<Connection>>
  open(const Curl &curl, const Address &address, const StoreOptions &options,
       Clock::time_point end);

  /// Sends a command and waits for its answer. An error if there is none; what
  /// the server rejects is an answer.
  llvm::Expected<Reply> ask(llvm::ArrayRef<llvm::StringRef> command,
                            Clock::time_point end);

private:
  Connection(const Curl &curl, const StoreOptions &options)
      : curl(curl), handle(curl, options),
        reader(redisReaderCreate(), &redisReaderFree) {}

  llvm::Error wait(short event, Clock::time_point end);
  llvm::Error send(llvm::StringRef bytes, Clock::time_point end);

  Curl curl;
  CurlHandle handle;
  std::unique_ptr<redisReader, decltype(&redisReaderFree)> reader;
};

class RedisStore : public Store {
public:
  RedisStore(const Curl &curl, Address address, const StoreOptions &options)
      : curl(curl), address(std::move(address)), options(options) {}

  llvm::Expected<std::optional<std::string>> get(const Key &key) override;
  llvm::Error put(const Key &key, llvm::StringRef entry) override;
  bool hasLeases() const override { return true; }
  llvm::Expected<bool> acquire(const Key &key, llvm::StringRef holder) override;
  llvm::Error renew(const Key &key, llvm::StringRef holder) override;
  llvm::Error release(const Key &key, llvm::StringRef holder) override;

private:
  llvm::Expected<Reply> ask(llvm::ArrayRef<llvm::StringRef> command);

  Curl curl;
  Address address;
  StoreOptions options;
  std::unique_ptr<Connection> connection;
};
} // namespace

/// `why` may be the server's words.
static llvm::Error fail(const llvm::Twine &why) {
  return llvm::createStringError(
      drawloom::input::makePrintable(
          llvm::StringRef(why.str()).take_front(500)) +
      " [cache-store]");
}

//===----------------------------------------------------------------------===//
// Connections
//===----------------------------------------------------------------------===//

llvm::Error Connection::wait(short event, Clock::time_point end) {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  pollfd socket = {handle.get<curl_socket_t>(CURLINFO_ACTIVESOCKET), event, 0};
  if (left.count() <= 0 || poll(&socket, 1, left.count()) <= 0)
    return fail("no answer in time");
  return llvm::Error::success();
}

llvm::Error Connection::send(llvm::StringRef bytes, Clock::time_point end) {
  while (!bytes.empty()) {
    size_t sent = 0;
    CURLcode result =
        curl.send(handle.get(), bytes.data(), bytes.size(), &sent);
    if (result != CURLE_OK && result != CURLE_AGAIN)
      return fail(curl.describe(result));
    bytes = bytes.drop_front(sent);
    if (result == CURLE_AGAIN)
      if (llvm::Error error = wait(POLLOUT, end))
        return error;
  }
  return llvm::Error::success();
}

llvm::Expected<Reply> Connection::ask(llvm::ArrayRef<llvm::StringRef> command,
                                      Clock::time_point end) {
  std::vector<const char *> words;
  std::vector<size_t> sizes;
  size_t total = 0;
  for (llvm::StringRef word : command) {
    words.push_back(word.data());
    sizes.push_back(word.size());
    total += word.size();
  }
  // No reader would take it from there.
  if (total > largestEntry)
    return fail("the command has " + llvm::Twine(total) +
                " bytes, more than any entry: " + llvm::Twine(largestEntry));
  char *text = nullptr;
  int size =
      redisFormatCommandArgv(&text, words.size(), words.data(), sizes.data());
  if (size < 0)
    llvm::report_bad_alloc_error("no memory for a command of Redis's");
  llvm::scope_exit freeText([&] { redisFreeCommand(text); });
  if (llvm::Error error = send({text, static_cast<size_t>(size)}, end))
    return error;

  std::array<char, 16384> part;
  size_t received = 0;
  while (true) {
    void *reply = nullptr;
    if (redisReaderGetReply(reader.get(), &reply) != REDIS_OK)
      return fail(llvm::Twine("no answer of Redis's: ") + reader->errstr);
    if (reply)
      return Reply(static_cast<redisReply *>(reply), &freeReplyObject);
    size_t count = 0;
    CURLcode result =
        curl.receive(handle.get(), part.data(), part.size(), &count);
    if (result == CURLE_AGAIN) {
      if (llvm::Error error = wait(POLLIN, end))
        return error;
      continue;
    }
    // One that always has more never makes us wait.
    if (Clock::now() >= end)
      return fail("no answer in time");
    if (result != CURLE_OK)
      return fail(curl.describe(result));
    if (count == 0)
      return fail("the connection was closed");
    // No answer that we want is an array, and hiredis makes room for one when
    // it has read its size.
    if (received == 0 && part[0] == '*')
      return fail("the answer is an array");
    received += count;
    if (received > largestEntry)
      return fail("the answer has more bytes than any entry: " +
                  llvm::Twine(largestEntry));
    redisReaderFeed(reader.get(), part.data(), count);
  }
}

llvm::Expected<std::unique_ptr<Connection>>
Connection::open(const Curl &curl, const Address &address,
                 const StoreOptions &options, Clock::time_point end) {
  std::unique_ptr<Connection> result(new Connection(curl, options));
  result->handle.set(CURLOPT_URL, address.url.c_str());
  result->handle.set(CURLOPT_CONNECT_ONLY, 1L);
  result->handle.set(CURLOPT_SSL_ENABLE_ALPN, 0L);
  if (llvm::Error error = result->handle.perform())
    return error;
  std::vector<llvm::SmallVector<llvm::StringRef, 3>> greeting;
  if (!address.password.empty()) {
    auto &words = greeting.emplace_back();
    words.push_back("AUTH");
    if (!address.user.empty())
      words.push_back(address.user);
    words.push_back(address.password);
  }
  if (!address.database.empty())
    greeting.push_back({"SELECT", address.database});
  for (llvm::ArrayRef<llvm::StringRef> command : greeting) {
    llvm::Expected<Reply> reply = result->ask(command, end);
    if (!reply)
      return reply.takeError();
    if ((*reply)->type == REDIS_REPLY_ERROR)
      return fail(llvm::StringRef((*reply)->str, (*reply)->len));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

llvm::Expected<Reply> RedisStore::ask(llvm::ArrayRef<llvm::StringRef> command) {
  WithoutSigpipe withoutSigpipe;
  // Of all of it: connecting, who we are, and the command.
  auto start = Clock::now(), end = start + options.timeout;
  while (true) {
    bool isNew = !connection;
    if (isNew) {
      auto opened = Connection::open(curl, address, options, end);
      if (!opened)
        return opened.takeError();
      connection = std::move(*opened);
    }
    llvm::Expected<Reply> reply = connection->ask(command, end);
    if (!reply) {
      connection = nullptr;
      // One that was idle may have been closed in the meantime.
      if (!isNew && Clock::now() - start < options.timeout / 2) {
        llvm::consumeError(reply.takeError());
        continue;
      }
      return reply.takeError();
    }
    if ((*reply)->type == REDIS_REPLY_ERROR)
      return fail(llvm::StringRef((*reply)->str, (*reply)->len));
    return reply;
  }
}

static std::string nameEntry(const Key &key) { return "drawloom:" + key.hex(); }

static std::string nameLease(const Key &key) {
  return "drawloom:lease:" + key.hex();
}

llvm::Expected<std::optional<std::string>> RedisStore::get(const Key &key) {
  llvm::Expected<Reply> reply = ask({"GET", nameEntry(key)});
  if (!reply)
    return reply.takeError();
  if ((*reply)->type == REDIS_REPLY_NIL)
    return std::nullopt;
  if ((*reply)->type != REDIS_REPLY_STRING)
    return fail("GET is answered with no string");
  return std::string((*reply)->str, (*reply)->len);
}

llvm::Error RedisStore::put(const Key &key, llvm::StringRef entry) {
  return ask({"SET", nameEntry(key), entry}).takeError();
}

llvm::Expected<bool> RedisStore::acquire(const Key &key,
                                         llvm::StringRef holder) {
  llvm::Expected<Reply> reply = ask({"SET", nameLease(key), holder, "NX", "PX",
                                     std::to_string(options.lease.count())});
  if (!reply)
    return reply.takeError();
  return (*reply)->type == REDIS_REPLY_STATUS;
}

llvm::Error RedisStore::renew(const Key &key, llvm::StringRef holder) {
  return ask({"EVAL",
              "if redis.call('get', KEYS[1]) == ARGV[1] then "
              "return redis.call('pexpire', KEYS[1], ARGV[2]) end",
              "1", nameLease(key), holder,
              std::to_string(options.lease.count())})
      .takeError();
}

llvm::Error RedisStore::release(const Key &key, llvm::StringRef holder) {
  return ask({"EVAL",
              "if redis.call('get', KEYS[1]) == ARGV[1] then "
              "return redis.call('del', KEYS[1]) end",
              "1", nameLease(key), holder})
      .takeError();
}

/// "%40" is "@".
static std::optional<std::string> decode(llvm::StringRef text) {
  std::string result;
  while (!text.empty()) {
    char next = text.front();
    text = text.drop_front();
    if (next == '%') {
      uint8_t byte;
      if (text.size() < 2 || text.take_front(2).getAsInteger(16, byte))
        return std::nullopt;
      next = static_cast<char>(byte);
      text = text.drop_front(2);
    }
    result += next;
  }
  return result;
}

llvm::Expected<std::unique_ptr<Store>>
drawloom::cache::makeRedisStore(const Curl &curl, llvm::StringRef url,
                                const StoreOptions &options) {
  auto reject = [] {
    return fail("the URL of a Redis server is "
                "redis://[[USER:]PASSWORD@]HOST[:PORT][/DATABASE]");
  };
  auto [scheme, rest] = url.split("://");
  Address address;
  if (size_t at = rest.rfind('@'); at != llvm::StringRef::npos) {
    llvm::StringRef user, password = rest.take_front(at);
    if (password.contains(':'))
      std::tie(user, password) = password.split(':');
    std::optional<std::string> name = decode(user), word = decode(password);
    if (!name || !word || word->empty())
      return reject();
    address.user = *name;
    address.password = *word;
    rest = rest.drop_front(at + 1);
  }
  auto [host, database] = rest.split('/');
  unsigned number;
  if (host.empty() || (!database.empty() && database.getAsInteger(10, number)))
    return reject();
  address.database = database.str();
  // An address of IPv6 stands in brackets.
  bool hasPort =
      host.rfind(':') != llvm::StringRef::npos && !host.ends_with("]");
  address.url = (llvm::Twine(scheme == "rediss" ? "https://" : "http://") +
                 host + (hasPort ? "" : ":6379"))
                    .str();
  return std::make_unique<RedisStore>(curl, std::move(address), options);
}
