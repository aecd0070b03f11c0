//===- emulator-bench.cpp - Warp instructions per second ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First, GEMMs of CUTLASS's, as they are, next to the same product by oneDNN
// alone. Then small loops, each of one kind of instruction, on one SM with
// eight warps; the second column is with every other lane of a warp switched
// off. Last, what it takes to start CTAs. All by processor time; for the GEMMs
// also by the clock on the wall, on the threads asked for and on all that the
// host has.
//
//===----------------------------------------------------------------------===//

#include "OneDnn.h"
#include "PeerGemm.h"
#include "drawloom/Emulator/Launch.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"

using namespace drawloom;
using namespace drawloom::emu;

static llvm::cl::OptionCategory category("emulator-bench");
static llvm::cl::opt<int> size("size", llvm::cl::init(4096),
                               llvm::cl::desc("M, N and K of the GEMMs"),
                               llvm::cl::cat(category));
static llvm::cl::opt<unsigned>
    threads("host-threads", llvm::cl::init(1),
            llvm::cl::desc("Host threads for the GEMMs; 0 for all"),
            llvm::cl::cat(category));
static llvm::cl::opt<std::string>
    only("kernel", llvm::cl::desc("Only the GEMM of this name"),
         llvm::cl::cat(category));
static llvm::cl::opt<bool> gemmsOnly("gemms-only",
                                     llvm::cl::desc("No loops, for profiles"),
                                     llvm::cl::cat(category));

namespace {
struct Loop {
  const char *name;
  const char *body; ///< Eight instructions or so.
};
} // namespace

static const Loop loops[] = {
    {"integer add, mad, shift", R"(
  add.s32 %r1, %r1, %r2;
  mad.lo.s32 %r3, %r1, %r2, %r3;
  xor.b32 %r2, %r1, %r3;
  shl.b32 %r4, %r2, 3;
  add.s32 %r5, %r4, %r1;
  sub.s32 %r6, %r5, %r3;
  and.b32 %r7, %r6, 255;
  add.s32 %r1, %r7, 1;)"},
    {"64-bit add, multiply", R"(
  add.s64 %rd1, %rd1, %rd2;
  mul.wide.u32 %rd3, %r1, %r2;
  add.s64 %rd2, %rd3, %rd1;
  shl.b64 %rd4, %rd2, 2;
  xor.b64 %rd1, %rd4, %rd3;
  add.s64 %rd2, %rd1, 7;
  mad.lo.s64 %rd3, %rd1, %rd2, %rd4;
  sub.s64 %rd4, %rd3, %rd1;)"},
    {"compare, select, branch", R"(
  setp.lt.s32 %p1, %r1, %r2;
  selp.b32 %r3, %r1, %r2, %p1;
  setp.ne.s32 %p2, %r3, 5;
  selp.b32 %r4, %r3, 9, %p2;
  add.s32 %r1, %r4, 1;
  @!%p3 bra skip;
  add.s32 %r1, %r1, 3;
skip:
  mov.b32 %r2, %r4;)"},
    {"shared memory", R"(
  st.shared.b32 [%sm], %r1;
  ld.shared.b32 %r2, [%sm];
  st.shared.v4.b32 [%sm4], {%r1, %r2, %r3, %r4};
  ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%sm4];)"},
    {"global memory", R"(
  st.global.b32 [%gl], %r1;
  ld.global.b32 %r2, [%gl];
  st.global.v4.b32 [%gl4], {%r1, %r2, %r3, %r4};
  ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%gl4];)"},
};

static std::string kernelText(const Loop &loop) {
  return std::string(R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry bench(.param .u64 memory, .param .u32 rounds,
                      .param .u32 lanes) {
  .reg .pred %p<4>, %leave, %again;
  .reg .b32 %r<8>, %n, %i, %sm, %sm4, %lane;
  .reg .b64 %rd<8>, %gl, %gl4, %base;
  .shared .align 16 .b8 smem[4096];
  mov.u32 %lane, %laneid;
  ld.param.u32 %r1, [lanes];
  and.b32 %r1, %r1, %lane;
  setp.ne.u32 %leave, %r1, 0;
  @%leave exit;
  ld.param.u32 %n, [rounds];
  ld.param.u64 %base, [memory];
  mov.u32 %sm4, smem;
  shl.b32 %r1, %lane, 2;
  add.s32 %sm, %sm4, %r1;
  shl.b32 %r2, %lane, 4;
  add.s32 %sm4, %sm4, %r2;
  mul.wide.u32 %rd1, %lane, 4;
  add.s64 %gl, %base, %rd1;
  mul.wide.u32 %rd2, %lane, 16;
  add.s64 %gl4, %base, %rd2;
  mov.u32 %i, 0;
  mov.u32 %r3, 1;
  mov.u32 %r4, 2;
  mov.u64 %rd3, 3;
  mov.u64 %rd4, 4;
  setp.eq.u32 %p3, %lane, 99;
again:
)") + loop.body +
         R"(
  add.u32 %i, %i, 1;
  setp.lt.u32 %again, %i, %n;
  @%again bra again;
  ret;
})";
}

/// Millions of warp instructions a second.
static double measure(Device &device, const Kernel &kernel, uint64_t memory,
                      uint32_t lanes) {
  Launch launch;
  launch.kernel = &kernel;
  launch.grid = {1};
  launch.block = {256};
  launch.parameters.resize(kernel.parameterBytes);
  uint32_t rounds = 200000;
  memcpy(launch.parameters.data(), &memory, 8);
  memcpy(launch.parameters.data() + 8, &rounds, 4);
  memcpy(launch.parameters.data() + 12, &lanes, 4);
  double start = processorSeconds();
  RunResult result = run(device, launch, {});
  double seconds = processorSeconds() - start;
  if (result.report) {
    llvm::errs() << "emulator-bench: " << result.report->str() << "\n";
    std::exit(1);
  }
  return result.statistics.warpInstructions / seconds / 1e6;
}

/// One thread adds one pair of numbers, or as many as the grid is too small.
static const char *adding = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry empty() { ret; }
.visible .entry add(.param .u64 memory, .param .u32 count) {
  .reg .pred %p;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .reg .f32 %f<4>;
  ld.param.u64 %rd1, [memory];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r2, %r2, %r3, %r4;
  mov.u32 %r5, %nctaid.x;
  mul.lo.u32 %r3, %r3, %r5;
again:
  setp.ge.u32 %p, %r2, %r1;
  @%p ret;
  mad.wide.u32 %rd2, %r2, 4, %rd1;
  mad.wide.u32 %rd3, %r1, 4, %rd2;
  ld.global.f32 %f1, [%rd2];
  ld.global.f32 %f2, [%rd3];
  add.f32 %f1, %f1, %f2;
  st.global.f32 [%rd2], %f1;
  add.u32 %r2, %r2, %r3;
  bra again;
})";

/// What a grid of CTAs of 256 threads takes, on one host thread.
static void benchStart(Device &device, LoadedModule &module, const char *name,
                       uint32_t ctas, uint32_t count, uint64_t memory) {
  llvm::ExitOnError exitOnError("emulator-bench: ");
  Launch launch;
  launch.kernel = exitOnError(module.kernel(name));
  launch.grid = {ctas};
  launch.block = {256};
  launch.parameters.resize(launch.kernel->parameterBytes);
  if (!launch.parameters.empty()) {
    memcpy(launch.parameters.data(), &memory, 8);
    memcpy(launch.parameters.data() + 8, &count, 4);
  }
  RunOptions options;
  options.threads = 1;
  double start = processorSeconds();
  RunResult result = run(device, launch, options);
  double seconds = processorSeconds() - start;
  if (result.report)
    exitOnError(llvm::createStringError(result.report->str()));
  llvm::outs() << llvm::format("%-28s%12u%12.2f%12.2f\n", name, ctas, seconds,
                               seconds / ctas * 1e6);
}

static void benchStarts() {
  llvm::ExitOnError exitOnError("emulator-bench: ");
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(adding, "adding"));
  if (!parsed)
    exitOnError(llvm::createStringError(parsed.str()));
  auto device = exitOnError(Device::create(*findDeviceModel("h100")));
  auto module = exitOnError(device->load(std::move(parsed.module)));
  constexpr uint32_t many = 65536, few = 132, count = many * 256;
  uint64_t memory = exitOnError(device->memory().allocate(8ull * count));
  llvm::outs() << "\nCTAs of 256 threads\n"
               << llvm::format("%-28s%12s%12s%12s\n", "kernel", "CTAs",
                               "seconds", "us a CTA");
  benchStart(*device, *module, "empty", many, 0, memory);
  benchStart(*device, *module, "add", few, count, memory);
  benchStart(*device, *module, "add", many, count, memory);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(argc, argv, "How fast the emulator is.\n");
  llvm::ExitOnError exitOnError("emulator-bench: ");
  benchPeerGemms(size, threads, only);
  if (gemmsOnly)
    return 0;
  llvm::outs() << "million warp instructions a second\n";
  llvm::outs() << llvm::format("%-28s%12s%12s\n", "loop", "all lanes", "half");
  for (const Loop &loop : loops) {
    std::string text = kernelText(loop);
    ptx::ParseResult parsed =
        ptx::parseModule(llvm::MemoryBufferRef(text, loop.name));
    if (!parsed) {
      llvm::errs() << parsed.str();
      return 1;
    }
    auto device = exitOnError(Device::create(*findDeviceModel("h100")));
    auto module = exitOnError(device->load(std::move(parsed.module)));
    const Kernel *kernel = exitOnError(module->kernel("bench"));
    uint64_t memory = exitOnError(device->memory().allocate(4096));
    double whole = measure(*device, *kernel, memory, 0);
    double half = measure(*device, *kernel, memory, 1);
    llvm::outs() << llvm::format("%-28s%12.1f%12.1f\n", loop.name, whole, half);
  }
  benchStarts();
  return 0;
}
