//===- TensorMapTest.cpp - Tensor maps through the driver -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include <numeric>

using namespace drawloom::cuda;

/// A kernel that copies 512 bytes with `copy`, which ends in front of the
/// barrier, and stores them as 128 words.
static std::string kernelWith(const std::string &copy) {
  return R"(
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out) {
  .reg .pred %p, %q;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .shared .align 128 .b8 tile[512];
  .shared .align 8 .b64 bar;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p, %r1, 0;
  @%p bra ready;
  mbarrier.init.shared.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512;
  mov.b64 %rd1, map;
  cvta.param.u64 %rd1, %rd1;
  cp.async.bulk.tensor.)" +
         copy + R"(;
ready:
  bar.sync 0;
wait:
  mbarrier.try_wait.parity.shared.b64 %q, [bar], 0;
  @!%q bra wait;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, tile;
  add.u32 %r3, %r3, %r2;
  ld.shared.u32 %r3, [%r3];
  ld.param.u64 %rd2, [out];
  cvt.u64.u32 %rd3, %r2;
  add.u64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %r3;
  ret;
}
)";
}

static constexpr int typeU32 = 2;

namespace {
class TensorMapTest : public CudaTest {
protected:
  /// What `copy` brings with `map`.
  std::vector<uint32_t> copied(const std::string &copy, void *map) {
    FunctionState *k = function(kernelWith(copy));
    DevicePointer out = upload(std::vector<uint32_t>(128));
    void *parameters[] = {map, &out};
    EXPECT_OK(cu.cuLaunchKernel(k, 1, 1, 1, 128, 1, 1, 0, nullptr, parameters,
                                nullptr));
    return download<uint32_t>(out, 128);
  }

  alignas(64) char map[128];
};
} // namespace

// A tile of 16 x 8 words of a matrix of 40 x 20, from row 10, column 12. What
// lies outside is zero.
TEST_F(TensorMapTest, Tiled) {
  std::vector<uint32_t> matrix(20 * 40);
  std::iota(matrix.begin(), matrix.end(), 1);
  DevicePointer data = upload(matrix);
  uint64_t dims[] = {20, 40}, strides[] = {80};
  uint32_t box[] = {16, 8}, ones[] = {1, 1};
  auto encode = [&] {
    return cu.cuTensorMapEncodeTiled(map, typeU32, 2,
                                     reinterpret_cast<void *>(data), dims,
                                     strides, box, ones, 0, 0, 0, 0);
  };
  EXPECT_OK(encode());
  std::vector<uint32_t> expected;
  for (unsigned row = 10; row != 18; ++row)
    for (unsigned column = 12; column != 28; ++column)
      expected.push_back(column < 20 ? matrix[row * 20 + column] : 0);
  EXPECT_EQ(copied("2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                   " [tile], [%rd1, {12, 10}], [bar]",
                   map),
            expected);

  strides[0] = 84;
  EXPECT_RESULT(encode(), CUDA_ERROR_INVALID_VALUE);
  strides[0] = 80;
  box[0] = 257;
  EXPECT_RESULT(encode(), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cu.cuTensorMapEncodeTiled(map, 99, 2, nullptr, dims, strides,
                                          box, ones, 0, 0, 0, 0),
                CUDA_ERROR_INVALID_VALUE);
}

namespace {
/// Images of 8 channels, 6 x 5, and a filter that is 3 wide and 2 high, with
/// one column of padding to the left, none above, and two steps down.
class Im2colMapTest : public TensorMapTest {
protected:
  uint64_t dims[4] = {8, 6, 5, 2}, strides[3] = {32, 192, 960};
  int lower[2] = {-1, 0}, upper[2] = {-2, -1};
  uint32_t steps[4] = {1, 1, 2, 1};
  unsigned rank = 4, channels = 8, pixels = 16;
  DevicePointer data = 0;

  Result encode() {
    return cu.cuTensorMapEncodeIm2col(
        map, typeU32, rank, reinterpret_cast<void *>(data), dims, strides,
        lower, upper, channels, pixels, steps, 0, 0, 0, 0);
  }

  /// What is said to arguments that are rejected.
  std::string rejection() {
    testing::internal::CaptureStderr();
    EXPECT_RESULT(encode(), CUDA_ERROR_INVALID_VALUE);
    return testing::internal::GetCapturedStderr();
  }
};
} // namespace

// Sixteen outputs from the third one of the first line on, at the tap in column
// 2 and row 1 of the filter. A line has 5 outputs, an image 2 lines.
TEST_F(Im2colMapTest, Copies) {
  std::vector<uint32_t> images(2 * 5 * 6 * 8);
  std::iota(images.begin(), images.end(), 1);
  data = upload(images);
  EXPECT_OK(encode());
  std::vector<uint32_t> expected;
  for (int output = 2; output != 18; ++output) {
    int column = output % 5 - 1 + 2, row = output / 5 % 2 * 2 + 1;
    int image = output / 10;
    for (int channel = 0; channel != 8; ++channel)
      expected.push_back(
          column < 6 ? images[((image * 5 + row) * 6 + column) * 8 + channel]
                     : 0);
  }
  EXPECT_EQ(
      copied("4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
             " [tile], [%rd1, {0, 1, 0, 0}], [bar], {2, 1}",
             map),
      expected);
}

TEST_F(Im2colMapTest, MustFail) {
  const std::string start = "drawloom: cuTensorMapEncodeIm2col: ";
  rank = 2;
  EXPECT_EQ(rejection(), start + "rank 2; an im2col map has 3 to 5\n");
  rank = 6;
  EXPECT_EQ(rejection(),
            start + "a rank of 6 or a value that no enumeration has\n");
  rank = 4;
  pixels = 1025;
  EXPECT_EQ(rejection(),
            start + "a column of 1025 pixels; 1 to 1024 are possible\n");
  pixels = 16;
  channels = 257;
  EXPECT_EQ(rejection(), start +
                             "the number of channels of a pixel is 257; 1 to "
                             "256 are possible\n");
  channels = 8;
  upper[1] = 128;
  EXPECT_EQ(rejection(), start + "the upper corner of dimension 2 is 128; with "
                                 "rank 4, -128 to 127 are possible\n");
  upper[1] = -5;
  EXPECT_EQ(rejection(), start + "the bounding box is empty: in dimension 2 it "
                                 "goes from 0 to -1 (4 + -5)\n");
  upper[1] = -4;
  EXPECT_OK(encode());
  EXPECT_RESULT(cu.cuTensorMapEncodeIm2col(map, typeU32, 4, nullptr, dims,
                                           strides, nullptr, upper, 8, 16,
                                           steps, 0, 0, 0, 0),
                CUDA_ERROR_INVALID_VALUE);
}
