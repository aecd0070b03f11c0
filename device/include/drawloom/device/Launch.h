//===- Launch.h - Tensor maps and launches, from the types of a kernel ---===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_LAUNCH_H
#define DRAWLOOM_DEVICE_LAUNCH_H

#include "drawloom/device/Kernel.h"
#include <cuda_runtime.h>
#ifdef DRAWLOOM_PROFILE
#include "drawloom/device/WriteProfile.h"
#endif

namespace drawloom::device {

template <class Element>
constexpr CUtensorMapDataType mapType() {
  if constexpr (Stored<Element>::bits == 4)
    return CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B;
  else if constexpr (std::is_same_v<Element, __half>)
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  else if constexpr (std::is_same_v<Element, __nv_bfloat16>)
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  else if constexpr (std::is_same_v<Element, float>)
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  else {
    static_assert(Stored<Element>::bits == 8,
                  "drawloom: a tensor map has half, bfloat16, float, fp8 or "
                  "fp4");
    return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
}

/// Encodes a tensor of rows x columns, row after row, and a box of it.
inline cudaError_t encodeMap(CUtensorMap &map, CUtensorMapDataType type,
                             const void *data, cuuint64_t rows,
                             cuuint64_t columns, cuuint64_t rowBytes,
                             cuuint32_t boxRows, cuuint32_t boxColumns,
                             CUtensorMapSwizzle swizzle) {
  // The function is looked up, so that a program needs no libcuda to link.
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (cudaError_t error =
          cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                           12000, cudaEnableDefault, &found))
    return error;
  if (found != cudaDriverEntryPointSuccess)
    return cudaErrorSymbolNotFound;
  cuuint64_t sizes[] = {columns, rows};
  cuuint32_t box[] = {boxColumns, boxRows}, steps[] = {1, 1};
  auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  CUresult result = encode(&map, type, 2, const_cast<void *>(data), sizes,
                           &rowBytes, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                           swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

template <class Tile, class Element>
cudaError_t describeTiles(CUtensorMap &map, const Element *data, int rows,
                          int columns) {
  using Stored = device::Stored<typename Tile::Element>;
  static_assert(std::is_same_v<Element, typename Stored::type>,
                "drawloom: a tensor has the elements of its map's tile");
  return encodeMap(map, mapType<typename Tile::Element>(), data, rows, columns,
                   cuuint64_t(columns) * Stored::bits / 8, Tile::rows,
                   Tile::panelColumns, CU_TENSOR_MAP_SWIZZLE_128B);
}

/// Describes a tensor of rows x columns, row after row, for copies of tiles. A
/// row is a multiple of 16 bytes: TMA refuses others.
template <class Tile, class Element>
cudaError_t describe(Map<Tile> &map, const Element *data, int rows,
                     int columns) {
  return describeTiles<Tile>(map.map, data, rows, columns);
}
/// The same for rows that are gathered. A tensor has rows as they are stored.
template <class Tile, class Element>
cudaError_t describe(GatherMap<Tile> &map, const Element *data, int rows,
                     int columns) {
  static_assert(std::is_same_v<Element, typename Tile::Element>,
                "drawloom: a tensor has the elements of its map's tile");
  return encodeMap(map.map, mapType<Element>(), data, rows, columns,
                   cuuint64_t(columns) * sizeof(Element), 1, Tile::panelColumns,
                   CU_TENSOR_MAP_SWIZZLE_128B);
}
/// The same with block scales, as `packScales` leaves them.
template <class Tile, class Scales, class Element, class Scale>
cudaError_t describe(ScaledMap<Tile, Scales> &map, const Element *data,
                     const Scale *scales, int rows, int columns) {
  static_assert(std::is_same_v<Scale, typename Scales::Scale>,
                "drawloom: scales have the type that the format of their "
                "elements says");
  if (cudaError_t error = describeTiles<Tile>(map.map, data, rows, columns))
    return error;
  // As words of eight bytes, because a box has at most 256 elements along a
  // dimension.
  constexpr int words = Scales::blockBytes / 8;
  int blocks = ceilDivide(columns, Stored<typename Tile::Element>::block * 4);
  return encodeMap(map.scales, CU_TENSOR_MAP_DATA_TYPE_UINT64, scales,
                   ceilDivide(rows, 128), cuuint64_t(blocks) * words,
                   cuuint64_t(blocks) * Scales::blockBytes, Scales::rowBlocks,
                   Scales::stepBlocks * words, CU_TENSOR_MAP_SWIZZLE_NONE);
}

/// How many clusters a launch on the current device has.
template <class Kernel>
cudaError_t countClusters(const typename Kernel::Problem &problem,
                          int &clusters) {
  int device, multiprocessors;
  if (cudaError_t error = cudaGetDevice(&device))
    return error;
  if (cudaError_t error = cudaDeviceGetAttribute(
          &multiprocessors, cudaDevAttrMultiProcessorCount, device))
    return error;
  constexpr int size = Kernel::Cluster::size;
  int places = multiprocessors < size ? 1 : multiprocessors / size;
  clusters =
      Kernel::Work::countClusters(Kernel::Tiles::countItems(problem), places);
  return cudaSuccess;
}

/// Allocates what stream K needs on the current device; cudaFree(parts) gives
/// it back. Launches that run at the same time need one each.
template <class Kernel>
cudaError_t allocateStream(StreamProblem &problem) {
  int clusters;
  if (cudaError_t error = countClusters<Kernel>(problem, clusters))
    return error;
  size_t ctas = size_t(clusters) * Kernel::Cluster::size;
  size_t partBytes = ctas * 128 * Kernel::Work::n * sizeof(float);
  problem.memory = {};
  if (cudaError_t error = cudaMalloc(&problem.memory.parts,
                                     partBytes + ctas * 4 * sizeof(uint32_t)))
    return error;
  problem.memory.flags =
      reinterpret_cast<uint32_t *>(problem.memory.parts + partBytes / 4);
  return cudaSuccess;
}

/// Starts a kernel with the threads, the shared memory and the clusters that
/// its type says.
template <class Kernel, class Arguments>
cudaError_t launch(void (*function)(Arguments), const Arguments &arguments,
                   const typename Kernel::Problem &problem,
                   cudaStream_t stream = nullptr) {
  if (!problem.isPossible())
    return cudaErrorInvalidValue;
  if (Kernel::Tiles::countItems(problem) == 0)
    return cudaSuccess;
  int clusters;
  if (cudaError_t error = countClusters<Kernel>(problem, clusters))
    return error;
  if (cudaError_t error = cudaFuncSetAttribute(
          reinterpret_cast<const void *>(function),
          cudaFuncAttributeMaxDynamicSharedMemorySize, Kernel::sharedBytes))
    return error;
  cudaLaunchConfig_t config{};
  constexpr int size = Kernel::Cluster::size;
  config.gridDim = dim3(size * clusters);
  config.blockDim = dim3(Kernel::threads);
  config.dynamicSmemBytes = Kernel::sharedBytes;
  config.stream = stream;
  cudaLaunchAttribute attributes[3] = {};
  config.attrs = attributes;
  if (size > 1) {
    cudaLaunchAttribute &cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {size, 1, 1};
  }
  if (Kernel::Work::isDependent) {
    cudaLaunchAttribute &early = attributes[config.numAttrs++];
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
  }
  if constexpr (Kernel::Work::isStreamed) {
    // Who finishes a tile waits for CTAs that have to be there.
    cudaLaunchAttribute &together = attributes[config.numAttrs++];
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    if (cudaError_t error =
            cudaMemsetAsync(problem.memory.flags, 0,
                            config.gridDim.x * 4 * sizeof(uint32_t), stream))
      return error;
  }
#ifdef DRAWLOOM_PROFILE
  Profile profile(int(config.gridDim.x), Kernel::threads / 32);
  if (cudaError_t error = profile.prepare())
    return error;
  if (cudaError_t error = cudaLaunchKernelEx(&config, function, arguments))
    return error;
  return profile.write(nameParts<Kernel>());
#else
  return cudaLaunchKernelEx(&config, function, arguments);
#endif
}

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_LAUNCH_H
