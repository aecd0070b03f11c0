//===- RowCases.h - Rows that the CTAs of a cluster divide ------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Programs that reduce rows, each row by the CTAs of a cluster together. Half
// of them are a table, the other half is drawn.
//
//   programs   sum and maximum of a row, softmax, RMSNorm
//   clusters   1 x 2, 1 x 4, 1 x 8, 1 x 16
//   types      f32, bf16, f16
//   items      one for a CTA, several at a fixed stride, or dynamic for the
//              cluster at run time
//   sizes      one row, tiles that end at the last row or beyond it; rows of
//   one
//              tile, and rows that are walked in steps, with or without a rest

#ifndef DRAWLOOM_TOOLS_SUITE_ROWCASES_H
#define DRAWLOOM_TOOLS_SUITE_ROWCASES_H

#include "Case.h"
#include "llvm/ADT/StringRef.h"

namespace drawloom::suite {

std::vector<Case> makeRowCases(llvm::StringRef arch, uint64_t seed);

} // namespace drawloom::suite

#endif // DRAWLOOM_TOOLS_SUITE_ROWCASES_H
