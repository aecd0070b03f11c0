//===- CheckProduct.cpp - Whether a product has an instruction ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckProduct.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;
using target::ElementType;
using target::MmaForm;

namespace {
/// One row of the table that names element types as the instructions do.
struct TypeRow {
  bool (*is)(Type);
  ElementType type;
};
} // namespace

static const TypeRow typeRows[] = {
    {[](Type t) { return t.isF16(); }, ElementType::F16},
    {[](Type t) { return t.isBF16(); }, ElementType::BF16},
    {[](Type t) { return t.isF32(); }, ElementType::F32},
    {[](Type t) { return isa<Float8E4M3FNType>(t); }, ElementType::E4M3},
    {[](Type t) { return isa<Float8E5M2Type>(t); }, ElementType::E5M2},
    {[](Type t) { return isa<Float6E2M3FNType>(t); }, ElementType::E2M3},
    {[](Type t) { return isa<Float6E3M2FNType>(t); }, ElementType::E3M2},
    {[](Type t) { return isa<Float4E2M1FNType>(t); }, ElementType::E2M1},
    {[](Type t) { return t.isSignlessInteger(8); }, ElementType::S8},
    {[](Type t) { return t.isSignlessInteger(32); }, ElementType::S32},
    {[](Type t) { return isa<Float8E8M0FNUType>(t); }, ElementType::UE8M0},
};

static std::optional<ElementType> translate(Type type) {
  for (const TypeRow &row : typeRows)
    if (row.is(type))
      return row.type;
  return std::nullopt;
}

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type;
  return text;
}

static llvm::StringRef getInstructionName(const target::Architecture &arch) {
  return arch.mma == target::MmaInstruction::Wgmma ? "wgmma" : "tcgen05.mma";
}

/// The form for a product's types, of one CTA.
static const MmaForm *findForm(const Problem::Product &product,
                               const target::Architecture &arch) {
  std::optional<ElementType> a = translate(product.a);
  std::optional<ElementType> b = translate(product.b);
  std::optional<ElementType> accumulator = translate(product.accumulator);
  std::optional<ElementType> scale;
  if (product.scale) {
    // The same type is an operand and a scale, under two names.
    scale = isa<Float8E4M3FNType>(product.scale) ? ElementType::UE4M3
                                                 : translate(product.scale);
    if (!scale)
      return nullptr;
  }
  if (!a || !b || !accumulator)
    return nullptr;
  if (a == ElementType::F32 && product.tf32)
    a = b = ElementType::TF32;
  for (const MmaForm *form : arch.mmaForms())
    if (form->ctaGroup == 1 && llvm::is_contained(form->operands, *a) &&
        llvm::is_contained(form->operands, *b) &&
        (form->mixedOperands || a == b) &&
        llvm::is_contained(form->accumulators, *accumulator) &&
        (scale ? llvm::is_contained(form->scales, *scale)
               : form->scales.empty()))
      return form;
  return nullptr;
}

/// Whether N columns are a row of instructions of one legal width.
static bool hasWidth(const MmaForm &form, int64_t n) {
  constexpr int64_t widest = 256;
  for (int64_t parts = llvm::divideCeil(n, widest); parts <= n / 8; ++parts)
    if (n % parts == 0 && form.allows(form.m.front(), n / parts, form.k))
      return true;
  return false;
}

std::string tile::checkProduct(const Problem::Product &product,
                               const target::Architecture &arch) {
  llvm::StringRef instruction = getInstructionName(arch);
  std::string what = llvm::formatv("the product is {0}x{1}x{2}", product.m,
                                   product.n, product.k);
  const MmaForm *form = findForm(product, arch);
  if (!form)
    return llvm::formatv(
        "{0} of {1} and {2} into {3}{4}, which {5} on {6} does not have; cast "
        "the operands to a type that it has",
        what, print(product.a), print(product.b), print(product.accumulator),
        product.scale ? " with scales of " + print(product.scale) : "",
        instruction, arch.name);
  int64_t rows = *llvm::min_element(form->m);
  if (product.m % rows != 0)
    return llvm::formatv("{0}, but {1} takes rows in multiples of {2}, and "
                         "{3} % {2} = {4}; use {5} rows",
                         what, instruction, rows, product.m, product.m % rows,
                         llvm::divideCeil(product.m, rows) * rows);
  if (product.k % form->k != 0)
    return llvm::formatv("{0}, but {1} takes {2} of {3} along k at a time, and "
                         "{4} % {2} = {5}; use a step of {6}",
                         what, instruction, form->k, print(product.a),
                         product.k, product.k % form->k,
                         llvm::divideCeil(product.k, form->k) * form->k);
  if (!hasWidth(*form, product.n))
    return llvm::formatv("{0}, but {1} has no width that divides {2} columns; "
                         "use a multiple of 16 up to 256",
                         what, instruction, product.n);
  return "";
}
