//===- Store.cpp - Entries that many hosts share --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Cache/Store.h"
#include "Curl.h"

using namespace drawloom::cache;

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
    return llvm::createStringError("the URL of a store begins with redis://, "
                                   "rediss://, http:// or https://");
  llvm::Expected<Curl> curl = Curl::load();
  if (!curl)
    return curl.takeError();
  if (isHttp)
    return makeHttpStore(*curl, url, options);
  return makeRedisStore(*curl, url, options);
}
