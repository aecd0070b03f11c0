//===- Budgets.h - What a plan takes of the hardware ---------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Threads, registers, shared and tensor memory: how much of each limit is used,
// and which part of it is whose. The text draws them with blocks, the drawing
// with rectangles.

#ifndef DRAWLOOM_LIB_ANALYSIS_PRINTPLAN_BUDGETS_H
#define DRAWLOOM_LIB_ANALYSIS_PRINTPLAN_BUDGETS_H

#include "drawloom/Analysis/Plan/Plan.h"

namespace drawloom::plan {

struct BudgetPart {
  std::string name;
  int64_t start = 0;
  int64_t size = 0;
  /// "192 KiB at 0".
  std::string words;
};

struct Budget {
  std::string name;
  int64_t used = 0;
  int64_t limit = 0;
  /// "224.2 KiB of 227 KiB".
  std::string words;
  std::vector<BudgetPart> parts = {};
};

/// Those that are decided.
std::vector<Budget> listBudgets(const Plan &plan);

} // namespace drawloom::plan

#endif // DRAWLOOM_LIB_ANALYSIS_PRINTPLAN_BUDGETS_H
