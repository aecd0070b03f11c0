//===- CutlassHost.h - Kernels of CUTLASS's with their host code *- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels are PTX as nvcc made it of CUTLASS's templates, and their
// parameters come from CUTLASS's own host code, compiled to a shared library
// that asks a CUDA driver for tensor maps: the emulator's libcuda.so.1. Both
// are in the cache of the integration tests (`utils/peers build`, and then the
// tests with the label `peers`).
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_BENCHMARKS_CUTLASSHOST_H
#define DRAWLOOM_BENCHMARKS_CUTLASSHOST_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

/// As in integration/emulator/hosts/cutlass.cuh.
struct CutlassProblem {
  int m, n, k;
  int smCount;
  uint64_t a, b, c, bias, d;
  uint64_t workspace;
  float alpha, beta;
  uint64_t aScales, bScales;
};
struct CutlassLaunch {
  unsigned grid[3], block[3], cluster[3];
  unsigned sharedBytes;
  unsigned parameterBytes;
  unsigned workspaceBytes;
};

struct CutlassKernel {
  std::string ptxFile;
  /// Fills in the launch and its parameters; 0 if it can't.
  int (*describe)(const CutlassProblem *, CutlassLaunch *, void *, size_t);

  static constexpr size_t mostParameterBytes = 8192;
};

/// The kernel of that name; nothing if it, its host code or the emulator's
/// driver isn't there.
std::optional<CutlassKernel> findCutlassKernel(llvm::StringRef name);

/// What to say then.
inline constexpr const char *cutlassMissing =
    "not in the cache: build the peers' kernels, and run the tests with the "
    "label peers once\n";

#endif // DRAWLOOM_BENCHMARKS_CUTLASSHOST_H
