//===- Findings.cpp - What was found so far -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Findings.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::checker;

bool Findings::isFirst(Rule rule, const emu::Kernel *kernel, uint32_t first,
                       uint32_t second, Finding::Distance distance) {
  if (isOncePerKernel(rule))
    first = second = 0;
  last = {rule, kernel, std::min(first, second), std::max(first, second)};
  Count &count = counts[last];
  bool isFarther = distance > count.distance;
  count.distance = std::max(count.distance, distance);
  return ++count.times == 1 || isFarther;
}

void Findings::add(Finding finding) {
  finding.severity = severityOf(finding.rule, isStrict);
  if (isStrict && ender && endsStrictRun(finding.rule))
    ender->endRun(titleOf(finding.rule).str() + " [" +
                  spelling(finding.rule).str() + "]");
  auto it =
      llvm::find_if(list, [&](auto &entry) { return entry.first == last; });
  if (it != list.end())
    it->second = std::move(finding);
  else
    list.emplace_back(last, std::move(finding));
}

std::vector<Finding> Findings::take() {
  auto isInRace = [&](const Finding &read) {
    return llvm::any_of(list, [&](const auto &entry) {
      const Finding &other = entry.second;
      return isRace(other.rule) &&
             (other.firstInstruction == read.firstInstruction ||
              other.secondInstruction == read.firstInstruction);
    });
  };
  std::vector<Finding> result;
  for (auto &[key, finding] : list) {
    // What races with a write may come before it.
    bool isUnwritten = finding.rule == Rule::Uninitialized ||
                       finding.rule == Rule::UninitializedUpdate ||
                       finding.rule == Rule::UndefinedValue;
    if (isUnwritten && isInRace(finding))
      continue;
    finding.count = counts[key].times;
    result.push_back(finding);
  }
  list.clear();
  counts.clear();
  return result;
}
