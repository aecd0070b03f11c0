//===- TimeReport.h - A timed run as text ----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the clock reported of one launch, and what `drawloom explain --time`
// says of it: the time, the critical path through the pipes, and what each role
// does for a K tile.

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_TIMEREPORT_H
#define DRAWLOOM_TOOLS_DRAWLOOM_TIMEREPORT_H

#include "ProgramOptions.h"
#include "TimePage.h"
#include "drawloom/Analysis/Plan/Plan.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Run/Execute.h"
#include "llvm/Support/JSON.h"

namespace drawloom {

/// A program that was compiled and run by the clock.
struct Timed {
  plan::Plan plan;
  tile::Schedule schedule; ///< As it was planned.
  llvm::json::Object report;

  double microseconds() const {
    return report.getNumber("microseconds").value_or(0);
  }
};

void printTimed(const Timed &timed, const run::Arguments &arguments,
                const ProgramOptions &options, llvm::raw_ostream &os);

/// What the kernel reaches, and what its device can do at the run's clock.
Roofline makeRoofline(const Timed &timed, const ProgramOptions &options);

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_TIMEREPORT_H
