//===- MemoryTest.cpp - Allocation, copies and fills ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>
#include <sys/mman.h>

using namespace drawloom::cuda;

TEST_F(CudaTest, CopiesAndFills) {
  DevicePointer a = upload<uint32_t>({1, 2, 3, 4});
  DevicePointer b = upload<uint32_t>({0, 0, 0, 0});
  EXPECT_OK(cu.cuMemcpyDtoD_v2(b, a + 4, 12));
  EXPECT_EQ(download<uint32_t>(b, 4), (std::vector<uint32_t>{2, 3, 4, 0}));
  EXPECT_OK(cu.cuMemsetD32_v2(b, 0x01020304, 2));
  EXPECT_OK(cu.cuMemsetD16_v2(b + 8, 0xabcd, 1));
  EXPECT_OK(cu.cuMemsetD8_v2(b + 15, 0xff, 1));
  EXPECT_EQ(
      download<uint32_t>(b, 4),
      (std::vector<uint32_t>{0x01020304, 0x01020304, 0x0000abcd, 0xff000000}));
  uint32_t host = 0;
  EXPECT_OK(cu.cuMemcpy(reinterpret_cast<uintptr_t>(&host), a + 8, 4));
  EXPECT_EQ(host, 3u);
}

TEST_F(CudaTest, MemoryIsCheckedToTheByte) {
  DevicePointer a = upload<uint32_t>({1, 2, 3, 4});
  char bytes[32] = {};
  EXPECT_RESULT(cu.cuMemcpyHtoD_v2(a, bytes, 17), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cu.cuMemcpyDtoH_v2(bytes, a - 1, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cu.cuMemsetD32_v2(a + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cu.cuMemFree_v2(a + 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cu.cuMemFree_v2(a));
  EXPECT_RESULT(cu.cuMemFree_v2(a), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cu.cuMemFree_v2(0));
  EXPECT_RESULT(cu.cuMemAlloc_v2(&a, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cu.cuMemAlloc_v2(&a, size_t(1) << 60),
                CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(CudaTest, PointersKnowTheirAllocation) {
  DevicePointer a = upload<uint32_t>({1, 2, 3, 4}), base = 0;
  size_t bytes = 0;
  EXPECT_OK(cu.cuMemGetAddressRange_v2(&base, &bytes, a + 7));
  EXPECT_EQ(base, a);
  EXPECT_EQ(bytes, 16u);
  EXPECT_RESULT(cu.cuMemGetAddressRange_v2(&base, &bytes, a + 16),
                CUDA_ERROR_NOT_FOUND);
  unsigned type = 0;
  EXPECT_OK(cu.cuPointerGetAttribute(&type, PointerMemoryType, a));
  EXPECT_EQ(type, memoryTypeDevice);
  EXPECT_RESULT(cu.cuPointerGetAttribute(&type, PointerMemoryType,
                                         reinterpret_cast<uintptr_t>(&type)),
                CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaTest, SeveralAttributesOfAPointer) {
  DevicePointer a = upload<uint32_t>({1, 2, 3, 4}), start = 0;
  unsigned type = 9;
  void *host = &type;
  const int attributes[] = {PointerMemoryType, PointerRangeStart,
                            PointerHostPointer};
  void *values[] = {&type, &start, &host};
  EXPECT_OK(cu.cuPointerGetAttributes(3, attributes, values, a + 4));
  EXPECT_EQ(type, memoryTypeDevice);
  EXPECT_EQ(start, a);
  EXPECT_EQ(host, nullptr);
  // Memory that the device doesn't know has none, which is no error.
  EXPECT_OK(cu.cuPointerGetAttributes(3, attributes, values,
                                      reinterpret_cast<uintptr_t>(&type)));
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(start, 0u);
  EXPECT_RESULT(cu.cuPointerGetAttributes(0, attributes, values, a),
                CUDA_ERROR_INVALID_VALUE);
}

namespace {
class SharedMemoryTest : public CudaTest {
protected:
  /// Doubles `count` words at `address`.
  void twice(DevicePointer address, unsigned count) {
    FunctionState *k = function(R"(
.visible .entry k(.param .u64 data) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [data];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  ld.global.u32 %r2, [%rd1];
  add.u32 %r2, %r2, %r2;
  st.global.u32 [%rd1], %r2;
  ret;
}
)");
    void *parameters[] = {&address};
    EXPECT_OK(cu.cuLaunchKernel(k, 1, 1, 1, count, 1, 1, 0, nullptr, parameters,
                                nullptr));
    EXPECT_OK(cu.cuCtxSynchronize());
  }

  static bool isMapped(DevicePointer address) {
    unsigned char inCore;
    return mincore(reinterpret_cast<void *>(address), 1, &inCore) == 0;
  }

  size_t freeBytes() {
    size_t left = 0, total = 0;
    EXPECT_OK(cu.cuMemGetInfo_v2(&left, &total));
    return left;
  }
};
} // namespace

TEST_F(SharedMemoryTest, Host) {
  size_t before = freeBytes();
  void *pointer = nullptr;
  EXPECT_OK(cu.cuMemHostAlloc(&pointer, 6000, 0));
  EXPECT_EQ(freeBytes(), before);
  DevicePointer device = 0;
  EXPECT_OK(cu.cuMemHostGetDevicePointer_v2(&device, pointer, 0));
  EXPECT_EQ(device, reinterpret_cast<DevicePointer>(pointer));
  auto *words = static_cast<uint32_t *>(pointer);
  std::iota(words, words + 1500, 1);
  twice(device + 4 * 1400, 100);
  EXPECT_EQ(words[1399], 1400u);
  EXPECT_EQ(words[1400], 2802u);
  EXPECT_EQ(words[1499], 3000u);

  unsigned type = 0;
  EXPECT_OK(cu.cuPointerGetAttribute(&type, PointerMemoryType, device));
  EXPECT_EQ(type, memoryTypeHost);
  void *host = nullptr;
  EXPECT_OK(cu.cuPointerGetAttribute(&host, PointerHostPointer, device + 8));
  EXPECT_EQ(host, words + 2);
  // Copies take it for either.
  DevicePointer other = upload(std::vector<uint32_t>{7, 8});
  EXPECT_OK(cu.cuMemcpyDtoD_v2(device, other, 8));
  EXPECT_EQ(words[1], 8u);
  EXPECT_OK(cu.cuMemcpyHtoD_v2(other, words + 2, 8));
  EXPECT_EQ(download<uint32_t>(other, 2), (std::vector<uint32_t>{3, 4}));

  EXPECT_RESULT(cu.cuMemFree_v2(device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cu.cuMemFreeHost(pointer));
  EXPECT_RESULT(cu.cuMemFreeHost(pointer), CUDA_ERROR_INVALID_VALUE);
  EXPECT_FALSE(isMapped(device));
  EXPECT_EQ(freeBytes(), before - 4096); // `other`
  testing::internal::CaptureStderr();
  EXPECT_RESULT(cu.cuMemHostGetDevicePointer_v2(&device, &type, 0),
                CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "drawloom: a kernel can't use host memory that cuMemHostAlloc "
            "didn't give\n");
}

TEST_F(SharedMemoryTest, Managed) {
  DevicePointer address = 0;
  EXPECT_OK(cu.cuMemAllocManaged(&address, 400, 1));
  auto *words = reinterpret_cast<uint32_t *>(address);
  std::iota(words, words + 100, 1);
  twice(address, 100);
  EXPECT_EQ(words[0], 2u);
  EXPECT_EQ(words[99], 200u);
  unsigned managed = 0;
  EXPECT_OK(cu.cuPointerGetAttribute(&managed, PointerIsManaged, address));
  EXPECT_EQ(managed, 1u);
  EXPECT_OK(cu.cuMemPrefetchAsync_v2(address, 400, {1, 0}, 0, nullptr));
  EXPECT_OK(cu.cuMemAdvise_v2(address, 400, 1, {1, 0}));
  EXPECT_OK(cu.cuStreamAttachMemAsync(nullptr, address, 0, 4));
  EXPECT_RESULT(cu.cuMemAdvise_v2(address, 401, 1, {1, 0}),
                CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cu.cuMemFree_v2(address));
  EXPECT_FALSE(isMapped(address));
  EXPECT_RESULT(cu.cuMemAllocManaged(&address, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cu.cuMemAllocManaged(&address, 400, 3),
                CUDA_ERROR_INVALID_VALUE);
}

// What the host may not look into isn't there for it, and isn't managed.
TEST_F(SharedMemoryTest, DeviceMemoryIsHidden) {
  DevicePointer address = upload(std::vector<uint32_t>(100));
  EXPECT_FALSE(isMapped(address));
  EXPECT_RESULT(cu.cuMemPrefetchAsync_v2(address, 400, {1, 0}, 0, nullptr),
                CUDA_ERROR_INVALID_VALUE);
  void *host = nullptr;
  EXPECT_RESULT(cu.cuPointerGetAttribute(&host, PointerHostPointer, address),
                CUDA_ERROR_INVALID_VALUE);
}

// A copy in the wrong direction would make the host look into it.
TEST_F(SharedMemoryTest, DeviceMemoryTakenForTheHosts) {
  DevicePointer a = upload(std::vector<uint32_t>(100));
  DevicePointer b = upload(std::vector<uint32_t>(100, 7)), shared = 0;
  auto *ofA = reinterpret_cast<void *>(a), *ofB = reinterpret_cast<void *>(b);
  EXPECT_RESULT(cu.cuMemcpyHtoD_v2(a, ofB, 400), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cu.cuMemcpyDtoH_v2(ofA, b, 400), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(download<uint32_t>(a, 100), std::vector<uint32_t>(100));
  // What both see is the host's, too, but not behind its end.
  EXPECT_OK(cu.cuMemAllocManaged(&shared, 400, 1));
  auto *ofBoth = reinterpret_cast<void *>(shared);
  EXPECT_OK(cu.cuMemcpyDtoH_v2(ofBoth, b, 400));
  EXPECT_OK(cu.cuMemcpyHtoD_v2(a, ofBoth, 400));
  EXPECT_EQ(download<uint32_t>(a, 100), std::vector<uint32_t>(100, 7));
  EXPECT_RESULT(
      cu.cuMemcpyHtoD_v2(a, reinterpret_cast<void *>(shared + 4), 400),
      CUDA_ERROR_INVALID_VALUE);
}

// Managed memory goes with its context.
TEST_F(SharedMemoryTest, ResetHidesIt) {
  DevicePointer address = 0;
  EXPECT_OK(cu.cuMemAllocManaged(&address, 400, 1));
  EXPECT_TRUE(isMapped(address));
  EXPECT_OK(cu.cuDevicePrimaryCtxReset_v2(0));
  EXPECT_FALSE(isMapped(address));
}

// Where the host has something else already, there is none.
TEST_F(SharedMemoryTest, PlacesThatAreTaken) {
  DevicePointer address = 0;
  EXPECT_OK(cu.cuMemAlloc_v2(&address, 400));
  EXPECT_OK(cu.cuMemFree_v2(address));
  void *place = reinterpret_cast<void *>(address);
  ASSERT_EQ(mmap(place, 4096, PROT_READ,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
            place);
  testing::internal::CaptureStderr();
  EXPECT_RESULT(cu.cuMemAllocManaged(&address, 400, 1),
                CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "drawloom: the host can't map 400 bytes at 0x" +
                llvm::utohexstr(address) + ", where kernels would use them\n");
  munmap(place, 4096);
  EXPECT_OK(cu.cuMemAllocManaged(&address, 400, 1));
}

TEST_F(CudaTest, ResetGivesEverythingBack) {
  size_t before = 0, after = 0, total = 0;
  EXPECT_OK(cu.cuMemGetInfo_v2(&before, &total));
  upload(std::vector<char>(10000));
  EXPECT_OK(cu.cuMemGetInfo_v2(&after, &total));
  EXPECT_LT(after, before);
  EXPECT_OK(cu.cuDevicePrimaryCtxReset_v2(0));
  EXPECT_OK(cu.cuMemGetInfo_v2(&after, &total));
  EXPECT_EQ(after, before);
}
