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
#include <algorithm>
#include <cstring>

using namespace drawloom;
using namespace drawloom::cuda;

namespace {
/// The arguments that both kinds of maps have.
struct TensorArguments {
  int type;
  unsigned rank;
  void *address;
  const uint64_t *dims, *strides;
  const uint32_t *elementStrides;
  int interleave, swizzle, l2Promotion, fill;
};
} // namespace

/// The map that `arguments` describe, but for its box; nullopt, with a line on
/// standard error, if they can't be put into one.
static std::optional<emu::TensorMap>
describe(llvm::StringRef function, const TensorArguments &arguments) {
  const auto &[type, rank, address, dims, strides, elementStrides, interleave,
               swizzle, l2Promotion, fill] = arguments;
  std::optional<emu::TensorMapType> known = emu::tensorMapTypeFromCuda(type);
  if (!known || rank < 1 || rank > 5 || interleave < 0 || interleave > 2 ||
      swizzle < 0 || swizzle > 6 || l2Promotion < 0 || l2Promotion > 3 ||
      fill < 0 || fill > 1) {
    complain(function + ": a rank of " + llvm::Twine(rank) +
             " or a value that no enumeration has");
    return std::nullopt;
  }
  emu::TensorMap map;
  map.type = *known;
  map.rank = rank;
  map.address = reinterpret_cast<uint64_t>(address);
  for (unsigned i = 0; i != rank; ++i) {
    map.dims[i] = dims[i];
    map.elementStrides[i] = elementStrides[i];
    if (i != 0)
      map.strides[i - 1] = strides[i - 1];
  }
  map.interleave = emu::TensorMapInterleave(interleave);
  map.swizzle = emu::TensorMapSwizzle(swizzle);
  map.l2Promotion = l2Promotion;
  map.fillsNaN = fill != 0;
  return map;
}

static Result encode(llvm::StringRef function, const emu::TensorMap &map,
                     const ptx::Target &target, void *result) {
  auto bytes = emu::encodeTensorMap(map, target);
  if (!bytes) {
    complain(function + ": " + llvm::toString(bytes.takeError()));
    return CUDA_ERROR_INVALID_VALUE;
  }
  memcpy(result, bytes->data(), bytes->size());
  return CUDA_SUCCESS;
}

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
  std::optional<emu::TensorMap> map =
      describe("cuTensorMapEncodeTiled",
               {type, rank, address, dims, strides, elementStrides, interleave,
                swizzle, l2Promotion, fill});
  if (!map)
    return CUDA_ERROR_INVALID_VALUE;
  std::copy_n(box, rank, map->box.begin());
  return encode("cuTensorMapEncodeTiled", *map, call.device().model().target,
                result);
}

Result cuda::cuTensorMapEncodeIm2col(
    void *result, int type, unsigned rank, void *address, const uint64_t *dims,
    const uint64_t *strides, const int *lowerCorner, const int *upperCorner,
    unsigned channels, unsigned pixels, const uint32_t *elementStrides,
    int interleave, int swizzle, int l2Promotion, int fill) {
  DRAWLOOM_CALL(Driver);
  if (!result || !dims || !strides || !lowerCorner || !upperCorner ||
      !elementStrides)
    return CUDA_ERROR_INVALID_VALUE;
  std::optional<emu::TensorMap> map =
      describe("cuTensorMapEncodeIm2col",
               {type, rank, address, dims, strides, elementStrides, interleave,
                swizzle, l2Promotion, fill});
  if (!map)
    return CUDA_ERROR_INVALID_VALUE;
  map->im2col = true;
  map->box[0] = channels;
  map->pixels = pixels;
  // From W on, as the other arrays are: CUTLASS passes them so, though the
  // manual writes {D, H, W}.
  for (unsigned i = 0; i + 2 < rank; ++i) {
    map->lowerCorner[i] = lowerCorner[i];
    map->upperCorner[i] = upperCorner[i];
  }
  return encode("cuTensorMapEncodeIm2col", *map, call.device().model().target,
                result);
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
