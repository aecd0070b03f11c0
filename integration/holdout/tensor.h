//===- tensor.h - Tensor cores, tensor maps and launch control ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are f16, K-major, without swizzle: 8x8 core matrices of 128 bytes,
// the two of one K = 16 beside each other. A matrix has one value everywhere,
// so that only the bytes it covers matter.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "common.h"

// Two halves of a value, and a matrix full of it, by all threads.
constexpr u32 one = 0x3c003c00, two = 0x40004000, three = 0x42004200;
DEVICE void fill(void *p, u32 bytes, u32 word) {
  for (u32 i = threadIdx.x; i < bytes / 4; i += blockDim.x)
    static_cast<u32 *>(p)[i] = word;
}
// Core matrices that follow in K are 128 bytes apart, those in M or N 256.
DEVICE u64 descriptor(const void *p) {
  return u64((window(p) & 0x3ffff) >> 4) | u64(128 >> 4) << 16 |
         u64(256 >> 4) << 32;
}

//===----------------------------------------------------------------------===//
// tcgen05
//===----------------------------------------------------------------------===//

// A is 128x16 (4096 bytes), B is 16x16 (512), the accumulator is 16 columns of
// f32. Of a pair of CTAs each has 128 rows of A and 8 of B.
constexpr u32 columns = 16;
constexpr u32 shapeOne = 1u << 4 | (16u >> 3) << 17 | (128u >> 4) << 24;
constexpr u32 shapePair = 1u << 4 | (16u >> 3) << 17 | (256u >> 4) << 24;

namespace tmem {
DEVICE void alloc(u32 *at, u32 n) {
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], "
               "%1;" ::"r"(window(at)),
               "r"(n)
               : "memory");
}
DEVICE void relinquish() {
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::
                   : "memory");
}
DEVICE void dealloc(u32 at, u32 n) {
  asm volatile(
      "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(at), "r"(n)
      : "memory");
}
DEVICE void before() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
DEVICE void after() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}
// A barrier that also orders what tcgen05 does before it and behind it.
DEVICE void syncthreads() {
  before();
  __syncthreads();
  after();
}
// The lanes that this warp reaches.
DEVICE u32 quarter(u32 at) { return at + ((warp() % 4 * 32) << 16); }
DEVICE u32 load(u32 at) {
  u32 v;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];"
               : "=r"(v)
               : "r"(at)
               : "memory");
  return v;
}
DEVICE void load(u32 at, u32 (&v)[2]) {
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%0, %1}, [%2];"
               : "=r"(v[0]), "=r"(v[1])
               : "r"(at)
               : "memory");
}
DEVICE void store(u32 at, u32 v) {
  asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(at),
               "r"(v)
               : "memory");
}
DEVICE void waitLoad() {
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}
DEVICE void waitStore() {
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}
// 4096 bytes of shared memory into 8 columns of 128 lanes.
DEVICE void copy(u32 at, const void *from) {
  asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(at),
               "l"(descriptor(from) | 1ull << 46)
               : "memory");
}
DEVICE void mma(u32 d, const void *a, const void *b, u32 accumulate) {
  asm volatile(
      "{ .reg .pred p; setp.ne.u32 p, %4, 0;\n"
      "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
      "l"(descriptor(a) | 1ull << 46), "l"(descriptor(b) | 1ull << 46),
      "r"(shapeOne), "r"(accumulate)
      : "memory");
}
DEVICE void commit(u64 *b) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::"
               "cluster.b64 [%0];" ::"r"(window(b))
               : "memory");
}
} // namespace tmem

// The same for a pair of CTAs.
namespace pair {
DEVICE void alloc(u32 *at, u32 n) {
  asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], "
               "%1;" ::"r"(window(at)),
               "r"(n)
               : "memory");
}
DEVICE void relinquish() {
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::
                   : "memory");
}
DEVICE void dealloc(u32 at, u32 n) {
  asm volatile(
      "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(at), "r"(n)
      : "memory");
}
DEVICE void mma(u32 d, const void *a, const void *b, u32 accumulate) {
  asm volatile(
      "{ .reg .pred p; setp.ne.u32 p, %4, 0;\n"
      "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
      "l"(descriptor(a) | 1ull << 46), "l"(descriptor(b) | 1ull << 46),
      "r"(shapePair), "r"(accumulate)
      : "memory");
}
DEVICE void commit(u64 *b, u16 mask) {
  asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::"
               "cluster.multicast::cluster.b64 [%0], %1;" ::"r"(window(b)),
               "h"(mask)
               : "memory");
}
} // namespace pair

//===----------------------------------------------------------------------===//
// Cluster launch control
//===----------------------------------------------------------------------===//

namespace clc {
DEVICE void ask(uint4 *answer, u64 *b) {
  asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::"
               "complete_tx::bytes.b128 [%0], [%1];" ::"r"(window(answer)),
               "r"(window(b))
               : "memory");
}
// The answer goes to every CTA of the cluster.
DEVICE void askForAll(uint4 *answer, u64 *b) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::"
      "complete_tx::bytes.multicast::cluster::all.b128 [%0], [%1];" ::"r"(
          window(answer)),
      "r"(window(b))
      : "memory");
}
// The first CTA of the canceled cluster, or -1.
DEVICE int first(const uint4 *answer) {
  int x;
  asm volatile(
      "{ .reg .b128 a; .reg .pred p;\n"
      "ld.shared.b128 a, [%1];\n"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, a;\n"
      "mov.b32 %0, -1;\n"
      "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %0, a; "
      "}"
      : "=r"(x)
      : "r"(window(answer))
      : "memory");
  return x;
}
} // namespace clc

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

DEVICE void loadTile(void *to, const CUtensorMap *map, int x, int y, u64 *b) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
      "complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(window(to)),
      "l"(map), "r"(x), "r"(y), "r"(window(b))
      : "memory");
}
// A matrix of u32 in boxes, without swizzle.
inline CUtensorMap tensorMap(u32 *at, u32 width, u32 height, u32 boxWidth,
                             u32 boxHeight) {
  void *entry = nullptr;
  cudaDriverEntryPointQueryResult result;
  CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                        cudaEnableDefault, &result));
  auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry);
  CUtensorMap map;
  cuuint64_t sizes[] = {width, height}, pitch[] = {width * 4};
  cuuint32_t box[] = {boxWidth, boxHeight}, steps[] = {1, 1};
  if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, at, sizes, pitch, box,
             steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_NONE,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
    printf("cuda: cuTensorMapEncodeTiled\n");
    exit(3);
  }
  return map;
}
