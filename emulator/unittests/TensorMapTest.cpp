//===- TensorMapTest.cpp - Tensor maps: encode and decode ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/TensorMap.h"
#include "gtest/gtest.h"
#include <cstring>
#include <vector>

using namespace drawloom;
using namespace drawloom::emu;

static constexpr ptx::Target hopper{90, 'a'}, blackwell{100, 'a'};

static TensorMap matrix() {
  TensorMap map;
  map.type = TensorMapType::BF16;
  map.rank = 2;
  map.address = 0x700000001000;
  map.dims = {512, 256, 1, 1, 1};
  map.strides = {1024, 0, 0, 0};
  map.box = {64, 128, 1, 1, 1};
  map.swizzle = TensorMapSwizzle::Bytes128;
  map.l2Promotion = 2;
  return map;
}

static std::vector<uint64_t> encode(const TensorMap &map,
                                    const ptx::Target &target = blackwell) {
  auto bytes = encodeTensorMap(map, target);
  if (!bytes) {
    ADD_FAILURE() << llvm::toString(bytes.takeError());
    return {};
  }
  std::vector<uint64_t> words(16);
  memcpy(words.data(), bytes->data(), bytes->size());
  EXPECT_EQ(words[8], 0u);
  words.resize(8);
  auto decoded = decodeTensorMap(bytes->data());
  if (!decoded)
    ADD_FAILURE() << llvm::toString(decoded.takeError());
  else
    EXPECT_TRUE(*decoded == map) << "decoding gives another map";
  return words;
}

// The words that CuTe DSL 4.8 writes for the same tensors.
TEST(TensorMap, NativeFormat) {
  TensorMap map = matrix();
  std::vector<uint64_t> expected = {
      0x700000001000,     0x4000246512, 0, 0, 0xff000001ff, 0,
      0x3f00000000000000, 0x7f};
  EXPECT_EQ(encode(map), expected);
  map.swizzle = TensorMapSwizzle::None;
  expected[1] = 0x4000240512;
  EXPECT_EQ(encode(map), expected);
  map.swizzle = TensorMapSwizzle::Bytes128Atom32;
  expected[1] = 0x40002c6512;
  EXPECT_EQ(encode(map), expected);
  map.swizzle = TensorMapSwizzle::Bytes128Atom64;
  expected[1] = 0x40003c6512;
  EXPECT_EQ(encode(map), expected);

  // f32, 5 dimensions, strides of up to 39 bits.
  map = TensorMap();
  map.type = TensorMapType::F32;
  map.rank = 5;
  map.address = 0x700000001000;
  map.dims = {512, 64, 32, 16, 8};
  map.strides = {4096, uint64_t(1) << 34, uint64_t(1) << 37, uint64_t(1) << 39};
  map.box = {16, 8, 4, 2, 3};
  map.l2Promotion = 2;
  EXPECT_EQ(encode(map),
            (std::vector<uint64_t>{0x700000001000, 0x100002403c2, 0x40000000,
                                   0x820000000000, 0x3f000001ff, 0xf0000001f,
                                   0xf00000000000007, 0x2010307}));
  // Element strides stand in word 6, above the size of dimension 4.
  map.elementStrides = {1, 2, 3, 5, 8};
  EXPECT_EQ(encode(map)[6], 0x0f00788800000007u);
}

// From the first byte to behind the last element, whatever the padding.
TEST(TensorMap, Reach) {
  TensorMap map = matrix();
  EXPECT_EQ(map.reach(), 255u * 1024 + 512 * 2);
  map.dims[0] = 500;
  EXPECT_EQ(map.reach(), 255u * 1024 + 500 * 2);
  map.strides[0] = 4096;
  EXPECT_EQ(map.reach(), 255u * 4096 + 500 * 2);
  map.type = TensorMapType::B6x16P32;
  EXPECT_EQ(map.reach(), 255u * 4096 + 375);
  map.type = TensorMapType::BF16;
  map.rank = 3;
  map.interleave = TensorMapInterleave::Bytes32;
  map.dims[2] = 3;
  map.strides[1] = 1 << 21;
  EXPECT_EQ(map.reach(), 2u * (1 << 21) + 255 * 4096 + 500 * 32);
  map.dims = {1, 1, uint64_t(1) << 32, uint64_t(1) << 32, 1};
  map.rank = 4;
  map.strides = {16, uint64_t(1) << 39, uint64_t(1) << 39, 0};
  EXPECT_EQ(map.reach(), ~uint64_t(0));
}

TEST(TensorMap, NativeTypes) {
  struct Row {
    TensorMapType type;
    uint64_t flags;
    unsigned cuda;
  };
  const Row rows[] = {
      {TensorMapType::U8, 0x40012, 0},
      {TensorMapType::U16, 0x40092, 1},
      {TensorMapType::U32, 0x40112, 2},
      {TensorMapType::U64, 0x40212, 4},
      {TensorMapType::F16, 0x40312, 6},
      {TensorMapType::F32, 0x40392, 7},
      {TensorMapType::F64, 0x40492, 8},
      {TensorMapType::BF16, 0x40512, 9},
      {TensorMapType::TF32, 0x50392, 11},
      {TensorMapType::B4x16, 0x40592, 13},
      {TensorMapType::B4x16P64, 0x40612, 14},
      {TensorMapType::B6x16P32, 0x40692, 15},
  };
  for (const Row &row : rows) {
    TensorMap map = matrix();
    map.type = row.type;
    map.swizzle = TensorMapSwizzle::None;
    map.dims = {128, 2, 1, 1, 1};
    map.box = {128, 2, 1, 1, 1};
    EXPECT_EQ(encode(map)[1] & 0xffffffff, row.flags)
        << infoOf(row.type).name.str();
    EXPECT_EQ(tensorMapTypeFromCuda(row.cuda), row.type);
  }
  EXPECT_EQ(tensorMapTypeFromCuda(16), std::nullopt);
}

TEST(TensorMap, EveryOptionRoundTrips) {
  for (unsigned swizzle = 0; swizzle != 7; ++swizzle)
    for (bool nan : {false, true})
      for (unsigned promotion = 0; promotion != 4; ++promotion) {
        TensorMap map = matrix();
        map.box[0] = 16;
        map.swizzle = static_cast<TensorMapSwizzle>(swizzle);
        map.fillsNaN = nan;
        map.l2Promotion = promotion;
        encode(map);
      }
  TensorMap map = matrix();
  map.rank = 3;
  map.interleave = TensorMapInterleave::Bytes32;
  map.swizzle = TensorMapSwizzle::Bytes32;
  map.dims[2] = uint64_t(1) << 32;
  map.strides[1] = 32;
  encode(map);
}

// A map of zeros, and one field after another.
TEST(TensorMap, Replace) {
  TensorMap expected = matrix();
  expected.l2Promotion = 0;
  expected.fillsNaN = true;
  expected.elementStrides[1] = 3;
  expected.swizzle = TensorMapSwizzle::Bytes128Atom32Flip8;
  TensorMapBytes bytes = {};
  auto replace = [&](TensorMapField field, unsigned ordinal, uint64_t value) {
    llvm::Error error =
        replaceTensorMapField(bytes.data(), field, ordinal, value);
    EXPECT_FALSE(static_cast<bool>(error));
    llvm::consumeError(std::move(error));
  };
  replace(TensorMapField::GlobalAddress, 0, expected.address);
  replace(TensorMapField::Rank, 0, 1);
  replace(TensorMapField::BoxDim, 0, 64);
  replace(TensorMapField::BoxDim, 1, 128);
  replace(TensorMapField::GlobalDim, 0, 512);
  replace(TensorMapField::GlobalDim, 1, 256);
  replace(TensorMapField::GlobalStride, 0, 1024);
  replace(TensorMapField::ElementStride, 0, 1);
  replace(TensorMapField::ElementStride, 1, 3);
  replace(TensorMapField::ElementType, 0, 10);
  replace(TensorMapField::InterleaveLayout, 0, 0);
  replace(TensorMapField::SwizzleMode, 0, 3);
  replace(TensorMapField::SwizzleAtomicity, 0, 2);
  replace(TensorMapField::FillMode, 0, 1);
  auto map = decodeTensorMap(bytes.data());
  ASSERT_TRUE(static_cast<bool>(map));
  EXPECT_TRUE(*map == expected);
  replace(TensorMapField::ElementType, 0, 11);
  EXPECT_EQ(decodeTensorMap(bytes.data())->type, TensorMapType::TF32);
}

//===----------------------------------------------------------------------===//
// Rejections
//===----------------------------------------------------------------------===//

template <typename F>
static std::string rejection(F change, const ptx::Target &target = blackwell) {
  TensorMap map = matrix();
  change(map);
  auto bytes = encodeTensorMap(map, target);
  return bytes ? "" : llvm::toString(bytes.takeError());
}

TEST(TensorMapMustFail, Encode) {
  using M = TensorMap &;
  EXPECT_EQ(rejection([](M map) { map.im2col = true; }),
            "rank 2; an im2col map has 3 to 5");
  EXPECT_EQ(rejection([](M map) { map.rank = 6; }),
            "rank 6; 1 to 5 are possible");
  EXPECT_EQ(
      rejection([](M map) { map.interleave = TensorMapInterleave::Bytes16; }),
      "rank 2; an interleaved tensor has at least 3 dimensions");
  EXPECT_EQ(rejection([](M map) { map.type = TensorMapType::B4x16; }, hopper),
            "the type b4x16 needs sm_100; this is sm_90a");
  EXPECT_EQ(
      rejection([](M map) { map.swizzle = TensorMapSwizzle::Bytes128Atom32; },
                hopper),
      "the swizzle 128B with 32B atoms needs sm_100; this is sm_90a");
  EXPECT_EQ(rejection([](M map) { map.address += 8; }),
            "the address 0x700000001008 isn't a multiple of 16");
  EXPECT_EQ(rejection([](M map) { map.dims[1] = 0; }),
            "the size of dimension 1 is 0; 1 to 2^32 are possible");
  EXPECT_EQ(rejection([](M map) { map.box[1] = 257; }),
            "the box size of dimension 1 is 257; 1 to 256 are possible");
  EXPECT_EQ(rejection([](M map) { map.elementStrides[1] = 9; }),
            "the element stride of dimension 1 is 9; 1 to 8 are possible");
  EXPECT_EQ(rejection([](M map) { map.strides[0] = 1000; }),
            "the stride of dimension 1 is 1000 bytes, which isn't a multiple "
            "of 16");
  EXPECT_EQ(rejection([](M map) { map.strides[0] = uint64_t(1) << 40; }),
            "the stride of dimension 1 is 1099511627776 bytes; it must be less "
            "than 2^40");
  EXPECT_EQ(rejection([](M map) { map.box[0] = 60; }),
            "the box is 60 elements of bf16 = 120 bytes wide; that must be a "
            "multiple of 16");
  EXPECT_EQ(rejection([](M map) { map.box[0] = 128; }),
            "the box is 128 elements of bf16 = 256 bytes wide; the swizzle "
            "128B takes 128 at most");
  EXPECT_EQ(rejection([](M map) {
              map.type = TensorMapType::B4x16P64;
              map.dims[0] = 512;
            }),
            "the box size of dimension 0 is 64; for b4x16_p64 it must be 128");
  EXPECT_EQ(rejection([](M map) {
              map.type = TensorMapType::B6x16P32;
              map.dims[0] = 500;
            }),
            "the size of dimension 0 is 500; for b6x16_p32 it must be a "
            "multiple of 128");
  EXPECT_EQ(rejection([](M map) {
              map.type = TensorMapType::U16;
              map.fillsNaN = true;
            }),
            "the type u16 can't be filled with NaN");
  EXPECT_EQ(rejection([](M map) {
              map.rank = 3;
              map.interleave = TensorMapInterleave::Bytes32;
            }),
            "32B interleave needs the swizzle 32B; it is 128B");
  EXPECT_EQ(rejection([](M map) { map.l2Promotion = 4; }),
            "L2 promotion 4; 0 to 3 are possible");
}

static std::string decodeError(uint64_t flags) {
  uint64_t words[16] = {0x700000001000, flags};
  auto map = decodeTensorMap(words);
  return map ? "" : llvm::toString(map.takeError());
}

TEST(TensorMapMustFail, Decode) {
  EXPECT_EQ(decodeError(0), "there is no tensor map; its version would be 1, "
                            "and is 0");
  EXPECT_EQ(decodeError(0x72), "a tensor map of rank 8; 1 to 5 are possible");
  EXPECT_EQ(decodeError(0x712),
            "a tensor map with the element format 14, which doesn't exist");
  EXPECT_EQ(decodeError(0x1812),
            "a tensor map with interleave 3, which doesn't exist");
  EXPECT_EQ(decodeError(0x82012),
            "a tensor map with swizzle mode 1 and atomicity 1; only mode 3 "
            "(128B) has other atomicities than 0 (16B)");
}

TEST(TensorMapMustFail, Replace) {
  TensorMapBytes bytes = {};
  auto error = [&](TensorMapField field, unsigned ordinal, uint64_t value) {
    return llvm::toString(
        replaceTensorMapField(bytes.data(), field, ordinal, value));
  };
  EXPECT_EQ(error(TensorMapField::Rank, 0, 5),
            "the rank less one of 5; 0 to 4 are possible");
  EXPECT_EQ(error(TensorMapField::BoxDim, 0, 0),
            "a box size of 0; 1 to 256 are possible");
  EXPECT_EQ(error(TensorMapField::GlobalStride, 0, 8),
            "a stride of 8, which isn't a multiple of 16");
  EXPECT_EQ(error(TensorMapField::GlobalStride, 4, 16),
            "a stride with the ordinal 4; 0 to 3 are possible");
}
