//===- Tcgen05ShapesTest.cpp - Pairs, block scales and .ws of tcgen05.mma -===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The variants of tcgen05.mma in which an operand is in several places: in the
// memories of two CTAs, beside its scale factors, or split over groups of
// lanes. Where everything lies is written down here from the PTX ISA's layouts
// A, B, D, E and G (section 9.7.16.10.5) and those of scale factors
// (9.7.16.10.7).
//
//===----------------------------------------------------------------------===//

#include "MatrixReference.h"
#include "Tcgen05Kernel.h"
#include <cmath>

using namespace drawloom::emu;
using namespace reference;
using llvm::formatv;

namespace {
enum class Scale { UE8M0, UE4M3 };

/// A product in `steps` instructions, D = D + A B.
struct Mma {
  std::string kind; ///< "f16", "mxf4nvf4.block_scale.block16"
  Format a = Format::BF16, b = Format::BF16;
  bool dense = false; ///< Two 4-bit elements in each byte.
  bool s32 = false;   ///< Integer sums.
  unsigned group = 1; ///< CTAs.
  bool ws = false;
  unsigned m = 128, n = 64, steps = 4;
  Layout aLayout, bLayout;
  bool aInTensorMemory = false;
  bool ashift = false;
  bool keeps = true;
  unsigned scales = 0; ///< Factors for each row and instruction.
  Scale scale = Scale::UE8M0;
  std::vector<uint32_t> disabled; ///< A word for 32 lanes.
  uint64_t zeroColumns = 0;
  Policy policy = Policy::Deterministic;

  unsigned k() const { return dense ? 64 : kOf(a); }
  unsigned rows() const { return m / group; } ///< Of A in each CTA.
  /// Groups of lanes that the columns of D are split over.
  unsigned parts() const { return ws || group == 2 ? 128 / rows() : 1; }
  unsigned partColumns() const { return n / parts(); }

  // Where things are in tensor memory: D, A, the factors of A, those of B.
  unsigned aColumn() const { return partColumns(); }
  unsigned aScaleColumn() const {
    return aColumn() + (aInTensorMemory ? 8 * steps : 0);
  }
  unsigned wordsOfSteps() const { return (steps * scales + 3) / 4; }
  unsigned aScaleColumns() const { return scales ? (rows() + 31) / 32 : 0; }
  unsigned bScaleColumn() const {
    return aScaleColumn() + wordsOfSteps() * aScaleColumns();
  }
  unsigned bScaleColumns() const {
    return scales ? (partColumns() + 31) / 32 : 0;
  }
  unsigned columns() const {
    unsigned end = bScaleColumn() + wordsOfSteps() * bScaleColumns();
    return (end + 7) / 8 * 8;
  }
};

struct Place {
  unsigned cta, lane, column;
};

/// Factors of all steps for each row: rows x (steps * scales) bytes.
struct Factors {
  unsigned perRow;
  std::vector<uint8_t> bits;
  std::vector<double> values;
};
} // namespace

/// Where an element of D is.
static Place placeOf(const Mma &c, unsigned row, unsigned column) {
  unsigned part = column / c.partColumns();
  return {row / c.rows(), row % c.rows() + part * 128 / c.parts(),
          column % c.partColumns()};
}

static unsigned codeOf(const Mma &c, Format format) {
  if (c.dense)
    return 1;
  switch (format) {
  case Format::BF16:
  case Format::E5M2:
  case Format::S8:
    return 1;
  case Format::TF32:
    return 2;
  case Format::E2M3:
    return 3;
  case Format::E3M2:
    return 4;
  case Format::E2M1:
    return 5;
  default:
    return 0;
  }
}

/// PTX ISA, tables 42 to 44.
static uint32_t descriptorOf(const Mma &c, unsigned step) {
  uint32_t bits = codeOf(c, c.a) << 7 | codeOf(c, c.b) << 10 |
                  unsigned(c.aLayout.transposed) << 15 |
                  unsigned(c.bLayout.transposed) << 16 | c.n / 8 << 17;
  if (!c.scales)
    return bits | (c.s32 ? 2u : 1u) << 4 | c.m / 16 << 24;
  unsigned id = step * c.scales % 4;
  return bits | id << 4 | unsigned(c.scale == Scale::UE8M0) << 23 |
         c.m / 128 << 27 | id << 29;
}

static double valueOf(Scale type, uint8_t bits) {
  return type == Scale::UE8M0 ? std::ldexp(1, int(bits) - 127)
                              : decode(Format::E4M3, bits);
}

static Factors randomFactors(const Mma &c, unsigned rows,
                             std::mt19937 &engine) {
  Factors factors = {c.steps * c.scales, {}, {}};
  for (unsigned i = 0; i != rows * factors.perRow; ++i) {
    uint8_t bits =
        c.scale == Scale::UE8M0 ? 120 + engine() % 15 : engine() % 0x7f;
    factors.bits.push_back(bits);
    factors.values.push_back(valueOf(c.scale, bits));
  }
  return factors;
}

/// The rows [first, first + count) as they lie in shared memory: as they are,
/// or two 4-bit elements as a byte.
static Matrix partOf(const Mma &c, const Matrix &matrix, unsigned first,
                     unsigned count) {
  std::vector<uint32_t> bits;
  unsigned k = matrix.k;
  for (unsigned row = first; row != first + count; ++row)
    for (unsigned i = 0; i != k; i += c.dense ? 2 : 1)
      bits.push_back(c.dense ? matrix.bit(row, i) | matrix.bit(row, i + 1) << 4
                             : matrix.bit(row, i));
  return make(c.dense ? Format::U8 : matrix.format, count, c.dense ? k / 2 : k,
              bits);
}

/// A word of A in tensor memory: elements in order, those of less than 8 bits
/// in a byte each (4 bits in the middle of it) unless they are dense.
static uint32_t wordOfA(const Mma &c, const Matrix &a, unsigned row,
                        unsigned word) {
  unsigned bits = c.dense ? 4 : slotBits(a.format);
  uint32_t result = 0;
  for (unsigned e = 0; e != 32 / bits; ++e) {
    uint32_t value = a.bit(row, word * 32 / bits + e);
    if (a.format == Format::E2M1 && !c.dense)
      value <<= 2;
    result |= value << e * bits;
  }
  return result;
}

/// What tensor memory holds before, lane by lane, for one CTA.
static std::vector<uint32_t> contentsOf(const Mma &c, unsigned cta,
                                        const Matrix &a, const Factors &sa,
                                        const Factors &sb,
                                        const std::vector<float> &d) {
  unsigned words = c.columns();
  std::vector<uint32_t> in(128 * words, 0xdeadbeef);
  for (unsigned row = 0; row != c.m; ++row)
    for (unsigned column = 0; column != c.n; ++column) {
      Place place = placeOf(c, row, column);
      if (place.cta != cta)
        continue;
      float value = d[row * c.n + column];
      int32_t integer = int32_t(value);
      memcpy(&in[place.lane * words + place.column],
             c.s32 ? static_cast<void *>(&integer) : &value, 4);
    }
  for (unsigned lane = 0; lane != 128; ++lane) {
    unsigned row = lane % c.rows();
    for (unsigned i = 0; i != (c.aInTensorMemory ? 8 * c.steps : 0); ++i)
      in[lane * words + c.aColumn() + i] =
          wordOfA(c, a, cta * c.rows() + row, i);
    // The factors of row r are in lane r % 32 of each 32, column r / 32.
    auto place = [&](const Factors &factors, unsigned column, unsigned columns,
                     unsigned first, unsigned rows) {
      for (unsigned w = 0; w != c.wordsOfSteps(); ++w)
        for (unsigned r = lane % 32; r < rows; r += 32) {
          uint32_t word = 0;
          for (unsigned i = 0; i != 4 && 4 * w + i < factors.perRow; ++i)
            word |=
                uint32_t(factors.bits[(first + r) * factors.perRow + 4 * w + i])
                << 8 * i;
          in[lane * words + column + w * columns + r / 32] = word;
        }
    };
    if (!c.scales)
      continue;
    place(sa, c.aScaleColumn(), c.aScaleColumns(), cta * c.rows(), c.rows());
    place(sb, c.bScaleColumn(), c.bScaleColumns(),
          lane * c.parts() / 128 * c.partColumns(), c.partColumns());
  }
  return in;
}

static std::string bodyOf(const Mma &c, const Tcgen05Kernel &kernel,
                          const std::vector<uint64_t> &descs) {
  std::string leader = c.group == 2 ? "%p6" : "%p1";
  std::string body = formatv(
      "  @%p3 tcgen05.relinquish_alloc_permit.cta_group::{0}.sync.aligned;\n",
      c.group);
  body += Tcgen05Kernel::fill(c.columns());
  body += "  tcgen05.fence::before_thread_sync;\n  " + kernel.meet() +
          "\n  @!" + leader +
          " bra issued;\n  tcgen05.fence::after_thread_sync;\n";
  body += formatv("  setp.ne.u32 %p4, {0}, 0;\n  setp.eq.u32 %p5, 0, 0;\n",
                  unsigned(c.keeps));
  std::string disabled;
  for (unsigned i = 0; i != c.disabled.size(); ++i)
    disabled += formatv("{0}{1}", i ? ", " : "{", c.disabled[i]);
  if (!disabled.empty())
    disabled += "}, ";
  for (unsigned step = 0; step != c.steps; ++step) {
    unsigned word = step * c.scales / 4;
    body += formatv("  add.s64 %rd6, %rd4, {0};\n"
                    "  add.s64 %rd7, %rd4, {1};\n",
                    descs[2 * step], descs[2 * step + 1]);
    body += formatv(
        "  tcgen05.mma{0}.cta_group::{1}.kind::{2}{3} [%t], {4}, "
        "%rd7, {5}, ",
        c.ws ? ".ws" : "", c.group, c.kind, c.ashift ? ".ashift" : "",
        c.aInTensorMemory ? formatv("[%t+{0}]", c.aColumn() + 8 * step).str()
                          : "%rd6",
        descriptorOf(c, step));
    if (c.scales)
      // The byte of the first factor in the address of A's, as CUTLASS has it,
      // changes nothing.
      body += formatv("[%t+{0}], [%t+{1}], ",
                      int32_t(c.aScaleColumn() + word * c.aScaleColumns() +
                              (step * c.scales % 4 << 30)),
                      c.bScaleColumn() + word * c.bScaleColumns());
    body += disabled + (step ? "%p5" : "%p4");
    if (c.zeroColumns)
      body += formatv(", {0}", c.zeroColumns);
    body += ";\n";
  }
  body += c.group == 2 ? Tcgen05Kernel::commitPair() : Tcgen05Kernel::commit();
  return body + "issued:\n" + Tcgen05Kernel::wait("") +
         Tcgen05Kernel::dump(c.columns());
}

/// Whether a column of B counts as zero: PTX ISA, section 9.7.16.4.3.
static bool isZeroColumn(const Mma &c, unsigned column) {
  if (!(c.zeroColumns >> 39 & 1))
    return false;
  unsigned part = column / c.partColumns(), at = column % c.partColumns();
  unsigned skip = (c.zeroColumns >> 40 & 255) + 1;
  unsigned use = (c.zeroColumns >> 48 & 255) + 1;
  bool zero = c.zeroColumns >> (32 + part) & 1;
  // The mask, bit by bit, without its first bits.
  std::vector<bool> mask;
  while (mask.size() < 512 + 256) {
    mask.insert(mask.end(), zero ? skip : use, zero);
    zero = !zero;
  }
  return mask[at + (c.zeroColumns >> 8 * part & 255)];
}

static void check(const Mma &c) {
  SCOPED_TRACE(formatv("{0}, {1} x {2}, cta_group {3}, ws {4}, m {5}, n {6}, "
                       "transposed {7} {8}, A in tensor memory {9}",
                       c.kind, nameOf(c.a), nameOf(c.b), c.group, c.ws, c.m,
                       c.n, c.aLayout.transposed, c.bLayout.transposed,
                       c.aInTensorMemory)
                   .str());
  std::mt19937 engine(c.n * 17 + c.m + static_cast<int>(c.b));
  unsigned k = c.steps * c.k();
  Matrix a = random(c.a, c.m, k, engine), b = random(c.b, c.n, k, engine);
  Factors sa = randomFactors(c, c.m, engine),
          sb = randomFactors(c, c.n, engine);
  std::vector<float> d;
  for (unsigned i = 0; i != c.m * c.n; ++i)
    d.push_back(int(i / c.n * 5 + i % c.n * 3) % 33 - 16);

  std::vector<char> images;
  std::vector<uint32_t> in;
  std::vector<uint64_t> descs;
  size_t imageBytes = 0;
  for (unsigned cta = 0; cta != c.group; ++cta) {
    std::vector<char> image;
    unsigned columns = c.n / c.group;
    Placement placeA =
        place(partOf(c, a, cta * c.rows(), c.rows()), c.aLayout, 0, image);
    Placement placeB = place(partOf(c, b, cta * columns, columns), c.bLayout,
                             image.size(), image);
    for (unsigned step = 0; step != c.steps && !cta; ++step) {
      descs.push_back(tcgen05Descriptor(placeA, c.aLayout, step));
      descs.push_back(tcgen05Descriptor(placeB, c.bLayout, step));
    }
    imageBytes = image.size();
    images.insert(images.end(), image.begin(), image.end());
    std::vector<uint32_t> part = contentsOf(c, cta, a, sa, sb, d);
    in.insert(in.end(), part.begin(), part.end());
  }
  Tcgen05Kernel kernel;
  kernel.group = c.group;
  kernel.imageBytes = imageBytes;
  kernel.inBytes = kernel.outBytes = 128 * c.columns() * 4;
  kernel.body = bodyOf(c, kernel, descs);
  Harness h("b200", kernel.text());
  h.cluster = {c.group};
  h.options.policy = c.policy;
  uint64_t out = h.allocate<uint32_t>(in.size());
  ASSERT_TRUE(
      h.run("k", {c.group}, {128}, {h.upload(images), h.upload(in), out}));
  std::vector<uint32_t> after = h.read<uint32_t>(out, in.size());

  std::vector<bool> isZero;
  for (unsigned column = 0; column != c.n; ++column)
    isZero.push_back(isZeroColumn(c, column));
  unsigned wrong = 0;
  for (unsigned row = 0; row != c.m; ++row)
    for (unsigned column = 0; column != c.n; ++column) {
      Place place = placeOf(c, row, column);
      size_t index =
          (place.cta * 128 + place.lane) * c.columns() + place.column;
      // Each row of a shifted A is the one above it, but for the first.
      unsigned from = c.ashift && row % c.rows() ? row - 1 : row;
      double sum = c.keeps ? d[row * c.n + column] : 0;
      double magnitude = std::abs(sum);
      for (unsigned i = 0; i != (isZero[column] ? 0 : k); ++i) {
        double product = a.value(from, i) * b.value(column, i);
        if (c.scales) {
          unsigned f = i * sa.perRow / k;
          product *= sa.values[row * sa.perRow + f] *
                     sb.values[column * sb.perRow + f];
        }
        sum += product;
        magnitude += std::abs(product);
      }
      double bound = c.s32 ? 0 : boundF32(k + c.steps + 1, magnitude);
      unsigned lane = place.cta * 128 + place.lane;
      if (lane / 32 < c.disabled.size() &&
          (c.disabled[lane / 32] >> lane % 32 & 1)) {
        sum = d[row * c.n + column];
        bound = 0;
      }
      float asFloat;
      memcpy(&asFloat, &after[index], 4);
      double got = c.s32 ? double(int32_t(after[index])) : double(asFloat);
      if (!(std::abs(got - sum) <= bound) && ++wrong < 4)
        ADD_FAILURE() << "row " << row << ", column " << column << ": " << got
                      << ", expected " << sum << " within " << bound;
      in[index] = after[index];
    }
  // Everything but D is as it was.
  EXPECT_EQ(after, in);
  EXPECT_EQ(wrong, 0u);
}

static Mma makeMma(const std::string &kind, Format a, Format b, unsigned m,
                   unsigned n) {
  Mma c;
  c.kind = kind;
  c.a = a;
  c.b = b;
  c.m = m;
  c.n = n;
  return c;
}

// That A is not used again says nothing about the result.
TEST(Tcgen05Mma, Collectors) {
  for (const char *op : {"fill", "use", "lastuse", "discard"})
    check(makeMma(std::string("f16.collector::a::") + op, Format::BF16,
                  Format::BF16, 128, 64));
}

//===----------------------------------------------------------------------===//
// Pairs of CTAs
//===----------------------------------------------------------------------===//

static Mma makePair(const std::string &kind, Format format, unsigned m,
                    unsigned n) {
  Mma c = makeMma(kind, format, format, m, n);
  c.group = 2;
  return c;
}

TEST(Tcgen05Pair, EveryKindAndShape) {
  for (unsigned m : {128, 256})
    for (unsigned n : {32, 64, 256}) {
      check(makePair("f16", Format::BF16, m, n));
      check(makePair("f16.collector::a::discard", Format::F16, m, n));
      check(makePair("tf32", Format::TF32, m, n));
      check(makePair("f8f6f4", Format::E4M3, m, n));
      Mma integers = makePair("i8", Format::S8, m, n);
      integers.s32 = true;
      check(integers);
    }
}

TEST(Tcgen05Pair, EveryMajorAndSwizzle) {
  for (unsigned swizzle : {0, 32, 64, 128})
    for (unsigned transposed = 0; transposed != 4; ++transposed)
      for (unsigned m : {128, 256}) {
        Mma c = makePair("f16", Format::BF16, m, 128);
        c.aLayout = {swizzle, bool(transposed & 1)};
        c.bLayout = {swizzle, bool(transposed & 2)};
        check(c);
      }
}

TEST(Tcgen05Pair, AInTensorMemory) {
  for (unsigned m : {128, 256}) {
    Mma c = makePair("f16", Format::BF16, m, 64);
    c.aInTensorMemory = true;
    check(c);
    c.keeps = false;
    check(c);
  }
}

TEST(Tcgen05Pair, DisabledLanes) {
  for (unsigned m : {128, 256}) {
    Mma c = makePair("f16", Format::BF16, m, 32);
    c.disabled = {1, 0x80000000, 0, 0xffff, 0xf0, 0, 0xaaaaaaaa, 2};
    check(c);
  }
}

TEST(Tcgen05Pair, EverySchedule) {
  for (Policy policy : {Policy::Random, Policy::Adversarial}) {
    Mma c = makePair("f16", Format::BF16, 256, 64);
    c.policy = policy;
    c.steps = 40;
    check(c);
  }
}

//===----------------------------------------------------------------------===//
// Block scales
//===----------------------------------------------------------------------===//

TEST(Tcgen05Scales, EveryPairOfSmallTypes) {
  const Format formats[] = {Format::E4M3, Format::E5M2, Format::E2M3,
                            Format::E3M2, Format::E2M1};
  for (Format a : formats)
    for (Format b : formats) {
      Mma c = makeMma("mxf8f6f4.block_scale", a, b, 128, 40);
      c.scales = 1;
      c.steps = 6; // More than the factors of a word.
      check(c);
      c.aInTensorMemory = true;
      check(c);
    }
}

TEST(Tcgen05Scales, EveryMajor) {
  for (unsigned transposed = 0; transposed != 4; ++transposed)
    for (unsigned group : {1, 2}) {
      Mma c = makeMma("mxf8f6f4.block_scale.block32", Format::E4M3,
                      Format::E5M2, 128 * group, 64);
      c.group = group;
      c.scales = 1;
      c.aLayout.transposed = transposed & 1;
      c.bLayout.transposed = transposed & 2;
      check(c);
    }
}

/// 4-bit elements with two or four factors for each row.
static Mma makeFp4(const std::string &kind, unsigned scales, Scale scale,
                   unsigned m, unsigned n) {
  Mma c = makeMma(kind, Format::E2M1, Format::E2M1, m, n);
  c.dense = true;
  c.scales = scales;
  c.scale = scale;
  return c;
}

TEST(Tcgen05Scales, FourBits) {
  for (unsigned group : {1, 2})
    for (bool aInTensorMemory : {false, true})
      for (unsigned n : {32, 192}) {
        for (Mma c : {
                 makeFp4("mxf4.block_scale", 2, Scale::UE8M0, 128, n),
                 makeFp4("mxf4.block_scale.block32", 2, Scale::UE8M0, 128, n),
                 makeFp4("mxf4.block_scale.scale_vec::2X", 2, Scale::UE8M0, 128,
                         n),
                 makeFp4("mxf4nvf4.block_scale.block16", 4, Scale::UE4M3, 128,
                         n),
                 makeFp4("mxf4nvf4.block_scale.block16.collector::a::discard",
                         4, Scale::UE8M0, 128, n),
                 makeFp4("mxf4nvf4.block_scale.scale_vec::4X", 4, Scale::UE4M3,
                         128, n),
                 makeFp4("mxf4nvf4.block_scale.block32", 2, Scale::UE8M0, 128,
                         n),
             }) {
          c.group = group;
          c.m *= group;
          c.aInTensorMemory = aInTensorMemory;
          check(c);
        }
      }
}

TEST(Tcgen05Scales, PairsOfEveryShape) {
  for (unsigned m : {128, 256})
    for (unsigned n : {64, 128, 256})
      for (const char *kind :
           {"mxf8f6f4.block_scale", "mxf8f6f4.block_scale.block32",
            "mxf8f6f4.block_scale.block32.collector::a::discard",
            "mxf8f6f4.block_scale.scale_vec::1X"}) {
        Mma c = makePair(kind, Format::E4M3, m, n);
        c.scales = 1;
        check(c);
      }
}

//===----------------------------------------------------------------------===//
// .ws and .ashift
//===----------------------------------------------------------------------===//

TEST(Tcgen05WeightStationary, EveryKindAndShape) {
  for (unsigned m : {32, 64, 128})
    for (unsigned n : {64, 128, 256})
      for (bool aInTensorMemory : {false, true}) {
        Mma c = makeMma("f16.collector::b1::fill", Format::BF16, Format::BF16,
                        m, n);
        c.ws = true;
        c.aInTensorMemory = aInTensorMemory;
        check(c);
        c.kind = "tf32";
        c.a = c.b = Format::TF32;
        check(c);
        c.kind = "f8f6f4";
        c.a = c.b = Format::E5M2;
        check(c);
        c.kind = "i8";
        c.a = c.b = Format::U8;
        c.s32 = true;
        check(c);
      }
}

// The masks of the PTX ISA's examples 2, 3 and 4; the last without its shift.
TEST(Tcgen05WeightStationary, ZeroColumns) {
  const uint64_t spans =
      uint64_t(1) << 39 | uint64_t(2) << 40 | uint64_t(3) << 48;
  const struct {
    unsigned m;
    uint64_t starts, firsts;
  } cases[] = {{128, 0, 0}, {64, 0, 1}, {32, 0x01020100, 3}};
  for (const auto &each : cases)
    for (bool transposed : {false, true}) {
      Mma c = makeMma("f16", Format::BF16, Format::BF16, each.m, 128);
      c.ws = true;
      c.bLayout.transposed = transposed;
      c.zeroColumns = spans | each.starts | each.firsts << 32;
      check(c);
    }
}

TEST(Tcgen05Mma, ShiftedRowsOfA) {
  for (unsigned group : {1, 2}) {
    Mma c = makeMma("f16", Format::BF16, Format::BF16, 128 * group, 32);
    c.group = group;
    c.aInTensorMemory = c.ashift = true;
    check(c);
  }
}
