//===- ComposedCases.h - Programs that are drawn ----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Generated programs: each is drawn from a seed and a number, out of
//
//   products     of bf16, f16, tf32, fp8 and i8, in all layouts, with operands
//                that are computed, and of what a product left
//   shapes       reductions along either axis, broadcasts, transposes, slices
//   elements     arithmetic, functions, comparisons and selects, casts
//   loops        that carry tiles and vectors, with products in them
//   outputs      one to three, stored at the end or in a loop
//
// A program is the same for both architectures, and has to be right there, or
// rejected at a line of it before there is a plan.

#ifndef DRAWLOOM_TOOLS_SUITE_COMPOSEDCASES_H
#define DRAWLOOM_TOOLS_SUITE_COMPOSEDCASES_H

#include "Case.h"
#include "llvm/ADT/StringRef.h"

namespace drawloom::suite {

/// So many programs. The n-th one is a function of `seed` and n.
std::vector<Case> makeComposedCases(llvm::StringRef arch, uint64_t seed,
                                    unsigned count);

} // namespace drawloom::suite

#endif // DRAWLOOM_TOOLS_SUITE_COMPOSEDCASES_H
