//===- LaunchTest.cpp - Kernels on a driver -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver is the emulator's; the code under test does not know.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Runtime/Launch.h"
#include "LaunchKernels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace drawloom::runtime;

namespace {
class LaunchTest : public testing::Test {
protected:
  void SetUp() override {
    setenv("DRAWLOOM_DEVICE", "h100", 1);
    setenv("DRAWLOOM_SMS", "4", 1);
    auto driver = Driver::open(DRAWLOOM_LIBCUDA);
    ASSERT_TRUE(bool(driver)) << llvm::toString(driver.takeError());
    auto opened = Device::open(*driver);
    ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
    device.emplace(std::move(*opened));
  }

  llvm::Expected<Kernel> load(llvm::StringRef json, llvm::StringRef ptx) {
    llvm::Expected<KernelInfo> info = readKernelInfo(json);
    if (!info)
      return info.takeError();
    return Kernel::load(*device, std::move(*info), ptx);
  }

  std::optional<Device> device;
};
} // namespace

TEST_F(LaunchTest, DeviceSaysWhatItIs) {
  EXPECT_EQ(device->architecture(), "sm_90");
  EXPECT_EQ(device->smCount(), 4u);
  EXPECT_FALSE(device->name().empty());
}

TEST_F(LaunchTest, SettingsMakeAnotherDevice) {
  auto start = [](llvm::ArrayRef<Driver::Setting> settings) {
    return Driver::open(DRAWLOOM_LIBCUDA, settings);
  };
  // Not while a context is alive.
  auto rejected = start({{"DRAWLOOM_DEVICE", "b200"}});
  ASSERT_FALSE(bool(rejected));
  EXPECT_EQ(llvm::toString(rejected.takeError()),
            "this process uses the emulated device already, and there is one "
            "at a time: destroy its contexts first [cuda-driver]");
  device.reset();

  auto driver = start({{"DRAWLOOM_DEVICE", "b200"},
                       {"DRAWLOOM_SMS", "3"},
                       {"DRAWLOOM_CHECK", "default"},
                       {"DRAWLOOM_QUIET", "1"}});
  ASSERT_TRUE(bool(driver)) << llvm::toString(driver.takeError());
  {
    auto other = Device::open(*driver);
    ASSERT_TRUE(bool(other)) << llvm::toString(other.takeError());
    EXPECT_EQ(other->architecture(), "sm_100");
    EXPECT_EQ(other->smCount(), 3u);
    EXPECT_NE((*driver)->findings().find("\"errors\":0"), std::string::npos);
  }
  // What isn't set is the environment's again.
  auto again = start({{"DRAWLOOM_SMS", "4"}});
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  auto first = Device::open(*again);
  ASSERT_TRUE(bool(first)) << llvm::toString(first.takeError());
  EXPECT_EQ(first->architecture(), "sm_90");
  EXPECT_EQ((*again)->findings(), "");

  auto none = Driver::open("libm.so.6", {{"DRAWLOOM_SMS", "4"}});
  ASSERT_FALSE(bool(none));
  EXPECT_EQ(
      llvm::toString(none.takeError()),
      "'libm.so.6' is no emulated driver: it takes no settings [cuda-driver]");
}

TEST_F(LaunchTest, InvalidSettingsAreRejectedWithAMessage) {
  device.reset();
  auto says = [](const char *name, const char *value) {
    auto rejected = Driver::open(DRAWLOOM_LIBCUDA,
                                 {{"DRAWLOOM_QUIET", "1"}, {name, value}});
    return rejected ? "" : llvm::toString(rejected.takeError());
  };
  EXPECT_EQ(says("DRAWLOOM_DEVICE", "b300").substr(0, 36),
            "DRAWLOOM_DEVICE is 'b300'; there are");
  for (const char *sms : {"0", "1025", "4294967295", "-1", "x"})
    EXPECT_EQ(says("DRAWLOOM_SMS", sms),
              "DRAWLOOM_SMS is '" + std::string(sms) +
                  "'; it takes a number of SMs from 1 to 1024");
  EXPECT_EQ(says("DRAWLOOM_ORDER", "randon:1").substr(0, 26),
            "unknown order 'randon:1'; ");
  EXPECT_EQ(says("DRAWLOOM_CHECK", "stict"),
            "DRAWLOOM_CHECK is 'stict'; it takes default or strict");
  EXPECT_EQ(says("DRAWLOOM_SMS", "1024"), "");
}

TEST_F(LaunchTest, TensorMapsFromShapesAndStrides) {
  // 5 rows of 20 words, in rows of 24.
  std::vector<float> matrix(5 * 24, -1);
  for (int row = 0; row != 5; ++row)
    for (int column = 0; column != 20; ++column)
      matrix[row * 24 + column] = row * 100 + column;
  auto in = device->allocate(matrix.size() * 4);
  auto out = device->allocate(2 * 8 * 16 * 4);
  ASSERT_TRUE(in && out);
  ASSERT_FALSE(in->upload(llvm::ArrayRef<char>(
      reinterpret_cast<char *>(matrix.data()), matrix.size() * 4)));
  auto kernel = load(tileInfo, copyTile);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  ElementType f32 = findElementType("f32");
  Argument from{Tensor{f32, {5, 20}, {24, 1}, in->address()}};
  Argument to{Tensor::packed(f32, {2, 8, 16}, out->address())};
  llvm::Error error = kernel->launch({from, to});
  ASSERT_FALSE(error) << llvm::toString(std::move(error));
  std::vector<float> result(2 * 8 * 16);
  error = out->download(llvm::MutableArrayRef<char>(
      reinterpret_cast<char *>(result.data()), result.size() * 4));
  ASSERT_FALSE(error) << llvm::toString(std::move(error));
  for (int cta = 0; cta != 2; ++cta)
    for (int row = 0; row != 8; ++row)
      for (int column = 0; column != 16; ++column) {
        int x = 16 * cta + column;
        float expected = row < 5 && x < 20 ? row * 100 + x : 0;
        EXPECT_EQ(result[(cta * 8 + row) * 16 + column], expected);
      }
}

TEST_F(LaunchTest, SizesStridesAndScalars) {
  auto out = device->allocate(12);
  ASSERT_TRUE(bool(out));
  auto kernel = load(numbersInfo, numbers);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  Argument view{
      Tensor{findElementType("i32"), {1, 3}, {77, 1}, out->address()}};
  Argument scale;
  scale.bits = 0x40490fdb;
  llvm::Error error = kernel->launch({view, scale});
  ASSERT_FALSE(error) << llvm::toString(std::move(error));
  char bytes[12];
  error = out->download(bytes);
  ASSERT_FALSE(error) << llvm::toString(std::move(error));
  using llvm::support::endian::read32le;
  EXPECT_EQ(read32le(bytes), 1u);
  EXPECT_EQ(read32le(bytes + 4), 77u);
  EXPECT_EQ(read32le(bytes + 8), 0x40490fdbu);

  view.tensor.shape[0] = int64_t(1) << 33;
  error = kernel->launch({view, scale});
  EXPECT_EQ(llvm::toString(std::move(error)),
            "argument 'out': size 0 is 8589934592, and the kernel takes it in "
            "32 bits [argument]");
}

TEST_F(LaunchTest, ScalarsOfEveryKind) {
  auto out = device->allocate(7 * 8);
  ASSERT_TRUE(bool(out));
  auto kernel = load(scalarsInfo, scalars);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  constexpr uint64_t bits[] = {0xfe,        0x3c00,
                               0x89abcdef,  0x0123456789abcdef,
                               0x40490fdb,  0x400921fb54442d18,
                               uint64_t(-7)};
  std::vector<Argument> arguments = {
      {Tensor::packed(findElementType("i64"), {7}, out->address())}};
  for (uint64_t value : bits)
    arguments.push_back({{}, value});
  llvm::Error error = kernel->launch(arguments);
  ASSERT_FALSE(error) << llvm::toString(std::move(error));
  char bytes[7 * 8];
  error = out->download(bytes);
  ASSERT_FALSE(error) << llvm::toString(std::move(error));
  using llvm::support::endian::read64le;
  for (size_t i = 0; i != 6; ++i)
    EXPECT_EQ(read64le(bytes + 8 * i), bits[i]) << i;
  EXPECT_EQ(read64le(bytes + 48), 0xfffffff9);

  // What the kernel has no bits for is not cut off.
  arguments.back().bits = int64_t(1) << 32;
  EXPECT_EQ(llvm::toString(kernel->launch(arguments)),
            "argument 'index': it is 4294967296, and the kernel takes it in 32 "
            "bits [argument]");
}

TEST_F(LaunchTest, StridesAndConditionsAreChecked) {
  std::string json = numbersInfo.str();
  auto insert = [&](llvm::StringRef after, llvm::StringRef text) {
    json.insert(json.find(after) + after.size(), text);
  };
  insert("\"shape\": [-1, -1]", ", \"strides\": [77, 1]");
  insert("\"count\": []}", R"(, "condition": {
      "message": "dim 1 of out >= 3",
      "formulas": [{"message": "dim 1 of out", "steps": [
          {"kind": "size", "argument": 0, "dimension": 1}]}],
      "cases": [{"bounds": [{"formula": 0, "least": 3}]}]})");
  auto out = device->allocate(8 * 77 * 4);
  ASSERT_TRUE(bool(out));
  auto kernel = load(json, numbers);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  auto launch = [&](llvm::ArrayRef<int64_t> shape, int64_t stride) {
    Tensor tensor =
        Tensor::packed(findElementType("i32"), shape, out->address());
    tensor.strides[0] = stride;
    return llvm::toString(kernel->launch({{tensor}, {}}));
  };
  EXPECT_EQ(launch({8, 3}, 77), "");
  EXPECT_EQ(launch({8, 3}, 3),
            "argument 'out: ?x?xi32, strides [77, 1]': the stride of dimension "
            "0 of the tensor is 3, not 77: the kernel looks for its index 7 at "
            "7 x 77, and it is at 7 x 3 [argument]");
  EXPECT_EQ(
      launch({8, 2}, 77),
      "@numbers is proved deadlock-free only if dim 1 of out >= 3; this launch "
      "has dim 1 of out = 2 [launch-condition]");
}

TEST_F(LaunchTest, ErrorsAreValues) {
  auto kernel = load(R"({"name": "numbers", "target": "sm_100a", "threads": 1,
      "arguments": [], "parameters": [],
      "items": {"kind": "one", "count": []}})",
                     faulty);
  EXPECT_EQ(llvm::toString(kernel.takeError()),
            "@numbers is for sm_100a, and the device, " + device->name() +
                ", is sm_90 [wrong-device]");
  auto broken = load(tileInfo, ".version 8.0\n.target sm_90a\nnonsense");
  ASSERT_FALSE(bool(broken));
  std::string words = llvm::toString(broken.takeError());
  EXPECT_NE(words.find("cuModuleLoadData: CUDA_ERROR_INVALID_PTX"),
            std::string::npos)
      << words;
  EXPECT_NE(words.find("module.ptx:3:1"), std::string::npos) << words;

  // What a kernel does wrong comes out of a later call; a reset helps.
  {
    auto bad = load(R"({"name": "numbers", "target": "sm_90a", "threads": 1,
        "arguments": [], "parameters": [],
        "items": {"kind": "one", "count": []}})",
                    faulty);
    ASSERT_TRUE(bool(bad)) << llvm::toString(bad.takeError());
    llvm::Error error = bad->launch({});
    ASSERT_FALSE(error) << llvm::toString(std::move(error));
    words = llvm::toString(device->synchronize());
    EXPECT_NE(words.find("cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS"),
              std::string::npos)
        << words;
  }
  llvm::Error error = device->reset();
  ASSERT_FALSE(error) << llvm::toString(std::move(error));
  EXPECT_TRUE(bool(device->allocate(16)));
}

TEST_F(LaunchTest, CopiesAreOfTheWholeBuffer) {
  auto buffer = device->allocate(16);
  ASSERT_TRUE(bool(buffer)) << llvm::toString(buffer.takeError());
  char bytes[12] = {};
  EXPECT_EQ(llvm::toString(buffer->upload(bytes)),
            "a copy of 12 bytes, and the buffer has 16 [buffer-size]");
  EXPECT_EQ(llvm::toString(buffer->download(bytes)),
            "a copy of 12 bytes, and the buffer has 16 [buffer-size]");
}

TEST(Driver, IsALibrary) {
  auto none = Driver::open("no-such-driver.so");
  EXPECT_EQ(none ? "" : llvm::toString(none.takeError()),
            "no CUDA driver: no-such-driver.so: cannot open shared object "
            "file: No such file or directory [cuda-driver]");
}

TEST_F(LaunchTest, NothingIsLaunchedWithoutItems) {
  auto kernel = load(tileInfo, copyTile);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  ElementType f32 = findElementType("f32");
  llvm::Error error = kernel->launch(
      {{Tensor::packed(f32, {5, 0}, 0)}, {Tensor::packed(f32, {0, 8, 16}, 0)}});
  EXPECT_FALSE(error) << llvm::toString(std::move(error));
}

TEST_F(LaunchTest, AWorkspaceIsZeroAtEachLaunch) {
  auto kernel = load(countedInfo, counted);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  auto out = device->allocate(4 * sizeof(uint32_t));
  ASSERT_TRUE(bool(out)) << llvm::toString(out.takeError());
  for (unsigned times = 0; times != 2; ++times) {
    llvm::Error error = kernel->launch(
        {{Tensor::packed(findElementType("i32"), {4}, out->address())}});
    ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
    error = device->synchronize();
    ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
    std::array<uint32_t, 4> drawn = {};
    error =
        out->download({reinterpret_cast<char *>(drawn.data()), sizeof(drawn)});
    ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
    llvm::sort(drawn);
    EXPECT_EQ(drawn, (std::array<uint32_t, 4>{0, 1, 2, 3}));
  }
}

TEST_F(LaunchTest, SmallerClustersWhereFewItemsAreThere) {
  llvm::Expected<Kernel> kernel = load(clustersInfo, clusters);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  auto buffer = device->allocate(4096);
  ASSERT_TRUE(bool(buffer)) << llvm::toString(buffer.takeError());
  auto run = [&](int64_t rows) -> std::pair<int, std::string> {
    Argument out = {
        Tensor::packed(findElementType("i32"), {rows, 8}, buffer->address())};
    llvm::Expected<Kernel::Choice> choice = kernel->choose(out);
    EXPECT_TRUE(bool(choice)) << llvm::toString(choice.takeError());
    EXPECT_FALSE(bool(kernel->launch(out)));
    EXPECT_FALSE(bool(device->synchronize()));
    std::vector<char> bytes(buffer->size());
    EXPECT_FALSE(bool(buffer->download(bytes)));
    int number;
    std::memcpy(&number, bytes.data(), sizeof(number));
    return {number, choice->why};
  };
  // Two tiles, and one, for a cluster of two; seven of eight, which is just few
  // enough.
  EXPECT_EQ(run(8), std::pair(2, std::string()));
  EXPECT_EQ(run(4),
            std::pair(1, std::string("with clusters of 2 CTAs, 1 of 2 tiles "
                                     "would be empty (limit 1/8)")));
  EXPECT_EQ(run(28), std::pair(2, std::string()));
  EXPECT_EQ(run(20).first, 1);

  Argument even = {
      Tensor::packed(findElementType("i32"), {8, 8}, buffer->address())};
  llvm::Expected<std::string> why =
      whyFallback(kernel->info(), even, /*room=*/0);
  ASSERT_TRUE(bool(why)) << llvm::toString(why.takeError());
  EXPECT_EQ(*why, "the device has no room for clusters of 2 CTAs");
}
