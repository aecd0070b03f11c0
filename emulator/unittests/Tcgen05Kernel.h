//===- Tcgen05Kernel.h - Kernels with tensor memory -------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frame that tests of tcgen05 put their instructions into: 128 threads,
// tensor memory that warp 0 has allocated and frees at the end, an mbarrier,
// and shared memory that was copied from `image`.
//
//   %r1  tid           %t   the allocation's address
//   %r3  smem          %w   the same, at the lanes of the warp
//   %p1  thread 0      %rd1 image   %rd2 in   %rd3 out
//   %rd4 smem >> 4, to be added to a descriptor
//
// With `group` = 2, it is for a cluster of two CTAs that work as a pair. Each
// has its part of the three arrays; %p6 is thread 0 of the even CTA.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TCGEN05KERNEL_H
#define DRAWLOOM_EMULATOR_TCGEN05KERNEL_H

#include "Harness.h"
#include "llvm/Support/FormatVariadic.h"

struct Tcgen05Kernel {
  std::string body;
  unsigned columns = 512;
  unsigned imageBytes = 16;
  unsigned group = 1;
  unsigned inBytes = 0, outBytes = 0; ///< Of each CTA.
  /// What warp 0 does to end: frees.
  std::string end = "  @%p3 tcgen05.dealloc.cta_group::GROUP.sync.aligned.b32 "
                    "%t, COLUMNS;\n";

  /// Thread 0 commits to the mbarrier.
  static std::string commit() {
    return "  @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one"
           ".shared::cluster.b64 [bar];\n";
  }
  /// The same for a pair: at both CTAs' mbarriers.
  static std::string commitPair() {
    return "  mov.b16 %h, 3;\n"
           "  @%p6 tcgen05.commit.cta_group::2.mbarrier::arrive::one"
           ".shared::cluster.multicast::cluster.b64 [bar], %h;\n";
  }
  /// Finds the CTA's part of the arrays, and the thread of %p6.
  std::string findPart() const {
    if (group == 1)
      return "";
    return llvm::formatv("mov.u32 %rank, %cluster_ctarank; "
                         "mad.wide.u32 %rd1, %rank, {0}, %rd1; "
                         "mad.wide.u32 %rd2, %rank, {1}, %rd2; "
                         "mad.wide.u32 %rd3, %rank, {2}, %rd3; "
                         "setp.eq.and.u32 %p6, %rank, 0, %p1;",
                         imageBytes, inBytes, outBytes);
  }
  /// All threads of the CTA, or of the pair, meet.
  std::string meet() const {
    return group == 1 ? "bar.sync 0;"
                      : "barrier.cluster.arrive.aligned; "
                        "barrier.cluster.wait.aligned;";
  }
  /// All wait for the mbarrier's phase. Labels end in `name`.
  static std::string wait(const std::string &name, unsigned parity = 0) {
    return "wait" + name +
           ":\n  mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], " +
           std::to_string(parity) + ";\n  @!%p2 bra wait" + name +
           ";\n  tcgen05.fence::after_thread_sync;\n";
  }
  /// "{%x4, %x5}"
  static std::string list(unsigned count, unsigned from = 0) {
    std::string text = "{";
    for (unsigned i = 0; i != count; ++i)
      text += (i ? ", %x" : "%x") + std::to_string(from + i);
    return text + "}";
  }
  /// Moves the words in[thread][0..count) to columns from `column` on, or
  /// those columns to out[thread][0..count).
  static std::string fill(unsigned count, unsigned column = 0);
  static std::string dump(unsigned count, unsigned column = 0);

  std::string text() const;
};

inline std::string Tcgen05Kernel::fill(unsigned count, unsigned column) {
  std::string text = llvm::formatv("  mul.wide.u32 %rd9, %r1, {0};\n"
                                   "  add.s64 %rd9, %rd9, %rd2;\n",
                                   4 * count);
  for (unsigned first = 0; first != count; first += 8) {
    for (unsigned i = 0; i != 8; ++i)
      text += llvm::formatv("  ld.global.b32 %x{0}, [%rd9+{1}];\n", i,
                            4 * (first + i));
    text += llvm::formatv("  tcgen05.st.sync.aligned.32x32b.x8.b32 [%w+{0}], "
                          "{1};\n",
                          column + first, list(8));
  }
  return text + "  tcgen05.wait::st.sync.aligned;\n";
}

inline std::string Tcgen05Kernel::dump(unsigned count, unsigned column) {
  std::string text = llvm::formatv("  mul.wide.u32 %rd9, %r1, {0};\n"
                                   "  add.s64 %rd9, %rd9, %rd3;\n",
                                   4 * count);
  for (unsigned first = 0; first != count; first += 8) {
    text += llvm::formatv("  tcgen05.ld.sync.aligned.32x32b.x8.b32 {1}, "
                          "[%w+{0}];\n  tcgen05.wait::ld.sync.aligned;\n",
                          column + first, list(8));
    for (unsigned i = 0; i != 8; ++i)
      text += llvm::formatv("  st.global.b32 [%rd9+{1}], %x{0};\n", i,
                            4 * (first + i));
  }
  return text;
}

inline std::string Tcgen05Kernel::text() const {
  std::string result =
      llvm::formatv(R"(
.visible .entry k(.param .u64 image, .param .u64 in, .param .u64 out) {{
  .reg .pred %p<8>;
  .reg .b32 %r<32>, %x<128>, %t, %w, %rank;
  .reg .b16 %h;
  .reg .b64 %rd<16>;
  .shared .align 1024 .b8 smem[{0}];
  .shared .align 8 .b64 bar;
  .shared .align 4 .b32 base;
  ld.param.u64 %rd1, [image];
  ld.param.u64 %rd2, [in];
  ld.param.u64 %rd3, [out];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 0; {3}
  setp.lt.u32 %p3, %r1, 32;
  shl.b32 %r2, %r1, 4;
  mov.u32 %r3, smem;
  add.s32 %r4, %r3, %r2;
  mul.wide.u32 %rd5, %r2, 1;
  add.s64 %rd5, %rd1, %rd5;
copy:
  setp.ge.u32 %p2, %r2, {0};
  @%p2 bra copied;
  ld.global.v4.b32 {{%r5, %r6, %r7, %r8}, [%rd5];
  st.shared.v4.b32 [%r4], {{%r5, %r6, %r7, %r8};
  add.s32 %r2, %r2, 2048;
  add.s32 %r4, %r4, 2048;
  add.s64 %rd5, %rd5, 2048;
  bra copy;
copied:
  @%p1 mbarrier.init.shared::cta.b64 [bar], 1;
  fence.proxy.async;
  @%p3 tcgen05.alloc.cta_group::{2}.sync.aligned.shared::cta.b32 [base], {1};
  tcgen05.fence::before_thread_sync;
  {4}
  tcgen05.fence::after_thread_sync;
  ld.shared.b32 %t, [base];
  shr.u32 %r9, %r1, 5;
  and.b32 %r9, %r9, 3;
  shl.b32 %r9, %r9, 21;
  add.s32 %w, %t, %r9;
  shr.u32 %r10, %r3, 4;
  mul.wide.u32 %rd4, %r10, 1;
)",
                    imageBytes, columns, group, findPart(), meet());
  result += body;
  std::string last = end;
  auto replace = [&](llvm::StringRef name, unsigned value) {
    if (size_t at = last.find(name); at != std::string::npos)
      last.replace(at, name.size(), std::to_string(value));
  };
  replace("COLUMNS", columns);
  replace("GROUP", group);
  return result + "  tcgen05.fence::before_thread_sync;\n  " + meet() +
         "\n  tcgen05.fence::after_thread_sync;\n" + last +
         "done:\n  ret;\n}\n";
}

#endif // DRAWLOOM_EMULATOR_TCGEN05KERNEL_H
