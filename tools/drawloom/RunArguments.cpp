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
         "\n"
         "Options for PTX:\n"
         "  --launch FILE    the launch\n"
         "  -o FOLDER        where to write arrays; without it, next to "
         "LAUNCH.json\n"
         "  --order S        instead of the file's: deterministic, "
         "random:SEED,\n"
         "                   adversarial or adversarial:KIND (copy, bulk, "
         "tensor, "
         "mma,\n"
         "                   commit, remote-store, launch-control)\n"
         "  --orders N       run under N random orders and every "
         "adversarial one, too,\n"
         "                   and say whether the arrays end up the same, and "
         "if not, which\n"
         "                   element differs first and who wrote it\n"
         "  --step-limit N   warp instructions after which a run is given up\n"
         "  --progress       show progress even if nobody looks at a terminal\n"
         "  --try-fixes      with --check: insert what would help, run it "
         "again, and say\n"
         "                   with which insertion a finding is gone\n"
         "  --help           this text\n"
         "\n"
         "Usage: drawloom run [options] -- COMMAND [arguments]\n"
         "\n"
         "Runs a CUDA program with the emulator's libcuda.so.1 and "
         "libcudart.so.13: one\n"
         "built by nvcc -cudart shared with PTX inside, one that uses the "
         "driver API, or a\n"
         "script that does. docs/Driver.md says what the libraries have.\n"
         "\n"
         "Options for a command:\n"
         "  --device DEVICE  h100, b200 or rtx5090; without it, the first that "
         "it has PTX\n"
         "                   for\n"
         "  --sms N          SMs of the device; without it, as many as the "
         "real one\n"
         "  --order S, --step-limit N   as for PTX\n"
         "  --orders N       run it under as many; its exit code and what it "
         "prints must\n"
         "                   be the same\n"
         "\n"
         "Options for all:\n"
         "  --check          find races, missing fences and work that nobody "
         "waits for:\n"
         "                   docs/Checker.md\n"
         "  --strict         by the letter of PTX, also where released kernels "
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
         "  --suppressions FILE   findings that are known, by rule and line: "
         "they aren't\n"
         "                   told and don't count\n"
         "  --fidelity FILE  write which forms of instructions ran, and which "
         "are exact,\n"
         "                   approximate or inferred: JSON if it ends in "
         ".json, text if\n"
         "                   not; '-' is standard error. docs/Run.md\n"
         "\n"
         "Exit code: 0 the kernel ran to its end, its results match and no "
         "error was\n"
         "found; 1 not so, or an input is at fault; 2 bad usage. Of a command, "
         "its own, or\n"
         "1 if an error was found.\n"
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
                                                {"--fidelity", true},
                                                {"--try-fixes", false}}));
}

llvm::Expected<RunArguments> RunArguments::read(const CommandLine &line) {
  RunArguments result;
  if (line.getOperands().size() != 1)
    return llvm::createStringError(
        line.getOperands().empty() ? "name a program (.mlir), a file of PTX, "
                                     "or a command after '--'"
                                   : "name one file to run, not more");
  result.ptx = line.getOperands().front().str();
  std::optional<llvm::StringRef> launch = line.get("--launch");
  if (!launch)
    return llvm::createStringError("name the launch with --launch");
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
  result.fidelity = line.get("--fidelity").value_or("").str();
  llvm::Expected<CheckOptions> check = CheckOptions::read(line);
  if (!check)
    return check.takeError();
  result.check = *check;
  result.triesFixes = line.has("--try-fixes");
  if (result.triesFixes && !check->checks)
    return llvm::createStringError("--try-fixes goes with --check");
  return result;
}
