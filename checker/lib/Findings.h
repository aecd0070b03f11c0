//===- Findings.h - What was found so far -----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One finding for each rule and two instructions, with a count. What is no race
// may have one instruction only.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_FINDINGS_H
#define DRAWLOOM_CHECKER_FINDINGS_H

#include "drawloom/Checker/RaceChecker.h"
#include <map>

namespace drawloom::checker {

class Findings {
public:
  /// In strict mode, `ender` gets what the emulator can't continue after.
  explicit Findings(bool isStrict, emu::RunEnder *ender = nullptr)
      : isStrict(isStrict), ender(ender) {}

  /// Counts one more; true if it is the first, or its threads are farther apart
  /// than those of the first, and so to be described.
  bool isFirst(Rule rule, const emu::Kernel *kernel, uint32_t first,
               uint32_t second, Finding::Distance distance = Finding::SameWarp);
  /// In the place of one that was described before.
  void add(Finding finding);
  std::vector<Finding> take();

private:
  using Key = std::tuple<Rule, const emu::Kernel *, uint32_t, uint32_t>;
  const bool isStrict;
  emu::RunEnder *const ender;
  struct Count {
    uint64_t times = 0;
    Finding::Distance distance = Finding::SameWarp;
  };
  std::map<Key, Count> counts;
  std::vector<std::pair<Key, Finding>> list;
  Key last;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_FINDINGS_H
