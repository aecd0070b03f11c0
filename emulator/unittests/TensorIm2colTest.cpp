//===- TensorIm2colTest.cpp - cp.async.bulk.tensor in im2col mode --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pixels of an im2col copy are numbered as the outputs of a convolution: of
// Q in a line, P lines, Z planes. The n-th one behind the first is found by
// division here, not by walking through the box (PTX ISA, section 5.5.4).
//
//===----------------------------------------------------------------------===//

#include "TensorKernel.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;

namespace {
struct Case {
  unsigned rank;
  std::vector<int> size;         ///< C, W, H, D, N
  std::vector<int> lower, upper; ///< W, H, D
  std::vector<int> step;         ///< W, H, D
  unsigned channels, pixels;
  int channel, image;          ///< Of the first pixel.
  std::vector<unsigned> first; ///< The output that it is for.
  std::vector<int> offsets;    ///< W, H, D
};
} // namespace

static TensorMap mapOf(const Case &c) {
  TensorMap map;
  map.im2col = true;
  map.type = TensorMapType::U16;
  map.rank = c.rank;
  uint64_t stride = 2;
  for (unsigned dim = 0; dim != c.rank; ++dim) {
    map.dims[dim] = c.size[dim];
    stride = (stride * c.size[dim] + 15) / 16 * 16;
    if (dim < 4)
      map.strides[dim] = dim + 1 < c.rank ? stride : 0;
  }
  map.box[0] = c.channels;
  map.pixels = c.pixels;
  for (unsigned i = 0; i != c.rank - 2; ++i) {
    map.lowerCorner[i] = c.lower[i];
    map.upperCorner[i] = c.upper[i];
    map.elementStrides[i + 1] = c.step[i];
  }
  return map;
}

/// The coordinates in the instruction.
static std::string coordinatesOf(const Case &c) {
  std::string text = formatv("{{{0}", c.channel);
  for (unsigned i = 0; i != c.rank - 2; ++i)
    text += formatv(", {0}", c.lower[i] + int(c.first[i]) * c.step[i]);
  return text + formatv(", {0}}", c.image).str();
}

/// Where pixel `n` lies in the tensor, in bytes; -1 if it is out of bounds.
static int64_t offsetOf(const Case &c, const TensorMap &map, unsigned n) {
  unsigned spatial = c.rank - 2;
  uint64_t number = 0;
  std::vector<unsigned> outputs; // Of a line, a plane, a volume.
  for (unsigned i = 0; i != spatial; ++i)
    outputs.push_back(
        (c.size[i + 1] - 1 + c.upper[i] - c.lower[i]) / c.step[i] + 1);
  for (unsigned i = spatial; i-- != 0;)
    number = number * outputs[i] + c.first[i];
  number += n;
  int64_t offset = 0;
  for (unsigned i = 0; i != spatial; ++i) {
    int64_t at =
        c.lower[i] + int64_t(number % outputs[i]) * c.step[i] + c.offsets[i];
    number /= outputs[i];
    if (at < 0 || at >= c.size[i + 1])
      return -1;
    offset += at * int64_t(map.strides[i]);
  }
  int64_t image = c.image + int64_t(number);
  if (image < 0 || image >= c.size[c.rank - 1])
    return -1;
  return offset + image * int64_t(map.strides[spatial]);
}

static const Case cases[] = {
    // Example 1 of the ISA: a 3 x 3 filter with padding, its first tap.
    {4,
     {64, 9, 14, 64},
     {-1, -1},
     {-1, -1},
     {1, 1},
     8,
     64,
     16,
     0,
     {8, 5},
     {0, 0}},
    // Example 2: no padding, the last tap.
    {4, {64, 9, 14, 64}, {0, 0}, {-2, -2}, {1, 1}, 8, 64, 8, 0, {6, 4}, {2, 2}},
    // With a step of 2, and channels that end in front of the box.
    {4,
     {20, 8, 14, 3},
     {-1, -1},
     {-1, -1},
     {2, 2},
     16,
     32,
     8,
     1,
     {3, 2},
     {1, 1}},
    {3, {8, 10, 6}, {-2}, {-1}, {1}, 8, 40, 0, 3, {5}, {3}},
    {5,
     {8, 5, 4, 3, 4},
     {-1, 0, -1},
     {0, -1, 0},
     {2, 1, 1},
     8,
     60,
     0,
     2,
     {1, 2, 1},
     {1, 1, 0}},
};

static std::string list(const std::vector<int> &values) {
  std::string text;
  for (int value : values)
    text += (text.empty() ? "{" : ", ") + std::to_string(value);
  return text + "}";
}

static size_t tensorBytes(const Case &c, const TensorMap &map) {
  return map.strides[c.rank - 2] * c.size[c.rank - 1];
}

TEST(TensorIm2col, Loads) {
  for (const Case &c : cases)
    for (const char *space : {"shared::cluster", "shared::cta"}) {
      TensorMap map = mapOf(c);
      unsigned row = c.channels * 2, bytes = c.pixels * row;
      AsyncKernel k;
      k.threads = bytes / 4;
      k.map = map;
      k.input = pattern(tensorBytes(c, map));
      k.body = initBarriers({1}) +
               formatv("@!%leader bra wait;\n"
                       "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], "
                       "{0};\n"
                       "cp.async.bulk.tensor.{1}d.{2}.global.im2col"
                       ".mbarrier::complete_tx::bytes [smem], [%map, {3}], "
                       "[bars], {4};\nwait:\n",
                       bytes, c.rank, space, coordinatesOf(c), list(c.offsets))
                   .str() +
               waitFor("bars", 0) + handOut;
      std::vector<uint8_t> expected(bytes, 0);
      for (unsigned n = 0; n != c.pixels; ++n) {
        int64_t from = offsetOf(c, map, n);
        for (unsigned i = 0; i != c.channels && from >= 0; ++i)
          if (c.channel + int(i) < c.size[0])
            memcpy(&expected[n * row + 2 * i],
                   &k.input[from + 2 * (c.channel + i)], 2);
      }
      EXPECT_EQ(bytesOf(k.values()), expected)
          << "rank " << c.rank << ", " << c.pixels << " pixels";
    }
}

TEST(TensorIm2col, StoresAndReductions) {
  for (Case c : cases)
    for (bool adds : {false, true}) {
      std::fill(c.offsets.begin(), c.offsets.end(), 0);
      TensorMap map = mapOf(c);
      map.type = TensorMapType::F16;
      unsigned row = c.channels * 2, bytes = c.pixels * row;
      AsyncKernel k;
      k.threads = bytes / 4;
      k.map = map;
      k.mapsData = true;
      // Halves 1, 2, 3, ...
      std::vector<uint16_t> tile;
      for (unsigned i = 0; i != bytes / 2; ++i)
        tile.push_back(0x3c00 + (i % 7) * 0x100);
      k.input = bytesOf(tile);
      k.dataBefore.assign(tensorBytes(c, map), 0);
      k.body =
          formatv("mad.wide.u32 %rd1, %thread, 4, %in;\n"
                  "mov.u32 %r1, smem;\n"
                  "mad.lo.u32 %r1, %thread, 4, %r1;\n"
                  "ld.global.u32 %r2, [%rd1];\n"
                  "st.shared.u32 [%r1], %r2;\n"
                  "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
                  "@!%leader bra done;\n"
                  "{0}.{1}d.global.shared::cta{2}.im2col_no_offs"
                  ".bulk_group [%map, {3}], [smem];\n"
                  "cp.async.bulk.commit_group;\n"
                  "cp.async.bulk.wait_group 0;\ndone:\n",
                  adds ? "cp.reduce.async.bulk.tensor" : "cp.async.bulk.tensor",
                  c.rank, adds ? ".add" : "", coordinatesOf(c))
              .str();
      std::vector<uint8_t> expected = k.dataBefore;
      for (unsigned n = 0; n != c.pixels; ++n) {
        int64_t to = offsetOf(c, map, n);
        for (unsigned i = 0; i != c.channels && to >= 0; ++i)
          if (c.channel + int(i) < c.size[0])
            memcpy(&expected[to + 2 * (c.channel + i)],
                   &k.input[n * row + 2 * i], 2);
      }
      k.values();
      EXPECT_EQ(k.data, expected) << "rank " << c.rank << ", adds " << adds;
    }
}

TEST(TensorIm2col, MapsAreReadBack) {
  const ptx::Target target = findDeviceModel("b200")->target;
  for (const Case &c : cases) {
    TensorMap map = mapOf(c);
    map.address = 0x700000000400;
    auto bytes = encodeTensorMap(map, target);
    ASSERT_TRUE(static_cast<bool>(bytes));
    auto again = decodeTensorMap(bytes->data());
    ASSERT_TRUE(static_cast<bool>(again));
    EXPECT_TRUE(*again == map);
  }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// The report of a load from the first case's tensor, changed.
template <typename F>
static std::string failureOf(F change, const std::string &coordinates,
                             const std::string &mode = ".im2col",
                             const std::string &offsets = ", {0, 0}") {
  TensorMap map = mapOf(cases[0]);
  change(map);
  AsyncKernel k;
  k.map = map;
  k.input = pattern(tensorBytes(cases[0], map));
  k.body = initBarriers({1}) +
           "@%leader cp.async.bulk.tensor.4d.shared::cluster.global" + mode +
           ".mbarrier::complete_tx::bytes [smem], [%map, " + coordinates +
           "], [bars]" + offsets + ";\n";
  return k.failure();
}

TEST(Im2colMustFail, StartOutsideTheBoundingBox) {
  EXPECT_CONTAINS(failureOf([](TensorMap &) {}, "{0, -2, 0, 0}"),
                  "coordinate 1 is -2, outside the bounding box");
  EXPECT_CONTAINS(failureOf([](TensorMap &) {}, "{0, 0, 13, 0}"),
                  "coordinate 2 is 13, outside the bounding box");
}

TEST(Im2colMustFail, AMapOfTheOtherMode) {
  EXPECT_CONTAINS(failureOf([](TensorMap &) {}, "{0, 0, 0, 0}", "", ""),
                  "it is for im2col mode, and the copy is not");
  EXPECT_CONTAINS(
      failureOf([](TensorMap &map) { map.im2col = false; }, "{0, 0, 0, 0}"),
      "it isn't for im2col mode, and the copy is");
}

TEST(Im2colMustFail, Maps) {
  auto rejection = [](auto change) {
    TensorMap map = mapOf(cases[0]);
    change(map);
    auto bytes = encodeTensorMap(map, findDeviceModel("b200")->target);
    return bytes ? "" : llvm::toString(bytes.takeError());
  };
  EXPECT_CONTAINS(rejection([](TensorMap &map) { map.rank = 2; }),
                  "rank 2; an im2col map has 3 to 5");
  EXPECT_CONTAINS(rejection([](TensorMap &map) { map.pixels = 2000; }),
                  "a column of 2000 pixels; 1 to 1024 are possible");
  EXPECT_CONTAINS(rejection([](TensorMap &map) { map.upperCorner[1] = -129; }),
                  "the upper corner of dimension 2 is -129; with rank 4, -128 "
                  "to 127 are possible");
}
