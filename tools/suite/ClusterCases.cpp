//===- ClusterCases.cpp - Products whose CTAs share operands --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterCases.h"
#include "GemmCases.h"
#include "RowCases.h"
#include "RowProductCases.h"

using namespace drawloom;
using namespace drawloom::suite;

static constexpr int64_t clusters[][2] = {{2, 1}, {1, 2}, {2, 2},
                                          {4, 1}, {4, 2}, {8, 1}};

/// Tiles along M and N, and a rest beyond them; and trips along K.
static constexpr struct {
  int64_t tilesM, tilesN, rest, trips;
} sizes[] = {{4, 2, 0, 2}, {2, 1, 16, 5}, {1, 1, 0, 0}, {5, 3, -48, 1}};

/// Where a CTA's work tiles come from.
enum Items { One, Static, Dynamic, itemKinds };

/// A few clusters, so that a CTA has several work tiles; a CTA for each item if
/// it takes one. Dynamic ones come from a grid with a CTA for each item, or
/// from one that is smaller or larger.
static void setItems(GemmOptions &o, unsigned items, unsigned count) {
  unsigned size = o.clusterM * o.clusterN * o.clusterK;
  o.one = items == One;
  o.dynamic = items == Dynamic;
  o.ctas = items == One ? 0 : count * size;
  if (items == Dynamic && count == 1)
    o.ctas = 0;
  if (items == Dynamic && count == 3)
    o.ctas = 64 * size;
}

/// Only even numbers of CTAs along M are pairs, and only Blackwell has them.
static bool canPair(llvm::StringRef arch, int64_t clusterM) {
  return arch != "sm_90a" && clusterM % 2 == 0;
}

/// All clusters, types and sizes, with the other options in turn.
static void cover(llvm::StringRef arch, bool pairs,
                  std::vector<GemmOptions> &all) {
  for (auto [clusterM, clusterN] : clusters)
    for (unsigned type = 0; type != mainTypes; ++type)
      for (unsigned items = 0; items != itemKinds; ++items)
        for (const auto &size : sizes) {
          if (pairs && !canPair(arch, clusterM))
            continue;
          GemmOptions o = makeGemm(arch, type);
          o.clusterM = clusterM;
          o.clusterN = clusterN;
          o.pairs = pairs;
          o.epilogue =
              GemmOptions::Epilogue(all.size() % GemmOptions::epilogueCount);
          o.slots = 1 + all.size() % 4;
          o.m = size.tilesM * o.tileM + size.rest;
          o.n = size.tilesN * o.tileN + size.rest;
          o.k = size.trips * o.tileK;
          setItems(o, items, 1 + all.size() % 3);
          all.push_back(o);
        }
}

/// Split-K: clusters whose CTAs divide the K tiles; some also share operands.
static void coverSteps(llvm::StringRef arch, std::vector<GemmOptions> &all) {
  static constexpr int64_t divided[][3] = {
      {1, 1, 2}, {1, 1, 4}, {2, 1, 2}, {1, 2, 2}, {2, 2, 2}};
  for (auto [clusterM, clusterN, clusterK] : divided)
    for (unsigned type = 0; type != mainTypes; ++type)
      for (unsigned items = 0; items != itemKinds; ++items) {
        const auto &size = sizes[all.size() % std::size(sizes)];
        GemmOptions o = makeGemm(arch, type);
        o.clusterM = clusterM;
        o.clusterN = clusterN;
        o.clusterK = clusterK;
        o.tileN = 128;
        o.slots = 2;
        o.pairs = canPair(arch, clusterM) && all.size() % 2;
        o.epilogue =
            GemmOptions::Epilogue(all.size() % GemmOptions::epilogueCount);
        o.m = size.tilesM * o.tileM + size.rest;
        o.n = size.tilesN * o.tileN + size.rest;
        o.k = size.trips * o.tileK + (size.trips ? 16 * (all.size() % 3) : 0);
        setItems(o, items, 1 + all.size() % 3);
        all.push_back(o);
      }
}

/// Two CTAs where the planner finds them worth it, or one where the launch has
/// too few tiles for two.
static void coverPlanned(llvm::StringRef arch, std::vector<GemmOptions> &all) {
  for (unsigned type = 0; type != mainTypes; ++type)
    for (unsigned items = 0; items != itemKinds; ++items) {
      const auto &size = sizes[all.size() % std::size(sizes)];
      GemmOptions o = makeGemm(arch, type);
      o.planned = true;
      o.tileN = 128;
      o.epilogue =
          GemmOptions::Epilogue(all.size() % GemmOptions::epilogueCount);
      o.m = size.tilesM * o.tileM + size.rest;
      o.n = size.tilesN * o.tileN + size.rest;
      o.k = size.trips * o.tileK;
      o.one = items == One;
      o.dynamic = items == Dynamic;
      o.ctas = 0;
      all.push_back(o);
    }
}

std::vector<Case> suite::makeClusterCases(llvm::StringRef arch, uint64_t seed) {
  std::vector<GemmOptions> all;
  cover(arch, /*pairs=*/false, all);
  cover(arch, /*pairs=*/true, all);
  std::mt19937_64 random(seed);
  for (size_t i = 0, count = all.size(); i != count; ++i) {
    GemmOptions o = drawGemm(arch, random);
    const auto &cluster = clusters[random() % std::size(clusters)];
    o.clusterM = cluster[0];
    o.clusterN = cluster[1];
    o.pairs = random() % 2 && canPair(arch, o.clusterM);
    // Of B, which CTAs along M share, each loads a part: eight rows at least.
    // Half of a pair's B is a tile that products of every type read.
    int64_t rows = 8 * o.clusterM;
    o.tileN = std::max(o.tileN, o.pairs ? std::max<int64_t>(rows, 64) : rows);
    if (o.tileK < rows)
      o.bTransposed = false;
    unsigned items = random() % itemKinds;
    setItems(o, items, 1 + random() % 3);
    all.push_back(o);
  }
  coverSteps(arch, all);
  coverPlanned(arch, all);
  std::vector<Case> cases;
  for (const GemmOptions &options : all)
    cases.push_back(makeGemmCase(options, seed, cases.size()));
  llvm::append_range(cases, makeRowCases(arch, seed));
  llvm::append_range(cases, makeRowProductCases(arch, seed));
  return cases;
}
