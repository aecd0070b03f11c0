//===- RunArguments.cpp - What a run of PTX is asked ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunArguments.h"
#include "Orders.h"
#include "Verb.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;

void drawloom::printPtxOptions(llvm::StringRef verb) {
  llvm::outs()
      << "Options for PTX:\n"
         "  --launch FILE    the launch: device, grid, arrays and parameters "
         "(docs/Run.md)\n"
         "  -o FOLDER        where to write arrays; without it, next to "
         "LAUNCH.json\n"
         "  --order S        instead of the file's: deterministic, "
         "random:SEED,\n"
         "                   timed:SEED, adversarial or adversarial:KIND "
         "(copy, "
         "bulk,\n"
         "                   tensor, mma, commit, remote-store, "
         "launch-control)\n"
         "  --orders N       run under N random orders and every adversarial "
         "one, too,\n"
         "                   and say whether the arrays end up the same, and "
         "if not, which\n"
         "                   element differs first and which thread wrote it\n"
         "  --step-limit N   warp instructions after which a run is given up\n"
         "  --time           order events by a modeled clock, and print the "
         "time, how busy\n"
         "                   the tensor cores are, and where warps wait "
         "(docs/Timing.md)\n"
         "  --progress       show progress even without a terminal\n"
         "  --try-fixes      "
      << (verb == "run" ? "with --check: " : "")
      << "insert what would help, run it again, and say\n"
         "                   with which insertion a finding is gone\n"
         "  --help           this text\n";
}

void drawloom::printCommandOptions() {
  llvm::outs()
      << "Options for a command:\n"
         "  --device DEVICE  h100, b200 or rtx5090; without it, the first that "
         "it has PTX\n"
         "                   for\n"
         "  --sms N          SMs of the device; without it, as many as the "
         "real one\n"
         "  --order S, --step-limit N, --time   as for PTX\n"
         "  --orders N       run it under as many; its exit status and what it "
         "prints must\n"
         "                   be the same\n";
}

void drawloom::printCheckerOptions(llvm::StringRef verb) {
  llvm::outs() << (verb == "run" ? "Options for all:\n"
                                 : "Options for every run:\n");
  if (verb == "run")
    llvm::outs()
        << "  --check          find data races, missing fences and unawaited "
           "operations:\n"
           "                   the same as 'drawloom check' "
           "(docs/Checker.md)\n";
  llvm::outs()
      << "  --strict         by the letter of PTX, also where released kernels "
         "aren't\n"
         "  --remarks        say where lanes conflict in banks of shared "
         "memory, and where\n"
         "                   they touch more of global memory than they need\n"
         "  --plan FILE      names of roles and pipes, from 'drawloom "
         "explain'\n"
         "                   with --format json; a program has its own\n"
         "  --report FILE    write the findings as JSON, too\n"
         "  --sarif FILE     write them as SARIF 2.1.0, for editors and code "
         "hosts\n"
         "  --suppressions FILE   known findings, by rule and line: they are "
         "not\n"
         "                   printed and don't count\n"
         "  --fidelity FILE  write which instruction variants ran, and which "
         "are exact,\n"
         "                   approximate or inferred: JSON if it ends in "
         ".json, text if\n"
         "                   not; '-' is standard error. docs/Run.md\n";
}

void drawloom::printRunHelp() {
  std::string examples = findExamples();
  llvm::outs()
      << "Usage: drawloom run FILE.ptx --launch LAUNCH.json [options]\n"
         "\n"
         "Runs a kernel in PTX on an emulated GPU. LAUNCH.json names the "
         "device, the grid,\n"
         "arrays in .npy files, and what the kernel is called with; "
         "docs/Run.md has every\n"
         "field.\n"
         "\n";
  printPtxOptions("run");
  llvm::outs()
      << "\n"
         "Usage: drawloom run [options] -- COMMAND [arguments]\n"
         "\n"
         "Runs a CUDA program with the emulator's libcuda.so.1 and "
         "libcudart.so.13: one\n"
         "built by nvcc -cudart shared with PTX inside, one that uses the "
         "driver API, or a\n"
         "script that does. docs/Driver.md says what the libraries have.\n"
         "\n";
  printCommandOptions();
  llvm::outs() << '\n';
  printCheckerOptions("run");
  llvm::outs() << '\n'
               << exitStatusHelp
               << "A deadlock or an illegal access is a finding. A command "
                  "keeps its own\n"
                  "status, or gets 1 if that is 0 and the checker found "
                  "errors.\n"
                  "\n"
                  "Examples:\n";
  // The emulator alone has no compiler, and no program for one.
  if (examples == "examples" || llvm::sys::fs::exists(examples + "/gemm.mlir"))
    llvm::outs() << "  drawloom run " << examples
                 << "/gemm.mlir --arch sm_100a --random --compare\n";
  llvm::outs() << "  drawloom run " << examples << "/run/saxpy.ptx --launch "
               << examples
               << "/run/saxpy.json\n"
                  "  drawloom run --device b200 -- ./gemm --m=512\n"
                  "  drawloom run --check "
               << examples
               << "/check/reverse.ptx \\\n"
                  "    --launch "
               << examples << "/check/reverse.json\n";
}

llvm::Expected<CommandLine>
RunArguments::parse(llvm::ArrayRef<llvm::StringRef> words) {
  return CommandLine::parse(words,
                            CheckOptions::with({{"--launch", true},
                                                {"-o", true},
                                                {"--order", true},
                                                {"--orders", true},
                                                {"--step-limit", true},
                                                {"--progress", false},
                                                {"--time", false},
                                                {"--fidelity", true},
                                                {"--try-fixes", false}}));
}

llvm::Expected<RunArguments> RunArguments::read(const CommandLine &line,
                                                llvm::StringRef verb) {
  RunArguments result;
  if (line.getOperands().size() != 1)
    return llvm::createStringError(
        line.getOperands().empty()
            ? "expected FILE.mlir, FILE.ptx or -- COMMAND"
            : "name one file to run, not more");
  result.ptx = line.getOperands().front().str();
  std::optional<llvm::StringRef> launch = line.get("--launch");
  if (!launch)
    return llvm::createStringError(
        "a PTX file needs --launch LAUNCH.json (device, grid, arrays and "
        "parameters; see docs/Run.md)");
  result.launch = launch->str();
  if (std::optional<llvm::StringRef> folder = line.get("-o"))
    result.output = folder->str();
  if (std::optional<llvm::StringRef> text = line.get("--order"))
    result.order = text->str();
  if (std::optional<llvm::StringRef> text = line.get("--step-limit")) {
    result.stepLimit.emplace();
    if (text->getAsInteger(10, *result.stepLimit))
      return llvm::createStringError("--step-limit takes a number, not '" +
                                     *text + "'");
  }
  llvm::Expected<unsigned> seeds = readOrders(line);
  if (!seeds)
    return seeds.takeError();
  result.seeds = *seeds;
  result.progress = line.has("--progress");
  result.time = line.has("--time");
  if (result.time &&
      (result.seeds ||
       (result.order && !llvm::StringRef(*result.order).starts_with("timed"))))
    return llvm::createStringError(
        "--time is an order of its own; leave out " +
        llvm::Twine(result.seeds ? "--orders" : "--order"));
  result.fidelity = line.get("--fidelity").value_or("").str();
  llvm::Expected<CheckOptions> check = CheckOptions::read(line, verb);
  if (!check)
    return check.takeError();
  result.check = *check;
  result.triesFixes = line.has("--try-fixes");
  if (result.triesFixes && !check->checks)
    return llvm::createStringError("--try-fixes goes with --check");
  return result;
}
