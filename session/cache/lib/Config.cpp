//===- Config.cpp - Where a cache is, and how large -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Cache/Cache.h"
#include "drawloom/Input/Printable.h"
#include "drawloom/Input/Read.h"
#include "llvm/Support/Process.h"
#include <sys/stat.h>
#include <unistd.h>

using namespace drawloom;
using namespace drawloom::cache;

/// Fewer bytes can be guessed.
static constexpr size_t shortestSecret = 16;
/// More is another file.
static constexpr size_t longestSecret = 65536;

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
  auto reject = [&](const llvm::Twine &why) {
    return llvm::createStringError("DRAWLOOM_CACHE_SECRET names '" +
                                   input::makePrintable(path) + "', which " +
                                   why + " [cache-setting]");
  };
  auto file = input::readText(path, longestSecret);
  if (!file)
    return llvm::createStringError("DRAWLOOM_CACHE_SECRET: " +
                                   llvm::toString(file.takeError()));
  struct stat status;
  if (stat(path.c_str(), &status) != 0 ||
      (status.st_mode & (S_IROTH | S_IWOTH)))
    return reject("every user of this host may read or write, so it is no "
                  "secret; 'chmod o-rw' changes that");
  if (status.st_uid != geteuid() && status.st_uid != 0)
    return reject("belongs to user " + llvm::Twine(status.st_uid) +
                  ", and this is user " + llvm::Twine(geteuid()));
  std::string secret = (*file)->getBuffer().rtrim().str();
  if (secret.size() < shortestSecret)
    return reject("has " + llvm::Twine(secret.size()) +
                  " bytes; a secret has at least " +
                  llvm::Twine(shortestSecret) +
                  ", such as those of 'openssl rand -hex 32'");
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
          text + "' [cache-setting]");
    config.limit = *size;
  }
  if (std::string path = get("DRAWLOOM_CACHE_SECRET"); !path.empty()) {
    llvm::Expected<std::string> secret = readSecret(path);
    if (!secret)
      return secret.takeError();
    config.secret = *secret;
  }
  config.store = get("DRAWLOOM_CACHE_STORE");
  config.readsStoreOnly = !get("DRAWLOOM_CACHE_READONLY").empty();
  config.storeOptions.authorities = get("DRAWLOOM_CACHE_AUTHORITIES");
  return config;
}

llvm::Expected<std::optional<Config>> Config::fromEnvironment() {
  return read(llvm::sys::Process::GetEnv);
}

std::string drawloom::cache::hidePassword(llvm::StringRef url) {
  // It may have no scheme, and be wrong in any other way.
  std::string scheme;
  if (size_t end = url.find("://"); end != llvm::StringRef::npos) {
    scheme = url.take_front(end + 3).str();
    url = url.drop_front(end + 3);
  }
  std::string shown = scheme;
  if (size_t at = url.rfind('@'); at != llvm::StringRef::npos) {
    shown += "***";
    url = url.drop_front(at);
  }
  size_t query = url.find_first_of("?#");
  shown += url.take_front(query);
  if (query != llvm::StringRef::npos)
    shown += "?***";
  return input::makePrintable(shown);
}
