//===- LaunchKernels.h - Kernels that the tests of launches run -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each is PTX, and what a launch has to know of it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_UNITTESTS_RUNTIME_LAUNCHKERNELS_H
#define DRAWLOOM_UNITTESTS_RUNTIME_LAUNCHKERNELS_H

#include "llvm/ADT/StringRef.h"

namespace drawloom::runtime {

// A CTA copies 8x16 words of the matrix, by TMA; CTA c those of columns 16c.
inline constexpr llvm::StringLiteral copyTile = R"(
.version 8.0
.target sm_90a
.address_size 64
.visible .entry tile(
    .param .align 64 .b8 map[128],
    .param .u64 out
) {
  .reg .pred %follower, %done;
  .reg .b32 %thread, %column, %r<3>;
  .reg .b64 %rd<4>;
  .shared .align 128 .b8 words[512];
  .shared .align 8 .b64 full;
  mov.u32 %thread, %tid.x;
  mov.u32 %r1, %ctaid.x;
  shl.b32 %column, %r1, 4;
  setp.ne.u32 %follower, %thread, 0;
  @%follower bra ready;
  mbarrier.init.shared.b64 [full], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared.b64 _, [full], 512;
  mov.b64 %rd1, map;
  cvta.param.u64 %rd1, %rd1;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
    [words], [%rd1, {%column, 0}], [full];
ready:
  bar.sync 0;
wait:
  mbarrier.try_wait.parity.shared.b64 %done, [full], 0;
  @!%done bra wait;
  mov.u32 %r2, words;
  mad.lo.u32 %r2, %thread, 4, %r2;
  ld.shared.u32 %r2, [%r2];
  ld.param.u64 %rd2, [out];
  mad.lo.u32 %r1, %r1, 128, %thread;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %r2;
  ret;
}
)";

// out = {rows, stride, scalar}, one thread.
inline constexpr llvm::StringLiteral numbers = R"(
.version 8.0
.target sm_90a
.address_size 64
.visible .entry numbers(.param .u64 out, .param .u32 rows,
                        .param .u64 stride, .param .f32 scalar) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [rows];
  st.global.u32 [%rd1], %r1;
  ld.param.u64 %rd2, [stride];
  cvt.u32.u64 %r2, %rd2;
  st.global.u32 [%rd1+4], %r2;
  ld.param.b32 %r1, [scalar];
  st.global.u32 [%rd1+8], %r1;
  ret;
}
)";

// out = the scalars, each in eight bytes, one thread.
inline constexpr llvm::StringLiteral scalars = R"(
.version 8.0
.target sm_90a
.address_size 64
.visible .entry scalars(.param .u64 out, .param .u8 byte, .param .u16 half,
                        .param .u32 word, .param .u64 wide, .param .f32 single,
                        .param .f64 double, .param .u32 index) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  ld.param.u8 %rd2, [byte];
  st.global.u64 [%rd1], %rd2;
  ld.param.u16 %rd2, [half];
  st.global.u64 [%rd1+8], %rd2;
  ld.param.u32 %rd2, [word];
  st.global.u64 [%rd1+16], %rd2;
  ld.param.u64 %rd2, [wide];
  st.global.u64 [%rd1+24], %rd2;
  ld.param.u32 %rd2, [single];
  st.global.u64 [%rd1+32], %rd2;
  ld.param.u64 %rd2, [double];
  st.global.u64 [%rd1+40], %rd2;
  ld.param.u32 %rd2, [index];
  st.global.u64 [%rd1+48], %rd2;
  ret;
}
)";

// out[CTA] = a number from a counter.
inline constexpr llvm::StringLiteral counted = R"(
.version 8.0
.target sm_90a
.address_size 64
.visible .entry counted(.param .u64 out, .param .u64 counter) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [counter];
  atom.global.add.u32 %r1, [%rd1], 1;
  ld.param.u64 %rd2, [out];
  mov.u32 %r2, %ctaid.x;
  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %r1;
  ret;
}
)";

// out[0] = how many CTAs a cluster has.
inline constexpr llvm::StringLiteral clusters = R"(
.version 8.0
.target sm_90a
.address_size 64
.visible .entry clusters(.param .u64 out) {
  .reg .b64 %rd1;
  .reg .b32 %r1;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %cluster_nctaid.x;
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry clusters_fallback(.param .u64 out) {
  .reg .b64 %rd1;
  .reg .b32 %r1;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %cluster_nctaid.x;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

// Writes to address 0.
inline constexpr llvm::StringLiteral faulty = R"(
.version 8.0
.target sm_90a
.address_size 64
.visible .entry numbers() {
  .reg .b64 %rd1;
  mov.u64 %rd1, 0;
  st.global.u64 [%rd1], %rd1;
  ret;
}
)";

inline constexpr llvm::StringLiteral tileInfo = R"({
  "name": "tile", "target": "sm_90a", "threads": 128,
  "arguments": [{"name": "matrix", "type": "f32", "shape": [-1, -1]},
                {"name": "out", "type": "f32", "shape": [-1, 8, 16]}],
  "parameters": [
    {"kind": "tensorMap", "argument": 0, "box": [16, 8], "swizzle": 0},
    {"kind": "pointer", "argument": 1, "bytes": 8}],
  "items": {"kind": "one",
            "count": [{"argument": 0, "dimension": 1, "tile": 16}]}
})";

inline constexpr llvm::StringLiteral numbersInfo = R"({
  "name": "numbers", "target": "sm_90a", "threads": 1,
  "arguments": [{"name": "out", "type": "i32", "shape": [-1, -1]},
                {"name": "scale", "type": "f32"}],
  "parameters": [
    {"kind": "pointer", "argument": 0, "bytes": 8},
    {"kind": "size", "argument": 0, "dimension": 0, "bytes": 4},
    {"kind": "stride", "argument": 0, "dimension": 0, "bytes": 8},
    {"kind": "scalar", "argument": 1, "bytes": 4}],
  "items": {"kind": "one", "count": []}
})";

// Tiles of 4 x 8; two along the first dimension are a cluster.
inline constexpr llvm::StringLiteral clustersInfo = R"({
  "name": "clusters", "target": "sm_90a", "threads": 1, "cluster": [2],
  "arguments": [{"name": "out", "type": "i32", "shape": [-1, -1]}],
  "parameters": [{"kind": "pointer", "argument": 0, "bytes": 8}],
  "items": {"kind": "one",
            "count": [{"argument": 0, "dimension": 0, "tile": 8}, {"tile": 2},
                      {"argument": 0, "dimension": 1, "tile": 8}]},
  "fallback": [{
    "name": "clusters_fallback", "target": "sm_90a", "threads": 1,
    "arguments": [{"name": "out", "type": "i32", "shape": [-1, -1]}],
    "parameters": [{"kind": "pointer", "argument": 0, "bytes": 8}],
    "items": {"kind": "one",
              "count": [{"argument": 0, "dimension": 0, "tile": 4},
                        {"argument": 0, "dimension": 1, "tile": 8}]}}]
})";

inline constexpr llvm::StringLiteral countedInfo = R"({
  "name": "counted", "target": "sm_90a", "threads": 1,
  "arguments": [{"name": "out", "type": "i32", "shape": [4]}],
  "parameters": [
    {"kind": "pointer", "argument": 0, "bytes": 8},
    {"kind": "workspace", "bytes": 4}],
  "items": {"kind": "counted", "count": [{"tile": 4}]}
})";

// An index is a number of 64 bits to the caller and of 32 to the kernel.
inline constexpr llvm::StringLiteral scalarsInfo = R"({
  "name": "scalars", "target": "sm_90a", "threads": 1,
  "arguments": [{"name": "out", "type": "i64", "shape": [7]},
                {"name": "byte", "type": "i8"}, {"name": "half", "type": "f16"},
                {"name": "word", "type": "i32"}, {"name": "wide", "type": "i64"},
                {"name": "single", "type": "f32"},
                {"name": "double", "type": "f64"},
                {"name": "index", "type": "i64"}],
  "parameters": [
    {"kind": "pointer", "argument": 0, "bytes": 8},
    {"kind": "scalar", "argument": 1, "bytes": 1},
    {"kind": "scalar", "argument": 2, "bytes": 2},
    {"kind": "scalar", "argument": 3, "bytes": 4},
    {"kind": "scalar", "argument": 4, "bytes": 8},
    {"kind": "scalar", "argument": 5, "bytes": 4},
    {"kind": "scalar", "argument": 6, "bytes": 8},
    {"kind": "scalar", "argument": 7, "bytes": 4}],
  "items": {"kind": "one", "count": []}
})";

} // namespace drawloom::runtime

#endif // DRAWLOOM_UNITTESTS_RUNTIME_LAUNCHKERNELS_H
