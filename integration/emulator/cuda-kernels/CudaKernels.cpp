//===- CudaKernels.cpp - Kernels that nvcc compiled -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaKernels.h"
#include "drawloom/Checker/RaceChecker.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

using namespace drawloom;
using namespace drawloom::emu;

INSTANTIATE_TEST_SUITE_P(Devices, CudaKernels, testing::Values("h100", "b200"),
                         [](const auto &info) { return info.param; });

void CudaKernels::load(const std::string &file) {
  DeviceModel model = *findDeviceModel(GetParam());
  model.memoryBytes = uint64_t(1) << 30;
  device = llvm::cantFail(Device::create(model));
  auto folder = llvm::sys::Process::GetEnv("DRAWLOOM_CUDA_KERNELS");
  ASSERT_TRUE(folder) << "DRAWLOOM_CUDA_KERNELS names the folder with the PTX";
  std::string path = *folder + "/" + file + "-" + model.target.str() + ".ptx";
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  ASSERT_TRUE(buffer) << path << ": " << buffer.getError().message();
  ptx::ParseResult parsed = ptx::parseModule(**buffer);
  ASSERT_TRUE(parsed) << parsed.str();
  auto loaded = device->load(std::move(parsed.module));
  ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
  module = std::move(*loaded);
}

RunResult
CudaKernels::launchWith(const char *name, Dim3 grid, Dim3 block,
                        llvm::ArrayRef<llvm::ArrayRef<char>> arguments) {
  Launch launch;
  launch.kernel = llvm::cantFail(module->kernel(name));
  launch.grid = grid;
  launch.block = block;
  launch.cluster = cluster;
  launch.dynamicShared = dynamicShared;
  launch.parameters.resize(launch.kernel->parameterBytes);
  EXPECT_EQ(arguments.size(), launch.kernel->parameters.size());
  for (auto [argument, parameter] :
       llvm::zip(arguments, launch.kernel->parameters)) {
    EXPECT_EQ(argument.size(), parameter.size);
    memcpy(launch.parameters.data() + parameter.offset, argument.data(),
           argument.size());
  }
  checker::RaceChecker checker;
  RunOptions watched = options;
  watched.listener = &checker;
  RunResult result = emu::run(*device, launch, watched);
  for (const checker::Finding &finding : checker.findings())
    if (finding.severity == checker::Severity::Error)
      ADD_FAILURE() << finding.str();
  return result;
}
