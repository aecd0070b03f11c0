//===- Architecture.cpp - What each GPU architecture allows ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Target/Architecture.h"
#include "ArchitectureBits.h"
#include "drawloom/Input/Suggest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::target;

// Where the facts come from:
//   PTX ISA           firstPtx, ptx: 11.1.2 (.target) and the notes of the
//                     instructions; 9.7.19.5 (setmaxnreg); 9.7.16.1 (tensor
//                     memory); 9.7.13.1 (barrier); 9.7.13.17
//                     (clusterlaunchcontrol)
//   Programming Guide threads, warps, CTAs, registers, shared memory: CUDA C++
//                     Programming Guide, 'Technical Specifications per Compute
//                     Capability'; the same figures are in CCCL's
//                     cuda/__device/arch_traits.h
//   occupancy         register allocation unit: cuda_occupancy.h of the toolkit
//   Tuning Guides     16 CTAs in a non-portable cluster: those of Hopper and
//                     of Blackwell, for H100 and B200
//   others            8 CTAs on sm_110a: NVIDIA's change to JAX for Jetson Thor
//                     (jax-ml/jax#33720). For sm_103a nothing is published, so
//                     the portable size stands
//   Driver API        tensor maps: cuTensorMapEncodeTiled; a box begins at a
//                     multiple of 128 bytes: PTX ISA, cp.async.bulk.tensor
//
// Why `ptx` is later than `firstPtx`: a bulk copy whose destination is
// .shared::cta came in 8.6, tcgen05.mma's .block16 and .block32 in 8.8.

static constexpr unsigned kib = 1024;
static constexpr TensorMemory noTensorMemory = {0, 0, 0};
static constexpr TensorMemory blackwellTensorMemory = {
    /*lanes=*/128, /*columns=*/512, /*minAllocation=*/32};

// clang-format off
static constexpr Architecture table[] = {
    {.name = "sm_90a", .bit = sm90a,
     .firstPtx = {8, 0}, .ptx = {8, 6},
     .warpSize = warpSize, .maxThreadsPerCta = maxThreadsPerCta,
     .maxWarpsPerSm = 64, .maxCtasPerSm = 32,
     .registersPerSm = 64 * kib, .maxRegistersPerThread = 255,
     .registerAllocationUnit = 256, .registerBudget = registerBudgets,
     .sharedMemoryPerSm = 228 * kib, .maxSharedMemoryPerCta = 227 * kib,
     .reservedSharedMemoryPerCta = 1 * kib,
     .tensorMemory = noTensorMemory, .namedBarriers = 16,
     .portableClusterSize = 8, .maxClusterSize = 16,
     .clusterLaunchControl = false,
     .tma = tiledMaps, .mma = MmaInstruction::Wgmma},
    {.name = "sm_100a", .bit = sm100a,
     .firstPtx = {8, 6}, .ptx = {8, 8},
     .warpSize = warpSize, .maxThreadsPerCta = maxThreadsPerCta,
     .maxWarpsPerSm = 64, .maxCtasPerSm = 32,
     .registersPerSm = 64 * kib, .maxRegistersPerThread = 255,
     .registerAllocationUnit = 256, .registerBudget = registerBudgets,
     .sharedMemoryPerSm = 228 * kib, .maxSharedMemoryPerCta = 227 * kib,
     .reservedSharedMemoryPerCta = 1 * kib,
     .tensorMemory = blackwellTensorMemory, .namedBarriers = 16,
     .portableClusterSize = 8, .maxClusterSize = 16,
     .clusterLaunchControl = true,
     .tma = tiledMaps, .mma = MmaInstruction::Tcgen05},
    {.name = "sm_103a", .bit = sm103a,
     .firstPtx = {8, 8}, .ptx = {8, 8},
     .warpSize = warpSize, .maxThreadsPerCta = maxThreadsPerCta,
     .maxWarpsPerSm = 64, .maxCtasPerSm = 32,
     .registersPerSm = 64 * kib, .maxRegistersPerThread = 255,
     .registerAllocationUnit = 256, .registerBudget = registerBudgets,
     .sharedMemoryPerSm = 228 * kib, .maxSharedMemoryPerCta = 227 * kib,
     .reservedSharedMemoryPerCta = 1 * kib,
     .tensorMemory = blackwellTensorMemory, .namedBarriers = 16,
     .portableClusterSize = 8, .maxClusterSize = 8,
     .clusterLaunchControl = true,
     .tma = tiledMaps, .mma = MmaInstruction::Tcgen05},
    {.name = "sm_110a", .bit = sm110a,
     .firstPtx = {9, 0}, .ptx = {9, 0},
     .warpSize = warpSize, .maxThreadsPerCta = maxThreadsPerCta,
     .maxWarpsPerSm = 48, .maxCtasPerSm = 24,
     .registersPerSm = 64 * kib, .maxRegistersPerThread = 255,
     .registerAllocationUnit = 256, .registerBudget = registerBudgets,
     .sharedMemoryPerSm = 228 * kib, .maxSharedMemoryPerCta = 227 * kib,
     .reservedSharedMemoryPerCta = 1 * kib,
     .tensorMemory = blackwellTensorMemory, .namedBarriers = 16,
     .portableClusterSize = 8, .maxClusterSize = 8,
     .clusterLaunchControl = true,
     .tma = tiledMaps, .mma = MmaInstruction::Tcgen05},
};
// clang-format on

std::string Architecture::llvmFeatures() const {
  return ("+ptx" + llvm::Twine(ptx.major) + llvm::Twine(ptx.minor)).str();
}

llvm::ArrayRef<Architecture> drawloom::target::architectures() { return table; }

std::string drawloom::target::listArchitectures() {
  return llvm::join(llvm::map_range(table,
                                    [](const Architecture &arch) {
                                      return llvm::StringRef(arch.name);
                                    }),
                    ", ");
}

/// What is often given for an architecture: a device, or a family of them.
struct DeviceName {
  llvm::StringLiteral name, kind, arch;
};

static constexpr DeviceName deviceNames[] = {
    {"h100", "device", "sm_90a"},       {"h200", "device", "sm_90a"},
    {"h800", "device", "sm_90a"},       {"gh200", "device", "sm_90a"},
    {"hopper", "family", "sm_90a"},     {"b100", "device", "sm_100a"},
    {"b200", "device", "sm_100a"},      {"gb200", "device", "sm_100a"},
    {"blackwell", "family", "sm_100a"}, {"b300", "device", "sm_103a"},
    {"gb300", "device", "sm_103a"},     {"thor", "device", "sm_110a"}};

llvm::Expected<const Architecture *>
drawloom::target::findArchitecture(llvm::StringRef name) {
  // With two characters wrong it is rather an architecture that isn't here.
  llvm::SmallVector<llvm::StringRef> near;
  for (const Architecture &arch : table) {
    if (arch.name == name)
      return &arch;
    if (name.edit_distance(arch.name) < 2)
      near.push_back(arch.name);
  }
  for (const DeviceName &device : deviceNames)
    if (name.equals_insensitive(device.name))
      return llvm::createStringError("unknown architecture '" + name +
                                     "': " + name + " is a " + device.kind +
                                     "; its architecture is " + device.arch +
                                     " [unknown-architecture]");
  return llvm::createStringError(
      "unknown architecture '" + name + "'; the known ones are " +
      listArchitectures() + input::suggest(name, near) +
      " [unknown-architecture]");
}
