//===- mma-bench.cpp - Chains of matrix instructions ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One accumulator, to which MMAs of K = 16 are added, four to a commit, as the
// main loop of a GEMM does it; the operands are in shared memory with the
// 128-byte swizzle. Beside it, oneDNN alone with the same product: the same M
// and N, and all of K in one call. Processor time, one thread.
//
//===----------------------------------------------------------------------===//

#include "OneDnn.h"
#include "drawloom/Emulator/Launch.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;

static constexpr unsigned stages = 1024; // K = 64 each.

static const char *tcgen05Kernel = R"(.version 9.0
.target sm_100a
.address_size 64
.visible .entry bench(.param .u32 stages) {
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .shared .align 1024 .b8 smem[49152];
  .shared .align 8 .b64 bar;
  .shared .align 4 .b32 base;
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared::cta.b64 [bar], 1;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 256;
  ld.shared.b32 %r2, [base];
  ld.param.u32 %r3, [stages];
  mov.u32 %r4, smem;
  shr.u32 %r4, %r4, 4;
  mul.wide.u32 %rd1, %r4, 1;
  add.s64 %rd1, %rd1, 0x4000404000010000;
  add.s64 %rd2, %rd1, 1024;
  mov.u32 %r5, 0;
  setp.ne.u32 %p2, 0, 0;
next:
  @!%p1 bra issued;
  tcgen05.mma.cta_group::1.kind::f16 [%r2], %rd1, %rd2, 0x8400490, %p2;
  setp.eq.u32 %p2, 0, 0;
  add.s64 %rd3, %rd1, 2;
  add.s64 %rd4, %rd2, 2;
  tcgen05.mma.cta_group::1.kind::f16 [%r2], %rd3, %rd4, 0x8400490, %p2;
  add.s64 %rd3, %rd3, 2;
  add.s64 %rd4, %rd4, 2;
  tcgen05.mma.cta_group::1.kind::f16 [%r2], %rd3, %rd4, 0x8400490, %p2;
  add.s64 %rd3, %rd3, 2;
  add.s64 %rd4, %rd4, 2;
  tcgen05.mma.cta_group::1.kind::f16 [%r2], %rd3, %rd4, 0x8400490, %p2;
  tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
issued:
  and.b32 %r6, %r5, 1;
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], %r6;
  @!%p3 bra wait;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p3, %r5, %r3;
  @%p3 bra next;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 256;
  ret;
})";

static std::string wgmmaKernel() {
  std::string d = "{";
  for (unsigned i = 0; i != 128; ++i)
    d += (i ? ", %d" : "%d") + std::to_string(i);
  d += "}";
  std::string text = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry bench(.param .u32 stages) {
  .reg .pred %p<4>;
  .reg .b32 %r<8>, %d<128>;
  .reg .b64 %rd<8>;
  .shared .align 1024 .b8 smem[40960];
  ld.param.u32 %r3, [stages];
  mov.u32 %r4, smem;
  shr.u32 %r4, %r4, 4;
  mul.wide.u32 %rd1, %r4, 1;
  add.s64 %rd1, %rd1, 0x4000004000010000;
  add.s64 %rd2, %rd1, 512;
  mov.u32 %r5, 0;
  setp.ne.u32 %p2, 0, 0;
next:
  wgmma.fence.sync.aligned;
  add.s64 %rd3, %rd1, 0;
  add.s64 %rd4, %rd2, 0;
)";
  for (unsigned step = 0; step != 4; ++step)
    text += formatv("  wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
                    "{0}, %rd3, %rd4, %p2, 1, 1, 0, 0;\n"
                    "  setp.eq.u32 %p2, 0, 0;\n"
                    "  add.s64 %rd3, %rd3, 2;\n"
                    "  add.s64 %rd4, %rd4, 2;\n",
                    d);
  return text + R"(  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p3, %r5, %r3;
  @%p3 bra next;
  ret;
})";
}

/// Seconds for all stages.
static double emulated(llvm::StringRef model, const std::string &text,
                       unsigned threads) {
  llvm::ExitOnError exitOnError("mma-bench: ");
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(text, "bench.ptx"));
  if (!parsed) {
    llvm::errs() << parsed.str();
    std::exit(1);
  }
  auto device = exitOnError(Device::create(*findDeviceModel(model)));
  auto module = exitOnError(device->load(std::move(parsed.module)));
  Launch launch;
  launch.kernel = exitOnError(module->kernel("bench"));
  launch.block = {threads};
  launch.parameters.resize(launch.kernel->parameterBytes);
  auto measure = [&](uint32_t count) {
    memcpy(launch.parameters.data(), &count, sizeof(count));
    double start = processorSeconds();
    RunResult result = run(*device, launch, {});
    if (result.report) {
      llvm::errs() << "mma-bench: " << result.report->str() << "\n";
      std::exit(1);
    }
    return processorSeconds() - start;
  };
  measure(1); // oneDNN makes its code.
  return measure(stages);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::outs() << llvm::format("%-34s%12s%12s%8s\n", "bf16, GFLOP/s",
                               "emulated", "oneDNN", "ratio");
  struct {
    const char *name;
    const char *model;
    std::string text;
    unsigned threads, m;
  } rows[] = {
      {"tcgen05.mma m128n256k16", "b200", tcgen05Kernel, 32, 128},
      {"wgmma.mma_async m64n256k16", "h100", wgmmaKernel(), 128, 64},
  };
  for (const auto &row : rows) {
    double flops = 2.0 * row.m * 256 * 64 * stages;
    double ours = emulated(row.model, row.text, row.threads);
    std::vector<uint16_t> a(row.m * 64 * stages), b(256 * 64 * stages);
    double theirs = multiplyByOneDnn(row.m, 256, 64 * stages, a, b).seconds;
    llvm::outs() << llvm::format("%-34s%12.0f%12.0f%8.2f\n", row.name,
                                 flops / ours / 1e9, flops / theirs / 1e9,
                                 ours / theirs);
  }
  return 0;
}
