//===- WarpMmaTest.cpp - mma.sync ----------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every shape and type of mma.sync against three loops. Which lane holds which
// element is written down from the PTX ISA's fragment tables (9.7.14.5.1 to
// 9.7.14.5.13): element i of a lane, where e elements share a register.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "MatrixReference.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace drawloom::emu;
using namespace reference;
using llvm::formatv;

namespace {
/// An element type: how many bits it has, and its value.
struct Element {
  std::string name;
  unsigned bits;
  double (*value)(uint64_t bits);
};

struct Case {
  unsigned m, k;
  Element a, b;
  std::string d, c;          ///< "f32", "f16", "s32" or "f64"
  std::string before, after; ///< Modifiers around the types.
  std::string sparse = {};   ///< ".sp" or ".sp::ordered_metadata"
  unsigned selector = 0;
};

template <Format format>
double valueOf(uint64_t bits) {
  return decode(format, bits);
}
} // namespace

static double valueOfDouble(uint64_t bits) {
  double value;
  memcpy(&value, &bits, 8);
  return value;
}

static const Element f16 = {"f16", 16, valueOf<Format::F16>};
static const Element bf16 = {"bf16", 16, valueOf<Format::BF16>};
static const Element tf32 = {"tf32", 32, valueOf<Format::TF32>};
static const Element e4m3 = {"e4m3", 8, valueOf<Format::E4M3>};
static const Element e5m2 = {"e5m2", 8, valueOf<Format::E5M2>};
static const Element s8 = {"s8", 8, valueOf<Format::S8>};
static const Element u8 = {"u8", 8, valueOf<Format::U8>};
static const Element s4 = {
    "s4", 4, [](uint64_t x) { return double(int(x) - (x & 8 ? 16 : 0)); }};
static const Element u4 = {"u4", 4, [](uint64_t x) { return double(x); }};
static const Element b1 = {"b1", 1, [](uint64_t x) { return double(x); }};
static const Element f64 = {"f64", 64, valueOfDouble};

/// Random bits of a moderate, finite number.
static uint64_t randomBits(const Element &type, std::mt19937 &engine) {
  if (type.bits == 64) {
    double value = int(engine() % 2001) / 64.0 - 15;
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
  }
  for (;;) {
    uint64_t bits = engine() & ((uint64_t(1) << type.bits) - 1);
    double value = std::abs(type.value(bits));
    if (type.name[0] == 's' || type.name[0] == 'u' || type.bits == 1 ||
        (value <= 4 && (value == 0 || value > 0x1p-20)))
      return bits;
  }
}

static unsigned sumBits(const std::string &type) {
  return type == "f16" ? 16 : type == "f64" ? 64 : 32;
}

static double decodeSum(const std::string &type, uint64_t bits) {
  float single;
  memcpy(&single, &bits, 4);
  return type == "f16"   ? fromHalf(bits)
         : type == "s32" ? double(int32_t(bits))
         : type == "f64" ? valueOfDouble(bits)
                         : double(single);
}

namespace {
/// Registers of 32 or 64 bits of the lanes of a warp, filled bit by bit.
struct Registers {
  unsigned width, count;
  std::vector<uint64_t> words; ///< [register][lane]

  Registers(unsigned width, unsigned count)
      : width(width), count(count), words(32 * count) {}
  uint64_t get(unsigned lane, unsigned i, unsigned bits) const {
    unsigned perRegister = width / bits;
    uint64_t word = words[i / perRegister * 32 + lane];
    word >>= i % perRegister * bits;
    return bits == 64 ? word : word & ((uint64_t(1) << bits) - 1);
  }
  void set(unsigned lane, unsigned i, unsigned bits, uint64_t value) {
    unsigned perRegister = width / bits;
    words[i / perRegister * 32 + lane] |= value << i % perRegister * bits;
  }
};
} // namespace

/// "{%a0, %a1}", or a single register.
static std::string list(char name, unsigned count, bool braces = true) {
  std::string text;
  for (unsigned i = 0; i != count; ++i)
    text += formatv("{0}%{1}{2}", i ? ", " : "", name, i);
  return braces ? "{" + text + "}" : text;
}

static std::string kernelOf(const Case &c, const std::string &shape,
                            unsigned width, const unsigned (&counts)[4]) {
  std::string text = formatv(R"(
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d,
                  .param .u64 e) {{
  .reg .b{0} %a<9>, %b<9>, %c<9>, %d<9>, %e<1>;
  .reg .b32 %lane;
  .reg .b64 %pointer;
  mov.u32 %lane, %laneid;
)",
                             width);
  auto access = [&](char name, unsigned count, bool isStore) {
    text += formatv("  ld.param.u64 %pointer, [{0}];\n"
                    "  mad.wide.u32 %pointer, %lane, 8, %pointer;\n",
                    name);
    for (unsigned i = 0; i != count; ++i)
      text += isStore ? formatv("  st.global.b{0} [%pointer+{1}], %{2}{3};\n",
                                width, 256 * i, name, i)
                            .str()
                      : formatv("  ld.global.b{0} %{2}{3}, [%pointer+{1}];\n",
                                width, 256 * i, name, i)
                            .str();
  };
  access('a', counts[0], false);
  access('b', counts[1], false);
  access('c', counts[2], false);
  if (!c.sparse.empty())
    access('e', 1, false);
  // Single registers of A and B stand without braces or with.
  text +=
      formatv("  mma{11}.sync.aligned.{0}.row.col{1}.{2}.{3}.{4}.{5}{6} {7}, "
              "{8}, {9}, {10}{12};\n",
              shape, c.before, c.d, c.a.name, c.b.name, c.c, c.after,
              list('d', counts[3]), list('a', counts[0]), list('b', counts[1]),
              list('c', counts[2]), c.sparse,
              c.sparse.empty() ? "" : formatv(", %e0, {0}", c.selector).str());
  access('d', counts[3], true);
  return text + "  ret;\n}\n";
}

/// The codes that an instruction has.
static std::vector<unsigned> codesOf(const Case &c) {
  if (c.a.bits == 32)
    return {0b0100, 0b1110};
  if (c.sparse == ".sp::ordered_metadata")
    return {0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110};
  std::vector<unsigned> codes;
  for (unsigned code = 0; code != 16; ++code)
    if (code / 4 != code % 4)
      codes.push_back(code);
  return codes;
}

/// Spreads the stored rows of A over twice the K by random codes, and puts
/// those where the lanes have them. 16 rows of 4 or 8 codes of 16- and 32-bit
/// elements are 16 bits for each row in one or two of four lanes; 8 or 16 codes
/// of smaller ones are 32 bits in a lane for each row.
static void spread(const Case &c, std::mt19937 &engine,
                   std::vector<std::vector<double>> &a, Registers &metadata) {
  std::vector<unsigned> valid = codesOf(c);
  unsigned chunk = c.a.bits == 32 ? 2 : c.a.bits == 4 ? 8 : 4;
  unsigned count = c.k / chunk; // Codes of a row.
  for (unsigned row = 0; row != 16; ++row) {
    std::vector<double> stored = a[row];
    a[row].assign(c.k, 0);
    for (unsigned i = 0; i != count; ++i) {
      unsigned code = valid[engine() % valid.size()];
      unsigned first = code % 4, second = code / 4;
      double *to = &a[row][i * chunk];
      const double *from = &stored[i * chunk / 2];
      if (c.a.bits == 32) {
        to[first / 2] = from[0];
      } else if (c.a.bits == 4) {
        to[2 * first] = from[0];
        to[2 * first + 1] = from[1];
        to[2 * second] = from[2];
        to[2 * second + 1] = from[3];
      } else {
        to[first] = from[0];
        to[second] = from[1];
      }
      bool small = c.a.bits < 16;
      unsigned lanes = count / 4;
      unsigned lane = row % 8 * 4 + c.selector * lanes;
      if (small)
        metadata.set(lane + row / 8 + i / 8 * 2, i % 8, 4, code);
      else
        metadata.set(lane + i / 4, row / 8 * 4 + i % 4, 4, code);
    }
  }
}

static void check(const Case &c) {
  std::string shape = formatv("m{0}n8k{1}", c.m, c.k);
  SCOPED_TRACE(shape + " " + c.d + " " + c.a.name + " " + c.b.name + " " +
               c.before + c.after + c.sparse);
  unsigned width = c.d == "f64" ? 64 : 32, e = width / c.a.bits;
  const unsigned storedK = c.sparse.empty() ? c.k : c.k / 2;
  const unsigned counts[4] = {c.m * storedK / 32 / e, 8 * c.k / 32 / e,
                              c.m / 4 * sumBits(c.c) / width,
                              c.m / 4 * sumBits(c.d) / width};
  std::mt19937 engine(c.m + c.k + c.a.bits);
  std::vector<std::vector<double>> a(c.m, std::vector<double>(storedK)),
      b(8, std::vector<double>(c.k)), sum(c.m, std::vector<double>(8));
  Registers ra(width, counts[0]), rb(width, counts[1]), rc(width, counts[2]);
  for (unsigned lane = 0; lane != 32; ++lane) {
    unsigned group = lane / 4, thread = lane % 4;
    for (unsigned i = 0; i != counts[0] * e; ++i) {
      uint64_t bits = randomBits(c.a, engine);
      ra.set(lane, i, c.a.bits, bits);
      unsigned row = group + (c.m == 16 && i / e % 2 ? 8 : 0);
      unsigned column = thread * e + i % e + i / (c.m / 8 * e) * 4 * e;
      a[row][column] = c.a.value(bits);
    }
    for (unsigned i = 0; i != counts[1] * e; ++i) {
      uint64_t bits = randomBits(c.b, engine);
      rb.set(lane, i, c.b.bits, bits);
      b[group][thread * e + i % e + i / e * 4 * e] = c.b.value(bits);
    }
    for (unsigned i = 0; i != c.m / 4; ++i) {
      double value = int(engine() % 41) - 20;
      uint64_t bits = 0;
      float single = value;
      int32_t integer = value;
      if (c.c == "f16")
        bits = toHalf(value);
      else if (c.c == "s32")
        memcpy(&bits, &integer, 4);
      else if (c.c == "f64")
        memcpy(&bits, &value, 8);
      else
        memcpy(&bits, &single, 4);
      rc.set(lane, i, sumBits(c.c), bits);
      sum[group + 8 * (i / 2)][thread * 2 + i % 2] = value;
    }
  }
  Registers re(width, 1);
  if (!c.sparse.empty())
    spread(c, engine, a, re);
  Harness h("b200", kernelOf(c, shape, width, counts));
  uint64_t out = h.allocate<uint64_t>(32 * counts[3]);
  ASSERT_TRUE(h.run("k", {1}, {32},
                    {h.upload(ra.words), h.upload(rb.words), h.upload(rc.words),
                     out, h.upload(re.words)}));
  Registers rd(width, counts[3]);
  rd.words = h.read<uint64_t>(out, 32 * counts[3]);
  unsigned wrong = 0;
  for (unsigned lane = 0; lane != 32; ++lane)
    for (unsigned i = 0; i != c.m / 4; ++i) {
      unsigned row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
      double expected = sum[row][column], magnitude = std::abs(expected);
      for (unsigned k = 0; k != c.k; ++k) {
        double x = a[row][k], y = b[column][k];
        double product = c.after == ".xor.popc" ? double(x != y) : x * y;
        expected += product;
        magnitude += std::abs(product);
      }
      double got = decodeSum(c.d, rd.get(lane, i, sumBits(c.d)));
      double bound = c.d == "s32" ? 0 : boundF32(c.k + 1, magnitude);
      if (c.d == "f16")
        bound += std::ldexp(magnitude, -11) + std::ldexp(1, -25);
      if (c.d == "f64")
        bound = std::ldexp((c.k + 1) * magnitude, -52);
      if (!(std::abs(got - expected) <= bound) && ++wrong < 4)
        ADD_FAILURE() << "row " << row << ", column " << column << ": " << got
                      << ", expected " << expected << " within " << bound;
    }
  EXPECT_EQ(wrong, 0u);
}

TEST(WarpMma, Halves) {
  for (unsigned k : {8, 16}) {
    check({16, k, f16, f16, "f32", "f32", "", ""});
    check({16, k, f16, f16, "f16", "f16", "", ""});
    check({16, k, bf16, bf16, "f32", "f32", "", ""});
  }
}

TEST(WarpMma, TF32) {
  for (unsigned k : {4, 8})
    check({16, k, tf32, tf32, "f32", "f32", "", ""});
}

TEST(WarpMma, FP8) {
  for (unsigned k : {16, 32})
    for (const Element &a : {e4m3, e5m2})
      for (const Element &b : {e4m3, e5m2}) {
        check({16, k, a, b, "f32", "f32", "", ""});
        check({16, k, a, b, "f16", "f16", "", ""});
      }
}

TEST(WarpMma, Doubles) {
  check({8, 4, f64, f64, "f64", "f64", "", ""});
  for (unsigned k : {4, 8, 16})
    check({16, k, f64, f64, "f64", "f64", "", ""});
}

TEST(WarpMma, Integers) {
  for (const char *saturation : {"", ".satfinite"}) {
    for (const Element &a : {s8, u8})
      for (const Element &b : {s8, u8}) {
        check({8, 16, a, b, "s32", "s32", saturation, ""});
        check({16, 16, a, b, "s32", "s32", saturation, ""});
        check({16, 32, a, b, "s32", "s32", saturation, ""});
      }
    for (const Element &a : {s4, u4})
      for (const Element &b : {s4, u4}) {
        check({8, 32, a, b, "s32", "s32", saturation, ""});
        check({16, 32, a, b, "s32", "s32", saturation, ""});
        check({16, 64, a, b, "s32", "s32", saturation, ""});
      }
  }
}

TEST(WarpMma, Bits) {
  for (const char *op : {".xor.popc", ".and.popc"}) {
    check({8, 128, b1, b1, "s32", "s32", "", op});
    check({16, 128, b1, b1, "s32", "s32", "", op});
    check({16, 256, b1, b1, "s32", "s32", "", op});
  }
}

//===----------------------------------------------------------------------===//
// A sparse A
//===----------------------------------------------------------------------===//

static const char *const sparseOpcodes[] = {".sp", ".sp::ordered_metadata"};

TEST(SparseWarpMma, Halves) {
  for (const char *sparse : sparseOpcodes)
    for (unsigned k : {16, 32})
      for (unsigned selector = 0; selector != 64 / k; ++selector) {
        check({16, k, f16, f16, "f32", "f32", "", "", sparse, selector});
        check({16, k, f16, f16, "f16", "f16", "", "", sparse, selector});
        check({16, k, bf16, bf16, "f32", "f32", "", "", sparse, selector});
      }
}

TEST(SparseWarpMma, TF32) {
  for (const char *sparse : sparseOpcodes)
    for (unsigned k : {8, 16})
      for (unsigned selector = 0; selector != 32 / k; ++selector)
        check({16, k, tf32, tf32, "f32", "f32", "", "", sparse, selector});
}

TEST(SparseWarpMma, FP8) {
  for (const char *sparse : sparseOpcodes)
    for (const Element &a : {e4m3, e5m2})
      for (const Element &b : {e4m3, e5m2})
        check({16, 64, a, b, "f32", "f32", "", "", sparse});
}

TEST(SparseWarpMma, Integers) {
  for (const char *sparse : sparseOpcodes)
    for (const char *saturation : {"", ".satfinite"}) {
      for (const Element &a : {s8, u8})
        for (const Element &b : {s8, u8}) {
          for (unsigned selector : {0, 1})
            check(
                {16, 32, a, b, "s32", "s32", saturation, "", sparse, selector});
          check({16, 64, a, b, "s32", "s32", saturation, "", sparse});
        }
      for (const Element &a : {s4, u4})
        for (const Element &b : {s4, u4}) {
          for (unsigned selector : {0, 1})
            check(
                {16, 64, a, b, "s32", "s32", saturation, "", sparse, selector});
          check({16, 128, a, b, "s32", "s32", saturation, "", sparse});
        }
    }
}

static std::string sparseFailure(const std::string &opcode,
                                 const std::string &metadata,
                                 const std::string &selector) {
  return perLaneFailure("mov.b32 %r1, 0x3c003c00; mov.b32 %r5, " + metadata +
                        "; mma" + opcode +
                        ".sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
                        "{%f1, %f2, %f3, %f4}, {%r1, %r1, %r1, %r1}, "
                        "{%r1, %r1, %r1, %r1}, {%f1, %f2, %f3, %f4}, %r5, " +
                        selector + ";");
}

TEST(SparseWarpMmaMustFail, Metadata) {
  EXPECT_CONTAINS(
      sparseFailure(".sp", "0x4444a444", "0"),
      "the metadata of row 0, elements 12 to 15 of the step's K, is "
      "0b1010");
  // Falling numbers are for mma.sp alone.
  EXPECT_CONTAINS(sparseFailure(".sp::ordered_metadata", "0x44441444", "0"),
                  "is 0b0001; the valid codes are 0b0100, 0b1000, 0b1001, "
                  "0b1100, 0b1101, 0b1110");
}

TEST(SparseWarpMmaMustFail, Selector) {
  EXPECT_CONTAINS(sparseFailure(".sp", "0x44444444", "2"),
                  "the sparsity selector is 2; 2 of four lanes have the "
                  "metadata of this shape, so it must be below 2");
}

TEST(WarpMmaMustFail, ALaneHasExited) {
  EXPECT_CONTAINS(
      perLaneFailure("setp.eq.u32 %p1, %lane, 7; @%p1 exit;"
                     "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                     "{%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, "
                     "{%f1, %f2, %f3, %f4};"),
      "needs all 32 lanes of the warp; lane 7 has exited");
}
