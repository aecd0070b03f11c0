//===- MapReach.h - Tensor maps and the memory they are for -----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy fills in or leaves out what is outside the sizes of its map. What
// is inside is copied, wherever that is. So a map whose last element is past
// its memory is a bug that waits for a coordinate.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_MAPREACH_H
#define DRAWLOOM_CHECKER_MAPREACH_H

#include "Findings.h"
#include "Shadow.h"

namespace drawloom::checker {

/// Says so if the map of a copy reaches past the allocation that it begins in;
/// nothing if it begins in none. `access` says who copies.
void checkReach(const emu::TensorMapEvent &event, const Access &access,
                Findings &findings);

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_MAPREACH_H
