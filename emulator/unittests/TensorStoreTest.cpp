//===- TensorStoreTest.cpp - cp.async.bulk.tensor to global memory ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorKernel.h"

using namespace drawloom;
using namespace drawloom::emu;

TEST(TensorStore, Stores) {
  for (unsigned number = 0; number != 7; ++number) {
    TensorMap map;
    map.type = TensorMapType::U16;
    map.rank = 3;
    map.dims = {30, 4, 3, 1, 1};
    map.strides = {64, 64 * 4, 0, 0};
    map.swizzle = static_cast<TensorMapSwizzle>(number);
    map.box = {16, 3, 2, 1, 1};
    uint32_t span = patternOf(map.swizzle).span;
    uint32_t pitch = span ? span : 32;
    // The box hangs over the end of each dimension.
    AsyncKernel k =
        storeKernel(map, {20, 2, 2}, pitch * 6,
                    "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group");
    k.dataBefore = std::vector<uint8_t>(64 * 4 * 3, 0xee);
    k.values();
    std::vector<uint8_t> expected = k.dataBefore, tile = pattern(pitch * 6);
    forEachElement(map, {20, 2, 2}, pitch, [&](unsigned from, int64_t to) {
      if (to >= 0)
        memcpy(&expected[to], &tile[from], 2);
    });
    EXPECT_EQ(k.data, expected) << "swizzle " << number;
  }
}

TEST(TensorStore, Scatter4) {
  TensorMap map;
  map.type = TensorMapType::U32;
  map.rank = 2;
  map.dims = {8, 10, 1, 1, 1};
  map.strides = {32, 0, 0, 0};
  map.box = {4, 1, 1, 1, 1};
  AsyncKernel k = storeKernel(
      map, {4, 9, 1, 11, 5}, 64,
      "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group");
  k.dataBytes = 320;
  k.values();
  std::vector<uint8_t> expected(320), tile = pattern(64);
  const int rows[] = {9, 1, 11, 5};
  for (unsigned row = 0; row != 4; ++row)
    if (rows[row] < 10)
      memcpy(&expected[rows[row] * 32 + 16], &tile[row * 16], 16);
  EXPECT_EQ(k.data, expected);
}

TEST(TensorStore, Reductions) {
  TensorMap map;
  map.dims[0] = 12;
  map.box[0] = 16;
  struct Row {
    const char *op;
    TensorMapType type;
    uint32_t (*apply)(uint32_t a, uint32_t b);
  };
  const Row rows[] = {
      {"add", TensorMapType::U32, [](uint32_t a, uint32_t b) { return a + b; }},
      {"min", TensorMapType::S32,
       [](uint32_t a, uint32_t b) {
         return uint32_t(std::min(int32_t(a), int32_t(b)));
       }},
      {"max", TensorMapType::U32,
       [](uint32_t a, uint32_t b) { return std::max(a, b); }},
      {"inc", TensorMapType::U32,
       [](uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; }},
      {"dec", TensorMapType::U32,
       [](uint32_t a, uint32_t b) { return a == 0 || a > b ? b : a - 1; }},
      {"and", TensorMapType::U32, [](uint32_t a, uint32_t b) { return a & b; }},
      {"or", TensorMapType::S32, [](uint32_t a, uint32_t b) { return a | b; }},
      {"xor", TensorMapType::U32, [](uint32_t a, uint32_t b) { return a ^ b; }},
      {"add", TensorMapType::F32,
       [](uint32_t a, uint32_t b) {
         return std::bit_cast<uint32_t>(std::bit_cast<float>(a) +
                                        std::bit_cast<float>(b));
       }},
  };
  for (const Row &row : rows) {
    map.type = row.type;
    AsyncKernel k =
        storeKernel(map, {2}, 64,
                    "cp.reduce.async.bulk.tensor.1d.global.shared::cta." +
                        std::string(row.op) + ".tile.bulk_group");
    k.dataBefore = pattern(80);
    std::reverse(k.dataBefore.begin(), k.dataBefore.end());
    k.values();
    std::vector<uint32_t> before(20), after(20), tile(16);
    memcpy(before.data(), k.dataBefore.data(), 80);
    memcpy(after.data(), k.data.data(), 80);
    memcpy(tile.data(), pattern(64).data(), 64);
    for (unsigned index = 0; index != 20; ++index)
      EXPECT_EQ(after[index], index < 2 || index >= 12
                                  ? before[index]
                                  : row.apply(before[index], tile[index - 2]))
          << row.op << " " << index;
  }
}

// The sum of two CTAs' tiles of bf16.
TEST(TensorStore, ReductionOfBFloat16) {
  TensorMap map;
  map.type = TensorMapType::BF16;
  map.dims[0] = map.box[0] = 8;
  AsyncKernel k = storeKernel(
      map, {0}, 16,
      "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group");
  k.ctas = 2;
  k.input = bytesOf(std::vector<uint16_t>(8, 0x3fc0));      // 1.5
  k.dataBefore = bytesOf(std::vector<uint16_t>(8, 0x4000)); // 2
  k.values();
  EXPECT_EQ(k.data, bytesOf(std::vector<uint16_t>(8, 0x40a0))); // 5
}

// Every lane stores, eight of them the same row to the same place; each waits
// for its own group and then sees the row. A reduction counts for each lane.
TEST(TensorStore, LanesThatStoreTheSame) {
  struct Row {
    const char *copy;
    uint32_t times;
  };
  for (const Row &row : {Row{"cp.async.bulk.tensor.2d", 1},
                         Row{"cp.reduce.async.bulk.tensor.2d", 8}}) {
    AsyncKernel k;
    k.map.emplace();
    k.map->type = TensorMapType::U32;
    k.map->rank = 2;
    k.map->dims = {4, 4, 1, 1, 1};
    k.map->strides = {16, 0, 0, 0};
    k.map->box = {4, 1, 1, 1, 1};
    k.mapsData = true;
    k.dataBytes = 64;
    k.body = R"(
  mov.u32 %r1, smem;
  and.b32 %r2, %thread, 3;
  mad.lo.u32 %r1, %r2, 4, %r1;
  add.u32 %r3, %r2, 100;
  st.shared.u32 [%r1], %r3;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  shr.u32 %r4, %thread, 3;
  )" + std::string(row.copy) +
             ".global.shared::cta" + (row.times == 1 ? "" : ".add") +
             R"(.bulk_group [%map, {0, %r4}], [smem];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  bar.sync 0;
  mad.lo.u32 %r5, %r4, 4, %r2;
  mad.wide.u32 %rd1, %r5, 4, %data;
  ld.global.u32 %o, [%rd1];
)";
    std::vector<uint32_t> seen = k.values();
    ASSERT_EQ(seen.size(), 32u);
    for (unsigned lane = 0; lane != 32; ++lane)
      EXPECT_EQ(seen[lane], row.times * (100 + lane % 4)) << row.copy;
  }
}
