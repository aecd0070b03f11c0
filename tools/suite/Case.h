//===- Case.h - A program to run, and what must come of it ---- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A case of the numeric suite: a tile program as text, the sizes of its
// arguments, how many CTAs run it, and whether it must be right or rejected. A
// case is plain data and says everything, so that one can be repeated, written
// to a file, or given to a GPU.

#ifndef DRAWLOOM_TOOLS_SUITE_CASE_H
#define DRAWLOOM_TOOLS_SUITE_CASE_H

#include <cstdint>
#include <string>
#include <vector>

namespace drawloom::suite {

struct Case {
  /// Unique, and good for a file: "sm_100a-bf16-mk-nk-bias_row-s4-k7-0012".
  std::string name;
  /// "sm_90a" or "sm_100a".
  std::string arch;
  /// A module with one kernel.
  std::string program;
  /// The extents of each argument of the kernel; none for a scalar.
  std::vector<std::vector<int64_t>> shapes;
  /// The grid, and the SMs of an emulated device.
  unsigned ctas = 1;
  /// Work tiles of the CTA that has the most.
  unsigned itemsPerCta = 1;
  /// For the inputs.
  uint64_t seed = 0;
  /// If not empty, the program has to be rejected, with these words.
  std::string rejection;
  /// Whether it may be rejected, at a line of it and before there is a plan.
  bool mayBeRejected = false;
};

} // namespace drawloom::suite

#endif // DRAWLOOM_TOOLS_SUITE_CASE_H
