//===- Attack.h - One kernel that may try anything --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An attack is a piece of work in a process of its own (fork), so that what
// ends the process is counted and not suffered. It answers by its exit code.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_ATTACKS_ATTACK_H
#define DRAWLOOM_ATTACKS_ATTACK_H

#include "drawloom/Emulator/Launch.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace drawloom::attacks {

enum class Outcome : uint8_t {
  Good,
  Outside,    ///< Bytes of the host have changed, or were read.
  Unreported, ///< What had to be reported wasn't.
  Crashed,
  Hung,
};

/// What all attacks together came to.
struct Tally {
  unsigned count = 0, outside = 0, crashes = 0, hangs = 0, unreported = 0;
  uint64_t mostKiB = 0; ///< Of memory, in one of them.

  void add(llvm::StringRef name, Outcome outcome);
  bool good() const { return !(outside | crashes | hangs | unreported); }
  /// "426 kernels, 0 bytes outside, 0 crashes, 0 hangs"
  std::string str(llvm::StringRef what) const;
};

/// Runs `work` in a process of its own, for at most so many seconds.
Outcome apart(llvm::function_ref<Outcome()> work, unsigned seconds,
              uint64_t &kiB);

/// A launch of an attack, as the line of a list says.
struct Attack {
  std::string name, file;
  std::string device = "h100";
  unsigned grid = 1, block = 32, cluster = 1;
  /// "reported": the deterministic run ends in a report. "runs": it doesn't.
  /// "any": what it does is left open.
  std::string expected = "any";
  std::string map;                   ///< 128 bytes of a tensor map, in hex.
  std::optional<std::string> output; ///< All that it prints, in hex.
};

/// Reads a list that generate.py has written.
llvm::Expected<std::vector<Attack>> readAttacks(llvm::StringRef folder);

/// Launches it under several schedules and looks at what is left.
Outcome attackOnce(const Attack &attack, llvm::StringRef folder);

/// The number of the one mutant to look at, in this process.
extern std::optional<unsigned> only;

/// The campaigns with mutants; each answers whether all went well.
bool attackWithMaps(unsigned count, uint64_t seed);
bool attackWithFatBinaries(unsigned count, uint64_t seed,
                           llvm::StringRef corpus, llvm::StringRef library);
bool attackWithPtx(unsigned parsed, unsigned run, uint64_t seed,
                   llvm::ArrayRef<std::string> corpora);

} // namespace drawloom::attacks

#endif // DRAWLOOM_ATTACKS_ATTACK_H
