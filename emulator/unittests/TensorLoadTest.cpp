//===- TensorLoadTest.cpp - cp.async.bulk.tensor to shared memory -------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorKernel.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::emu;

static std::vector<uint8_t> loaded(AsyncKernel k) {
  return bytesOf(k.values());
}

TEST(TensorLoad, LoadsOfEveryRank) {
  // Dimensions that differ, a box that lies inside, one that hangs over at the
  // low end, and one at the high end.
  TensorMap full;
  full.type = TensorMapType::U16;
  full.dims = {24, 5, 4, 3, 3};
  full.strides = {48, 48 * 5 + 16, 1024, 3072};
  full.box = {8, 2, 3, 2, 2};
  std::vector<uint8_t> tensor = pattern(3 * 3072);
  for (unsigned rank = 1; rank != 6; ++rank)
    for (int origin : {0, 1, -1, 2, 20}) {
      TensorMap map = full;
      map.rank = rank;
      unsigned elements = 1;
      for (unsigned dim = 0; dim != rank; ++dim)
        elements *= map.box[dim];
      for (unsigned dim = rank; dim != 5; ++dim)
        map.dims[dim] = map.box[dim] = 1;
      for (unsigned dim = rank - 1; dim < 4; ++dim)
        map.strides[dim] = 0;
      int coordinates[5] = {origin, origin % 3, origin % 2, -origin % 2, 1};
      llvm::ArrayRef<int> list = llvm::ArrayRef(coordinates).take_front(rank);
      AsyncKernel k = loadKernel(map, list, elements * 2, elements * 2);
      k.input = tensor;
      EXPECT_EQ(loaded(k), expectedTile(map, list, tensor, 16, elements * 2))
          << "rank " << rank << ", origin " << origin;
    }
}

TEST(TensorLoad, Swizzles) {
  std::vector<uint8_t> tensor = pattern(256 * 20);
  for (unsigned number = 0; number != 7; ++number) {
    TensorMap map;
    map.type = TensorMapType::U8;
    map.rank = 2;
    map.dims = {200, 20, 1, 1, 1};
    map.strides = {256, 0, 0, 0};
    map.swizzle = static_cast<TensorMapSwizzle>(number);
    uint32_t span = patternOf(map.swizzle).span;
    // As wide as the swizzle, and narrower: rows take its width all the same.
    for (uint32_t width : {span ? span : 128, 16u}) {
      map.box = {width, 17, 1, 1, 1};
      uint32_t pitch = span ? span : width;
      AsyncKernel k = loadKernel(map, {3, 1}, width * 17, pitch * 17);
      k.input = tensor;
      EXPECT_EQ(loaded(k), expectedTile(map, {3, 1}, tensor, pitch, pitch * 17))
          << "swizzle " << number << ", width " << width;
    }
  }
}

// The pattern goes by the address, not by the start of the tile.
TEST(TensorLoad, SwizzleBaseOffset) {
  std::vector<uint8_t> tensor = pattern(128 * 4);
  TensorMap map;
  map.rank = 2;
  map.dims = {128, 4, 1, 1, 1};
  map.strides = {128, 0, 0, 0};
  map.box = {128, 4, 1, 1, 1};
  map.swizzle = TensorMapSwizzle::Bytes128;
  AsyncKernel k = loadKernel(map, {0, 0}, 512, 512);
  k.input = tensor;
  size_t at = k.body.find("[smem], [%map");
  k.body.replace(at, 6, "[smem+384]");
  k.body += "ld.shared.u32 %o, [%r61+384];";
  std::vector<uint8_t> result = loaded(k);
  for (unsigned byte = 0; byte != 512; ++byte)
    EXPECT_EQ(result[swizzled(map.swizzle, byte + 384) - 384], tensor[byte]);
}

TEST(TensorLoad, ElementStrides) {
  TensorMap map;
  map.type = TensorMapType::U32;
  map.rank = 3;
  map.dims = {8, 12, 9, 1, 1};
  map.strides = {32, 32 * 12, 0, 0};
  map.box = {4, 7, 5, 1, 1};
  map.elementStrides = {1, 3, 2, 1, 1};
  std::vector<uint8_t> tensor = pattern(32 * 12 * 9);
  AsyncKernel k = loadKernel(map, {2, 7, 3}, 16 * 3 * 3, 16 * 3 * 3);
  k.input = tensor;
  EXPECT_EQ(loaded(k), expectedTile(map, {2, 7, 3}, tensor, 16, 16 * 3 * 3));
}

TEST(TensorLoad, NaNFill) {
  TensorMap map;
  map.type = TensorMapType::F16;
  map.rank = 2;
  map.dims = {6, 1, 1, 1, 1};
  map.strides = {16, 0, 0, 0};
  map.box = {8, 2, 1, 1, 1};
  map.fillsNaN = true;
  AsyncKernel k = loadKernel(map, {0, 0}, 32, 32);
  k.input = pattern(32);
  std::vector<uint8_t> result = loaded(k);
  for (unsigned byte = 0; byte != 12; ++byte)
    EXPECT_EQ(result[byte], k.input[byte]);
  for (unsigned element = 6; element != 16; ++element) {
    uint16_t bits;
    memcpy(&bits, &result[element * 2], 2);
    EXPECT_EQ(bits, 0x7ff7) << element;
  }
}

TEST(TensorLoad, RoundsToTF32) {
  std::vector<uint32_t> values = {0x3f800000, 0x3f800fff, 0x3f801000,
                                  0x3f801001, 0x3f803000, 0xbf801001,
                                  0x00001001, 0x7f800000};
  std::vector<uint32_t> rounded = {0x3f800000, 0x3f800000, 0x3f800000,
                                   0x3f802000, 0x3f804000, 0xbf802000,
                                   0x00002000, 0x7f800000};
  TensorMap map;
  map.type = TensorMapType::TF32;
  map.dims[0] = map.box[0] = 8;
  AsyncKernel k = loadKernel(map, {0}, 32, 32);
  k.input = bytesOf(values);
  EXPECT_EQ(k.values(), rounded);
  map.type = TensorMapType::TF32Ftz;
  k = loadKernel(map, {0}, 32, 32);
  k.input = bytesOf(values);
  rounded[6] = 0;
  EXPECT_EQ(k.values(), rounded);
}

// Elements of 4 bits: packed, or in containers of 16 bytes; and of 6 bits.
TEST(TensorLoad, SubByteTypes) {
  TensorMap map;
  map.type = TensorMapType::B4x16;
  map.rank = 2;
  map.dims = {64, 3, 1, 1, 1};
  map.strides = {32, 0, 0, 0};
  map.box = {32, 2, 1, 1, 1};
  AsyncKernel k = loadKernel(map, {2, 1}, 32, 32);
  k.input = pattern(96);
  std::vector<uint8_t> result = loaded(k);
  for (unsigned byte = 0; byte != 32; ++byte)
    EXPECT_EQ(result[byte], k.input[32 + byte / 16 * 32 + 1 + byte % 16]);
  for (auto [type, packed] : {std::pair(TensorMapType::B4x16P64, 8u),
                              std::pair(TensorMapType::B6x16P32, 12u)}) {
    map.type = type;
    map.dims = {128, 2, 1, 1, 1};
    map.strides = {128, 0, 0, 0};
    map.box = {128, 2, 1, 1, 1};
    k = loadKernel(map, {0, 0}, 256, 256);
    k.input = pattern(256);
    result = loaded(k);
    for (unsigned row = 0; row != 2; ++row)
      for (unsigned group = 0; group != 8; ++group)
        for (unsigned byte = 0; byte != packed; ++byte)
          EXPECT_EQ(result[row * 128 + group * 16 + byte],
                    k.input[row * 128 + group * packed + byte]);
  }
}

TEST(TensorLoad, Gather4) {
  TensorMap map;
  map.type = TensorMapType::U32;
  map.rank = 2;
  map.dims = {8, 10, 1, 1, 1};
  map.strides = {32, 0, 0, 0};
  map.box = {4, 1, 1, 1, 1};
  AsyncKernel k = loadKernel(map, {2, 7, 0, 12, 3}, 64, 64, ".tile::gather4");
  k.input = pattern(320);
  std::vector<uint8_t> result = loaded(k);
  const int rows[] = {7, 0, 12, 3};
  for (unsigned byte = 0; byte != 64; ++byte) {
    int row = rows[byte / 16];
    EXPECT_EQ(result[byte], row >= 10 ? 0 : k.input[row * 32 + 8 + byte % 16]);
  }
}

// The map in global memory, and a destination written shared::cta.
TEST(TensorLoad, MapInGlobalMemory) {
  TensorMap map;
  map.type = TensorMapType::U32;
  map.dims[0] = map.box[0] = 32;
  AsyncKernel k;
  k.map = map;
  k.dataBytes = 128;
  k.input = pattern(128);
  k.body = initBarriers({1}) + R"(
  mad.wide.u32 %rd1, %thread, 4, %map;
  ld.u32 %r1, [%rd1];
  mad.wide.u32 %rd1, %thread, 4, %data;
  st.global.u32 [%rd1], %r1;
  fence.proxy.tensormap::generic.release.gpu;
  bar.sync 0;
  fence.proxy.tensormap::generic.acquire.gpu [%data], 128;
  @%leader prefetch.tensormap [%data];
  @%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 128;
  mov.b64 %rd2, 0;
  @%leader cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint
    [smem], [%data, {0}], [bars], %rd2;
)" + waitFor("bars", 0) +
           handOut;
  EXPECT_EQ(bytesOf(k.values()), pattern(128));
}

// Rank 0 and rank 3 multicast a half of the tile each to all four CTAs.
TEST(TensorLoad, Multicast) {
  TensorMap map;
  map.type = TensorMapType::U32;
  map.rank = 2;
  map.dims = {32, 8, 1, 1, 1};
  map.strides = {128, 0, 0, 0};
  map.box = {32, 4, 1, 1, 1};
  AsyncKernel k;
  k.ctas = 4;
  k.threads = 256;
  k.map = map;
  k.input = pattern(1024);
  k.body = initBarriers({1}) + R"(
  @%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 1024;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mov.b16 %h1, 0b1111;
  setp.eq.u32 %p1, %rank, 0;
  setp.eq.u32 %p2, %rank, 3;
  and.pred %p1, %p1, %leader;
  and.pred %p2, %p2, %leader;
  @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
    [smem], [%map, {0, 0}], [bars], %h1;
  @%p2 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
    [smem+512], [%map, {0, 4}], [bars], %h1;
)" + waitFor("bars", 0) +
           handOut + R"(
  barrier.cluster.arrive;
  barrier.cluster.wait;
)";
  std::vector<uint8_t> expected;
  for (unsigned rank = 0; rank != 4; ++rank)
    llvm::append_range(expected, k.input);
  EXPECT_EQ(bytesOf(k.values()), expected);
}

// cta_group::2: both CTAs of each pair load a half, and the mbarrier of the
// even one counts all bytes.
TEST(TensorLoad, Pairs) {
  for (bool multicasts : {false, true}) {
    TensorMap map;
    map.type = TensorMapType::U32;
    map.dims[0] = 128;
    map.box[0] = 32;
    AsyncKernel k;
    k.ctas = 4;
    k.map = map;
    k.input = pattern(512);
    k.body = initBarriers({1}) + R"(
  and.b32 %r1, %rank, 1;
  setp.eq.u32 %p1, %r1, 0;       // the even CTA
  and.pred %p2, %p1, %leader;
  @%p2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 256;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mov.u32 %r2, bars;
  and.b32 %r2, %r2, 0xfeffffff;  // the barrier of the even CTA
  mov.u32 %r3, smem;
  mul.lo.u32 %r4, %rank, 32;
)" +
             (multicasts ? std::string(R"(
  // One CTA for each half of the cluster: ranks 0 and 2, 1 and 3.
  setp.lt.u32 %p3, %rank, 2;
  and.pred %p3, %p3, %leader;
  shl.b32 %r5, 5, %rank;
  cvt.u16.u32 %h1, %r5;
  @%p3 cp.async.bulk.tensor.1d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
    [%r3], [%map, {%r4}], [%r2], %h1;
)")
                         : std::string(R"(
  @%leader cp.async.bulk.tensor.1d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes
    [%r3], [%map, {%r4}], [%r2];
)")) + "@!%p1 bra done;" +
             waitFor("bars", 0) +
             R"(
done:
  barrier.cluster.arrive;
  barrier.cluster.wait;
)" + handOut;
    std::vector<uint8_t> expected;
    for (unsigned rank = 0; rank != 4; ++rank) {
      unsigned part = multicasts ? rank % 2 : rank;
      expected.insert(expected.end(), k.input.begin() + part * 128,
                      k.input.begin() + (part + 1) * 128);
    }
    EXPECT_EQ(bytesOf(k.values()), expected);
  }
}
