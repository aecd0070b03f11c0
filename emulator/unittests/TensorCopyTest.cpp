//===- TensorCopyTest.cpp - Maps in kernels, and rejections ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorKernel.h"

using namespace drawloom;
using namespace drawloom::emu;

// As a grouped GEMM does: a map of zeros is filled in in shared memory, copied
// to global memory, and used.
TEST(TensorCopy, ReplacedMap) {
  AsyncKernel k;
  k.dataBytes = 256;
  k.input = pattern(512);
  k.body = initBarriers({1}) + R"(
  mov.u32 %r1, smem;
  mad.lo.u32 %r1, %thread, 4, %r1;
  st.shared.u32 [%r1], 0;
  bar.warp.sync -1;
  mov.u32 %r2, 2;
  mov.u32 %r3, 16;
  mov.u32 %r4, 32;
  mov.u32 %r5, 4;
  mov.u32 %r6, 1;
  mov.b64 %rd1, 128;
  @!%leader bra copy;
  tensormap.replace.tile.global_address.shared::cta.b1024.b64 [smem], %in;
  tensormap.replace.tile.rank.shared::cta.b1024.b32 [smem], 1;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [smem], 0, %r3;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [smem], 1, %r2;
  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [smem], 0, %r4;
  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [smem], 1, %r5;
  tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [smem], 0, %rd1;
  tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [smem], 0, %r6;
  tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [smem], 1, %r6;
  tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [smem], 2;
  tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [smem], 0;
  tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [smem], 0;
  tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [smem], 0;
copy:
  bar.warp.sync -1;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned
    [%data], [smem], 128;
  fence.proxy.tensormap::generic.acquire.gpu [%data], 128;
  @%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 128;
  @%leader cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes
    [smem], [%data, {8, 2}], [bars];
)" + waitFor("bars", 0) +
           handOut;
  std::vector<uint8_t> result = bytesOf(k.values());
  for (unsigned byte = 0; byte != 128; ++byte)
    EXPECT_EQ(result[byte], k.input[(byte / 64 + 2) * 128 + 32 + byte % 64]);
}

//===----------------------------------------------------------------------===//
// Rejections
//===----------------------------------------------------------------------===//

static TensorMap vectorMap() {
  TensorMap map;
  map.type = TensorMapType::U32;
  map.dims[0] = map.box[0] = 32;
  return map;
}

/// A load of a vector with some part of it replaced.
static std::string loadFailure(const std::string &from, const std::string &to,
                               TensorMap map = vectorMap()) {
  AsyncKernel k = loadKernel(map, {0}, 128, 128);
  k.input = pattern(128);
  size_t at = k.body.find(from);
  EXPECT_NE(at, std::string::npos);
  k.body.replace(at, from.size(), to);
  return k.failure();
}

TEST(TensorCopyMustFail, NoMap) {
  EXPECT_CONTAINS(loadFailure("[%map, ", "[%in, "),
                  "the tensor map at 0x700000001000: there is no tensor map");
}

TEST(TensorCopyMustFail, MapOfAnotherRank) {
  TensorMap map = vectorMap();
  map.rank = 2;
  map.strides[0] = 128;
  AsyncKernel k = loadKernel(map, {0, 0}, 128, 128);
  k.input = pattern(128);
  size_t at = k.body.find("2d");
  k.body.replace(at, 2, "1d");
  k.body.replace(k.body.find("{0, 0}"), 6, "{0}");
  EXPECT_CONTAINS(k.failure(), "it has rank 2, and the copy is 1d");
}

TEST(TensorCopyMustFail, PlaceOfTheMap) {
  EXPECT_CONTAINS(loadFailure("[%map, ", "[%map+-32, "),
                  "must be at a multiple of 64");
  EXPECT_CONTAINS(loadFailure("@!%leader bra wait;",
                              "@!%leader bra wait; mov.u64 %rd1, smem;"
                              "cvta.shared.u64 %map, %rd1;"),
                  "is in shared memory; it must be in global memory, a "
                  "constant or a parameter");
  EXPECT_CONTAINS(loadFailure("[%map, ", "[%map+64, "),
                  "byte 128 of the parameters; the kernel has 192");
}

TEST(TensorCopyMustFail, Destination) {
  EXPECT_CONTAINS(
      loadFailure("[smem], [%map", "[smem+64], [%map"),
      "the destination 'smem+64' (0x10000000840) must be a multiple of 128");
  EXPECT_CONTAINS(loadFailure("[smem], [%map", "[smem+32768], [%map"),
                  "128 bytes, destination at 0x10000008800: byte 34816 of "
                  "shared memory; the CTA has 34816");
}

TEST(TensorCopyMustFail, TensorOutsideItsMemory) {
  TensorMap map = vectorMap();
  map.dims[0] = 64;
  EXPECT_CONTAINS(loadFailure("{0}", "{16}", map),
                  "128 bytes of a row of the tensor at 0x700000001040");
}

TEST(TensorCopyMustFail, BarrierInAnotherCta) {
  AsyncKernel k = loadKernel(vectorMap(), {0}, 128, 128);
  k.ctas = 2;
  k.input = pattern(128);
  k.body.replace(k.body.find("@!%leader bra wait;"), 19, R"(
  mov.u32 %r1, bars;
  xor.b32 %r2, %rank, 1;
  mapa.shared::cluster.u32 %r1, %r1, %r2;
  @!%leader bra wait;)");
  k.body.replace(k.body.rfind("], [bars];"), 10, "], [%r1];");
  EXPECT_CONTAINS(k.failure(),
                  "only .cta_group::2 may signal the other CTA of a pair");
}

TEST(TensorCopyMustFail, FirstCoordinateOfPackedTypes) {
  TensorMap map = vectorMap();
  map.type = TensorMapType::B4x16;
  map.dims[0] = 256;
  map.box[0] = 256;
  EXPECT_CONTAINS(loadFailure("{0}", "{3}", map),
                  "the first coordinate is 3; for b4x16 it must be a multiple "
                  "of 2");
}

TEST(TensorCopyMustFail, GatherWithATallBox) {
  TensorMap map = vectorMap();
  map.rank = 2;
  map.dims[1] = 4;
  map.strides[0] = 128;
  map.box[1] = 2;
  AsyncKernel k = loadKernel(map, {0, 0, 1, 2, 3}, 512, 512, ".tile::gather4");
  k.input = pattern(512);
  EXPECT_CONTAINS(k.failure(),
                  "the box has 2 rows; a copy that chooses its rows needs 1");
}

static std::string storeFailure(TensorMap map, int coordinate,
                                const std::string &copy) {
  AsyncKernel k = storeKernel(map, {coordinate}, 128, copy);
  k.dataBytes = 256;
  return k.failure();
}

TEST(TensorCopyMustFail, Stores) {
  const std::string store =
      "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group";
  EXPECT_CONTAINS(storeFailure(vectorMap(), -1, store),
                  "coordinate 0 is -1; a store can't begin in front of the "
                  "tensor");
  TensorMap map = vectorMap();
  map.type = TensorMapType::B4x16P64;
  map.dims[0] = map.box[0] = 128;
  EXPECT_CONTAINS(storeFailure(map, 0, store),
                  "a tensor of b4x16_p64 can't be stored to");
  map.type = TensorMapType::B6x16P32;
  EXPECT_CONTAINS(storeFailure(map, 0, store),
                  "stores to a tensor of b6x16_p32 are not executed yet");
  map = vectorMap();
  map.type = TensorMapType::U16;
  EXPECT_CONTAINS(
      storeFailure(map, 0,
                   "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add."
                   "bulk_group"),
      "there is no .add for u16");
}

TEST(TensorCopyMustFail, Replace) {
  AsyncKernel k;
  k.body = "mov.u32 %r1, 300; @%leader "
           "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [smem], 0, "
           "%r1;";
  EXPECT_CONTAINS(k.failure(), "a box size of 300; 1 to 256 are possible");
  k.body = "@%leader tensormap.replace.tile.rank.shared::cta.b1024.b32 "
           "[smem+32], 1;";
  EXPECT_CONTAINS(k.failure(), "the address must be a multiple of 64");
}

//===----------------------------------------------------------------------===//
// Maps that the kernel changes
//===----------------------------------------------------------------------===//

/// Copies the map to the data, has `change` done to it there, and loads by it.
static std::string changedFailure(const std::string &change,
                                  unsigned bytes = 128) {
  AsyncKernel k = loadKernel(vectorMap(), {0}, bytes, 128);
  k.input = pattern(128);
  k.dataBytes = 128;
  k.body = R"(
  mad.wide.u32 %rd1, %thread, 4, %map;
  ld.u32 %r1, [%rd1];
  mov.u32 %r2, smem;
  mad.lo.u32 %r2, %thread, 4, %r2;
  st.shared.u32 [%r2], %r1;
  mad.wide.u32 %rd2, %thread, 4, %data;
  st.global.u32 [%rd2], %r1;
  bar.warp.sync -1;
)" + change +
           k.body;
  k.body.replace(k.body.find("[%map, "), 7, "[%data, ");
  return k.failure();
}

static const std::string replaceInPlace =
    "@%leader tensormap.replace.tile.global_address.global.b1024.b64 [%data], "
    "%in;\n";
static const std::string release =
    "fence.proxy.tensormap::generic.release.gpu;\n";
static const std::string acquire =
    "fence.proxy.tensormap::generic.acquire.gpu [%data], 128;\n";
static const std::string copyAndRelease =
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu"
    ".sync.aligned [%data], [smem], 128;\n";

TEST(TensorCopy, ChangedMapsAcrossFences) {
  EXPECT_EQ(changedFailure(""), "");
  EXPECT_EQ(changedFailure(replaceInPlace + release + acquire), "");
  EXPECT_EQ(changedFailure(copyAndRelease + acquire), "");
}

TEST(TensorMapFenceMustFail, NoFence) {
  EXPECT_CONTAINS(
      changedFailure(replaceInPlace),
      "'tensormap.replace.tile.global_address.global.b1024.b64' of line 28 has "
      "changed it, and fence.proxy.tensormap::generic.release has not been "
      "executed since");
}

TEST(TensorMapFenceMustFail, NoRelease) {
  EXPECT_CONTAINS(changedFailure(replaceInPlace + acquire),
                  "fence.proxy.tensormap::generic.release has not been "
                  "executed since");
}

TEST(TensorMapFenceMustFail, NoAcquire) {
  EXPECT_CONTAINS(changedFailure(replaceInPlace + release),
                  "fence.proxy.tensormap::generic.acquire of its address has "
                  "not been executed since");
}

TEST(TensorMapFenceMustFail, NoAcquireOfACopy) {
  EXPECT_CONTAINS(changedFailure(copyAndRelease),
                  "'tensormap.cp_fenceproxy.global.shared::cta.tensormap::"
                  "generic.release.gpu.sync.aligned' of line 28 has changed "
                  "it, and fence.proxy.tensormap::generic.acquire of its "
                  "address has not been executed since");
}

TEST(TensorMapFenceMustFail, FencesInTheWrongOrder) {
  EXPECT_CONTAINS(changedFailure(replaceInPlace + acquire + release),
                  "fence.proxy.tensormap::generic.acquire of its address has "
                  "not been executed since");
}

TEST(TensorMapFenceMustFail, ChangedAgain) {
  EXPECT_CONTAINS(
      changedFailure(replaceInPlace + release + acquire + replaceInPlace),
      "of line 31 has changed it");
}

TEST(TensorMapFenceMustFail, AMapThatCanNotBe) {
  const std::string fences = release + acquire;
  // 32 words don't fit into the pattern of 32 bytes.
  EXPECT_CONTAINS(
      changedFailure("@%leader tensormap.replace.tile.swizzle_mode.global"
                     ".b1024.b32 [%data], 1;\n" +
                     fences),
      "the box is 32 elements of u32 = 128 bytes wide; the swizzle 32B takes "
      "32 at most");
  EXPECT_CONTAINS(
      changedFailure("mov.u64 %rd3, 8;\nadd.s64 %rd3, %rd3, %in;\n"
                     "@%leader tensormap.replace.tile.global_address.global"
                     ".b1024.b64 [%data], %rd3;\n" +
                     fences),
      "multiple of 16");
}

TEST(TensorCopyMustFail, BytesThatTheBoxHasNot) {
  EXPECT_CONTAINS(changedFailure("", 64), "64 bytes more have come than are "
                                          "expected");
  EXPECT_CONTAINS(changedFailure("", 256),
                  "128 bytes that are expected haven't come");
}
