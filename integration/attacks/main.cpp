//===- main.cpp - Kernels that try to leave their memory ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   attack-kernels kernels FOLDER [EVERY]     what generate.py has written
//   there attack-kernels maps COUNT SEED            bytes of tensor maps
//   attack-kernels fat COUNT SEED FOLDER LIB  fat binaries, by libcuda.so.1
//   attack-kernels ptx COUNT RUNS SEED FOLDER ...
//
// With --only=NUMBER in front, that one mutant in this process, for a debugger.
// Each ends with a line such as
//
//   attacks: 426 kernels, 0 bytes outside, 0 crashes, 0 hangs
//
//===----------------------------------------------------------------------===//

#include "Attack.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using namespace drawloom::attacks;

static bool attackWithKernels(llvm::StringRef folder, unsigned every) {
  llvm::Expected<std::vector<Attack>> attacks = readAttacks(folder);
  if (!attacks) {
    llvm::errs() << llvm::toString(attacks.takeError()) << '\n';
    return false;
  }
  Tally tally;
  for (size_t i = 0; i < attacks->size(); i += every) {
    const Attack &attack = (*attacks)[i];
    uint64_t kiB = 0;
    tally.add(attack.name,
              apart([&] { return attackOnce(attack, folder); }, 60, kiB));
    tally.mostKiB = std::max(tally.mostKiB, kiB);
  }
  llvm::outs() << "attacks: " << tally.str("kernels") << '\n';
  return tally.good() && tally.count;
}

static unsigned number(const char *text) {
  return unsigned(strtoul(text, nullptr, 10));
}

int main(int argc, char **argv) {
  llvm::ArrayRef<char *> arguments(argv + 1, argc - 1);
  if (!arguments.empty() &&
      llvm::StringRef(arguments[0]).starts_with("--only=")) {
    only = number(arguments[0] + strlen("--only="));
    arguments = arguments.drop_front();
  }
  llvm::StringRef mode = arguments.empty() ? "" : arguments[0];
  if (mode == "kernels" && arguments.size() >= 2)
    return !attackWithKernels(arguments[1],
                              arguments.size() > 2 ? number(arguments[2]) : 1);
  if (mode == "maps" && arguments.size() == 3)
    return !attackWithMaps(number(arguments[1]), number(arguments[2]));
  if (mode == "fat" && arguments.size() == 5)
    return !attackWithFatBinaries(number(arguments[1]), number(arguments[2]),
                                  arguments[3], arguments[4]);
  if (mode == "ptx" && arguments.size() > 4) {
    std::vector<std::string> corpora(arguments.begin() + 4, arguments.end());
    return !attackWithPtx(number(arguments[1]), number(arguments[2]),
                          number(arguments[3]), corpora);
  }
  llvm::errs() << "attack-kernels kernels|maps|fat|ptx ...; see main.cpp\n";
  return 2;
}
