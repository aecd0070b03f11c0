//===- RuntimeApi.h - The CUDA runtime API's types --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What crosses the border of libcudart.so.13, as the ABI of CUDA 13 has it.
// Handles are the driver's. As with the driver's types, a test compiles these
// next to the toolkit's header and compares them.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_RUNTIMEAPI_H
#define DRAWLOOM_CUDA_RUNTIMEAPI_H

#include "DriverApi.h"

namespace drawloom::cuda {

/// The version of the runtime's API: 13.0.
inline constexpr int runtimeVersion = 13000;

enum Error : int {
#define RT_ERROR(name, number, text) name = number,
#include "RuntimeErrors.def"
};

struct Dim3 {
  unsigned x, y, z;
};

enum class CopyKind : int {
  HostToHost = 0,
  HostToDevice = 1,
  DeviceToHost = 2,
  DeviceToDevice = 3,
  Default = 4,
};

/// Fields that a device without the feature leaves 0 have no name here.
struct DeviceProperties {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  int regsPerBlock;
  int warpSize;
  size_t memPitch;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  size_t totalConstMem;
  int major;
  int minor;
  size_t textureAlignment;
  size_t texturePitchAlignment;
  int multiProcessorCount;
  int integrated;
  int canMapHostMemory;
  int texturesAndSurfaces[39];
  size_t surfaceAlignment;
  int concurrentKernels;
  int eccEnabled;
  int pciBusId;
  int pciDeviceId;
  int pciDomainId;
  int tccDriver;
  int asyncEngineCount;
  int unifiedAddressing;
  int memoryBusWidth;
  int l2CacheSize;
  int persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported;
  int globalL1CacheSupported;
  int localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor;
  int managedMemory;
  int isMultiGpuBoard;
  int multiGpuBoardGroupId;
  int hostNativeAtomicSupported;
  int pageableMemoryAccess;
  int concurrentManagedAccess;
  int computePreemptionSupported;
  int canUseHostPointerForRegisteredMem;
  int cooperativeLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables;
  int directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int interoperability[11];
  int clusterLaunch;
  int rest[64];
};

/// How many bits each channel of a texture has, and of what kind they are.
struct ChannelDescription {
  int x, y, z, w;
  int kind;
};

struct FunctionAttributes {
  size_t sharedSizeBytes;
  size_t constSizeBytes;
  size_t localSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int ptxVersion;
  int binaryVersion;
  int cacheModeCa;
  int maxDynamicSharedSizeBytes;
  int preferredCarveout;
  int clusterDimMustBeSet;
  int requiredClusterWidth;
  int requiredClusterHeight;
  int requiredClusterDepth;
  int clusterSchedulingPolicy;
  int nonPortableClusterSizeAllowed;
  int rest[16];
};

struct PointerAttributes {
  int type; ///< 0 not known to CUDA, 1 the host's, 2 the device's, 3 managed.
  int device;
  void *devicePointer;
  void *hostPointer;
  long rest[8];
};

inline constexpr int memoryTypeManaged = 3;

/// As the driver's, but with a size_t.
struct RuntimeLaunchConfig {
  Dim3 grid;
  Dim3 block;
  size_t sharedBytes;
  StreamState *stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_RUNTIMEAPI_H
