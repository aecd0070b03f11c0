//===- TensorInterleaveTest.cpp - Tensors of slices of channels ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference is a function of n, c, d, h and w. It is packed as NC/8DHWC8,
// copied, and a tile is compared with the function again: what is tested is
// where an element goes, not how a map describes it.
//
//===----------------------------------------------------------------------===//

#include "TensorKernel.h"

using namespace drawloom;
using namespace drawloom::emu;

namespace {

struct Place {
  int n, c, d, h, w;
};

/// A tensor of 16-bit elements, and the map of its slices.
struct Interleaved {
  TensorMap map;
  int n = 2, c = 20, d = 1, h = 1, w = 9; ///< The last slice is half empty.
  unsigned perSlice;

  Interleaved(unsigned rank, TensorMapInterleave interleave) {
    perSlice = sliceBytes(interleave) / 2;
    map.type = TensorMapType::U16;
    map.interleave = interleave;
    map.rank = rank;
    h = rank > 3 ? 5 : 1;
    d = rank > 4 ? 3 : 1;
    if (interleave == TensorMapInterleave::Bytes32)
      map.swizzle = TensorMapSwizzle::Bytes32;
    // W, then H, D, the slices and N, each behind a gap.
    uint64_t sizes[] = {uint64_t(w), uint64_t(h), uint64_t(d), slices(),
                        uint64_t(n)};
    uint64_t stride = sliceBytes(interleave);
    unsigned dim = 0;
    for (unsigned kind = 0; kind != 5; ++kind) {
      if ((kind == 1 && rank < 4) || (kind == 2 && rank < 5))
        continue;
      map.dims[dim] = sizes[kind];
      if (dim)
        map.strides[dim - 1] = stride;
      stride = stride * sizes[kind] + 64;
      ++dim;
    }
  }

  uint64_t slices() const { return (c + perSlice - 1) / perSlice; }
  bool has(const Place &at) const {
    auto in = [](int value, int size) { return value >= 0 && value < size; };
    return in(at.n, n) && in(at.c, c) && in(at.d, d) && in(at.h, h) &&
           in(at.w, w);
  }
  uint16_t value(const Place &at) const {
    return 1 + ((at.n * 23 + at.c) * 7 + at.d) * 41 + at.h * 11 + at.w;
  }
  uint64_t stride(unsigned dim) const { return map.strides[dim - 1]; }
  uint64_t offset(const Place &at) const {
    unsigned channels = map.rank - 2;
    uint64_t result = at.w * sliceBytes(map.interleave) + at.c % perSlice * 2;
    result += at.c / perSlice * stride(channels);
    result += at.n * stride(channels + 1);
    if (map.rank > 3)
      result += at.h * stride(1);
    if (map.rank > 4)
      result += at.d * stride(2);
    return result;
  }
  size_t bytes() const { return n * stride(map.rank - 1); }

  template <typename F>
  void forEach(F f) const {
    for (Place at = {}; at.n != n; ++at.n)
      for (at.c = 0; at.c != c; ++at.c)
        for (at.d = 0; at.d != d; ++at.d)
          for (at.h = 0; at.h != h; ++at.h)
            for (at.w = 0; at.w != w; ++at.w)
              f(at);
  }
  std::vector<uint8_t> packed() const {
    std::vector<uint8_t> memory(bytes(), 0);
    forEach([&](const Place &at) {
      uint16_t bits = value(at);
      memcpy(&memory[offset(at)], &bits, 2);
    });
    return memory;
  }

  /// The same place without the dimensions that there are not.
  Place inRank(Place at) const {
    at.h = map.rank > 3 ? at.h : 0;
    at.d = map.rank > 4 ? at.d : 0;
    return at;
  }
  /// The coordinates of an instruction for `from`, whose channel is the first
  /// of a slice.
  std::vector<int> coordinates(const Place &from) const {
    std::vector<int> list = {from.w};
    if (map.rank > 3)
      list.push_back(from.h);
    if (map.rank > 4)
      list.push_back(from.d);
    list.push_back(from.c < 0 ? -1 : from.c / int(perSlice));
    list.push_back(from.n);
    return list;
  }
  /// Sets the box, in elements of each dimension.
  void setBox(uint32_t sizeW, uint32_t sizeH, uint32_t sizeD, uint32_t sizeN) {
    map.box = {sizeW, 1, 1, 1, 1};
    if (map.rank > 3)
      map.box[1] = sizeH;
    if (map.rank > 4)
      map.box[2] = sizeD;
    map.box[map.rank - 1] = sizeN;
  }
  uint32_t tileBytes() const {
    uint32_t result = sliceBytes(map.interleave);
    for (unsigned dim = 0; dim != map.rank; ++dim)
      result *= (map.box[dim] + map.elementStrides[dim] - 1) /
                map.elementStrides[dim];
    return result;
  }
  /// Calls f(byte in the unswizzled tile, place) for each element of one.
  template <typename F>
  void forTile(const Place &from, F f) const {
    auto step = [&](unsigned dim) { return int(map.elementStrides[dim]); };
    int stepH = map.rank > 3 ? step(1) : 1, stepD = map.rank > 4 ? step(2) : 1;
    int endH = map.rank > 3 ? map.box[1] : 1,
        endD = map.rank > 4 ? map.box[2] : 1;
    unsigned byte = 0;
    for (int n = 0; n < int(map.box[map.rank - 1]); n += step(map.rank - 1))
      for (int d = 0; d < endD; d += stepD)
        for (int h = 0; h < endH; h += stepH)
          for (int w = 0; w < int(map.box[0]); w += step(0))
            for (unsigned c = 0; c != perSlice; ++c, byte += 2)
              f(byte, Place{from.n + n, from.c + int(c), from.d + d, from.h + h,
                            from.w + w});
  }
  std::vector<uint8_t> tile(const Place &from) const {
    std::vector<uint8_t> result(tileBytes(), 0);
    forTile(from, [&](unsigned byte, const Place &at) {
      uint16_t bits = has(at) ? value(at) : 0;
      for (unsigned half = 0; half != 2; ++half)
        result[swizzled(map.swizzle, byte + half)] = bits >> 8 * half;
    });
    return result;
  }
};

} // namespace

static void expectLoad(const Interleaved &tensor, const Place &place,
                       const std::string &what) {
  const Place from = tensor.inRank(place);
  AsyncKernel k = loadKernel(tensor.map, tensor.coordinates(from),
                             tensor.tileBytes(), tensor.tileBytes());
  k.input = tensor.packed();
  EXPECT_EQ(bytesOf(k.values()), tensor.tile(from)) << what;
}

TEST(TensorInterleave, LoadsOfEveryRank) {
  for (TensorMapInterleave interleave :
       {TensorMapInterleave::Bytes16, TensorMapInterleave::Bytes32})
    for (unsigned rank : {3, 4, 5}) {
      Interleaved tensor(rank, interleave);
      tensor.setBox(4, 3, 2, 2);
      int half = tensor.perSlice;
      // Inside, in the last slice, and beyond each end.
      for (const Place &from :
           {Place{0, 0, 0, 0, 0}, Place{0, half, 0, 1, 5},
            Place{1, 16, 1, 3, 7}, Place{0, half, -1, -1, -2},
            Place{0, 3 * half, 0, 0, 0}, Place{0, -half, 0, 0, 0}})
        expectLoad(tensor, from,
                   "rank " + std::to_string(rank) + ", w " +
                       std::to_string(from.w) + ", c " +
                       std::to_string(from.c));
    }
}

// Rows of slices are next to each other, and the pattern goes by the address.
TEST(TensorInterleave, Swizzles) {
  for (unsigned number : {0, 1, 2, 3}) {
    Interleaved tensor(4, TensorMapInterleave::Bytes16);
    tensor.map.swizzle = static_cast<TensorMapSwizzle>(number);
    tensor.setBox(8, 5, 1, 2);
    expectLoad(tensor, {0, 8, 0, 0, 1}, "swizzle " + std::to_string(number));
  }
}

// Dimension 0 has a traversal stride, too.
TEST(TensorInterleave, ElementStrides) {
  Interleaved tensor(5, TensorMapInterleave::Bytes16);
  tensor.map.elementStrides = {3, 2, 2, 1, 1};
  tensor.setBox(7, 4, 3, 2);
  expectLoad(tensor, {0, 8, 0, 1, 2}, "strides");
}

TEST(TensorInterleave, FilledWithNaN) {
  Interleaved tensor(3, TensorMapInterleave::Bytes16);
  tensor.map.type = TensorMapType::F16;
  tensor.map.fillsNaN = true;
  tensor.setBox(4, 1, 1, 1);
  AsyncKernel k = loadKernel(tensor.map, {7, 0, 0}, 64, 64);
  k.input = tensor.packed();
  std::vector<uint8_t> result = bytesOf(k.values());
  // Two slices are inside; the elements of the other two are NaN.
  for (unsigned element = 0; element != 32; ++element) {
    uint16_t bits;
    memcpy(&bits, &result[element * 2], 2);
    Place at = {0, int(element % 8), 0, 0, 7 + int(element / 8)};
    EXPECT_EQ(bits, element < 16 ? tensor.value(at) : 0x7ff7) << element;
  }
}

TEST(TensorInterleave, Stores) {
  for (TensorMapInterleave interleave :
       {TensorMapInterleave::Bytes16, TensorMapInterleave::Bytes32})
    for (unsigned rank : {3, 4, 5}) {
      Interleaved tensor(rank, interleave);
      tensor.setBox(4, 3, 2, 2);
      const Place from = tensor.inRank({0, int(tensor.perSlice), 0, 1, 7});
      AsyncKernel k =
          storeKernel(tensor.map, tensor.coordinates(from), tensor.tileBytes(),
                      "cp.async.bulk.tensor." + std::to_string(rank) +
                          "d.global.shared::cta.bulk_group");
      k.dataBytes = tensor.bytes();
      k.values();
      std::vector<uint8_t> expected(tensor.bytes(), 0);
      std::vector<uint8_t> stored = pattern(tensor.tileBytes());
      tensor.forTile(from, [&](unsigned byte, const Place &at) {
        // The last slice is stored whole, with what pads it.
        Place slice = at;
        slice.c -= slice.c % tensor.perSlice;
        if (tensor.has(slice))
          memcpy(&expected[tensor.offset(at)], &stored[byte], 2);
      });
      EXPECT_EQ(k.data, expected) << "rank " << rank;
    }
}

TEST(TensorInterleave, Reductions) {
  Interleaved tensor(3, TensorMapInterleave::Bytes16);
  tensor.map.type = TensorMapType::U32;
  tensor.setBox(2, 1, 1, 1);
  AsyncKernel k = storeKernel(
      tensor.map, {1, 1, 1}, 32,
      "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.bulk_group");
  k.dataBefore = pattern(tensor.bytes());
  k.values();
  std::vector<uint8_t> expected = pattern(tensor.bytes());
  std::vector<uint8_t> stored = pattern(32);
  for (unsigned word = 0; word != 8; ++word) {
    uint64_t at = tensor.offset({1, 8, 0, 0, 1}) + word * 4;
    uint32_t a, b;
    memcpy(&a, &expected[at], 4);
    memcpy(&b, &stored[word * 4], 4);
    a += b;
    memcpy(&expected[at], &a, 4);
  }
  EXPECT_EQ(k.data, expected);
}

//===----------------------------------------------------------------------===//
// What the ISA leaves open
//===----------------------------------------------------------------------===//

static std::string failureOf(const TensorMap &map, llvm::ArrayRef<int> at) {
  AsyncKernel k = loadKernel(map, at, 128, 128);
  k.input = pattern(8192);
  return k.failure();
}

TEST(TensorInterleaveMustFail, SeveralSlices) {
  Interleaved tensor(4, TensorMapInterleave::Bytes16);
  tensor.setBox(4, 2, 1, 1);
  tensor.map.box[2] = 2;
  EXPECT_CONTAINS(failureOf(tensor.map, {0, 0, 0, 0}),
                  "the box has 2 slices of channels (dimension 2); the ISA "
                  "doesn't say how they lie in shared memory, so the emulator "
                  "takes 1");
}

TEST(TensorInterleaveMustFail, RowsThatEndInAPattern) {
  Interleaved tensor(4, TensorMapInterleave::Bytes16);
  tensor.map.swizzle = TensorMapSwizzle::Bytes128;
  tensor.setBox(6, 2, 1, 1);
  EXPECT_CONTAINS(failureOf(tensor.map, {0, 0, 0, 0}),
                  "the box is 6 slices of 16 bytes wide; the ISA doesn't say "
                  "where the next row begins unless that is a multiple of the "
                  "swizzle's 128");
}

TEST(TensorInterleaveMustFail, Im2col) {
  Interleaved tensor(4, TensorMapInterleave::Bytes16);
  tensor.map.im2col = true;
  tensor.map.box = {8, 1, 1, 1, 1};
  AsyncKernel k = loadKernel(tensor.map, {0, 0, 0, 0}, 128, 128, ".im2col");
  k.input = pattern(8192);
  size_t at = k.body.find("}], [bars];");
  k.body.replace(at, 11, "}], [bars], {%h1, %h1};");
  EXPECT_CONTAINS(k.failure(), "the ISA doesn't say what an interleaved tensor "
                               "is in im2col mode");
}

TEST(TensorInterleaveMustFail, Maps) {
  Interleaved tensor(4, TensorMapInterleave::Bytes32);
  tensor.setBox(4, 2, 1, 1);
  tensor.map.swizzle = TensorMapSwizzle::None;
  EXPECT_CONTAINS(failureOf(tensor.map, {0, 0, 0, 0}),
                  "32B interleave needs the swizzle 32B; it is none");
  tensor.map.swizzle = TensorMapSwizzle::Bytes32;
  tensor.map.strides[1] += 16;
  EXPECT_CONTAINS(failureOf(tensor.map, {0, 0, 0, 0}),
                  "which isn't a multiple of 32");
}
