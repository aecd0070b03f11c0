//===- TensorKernel.cpp - Kernels that copy tiles of tensors ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorKernel.h"

using namespace drawloom;
using namespace drawloom::emu;

const std::string handOut = R"(
  mov.u32 %r61, smem;
  mad.lo.u32 %r61, %thread, 4, %r61;
  ld.shared.u32 %o, [%r61];
)";

static std::string coordinateList(llvm::ArrayRef<int> coordinates) {
  std::string text;
  for (int value : coordinates)
    text += (text.empty() ? "{" : ", ") + std::to_string(value);
  return text + "}";
}

AsyncKernel loadKernel(const TensorMap &map, llvm::ArrayRef<int> coordinates,
                       unsigned bytes, unsigned footprint,
                       const std::string &mode) {
  AsyncKernel k;
  k.threads = footprint / 4;
  k.map = map;
  k.body = initBarriers({1}) + R"(
  @!%leader bra wait;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], )" +
           std::to_string(bytes) + R"(;
  cp.async.bulk.tensor.)" +
           std::to_string(map.rank) + "d" + mode +
           ".shared::cluster.global.mbarrier::complete_tx::bytes [smem], "
           "[%map, " +
           coordinateList(coordinates) + R"(], [bars];
wait:
)" + waitFor("bars", 0) +
           handOut;
  return k;
}

AsyncKernel storeKernel(const TensorMap &map, llvm::ArrayRef<int> coordinates,
                        unsigned footprint, const std::string &copy) {
  AsyncKernel k;
  k.threads = std::max(footprint / 4, 32u);
  k.map = map;
  k.mapsData = true;
  std::vector<uint8_t> tile = pattern(footprint);
  k.input.resize(footprint);
  for (unsigned byte = 0; byte != footprint; ++byte)
    k.input[swizzled(map.swizzle, byte)] = tile[byte];
  k.body = R"(
  setp.lt.u32 %p1, %thread, )" +
           std::to_string(footprint / 4) + R"(;
  mad.wide.u32 %rd1, %thread, 4, %in;
  mov.u32 %r1, smem;
  mad.lo.u32 %r1, %thread, 4, %r1;
  @%p1 ld.global.u32 %r2, [%rd1];
  @%p1 st.shared.u32 [%r1], %r2;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @!%leader bra done;
  )" + copy +
           " [%map, " + coordinateList(coordinates) +
           R"(], [smem];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
done:
)";
  return k;
}

void forEachElement(const TensorMap &map, llvm::ArrayRef<int> origin,
                    unsigned pitch,
                    llvm::function_ref<void(unsigned, int64_t)> f) {
  unsigned size = infoOf(map.type).bits / 8;
  unsigned extents[5] = {1, 1, 1, 1, 1};
  for (unsigned dim = 0; dim != map.rank; ++dim) {
    unsigned step = dim ? map.elementStrides[dim] : 1;
    extents[dim] = (map.box[dim] + step - 1) / step;
  }
  unsigned row = 0;
  for (unsigned e = 0; e != extents[4]; ++e)
    for (unsigned d = 0; d != extents[3]; ++d)
      for (unsigned c = 0; c != extents[2]; ++c)
        for (unsigned b = 0; b != extents[1]; ++b, ++row)
          for (unsigned a = 0; a != extents[0]; ++a) {
            unsigned at[5] = {a, b, c, d, e};
            int64_t offset = 0;
            bool inside = true;
            for (unsigned dim = 0; dim != map.rank; ++dim) {
              int64_t place =
                  origin[dim] +
                  int64_t(at[dim]) * (dim ? map.elementStrides[dim] : 1);
              inside &= place >= 0 && place < int64_t(map.dims[dim]);
              offset += place * int64_t(dim ? map.strides[dim - 1] : size);
            }
            f(row * pitch + a * size, inside ? offset : -1);
          }
}

unsigned swizzled(TensorMapSwizzle swizzle, unsigned offset) {
  unsigned line = offset / 128, chunk = offset / 16 % 8, byte = offset % 16;
  static const unsigned patterns[7][8][8] = {
      {},
      // 32B, 64B and 128B: a row of the table is a line.
      {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}},
      {{0, 1, 2, 3, 4, 5, 6, 7},
       {1, 0, 3, 2, 5, 4, 7, 6},
       {2, 3, 0, 1, 6, 7, 4, 5},
       {3, 2, 1, 0, 7, 6, 5, 4}},
      {{0, 1, 2, 3, 4, 5, 6, 7},
       {1, 0, 3, 2, 5, 4, 7, 6},
       {2, 3, 0, 1, 6, 7, 4, 5},
       {3, 2, 1, 0, 7, 6, 5, 4},
       {4, 5, 6, 7, 0, 1, 2, 3},
       {5, 4, 7, 6, 1, 0, 3, 2},
       {6, 7, 4, 5, 2, 3, 0, 1},
       {7, 6, 5, 4, 3, 2, 1, 0}},
      {{0, 1, 2, 3, 4, 5, 6, 7},
       {2, 3, 0, 1, 6, 7, 4, 5},
       {4, 5, 6, 7, 0, 1, 2, 3},
       {6, 7, 4, 5, 2, 3, 0, 1}},
      {{0, 1, 2, 3, 4, 5, 6, 7},
       {2, 3, 0, 1, 6, 7, 4, 5},
       {4, 5, 6, 7, 0, 1, 2, 3},
       {6, 7, 4, 5, 2, 3, 0, 1}},
      {{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}},
  };
  static const unsigned periods[] = {1, 2, 4, 8, 4, 4, 2};
  unsigned number = static_cast<unsigned>(swizzle);
  if (!number)
    return offset;
  if (swizzle == TensorMapSwizzle::Bytes128Atom32Flip8 && line % 2)
    byte ^= 8;
  // The tables say which chunk of the source is at each place; they are their
  // own inverses.
  return line * 128 + patterns[number][line % periods[number]][chunk] * 16 +
         byte;
}

std::vector<uint8_t> expectedTile(const TensorMap &map,
                                  llvm::ArrayRef<int> origin,
                                  const std::vector<uint8_t> &tensor,
                                  unsigned pitch, unsigned footprint) {
  std::vector<uint8_t> tile(footprint, 0);
  unsigned size = infoOf(map.type).bits / 8;
  forEachElement(map, origin, pitch, [&](unsigned to, int64_t from) {
    for (unsigned byte = 0; byte != size; ++byte)
      tile[swizzled(map.swizzle, to + byte)] =
          from < 0 ? 0 : tensor[from + byte];
  });
  return tile;
}
