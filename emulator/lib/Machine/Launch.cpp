//===- Launch.cpp - What a launch may ask for ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/Launch.h"
#include "Decode/Program.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom::emu;
using llvm::Twine;

unsigned drawloom::emu::residentCtasPerSm(const DeviceModel &model,
                                          const Kernel &kernel,
                                          uint32_t threads,
                                          uint32_t dynamicShared) {
  uint64_t rounded = llvm::alignTo(uint64_t(std::max(threads, 1u)), 32);
  uint64_t shared = llvm::alignTo(
      uint64_t(kernel.program->staticSharedEnd) + dynamicShared, 128);
  uint64_t result =
      std::min<uint64_t>(model.ctasPerSm, model.threadsPerSm / rounded);
  if (shared)
    result = std::min(result, model.sharedPerSm / shared);
  if (kernel.registers)
    result =
        std::min(result, model.registersPerSm / (kernel.registers * rounded));
  return result;
}

std::optional<std::string> drawloom::emu::checkLaunch(const DeviceModel &model,
                                                      const Launch &launch) {
  auto problem = [](const Twine &text) { return text.str(); };
  if (!launch.kernel)
    return problem("a launch without a kernel");
  const Kernel &kernel = *launch.kernel;
  uint64_t threads = launch.block.count();
  if (threads == 0 || threads > 1024)
    return problem("a block of " + launch.block.str() + " = " + Twine(threads) +
                   " threads; 1 to 1024 are possible");
  if (launch.block.z > 64)
    return problem("a block of " + launch.block.str() +
                   " threads; its third dimension can be 64");
  if (launch.grid.count() == 0)
    return problem("a grid of " + launch.grid.str() + " has no CTA");
  if (launch.grid.x > INT32_MAX || launch.grid.y > UINT16_MAX ||
      launch.grid.z > UINT16_MAX)
    return problem("a grid of " + launch.grid.str() +
                   " CTAs; its dimensions can be 2147483647, 65535 and 65535");
  if (kernel.requiredBlock && !(*kernel.requiredBlock == launch.block))
    return problem("a block of " + launch.block.str() +
                   "; the kernel is compiled for " +
                   kernel.requiredBlock->str() + " (.reqntid)");
  if (kernel.maxThreads && threads > kernel.maxThreads)
    return problem("a block of " + Twine(threads) +
                   " threads; the kernel is compiled for at most " +
                   Twine(kernel.maxThreads) + " (.maxntid)");
  uint64_t cluster = launch.cluster.count();
  if (cluster == 0 || cluster > model.ctasPerCluster)
    return problem("a cluster of " + launch.cluster.str() + " = " +
                   Twine(cluster) + " CTAs; 1 to " +
                   Twine(model.ctasPerCluster) + " are possible");
  if (kernel.requiredCluster && !(*kernel.requiredCluster == launch.cluster))
    return problem("a cluster of " + launch.cluster.str() +
                   "; the kernel is compiled for " +
                   kernel.requiredCluster->str() + " (.reqnctapercluster)");
  if (launch.grid.x % launch.cluster.x || launch.grid.y % launch.cluster.y ||
      launch.grid.z % launch.cluster.z)
    return problem("a grid of " + launch.grid.str() +
                   " can't be divided into clusters of " +
                   launch.cluster.str());
  if (launch.parameters.size() != kernel.parameterBytes)
    return problem(Twine(launch.parameters.size()) +
                   " bytes of parameters; the kernel takes " +
                   Twine(kernel.parameterBytes));
  uint64_t shared = uint64_t(kernel.staticSharedBytes) + launch.dynamicShared;
  if (shared > model.sharedPerCta)
    return problem(Twine(kernel.staticSharedBytes) + " + " +
                   Twine(launch.dynamicShared) + " = " + Twine(shared) +
                   " bytes of shared memory; a CTA can have " +
                   Twine(model.sharedPerCta) + " on " + model.name);
  unsigned resident =
      residentCtasPerSm(model, kernel, threads, launch.dynamicShared);
  if (resident * uint64_t(model.smCount) < cluster)
    return problem("no room for a cluster of " + Twine(cluster) +
                   " CTAs: " + Twine(model.smCount) + " SMs hold " +
                   Twine(resident) + " each (" + Twine(threads) +
                   " threads of " + Twine(kernel.registers) + " registers)");
  return std::nullopt;
}
