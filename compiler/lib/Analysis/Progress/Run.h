//===- Run.h - One run at given sizes -------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One run that goes on as long as it can decides for given sizes.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_ANALYSIS_PROGRESS_RUN_H
#define DRAWLOOM_LIB_ANALYSIS_PROGRESS_RUN_H

#include "Machine.h"

namespace drawloom::progress {

/// The number of slots of each pipe.
std::vector<int64_t> slotCounts(const Network &network, const Sizes &sizes);

/// What is wrong with a machine that can't move, or was stopped because a role
/// was early; nothing if it has succeeded.
std::optional<Failure> fillFailure(const Machine &machine, bool early,
                                   const Sizes &sizes);

/// What fails at these sizes, or nothing. Counts `steps` up to `maxSteps`; when
/// it gets there, the answer means nothing.
std::optional<Failure> run(const Code &code, const Sizes &sizes,
                           uint64_t &steps, uint64_t maxSteps = stepLimit);

} // namespace drawloom::progress

#endif // DRAWLOOM_LIB_ANALYSIS_PROGRESS_RUN_H
