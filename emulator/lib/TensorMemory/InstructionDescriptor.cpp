//===- InstructionDescriptor.cpp - What a tcgen05.mma is to do -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMemory/InstructionDescriptor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <optional>

using namespace drawloom::emu;
using llvm::formatv;

namespace {
struct TypeCode {
  uint8_t code;
  ElementFormat format;
};
struct DCode {
  uint8_t code;
  Accumulator type;
};
struct KindInfo {
  llvm::StringRef name;
  llvm::ArrayRef<TypeCode> types;
  llvm::ArrayRef<DCode> results;
  bool mayNegate;
  bool maySaturate;
};
} // namespace

static const TypeCode f16Types[] = {{0, ElementFormat::F16},
                                    {1, ElementFormat::BF16}};
static const TypeCode tf32Types[] = {{2, ElementFormat::TF32}};
static const TypeCode f8Types[] = {{0, ElementFormat::E4M3},
                                   {1, ElementFormat::E5M2},
                                   {3, ElementFormat::PackedE2M3},
                                   {4, ElementFormat::PackedE3M2},
                                   {5, ElementFormat::PackedE2M1}};
static const TypeCode i8Types[] = {{0, ElementFormat::U8},
                                   {1, ElementFormat::S8}};
static const DCode halfOrFloat[] = {{0, Accumulator::F16},
                                    {1, Accumulator::F32}};
static const DCode floatOnly[] = {{1, Accumulator::F32}};
static const DCode integerOnly[] = {{2, Accumulator::S32}};

static const KindInfo kinds[] = {
    {"kind::f16", f16Types, halfOrFloat, true, false},
    {"kind::tf32", tf32Types, floatOnly, true, false},
    {"kind::f8f6f4", f8Types, halfOrFloat, true, false},
    {"kind::i8", i8Types, integerOnly, false, true},
};

namespace {
/// Takes the fields out one by one; remembers the first that is wrong.
class FieldReader {
public:
  FieldReader(MmaKind kind, uint32_t bits)
      : info(kinds[static_cast<unsigned>(kind)]), bits(bits) {}

  const KindInfo &info;
  std::string problem;

  unsigned field(unsigned low, unsigned size) const {
    return bits >> low & ((1u << size) - 1);
  }
  void mustBeZero(unsigned low, unsigned size, llvm::StringRef what) {
    if (unsigned value = field(low, size))
      refuse(formatv("{0} (bit {1}) is {2}, and must be 0", what, low, value));
  }
  template <typename Code>
  auto lookUp(llvm::ArrayRef<Code> codes, unsigned low, unsigned size,
              llvm::StringRef what) {
    unsigned value = field(low, size);
    for (const Code &code : codes)
      if (code.code == value)
        return code;
    refuse(formatv("the type of {0} (bits {1}-{2}) is {3}, which {4} doesn't "
                   "have",
                   what, low, low + size - 1, value, info.name));
    return codes.front();
  }
  void refuse(std::string text) {
    if (problem.empty())
      problem = formatv("the instruction descriptor {0:x8}: {1}", bits, text);
  }

private:
  uint32_t bits;
};
} // namespace

/// 6-bit and 4-bit elements are packed along K and can't be transposed.
static bool isPacked(ElementFormat format) {
  return format == ElementFormat::PackedE2M3 ||
         format == ElementFormat::PackedE3M2 ||
         format == ElementFormat::PackedE2M1;
}

std::string drawloom::emu::decodeInstruction(MmaKind kind, uint32_t descriptor,
                                             MmaForm &form) {
  FieldReader reader(kind, descriptor);
  const KindInfo &info = reader.info;
  reader.mustBeZero(2, 1, "sparsity");
  if (!info.maySaturate)
    reader.mustBeZero(3, 1, "saturation");
  reader.mustBeZero(6, 1, "a reserved bit");
  if (!info.mayNegate)
    reader.mustBeZero(13, 2, "negation");
  reader.mustBeZero(23, 1, "a reserved bit");
  reader.mustBeZero(29, 1, "a reserved bit");
  form.saturated = reader.field(3, 1);
  form.d = reader.lookUp(info.results, 4, 2, "D").type;
  form.a = reader.lookUp(info.types, 7, 3, "A").format;
  form.b = reader.lookUp(info.types, 10, 3, "B").format;
  form.negated = reader.field(13, 1) != reader.field(14, 1);
  form.aTransposed = reader.field(15, 1);
  form.bTransposed = reader.field(16, 1);
  form.n = reader.field(17, 6) * 8;
  form.m = reader.field(24, 5) * 16;

  if (kind == MmaKind::F16 && form.d == Accumulator::F16 &&
      (form.a != ElementFormat::F16 || form.b != ElementFormat::F16))
    reader.refuse("f16 sums are for f16 operands only");
  if (form.m != 64 && form.m != 128)
    reader.refuse(
        formatv("M (bits 24-28) is {0}; one CTA has 64 or 128", form.m));
  if (form.n < 8 || form.n > 256)
    reader.refuse(
        formatv("N (bits 17-22) is {0}; it must be from 8 to 256", form.n));
  if (kind == MmaKind::I8 && form.n > 32 && form.n % 16)
    reader.refuse(formatv("N (bits 17-22) is {0}; above 32 it must be a "
                          "multiple of 16 for kind::i8",
                          form.n));
  if (form.bTransposed && infoOf(form.b).perPiece == 16 && form.n % 16)
    reader.refuse(formatv("N (bits 17-22) is {0}; for a transposed B of 8-bit "
                          "elements it must be a multiple of 16",
                          form.n));
  if (form.aTransposed && isPacked(form.a))
    reader.refuse(formatv("A of {0} can't be transposed", infoOf(form.a).name));
  if (form.bTransposed && isPacked(form.b))
    reader.refuse(formatv("B of {0} can't be transposed", infoOf(form.b).name));
  // Both operands are multiplied in one format.
  if (form.a == ElementFormat::F16 && form.b == ElementFormat::BF16)
    form.b = ElementFormat::WideBF16;
  if (form.b == ElementFormat::F16 && form.a == ElementFormat::BF16)
    form.a = ElementFormat::WideBF16;
  return reader.problem;
}
