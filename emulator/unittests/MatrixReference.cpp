//===- MatrixReference.cpp - Matrix products, plainly --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixReference.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace reference;

namespace {
struct FormatInfo {
  const char *name;
  unsigned bits;
  unsigned exponent, mantissa; ///< 0 for integers.
  /// The largest exponent means infinity and NaN; or its largest mantissa
  /// means NaN; or neither.
  enum { Ieee, OneNaN, Finite } specials;
};
} // namespace

static const FormatInfo formats[] = {
    {"bf16", 16, 8, 7, FormatInfo::Ieee},
    {"f16", 16, 5, 10, FormatInfo::Ieee},
    {"tf32", 32, 8, 23, FormatInfo::Ieee},
    {"e4m3", 8, 4, 3, FormatInfo::OneNaN},
    {"e5m2", 8, 5, 2, FormatInfo::Ieee},
    {"e2m3", 6, 2, 3, FormatInfo::Finite},
    {"e3m2", 6, 3, 2, FormatInfo::Finite},
    {"e2m1", 4, 2, 1, FormatInfo::Finite},
    {"s8", 8, 0, 0, FormatInfo::Finite},
    {"u8", 8, 0, 0, FormatInfo::Finite},
};

static const FormatInfo &infoOf(Format format) {
  return formats[static_cast<int>(format)];
}

std::string reference::nameOf(Format format) { return infoOf(format).name; }
unsigned reference::bitsOf(Format format) { return infoOf(format).bits; }
unsigned reference::slotBits(Format format) {
  return std::max(infoOf(format).bits, 8u);
}

double reference::decode(Format format, uint32_t bits) {
  const FormatInfo &info = infoOf(format);
  if (format == Format::S8)
    return static_cast<int8_t>(bits);
  if (format == Format::U8)
    return static_cast<uint8_t>(bits);
  if (format == Format::TF32)
    bits &= ~0x1fffu; // The hardware ignores the lowest 13 bits.
  unsigned e = info.exponent, m = info.mantissa;
  int exponent = bits >> m & ((1u << e) - 1);
  uint32_t mantissa = bits & ((1u << m) - 1);
  double sign = bits >> (e + m) & 1 ? -1 : 1;
  int bias = (1 << (e - 1)) - 1;
  bool largest = exponent == (1 << e) - 1;
  if (largest && info.specials == FormatInfo::Ieee)
    return mantissa ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  if (largest && info.specials == FormatInfo::OneNaN &&
      mantissa == (1u << m) - 1)
    return std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - int(m));
  return sign *
         std::ldexp(mantissa + std::ldexp(1, m), exponent - bias - int(m));
}

Matrix reference::make(Format format, unsigned rows, unsigned k,
                       const std::vector<uint32_t> &bits) {
  Matrix matrix = {format, rows, k, bits, {}};
  for (uint32_t element : bits)
    matrix.values.push_back(decode(format, element));
  return matrix;
}

Matrix reference::random(Format format, unsigned rows, unsigned k,
                         std::mt19937 &engine) {
  std::vector<uint32_t> bits;
  std::uniform_real_distribution<float> uniform(-2, 2);
  while (bits.size() != size_t(rows) * k) {
    float value = uniform(engine);
    uint32_t word;
    memcpy(&word, &value, sizeof(word));
    switch (format) {
    case Format::TF32:
      break; // With the bits that are ignored.
    case Format::BF16:
      word >>= 16;
      break;
    case Format::F16:
      word = toHalf(value);
      break;
    default:
      word = engine() & ((1u << bitsOf(format)) - 1);
      // f16 sums should stay finite; so not NaN either.
      if (bitsOf(format) <= 8 && format != Format::S8 && format != Format::U8 &&
          !(std::abs(decode(format, word)) <= 4))
        continue;
      break;
    }
    bits.push_back(word);
  }
  return make(format, rows, k, bits);
}

SparseMatrix reference::randomSparse(Format format, unsigned elementBits,
                                     unsigned rows, unsigned k,
                                     const std::vector<unsigned> &valid,
                                     std::mt19937 &engine) {
  unsigned chunk = elementBits == 32 ? 2 : elementBits == 4 ? 8 : 4;
  Matrix stored = random(format, rows, k / 2, engine);
  std::vector<uint32_t> bits(rows * k);
  std::vector<unsigned> codes;
  for (unsigned row = 0; row != rows; ++row)
    for (unsigned first = 0; first != k; first += chunk) {
      unsigned code = valid[engine() % valid.size()];
      codes.push_back(code);
      // Where the two indices point to, in quarters of a chunk.
      for (unsigned i = 0; i != chunk / 2; ++i) {
        unsigned at = elementBits == 32  ? (code == 0b1110 ? 1 : 0)
                      : elementBits == 4 ? (code >> (i / 2) * 2 & 3) * 2 + i % 2
                                         : code >> i * 2 & 3;
        bits[row * k + first + at] = stored.bit(row, first / 2 + i);
      }
    }
  return {make(format, rows, k, bits), stored, chunk, codes};
}

/// CuTe's Swizzle<bits, base, shift> on an offset.
static unsigned swizzleOffset(unsigned bits, unsigned base, unsigned shift,
                              unsigned offset) {
  unsigned mask = ((1u << bits) - 1) << (base + shift);
  return offset ^ (offset & mask) >> shift;
}

Placement reference::place(const Matrix &matrix, const Layout &layout,
                           unsigned base, std::vector<char> &image,
                           unsigned stepK) {
  const unsigned slot = slotBits(matrix.format) / 8;
  const unsigned t = 16 / slot; // Elements in 16 bytes.
  const unsigned width =
      layout.swizzle == 129 ? 128 : std::max(layout.swizzle, 16u);
  const unsigned columns =
      layout.swizzle == 129 ? 4 : 8; // Of an MN-major atom.
  Placement placement;
  auto addressOf = [&](unsigned row, unsigned k) -> unsigned {
    unsigned offset;
    if (!layout.transposed) {
      // Atoms of 8 rows and `width` bytes; all rows of one before the next.
      unsigned byte = k * slot;
      placement.stride = 8 * width;
      placement.leading = matrix.rows * width; // Used without a swizzle only.
      offset = row % 8 * width + row / 8 * placement.stride + byte % width +
               byte / width * matrix.rows * width;
    } else {
      unsigned along = width / 16 * t, groups = matrix.k / columns;
      unsigned near = columns * width, far = columns * width * groups;
      // Without a swizzle, the two offsets have each other's meaning.
      placement.stride = layout.swizzle ? near : far;
      placement.leading = layout.swizzle ? far : near;
      offset = row % along * slot + row / along * far + k % columns * width +
               k / columns * near;
    }
    // Patterns are those of shared memory, wherever the matrix starts.
    unsigned address = base + offset;
    switch (layout.swizzle) {
    case 32:
      return swizzleOffset(1, 4, 3, address);
    case 64:
      return swizzleOffset(2, 4, 3, address);
    case 128:
      return swizzleOffset(3, 4, 3, address);
    case 129:
      return swizzleOffset(2, 5, 2, address);
    default:
      return address;
    }
  };
  // Whole atoms, also where the matrix is smaller than one.
  auto roundUp = [](size_t value, size_t unit) {
    return (value + unit - 1) / unit * unit;
  };
  size_t bytes = layout.transposed
                     ? roundUp(matrix.rows * slot, width) * matrix.k
                     : roundUp(matrix.k * slot, width) * matrix.rows;
  image.resize(std::max(image.size(), base + roundUp(bytes, 1024)));
  for (unsigned row = 0; row != matrix.rows; ++row)
    for (unsigned k = 0; k != matrix.k; ++k) {
      uint32_t bits = matrix.bit(row, k);
      if (bitsOf(matrix.format) < 8) {
        // Sixteen elements are packed at the start of 16 bytes.
        char *piece = &image[addressOf(row, k / 16 * 16)];
        for (unsigned i = 0; i != bitsOf(matrix.format); ++i) {
          unsigned bit = k % 16 * bitsOf(matrix.format) + i;
          if (bits >> i & 1)
            piece[bit / 8] |= 1 << bit % 8;
        }
        continue;
      }
      memcpy(&image[addressOf(row, k)], &bits, slot);
    }
  for (unsigned step = 0; step != matrix.k / stepK; ++step) {
    // The start is where element (0, k) is before it is swizzled.
    unsigned k = step * stepK, byte = k * slot;
    placement.starts.push_back(
        base + (layout.transposed
                    ? k / columns * columns * width
                    : byte % width + byte / width * matrix.rows * width));
  }
  return placement;
}

static uint64_t common(const Placement &placement, unsigned step) {
  return uint64_t(placement.starts[step] >> 4) |
         uint64_t(placement.leading >> 4 & 0x3fff) << 16 |
         uint64_t(placement.stride >> 4 & 0x3fff) << 32;
}

uint64_t reference::wgmmaDescriptor(const Placement &placement,
                                    const Layout &layout, unsigned step) {
  uint64_t mode = layout.swizzle == 128  ? 1
                  : layout.swizzle == 64 ? 2
                  : layout.swizzle == 32 ? 3
                                         : 0;
  return common(placement, step) | mode << 62;
}

uint64_t reference::tcgen05Descriptor(const Placement &placement,
                                      const Layout &layout, unsigned step) {
  uint64_t mode = layout.swizzle == 129   ? 1
                  : layout.swizzle == 128 ? 2
                  : layout.swizzle == 64  ? 4
                  : layout.swizzle == 32  ? 6
                                          : 0;
  return common(placement, step) | uint64_t(1) << 46 | mode << 61;
}

Dot reference::dot(const Matrix &a, const Matrix &b, unsigned row,
                   unsigned column) {
  Dot result = {0, 0};
  for (unsigned k = 0; k != a.k; ++k) {
    double product = a.value(row, k) * b.value(column, k);
    result.value += product;
    result.magnitude += std::abs(product);
  }
  return result;
}

double reference::boundF32(unsigned terms, double magnitude) {
  double unit = std::ldexp(1, -24);
  return terms * unit / (1 - terms * unit) * magnitude +
         terms * std::ldexp(1, -126);
}

double reference::fromHalf(uint16_t bits) { return decode(Format::F16, bits); }

uint16_t reference::toHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::abs(value);
  if (magnitude >= 65520)
    return sign | 0x7c00;
  int exponent;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, -14);
  // Ties to even: nearbyint in the default rounding mode.
  double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  if (units >= 2048) {
    units /= 2;
    ++exponent;
  }
  if (units < 1024)
    return sign | static_cast<uint16_t>(units); // Subnormal.
  return sign | (exponent + 15) << 10 | (static_cast<uint16_t>(units) - 1024);
}
