//===- InstructionDescriptorTest.cpp - Descriptors of tcgen05.mma ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// MMAs of each type are compiled, and the instruction descriptor is read
// from their PTX: the PTX ISA's "Instruction descriptor format for .kind::tf32,
// .kind::f16, .kind::f8f6f4 and .kind::i8".

#include "Fields.h"
#include "drawloom/InitAll.h"
#include "drawloom/Pipelines/Path.h"
#include "drawloom/Target/Architecture.h"
#include "drawloom/Target/Compile.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

namespace {
/// D, 128 x n, is A times B, with rows of 128 bytes.
struct Mma {
  const char *aType, *bType;
  int64_t n;
  /// Rows in memory go along m or n.
  bool aAcross, bAcross;
  const char *kind;
  uint64_t aCode, bCode;

  int64_t bits() const {
    llvm::StringRef type = aType;
    return type == "f32" ? 32 : type.starts_with("f8") ? 8 : 16;
  }
};
} // namespace

/// A load of `rows` x k of a matrix, as the MMA reads it.
static std::string load(llvm::StringRef name, llvm::StringRef type,
                        int64_t rows, int64_t k, bool across) {
  std::string tile = llvm::formatv("tensor<{0}x{1}x{2}>", rows, k, type);
  if (!across)
    return llvm::formatv("%{0} = tile.load %{1}[%{2}, 0] : "
                         "!tile.view<?x?x{3}> -> {4}\n",
                         name, name.upper(), name == "a" ? "m" : "n", type,
                         tile);
  std::string stored = llvm::formatv("tensor<{0}x{1}x{2}>", k, rows, type);
  return llvm::formatv(
      "%{0}_ = tile.load %{1}[0, %{2}] : !tile.view<?x?x{3}> -> {4}\n"
      "%{0} = tile.transpose %{0}_ [1, 0] : {4} -> {5}\n",
      name, name.upper(), name == "a" ? "m" : "n", type, stored, tile);
}

static std::string write(const Mma &mma) {
  int64_t k = 128 * 8 / mma.bits();
  return llvm::formatv(
      "tile.kernel @product(%A: !tile.view<?x?x{0}>, %B: !tile.view<?x?x{1}>, "
      "%D: !tile.view<?x?xf32>) {{\n"
      "%zero = arith.constant dense<0.0> : tensor<128x{2}xf32>\n"
      "tile.for_each (%m, %n) tiles [128, {2}] of %D : !tile.view<?x?xf32> {{\n"
      "{3}{4}"
      "%t = tile.mma %a, %b, %zero {5}: tensor<128x{6}x{0}>, "
      "tensor<{2}x{6}x{1}> -> tensor<128x{2}xf32>\n"
      "tile.store %t, %D[%m, %n] : tensor<128x{2}xf32>, "
      "!tile.view<?x?xf32>\n} }\n",
      mma.aType, mma.bType, mma.n, load("a", mma.aType, 128, k, mma.aAcross),
      load("b", mma.bType, mma.n, k, mma.bAcross),
      mma.bits() == 32 ? "{tf32} " : "", k);
}

/// The kind and the descriptor of the first tcgen05.mma of the PTX.
static std::pair<std::string, uint64_t> findDescriptor(llvm::StringRef ptx) {
  llvm::SmallVector<llvm::StringRef> found;
  llvm::Regex mma("tcgen05\\.mma\\.cta_group::1\\.kind::([a-z0-9]+)[^;]*, "
                  "(%r[0-9]+), %p[0-9]+;");
  if (!mma.match(ptx, &found))
    return {"none", 0};
  std::string kind = found[1].str();
  llvm::Regex constant("mov\\.b32[ \t]+" + found[2].str() + ", ([0-9]+);");
  uint64_t word = 0;
  if (!constant.match(ptx, &found) || found[1].getAsInteger(10, word))
    return {kind + " with a descriptor that is no constant", 0};
  return {kind, word};
}

static std::string compile(const std::string &program) {
  DialectRegistry registry;
  registerAllDialects(registry);
  target::registerTargetDialects(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, &context);
  if (!module)
    return "";
  CompileOptions options;
  options.arch = llvm::cantFail(target::findArchitecture("sm_100a"));
  FailureOr<PathResult> result = runPath(*module, options);
  return succeeded(result) ? result->ptx : "";
}

TEST(InstructionDescriptor, OfEachMma) {
  const Mma mmas[] = {
      {"f16", "f16", 256, false, false, "f16", 0, 0},
      {"bf16", "bf16", 256, false, false, "f16", 1, 1},
      {"bf16", "bf16", 16, false, false, "f16", 1, 1},
      {"bf16", "bf16", 112, false, false, "f16", 1, 1},
      {"bf16", "bf16", 128, true, false, "f16", 1, 1},
      {"bf16", "bf16", 128, false, true, "f16", 1, 1},
      {"f32", "f32", 128, false, false, "tf32", 2, 2},
      {"f32", "f32", 128, true, true, "tf32", 2, 2},
      {"f8E4M3FN", "f8E4M3FN", 128, false, false, "f8f6f4", 0, 0},
      {"f8E5M2", "f8E5M2", 128, false, false, "f8f6f4", 1, 1},
      {"f8E4M3FN", "f8E5M2", 128, true, false, "f8f6f4", 0, 1},
      {"f8E5M2", "f8E4M3FN", 128, false, true, "f8f6f4", 1, 0},
  };
  for (const Mma &mma : mmas) {
    std::string program = write(mma);
    SCOPED_TRACE(program);
    auto [kind, word] = findDescriptor(compile(program));
    EXPECT_EQ(kind, mma.kind);
    expectFields(word, {{"sparsity selector", 0, 1, 0},
                        {"sparsity", 2, 2, 0},
                        {"saturate", 3, 3, 0},
                        {"dtype: F32", 4, 5, 1},
                        {"atype", 7, 9, mma.aCode},
                        {"btype", 10, 12, mma.bCode},
                        {"negate A", 13, 13, 0},
                        {"negate B", 14, 14, 0},
                        {"transpose A", 15, 15, mma.aAcross},
                        {"transpose B", 16, 16, mma.bAcross},
                        {"N >> 3", 17, 22, uint64_t(mma.n) >> 3},
                        {"M >> 4", 24, 28, 128 >> 4},
                        {"maximum shift of B", 30, 31, 0}});
  }
}
