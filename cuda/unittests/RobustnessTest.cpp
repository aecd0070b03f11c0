//===- RobustnessTest.cpp - Bad input ends in an error --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules, fat binaries, tensor maps and launches that are wrong in a way that
// a program can get them wrong: each is answered with an error of CUDA's and a
// message, or is right after all. That nothing crashes is half of the test.
//
//===----------------------------------------------------------------------===//

#include "FatBinaryWriter.h"
#include "Library.h"
#include <climits>
#include <cstring>
#include <random>
#include <sys/mman.h>

using namespace drawloom;
using namespace drawloom::cuda;

using Writer = FatBinaryWriter;

namespace {
class Robustness : public CudaTest {
protected:
  /// Loads an image; what the log says is in `log`.
  Result load(const void *image) {
    int options[] = {JitErrorLog, JitErrorLogSize};
    memset(log, 0, sizeof(log));
    void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
    ModuleState *module = nullptr;
    Result result = cu.cuModuleLoadDataEx(&module, image, 2, options, values);
    if (result == CUDA_SUCCESS) {
      EXPECT_OK(cu.cuModuleUnload(module));
    }
    return result;
  }
  char log[1024];
  std::mt19937 random{1};
};
} // namespace

TEST_F(Robustness, MalformedPtxIsLocated) {
  const char *header = ".version 8.0\n.target sm_90a\n.address_size 64\n";
  for (const char *body :
       {"garbage", ".visible .entry k(", ".visible .entry k() {",
        ".visible .entry k() { ret }", ".visible .entry k() { bra nowhere; }",
        ".visible .entry k() { mov.u32 %r1, 1; }",
        ".visible .entry k() { .reg .f32 %f; add.s32 %f, %f, %f; }",
        ".visible .entry k() { .reg .b32 %r; add.s32 %r, %r; }",
        ".visible .entry k() { .reg .b32 %r; fly.u32 %r; }",
        ".visible .entry k() { .reg .b32 %r; .reg .b32 %r; ret; }",
        ".visible .entry k(.param .u64 a, .param .u64 a) { ret; }",
        ".global .u32 x[-1];",
        ".visible .entry k() { .shared .b8 s[99999999999999999999]; ret; }",
        ".visible .entry k() { call missing, (); ret; }",
        ".visible .entry k() { /* ret; }", ".visible .entry \x01() { ret; }"}) {
    std::string text = std::string(header) + body + "\n";
    EXPECT_RESULT(load(text.c_str()), CUDA_ERROR_INVALID_PTX) << body;
    EXPECT_NE(strstr(log, "module.ptx:"), nullptr) << body << ": " << log;
    EXPECT_NE(strstr(log, "error:"), nullptr) << body << ": " << log;
  }
}

TEST_F(Robustness, EveryPrefixOfAModule) {
  std::string text = writerOf("sm_90a", 1);
  for (size_t size = 0; size != text.size(); ++size) {
    Result result = load(text.substr(0, size).c_str());
    // A prefix that ends behind a declaration is a module of its own.
    if (result != CUDA_SUCCESS) {
      EXPECT_RESULT(result, CUDA_ERROR_INVALID_PTX) << size;
      EXPECT_NE(log[0], 0) << size;
    }
  }
}

TEST_F(Robustness, EveryBitOfAFatBinary) {
  for (Writer::Packing packing :
       {Writer::Packing::None, Writer::Packing::Lz4, Writer::Packing::Zstd}) {
    std::string good =
        Writer()
            .add(Writer::Kind::Ptx, 90, writerOf("sm_90a", 1), packing)
            .str();
    ASSERT_EQ(load(good.data()), CUDA_SUCCESS) << log;
    for (size_t bit = 0; bit != good.size() * 8; ++bit) {
      // The driver gets a pointer, so the size in the header is believed as
      // far as memory goes: FatBinary.DamageIsLocated changes that with the
      // real one known.
      if (bit >= 32 && bit < 128)
        continue;
      std::string bytes = good;
      bytes[bit / 8] ^= char(1 << bit % 8);
      Result result = load(bytes.c_str());
      if (result == CUDA_SUCCESS)
        continue;
      EXPECT_TRUE(result == CUDA_ERROR_INVALID_IMAGE ||
                  result == CUDA_ERROR_INVALID_PTX ||
                  result == CUDA_ERROR_NO_BINARY_FOR_GPU)
          << bit << ": " << nameOf(result);
      EXPECT_NE(log[0], 0) << bit;
    }
  }
}

namespace {
/// An image at the end of its page, with nothing behind it.
class AtTheEnd {
public:
  explicit AtTheEnd(const std::string &bytes)
      : room((bytes.size() + page - 1) / page * page) {
    memory = static_cast<char *>(mmap(nullptr, room + page, PROT_NONE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_EQ(mprotect(memory, room, PROT_READ | PROT_WRITE), 0);
    image = memory + room - bytes.size();
    memcpy(image, bytes.data(), bytes.size());
  }
  ~AtTheEnd() { munmap(memory, room + page); }
  char *image;

private:
  static constexpr size_t page = 4096;
  size_t room;
  char *memory;
};
} // namespace

TEST_F(Robustness, ImagesThatEndWhereMemoryDoes) {
  std::string text = writerOf("sm_90a", 1);
  std::string good =
      Writer().add(Writer::Kind::Ptx, 90, text, Writer::Packing::None).str();
  EXPECT_RESULT(load(AtTheEnd(good).image), CUDA_SUCCESS) << log;
  // The header says more than there is, by any bit of its size.
  for (unsigned bit = 0; bit != 64; ++bit) {
    std::string bytes = good;
    bytes[8 + bit / 8] ^= char(1 << bit % 8);
    EXPECT_RESULT(load(AtTheEnd(bytes).image), CUDA_ERROR_INVALID_IMAGE) << bit;
  }
  for (size_t size = 4; size != good.size(); ++size)
    EXPECT_RESULT(load(AtTheEnd(good.substr(0, size)).image),
                  CUDA_ERROR_INVALID_IMAGE)
        << size;
  EXPECT_RESULT(load(AtTheEnd(text).image), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_NE(strstr(log, "the module is text without a NUL at its end"), nullptr)
      << log;
  EXPECT_RESULT(load(AtTheEnd(text + '\0').image), CUDA_SUCCESS) << log;
}

TEST_F(Robustness, WrappersThatLeadNowhere) {
  struct {
    uint32_t magic = 0x466243b1, version = 1;
    const void *data = nullptr, *unused = nullptr;
  } wrapper;
  EXPECT_RESULT(load(&wrapper), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_NE(strstr(log, "wrapper is empty"), nullptr) << log;
  wrapper.data = reinterpret_cast<const void *>(0x10);
  EXPECT_RESULT(load(&wrapper), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_NE(strstr(log, "wrapper leads to no memory that can be read"), nullptr)
      << log;
  std::string bytes(reinterpret_cast<const char *>(&wrapper), 8);
  EXPECT_RESULT(load(AtTheEnd(bytes).image), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_NE(strstr(log, "wrapper is cut short"), nullptr) << log;
  EXPECT_RESULT(load(reinterpret_cast<const void *>(0x10)),
                CUDA_ERROR_INVALID_IMAGE);
  EXPECT_NE(strstr(log, "no memory that can be read is where the module is"),
            nullptr)
      << log;
}

TEST_F(Robustness, TensorMaps) {
  auto pick = [&](auto... values) {
    uint64_t all[] = {uint64_t(values)...};
    return all[random() % sizeof...(values)];
  };
  DevicePointer memory = upload(std::vector<uint8_t>(4096));
  // Of tiled and of im2col maps.
  unsigned good[2] = {}, rejected[2] = {};
  testing::internal::CaptureStderr();
  for (int i = 0; i != 40000; ++i) {
    alignas(64) char map[128];
    uint64_t dims[5], strides[5];
    uint32_t box[5], steps[5];
    int lower[3], upper[3];
    for (int d = 0; d != 5; ++d) {
      dims[d] = pick(8, 64, 128, 1000, 0, uint64_t(1) << 32, ~uint64_t(0));
      strides[d] = pick(16, 64, 128, 24, 0, uint64_t(1) << 40, ~uint64_t(0));
      box[d] = pick(1, 8, 64, 0, 256, 257, ~uint32_t(0));
      steps[d] = pick(1, 1, 1, 2, 8, 9, 0);
    }
    for (int d = 0; d != 3; ++d) {
      lower[d] = int(pick(0, 0, 0, -1, -2, -17, 128, INT_MIN));
      upper[d] = int(pick(0, 0, 0, -1, 2, -17, 127, INT_MAX));
    }
    int type = int(pick(0, 2, 6, 9, 13, 16, 99));
    unsigned rank = unsigned(pick(1, 2, 3, 3, 5, 0, 6));
    void *address = reinterpret_cast<void *>(memory + pick(0, 16, 8));
    int interleave = int(pick(0, 0, 1, 2, 3));
    int swizzle = int(pick(0, 1, 2, 3, 6, 7));
    int promotion = int(pick(0, 1, 3, 4)), fill = int(pick(0, 1, 2));
    bool im2col = i % 2;
    Result result =
        im2col ? cu.cuTensorMapEncodeIm2col(
                     map, type, rank, address, dims, strides, lower, upper,
                     box[0], unsigned(pick(1, 8, 64, 1024, 0, 1025)), steps,
                     interleave, swizzle, promotion, fill)
               : cu.cuTensorMapEncodeTiled(map, type, rank, address, dims,
                                           strides, box, steps, interleave,
                                           swizzle, promotion, fill);
    good[im2col] += result == CUDA_SUCCESS;
    rejected[im2col] += result == CUDA_ERROR_INVALID_VALUE;
  }
  for (unsigned im2col : {0, 1}) {
    EXPECT_EQ(good[im2col] + rejected[im2col], 20000u);
    EXPECT_GT(good[im2col], 0u);
  }
  // A line for each.
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'),
            rejected[0] + rejected[1]);
}

TEST_F(Robustness, Launches) {
  FunctionState *k = function(R"(
.visible .entry k(.param .u64 out, .param .u32 n)
.maxntid 256
{
  .shared .b8 buffer[1024];
  ret;
}
)");
  auto pick = [&](auto... values) {
    uint64_t all[] = {uint64_t(values)...};
    return unsigned(all[random() % sizeof...(values)]);
  };
  unsigned good = 0;
  testing::internal::CaptureStderr();
  for (int i = 0; i != 3000; ++i) {
    LaunchAttribute attribute = {};
    attribute.id = LaunchAttributeId(pick(4, 4, 4, 2, 6, 0, 99));
    for (unsigned &size : attribute.value.clusterDim)
      size = pick(1, 1, 2, 3, 0, 16, ~0u);
    LaunchConfig config = {{pick(1, 4, 0, 65536), pick(1, 2, 0, 65536), 1},
                           {pick(1, 64, 300, 0, ~0u), pick(1, 2, 1025), 1},
                           pick(0, 1024, 100000, ~0u),
                           nullptr,
                           &attribute,
                           pick(0, 1)};
    // A grid that would take long isn't launched.
    if (uint64_t(config.grid[0]) * config.grid[1] > 64)
      config.block[0] = 0;
    uint64_t out = 0;
    uint32_t n = 0;
    void *parameters[] = {&out, pick(0, 1, 1) ? &n : nullptr};
    Result result = cu.cuLaunchKernelEx(&config, k, parameters, nullptr);
    good += result == CUDA_SUCCESS;
    if (result != CUDA_SUCCESS)
      EXPECT_TRUE(result == CUDA_ERROR_INVALID_VALUE ||
                  result == CUDA_ERROR_INVALID_CLUSTER_SIZE ||
                  result == CUDA_ERROR_NOT_SUPPORTED ||
                  result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
          << nameOf(result);
  }
  EXPECT_OK(cu.cuCtxSynchronize());
  testing::internal::GetCapturedStderr();
  EXPECT_GT(good, 0u);
  EXPECT_LT(good, 3000u);
}
