//===- RowCases.cpp - Rows that the CTAs of a cluster divide --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowCases.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <random>

using namespace drawloom;
using namespace drawloom::suite;
using llvm::formatv;

static constexpr const char *programs[] = {"sums", "softmax", "rmsnorm"};
static constexpr const char *types[] = {"f32", "bf16", "f16"};
static constexpr const char *itemKinds[] = {"none", "static", "dynamic"};
static constexpr int64_t clusters[] = {2, 4, 8, 16};

namespace {
struct RowOptions {
  std::string arch;
  unsigned program = 0, type = 0, items = 1;
  int64_t cluster = 2;
  /// Of the tile: its rows, and the columns that each CTA has.
  int64_t tileRows = 8, share = 64;
  int64_t rows = 8;
  /// Of a row, beyond the columns of the tile: whole tiles, and a rest.
  int64_t steps = 0, rest = 0;
  unsigned clusterCount = 1;

  int64_t getColumns() const { return share * cluster; }
  /// The softmax keeps a row in registers.
  bool isWalked() const {
    return programs[program] != llvm::StringRef("softmax");
  }
  int64_t getLength() const {
    return isWalked() ? getColumns() * (1 + steps) + rest : getColumns();
  }
};
} // namespace

/// Replaces {T} by the type of elements, {X} by a tile of them, {F} by one of
/// f32, {V} by a vector of f32, {R} by the rows and {C} by the columns of the
/// tile.
static std::string fill(const RowOptions &o, std::string text) {
  std::string tile = formatv("{0}x{1}x", o.tileRows, o.getColumns());
  std::string type = types[o.type];
  const std::pair<const char *, std::string> words[] = {
      {"{T}", type},
      {"{X}", "tensor<" + tile + type + ">"},
      {"{F}", "tensor<" + tile + "f32>"},
      {"{V}", formatv("tensor<{0}xf32>", o.tileRows)},
      {"{R}", std::to_string(o.tileRows)},
      {"{C}", std::to_string(o.getColumns())}};
  for (const auto &[word, by] : words)
    for (size_t at; (at = text.find(word)) != std::string::npos;)
      text.replace(at, strlen(word), by);
  return text;
}

/// The tile as f32 numbers, and back.
static std::string widen(const RowOptions &o, llvm::StringRef from,
                         llvm::StringRef to, llvm::StringRef small,
                         llvm::StringRef large) {
  if (types[o.type] == llvm::StringRef("f32"))
    return formatv("      {0} = arith.addf {1}, {2} : {3}\n", to, from, from,
                   large);
  return formatv("      {0} = arith.extf {1} : {2} to {3}\n", to, from, small,
                 large);
}

static std::string narrow(const RowOptions &o, llvm::StringRef from,
                          llvm::StringRef to) {
  if (types[o.type] == llvm::StringRef("f32"))
    return formatv("      {0} = arith.negf {1} : {{F}\n", to, from);
  return formatv("      {0} = arith.truncf {1} : {{F} to {{X}\n", to, from);
}

static std::string open(const RowOptions &o, llvm::StringRef results) {
  std::string slots = "slots = {X = 2}";
  return formatv("tile.kernel @rows(%X: !tile.view<?x?x{{T}>, {0}) attributes "
                 "{{tile.schedule = #tile.schedule<cluster = [1, {1}], "
                 "persistent = {2}, {3}>} {{\n"
                 "  %c0 = arith.constant 0 : index\n"
                 "  %step = arith.constant {{C} : index\n"
                 "  %rows = tile.dim %X, 0 : !tile.view<?x?x{{T}>\n"
                 "  %N = tile.dim %X, 1 : !tile.view<?x?x{{T}>\n",
                 results, o.cluster, itemKinds[o.items], slots);
}

static std::string printSums(const RowOptions &o) {
  return open(o, "%S: !tile.view<?xf32>, %M: !tile.view<?xf32>") +
         R"(  %zero = arith.constant dense<0.0> : {V}
  %low = arith.constant dense<0xFF800000> : {V}
  tile.for_each (%m) tiles [{R}] of [%rows] {
    %both:2 = scf.for %n = %c0 to %N step %step iter_args(%s = %zero, %t = %low) -> ({V}, {V}) {
      %x = tile.load %X[%m, %n] : !tile.view<?x?x{T}> -> {X}
)" + widen(o, "%x", "%wide", "{X}", "{F}") +
         R"(      %part = tile.reduce addf %wide axis 1 : {F} -> {V}
      %sum = arith.addf %s, %part : {V}
      %most = tile.reduce maxnumf %wide axis 1 : {F} -> {V}
      %max = arith.maxnumf %t, %most : {V}
      scf.yield %sum, %max : {V}, {V}
    }
    tile.store %both#0, %S[%m] : {V}, !tile.view<?xf32>
    tile.store %both#1, %M[%m] : {V}, !tile.view<?xf32>
  }
}
)";
}

static std::string printSoftmax(const RowOptions &o) {
  return open(o, "%Y: !tile.view<?x?x{T}>") +
         R"(  tile.for_each (%m) tiles [{R}] of [%rows] {
      %x = tile.load %X[%m, 0] : !tile.view<?x?x{T}> -> {X}
)" + widen(o, "%x", "%wide", "{X}", "{F}") +
         R"(      %max = tile.reduce maxnumf %wide axis 1 : {F} -> {V}
      %c = tile.expand_dims %max axis 1 : {V} -> tensor<{R}x1xf32>
      %maxima = tile.broadcast %c : tensor<{R}x1xf32> -> {F}
      %d = arith.subf %wide, %maxima : {F}
      %e = math.exp %d : {F}
      %sum = tile.reduce addf %e axis 1 : {F} -> {V}
      %sc = tile.expand_dims %sum axis 1 : {V} -> tensor<{R}x1xf32>
      %sums = tile.broadcast %sc : tensor<{R}x1xf32> -> {F}
      %y = arith.divf %e, %sums : {F}
)" + narrow(o, "%y", "%out") +
         R"(      tile.store %out, %Y[%m, 0] : {X}, !tile.view<?x?x{T}>
  }
}
)";
}

static std::string printRmsNorm(const RowOptions &o) {
  return open(o, "%W: !tile.view<?xf32>, %Y: !tile.view<?x?x{T}>") +
         R"(  %zero = arith.constant dense<0.0> : {V}
  %small = arith.constant dense<0.125> : {V}
  tile.for_each (%m) tiles [{R}] of [%rows] {
    %sum = scf.for %n = %c0 to %N step %step iter_args(%s = %zero) -> ({V}) {
      %x = tile.load %X[%m, %n] : !tile.view<?x?x{T}> -> {X}
)" + widen(o, "%x", "%wide", "{X}", "{F}") +
         R"(      %square = arith.mulf %wide, %wide : {F}
      %part = tile.reduce addf %square axis 1 : {F} -> {V}
      %t = arith.addf %s, %part : {V}
      scf.yield %t : {V}
    }
    %shifted = arith.addf %sum, %small : {V}
    %root = math.rsqrt %shifted : {V}
    %c = tile.expand_dims %root axis 1 : {V} -> tensor<{R}x1xf32>
    %roots = tile.broadcast %c : tensor<{R}x1xf32> -> {F}
    scf.for %n = %c0 to %N step %step {
      %x = tile.load %X[%m, %n] : !tile.view<?x?x{T}> -> {X}
)" + widen(o, "%x", "%wide", "{X}", "{F}") +
         R"(      %w = tile.load %W[%n] : !tile.view<?xf32> -> tensor<{C}xf32>
      %r = tile.expand_dims %w axis 0 : tensor<{C}xf32> -> tensor<1x{C}xf32>
      %weights = tile.broadcast %r : tensor<1x{C}xf32> -> {F}
      %normal = arith.mulf %wide, %roots : {F}
      %y = arith.mulf %normal, %weights : {F}
)" + narrow(o, "%y", "%out") +
         R"(      tile.store %out, %Y[%m, %n] : {X}, !tile.view<?x?x{T}>
    }
  }
}
)";
}

static Case makeCase(const RowOptions &o, uint64_t seed, unsigned number) {
  Case result;
  result.arch = o.arch;
  int64_t length = o.getLength();
  llvm::StringRef program = programs[o.program];
  if (program == "sums") {
    result.program = fill(o, printSums(o));
    result.shapes = {{o.rows, length}, {o.rows}, {o.rows}};
  } else if (program == "softmax") {
    result.program = fill(o, printSoftmax(o));
    result.shapes = {{o.rows, length}, {o.rows, length}};
  } else {
    result.program = fill(o, printRmsNorm(o));
    result.shapes = {{o.rows, length}, {length}, {o.rows, length}};
  }
  llvm::StringRef items = itemKinds[o.items];
  result.ctas = items == "static" ? o.clusterCount * o.cluster : 0;
  result.itemsPerCta =
      items == "static" ? llvm::divideCeil(llvm::divideCeil(o.rows, o.tileRows),
                                           o.clusterCount)
                        : 1;
  result.seed = seed + number;
  result.name =
      formatv("{0}-rows{1,0+4}-{2}-{3}-{4}x{5}-t{6}x{7}-{8}-cluster1x{9}",
              o.arch, llvm::utostr(number), program, types[o.type], o.rows,
              length, o.tileRows, o.getColumns(), items, o.cluster);
  return result;
}

std::vector<Case> suite::makeRowCases(llvm::StringRef arch, uint64_t seed) {
  static constexpr struct {
    int64_t rows, steps, rest;
  } sizes[] = {{20, 1, 8}, {1, 0, 0}, {16, 2, 0}, {37, 0, -24}};
  std::vector<RowOptions> all;
  for (int64_t cluster : clusters)
    for (unsigned program = 0; program != std::size(programs); ++program)
      for (unsigned type = 0; type != std::size(types); ++type)
        for (unsigned items = 0; items != std::size(itemKinds); ++items) {
          const auto &size = sizes[all.size() % std::size(sizes)];
          RowOptions o;
          o.arch = arch.str();
          o.program = program;
          o.type = type;
          o.items = items;
          o.cluster = cluster;
          o.rows = size.rows;
          o.steps = size.steps;
          o.rest = size.rest;
          o.clusterCount = 1 + all.size() % 2;
          all.push_back(o);
        }
  std::mt19937_64 random(seed);
  for (size_t i = 0, count = all.size(); i != count; ++i) {
    RowOptions o;
    o.arch = arch.str();
    o.program = random() % std::size(programs);
    o.type = random() % std::size(types);
    o.items = random() % std::size(itemKinds);
    o.cluster = clusters[random() % std::size(clusters)];
    o.tileRows = int64_t(4) << random() % 3;
    o.share = int64_t(32) << random() % 3;
    o.rows = 1 + random() % 50;
    o.steps = random() % 3;
    o.rest = 8 * (random() % 4);
    o.clusterCount = 1 + random() % 3;
    all.push_back(o);
  }
  std::vector<Case> cases;
  for (const RowOptions &options : all)
    cases.push_back(makeCase(options, seed, cases.size()));
  return cases;
}
