//===- Config.cpp - Where a cache is, and how large -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Cache/Cache.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

using namespace drawloom::cache;

/// Fewer bytes can be guessed.
static constexpr size_t shortestSecret = 16;

/// "500M", "2G", or bytes.
static std::optional<uint64_t> parseSize(llvm::StringRef text) {
  unsigned shift = text.consume_back("G")   ? 30
                   : text.consume_back("M") ? 20
                   : text.consume_back("K") ? 10
                                            : 0;
  uint64_t number;
  if (text.getAsInteger(10, number) || number > (UINT64_MAX >> shift))
    return std::nullopt;
  return number << shift;
}

static llvm::Expected<std::string> readSecret(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::createStringError(
        "DRAWLOOM_CACHE_SECRET names '" + path +
        "', which can't be read: " + file.getError().message());
  std::string secret = (*file)->getBuffer().rtrim().str();
  if (secret.size() < shortestSecret)
    return llvm::createStringError(
        "DRAWLOOM_CACHE_SECRET names '" + path + "', which has " +
        llvm::Twine(secret.size()) + " bytes; a secret has at least " +
        llvm::Twine(shortestSecret) +
        ", such as those of 'openssl rand -hex "
        "32'");
  return secret;
}

llvm::Expected<std::optional<Config>> Config::read(Environment environment) {
  auto get = [&](llvm::StringRef name) {
    return environment(name).value_or("");
  };
  if (!get("DRAWLOOM_NO_CACHE").empty())
    return std::nullopt;
  Config config;
  std::string folder = get("DRAWLOOM_CACHE");
  if (folder.empty())
    if (std::string root = get("XDG_CACHE_HOME"); !root.empty())
      folder = root + "/drawloom";
  if (folder.empty())
    if (std::string home = get("HOME"); !home.empty())
      folder = home + "/.cache/drawloom";
  if (folder.empty())
    return std::nullopt;
  config.folder = folder + "/kernels";

  if (std::string text = get("DRAWLOOM_CACHE_SIZE"); !text.empty()) {
    std::optional<uint64_t> size = parseSize(text);
    if (!size)
      return llvm::createStringError(
          "DRAWLOOM_CACHE_SIZE is a number of bytes such as 500M or 2G, not '" +
          text + "'");
    config.limit = *size;
  }
  if (std::string path = get("DRAWLOOM_CACHE_SECRET"); !path.empty()) {
    llvm::Expected<std::string> secret = readSecret(path);
    if (!secret)
      return secret.takeError();
    config.secret = *secret;
  }
  config.store = get("DRAWLOOM_CACHE_STORE");
  config.storeOptions.authorities = get("DRAWLOOM_CACHE_AUTHORITIES");
  return config;
}

llvm::Expected<std::optional<Config>> Config::fromEnvironment() {
  return read(llvm::sys::Process::GetEnv);
}

std::string drawloom::cache::hidePassword(llvm::StringRef url) {
  auto [scheme, rest] = url.split("://");
  size_t at = rest.rfind('@');
  if (at == llvm::StringRef::npos)
    return url.str();
  return (scheme + "://***" + rest.drop_front(at)).str();
}
