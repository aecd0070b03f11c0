//===- Sweep.cpp - drawloom sweep -----------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A sweep is Python, because its engines are: the module `drawloom.sweep` of
// the Python package. The verb finds the Python that has the package, and
// becomes it.

#include "CommandLine.h"
#include "Verb.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace drawloom;

static void printSweepHelp() {
  llvm::outs()
      << "drawloom sweep - run kernels with many shapes, schedules, orders and "
         "checks\n"
         "\n"
         "Usage: drawloom sweep SPEC.toml [options]\n"
         "\n"
         "SPEC.toml says which kernels, and with what. Each combination is a "
         "point: it is\n"
         "planned, and if the plan fits, compiled, run on an emulated GPU and "
         "judged. Parts\n"
         "of commands, such as suites of tests, can be points, too. Results\n"
         "go to a table of SQLite; a sweep that ends early goes on from there. "
         "It is a part\n"
         "of the Python package (docs/Sweep.md): pip install drawloom.\n"
         "\n"
         "Options:\n"
         "  --table FILE    results; without it, SPEC.sqlite\n"
         "  --report FILE   a report in HTML; without it, SPEC.html\n"
         "  --jobs N        processes; without it, as many as there are cores\n"
         "  --ray [ADDRESS] run on a Ray cluster; without an address, the one "
         "of this\n"
         "                  machine at 127.0.0.1:6379\n"
         "  --sample N      N of the points, evenly\n"
         "  --only KEY      run the point whose key begins so again, here, and "
         "tell all\n"
         "                  about it; the table stays as it is\n"
         "  --keep FOLDER   with --only: write the program of the point there\n"
         "  --value NAME=TEXT\n"
         "                  for {NAME} in commands, in the place of the file's "
         "own\n"
         "  --list          print the points and run none\n"
         "  --quiet         no progress\n"
         "  --help          this text\n"
         "\n"
      << exitStatusHelp
      << "A point that has passed, or whose plan is rejected or pruned, is "
         "clean.\n"
         "\n"
         "Example:\n"
         "  drawloom sweep "
      << findExamples() << "/sweep/release.toml\n";
}

/// The Python of the environment that this command is installed into, or the
/// first one of the path.
static llvm::ErrorOr<std::string> findPython() {
  static int anchor;
  std::string self = llvm::sys::fs::getMainExecutable("", &anchor);
  auto beside = llvm::sys::findProgramByName(
      "python3", {llvm::sys::path::parent_path(self)});
  return beside ? beside : llvm::sys::findProgramByName("python3");
}

/// What Python runs: a missing package is said in our words.
static constexpr llvm::StringLiteral program =
    "import sys\n"
    "try:\n"
    "    from drawloom.sweep.__main__ import main\n"
    "except ModuleNotFoundError as error:\n"
    "    print('drawloom: a sweep needs the Python package, which '\n"
    "          f'{sys.executable} does not have ({error}): pip install "
    "drawloom',\n"
    "          file=sys.stderr)\n"
    "    sys.exit(3)\n"
    "sys.exit(main(sys.argv[1:]))\n";

ExitStatus drawloom::runSweep(llvm::ArrayRef<llvm::StringRef> arguments) {
  if (llvm::is_contained(arguments, "--help") ||
      llvm::is_contained(arguments, "-h")) {
    printSweepHelp();
    return Clean;
  }
  llvm::ErrorOr<std::string> python = findPython();
  if (!python) {
    llvm::errs() << "drawloom: a sweep needs Python, and there is no python3 "
                    "in PATH\n";
    return Failed;
  }
  std::vector<std::string> words = {*python, "-c", program.str()};
  llvm::append_range(words, llvm::map_range(arguments, [](llvm::StringRef one) {
                       return one.str();
                     }));
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(python->c_str(), pointers.data());
  llvm::errs() << "drawloom: cannot start " << *python << ": "
               << strerror(errno) << '\n';
  return Failed;
}
