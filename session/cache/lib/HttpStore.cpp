//===- HttpStore.cpp - A folder of a web server as a store ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Curl.h"

using namespace drawloom::cache;

namespace {
class HttpStore : public Store {
public:
  HttpStore(const Curl &curl, llvm::StringRef url, const StoreOptions &options)
      : curl(curl), handle(curl, options), url(url.rtrim('/')) {}

  llvm::Expected<std::optional<std::string>> get(const Key &key) override;
  llvm::Error put(const Key &key, llvm::StringRef entry) override;

private:
  /// The status, and what came with it.
  llvm::Expected<std::pair<long, std::string>> request(const Key &key);

  Curl curl;
  CurlHandle handle;
  std::string url;
};
} // namespace

static size_t take(const char *data, size_t size, size_t count, void *user) {
  auto &body = *static_cast<std::string *>(user);
  // Fewer than there were end the request.
  if (body.size() + size * count > largestEntry)
    return 0;
  body.append(data, size * count);
  return size * count;
}

llvm::Expected<std::pair<long, std::string>>
HttpStore::request(const Key &key) {
  WithoutSigpipe withoutSigpipe;
  std::string address = url + "/" + key.hex(), body;
  handle.set(CURLOPT_URL, address.c_str());
  handle.set(CURLOPT_WRITEFUNCTION, &take);
  handle.set(CURLOPT_WRITEDATA, &body);
  llvm::Error error = handle.perform();
  long status = handle.get<long>(CURLINFO_RESPONSE_CODE);
  handle.reset();
  if (error)
    return error;
  return std::make_pair(status, std::move(body));
}

llvm::Expected<std::optional<std::string>> HttpStore::get(const Key &key) {
  auto answer = request(key);
  if (!answer)
    return answer.takeError();
  auto &[status, body] = *answer;
  if (status == 404)
    return std::nullopt;
  if (status != 200)
    return llvm::createStringError(
        "GET is answered with status %ld [cache-store]", status);
  return std::move(body);
}

llvm::Error HttpStore::put(const Key &key, llvm::StringRef entry) {
  handle.set(CURLOPT_POST, 1L);
  handle.set(CURLOPT_CUSTOMREQUEST, "PUT");
  handle.set(CURLOPT_POSTFIELDS, entry.data());
  handle.set(CURLOPT_POSTFIELDSIZE_LARGE,
             static_cast<curl_off_t>(entry.size()));
  // Servers that don't know "Expect" would cost a second.
  curl_slist *headers = nullptr;
  for (const char *line : {"Content-Type: application/octet-stream", "Expect:"})
    headers = curl.append(headers, line);
  handle.set(CURLOPT_HTTPHEADER, headers);
  auto answer = request(key);
  curl.freeList(headers);
  if (!answer)
    return answer.takeError();
  if (answer->first < 200 || answer->first >= 300)
    return llvm::createStringError(
        "PUT is answered with status %ld [cache-store]", answer->first);
  return llvm::Error::success();
}

std::unique_ptr<Store>
drawloom::cache::makeHttpStore(const Curl &curl, llvm::StringRef url,
                               const StoreOptions &options) {
  return std::make_unique<HttpStore>(curl, url, options);
}
