//===- drawloom.cpp - The command, its verbs and its help -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Process.h"
#include "Verb.h"
#include "drawloom/Input/Printable.h"
#include "drawloom/Input/Suggest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;

ExitStatus drawloom::runAny(llvm::ArrayRef<llvm::StringRef> arguments,
                            llvm::StringRef verb) {
  bool hasArch = false, hasProgram = false;
  for (llvm::StringRef argument : arguments) {
    if (argument == "--")
      return runRun(arguments, verb);
    hasArch |= argument == "--arch" || argument.starts_with("--arch=");
    hasProgram |= argument.ends_with(".mlir");
  }
  return hasArch || hasProgram ? runRunProgram(arguments, verb)
                               : runRun(arguments, verb);
}

static ExitStatus runVerbRun(llvm::ArrayRef<llvm::StringRef> arguments) {
  // A command after "--" has options of its own.
  for (llvm::StringRef argument : arguments) {
    if (argument == "--")
      break;
    if (argument != "--help" && argument != "-h")
      continue;
    printRunProgramHelp();
    llvm::outs() << '\n';
    printRunHelp();
    return Clean;
  }
  return runAny(arguments, "run");
}

static constexpr Verb verbs[] = {
    {"cache", "show, check or empty the cache of compiled kernels", runCache},
    {"check", "find deadlocks, data races and missing fences in a kernel",
     runCheck},
    {"compile", "turn a kernel in MLIR into PTX or a cubin", runCompile},
    {"completion", "write a script that completes commands in a shell",
     runCompletion},
    {"doctor", "tell which GPU tools are here, and what they allow", runDoctor},
    {"explain", "show the plan of a kernel, and why it is so", runExplain},
    {"lsp", "serve an editor: diagnostics, hovers, definitions", runLsp},
    {"run", "run a program, or a kernel in PTX, on an emulated GPU",
     runVerbRun},
    {"selftest", "run the numeric suite on a GPU or an emulated one",
     runSelftest},
    {"slots", "count what ptxas makes of each PTX instruction", runSlots},
    {"sweep", "run kernels with many shapes, schedules, orders and checks",
     runSweep},
    {"trace", "show who waited for what, in a run", runTrace},
};

std::string drawloom::versionLine() {
  return "drawloom " DRAWLOOM_VERSION " (LLVM " LLVM_VERSION_STRING ")";
}

static void printHelp(llvm::raw_ostream &os) {
  os << "drawloom - a compiler for warp-specialized GPU kernels\n"
        "\n"
        "Usage: drawloom VERB [options]\n"
        "\n"
        "Verbs:\n";
  for (const Verb &verb : verbs)
    os << "  " << llvm::left_justify(verb.name, 12) << verb.summary << '\n';
  os << "\n"
        "Options:\n"
        "  -h, --help  this text; 'drawloom VERB --help' explains a verb\n"
        "  --version   the versions of drawloom and LLVM\n"
        "\n"
        "Example:\n"
        "  drawloom run "
     << findExamples() << "/gemm.mlir --arch sm_100a --random --compare\n";
}

static int runVerb(llvm::ArrayRef<llvm::StringRef> given) {
  llvm::SmallVector<llvm::StringRef> arguments(given);
  if (arguments.empty()) {
    printHelp(llvm::errs());
    return BadUsage;
  }
  // 'help VERB' is 'VERB --help'.
  if (arguments.front() == "help" && arguments.size() == 2)
    arguments = {arguments.back(), "--help"};
  llvm::StringRef word = arguments.front();
  if (word == "--help" || word == "-h" || word == "help") {
    printHelp(llvm::outs());
    return Clean;
  }
  if (word == "--version") {
    llvm::outs() << versionLine() << '\n';
    return Clean;
  }
  llvm::SmallVector<llvm::StringRef> names = {"--help", "--version"};
  for (const Verb &verb : verbs) {
    if (verb.name == word)
      return verb.run(llvm::ArrayRef(arguments).drop_front());
    names.push_back(verb.name);
  }
  llvm::errs() << "drawloom: unknown "
               << (word.starts_with("-") ? "option" : "verb") << " '"
               << input::makePrintable(word) << "'"
               << input::suggest(word, names)
               << " [usage]\n'drawloom --help' lists them\n";
  return BadUsage;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  prepareProcess();
  llvm::SmallVector<llvm::StringRef> arguments(argv + 1, argv + argc);
  return finishOutput(runVerb(arguments));
}
