//===- Curl.cpp - libcurl, opened when it is needed -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Curl.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace drawloom::cache;

llvm::Expected<Curl> Curl::load() {
  std::string problem;
  auto library =
      llvm::sys::DynamicLibrary::getPermanentLibrary("libcurl.so.4", &problem);
  if (!library.isValid())
    return llvm::createStringError("a shared store needs libcurl.so.4, which "
                                   "can't be opened: " +
                                   problem + " [cache-store]");
  Curl curl;
  const char *missing = nullptr;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        library.getAddressOfSymbol(name));
    if (!function)
      missing = name;
  };
  find(curl.init, "curl_easy_init");
  find(curl.set, "curl_easy_setopt");
  find(curl.info, "curl_easy_getinfo");
  find(curl.perform, "curl_easy_perform");
  find(curl.cleanup, "curl_easy_cleanup");
  find(curl.reset, "curl_easy_reset");
  find(curl.send, "curl_easy_send");
  find(curl.receive, "curl_easy_recv");
  find(curl.describe, "curl_easy_strerror");
  find(curl.append, "curl_slist_append");
  find(curl.freeList, "curl_slist_free_all");
  if (missing)
    return llvm::createStringError("libcurl.so.4 has no %s [cache-store]",
                                   missing);
  return curl;
}

CurlHandle::CurlHandle(const Curl &curl, const StoreOptions &options)
    : curl(curl), options(options), handle(curl.init()) {
  reset();
}

void CurlHandle::reset() {
  curl.reset(handle);
  long timeout = options.timeout.count();
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PROXY, "");
  set(CURLOPT_CONNECTTIMEOUT_MS, timeout);
  set(CURLOPT_TIMEOUT_MS, timeout);
  if (!options.authorities.empty())
    set(CURLOPT_CAINFO, options.authorities.c_str());
}

llvm::Error CurlHandle::perform() {
  if (CURLcode result = curl.perform(handle))
    return llvm::createStringError(curl.describe(result));
  return llvm::Error::success();
}

WithoutSigpipe::WithoutSigpipe() {
  sigset_t pending, pipe;
  sigpending(&pending);
  wasPending = sigismember(&pending, SIGPIPE);
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
}

WithoutSigpipe::~WithoutSigpipe() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  timespec none = {};
  if (!wasPending)
    while (sigtimedwait(&pipe, nullptr, &none) == SIGPIPE)
      ;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}
