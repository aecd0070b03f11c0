//===- WarpMmaCase.cpp - An mma.sync against three loops -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpMmaCase.h"
#include "Harness.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace drawloom::emu;
using namespace mma;
using namespace reference;
using llvm::formatv;

namespace {
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

const Element mma::f16 = {"f16", 16, valueOf<Format::F16>};
const Element mma::bf16 = {"bf16", 16, valueOf<Format::BF16>};
const Element mma::tf32 = {"tf32", 32, valueOf<Format::TF32>};
const Element mma::e4m3 = {"e4m3", 8, valueOf<Format::E4M3>};
const Element mma::e5m2 = {"e5m2", 8, valueOf<Format::E5M2>};
const Element mma::s8 = {"s8", 8, valueOf<Format::S8>};
const Element mma::u8 = {"u8", 8, valueOf<Format::U8>};
const Element mma::s4 = {
    "s4", 4, [](uint64_t x) { return double(int(x) - (x & 8 ? 16 : 0)); }};
const Element mma::u4 = {"u4", 4, [](uint64_t x) { return double(x); }};
const Element mma::b1 = {"b1", 1, [](uint64_t x) { return double(x); }};
const Element mma::f64 = {"f64", 64, valueOfDouble};
const Element mma::e3m2 = {
    "e3m2", 8, [](uint64_t x) { return decode(Format::E3M2, x & 63); }};
const Element mma::e2m3 = {
    "e2m3", 8, [](uint64_t x) { return decode(Format::E2M3, x & 63); }};
const Element mma::e2m1 = {
    "e2m1", 8, [](uint64_t x) { return decode(Format::E2M1, x >> 2 & 15); }};
const Element mma::denseE2M1 = {"e2m1", 4, valueOf<Format::E2M1>};

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
                  .param .u64 e, .param .u64 s) {{
  .reg .b{0} %a<9>, %b<9>, %c<9>, %d<9>, %e<1>, %s<2>;
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
  const Scales &s = c.scales;
  std::string scales;
  if (!s.type.empty()) {
    access('s', 2, false);
    scales = formatv(", %s0, {{{0}, {1}}, %s1, {{{2}, {3}}", s.byteA, s.threadA,
                     s.byteB, s.threadB);
  }
  // Single registers of A and B stand without braces or with.
  text += formatv(
      "  mma{11}.sync.aligned.{0}.row.col{1}.{2}.{3}.{4}.{5}{6} {7}, "
      "{8}, {9}, {10}{12}{13};\n",
      shape, c.before, c.d, c.a.name, c.b.name, c.c,
      s.type.empty() ? c.after : "." + s.type, list('d', counts[3]),
      list('a', counts[0]), list('b', counts[1]), list('c', counts[2]),
      c.sparse, c.sparse.empty() ? "" : formatv(", %e0, {0}", c.selector).str(),
      scales);
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

/// Fills the words of the scales, and multiplies the rows of A and B with them.
static void scale(const Scales &s, std::mt19937 &engine,
                  std::vector<std::vector<double>> &a,
                  std::vector<std::vector<double>> &b, Registers &words) {
  for (uint64_t &word : words.words)
    for (unsigned byte = 0; byte != 4; ++byte)
      word |= (s.type == "ue8m0" ? 120 + engine() % 14 : engine() % 0x7f)
              << 8 * byte;
  auto apply = [&](std::vector<double> &row, unsigned lane, unsigned reg,
                   unsigned byte) {
    for (size_t i = 0; i != row.size(); ++i) {
      uint64_t bits =
          words.get(lane, 4 * reg + byte + i * s.perRow / row.size(), 8);
      row[i] *= s.type == "ue8m0" ? std::ldexp(1, int(bits) - 127)
                                  : decode(Format::E4M3, bits);
    }
  };
  for (unsigned row = 0; row != 16; ++row)
    apply(a[row], row % 8 * 4 + s.threadA * 2 + row / 8, 0, s.byteA);
  for (unsigned column = 0; column != 8; ++column)
    apply(b[column], column * 4 + s.threadB, 1, s.byteB);
}

void mma::check(const Case &c, const char *device) {
  std::string shape = formatv("m{0}n8k{1}", c.m, c.k);
  SCOPED_TRACE(shape + " " + c.d + " " + c.a.name + " " + c.b.name + " " +
               c.before + c.after + c.sparse + " " + c.scales.type);
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
  Registers rs(width, 2);
  if (!c.scales.type.empty())
    scale(c.scales, engine, a, b, rs);
  Harness h(device, kernelOf(c, shape, width, counts));
  uint64_t out = h.allocate<uint64_t>(32 * counts[3]);
  ASSERT_TRUE(h.run("k", {1}, {32},
                    {h.upload(ra.words), h.upload(rb.words), h.upload(rc.words),
                     out, h.upload(re.words), h.upload(rs.words)}));
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
