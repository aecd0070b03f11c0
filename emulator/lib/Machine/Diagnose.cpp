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
  report.sourceFile = place.sourceFile.str();
  report.sourceLine = place.sourceLine;
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

void Run::reportDeadlock() {
  // Lanes that wait at one place for the same thing share a line.
  struct Group {
    CTA *cta;
    const Inst *inst;
    std::string what;
    llvm::SmallVector<std::pair<uint32_t, uint32_t>, 8> warps; ///< And lanes.
  };
  constexpr size_t mostLines = 32;
  std::vector<Group> groups;
  size_t left = 0;
  Fragment *first = nullptr;
  forEachFragment(grids, [&](CTA &cta, Fragment &fragment) {
    if (!first)
      first = &fragment;
    std::string what = fragment.object->describe(fragment);
    const Inst *inst = waitingAt(fragment);
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
  Report report;
  report.kind =
      first ? first->object->deadlockKind() : ReportKind::InvalidLaunch;
  llvm::raw_string_ostream os(report.message);
  os << "deadlock: no warp can move and no asynchronous work is in flight";
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
  if (first) {
    ::locate(report, first->warp->cta().grid(), waitingAt(*first));
    report.hasThread = true;
    report.cta = first->warp->cta().id();
    report.warp = first->warp->index();
    report.lanes = first->mask;
  } else {
    // Nothing runs and yet a grid isn't done: it can't be placed.
    report.message = "no SM has room for the next cluster of the launch";
  }
  fail(std::move(report));
}

void Run::reportStepLimit() {
  Report report;
  report.kind = ReportKind::StepLimit;
  llvm::raw_string_ostream os(report.message);
  os << "the run was ended after " << steps
     << " warp instructions (the step limit is " << optionsField.stepLimit
     << "); warps that were still running:";
  unsigned shown = 0, left = 0;
  forEachFragment(grids, [&](CTA &cta, Fragment &fragment) {
    if (fragment.state != Fragment::Ready)
      return;
    if (shown == 16) {
      ++left;
      return;
    }
    ++shown;
    if (!report.hasThread) {
      ::locate(report, cta.grid(), fragment.pc);
      report.hasThread = true;
      report.cta = cta.id();
      report.warp = fragment.warp->index();
      report.lanes = fragment.mask;
    }
    os << "\n  CTA " << cta.id().str() << ", warp " << fragment.warp->index()
       << ", " << describeLanes(fragment.mask) << ", "
       << place(cta, fragment.pc);
  });
  if (left)
    os << "\n  and " << left << " more";
  fail(std::move(report));
}
