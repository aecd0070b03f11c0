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

#include "drawloom/Emulator/Launch.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include <cstring>
#include <ctime>
#include <oneapi/dnnl/dnnl.h>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;

static constexpr unsigned stages = 1024; // K = 64 each.

static double seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

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
    double start = seconds();
    RunResult result = run(*device, launch, {});
    if (result.report) {
      llvm::errs() << "mma-bench: " << result.report->str() << "\n";
      std::exit(1);
    }
    return seconds() - start;
  };
  measure(1); // oneDNN makes its code.
  return measure(stages);
}

/// Seconds that oneDNN needs for m x n x k in one call.
static double alone(int64_t m, int64_t n, int64_t k) {
  auto check = [](dnnl_status_t status) {
    if (status != dnnl_success) {
      llvm::errs() << "mma-bench: oneDNN failed with status " << status << "\n";
      std::exit(1);
    }
  };
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  check(dnnl_engine_create(&engine, dnnl_cpu, 0));
  check(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  const dnnl_dims_t dims[3] = {{m, k}, {k, n}, {m, n}};
  const dnnl_dims_t strides[3] = {{k, 1}, {1, k}, {n, 1}};
  const dnnl_data_type_t types[3] = {dnnl_bf16, dnnl_bf16, dnnl_f32};
  dnnl_memory_desc_t descs[3];
  dnnl_memory_t memories[3];
  std::vector<char> data[3];
  for (unsigned i = 0; i != 3; ++i) {
    data[i].resize(dims[i][0] * dims[i][1] * 4);
    check(dnnl_memory_desc_init_by_strides(&descs[i], 2, dims[i], types[i],
                                           strides[i]));
    check(dnnl_memory_create(&memories[i], &descs[i], engine, data[i].data()));
  }
  dnnl_matmul_desc_t matmul;
  dnnl_primitive_desc_t description;
  dnnl_primitive_t primitive;
  check(
      dnnl_matmul_desc_init(&matmul, &descs[0], &descs[1], nullptr, &descs[2]));
  check(dnnl_primitive_desc_create(&description, &matmul, nullptr, engine,
                                   nullptr));
  check(dnnl_primitive_create(&primitive, description));
  const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, memories[0]},
                                       {DNNL_ARG_WEIGHTS, memories[1]},
                                       {DNNL_ARG_DST, memories[2]}};
  double best = 0;
  for (unsigned round = 0; round != 5; ++round) {
    double start = seconds();
    check(dnnl_primitive_execute(primitive, stream, 3, arguments));
    check(dnnl_stream_wait(stream));
    double taken = seconds() - start;
    // The first round includes what is done once.
    if (round == 1 || (round > 1 && taken < best))
      best = taken;
  }
  dnnl_primitive_destroy(primitive);
  dnnl_primitive_desc_destroy(description);
  for (dnnl_memory_t memory : memories)
    dnnl_memory_destroy(memory);
  dnnl_stream_destroy(stream);
  dnnl_engine_destroy(engine);
  return best;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // The emulator uses one thread; so does what it is compared with.
  setenv("OMP_NUM_THREADS", "1", 1);
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
    double theirs = alone(row.m, 256, 64 * stages);
    llvm::outs() << llvm::format("%-34s%12.0f%12.0f%8.2f\n", row.name,
                                 flops / ours / 1e9, flops / theirs / 1e9,
                                 ours / theirs);
  }
  return 0;
}
