//===- kernel-fuzzer.cpp - Any kernel that parses ends, in order ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever PTX the bytes are: what parses is loaded or refused, and each of its
// kernels runs to its end or ends in a report, within its steps. Parameters are
// pointers to memory that is there, so that kernels get somewhere.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/Launch.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>
#include <cstring>

using namespace drawloom;
using namespace drawloom::emu;

static void runKernel(Device &device, const Kernel &kernel, uint64_t memory) {
  Launch launch;
  launch.kernel = &kernel;
  launch.grid = {2};
  launch.block = kernel.requiredBlock.value_or(Dim3{64});
  launch.cluster = kernel.requiredCluster.value_or(Dim3{1});
  launch.grid.x = 2 * launch.cluster.x;
  launch.grid.y = launch.cluster.y;
  launch.grid.z = launch.cluster.z;
  launch.parameters.resize(kernel.parameterBytes);
  for (size_t at = 0; at + sizeof(memory) <= launch.parameters.size();
       at += sizeof(memory))
    memcpy(&launch.parameters[at], &memory, sizeof(memory));
  if (checkLaunch(device.model(), launch))
    return;
  RunOptions options;
  options.stepLimit = 20000;
  RunResult result = run(device, launch, options);
  if (result.report && result.report->str().empty()) {
    llvm::errs() << "ended without a reason\n";
    abort();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(bytes, "input.ptx");
  ptx::ParseResult parsed = ptx::parseModule(*buffer);
  if (!parsed)
    return 0;
  struct Prepared {
    std::unique_ptr<Device> device;
    uint64_t memory;
  };
  static std::vector<Prepared> devices = [] {
    std::vector<Prepared> devices;
    for (const DeviceModel &model : deviceModels()) {
      auto device = llvm::cantFail(Device::create(model));
      uint64_t memory = llvm::cantFail(device->memory().allocate(1 << 16));
      devices.push_back({std::move(device), memory});
    }
    return devices;
  }();
  auto prepared = llvm::find_if(devices, [&](const Prepared &prepared) {
    return ptx::provides(prepared.device->model().target,
                         parsed.module->target);
  });
  if (prepared == devices.end())
    return 0;
  Device &device = *prepared->device;
  std::vector<std::string> names;
  for (const ptx::Function *function : parsed.module->functions)
    if (function->isEntry && function->hasBody)
      names.push_back(function->name.str());
  llvm::Expected<std::unique_ptr<LoadedModule>> module =
      device.load(std::move(parsed.module));
  if (!module) {
    llvm::consumeError(module.takeError());
    return 0;
  }
  for (const std::string &name : names) {
    llvm::Expected<const Kernel *> kernel = (*module)->kernel(name);
    if (!kernel) {
      llvm::consumeError(kernel.takeError());
      continue;
    }
    runKernel(device, **kernel, prepared->memory);
  }
  return 0;
}
