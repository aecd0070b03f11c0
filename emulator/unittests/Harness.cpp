//===- Harness.cpp - Small kernels in tests ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "drawloom/PTX/Parser.h"

using namespace drawloom;
using namespace drawloom::emu;

Harness::Harness(llvm::StringRef name, const std::string &text) {
  const DeviceModel *model = findDeviceModel(name);
  EXPECT_NE(model, nullptr);
  DeviceModel small = *model;
  small.memoryBytes = uint64_t(1) << 30;
  reload(small, text);
}

void Harness::reload(const DeviceModel &model, const std::string &text) {
  coverage.forget();
  module.reset();
  device = llvm::cantFail(Device::create(model));
  if (counts || FormCoverage::isOn())
    device->countExecution();
  // On one line, so that line numbers are those of the text.
  std::string source = ".version 9.2 .target " + model.target.str() +
                       " .address_size 64 " + text;
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(source, "test.ptx"));
  EXPECT_TRUE(parsed) << parsed.str();
  if (!parsed)
    return;
  auto loaded = device->load(std::move(parsed.module));
  if (loaded)
    module = std::move(*loaded);
  else
    ADD_FAILURE() << llvm::toString(loaded.takeError());
}

std::string Harness::loadError(const std::string &source) {
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(source, "test.ptx"));
  EXPECT_TRUE(parsed) << parsed.str();
  if (!parsed)
    return "";
  auto loaded = device->load(std::move(parsed.module));
  return loaded ? "" : llvm::toString(loaded.takeError());
}

const Kernel *Harness::kernel(llvm::StringRef name) {
  auto kernel = module->kernel(name);
  if (!kernel) {
    ADD_FAILURE() << llvm::toString(kernel.takeError());
    return nullptr;
  }
  coverage.launch(*(*kernel)->program);
  return *kernel;
}

RunResult Harness::launch(llvm::StringRef name, Dim3 grid, Dim3 block,
                          std::vector<uint64_t> arguments) {
  RunResult failed;
  failed.report.emplace();
  if (!module) {
    failed.report->message = "no module";
    return failed;
  }
  auto kernel = module->kernel(name);
  if (!kernel) {
    failed.report->message = llvm::toString(kernel.takeError());
    return failed;
  }
  coverage.launch(*(*kernel)->program);
  Launch launch;
  launch.kernel = *kernel;
  launch.grid = grid;
  launch.block = block;
  launch.cluster = cluster;
  launch.dynamicShared = dynamicShared;
  launch.parameters.resize((*kernel)->parameterBytes);
  for (size_t index = 0; index != (*kernel)->parameters.size(); ++index) {
    const Kernel::Parameter &parameter = (*kernel)->parameters[index];
    if (index < arguments.size())
      memcpy(launch.parameters.data() + parameter.offset, &arguments[index],
             std::min<size_t>(parameter.size, sizeof(uint64_t)));
  }
  RunResult result = emu::run(*device, launch, options);
  statistics = result.statistics;
  return result;
}

testing::AssertionResult Harness::run(llvm::StringRef kernel, Dim3 grid,
                                      Dim3 block,
                                      std::vector<uint64_t> arguments) {
  RunResult result = launch(kernel, grid, block, std::move(arguments));
  if (result.ok())
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << result.report->str();
}

std::string Harness::fail(llvm::StringRef kernel, Dim3 grid, Dim3 block,
                          std::vector<uint64_t> arguments) {
  RunResult result = launch(kernel, grid, block, std::move(arguments));
  return result.ok() ? "" : result.report->str();
}

std::string perLaneKernel(const std::string &body, const std::string &outside) {
  return outside + R"(
.visible .entry k(.param .u64 out, .param .u64 out_wide) {
  .reg .pred %p<16>;
  .reg .b16 %h<16>;
  .reg .b32 %r<32>, %lane, %o, %address;
  .reg .b64 %rd<32>, %od, %place;
  .reg .f32 %f<16>;
  .reg .f64 %d<16>;
  .reg .b128 %q<4>;
  .shared .align 1024 .b8 smem[16384];
  mov.u32 %lane, %laneid;
)" + body +
         R"(
  ld.param.u64 %place, [out];
  mad.wide.u32 %place, %lane, 4, %place;
  st.global.b32 [%place], %o;
  ld.param.u64 %place, [out_wide];
  mad.wide.u32 %place, %lane, 8, %place;
  st.global.b64 [%place], %od;
  ret;
})";
}

std::string perLaneFailure(const std::string &body, const std::string &outside,
                           llvm::StringRef device) {
  Harness h(device, perLaneKernel(body, outside));
  uint64_t out = h.allocate<uint32_t>(32), outWide = h.allocate<uint64_t>(32);
  return h.fail("k", {1}, {32}, {out, outWide});
}
