//===- Subject.h - A kernel that is right, to be changed -------- -*- C++
//-*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A launch that was written down, run once as it is: what it executes, what
// the checker finds in it, which lines share a barrier, and its mutants.

#ifndef DRAWLOOM_INTEGRATION_MUTATE_SUBJECT_H
#define DRAWLOOM_INTEGRATION_MUTATE_SUBJECT_H

#include "Mutants.h"
#include "RecordedLaunch.h"
#include "drawloom/Checker/RaceChecker.h"
#include <map>
#include <set>

namespace drawloom::mutate {

/// A finding, as far as two runs' are the same one.
using FindingKey = std::tuple<checker::Rule, uint32_t, uint32_t>;

/// A run under the checker.
struct Checked {
  Outcome outcome;
  std::vector<checker::Finding> findings;
};

/// A kernel that is right, and what is known about it.
struct Subject {
  std::unique_ptr<RecordedLaunch> launch;
  std::vector<Mutant> mutants;
  Outcome right;
  /// Whether its bits are the same under random schedules: those of a sum of
  /// what CTAs add in any order aren't.
  bool hasOneResult = true;
  std::set<FindingKey> known;
  /// By line: the mbarriers that it does something to, by their addresses, and
  /// the first phase of each in which it does. By mbarrier: the last phase that
  /// a thread waits for.
  std::map<uint32_t, std::map<uint64_t, int64_t>> barriers;
  std::map<uint64_t, int64_t> awaited;
  /// Lines that do something that synchronizes.
  std::set<uint32_t> executed;
  /// Lines of barriers where others come by another line.
  std::set<uint32_t> meetOthers;

  /// Draws the order of its mutants, of lines that its launch executes.
  void drawMutants(unsigned seed);
  /// Runs it as it is, under the checker and several schedules; an error if it
  /// isn't right.
  llvm::Error runAsIs();
  Checked run(llvm::StringRef text, const emu::RunOptions &schedule) const;

  /// Whether two lines do something to the same mbarrier.
  bool arePartners(uint32_t one, uint32_t other) const;
  /// Whether a thread waits for a phase in which the line does something to an
  /// mbarrier, or for a later one.
  bool isAwaited(uint32_t line) const;
};

FindingKey keyOf(const checker::Finding &finding);

} // namespace drawloom::mutate

#endif // DRAWLOOM_INTEGRATION_MUTATE_SUBJECT_H
