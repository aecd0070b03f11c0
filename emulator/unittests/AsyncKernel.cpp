//===- AsyncKernel.cpp - Kernels for asynchronous instructions -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncKernel.h"

using namespace drawloom::emu;

static std::string text(const AsyncKernel &kernel) {
  return R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 data,
                  .param .align 64 .b8 map[128]) )" +
         kernel.directives + R"( {
  .reg .pred %p<16>, %leader;
  .reg .b16 %h<16>;
  .reg .b32 %r<64>, %thread, %warp, %rank, %o;
  .reg .b64 %rd<32>, %in, %data, %map, %place;
  .shared .align 1024 .b8 smem[32768];
  .shared .align 8 .b64 bars[8];
  mov.u32 %thread, %tid.x;
  shr.u32 %warp, %thread, 5;
  setp.eq.u32 %leader, %thread, 0;
  mov.u32 %rank, %cluster_ctarank;
  ld.param.u64 %in, [in];
  ld.param.u64 %data, [data];
  mov.b64 %map, map;
  cvta.param.u64 %map, %map;
  mov.u32 %o, 0;
)" + kernel.body +
         R"(
  ld.param.u64 %place, [out];
  mov.u32 %r63, %ctaid.x;
  mov.u32 %r62, %ntid.x;
  mad.lo.u32 %r63, %r63, %r62, %thread;
  mad.wide.u32 %place, %r63, 4, %place;
  st.global.u32 [%place], %o;
  ret;
})";
}

std::string AsyncKernel::run(Policy policy, uint64_t seed,
                             std::vector<uint32_t> &out) {
  Harness h(device, text(*this));
  if (!h.module)
    return "no module";
  h.options.policy = policy;
  h.options.seed = seed;
  h.options.listener = listener;
  uint64_t outAddress = h.allocate<uint32_t>(threads * ctas);
  uint64_t in = h.upload(input.empty() ? std::vector<uint8_t>(16) : input);
  uint64_t dataAddress = dataBefore.empty() ? h.allocate<uint8_t>(dataBytes)
                                            : h.upload(dataBefore);
  const Kernel *kernel = h.kernel("k");
  Launch launch;
  launch.kernel = kernel;
  launch.grid = {ctas};
  launch.block = {threads};
  launch.cluster = {ctas};
  launch.parameters.resize(kernel->parameterBytes);
  uint64_t pointers[] = {outAddress, in, dataAddress};
  for (unsigned index = 0; index != 3; ++index)
    memcpy(launch.parameters.data() + kernel->parameters[index].offset,
           &pointers[index], 8);
  if (map) {
    map->address = mapsData ? dataAddress : in;
    auto bytes = encodeTensorMap(*map, h.device->model().target);
    if (!bytes)
      return llvm::toString(bytes.takeError());
    memcpy(launch.parameters.data() + kernel->parameters[3].offset,
           bytes->data(), bytes->size());
  }
  RunResult result = drawloom::emu::run(*h.device, launch, h.options);
  if (!result.ok())
    return result.report->str();
  out = h.read<uint32_t>(outAddress, threads * ctas);
  data = h.read<uint8_t>(dataAddress,
                         dataBefore.empty() ? dataBytes : dataBefore.size());
  return "";
}

std::vector<uint32_t> AsyncKernel::values() {
  std::vector<uint32_t> first, other;
  std::string report = run(Policy::Deterministic, 0, first);
  EXPECT_EQ(report, "");
  std::vector<uint8_t> firstData = data;
  auto repeat = [&](Policy policy, uint64_t seed) {
    EXPECT_EQ(run(policy, seed, other), "") << "seed " << seed;
    EXPECT_EQ(other, first) << "seed " << seed;
    EXPECT_EQ(data, firstData) << "seed " << seed;
  };
  if (report.empty()) {
    repeat(Policy::Adversarial, 0);
    for (uint64_t seed = 1; seed != 5; ++seed)
      repeat(Policy::Random, seed);
  }
  return first;
}

std::string AsyncKernel::failure(Policy policy, uint64_t seed) {
  std::vector<uint32_t> out;
  return run(policy, seed, out);
}

std::string waitFor(const std::string &barrier, unsigned parity) {
  return "{ again: mbarrier.try_wait.parity.shared::cta.b64 %p15, [" + barrier +
         "], " + std::to_string(parity) + "; @!%p15 bra again; }\n";
}

std::string initBarriers(std::initializer_list<unsigned> counts) {
  std::string text;
  unsigned offset = 0;
  for (unsigned count : counts) {
    text += "@%leader mbarrier.init.shared::cta.b64 [bars+" +
            std::to_string(offset) + "], " + std::to_string(count) + ";\n";
    offset += 8;
  }
  return text + "fence.mbarrier_init.release.cluster;\n"
                "barrier.cluster.arrive.relaxed.aligned;\n"
                "barrier.cluster.wait.acquire.aligned;\n";
}

std::vector<uint8_t> pattern(size_t bytes) {
  std::vector<uint8_t> values(bytes);
  for (size_t index = 0; index != bytes; ++index)
    values[index] = index % 251 + index / 251;
  return values;
}
