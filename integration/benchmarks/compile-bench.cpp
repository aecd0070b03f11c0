//===- compile-bench.cpp - What a compile costs besides ptxas -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles examples to cubins and prints milliseconds of processor time,
// the median of the rounds:
//
//   ptxas       alone, on the PTX that the compiler makes
//   cold        `drawloom compile`, a process for each, ptxas included
//   in process  the same by a call of the library
//
// Time on the clock would be of little use on a machine that does something
// else as well. The three take turns, so that they see the same machine.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Session/Compile.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace drawloom;
namespace cl = llvm::cl;

static cl::OptionCategory category("compile-bench");
static cl::list<std::string>
    inputs(cl::Positional, cl::desc("[program.mlir ...]"), cl::cat(category));
static cl::list<std::string>
    archNames("arch", cl::CommaSeparated,
              cl::desc("sm_90a, sm_100a; without it both"), cl::cat(category));
static cl::opt<unsigned> rounds("rounds", cl::init(20),
                                cl::desc("How often (default 20)"),
                                cl::cat(category));
static cl::opt<double>
    limit("limit", cl::init(0),
          cl::desc("Fail if 'cold' is more than this many times 'ptxas'"),
          cl::cat(category));

static cl::opt<bool>
    withPeers("peers",
              cl::desc("Also what a GEMM costs Triton, CuTe DSL and "
                       "TileLang, where they are installed"),
              cl::cat(category));

static double toMilliseconds(const rusage &usage) {
  auto milliseconds = [](const timeval &time) {
    return time.tv_sec * 1e3 + time.tv_usec * 1e-3;
  };
  return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
}

static double measureUsage(int who) {
  rusage usage;
  getrusage(who, &usage);
  return toMilliseconds(usage);
}

/// Processor time of a command and of what it starts. What it prints is not
/// shown.
static llvm::Expected<double> runCommand(std::vector<std::string> command) {
  std::vector<char *> arguments;
  for (std::string &word : command)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int file : {1, 2})
    posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_WRONLY, 0);
  pid_t process;
  int error = posix_spawn(&process, arguments[0], &actions, nullptr,
                          arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error)
    return llvm::createStringError("cannot run " + command.front());
  int status;
  rusage usage;
  if (wait4(process, &status, 0, &usage) != process || status != 0)
    return llvm::createStringError(command.front() + " failed");
  return toMilliseconds(usage);
}

namespace {
/// One program for one architecture, and how long everything took.
class Measurement {
public:
  static llvm::Expected<Measurement> create(llvm::StringRef path,
                                            llvm::StringRef arch);

  llvm::Error runRound();
  /// Prints a row; false if it is beyond the limit.
  bool print() const;

private:
  std::string path, text, ptxFile, cubinFile;
  CompileOptions options;
  std::vector<double> ptxas, cold, inProcess;
};
} // namespace

static std::string drawloomPath;

llvm::Expected<Measurement> Measurement::create(llvm::StringRef path,
                                                llvm::StringRef archName) {
  Measurement result;
  result.path = path.str();
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::createStringError("cannot read '" + path + "'");
  result.text = (*file)->getBuffer().str();
  llvm::Expected<const target::Architecture *> arch =
      target::findArchitecture(archName);
  if (!arch)
    return arch.takeError();
  llvm::Expected<target::Ptxas> found =
      target::findPtxas(target::ToolSearch::fromEnvironment(), **arch);
  if (!found)
    return found.takeError();
  result.options = {.arch = *arch, .stopAfter = Stage::Cubin, .ptxas = *found};
  llvm::Expected<CompiledModule> made = compile(result.text, result.options);
  if (!made)
    return made.takeError();
  llvm::SmallString<128> base;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("compile-bench", base))
    return llvm::errorCodeToError(error);
  result.ptxFile = (base + "/kernel.ptx").str();
  result.cubinFile = (base + "/kernel.cubin").str();
  std::error_code error;
  llvm::raw_fd_ostream(result.ptxFile, error) << made->ptx;
  if (error)
    return llvm::errorCodeToError(error);
  return result;
}

llvm::Error Measurement::runRound() {
  llvm::Expected<double> alone =
      runCommand({options.ptxas->path, "-v", "-O3", "--gpu-name",
                  options.arch->name.str(), "-o", cubinFile, ptxFile});
  if (!alone)
    return alone.takeError();
  ptxas.push_back(*alone);
  llvm::Expected<double> command =
      runCommand({drawloomPath, "compile", path, "--arch",
                  options.arch->name.str(), "-o", cubinFile, "--no-cache"});
  if (!command)
    return command.takeError();
  cold.push_back(*command);
  double before = measureUsage(RUSAGE_SELF) + measureUsage(RUSAGE_CHILDREN);
  llvm::Expected<CompiledModule> made = compile(text, options);
  if (!made)
    return made.takeError();
  inProcess.push_back(measureUsage(RUSAGE_SELF) +
                      measureUsage(RUSAGE_CHILDREN) - before);
  return llvm::Error::success();
}

static double median(std::vector<double> values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool Measurement::print() const {
  double alone = median(ptxas);
  llvm::outs() << llvm::format("%-32s %-8s %8.0f %8.0f %5.2f %11.0f %5.2f\n",
                               llvm::sys::path::stem(path).str().c_str(),
                               options.arch->name.str().c_str(), alone,
                               median(cold), median(cold) / alone,
                               median(inProcess), median(inProcess) / alone);
  return limit == 0 || median(cold) <= limit * alone;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "what a compile costs besides ptxas\n");
  static int anchor;
  llvm::SmallString<128> tool(
      llvm::sys::fs::getMainExecutable(argv[0], &anchor));
  llvm::sys::path::remove_filename(tool);
  llvm::sys::path::append(tool, "drawloom");
  drawloomPath = tool.str().str();
  std::vector<std::string> programs(inputs.begin(), inputs.end());
  if (programs.empty())
    for (llvm::StringRef name :
         {"gemm", "gemm_bias_activation_residual", "attention"})
      programs.push_back((EXAMPLES "/" + name + ".mlir").str());
  std::vector<std::string> archs(archNames.begin(), archNames.end());
  if (archs.empty())
    archs = {"sm_90a", "sm_100a"};
  auto fail = [](llvm::Error error) {
    llvm::errs() << "compile-bench: " << llvm::toString(std::move(error))
                 << '\n';
    return 1;
  };
  llvm::outs() << llvm::format("%-32s %-8s %8s %8s %5s %11s %5s\n", "program",
                               "GPU", "ptxas", "cold", "", "in process", "");
  bool within = true;
  for (const std::string &program : programs)
    for (const std::string &arch : archs) {
      llvm::Expected<Measurement> one = Measurement::create(program, arch);
      if (!one)
        return fail(one.takeError());
      for (unsigned i = 0; i < std::max(1u, rounds.getValue()); ++i)
        if (llvm::Error error = one->runRound())
          return fail(std::move(error));
      within &= one->print();
      llvm::outs().flush();
    }
  if (withPeers) {
    llvm::outs() << '\n';
    llvm::outs().flush();
    // TileLang has an environment of its own.
    llvm::sys::ExecuteAndWait(PEERS,
                              {PEERS, "time", "triton_sm90_gemm_specialized",
                               "triton_sm100_gemm_specialized",
                               "cutedsl_sm90_bf16", "cutedsl_sm100_bf16_1cta"});
    llvm::sys::ExecuteAndWait(
        PEERS, {PEERS, "time", "tilelang_sm90_gemm", "tilelang_sm100_gemm"});
  }
  return within ? 0 : 1;
}
