//===- RowProductCases.cpp - Rows of products, by clusters ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowProductCases.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <random>

using namespace drawloom;
using namespace drawloom::suite;
using llvm::formatv;

static constexpr const char *programs[] = {"softmax", "rmsnorm"};
static constexpr const char *itemKinds[] = {"none", "static", "dynamic"};
static constexpr int64_t clusters[][2] = {{1, 2}, {1, 4}, {2, 2}, {2, 4}};
static constexpr int64_t tileRows = 128;

/// The type of operands, and the size of their K tile.
static constexpr struct {
  const char *name;
  int64_t step;
} types[] = {{"bf16", 64}, {"f16", 64}, {"f32", 32}, {"f8E4M3FN", 128}};

namespace {
struct RowProductOptions {
  std::string arch;
  unsigned program = 0, type = 0, items = 1;
  int64_t clusterM = 1, clusterN = 2;
  bool pairs = false;
  /// Of a row, the columns that each CTA has.
  int64_t share = 64;
  int64_t m = tileRows, k = 64;
  unsigned clusterCount = 1;

  int64_t getColumns() const { return share * clusterN; }
};
} // namespace

/// Replaces {T} by the type of operands, {N} by the columns, {S} by the K tile,
/// {P} by how MMAs read f32, {F} and {H} by tiles of the result in f32 and
/// bf16.
static std::string fill(const RowProductOptions &o, std::string text) {
  std::string columns = std::to_string(o.getColumns());
  const std::pair<const char *, std::string> words[] = {
      {"{T}", types[o.type].name},
      // Tensor cores read f32 as TF32.
      {"{P}", types[o.type].name == llvm::StringRef("f32") ? " tf32" : ""},
      {"{S}", std::to_string(types[o.type].step)},
      {"{F}", "tensor<128x" + columns + "xf32>"},
      {"{H}", "tensor<128x" + columns + "xbf16>"},
      {"{N}", columns}};
  for (const auto &[word, by] : words)
    for (size_t at; (at = text.find(word)) != std::string::npos;)
      text.replace(at, strlen(word), by);
  return text;
}

static std::string printProgram(const RowProductOptions &o) {
  bool isNorm = programs[o.program] == llvm::StringRef("rmsnorm");
  std::string text = formatv(
      "tile.kernel @rows(%A: !tile.view<?x?x{{T}>, %B: "
      "!tile.view<{{N}x?x{{T}>, {0}%D: !tile.view<?x{{N}xbf16>) attributes "
      "{{tile.schedule = #tile.schedule<cluster = [{1}, {2}], persistent = "
      "{3}{4}>} {{\n",
      isNorm ? "%W: !tile.view<{N}xf32>, " : "", o.clusterM, o.clusterN,
      itemKinds[o.items], o.pairs ? ", cta_group = 2" : "");
  text += R"(  %c0 = arith.constant 0 : index
  %step = arith.constant {S} : index
  %zero = arith.constant dense<0.0> : {F}
  %M = tile.dim %A, 0 : !tile.view<?x?x{T}>
  %K = tile.dim %A, 1 : !tile.view<?x?x{T}>
  tile.for_each (%m) tiles [128] of [%M] {
    %acc = scf.for %k = %c0 to %K step %step iter_args(%s = %zero) -> ({F}) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?x{T}> -> tensor<128x{S}x{T}>
      %b = tile.load %B[0, %k] : !tile.view<{N}x?x{T}> -> tensor<{N}x{S}x{T}>
      %t = tile.mma %a, %b, %s{P} : tensor<128x{S}x{T}>, tensor<{N}x{S}x{T}> -> {F}
      scf.yield %t : {F}
    }
)";
  text +=
      isNorm
          ? R"(    %eps = arith.constant dense<1.0> : tensor<128xf32>
    %squares = arith.mulf %acc, %acc : {F}
    %sum = tile.reduce addf %squares axis 1 : {F} -> tensor<128xf32>
    %more = arith.addf %sum, %eps : tensor<128xf32>
    %root = math.rsqrt %more : tensor<128xf32>
    %column = tile.expand_dims %root axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %roots = tile.broadcast %column : tensor<128x1xf32> -> {F}
    %w = tile.load %W[0] : !tile.view<{N}xf32> -> tensor<{N}xf32>
    %row = tile.expand_dims %w axis 0 : tensor<{N}xf32> -> tensor<1x{N}xf32>
    %weights = tile.broadcast %row : tensor<1x{N}xf32> -> {F}
    %normal = arith.mulf %acc, %roots : {F}
    %y = arith.mulf %normal, %weights : {F}
)"
          : R"(    %max = tile.reduce maxnumf %acc axis 1 : {F} -> tensor<128xf32>
    %first = tile.expand_dims %max axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %maxima = tile.broadcast %first : tensor<128x1xf32> -> {F}
    %less = arith.subf %acc, %maxima : {F}
    %e = math.exp %less : {F}
    %sum = tile.reduce addf %e axis 1 : {F} -> tensor<128xf32>
    %column = tile.expand_dims %sum axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %sums = tile.broadcast %column : tensor<128x1xf32> -> {F}
    %y = arith.divf %e, %sums : {F}
)";
  text += R"(    %d = arith.truncf %y : {F} to {H}
    tile.store %d, %D[%m, 0] : {H}, !tile.view<?x{N}xbf16>
  }
}
)";
  return fill(o, text);
}

static Case makeCase(const RowProductOptions &o, uint64_t seed,
                     unsigned number) {
  Case result;
  result.arch = o.arch;
  result.program = printProgram(o);
  int64_t n = o.getColumns();
  result.shapes = {{o.m, o.k}, {n, o.k}, {o.m, n}};
  llvm::StringRef program = programs[o.program];
  if (program == "rmsnorm")
    result.shapes.insert(result.shapes.begin() + 2, {n});
  int64_t size = o.clusterM * o.clusterN;
  llvm::StringRef items = itemKinds[o.items];
  bool isStatic = items == "static";
  result.ctas = isStatic ? o.clusterCount * size : 0;
  result.itemsPerCta =
      isStatic ? llvm::divideCeil(llvm::divideCeil(o.m, tileRows * o.clusterM),
                                  o.clusterCount)
               : 1;
  result.seed = seed + number;
  result.name = formatv(
      "{0}-rowproduct{1,0+4}-{2}-{3}-{4}x{5}x{6}-{7}-cluster{8}x{9}{10}",
      o.arch, llvm::utostr(number), program, types[o.type].name, o.m, n, o.k,
      items, o.clusterM, o.clusterN, o.pairs ? "-pair" : "");
  return result;
}

std::vector<Case> suite::makeRowProductCases(llvm::StringRef arch,
                                             uint64_t seed) {
  // Rows, and trips along k.
  static constexpr struct {
    int64_t m, trips;
  } sizes[] = {{300, 2}, {128, 0}, {513, 5}, {40, 1}};
  bool hasPairs = arch != "sm_90a";
  std::vector<RowProductOptions> all;
  for (auto [clusterM, clusterN] : clusters)
    for (unsigned type = 0; type != std::size(types); ++type)
      for (unsigned items = 0; items != std::size(itemKinds); ++items) {
        const auto &size = sizes[all.size() % std::size(sizes)];
        RowProductOptions o;
        o.arch = arch.str();
        o.program = all.size() / 2 % std::size(programs);
        o.type = type;
        o.items = items;
        o.clusterM = clusterM;
        o.clusterN = clusterN;
        o.pairs = hasPairs && clusterM == 2 && items != 1;
        o.m = size.m;
        o.k = size.trips * types[type].step;
        o.clusterCount = 1 + all.size() % 2;
        all.push_back(o);
      }
  std::mt19937_64 random(seed);
  for (size_t i = 0, count = all.size(); i != count; ++i) {
    RowProductOptions o;
    o.arch = arch.str();
    o.program = random() % std::size(programs);
    o.type = random() % std::size(types);
    o.items = random() % std::size(itemKinds);
    const auto &cluster = clusters[random() % std::size(clusters)];
    o.clusterM = cluster[0];
    o.clusterN = cluster[1];
    o.pairs = hasPairs && o.clusterM == 2 && random() % 2;
    o.share = int64_t(64) << random() % 2;
    o.m = 1 + random() % 700;
    // Rows of operands are multiples of 16 bytes.
    o.k = 16 * (random() % 20);
    o.clusterCount = 1 + random() % 3;
    all.push_back(o);
  }
  std::vector<Case> cases;
  for (const RowProductOptions &options : all)
    cases.push_back(makeCase(options, seed, cases.size()));
  return cases;
}
