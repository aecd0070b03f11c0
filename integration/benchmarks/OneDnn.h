//===- OneDnn.h - The library alone, to compare with ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_BENCHMARKS_ONEDNN_H
#define DRAWLOOM_BENCHMARKS_ONEDNN_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

/// Processor time since the program began.
double processorSeconds();

/// A product of bf16 matrices by oneDNN, in one call and one thread.
struct OneDnnProduct {
  double seconds = 0;   ///< The best of several rounds.
  std::vector<float> d; ///< m rows of n
};

/// A has m rows of k, B n rows of k, both as the bits of bf16.
OneDnnProduct multiplyByOneDnn(int64_t m, int64_t n, int64_t k,
                               llvm::ArrayRef<uint16_t> a,
                               llvm::ArrayRef<uint16_t> b);

#endif // DRAWLOOM_BENCHMARKS_ONEDNN_H
