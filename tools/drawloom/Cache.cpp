//===- Cache.cpp - drawloom cache -----------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Cache/Cache.h"
#include "CommandLine.h"
#include "Verb.h"
#include "drawloom/Input/Suggest.h"
#include "drawloom/Session/Cached.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using cache::Disk;

static void printCacheHelp() {
  llvm::outs()
      << "drawloom cache - show, check or empty the cache of compiled kernels\n"
         "\n"
         "Usage: drawloom cache stats|verify|clear\n"
         "\n"
         "  stats   where it is, how full, how often it helped, and whether "
         "the shared\n"
         "          store answers\n"
         "  verify  read all entries, and name those that are not whole; such "
         "an entry is\n"
         "          never used\n"
         "  clear   remove all entries of this machine, and begin to count "
         "anew\n"
         "\n"
         "'drawloom compile' and 'drawloom run' use it. What the environment "
         "says about it:\n"
         "  DRAWLOOM_NO_CACHE           1: use none\n"
         "  DRAWLOOM_CACHE              a folder, which has it in 'kernels'; "
         "without it,\n"
         "                              $XDG_CACHE_HOME/drawloom or "
         "~/.cache/drawloom\n"
         "  DRAWLOOM_CACHE_SIZE         how large it may get, such as 500M; 1G "
         "without it\n"
         "  DRAWLOOM_CACHE_STORE        a store that hosts share: redis://, "
         "rediss://,\n"
         "                              http:// or https://\n"
         "  DRAWLOOM_CACHE_SECRET       a file: only entries of those who have "
         "it are used\n"
         "  DRAWLOOM_CACHE_READONLY     1: take entries from the store, and "
         "put "
         "none there\n"
         "  DRAWLOOM_CACHE_AUTHORITIES  a file of certificates that the "
         "store's "
         "is checked\n"
         "                              with; without it, the system's\n"
         "\n"
      << exitStatusHelp << "An entry that is not whole is a finding.\n";
}

/// "3.4 MiB"
static std::string describeBytes(uint64_t bytes) {
  if (bytes < 1 << 10)
    return std::to_string(bytes) + " B";
  static constexpr llvm::StringLiteral units[] = {"KiB", "MiB", "GiB", "TiB"};
  double number = bytes / 1024.0;
  unsigned unit = 0;
  for (; number >= 1024 && unit != 3; ++unit)
    number /= 1024;
  return llvm::formatv("{0:f1} {1}", number, units[unit]);
}

static void printRow(llvm::StringRef name, const llvm::Twine &value) {
  llvm::outs() << llvm::left_justify(name, 16) << value << '\n';
}

/// Whether the store answers, and how fast.
static std::string probeStore(cache::Cache &cache) {
  llvm::Expected<cache::Store *> store = cache.getStore();
  if (!store)
    return llvm::toString(store.takeError());
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<std::optional<std::string>> answer = (*store)->get({});
  if (!answer)
    return "does not answer: " + llvm::toString(answer.takeError());
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - start;
  return llvm::formatv("answers in {0:f1} ms, connecting included",
                       time.count());
}

static ExitStatus printStats(cache::Cache &cache) {
  Disk &disk = cache.getDisk();
  uint64_t bytes = 0;
  std::vector<Disk::File> files = disk.list();
  for (const Disk::File &file : files)
    bytes += file.bytes;
  printRow("folder", disk.getFolder());
  printRow("entries", llvm::Twine(files.size()) + ", " + describeBytes(bytes) +
                          " of " + describeBytes(disk.getLimit()));
  for (unsigned event = 0; event != cache::numEvents; ++event)
    printRow(describe(cache::Event(event)),
             llvm::Twine(disk.getCounters().get(cache::Event(event))));
  const cache::Config &config = cache.getConfig();
  printRow("secret",
           config.secret.empty()
               ? "none: every client that can write entries is trusted"
               : "set: only entries of those who have it are used");
  printRow("store", config.store.empty()
                        ? "none"
                        : cache::hidePassword(config.store) +
                              (config.readsStoreOnly ? ", read only" : ""));
  if (!config.store.empty())
    printRow("", probeStore(cache));
  return Clean;
}

static ExitStatus verifyAll(Disk &disk) {
  unsigned damaged = 0;
  std::vector<Disk::File> files = disk.list();
  for (const Disk::File &file : files)
    if (llvm::Error error = disk.verify(file)) {
      llvm::errs() << llvm::toString(std::move(error)) << '\n';
      ++damaged;
    }
  llvm::outs() << files.size() << " entries, " << damaged << " not whole; "
               << disk.countUnfinished() << " unfinished files\n";
  return damaged ? Findings : Clean;
}

ExitStatus drawloom::runCache(llvm::ArrayRef<llvm::StringRef> arguments) {
  auto complain = [](const llvm::Twine &why) {
    return drawloom::complain("cache", why);
  };
  llvm::Expected<CommandLine> line = CommandLine::parse(arguments, {});
  if (!line)
    return complain(llvm::toString(line.takeError()));
  if (line->wantsHelp()) {
    printCacheHelp();
    return Clean;
  }
  if (line->getOperands().size() != 1)
    return complain("expected stats, verify or clear");
  llvm::StringRef word = line->getOperands().front();
  if (word != "stats" && word != "verify" && word != "clear")
    return complain("unknown subcommand '" + word +
                    "'; expected stats, verify or clear" +
                    input::suggest(word, {"stats", "verify", "clear"}));
  llvm::Expected<std::unique_ptr<cache::Cache>> cache = openCache(true);
  if (!cache) {
    llvm::errs() << "drawloom: " << llvm::toString(cache.takeError()) << '\n';
    return Failed;
  }
  if (!*cache) {
    llvm::outs() << "there is no cache: DRAWLOOM_NO_CACHE is set, or neither "
                    "HOME nor DRAWLOOM_CACHE is\n";
    return Clean;
  }
  if (llvm::StringRef rejection = (*cache)->getDisk().getRejection();
      !rejection.empty()) {
    llvm::errs() << "drawloom: there is no cache: " << rejection
                 << " [cache-setting]\n";
    return Failed;
  }
  if (word == "stats")
    return printStats(**cache);
  if (word == "verify")
    return verifyAll((*cache)->getDisk());
  llvm::outs() << (*cache)->getDisk().clear() << " entries removed\n";
  return Clean;
}
