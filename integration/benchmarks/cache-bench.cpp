//===- cache-bench.cpp - From a program's text to its code ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the text of a program to its cubin in memory, by a call of the library.
// Prints milliseconds on the clock, the median of the rounds:
//
//   cold   an empty folder: compiled, and written to the disk
//   disk   the disk has it
//   store  only the store has it; from there it goes to the disk
//
// Every round opens the cache anew, as each compile through the C API does; the
// connection to the store is kept. The three take turns, so that they see the
// same machine. What a hit gives is compared with what was compiled.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Session/Cached.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
namespace cl = llvm::cl;
using cache::Event;

static cl::OptionCategory category("cache-bench");
static cl::list<std::string>
    inputs(cl::Positional, cl::desc("[program.mlir ...]"), cl::cat(category));
static cl::opt<std::string>
    archName("arch", cl::init("sm_100a"),
             cl::desc("sm_90a or sm_100a (default sm_100a)"),
             cl::cat(category));
static cl::opt<std::string> storeUrl("store",
                                     cl::desc("The URL of a store, for hits "
                                              "there"),
                                     cl::cat(category));
static cl::opt<unsigned> rounds("rounds", cl::init(40),
                                cl::desc("How often (default 40)"),
                                cl::cat(category));
static cl::opt<double>
    limit("limit", cl::init(5),
          cl::desc("Fail if a hit on the disk takes more milliseconds "
                   "(default 5)"),
          cl::cat(category));

namespace {
/// One program, and how long everything took.
class Measurement {
public:
  Measurement(std::string path, std::string text, CompileOptions options,
              std::string folder)
      : path(std::move(path)), text(std::move(text)),
        options(std::move(options)), folder(std::move(folder)) {}

  llvm::Error runRound(unsigned round);
  /// Prints a row; false if it is beyond the limit.
  bool print() const;

private:
  /// Compiles through the cache in a folder, which has to do so by `expected`.
  llvm::Expected<double> measure(const std::string &place,
                                 const std::string &store, Event expected);

  std::string path, text;
  CompileOptions options;
  std::string folder;
  /// What was compiled first.
  std::string ptx;
  std::vector<double> cold, disk, store;
};
} // namespace

llvm::Expected<double> Measurement::measure(const std::string &place,
                                            const std::string &storeOfRound,
                                            Event expected) {
  auto start = std::chrono::steady_clock::now();
  cache::Cache cache({.folder = place, .store = storeOfRound});
  llvm::Expected<CompiledModule> made =
      compileCached(&cache, {text, path}, options);
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - start;
  if (!made)
    return made.takeError();
  cache::Counters &counters = cache.getDisk().getCounters();
  if (counters.get(expected) != 1)
    return llvm::createStringError(path + ": expected one of '" +
                                   describe(expected) + "'");
  counters.reset();
  if (ptx.empty())
    ptx = made->ptx;
  if (made->ptx != ptx || made->cubin.empty())
    return llvm::createStringError(path + ": a hit gives another kernel");
  return time.count();
}

llvm::Error Measurement::runRound(unsigned round) {
  std::string place = folder + "/" + std::to_string(round);
  auto add = [&](std::vector<double> &times, const std::string &url,
                 Event expected) -> llvm::Error {
    llvm::Expected<double> time = measure(place, url, expected);
    if (!time)
      return time.takeError();
    times.push_back(*time);
    return llvm::Error::success();
  };
  if (llvm::Error error = add(cold, "", Event::Made))
    return error;
  if (llvm::Error error = add(disk, "", Event::DiskHit))
    return error;
  if (storeUrl.empty())
    return llvm::Error::success();
  auto empty = [&] { cache::Cache({.folder = place}).getDisk().clear(); };
  if (store.empty()) {
    // The store gets it by a compile with an empty disk.
    empty();
    llvm::Expected<double> filled = measure(place, storeUrl, Event::Made);
    if (!filled)
      return filled.takeError();
  }
  empty();
  return add(store, storeUrl, Event::StoreHit);
}

static double median(std::vector<double> values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool Measurement::print() const {
  bool within = median(disk) <= limit;
  llvm::outs() << llvm::format(
      "%-32s %-8s %8.1f %8.2f", llvm::sys::path::stem(path).str().c_str(),
      options.arch->name.str().c_str(), median(cold), median(disk));
  if (store.empty())
    llvm::outs() << llvm::format(" %8s", "-");
  else
    llvm::outs() << llvm::format(" %8.2f", median(store));
  llvm::outs() << llvm::format("   disk %s %.1f\n", within ? "<=" : ">",
                               limit.getValue());
  return within;
}

static llvm::Expected<bool> run() {
  std::vector<std::string> programs(inputs.begin(), inputs.end());
  if (programs.empty())
    for (llvm::StringRef name :
         {"gemm", "gemm_bias_activation_residual", "attention"})
      programs.push_back((EXAMPLES "/" + name + ".mlir").str());
  llvm::Expected<const target::Architecture *> arch =
      target::findArchitecture(archName);
  if (!arch)
    return arch.takeError();
  llvm::SmallString<128> folder;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("cache-bench", folder))
    return llvm::errorCodeToError(error);
  llvm::scope_exit remove(
      [&] { (void)llvm::sys::fs::remove_directories(folder); });
  llvm::outs() << llvm::format("%-32s %-8s %8s %8s %8s\n", "program", "GPU",
                               "cold", "disk", "store");
  bool within = true;
  for (const std::string &program : programs) {
    auto file = llvm::MemoryBuffer::getFile(program);
    if (!file)
      return llvm::createStringError("cannot read '" + program + "'");
    // The name is a part of the key, so a store has nothing of earlier runs.
    std::string place = (folder + "/" + llvm::sys::path::stem(program)).str();
    Measurement one((folder + "/" + llvm::sys::path::filename(program)).str(),
                    (*file)->getBuffer().str(),
                    {.arch = *arch, .stopAfter = Stage::Cubin}, place);
    for (unsigned i = 0; i < std::max(1u, rounds.getValue()); ++i)
      if (llvm::Error error = one.runRound(i))
        return error;
    within &= one.print();
    llvm::outs().flush();
  }
  return within;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "from a program's text to its code, cached\n");
  llvm::Expected<bool> within = run();
  if (!within) {
    llvm::errs() << "cache-bench: " << llvm::toString(within.takeError())
                 << '\n';
    return 1;
  }
  return *within ? 0 : 1;
}
