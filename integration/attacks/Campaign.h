//===- Campaign.h - Many mutants, in processes of their own -----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mutant is drawn from a seed and its number alone, so that one that was
// noticed can be had again.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_INTEGRATION_ATTACKS_CAMPAIGN_H
#define DRAWLOOM_INTEGRATION_ATTACKS_CAMPAIGN_H

#include "Attack.h"
#include <atomic>
#include <random>

namespace drawloom::attacks {

using Random = std::mt19937_64;

Random randomOf(uint64_t seed, uint64_t number);

/// How many mutants came as far as they could: a campaign whose mutants are all
/// rejected at the start shows nothing. Processes share it.
std::atomic<uint64_t> &arrived();

/// Does `one(number)` for all numbers, so many at a time in a process of their
/// own; one that ends badly is found by doing its part again, one by one.
bool inParts(unsigned count, unsigned perPart, unsigned seconds,
             llvm::StringRef what, llvm::function_ref<Outcome(unsigned)> one);

} // namespace drawloom::attacks

#endif // DRAWLOOM_INTEGRATION_ATTACKS_CAMPAIGN_H
