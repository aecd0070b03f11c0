//===- RowProductCases.h - Rows of products, by clusters --------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Products whose rows are normalized, each row by the CTAs of a cluster
// together: the accumulators stay where they are, and what rows are reduced to
// is exchanged. Half of them are a table, the other half is drawn.
//
//   programs   softmax, RMSNorm
//   clusters   1 x 2, 1 x 4, 2 x 2, whose CTAs along the first dimension share
//              B, and 2 x 4; in pairs, too, on Blackwell
//   types      bf16, f16, TF32, fp8
//   items      one for a CTA, several at a fixed stride, or dynamic
//   sizes      tiles that end at the last row or beyond it, k from 0

#ifndef DRAWLOOM_TOOLS_SUITE_ROWPRODUCTCASES_H
#define DRAWLOOM_TOOLS_SUITE_ROWPRODUCTCASES_H

#include "Case.h"
#include "llvm/ADT/StringRef.h"

namespace drawloom::suite {

std::vector<Case> makeRowProductCases(llvm::StringRef arch, uint64_t seed);

} // namespace drawloom::suite

#endif // DRAWLOOM_TOOLS_SUITE_ROWPRODUCTCASES_H
