//===- TensorMapTest.cpp - What TMA can address, and the grid -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Runtime/Launch.h"
#include "gtest/gtest.h"

using namespace drawloom::runtime;

static const ElementType bf16 = findElementType("bf16");

static Parameter map(llvm::ArrayRef<uint32_t> box, unsigned swizzle) {
  Parameter parameter;
  parameter.kind = Parameter::Kind::TensorMap;
  parameter.box.assign(box.begin(), box.end());
  parameter.swizzle = swizzle;
  return parameter;
}

static ArgumentInfo view(llvm::StringRef name, size_t rank) {
  return {name.str(), bf16, /*isView=*/true,
          llvm::SmallVector<int64_t, 4>(rank, dynamicSize)};
}

/// The words of the rejection.
static std::string rejection(const Parameter &parameter, const Tensor &tensor) {
  auto request =
      makeTensorMap(view("A", tensor.shape.size()), parameter, tensor);
  return request ? "" : llvm::toString(request.takeError());
}

TEST(TensorMap, CountsFromTheInnermostDimension) {
  auto request =
      makeTensorMap(view("A", 3), map({64, 128, 1}, 128),
                    Tensor::packed(bf16, {2, 300, 72}, /*address=*/4096));
  ASSERT_TRUE(bool(request)) << llvm::toString(request.takeError());
  EXPECT_EQ(request->type, 9);
  EXPECT_EQ(request->dims, (llvm::SmallVector<uint64_t, 5>{72, 300, 2}));
  EXPECT_EQ(request->strides, (llvm::SmallVector<uint64_t, 4>{144, 43200}));
  EXPECT_EQ(request->box, (llvm::SmallVector<uint32_t, 5>{64, 128, 1}));
  EXPECT_EQ(request->swizzle, 3);
}

TEST(TensorMap, SwizzlesHaveTheDriversNumbers) {
  for (auto [bytes, number] : {std::pair(0, 0), {32, 1}, {64, 2}, {128, 3}}) {
    auto request = makeTensorMap(view("A", 2), map({8, 8}, bytes),
                                 Tensor::packed(bf16, {64, 64}, 0));
    ASSERT_TRUE(bool(request)) << llvm::toString(request.takeError());
    EXPECT_EQ(request->swizzle, number);
  }
  Parameter wide = map({8, 8}, 128);
  wide.atom = 32;
  auto request =
      makeTensorMap(view("A", 2), wide, Tensor::packed(bf16, {64, 64}, 0));
  ASSERT_TRUE(bool(request)) << llvm::toString(request.takeError());
  EXPECT_EQ(request->swizzle, 4);
}

TEST(TensorMap, ASizeOfZeroCountsAsOne) {
  auto request = makeTensorMap(view("A", 2), map({64, 128}, 128),
                               Tensor::packed(bf16, {300, 0}, 4096));
  ASSERT_TRUE(bool(request)) << llvm::toString(request.takeError());
  EXPECT_EQ(request->dims, (llvm::SmallVector<uint64_t, 5>{1, 300}));
}

TEST(TensorMap, TheStrideOfOneRowIsFree) {
  auto request = makeTensorMap(view("A", 2), map({64, 128}, 128),
                               Tensor::packed(bf16, {1, 100}, 4096));
  ASSERT_TRUE(bool(request)) << llvm::toString(request.takeError());
  EXPECT_EQ(request->strides, (llvm::SmallVector<uint64_t, 4>{208}));
}

TEST(TensorMap, Rejections) {
  Parameter box = map({64, 128}, 128);
  EXPECT_EQ(rejection(box, Tensor::packed(bf16, {300, 100}, 4096)),
            "argument 'A': TMA needs strides of a multiple of 16 bytes, and "
            "that of dimension 0 is 100 x 2 = 200; pad it to 104 elements "
            "[tensor-map]");
  EXPECT_EQ(rejection(box, Tensor::packed(bf16, {300, 64}, 4104)),
            "argument 'A': TMA needs an address that is a multiple of 16, and "
            "it is 4104 = 16 x 256 + 8 [tensor-map]");
  Tensor transposed{bf16, {64, 64}, {1, 64}, 4096};
  EXPECT_EQ(rejection(box, transposed),
            "argument 'A': TMA needs the elements of the last dimension next "
            "to each other, and their stride is 64 [tensor-map]");
  Tensor repeated{bf16, {64, 64}, {0, 1}, 4096};
  EXPECT_EQ(rejection(box, repeated),
            "argument 'A': TMA needs strides above 0, and that of dimension 0 "
            "is 0 [tensor-map]");
  Tensor far{bf16, {64, 64}, {int64_t(1) << 39, 1}, 4096};
  EXPECT_EQ(rejection(box, far),
            "argument 'A': TMA needs strides below 2^40 bytes, and that of "
            "dimension 0 is 549755813888 x 2 bytes [tensor-map]");
  Tensor large{bf16, {2, int64_t(1) << 33}, {int64_t(1) << 38, 1}, 4096};
  EXPECT_EQ(rejection(box, large),
            "argument 'A': TMA has sizes up to 2^32, and dimension 1 has "
            "8589934592 elements [tensor-map]");
  Tensor good = Tensor::packed(bf16, {300, 64}, 4096);
  EXPECT_EQ(rejection(map({12, 8}, 0), good),
            "argument 'A': TMA needs rows of a box of a multiple of 16 bytes, "
            "and the kernel's have 12 x 2 = 24 [tensor-map]");
  EXPECT_EQ(rejection(map({64, 8}, 64), good),
            "argument 'A': TMA swizzles rows of a box of at most 64 bytes, and "
            "the kernel's have 64 x 2 = 128 [tensor-map]");
}

/// A kernel with tiles of 128x256 of D.
static KernelInfo gemm(ItemsInfo::Kind kind, unsigned cluster = 1) {
  KernelInfo kernel;
  kernel.name = "gemm";
  kernel.arguments = {view("D", 2)};
  kernel.items.kind = kind;
  kernel.items.count = {{0, 0, 128}, {0, 1, 256}};
  kernel.cluster[0] = cluster;
  return kernel;
}

static unsigned ctas(const KernelInfo &kernel, int64_t m, int64_t n) {
  auto count =
      countCtas(kernel, {{Tensor::packed(bf16, {m, n}, 0)}}, /*smCount=*/132);
  EXPECT_TRUE(bool(count));
  return count ? *count : 0;
}

TEST(Grid, IsAsLargeAsTheDeviceOrTheWork) {
  KernelInfo persistent = gemm(ItemsInfo::Kind::Static);
  EXPECT_EQ(ctas(persistent, 8192, 8192), 132u);
  EXPECT_EQ(ctas(persistent, 129, 257), 4u);
  EXPECT_EQ(ctas(persistent, 0, 257), 0u);
  EXPECT_EQ(ctas(gemm(ItemsInfo::Kind::One), 8192, 8192), 2048u);
  EXPECT_EQ(ctas(gemm(ItemsInfo::Kind::Dynamic), 8192, 8192), 2048u);
  EXPECT_EQ(ctas(gemm(ItemsInfo::Kind::Counted), 8192, 8192), 132u);
  EXPECT_EQ(ctas(gemm(ItemsInfo::Kind::Counted), 129, 257), 4u);
  // Whole clusters, each of whose CTAs takes an item.
  EXPECT_EQ(ctas(gemm(ItemsInfo::Kind::Static, 2), 129, 257), 4u);
  EXPECT_EQ(ctas(gemm(ItemsInfo::Kind::One, 8), 129, 257), 8u);
  EXPECT_EQ(ctas(gemm(ItemsInfo::Kind::Static, 16), 8192, 8192), 128u);
  persistent.items.count = std::nullopt;
  EXPECT_EQ(ctas(persistent, 1, 1), 132u);
}

TEST(Grid, Rejections) {
  auto words = [](const KernelInfo &kernel, const Tensor &tensor) {
    auto count = countCtas(kernel, {{tensor}}, 132);
    return count ? "" : llvm::toString(count.takeError());
  };
  KernelInfo kernel = gemm(ItemsInfo::Kind::One);
  EXPECT_EQ(words(kernel, Tensor::packed(bf16, {int64_t(1) << 40, 1024}, 0)),
            "@gemm has more than 2147483647 work tiles [grid-limit]");
  EXPECT_EQ(words(gemm(ItemsInfo::Kind::One, 2),
                  Tensor::packed(bf16, {int64_t(128) * INT32_MAX, 256}, 0)),
            "@gemm needs 2147483648 CTAs; a grid has at most 2147483647 "
            "[grid-limit]");
  EXPECT_EQ(words(kernel, Tensor::packed(findElementType("f32"), {1, 1}, 0)),
            "argument 'D: ?x?xbf16': the tensor holds f32 [argument]");
  EXPECT_EQ(words(kernel, Tensor::packed(bf16, {1}, 0)),
            "argument 'D: ?x?xbf16': the tensor has 1 sizes and 1 strides "
            "[argument]");
  kernel.arguments[0].shape[1] = 128;
  EXPECT_EQ(
      words(kernel, Tensor::packed(bf16, {1, 64}, 0)),
      "argument 'D: ?x128xbf16': dimension 1 of the tensor is 64 [argument]");
  auto none = countCtas(kernel, {}, 132);
  EXPECT_EQ(none ? "" : llvm::toString(none.takeError()),
            "@gemm takes 1 arguments, not 0 [argument]");
}

TEST(Strides, AreThoseThatTheKernelWasCompiledFor) {
  auto words = [](llvm::ArrayRef<int64_t> declared,
                  llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<int64_t> strides) {
    KernelInfo kernel = gemm(ItemsInfo::Kind::Static);
    kernel.arguments[0].strides.assign(declared.begin(), declared.end());
    Tensor tensor = Tensor::packed(bf16, shape, 0);
    tensor.strides.assign(strides.begin(), strides.end());
    auto count = countCtas(kernel, {{tensor}}, 132);
    return count ? "" : llvm::toString(count.takeError());
  };
  EXPECT_EQ(words({209, 1}, {300, 208}, {209, 1}), "");
  EXPECT_EQ(words({209, 1}, {300, 208}, {208, 1}),
            "argument 'D: ?x?xbf16, strides [209, 1]': the stride of dimension "
            "0 of the tensor is 208, not 209: the kernel looks for its index "
            "299 at 299 x 209, and it is at 299 x 208 [argument]");
  EXPECT_EQ(words({1, dynamicSize}, {64, 32}, {32, 1}),
            "argument 'D: ?x?xbf16, strides [1, ?]': the stride of dimension 0 "
            "of the tensor is 32, not 1: the kernel looks for its index 63 at "
            "63 x 1, and it is at 63 x 32 [argument]");
  EXPECT_EQ(words({1, dynamicSize}, {64, 32}, {1, 77}), "");
  // Without strides, rows may be apart, and elements of a row may not.
  EXPECT_EQ(words({}, {64, 32}, {40, 1}), "");
  EXPECT_EQ(words({}, {64, 32}, {1, 64}),
            "argument 'D: ?x?xbf16': the stride of dimension 1 of the tensor "
            "is 64, not 1: the kernel looks for its index 31 at 31 x 1, and it "
            "is at 31 x 64 [argument]");
  // What is never used is not asked for.
  EXPECT_EQ(words({209, 1}, {1, 208}, {208, 1}), "");
  EXPECT_EQ(words({209, 1}, {300, 0}, {7, 7}), "");
}
