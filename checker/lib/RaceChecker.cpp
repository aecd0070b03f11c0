//===- RaceChecker.cpp - Races in a run ----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/RaceChecker.h"
#include "ClusterChecker.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::checker;
using llvm::utostr;

RaceChecker::RaceChecker() = default;
RaceChecker::~RaceChecker() = default;

void RaceChecker::launchStarted(uint32_t index, const emu::Launch &launch) {
  if (kernels.size() <= index)
    kernels.resize(index + 1);
  kernels[index] = launch.kernel;
}

std::unique_ptr<emu::ClusterListener>
RaceChecker::startCluster(const emu::ClusterStart &start) {
  return std::make_unique<ClusterChecker>(kernels[start.launch], start.cluster);
}

void RaceChecker::endCluster(std::unique_ptr<emu::ClusterListener> listener) {
  for (const Race &race : static_cast<ClusterChecker &>(*listener).races)
    addRace(race.isOneStore() ? noted : found, race);
}

void drawloom::checker::addRace(std::vector<Race> &races, const Race &race) {
  auto isSame = [](const RaceSite &x, const RaceSite &y) {
    return x.instruction == y.instruction && x.writes == y.writes;
  };
  auto it = llvm::find_if(races, [&](const Race &other) {
    return other.kernel == race.kernel &&
           ((isSame(other.first, race.first) &&
             isSame(other.second, race.second)) ||
            (isSame(other.first, race.second) &&
             isSame(other.second, race.first)));
  });
  if (it == races.end())
    races.push_back(race);
  else
    it->count += race.count;
}

static std::string text(const emu::Kernel &kernel, const RaceSite &site,
                        bool namesRank) {
  emu::InstructionPlace place = kernel.place(site.instruction);
  std::string line = "line " + utostr(place.line);
  if (!place.sourceFile.empty())
    line +=
        " (" + place.sourceFile.str() + ":" + utostr(place.sourceLine) + ")";
  return line + ", " +
         (namesRank ? "CTA rank " + utostr(site.rank) + ", " : "") + "warp " +
         utostr(site.warp) + ", lane " + utostr(site.lane);
}

std::string Race::str() const {
  bool namesRank = first.rank != rank || second.rank != rank;
  return "race in shared memory at byte " + utostr(byte) +
         (namesRank ? " of CTA rank " + utostr(rank) : "") + ": " +
         text(*kernel, first, namesRank) +
         (first.writes ? " writes" : " reads") + " it; " +
         text(*kernel, second, namesRank) +
         (second.writes ? " writes" : " reads") +
         " it, and nothing orders the two" +
         (isOneStore() ? ": they must write the same value" : "");
}
