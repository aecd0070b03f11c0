//===- RandomNetwork.h - Networks to compare the two analyses on ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A random network starts as the projection of a sequential program onto two
// to eight roles, which always succeeds. Then it is bent, as a compiler or a
// person would bend it: steps change places, scopes swallow what follows,
// loops are split, rotated or peeled, slots lag, trip counts and bytes are off
// by a little. About half of what comes out fails at some sizes.
//
// Half of them are of clusters, or have items that one role learns of at run
// time. CTAs of a cluster share pipes, and one role may act for all CTAs.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_UNITTESTS_ANALYSIS_PROGRESS_RANDOMNETWORK_H
#define DRAWLOOM_UNITTESTS_ANALYSIS_PROGRESS_RANDOMNETWORK_H

#include "drawloom/Analysis/Progress/Sizes.h"
#include <random>

namespace drawloom::progress::test {

/// A network without a mistake and within the side conditions.
Network makeRandomNetwork(std::mt19937_64 &random);

/// What a network has that makes it interesting.
struct Features {
  bool nestedLoops = false, parallelPipes = false, broadcast = false;
  bool cycle = false, lag = false, symbolicSlots = false;
  /// Several CTAs, a role that acts for all of them, items at run time.
  bool cluster = false, leader = false, dynamic = false;
};
Features featuresOf(const Network &network);

/// Every choice of the network's sizes up to a bound.
std::vector<Sizes> smallSizes(const Network &network);

/// Sizes beyond that bound.
Sizes largeSizes(const Network &network, std::mt19937_64 &random);

} // namespace drawloom::progress::test

#endif // DRAWLOOM_UNITTESTS_ANALYSIS_PROGRESS_RANDOMNETWORK_H
