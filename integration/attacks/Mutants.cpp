//===- Mutants.cpp - Bytes that were right once ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Campaign.h"
#include "Guard.h"
#include "drawloom/Emulator/LaunchFile.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#ifdef DRAWLOOM_HAS_PROTOCOL
#include "drawloom/Protocol/Progress.h"
#endif

using namespace drawloom;
using namespace drawloom::attacks;
using namespace drawloom::emu;

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

Random attacks::randomOf(uint64_t seed, uint64_t number) {
  std::seed_seq sequence = {uint32_t(seed), uint32_t(number),
                            uint32_t(number >> 32)};
  return Random(sequence);
}

/// Numbers at which something may wrap, or end.
static const char *const extremes[] = {"0",
                                       "1",
                                       "-1",
                                       "255",
                                       "256",
                                       "65535",
                                       "65536",
                                       "524288",
                                       "2147483647",
                                       "2147483648",
                                       "4294967295",
                                       "4294967296",
                                       "1099511627776",
                                       "9223372036854775807",
                                       "18446744073709551615",
                                       "18446744073709551600"};

/// Puts another number in the place of one in the text.
static void changeNumber(std::string &text, Random &random) {
  llvm::SmallVector<size_t, 64> starts;
  for (size_t i = 0; i != text.size(); ++i)
    if (llvm::isDigit(text[i]) && (i == 0 || !llvm::isAlnum(text[i - 1])))
      starts.push_back(i);
  if (starts.empty())
    return;
  size_t start = starts[random() % starts.size()], end = start;
  while (end != text.size() && llvm::isDigit(text[end]))
    ++end;
  text.replace(start, end - start, extremes[random() % std::size(extremes)]);
}

/// Changes bytes, whatever they mean.
static void changeBytes(std::string &bytes, Random &random) {
  size_t at = random() % bytes.size();
  size_t length = std::min<size_t>(1 + random() % 16, bytes.size() - at);
  switch (random() % 5) {
  case 0:
    bytes[at] = char(bytes[at] ^ 1 << random() % 8);
    break;
  case 1:
    bytes[at] = char(random());
    break;
  case 2:
    bytes.erase(at, length);
    break;
  case 3:
    bytes.insert(random() % bytes.size(), bytes.substr(at, length));
    break;
  default:
    for (size_t i = at; i != at + length; ++i)
      bytes[i] = random() % 2 ? '\xff' : '\0';
  }
}

/// A statement of PTX or a field of JSON, with what ends it.
static std::pair<size_t, size_t> pickPart(const std::string &text,
                                          Random &random) {
  size_t at = random() % text.size();
  size_t begin = text.find_last_of(";{,", at),
         end = text.find_first_of(";,", at);
  begin = begin == std::string::npos ? 0 : begin + 1;
  end = end == std::string::npos ? text.size() : end + 1;
  return {begin, std::max(begin, end) - begin};
}

/// Changes text so that much of it is still understood.
static void changeText(std::string &text, Random &random) {
  auto [at, length] = pickPart(text, random);
  switch (random() % 8) {
  case 0: // A statement is left out,
    text.erase(at, length);
    return;
  case 1: // or there again elsewhere,
  case 2: {
    std::string part = text.substr(at, length);
    text.insert(pickPart(text, random).first, part);
    return;
  }
  case 3: { // or two change places.
    std::string part = text.substr(at, length);
    text.erase(at, length);
    if (!text.empty())
      text.insert(pickPart(text, random).first, part);
    return;
  }
  case 4:
    return changeBytes(text, random);
  default:
    return changeNumber(text, random);
  }
}

static void mutate(std::string &bytes, Random &random, bool isText) {
  for (unsigned left = 1 + random() % 3; left && !bytes.empty(); --left)
    isText ? changeText(bytes, random) : changeBytes(bytes, random);
}

static std::vector<std::string> readFolder(llvm::StringRef folder) {
  std::vector<std::string> names, contents;
  std::error_code problem;
  for (llvm::sys::fs::directory_iterator file(folder, problem), end;
       !problem && file != end; file.increment(problem))
    names.push_back(file->path());
  llvm::sort(names);
  for (const std::string &name : names)
    if (auto buffer = llvm::MemoryBuffer::getFile(name))
      contents.push_back((*buffer)->getBuffer().str());
  return contents;
}

std::optional<unsigned> attacks::only;

std::atomic<uint64_t> &attacks::arrived() {
  static auto *counter =
      new (mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0)) std::atomic<uint64_t>(0);
  return *counter;
}

bool attacks::inParts(unsigned count, unsigned perPart, unsigned seconds,
                      llvm::StringRef what,
                      llvm::function_ref<Outcome(unsigned)> one) {
  Tally tally;
  arrived() = 0;
  if (only) { // For a debugger.
    llvm::outs() << what << " " << *only << '\n';
    return *only >= count || one(*only) == Outcome::Good;
  }
  auto range = [&](unsigned first, unsigned last) {
    uint64_t kiB = 0;
    Outcome outcome = apart(
        [&] {
          for (unsigned i = first; i != last; ++i)
            if (Outcome found = one(i); found != Outcome::Good)
              return found;
          return Outcome::Good;
        },
        seconds, kiB);
    tally.mostKiB = std::max(tally.mostKiB, kiB);
    return outcome;
  };
  for (unsigned first = 0; first < count; first += perPart) {
    unsigned last = std::min(first + perPart, count);
    if (range(first, last) == Outcome::Good) {
      tally.count += last - first;
      continue;
    }
    for (unsigned i = first; i != last; ++i)
      tally.add((llvm::Twine(what) + " " + llvm::Twine(i)).str(),
                range(i, i + 1));
  }
  llvm::outs() << "attacks: " << tally.str(what) << "; " << arrived().load()
               << " came through\n";
  // What a launch file may ask for is bounded so that this holds.
  constexpr uint64_t most = 2 << 20;
  if (tally.mostKiB > most)
    llvm::outs() << "attacks: more than 2 GiB of memory\n";
  return tally.good() && tally.mostKiB <= most;
}

//===----------------------------------------------------------------------===//
// Fat binaries
//===----------------------------------------------------------------------===//

bool attacks::attackWithFatBinaries(unsigned count, uint64_t seed,
                                    llvm::StringRef corpus,
                                    llvm::StringRef library) {
  std::vector<std::string> originals = readFolder(corpus);
  void *cuda = dlopen(library.str().c_str(), RTLD_NOW);
  if (!cuda || originals.empty()) {
    llvm::errs() << (cuda ? "no fat binaries" : dlerror()) << '\n';
    return false;
  }
  auto find = [&]<typename T>(T *&function, const char *name) {
    function = reinterpret_cast<T *>(dlsym(cuda, name));
  };
  int (*init)(unsigned), (*retain)(void **, int), (*current)(void *),
      (*load)(void **, const void *), (*unload)(void *);
  find(init, "cuInit");
  find(retain, "cuDevicePrimaryCtxRetain");
  find(current, "cuCtxSetCurrent");
  find(load, "cuModuleLoadData");
  find(unload, "cuModuleUnload");
  if (!init || !retain || !current || !load || !unload)
    return false;
  return inParts(count, 500, 300, "fat binaries", [&](unsigned number) {
    static bool prepared = [&] {
      // Rejections are printed, and not read here.
      if (!freopen("/dev/null", "w", stderr))
        abort();
      void *context = nullptr;
      return !init(0) && !retain(&context, 0) && !current(context);
    }();
    if (!prepared)
      return Outcome::Unreported;
    Random random = randomOf(seed, number);
    std::string bytes = originals[random() % originals.size()];
    mutate(bytes, random, false);
    // What the headers say counts most.
    for (unsigned left = random() % 3; left; --left)
      bytes[random() % std::min<size_t>(bytes.size(), 96)] = char(random());
    // At the end of a page that nothing is behind.
    size_t room = (bytes.size() + 4095) / 4096 * 4096;
    auto *memory = static_cast<char *>(mmap(
        nullptr, room + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory == MAP_FAILED || mprotect(memory, room, PROT_READ | PROT_WRITE))
      return Outcome::Crashed;
    char *image = memory + room - bytes.size();
    memcpy(image, bytes.data(), bytes.size());
    void *module = nullptr;
    if (load(&module, image) == 0) {
      ++arrived();
      unload(module);
    }
    munmap(memory, room + 4096);
    return Outcome::Good;
  });
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

#ifdef DRAWLOOM_HAS_PROTOCOL
static void checkStatically(const ptx::Module &module) {
  protocol::ExtractOptions options;
  options.threads = 64;
  options.stateLimit = 200;
  for (const ptx::Function *function : module.functions) {
    if (!function->isEntry || !function->hasBody)
      continue;
    llvm::Expected<protocol::Claims> claims =
        protocol::extract(*function, options);
    if (!claims) {
      llvm::consumeError(claims.takeError());
      continue;
    }
    (void)protocol::fit(*claims);
    if (!claims->barriers.empty())
      (void)protocol::proveProgress(*claims, {200, 2000});
  }
}
#endif

/// Runs what parses, by a launch file that is a mutant as well.
static Outcome runMutant(std::unique_ptr<ptx::Module> module,
                         std::string launchText, Random &random) {
  if (random() % 2)
    mutate(launchText, random, true);
  auto file = parseLaunchFile(launchText, "/nonexistent", "/nonexistent");
  if (!file) {
    llvm::consumeError(file.takeError());
    file = llvm::cantFail(
        parseLaunchFile(R"({"grid": [2], "block": [64], "sms": 1})", "", ""));
  }
  const DeviceModel *known = nullptr;
  for (const DeviceModel &model : deviceModels())
    if (!known && ptx::provides(model.target, module->target))
      known = &model;
  if (!known)
    return Outcome::Good;
  DeviceModel model = *known;
  model.memoryBytes = uint64_t(4) << 30;
  model.smCount = std::min(file->smCount.value_or(1), 4u);
  Watch watch;
  auto device = llvm::cantFail(Device::create(model));
  auto loaded = device->load(std::move(module));
  if (!loaded) {
    llvm::consumeError(loaded.takeError());
    return Outcome::Good;
  }
  RunOptions options = file->options;
  options.stepLimit = std::min<uint64_t>(options.stepLimit, 20000);
  options.threads = 1;
  auto attempt = [&](const Launch &launch) {
    if (!checkLaunch(model, launch))
      arrived() += run(*device, launch, options).ok();
  };
  if (auto prepared = PreparedLaunch::create(*file, *device, **loaded)) {
    attempt(prepared->launch());
  } else {
    llvm::consumeError(prepared.takeError());
    // With pointers for parameters, so that kernels get somewhere.
    uint64_t memory = llvm::cantFail(device->memory().allocate(1 << 16));
    for (const ptx::Function *function : (*loaded)->ptx().functions) {
      if (!function->isEntry || !function->hasBody)
        continue;
      auto kernel = (*loaded)->kernel(function->name);
      if (!kernel) {
        llvm::consumeError(kernel.takeError());
        continue;
      }
      Launch launch;
      launch.kernel = *kernel;
      launch.block = (*kernel)->requiredBlock.value_or(Dim3{64});
      launch.cluster = (*kernel)->requiredCluster.value_or(Dim3{1});
      launch.grid = launch.cluster;
      launch.parameters.resize((*kernel)->parameterBytes);
      for (size_t at = 0; at + 8 <= launch.parameters.size(); at += 8)
        memcpy(&launch.parameters[at], &memory, 8);
      attempt(launch);
    }
  }
  return watch.changed() ? Outcome::Outside : Outcome::Good;
}

bool attacks::attackWithPtx(unsigned parsedCount, unsigned runCount,
                            uint64_t seed,
                            llvm::ArrayRef<std::string> corpora) {
  std::vector<std::string> texts, launches;
  for (const std::string &corpus : corpora)
    for (std::string &text : readFolder(corpus))
      (llvm::StringRef(text).contains(".version") ? texts : launches)
          .push_back(std::move(text));
  llvm::erase_if(launches, [](const std::string &text) {
    return !llvm::StringRef(text).contains("\"grid\"");
  });
  if (texts.empty() || launches.empty()) {
    llvm::errs() << "no PTX and launch files to start from\n";
    return false;
  }
  // The fuzzer's files begin with a byte that says what they are.
  for (std::string &text : launches)
    text.erase(0, text.find('{'));
  auto parse = [&](Random &random) {
    std::string text = texts[random() % texts.size()];
    mutate(text, random, true);
    return ptx::parseModule(
        *llvm::MemoryBuffer::getMemBufferCopy(text, "mutant.ptx"));
  };
  bool good =
      inParts(parsedCount, 200, 300, "parsed PTX", [&](unsigned number) {
        Random random = randomOf(seed, number);
        ptx::ParseResult parsed = parse(random);
        arrived() += bool(parsed);
#ifdef DRAWLOOM_HAS_PROTOCOL
        if (parsed)
          checkStatically(*parsed.module);
#endif
        return Outcome::Good;
      });
  return inParts(runCount, 100, 300, "runs of PTX and launch files",
                 [&](unsigned number) {
                   // Most mutants don't parse: the first of eight that does.
                   Random random = randomOf(seed + 1, number);
                   for (unsigned left = 8; left; --left)
                     if (ptx::ParseResult parsed = parse(random))
                       return runMutant(std::move(parsed.module),
                                        launches[random() % launches.size()],
                                        random);
                   return Outcome::Good;
                 }) &&
         good;
}
