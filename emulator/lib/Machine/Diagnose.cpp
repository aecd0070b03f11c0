//===- Diagnose.cpp - Reports of a run -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Run.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <array>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;

void Machine::fail(Report newReport) {
  if (!report)
    report = std::move(newReport);
}

static void locate(Report &report, Grid &grid, const Inst *inst) {
  InstructionPlace place = grid.kernel().place(grid.program().indexOf(inst));
  report.kernel = grid.program().entry->name.str();
  report.function = place.function.str();
  report.line = place.line;
  report.source = std::move(place.source);
}

void Machine::fail(const IssuePoint &issue, ReportKind kind,
                   const Twine &message) {
  Report found;
  found.kind = kind;
  found.message = message.str();
  ::locate(found, issue.cta->grid(), issue.inst);
  found.hasThread = true;
  found.cta = issue.cta->id();
  found.warp = issue.warp;
  found.lanes = issue.lanes;
  fail(std::move(found));
}

/// Calls `callback` for each fragment of the run.
template <typename F>
static void forEachFragment(llvm::ArrayRef<std::unique_ptr<Grid>> grids,
                            F callback) {
  for (const std::unique_ptr<Grid> &grid : grids)
    for (const std::unique_ptr<Cluster> &cluster : grid->clusters())
      for (const std::unique_ptr<CTA> &cta : cluster->ctas())
        for (const std::unique_ptr<Warp> &warp : cta->warps())
          warp->forEachFragment(
              [&](Fragment &fragment) { callback(*cta, fragment); });
}

static std::string place(CTA &cta, const Inst *inst) {
  const Program &program = cta.grid().program();
  std::string text = "line " + llvm::utostr(program.line(inst));
  if (const ptx::SourceLocation *location = program.location(inst))
    text += " (source line " + llvm::utostr(location->line) + ")";
  return text;
}

/// The instruction that a waiting fragment stands at, or has just executed.
static const Inst *waitingAt(const Fragment &fragment) {
  return fragment.resumes ? fragment.pc - 1 : fragment.pc;
}

/// What a report begins with: fragments that run, in a run that was ended;
/// those that wait for something that came in part; those that wait.
static unsigned rankOf(const Fragment &fragment) {
  if (fragment.state != Fragment::Waiting)
    return 0;
  return fragment.object->isPartlyComplete() ? 1 : 2;
}

/// Where every warp stands, a line for lanes that stand at one place for the
/// same reason; barriers that cannot complete come first. `first`: a fragment
/// of the first line.
static std::string describeWarps(llvm::ArrayRef<std::unique_ptr<Grid>> grids,
                                 Fragment *&first) {
  struct Group {
    CTA *cta;
    const Inst *inst;
    std::string what;
    llvm::SmallVector<std::pair<uint32_t, uint32_t>, 8> warps; ///< And lanes.
  };
  constexpr size_t mostLines = 32;
  std::array<std::vector<Group>, 3> ranked;
  size_t left = 0;
  forEachFragment(grids, [&](CTA &cta, Fragment &fragment) {
    bool waits = fragment.state == Fragment::Waiting;
    unsigned rank = rankOf(fragment);
    if (!first || rank < rankOf(*first))
      first = &fragment;
    std::string what =
        waits ? fragment.object->describe(fragment) : std::string("runs");
    const Inst *inst = waits ? waitingAt(fragment) : fragment.pc;
    std::vector<Group> &groups = ranked[rank];
    auto it = llvm::find_if(groups, [&](const Group &group) {
      return group.cta == &cta && group.inst == inst && group.what == what;
    });
    if (it == groups.end()) {
      if (groups.size() == mostLines) {
        ++left;
        return;
      }
      groups.push_back({&cta, inst, what, {}});
      it = std::prev(groups.end());
    }
    it->warps.push_back({fragment.warp->index(), fragment.mask});
  });
  std::vector<Group> groups;
  for (std::vector<Group> &some : ranked)
    for (Group &group : some)
      if (groups.size() != mostLines)
        groups.push_back(std::move(group));
      else
        left += group.warps.size();
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Group &group : groups) {
    os << "\n  CTA " << group.cta->id().str() << ", ";
    bool whole = llvm::all_of(group.warps,
                              [](auto &entry) { return entry.second == ~0u; });
    os << (group.warps.size() == 1 ? "warp " : "warps ");
    llvm::interleaveComma(group.warps, os, [&](auto &entry) {
      os << entry.first;
      if (!whole)
        os << " (" << describeLanes(entry.second) << ")";
    });
    os << ", " << place(*group.cta, group.inst) << ": " << group.what;
  }
  if (left)
    os << "\n  and " << left << " more";
  return text;
}

/// Places a report at a fragment.
static void locateAt(Report &report, Fragment &fragment) {
  ::locate(report, fragment.warp->cta().grid(),
           fragment.state == Fragment::Waiting ? waitingAt(fragment)
                                               : fragment.pc);
  report.hasThread = true;
  report.cta = fragment.warp->cta().id();
  report.warp = fragment.warp->index();
  report.lanes = fragment.mask;
}

void Run::reportDeadlock() {
  Fragment *first = nullptr;
  std::string warps = describeWarps(grids, first);
  Report report;
  if (first) {
    report.kind = first->object->deadlockKind();
    report.message =
        "deadlock: no warp can move and no asynchronous work is in flight" +
        warps;
    locateAt(report, *first);
  } else {
    // Nothing runs and yet a grid isn't done: it can't be placed.
    report.kind = ReportKind::InvalidLaunch;
    report.message = "no SM has room for the next cluster of the launch";
  }
  fail(std::move(report));
}

/// Of the grid that runs: how many CTAs found no room yet; empty if all have
/// started. A barrier of a grid waits for them, and they for it.
static std::string
describeWaiting(llvm::ArrayRef<std::unique_ptr<Grid>> grids) {
  for (const std::unique_ptr<Grid> &grid : grids) {
    if (grid->clusters().empty() || !grid->hasMoreClusters())
      continue;
    uint64_t all = grid->clusterCount() * grid->clusterSize();
    uint64_t running = grid->clusters().size() * grid->clusterSize();
    uint64_t waiting = grid->waitingClusters() * grid->clusterSize();
    return "; " + llvm::utostr(waiting) + " of " + llvm::utostr(all) +
           " CTAs have not started, as the device has room for " +
           llvm::utostr(running) +
           " at a time: a CTA that waits for one of them, as at a barrier of "
           "the grid, deadlocks (launch no more than fit, or by "
           "cudaLaunchCooperativeKernel, which checks that)";
  }
  return "";
}

void Run::reportEnded(ReportKind kind, const std::string &why) {
  Fragment *first = nullptr;
  std::string warps = describeWarps(grids, first);
  Report report;
  report.kind = kind;
  report.message = "the run was ended after " + llvm::utostr(steps) +
                   " warp instructions" + why + describeWaiting(grids) +
                   "; where its warps stand:" + warps;
  if (first)
    locateAt(report, *first);
  fail(std::move(report));
}
