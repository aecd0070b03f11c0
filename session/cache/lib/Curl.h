//===- Curl.h - libcurl, opened when it is needed ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The functions of libcurl that stores use, found by name in libcurl.so.4,
// whose interface has been the same since 2006. A program that was linked
// against it would load it and some twenty libraries more at every start, and
// would need them on every machine.

#ifndef DRAWLOOM_LIB_CACHE_CURL_H
#define DRAWLOOM_LIB_CACHE_CURL_H

#include "drawloom/Cache/Store.h"
#include <csignal>
#include <curl/curl.h>

namespace drawloom::cache {

struct Curl {
  decltype(&curl_easy_init) init;
  CURLcode (*set)(CURL *, CURLoption, ...);
  CURLcode (*info)(CURL *, CURLINFO, ...);
  decltype(&curl_easy_perform) perform;
  decltype(&curl_easy_cleanup) cleanup;
  decltype(&curl_easy_reset) reset;
  decltype(&curl_easy_send) send;
  decltype(&curl_easy_recv) receive;
  decltype(&curl_easy_strerror) describe;
  decltype(&curl_slist_append) append;
  decltype(&curl_slist_free_all) freeList;

  static llvm::Expected<Curl> load();
};

/// A handle that nothing but our options influences: no proxy of the
/// environment, no redirection, no signal.
class CurlHandle {
public:
  CurlHandle(const Curl &curl, const StoreOptions &options);
  CurlHandle(const CurlHandle &) = delete;
  CurlHandle &operator=(const CurlHandle &) = delete;
  ~CurlHandle() { curl.cleanup(handle); }

  /// Forgets all options but those of every handle; connections stay.
  void reset();
  template <typename Value>
  void set(CURLoption option, Value value) {
    curl.set(handle, option, value);
  }
  template <typename Value>
  Value get(CURLINFO what) const {
    Value value = {};
    curl.info(handle, what, &value);
    return value;
  }
  llvm::Error perform();
  CURL *get() const { return handle; }

private:
  Curl curl;
  StoreOptions options;
  CURL *handle;
};

/// While it lives, a connection that the other side has closed is an error of
/// the call and not the end of the process.
class WithoutSigpipe {
public:
  WithoutSigpipe();
  WithoutSigpipe(const WithoutSigpipe &) = delete;
  WithoutSigpipe &operator=(const WithoutSigpipe &) = delete;
  ~WithoutSigpipe();

private:
  sigset_t before;
  bool wasPending;
};

std::unique_ptr<Store> makeHttpStore(const Curl &curl, llvm::StringRef url,
                                     const StoreOptions &options);
llvm::Expected<std::unique_ptr<Store>>
makeRedisStore(const Curl &curl, llvm::StringRef url,
               const StoreOptions &options);

} // namespace drawloom::cache

#endif // DRAWLOOM_LIB_CACHE_CURL_H
