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
#include <tuple>

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
  bool mayTranspose;
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
static const TypeCode f4Types[] = {{1, ElementFormat::DenseE2M1}};
static const DCode halfOrFloat[] = {{0, Accumulator::F16},
                                    {1, Accumulator::F32}};
static const DCode floatOnly[] = {{1, Accumulator::F32}};
static const DCode integerOnly[] = {{2, Accumulator::S32}};

static const KindInfo kinds[] = {
    {"kind::f16", f16Types, halfOrFloat, true, false, true},
    {"kind::tf32", tf32Types, floatOnly, true, false, true},
    {"kind::f8f6f4", f8Types, halfOrFloat, true, false, true},
    {"kind::i8", i8Types, integerOnly, false, true, true},
    {"kind::mxf8f6f4", f8Types, {}, true, false, true},
    {"kind::mxf4", f4Types, {}, true, false, false},
    {"kind::mxf4nvf4", f4Types, {}, true, false, false},
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
      reject(formatv("{0} (bit{1}) is {2}, and must be 0", what,
                     size == 1
                         ? formatv(" {0}", low).str()
                         : formatv("s {0}-{1}", low, low + size - 1).str(),
                     value));
  }
  template <typename Code>
  auto lookUp(llvm::ArrayRef<Code> codes, unsigned low, unsigned size,
              llvm::StringRef what) {
    unsigned value = field(low, size);
    for (const Code &code : codes)
      if (code.code == value)
        return code;
    reject(formatv("the type of {0} (bits {1}-{2}) is {3}, which {4} doesn't "
                   "have",
                   what, low, low + size - 1, value, info.name));
    return codes.front();
  }
  void reject(std::string text) {
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

/// The fields that only MMAs with block scales have.
static void readScaleFields(FieldReader &reader, const MmaVariant &variant,
                            MmaShape &shape) {
  reader.mustBeZero(0, 2, "a reserved field");
  reader.mustBeZero(3, 1, "a reserved bit");
  reader.mustBeZero(24, 3, "a reserved field");
  reader.mustBeZero(31, 1,
                    variant.kind == MmaKind::MXF8F6F4
                        ? "a reserved bit"
                        : "K = 96, which only sm_103a has,");
  shape.bScale = reader.field(4, 2);
  shape.aScale = reader.field(29, 2);
  shape.scaleType = reader.field(23, 1) ? ScaleType::UE8M0 : ScaleType::UE4M3;
  if (shape.scaleType == ScaleType::UE4M3 &&
      (variant.kind != MmaKind::MXF4NVF4 || variant.scalesPerRow != 4))
    reader.reject("the scale factors are ue4m3 (bit 23 is 0); those are for "
                  "kind::mxf4nvf4 with a factor for 16 elements");
  for (auto [name, low, id] :
       {std::tuple("A", 29, shape.aScale), {"B", 4, shape.bScale}})
    if (id % variant.scalesPerRow)
      reader.reject(formatv("the ID of {0}'s scale factors (bits {1}-{2}) is "
                            "{3}; with {4} factors in a word it must be {5}",
                            name, low, low + 1, id, variant.scalesPerRow,
                            variant.scalesPerRow == 2 ? "0 or 2" : "0"));
}

/// The fields that only MMAs without block scales have.
static void readPlain(FieldReader &reader, MmaForm &form) {
  if (!reader.info.maySaturate)
    reader.mustBeZero(3, 1, "saturation");
  reader.mustBeZero(23, 1, "a reserved bit");
  reader.mustBeZero(29, 1, "a reserved bit");
  form.saturated = reader.field(3, 1);
  form.d = reader.lookUp(reader.info.results, 4, 2, "D").type;
}

/// What the descriptor says about sparsity.
static void readSparsity(FieldReader &reader, const MmaVariant &variant,
                         MmaShape &shape) {
  if (!variant.sparse) {
    reader.mustBeZero(2, 1, "sparsity");
    return;
  }
  if (!reader.field(2, 1))
    reader.reject("sparsity (bit 2) is 0, and must be 1 for .sp");
  shape.form.sparsity =
      Sparsity::of(128 / infoOf(shape.form.a).perPiece, MetadataOrder::Tcgen05);
  if (variant.scalesPerRow)
    return;
  shape.selector = reader.field(0, 2);
  bool mayChoose =
      variant.kind == MmaKind::F16 || variant.kind == MmaKind::TF32;
  if (!mayChoose)
    reader.mustBeZero(0, 2, "the sparsity selector");
  else if (shape.selector > 1)
    reader.reject(formatv("the sparsity selector (bits 0-1) is {0}; the "
                          "emulator knows 0 and 1: which columns others select "
                          "is only in a figure of the PTX ISA",
                          shape.selector));
}

/// M of the whole MMA, into rows of each CTA and parts of the columns.
static void readM(FieldReader &reader, const MmaVariant &variant,
                  MmaShape &shape) {
  bool scaled = variant.scalesPerRow;
  unsigned low = scaled ? 27 : 24;
  unsigned m = scaled ? reader.field(27, 2) * 128 : reader.field(24, 5) * 16;
  static const struct {
    bool pair, weightStationary, scaled;
    llvm::StringRef words;
    unsigned values[3];
  } rules[] = {
      {false, false, false, "one CTA has 64 or 128", {64, 64, 128}},
      {false,
       false,
       true,
       "one CTA has 128 with block scales",
       {128, 128, 128}},
      {false, true, false, "tcgen05.mma.ws has 32, 64 or 128", {32, 64, 128}},
      {true, false, false, "a pair of CTAs has 128 or 256", {128, 128, 256}},
      {true, false, true, "a pair of CTAs has 128 or 256", {128, 128, 256}},
  };
  for (const auto &rule : rules)
    if (rule.pair == variant.pair &&
        rule.weightStationary == variant.weightStationary &&
        rule.scaled == scaled && !llvm::is_contained(rule.values, m))
      reader.reject(formatv("M (bits {0}-28) is {1}; {2}", low, m, rule.words));
  if (variant.pair && scaled && variant.sparse && m != 256)
    reader.reject(formatv("M (bits 27-28) is {0}; a pair of CTAs has 256 with "
                          "block scales and a sparse A",
                          m));
  shape.form.m = variant.pair ? m / 2 : m;
  // A pair with a sparse A and M = 128 uses half of the lanes instead.
  if (variant.weightStationary || (variant.pair && !variant.sparse))
    shape.parts = shape.form.m ? 128 / shape.form.m : 1;
}

static void checkN(FieldReader &reader, const MmaVariant &variant,
                   const MmaForm &form) {
  auto reject = [&](const llvm::Twine &rule) {
    reader.reject(formatv("N (bits 17-22) is {0}; {1}", form.n, rule.str()));
  };
  unsigned step = variant.pair ? 16 : 8;
  if (variant.weightStationary) {
    if (variant.sparse && form.n != 64 && form.n != 128)
      reject("tcgen05.mma.ws.sp has 64 or 128");
    else if (form.n != 64 && form.n != 128 && form.n != 256)
      reject("tcgen05.mma.ws has 64, 128 or 256");
  } else if (form.n < step || form.n > 256) {
    reject(formatv("it must be from {0} to 256", step));
  } else if (form.n % step) {
    reject("for a pair of CTAs it must be a multiple of 16");
  }
  if (variant.kind == MmaKind::I8 && variant.pair && form.n % 32)
    reject("for a pair of CTAs it must be a multiple of 32 for kind::i8");
  if (variant.kind == MmaKind::I8 && form.n > 32 && form.n % 16)
    reject("above 32 it must be a multiple of 16 for kind::i8");
  if (form.bTransposed && infoOf(form.b).perPiece == 16 && form.n % (2 * step))
    reject(formatv("for a transposed B of 8-bit elements it must be a multiple "
                   "of {0}",
                   2 * step));
}

std::string drawloom::emu::decodeInstruction(const MmaVariant &variant,
                                             uint32_t descriptor,
                                             MmaShape &shape) {
  FieldReader reader(variant.kind, descriptor);
  const KindInfo &info = reader.info;
  MmaForm &form = shape.form;
  bool isFp4 = !info.mayTranspose;
  reader.mustBeZero(6, 1, "a reserved bit");
  if (!info.mayNegate)
    reader.mustBeZero(13, 2, "negation");
  if (isFp4) {
    reader.mustBeZero(12, 1, "a reserved bit");
    reader.mustBeZero(15, 2, "a transpose");
  }
  if (variant.scalesPerRow)
    readScaleFields(reader, variant, shape);
  else
    readPlain(reader, form);
  form.a = reader.lookUp(info.types, 7, 3, "A").format;
  form.b = reader.lookUp(info.types, 10, isFp4 ? 2 : 3, "B").format;
  form.negated = reader.field(13, 1) != reader.field(14, 1);
  form.aTransposed = reader.field(15, 1);
  form.bTransposed = reader.field(16, 1);
  form.n = reader.field(17, 6) * 8;
  readSparsity(reader, variant, shape);
  readM(reader, variant, shape);
  checkN(reader, variant, form);

  if (variant.kind == MmaKind::F16 && form.d == Accumulator::F16 &&
      (form.a != ElementFormat::F16 || form.b != ElementFormat::F16))
    reader.reject("f16 sums are for f16 operands only");
  if (form.aTransposed && isPacked(form.a))
    reader.reject(formatv("A of {0} can't be transposed", infoOf(form.a).name));
  if (form.bTransposed && isPacked(form.b))
    reader.reject(formatv("B of {0} can't be transposed", infoOf(form.b).name));
  // Both operands are multiplied in one format.
  if (form.a == ElementFormat::F16 && form.b == ElementFormat::BF16)
    form.b = ElementFormat::WideBF16;
  if (form.b == ElementFormat::F16 && form.a == ElementFormat::BF16)
    form.a = ElementFormat::WideBF16;
  return reader.problem;
}
