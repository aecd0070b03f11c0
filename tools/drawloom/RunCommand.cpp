//===- RunCommand.cpp - Commands on the emulator --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunCommand.h"
#include "CheckOptions.h"
#include "CommandLine.h"
#include "Orders.h"
#include "drawloom/CUDA/FatBinary.h"
#include "drawloom/Emulator/Device.h"
#include "drawloom/Emulator/Schedule.h"
#include "drawloom/Input/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace drawloom;
using llvm::StringRef;
using Elf = llvm::object::ELF64LEFile;

/// The runtime that we have.
static constexpr llvm::StringLiteral ourRuntime = "libcudart.so.13";

//===----------------------------------------------------------------------===//
// What is in a program
//===----------------------------------------------------------------------===//

/// The libraries that the program asks the loader for.
static llvm::Expected<std::vector<std::string>> neededBy(const Elf &elf) {
  auto entries = elf.dynamicEntries();
  if (!entries)
    return entries.takeError();
  const char *names = nullptr;
  uint64_t size = 0;
  for (const auto &entry : *entries) {
    if (entry.d_tag == llvm::ELF::DT_STRSZ)
      size = entry.getVal();
    if (entry.d_tag != llvm::ELF::DT_STRTAB)
      continue;
    auto mapped = elf.toMappedAddr(entry.getPtr());
    if (!mapped)
      return mapped.takeError();
    names = reinterpret_cast<const char *>(*mapped);
  }
  std::vector<std::string> result;
  const char *end = reinterpret_cast<const char *>(elf.end());
  if (!names || size > uint64_t(end - names))
    return result;
  for (const auto &entry : *entries)
    if (entry.d_tag == llvm::ELF::DT_NEEDED && entry.getVal() < size)
      result.push_back(StringRef(names + entry.getVal(), size - entry.getVal())
                           .take_until([](char c) { return c == 0; })
                           .str());
  return result;
}

/// The fat binaries of a program, one after the other in a section.
static llvm::Expected<std::vector<StringRef>> fatBinariesIn(const Elf &elf) {
  std::vector<StringRef> result;
  auto sections = elf.sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    auto name = elf.getSectionName(section);
    if (!name)
      return name.takeError();
    if (*name != ".nv_fatbin")
      continue;
    auto contents = elf.getSectionContents(section);
    if (!contents)
      return contents.takeError();
    StringRef left = llvm::toStringRef(*contents);
    while (std::optional<uint64_t> size = cuda::fatBinaryBytes(left)) {
      if (*size < cuda::fatBinaryHeaderBytes || *size > left.size())
        break;
      // nvcc's linker adds a container with nothing in it.
      if (*size != cuda::fatBinaryHeaderBytes)
        result.push_back(left.take_front(*size));
      left = left.drop_front(std::min(llvm::alignTo(*size, 8), left.size()));
    }
  }
  return result;
}

static bool hasPtx(StringRef fatBinary) {
  auto entries = cuda::readFatBinary(fatBinary);
  if (entries)
    return llvm::any_of(*entries, [](const cuda::FatBinaryEntry &entry) {
      return entry.kind == cuda::FatBinaryEntry::Kind::Ptx;
    });
  llvm::consumeError(entries.takeError());
  return false;
}

/// The first device that each of the fat binaries with PTX has some for. What
/// nvcc's device linker adds has SASS alone.
static std::optional<std::string>
deviceFor(std::vector<StringRef> fatBinaries) {
  llvm::erase_if(fatBinaries, [](StringRef bytes) { return !hasPtx(bytes); });
  if (fatBinaries.empty())
    return std::nullopt;
  for (const emu::DeviceModel &model : emu::deviceModels()) {
    bool all = llvm::all_of(fatBinaries, [&](StringRef bytes) {
      auto selection = cuda::selectPtx(bytes, model.target);
      if (selection)
        return selection->text.has_value();
      llvm::consumeError(selection.takeError());
      return false;
    });
    if (all)
      return model.name.str();
  }
  return std::nullopt;
}

llvm::Expected<ProgramFacts> drawloom::inspectProgram(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message() +
                                   " [cannot-read]");
  ProgramFacts facts;
  StringRef bytes = (*buffer)->getBuffer();
  // ELF, 64 bits, little-endian.
  if (!bytes.starts_with("\x7f"
                         "ELF\x02\x01"))
    return facts;
  auto damaged = [&](llvm::Error error) {
    return llvm::createStringError("'" + path +
                                   "': " + llvm::toString(std::move(error)));
  };
  auto elf = Elf::create(bytes);
  if (!elf)
    return damaged(elf.takeError());
  auto needed = neededBy(*elf);
  if (!needed)
    return damaged(needed.takeError());
  auto runtime = llvm::find_if(
      *needed, [](StringRef name) { return name.starts_with("libcudart.so"); });
  if (runtime != needed->end())
    facts.runtime = *runtime;
  auto fatBinaries = fatBinariesIn(*elf);
  if (!fatBinaries)
    return damaged(fatBinaries.takeError());
  facts.hasKernels = !fatBinaries->empty();
  if (facts.hasKernels)
    facts.device = deviceFor(std::move(*fatBinaries));
  return facts;
}

//===----------------------------------------------------------------------===//
// Starting it
//===----------------------------------------------------------------------===//

static ExitStatus fail(const llvm::Twine &message) {
  llvm::errs() << "drawloom: " << input::makePrintable(message.str()) << '\n';
  return Failed;
}

llvm::Expected<std::string> drawloom::emulatorFolder() {
  std::string command = llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&emulatorFolder));
  llvm::SmallString<128> folder(
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(command)));
  llvm::sys::path::append(folder, "lib", "drawloom");
  for (StringRef library : {StringRef("libcuda.so.1"), StringRef(ourRuntime)}) {
    llvm::SmallString<128> file(folder);
    llvm::sys::path::append(file, library);
    if (!llvm::sys::fs::exists(file))
      return llvm::createStringError(
          "'" + file +
          "' is missing; 'pip install drawloom-emulator' brings it, or build "
          "the targets cuda and cudart [emulator-missing]");
  }
  return folder.str().str();
}

/// Puts `entry` in front of a list of folders in the environment.
static void prependToPath(const char *variable, const llvm::Twine &entry) {
  std::string path = entry.str();
  if (const char *old = std::getenv(variable); old && *old)
    path += std::string(":") + old;
  setenv(variable, path.c_str(), 1);
}

/// Leads Triton, if the command uses it, to a ptxas that leaves PTX as it is,
/// to a driver that knows the emulator, and away from what it has compiled for
/// a GPU: its cache doesn't ask whose ptxas it was.
static void prepareTriton(StringRef folder) {
  // A ptxas that the user has chosen is the one that judges.
  if (const char *own = std::getenv("TRITON_PTXAS_BLACKWELL_PATH"))
    setenv("DRAWLOOM_PTXAS", own, 0);
  if (const char *own = std::getenv("TRITON_PTXAS_PATH"))
    setenv("DRAWLOOM_PTXAS", own, 0);
  setenv("TRITON_PTXAS_PATH", (folder + "/ptxas").str().c_str(), 1);
  setenv("TRITON_PTXAS_BLACKWELL_PATH",
         (folder + "/ptxas-blackwell").str().c_str(), 1);
  prependToPath("PYTHONPATH", folder + "/python");
  setenv("TRITON_DEFAULT_BACKEND", "drawloom", 0);

  llvm::SmallString<128> cache;
  if (const char *own = std::getenv("TRITON_CACHE_DIR")) {
    cache = own;
    llvm::sys::path::append(cache, "drawloom");
  } else if (llvm::sys::path::cache_directory(cache)) {
    llvm::sys::path::append(cache, "drawloom", "triton");
  }
  if (!cache.empty())
    setenv("TRITON_CACHE_DIR", cache.c_str(), 1);
}

/// Why a program can't run on the emulator; empty if it can.
static std::string rejection(StringRef program, const ProgramFacts &facts) {
  if (facts.hasKernels && facts.runtime.empty())
    return ("'" + program +
            "' has the CUDA runtime linked into it; relink it with nvcc "
            "-cudart shared, so that the emulator's can take its place "
            "[static-cudart]")
        .str();
  if (!facts.runtime.empty() && facts.runtime != ourRuntime)
    return ("'" + program + "' is linked against " + facts.runtime +
            "; the emulator has " + ourRuntime +
            ": build it with a toolkit of CUDA 13 [cuda-version]")
        .str();
  return "";
}

namespace {
/// While one of these lives, signals that end a process are the command's: it
/// is waited for, so that findings are reported and nothing keeps running. What
/// a terminal sends, the command has got itself. A third one kills it.
class Forwarding {
public:
  explicit Forwarding(int child) {
    process = child;
    count = 0;
    first = 0;
    struct sigaction action = {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (auto [signal, before] : llvm::zip(signals, earlier))
      sigaction(signal, &action, &before);
  }
  ~Forwarding() {
    for (auto [signal, before] : llvm::zip(signals, earlier))
      sigaction(signal, &before, nullptr);
  }
  /// The first signal that came; 0 if none has.
  int came() const { return first; }

private:
  static void forward(int signal, siginfo_t *info, void *) {
    count = count + 1;
    if (count == 1)
      first = signal;
    if (count > 2)
      kill(process, SIGKILL);
    else if (info->si_code <= 0) // By a process, not by the terminal.
      kill(process, signal);
  }

  static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction earlier[3];
  // A handler of signals reaches nothing else.
  static volatile std::sig_atomic_t process, count, first;
};
volatile std::sig_atomic_t Forwarding::process = 0, Forwarding::count = 0,
                           Forwarding::first = 0;
} // namespace

/// Runs it as a process of its own, and says what it printed if `printed` isn't
/// null.
static ExitStatus runOnce(const std::string &path,
                          llvm::ArrayRef<StringRef> command,
                          const CheckOptions &checks, std::string *printed) {
  DriverCheck check(checks);
  llvm::SmallString<128> file;
  if (printed)
    if (std::error_code failed =
            llvm::sys::fs::createTemporaryFile("drawloom-run", "txt", file))
      return fail("cannot make a file for what it prints: " + failed.message() +
                  " [cannot-write]");
  std::optional<StringRef> redirects[] = {std::nullopt, std::nullopt,
                                          std::nullopt};
  if (printed)
    redirects[1] = file;
  std::string problem;
  bool hasFailed = false;
  llvm::sys::ProcessInfo child = llvm::sys::ExecuteNoWait(
      path, command, std::nullopt, redirects, 0, &problem, &hasFailed);
  if (hasFailed)
    return fail("'" + path + "': " + problem + " [cannot-run]");
  int result = 0, signal = 0;
  {
    Forwarding forwarding(child.Pid);
    result = llvm::sys::Wait(child, std::nullopt, &problem).ReturnCode;
    signal = forwarding.came();
  }
  if (printed) {
    if (auto buffer = llvm::MemoryBuffer::getFile(file))
      *printed = (*buffer)->getBuffer().str();
    llvm::sys::fs::remove(file);
  }
  if (signal) {
    check.tellCounts();
    return ExitStatus(128 + signal);
  }
  if (result < 0)
    return fail("'" + path + "': " + problem + " [cannot-run]");
  return check.judge(ExitStatus(result));
}

/// Runs it under many orders. What it prints and its exit status must be the
/// same.
static ExitStatus runOrders(const std::string &path,
                            llvm::ArrayRef<StringRef> command,
                            const CheckOptions &checks, unsigned seeds) {
  setenv("DRAWLOOM_ORDER", "deterministic", 1);
  std::string first, printed;
  ExitStatus result = runOnce(path, command, checks, &first);
  llvm::outs() << first;
  llvm::outs().flush();
  if (result != Clean)
    return result;
  std::vector<std::string> all = emu::listSchedules(seeds);
  for (const std::string &name : all) {
    setenv("DRAWLOOM_ORDER", name.c_str(), 1);
    result = runOnce(path, command, checks, &printed);
    if (result != Clean) {
      llvm::errs() << "drawloom: under " << name << ", the exit status is "
                   << int(result) << "; --order " << name
                   << " repeats this run\n";
      return result;
    }
    unsigned line = 1;
    StringRef left = first, right = printed;
    for (; left != right; ++line) {
      auto [expected, rest] = left.split('\n');
      auto [found, more] = right.split('\n');
      if (expected != found) {
        fail("under " + name + ", line " + llvm::Twine(line) +
             " of what it prints is '" + found + "' and not '" + expected +
             "'; --order " + name + " repeats this run [orders-differ]");
        return Findings;
      }
      left = rest;
      right = more;
    }
  }
  llvm::outs() << all.size() + 1 << " orders: the same is printed\n";
  return Clean;
}

/// Has the command find the emulated driver, and gives that its settings.
static void prepareEnvironment(const std::string &folder,
                               const ProgramFacts &facts,
                               const CommandLine &line) {
  // Options are variables of the environment to the library.
  static constexpr std::pair<llvm::StringLiteral, const char *> variables[] = {
      {"--device", "DRAWLOOM_DEVICE"},
      {"--sms", "DRAWLOOM_SMS"},
      {"--order", "DRAWLOOM_ORDER"},
      {"--step-limit", "DRAWLOOM_STEP_LIMIT"},
      {"--fidelity", "DRAWLOOM_FIDELITY"}};
  prependToPath("LD_LIBRARY_PATH", folder);
  // torch's libraries name the folder of the runtime that they want, and it
  // comes before ours; what is loaded already comes before both.
  prependToPath("LD_PRELOAD", folder + "/" + ourRuntime);
  prepareTriton(folder);
  if (facts.device)
    setenv("DRAWLOOM_DEVICE", facts.device->c_str(), 0);
  for (const auto &[option, variable] : variables)
    if (std::optional<StringRef> value = line.get(option))
      setenv(variable, value->str().c_str(), 1);
}

/// Replaces this process by the command. Returns if that fails.
static ExitStatus become(const std::string &path,
                         llvm::ArrayRef<StringRef> command) {
  std::vector<std::string> words(command.begin(), command.end());
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // The command's own affair again.
  std::signal(SIGXFSZ, SIG_DFL);
  execv(path.c_str(), arguments.data());
  return fail("cannot run '" + path + "': " + std::strerror(errno) +
              " [cannot-run]");
}

ExitStatus drawloom::runCommand(llvm::ArrayRef<StringRef> options,
                                llvm::ArrayRef<StringRef> command,
                                StringRef verb) {
  auto complain = [&](const llvm::Twine &what) {
    return drawloom::complain(verb, what);
  };
  llvm::Expected<CommandLine> line =
      CommandLine::parse(options, CheckOptions::with({{"--device", true},
                                                      {"--sms", true},
                                                      {"--order", true},
                                                      {"--orders", true},
                                                      {"--step-limit", true},
                                                      {"--time", false},
                                                      {"--fidelity", true}}));
  if (!line)
    return complain(llvm::toString(line.takeError()));
  llvm::Expected<CheckOptions> checks = CheckOptions::read(*line, verb);
  if (!checks)
    return complain(llvm::toString(checks.takeError()));
  llvm::Expected<unsigned> seeds = readOrders(*line);
  if (!seeds)
    return complain(llvm::toString(seeds.takeError()));
  if (line->has("--time")) {
    if (*seeds)
      return complain("--time is an order of its own; leave out --orders");
    setenv("DRAWLOOM_TIME", "default", 0);
  }
  if (!line->getOperands().empty())
    return complain("'" + line->getOperands().front() +
                    "' stands before '--'; only options do");
  if (command.empty())
    return complain("name a command after '--'");

  if (std::optional<StringRef> name = line->get("--device");
      name && !emu::findDeviceModel(*name))
    return complain("'" + *name + "' is not one of " +
                    llvm::join(llvm::map_range(emu::deviceModels(),
                                               [](const emu::DeviceModel &m) {
                                                 return m.name;
                                               }),
                               ", "));

  auto path = llvm::sys::findProgramByName(command.front());
  if (!path)
    return fail("cannot run '" + command.front() +
                "': " + path.getError().message() + " [cannot-run]");
  llvm::Expected<ProgramFacts> facts = inspectProgram(*path);
  if (!facts)
    return fail(llvm::toString(facts.takeError()));
  if (std::string why = rejection(command.front(), *facts); !why.empty())
    return fail(why);
  llvm::Expected<std::string> folder = emulatorFolder();
  if (!folder)
    return fail(llvm::toString(folder.takeError()));
  prepareEnvironment(*folder, *facts, *line);
  if (*seeds)
    return runOrders(*path, command, *checks, *seeds);
  if (checks->checks)
    return runOnce(*path, command, *checks, nullptr);
  return become(*path, command);
}
