//===- Tcgen05CopyTest.cpp - tcgen05.cp and tcgen05.shift -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tcgen05Kernel.h"

using namespace drawloom::emu;
using llvm::formatv;

namespace {
/// Where the n-th 32 rows of a copy go: a bit for each warp's lanes.
struct Shape {
  std::string name;
  unsigned rows, pieces;
  unsigned to[4];
};
} // namespace

static const Shape shapes[] = {
    {"128x256b", 128, 2, {1, 2, 4, 8}},
    {"128x128b", 128, 1, {1, 2, 4, 8}},
    {"64x128b.warpx2::02_13", 64, 1, {5, 10, 0, 0}},
    {"64x128b.warpx2::01_23", 64, 1, {3, 12, 0, 0}},
    {"32x128b.warpx4", 32, 1, {15, 0, 0, 0}},
};

/// Byte `i` of 16 that a piece becomes: as it is, or element i of 6 or 4 bits
/// in a byte of its own.
static uint8_t byteOf(const std::vector<uint8_t> &image, size_t piece,
                      unsigned i, unsigned bits) {
  if (bits == 8)
    return image[piece + i];
  unsigned value = 0;
  for (unsigned bit = 0; bit != bits; ++bit) {
    unsigned at = i * bits + bit;
    value |= (image[piece + at / 8] >> at % 8 & 1) << bit;
  }
  return bits == 4 ? value << 2 : value;
}

static void checkCopy(const Shape &shape, unsigned group, unsigned bits) {
  SCOPED_TRACE(shape.name + " " + std::to_string(group) + " " +
               std::to_string(bits));
  const unsigned imageBytes = 8192, words = 8;
  Tcgen05Kernel kernel;
  kernel.group = group;
  kernel.imageBytes = imageBytes;
  kernel.inBytes = kernel.outBytes = 128 * words * 4;
  // Rows of 16 bytes: 8 of them are an atom, atoms follow each other; the
  // second piece of a row is 4096 bytes behind the first.
  uint64_t descriptor =
      uint64_t(4096 >> 4) << 16 | uint64_t(128 >> 4) << 32 | uint64_t(1) << 46;
  std::string format = bits == 6   ? ".b8x16.b6x16_p32"
                       : bits == 4 ? ".b8x16.b4x16_p64"
                                   : "";
  std::string leader = group == 2 ? "%p6" : "%p1";
  kernel.body =
      Tcgen05Kernel::fill(words) + "  tcgen05.fence::before_thread_sync;\n  " +
      kernel.meet() + "\n  tcgen05.fence::after_thread_sync;\n" +
      formatv("  add.s64 %rd6, %rd4, {0};\n"
              "  @{1} tcgen05.cp.cta_group::{2}.{3}{4} [%t], %rd6;\n",
              descriptor, leader, group, shape.name, format)
          .str() +
      (group == 2 ? Tcgen05Kernel::commitPair() : Tcgen05Kernel::commit()) +
      Tcgen05Kernel::wait("") + Tcgen05Kernel::dump(words);
  std::vector<uint8_t> image(group * imageBytes);
  for (size_t i = 0; i != image.size(); ++i)
    image[i] = i * 7 + i / 256 * 3;
  std::vector<uint8_t> expected(group * 128 * words * 4, 0xee);
  Harness h("b200", kernel.text());
  h.cluster = {group};
  uint64_t out = h.allocate<uint8_t>(expected.size());
  ASSERT_TRUE(
      h.run("k", {group}, {128}, {h.upload(image), h.upload(expected), out}));
  // Each CTA gets what is in its own shared memory.
  for (unsigned cta = 0; cta != group; ++cta)
    for (unsigned row = 0; row != shape.rows; ++row)
      for (unsigned warp = 0; warp != 4; ++warp)
        for (unsigned byte = 0;
             byte != 16 * shape.pieces && (shape.to[row / 32] >> warp & 1);
             ++byte) {
          size_t piece = cta * imageBytes + row * 16 + byte / 16 * 4096;
          unsigned lane = warp * 32 + row % 32;
          expected[(cta * 128 + lane) * words * 4 + byte] =
              byteOf(image, piece, byte % 16, bits);
        }
  EXPECT_EQ(h.read<uint8_t>(out, expected.size()), expected);
}

TEST(Tcgen05Copy, EveryShapeAndFormat) {
  for (const Shape &shape : shapes)
    for (unsigned group : {1, 2})
      for (unsigned bits : {8, 6, 4})
        checkCopy(shape, group, bits);
}

// Row r + 1 of the 32 lanes gets what row r had, in eight columns; row 0 and
// all other lanes stay.
TEST(Tcgen05Copy, Shift) {
  for (unsigned group : {1, 2}) {
    const unsigned words = 16, lane = 32;
    Tcgen05Kernel kernel;
    kernel.group = group;
    kernel.inBytes = kernel.outBytes = 128 * words * 4;
    std::string leader = group == 2 ? "%p6" : "%p1";
    kernel.body =
        Tcgen05Kernel::fill(words) +
        "  tcgen05.fence::before_thread_sync;\n  " + kernel.meet() +
        "\n  tcgen05.fence::after_thread_sync;\n" +
        formatv("  @{0} tcgen05.shift.cta_group::{1}.down "
                "[%t+{2}];\n",
                leader, group, (lane << 16) + 4)
            .str() +
        (group == 2 ? Tcgen05Kernel::commitPair() : Tcgen05Kernel::commit()) +
        Tcgen05Kernel::wait("") + Tcgen05Kernel::dump(words);
    std::vector<uint32_t> in(group * 128 * words);
    for (size_t i = 0; i != in.size(); ++i)
      in[i] = 1000 + i;
    std::vector<uint32_t> expected = in;
    for (unsigned cta = 0; cta != group; ++cta)
      for (unsigned row = 1; row != 32; ++row)
        for (unsigned column = 4; column != 12; ++column)
          expected[(cta * 128 + lane + row) * words + column] =
              in[(cta * 128 + lane + row - 1) * words + column];
    Harness h("b200", kernel.text());
    h.cluster = {group};
    uint64_t out = h.allocate<uint32_t>(in.size());
    ASSERT_TRUE(h.run("k", {group}, {128}, {out, h.upload(in), out}));
    EXPECT_EQ(h.read<uint32_t>(out, in.size()), expected);
  }
}
