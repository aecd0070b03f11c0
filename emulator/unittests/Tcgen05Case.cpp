//===- Tcgen05Case.cpp - Products by tcgen05.mma -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tcgen05Case.h"
#include "Tcgen05Kernel.h"
#include <cmath>

using namespace drawloom::emu;
using namespace tcgen05;
using llvm::formatv;

namespace {
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

/// The lane of a row of A and D in its CTA, in the first group of lanes.
static unsigned laneOf(const Mma &c, unsigned row) {
  return c.usesHalfOfTheLanes() ? c.lane + row / 16 * 32 + row % 16 : row;
}

/// Where an element of D is.
static Place placeOf(const Mma &c, unsigned row, unsigned column) {
  unsigned part = column / c.partColumns();
  return {row / c.rows(), laneOf(c, row % c.rows()) + part * 128 / c.parts(),
          column % c.partColumns()};
}

unsigned tcgen05::codeOf(Format format) {
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
  unsigned a = c.dense ? 1 : codeOf(c.a), b = c.dense ? 1 : codeOf(c.b);
  uint32_t bits = a << 7 | b << 10 | unsigned(c.aLayout.transposed) << 15 |
                  unsigned(c.bLayout.transposed) << 16 | c.n / 8 << 17 |
                  unsigned(c.sparse) << 2;
  // The metadata of two steps is in neighboring columns, and the address is
  // that of the first.
  if (c.metadataColumns() == 1)
    bits |= step % 2;
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

/// Puts the metadata of a CTA's rows into what tensor memory holds.
static void placeMetadata(const Mma &c, unsigned cta, const SparseMatrix &a,
                          std::vector<uint32_t> &in) {
  unsigned perStep = c.k() / a.chunk;
  for (unsigned row = 0; row != c.rows(); ++row)
    for (unsigned i = 0; i != c.steps * perStep; ++i) {
      unsigned step = i / perStep, at = i % perStep;
      unsigned lane = row, bit = 4 * at;
      if (c.metadataColumns() == 1) {
        // The second half of the elements is eight lanes further.
        lane = row % 8 + row / 16 * 16 + at / (perStep / 2) * 8;
        bit = row / 8 % 2 * 16 + at % (perStep / 2) * 4;
      }
      unsigned column =
          c.metadataColumn() + step * c.metadataColumns() + bit / 32;
      for (unsigned part = 0; part != c.parts(); ++part)
        in[(laneOf(c, lane) + part * 128 / c.parts()) * c.columns() + column] |=
            a.code(cta * c.rows() + row, i) << bit % 32;
    }
}

/// What tensor memory holds before, lane by lane, for one CTA.
static std::vector<uint32_t> contentsOf(const Mma &c, unsigned cta,
                                        const SparseMatrix &a,
                                        const Factors &sa, const Factors &sb,
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
  for (unsigned row = 0; row != c.rows(); ++row)
    for (unsigned part = 0; part != c.parts(); ++part) {
      unsigned lane = laneOf(c, row) + part * 128 / c.parts();
      for (unsigned i = 0; i != (c.aInTensorMemory ? 8 * c.steps : 0); ++i)
        in[lane * words + c.aColumn() + i] =
            wordOfA(c, a.stored, cta * c.rows() + row, i);
    }
  for (unsigned lane = 0; lane != 128; ++lane) {
    for (unsigned i = 0; i != c.steps * c.metadataColumns(); ++i)
      in[lane * words + c.metadataColumn() + i] = 0;
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
  if (c.sparse)
    placeMetadata(c, cta, a, in);
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
    auto address = [&](unsigned column) {
      return formatv("[%t+{0}]", (c.lane << 16) + column).str();
    };
    unsigned metadata = c.metadataColumn() + step * c.metadataColumns();
    body +=
        formatv("  tcgen05.mma{0}{6}.cta_group::{1}.kind::{2}{3} {7}, {4}, "
                "%rd7, {8}{5}, ",
                c.ws ? ".ws" : "", c.group, c.kind, c.ashift ? ".ashift" : "",
                c.aInTensorMemory ? address(c.aColumn() + 8 * step) : "%rd6",
                descriptorOf(c, step), c.sparse ? ".sp" : "", address(0),
                c.sparse ? address(metadata / 2 * 2) + ", " : "");
    if (c.scales)
      // The byte of the first factor in the address of A's, as CUTLASS has it,
      // changes nothing.
      body += formatv("[%t+{0}], [%t+{1}], ",
                      int32_t(c.aScaleColumn() + word * c.aScaleColumns() +
                              (step * c.scales % 4 << 30)),
                      c.bScaleColumn() + word * c.bScaleColumns());
    body += disabled + (step ? "%p5" : "%p4");
    if (c.scaleD && !step)
      body += formatv(", {0}", c.scaleD);
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

/// The codes that tcgen05.mma.sp has.
static std::vector<unsigned> codesOf(Format format) {
  if (format == Format::TF32)
    return {0b0100, 0b1110};
  return {0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b0110, 0b1110};
}

void tcgen05::check(const Mma &c) {
  SCOPED_TRACE(
      formatv("{0}, {1} x {2}, cta_group {3}, ws {4}, m {5}, n {6}, "
              "transposed {7} {8}, A in tensor memory {9}, sparse {10}",
              c.kind, nameOf(c.a), nameOf(c.b), c.group, c.ws, c.m, c.n,
              c.aLayout.transposed, c.bLayout.transposed, c.aInTensorMemory,
              c.sparse)
          .str());
  std::mt19937 engine(c.n * 17 + c.m + static_cast<int>(c.b));
  unsigned k = c.steps * c.k();
  SparseMatrix sparse;
  if (c.sparse)
    sparse = randomSparse(c.a, c.dense ? 4 : slotBits(c.a), c.m, k,
                          codesOf(c.a), engine);
  else
    sparse.all = sparse.stored = random(c.a, c.m, k, engine);
  const Matrix &a = sparse.all;
  Matrix b = random(c.b, c.n, k, engine);
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
    Placement placeA = place(partOf(c, sparse.stored, cta * c.rows(), c.rows()),
                             c.aLayout, 0, image);
    Matrix partOfB = partOf(c, b, cta * columns, columns);
    Placement placeB = place(partOfB, c.bLayout, image.size(), image,
                             kOf(partOfB.format) * (c.sparse ? 2 : 1));
    for (unsigned step = 0; step != c.steps && !cta; ++step) {
      descs.push_back(tcgen05Descriptor(placeA, c.aLayout, step));
      descs.push_back(tcgen05Descriptor(placeB, c.bLayout, step));
    }
    imageBytes = image.size();
    images.insert(images.end(), image.begin(), image.end());
    std::vector<uint32_t> part = contentsOf(c, cta, sparse, sa, sb, d);
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
      double sum =
          c.keeps ? std::ldexp(d[row * c.n + column], -int(c.scaleD)) : 0;
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

Mma tcgen05::makeMma(const std::string &kind, Format a, Format b, unsigned m,
                     unsigned n) {
  Mma c;
  c.kind = kind;
  c.a = a;
  c.b = b;
  c.m = m;
  c.n = n;
  return c;
}

Mma tcgen05::makePair(const std::string &kind, Format format, unsigned m,
                      unsigned n) {
  Mma c = makeMma(kind, format, format, m, n);
  c.group = 2;
  return c;
}

Mma tcgen05::makeFp4(const std::string &kind, unsigned scales, Scale scale,
                     unsigned m, unsigned n) {
  Mma c = makeMma(kind, Format::E2M1, Format::E2M1, m, n);
  c.dense = true;
  c.scales = scales;
  c.scale = scale;
  return c;
}
