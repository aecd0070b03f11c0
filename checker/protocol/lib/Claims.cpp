//===- Claims.cpp - What a kernel does with its mbarriers -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Protocol/Claims.h"
#include "SharedLayout.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::protocol;
using Kind = Event::Kind;

BarrierId BarrierId::at(uint64_t address) {
  return {SharedLayout::rankOf(address), SharedLayout::offsetOf(address)};
}

bool Barrier::has(Kind kind) const {
  return llvm::any_of(
      parts, [&](const auto &part) { return part.first.first == kind; });
}

std::set<int64_t> Barrier::numbersOf(Kind kind) const {
  std::set<int64_t> numbers;
  for (const auto &[key, part] : parts)
    if (key.first == kind)
      numbers.insert(part.numbers.begin(), part.numbers.end());
  return numbers;
}

bool Claims::isWhole(const Barrier &barrier) const {
  // One that is set up and never used has neither.
  if (llvm::all_of(barrier.parts, [](const auto &part) {
        return part.first.first == Kind::Init ||
               part.first.first == Kind::Invalidate;
      }))
    return barrier.has(Kind::Init);
  bool arrives = barrier.has(Kind::Arrive) || barrier.has(Kind::ArriveExpect) ||
                 barrier.has(Kind::Commit) || barrier.has(Kind::CopyArrive);
  bool expects = barrier.has(Kind::ArriveExpect) || barrier.has(Kind::Expect);
  return barrier.has(Kind::Init) && barrier.has(Kind::Wait) && arrives &&
         (expects || !barrier.has(Kind::Copy));
}

bool Claims::isWhole() const {
  return unfollowed.empty() && llvm::all_of(barriers, [&](const auto &barrier) {
           return isWhole(barrier.second);
         });
}
