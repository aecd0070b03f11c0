//===- TensorMap.cpp - Tensor maps in the driver API ------------------- ===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/TensorMap.h"
#include "Driver.h"
#include "Exports.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::cuda;

Result cuda::cuTensorMapEncodeTiled(void *result, int type, unsigned rank,
                                    void *address, const uint64_t *dims,
                                    const uint64_t *strides,
                                    const uint32_t *box,
                                    const uint32_t *elementStrides,
                                    int interleave, int swizzle,
                                    int l2Promotion, int fill) {
  DRAWLOOM_CALL(Driver);
  if (!result || !dims || !box || !elementStrides || (rank > 1 && !strides))
    return CUDA_ERROR_INVALID_VALUE;
  std::optional<emu::TensorMapType> known = emu::tensorMapTypeFromCuda(type);
  if (!known || rank < 1 || rank > 5 || interleave < 0 || interleave > 2 ||
      swizzle < 0 || swizzle > 6 || l2Promotion < 0 || l2Promotion > 3 ||
      fill < 0 || fill > 1) {
    complain("cuTensorMapEncodeTiled: a rank of " + llvm::Twine(rank) +
             " or a value that no enumeration has");
    return CUDA_ERROR_INVALID_VALUE;
  }
  emu::TensorMap map;
  map.type = *known;
  map.rank = rank;
  map.address = reinterpret_cast<uint64_t>(address);
  for (unsigned i = 0; i != rank; ++i) {
    map.dims[i] = dims[i];
    map.box[i] = box[i];
    map.elementStrides[i] = elementStrides[i];
    if (i != 0)
      map.strides[i - 1] = strides[i - 1];
  }
  map.interleave = emu::TensorMapInterleave(interleave);
  map.swizzle = emu::TensorMapSwizzle(swizzle);
  map.l2Promotion = l2Promotion;
  map.fillsNaN = fill != 0;
  auto bytes = emu::encodeTensorMap(map, call.device().model().target);
  if (!bytes) {
    complain("cuTensorMapEncodeTiled: " + llvm::toString(bytes.takeError()));
    return CUDA_ERROR_INVALID_VALUE;
  }
  memcpy(result, bytes->data(), bytes->size());
  return CUDA_SUCCESS;
}

Result cuda::cuTensorMapReplaceAddress(void *map, void *address) {
  DRAWLOOM_CALL(Driver);
  if (!map)
    return CUDA_ERROR_INVALID_VALUE;
  if (llvm::Error error =
          emu::replaceTensorMapField(map, emu::TensorMapField::GlobalAddress, 0,
                                     reinterpret_cast<uint64_t>(address))) {
    complain("cuTensorMapReplaceAddress: " + llvm::toString(std::move(error)));
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}
