//===- GemmCases.h - Matrix products with epilogues ----------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The cases of the gemm label. Half of them cover the table below, each row
// with everything else fixed; the other half is drawn from all columns at
// once.
//
//   types      bf16, f16, f32 as tf32, fp8 (e4m3, e5m2 and both)
//   layouts    A as M x K or K x M, B as N x K or K x N
//   sizes      multiples of the tile or not
//   epilogues  none, cast, bias by row or column, residual, scale, relu, gelu,
//              silu, two outputs
//   slots      1 to 8
//   K trips    0, 1, slots - 1, slots, slots + 1, many
//   batch      none, 1, 3
//   roles      as planned; one that computes (single), none at all
//   CTAs       few, so that a CTA has several work tiles
//   items      at a fixed stride, or dynamic
//
// Where the instruction has no such operand, the case is one that must be
// rejected.

#ifndef DRAWLOOM_TOOLS_SUITE_GEMMCASES_H
#define DRAWLOOM_TOOLS_SUITE_GEMMCASES_H

#include "Case.h"
#include "llvm/ADT/StringRef.h"
#include <random>

namespace drawloom::suite {

/// What a matrix product with an epilogue may be like.
struct GemmOptions {
  enum class Epilogue {
    None,
    Cast,
    BiasByRow,
    BiasByColumn,
    Residual,
    Scale,
    Relu,
    Gelu,
    Silu,
    TwoOutputs
  };
  static constexpr unsigned epilogueCount = 10;

  std::string arch = "sm_100a";
  /// Element types of A and B, as MLIR spells them.
  std::string a = "bf16", b = "bf16";
  /// Stored with K first.
  bool aTransposed = false, bTransposed = false;
  Epilogue epilogue = Epilogue::Cast;
  /// Of operands. 0: as planned.
  unsigned slots = 0;
  /// 0: the program has no batch.
  int64_t batch = 0;
  int64_t tileM = 128, tileN = 64, tileK = 64;
  int64_t m = 128, n = 64, k = 128;
  /// 0: as the launch decides.
  unsigned ctas = 1;
  /// Work tiles come from a dynamic tile scheduler.
  bool dynamic = false;
  /// A CTA takes one work tile.
  bool one = false;
  /// CTAs of a cluster along M and N.
  int64_t clusterM = 1, clusterN = 1;
  /// CTAs that divide the K tiles (split-K).
  int64_t clusterK = 1;
  /// Two CTAs along M issue 2-CTA MMAs.
  bool pairs = false;
  /// The planner chooses the cluster, and the launch one of two kernels.
  bool planned = false;
  /// What the schedule says of roles: nothing, "single" or "none".
  std::string roles;
};

/// A product of bf16, f16, tf32 or e4m3, by number, with a tile that suits it.
constexpr unsigned mainTypes = 4;
GemmOptions makeGemm(llvm::StringRef arch, unsigned type);

/// One that is drawn from all columns but those about work tiles.
GemmOptions drawGemm(llvm::StringRef arch, std::mt19937_64 &random);

/// A case of it; `number` is in its name.
Case makeGemmCase(const GemmOptions &options, uint64_t seed, unsigned number);

/// The tile program of such a product.
std::string printGemm(const GemmOptions &options);

/// The cases for an architecture: those that cover the table, and as many drawn
/// from `seed`.
std::vector<Case> makeGemmCases(llvm::StringRef arch, uint64_t seed);

/// The same, with a dynamic tile scheduler: with as many CTAs as
/// the launch decides, to fewer of them, and to more than there are items.
std::vector<Case> makeDynamicCases(llvm::StringRef arch, uint64_t seed);

/// Products of every type with every epilogue, with tiles as large as a kernel
/// has that is meant to be fast: to be compiled, not run.
std::vector<Case> makeDefaultTiles(llvm::StringRef arch);

} // namespace drawloom::suite

#endif // DRAWLOOM_TOOLS_SUITE_GEMMCASES_H
