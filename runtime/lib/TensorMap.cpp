//===- TensorMap.cpp - What TMA can address -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conditions are those of cuTensorMapEncodeTiled in the CUDA driver API.
// The driver answers all of them with CUDA_ERROR_INVALID_VALUE, so they are
// checked here, where there are names.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Runtime/Launch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom::runtime;
using llvm::Twine;

/// Of addresses and strides, in bytes.
static constexpr uint64_t alignment = 16;
static constexpr uint64_t maxMapSize = uint64_t(1) << 32;
static constexpr uint64_t maxMapStride = uint64_t(1) << 40;

static llvm::Error reject(const ArgumentInfo &argument, const Twine &why) {
  return llvm::createStringError("argument '" + argument.name + "': TMA " +
                                 why + " [tensor-map]");
}

/// The stride of a dimension in bytes. Of a dimension with one element, and in
/// a tensor with none, it is never used, so it may be what a map takes.
static llvm::Expected<uint64_t> getStride(const ArgumentInfo &argument,
                                          const Tensor &tensor,
                                          size_t dimension) {
  int64_t elements = tensor.strides[dimension];
  uint64_t size = argument.type->bytes;
  bool isUsed =
      tensor.shape[dimension] > 1 && !llvm::is_contained(tensor.shape, 0);
  if (!isUsed && (elements <= 0 || uint64_t(elements) * size >= maxMapStride))
    return alignment;
  if (elements <= 0)
    return reject(argument, "needs strides above 0, and that of dimension " +
                                Twine(dimension) + " is " + Twine(elements));
  uint64_t bytes = uint64_t(elements) * size;
  if (uint64_t(elements) >= maxMapStride || bytes >= maxMapStride)
    return reject(argument, "needs strides below 2^40 bytes, and that of "
                            "dimension " +
                                Twine(dimension) + " is " + Twine(elements) +
                                " x " + Twine(size) + " bytes");
  if (bytes % alignment == 0)
    return bytes;
  if (!isUsed)
    return llvm::alignTo(bytes, alignment);
  uint64_t next = llvm::alignTo(bytes, alignment) / size;
  return reject(argument,
                "needs strides of a multiple of 16 bytes, and that of "
                "dimension " +
                    Twine(dimension) + " is " + Twine(elements) + " x " +
                    Twine(size) + " = " + Twine(bytes) + "; pad it to " +
                    Twine(next) + " elements");
}

llvm::Expected<TensorMapRequest>
drawloom::runtime::makeTensorMap(const ArgumentInfo &argument,
                                 const Parameter &parameter,
                                 const Tensor &tensor) {
  size_t rank = tensor.shape.size();
  uint64_t size = argument.type->bytes;
  if (tensor.address % alignment)
    return reject(argument, "needs an address that is a multiple of 16, and "
                            "it is " +
                                Twine(tensor.address) + " = 16 x " +
                                Twine(tensor.address / alignment) + " + " +
                                Twine(tensor.address % alignment));
  if (tensor.strides.back() != 1 && tensor.shape.back() > 1)
    return reject(argument, "needs the elements of the last dimension next to "
                            "each other, and their stride is " +
                                Twine(tensor.strides.back()));
  TensorMapRequest map;
  map.type = argument.type->tensorMapType;
  map.box = parameter.box;
  map.swizzle = parameter.swizzle ? llvm::Log2_32(parameter.swizzle / 16) : 0;
  // CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B.
  if (parameter.atom == 32)
    map.swizzle = 4;
  uint64_t row = parameter.box.front() * size;
  if (row % alignment)
    return reject(argument, "needs rows of a box of a multiple of 16 bytes, "
                            "and the kernel's have " +
                                Twine(parameter.box.front()) + " x " +
                                Twine(size) + " = " + Twine(row));
  if (parameter.swizzle && row > parameter.swizzle)
    return reject(argument, "swizzles rows of a box of at most " +
                                Twine(parameter.swizzle) +
                                " bytes, and the kernel's have " +
                                Twine(parameter.box.front()) + " x " +
                                Twine(size) + " = " + Twine(row));
  for (size_t inner = 0; inner != rank; ++inner) {
    size_t dimension = rank - 1 - inner;
    uint64_t extent = std::max<int64_t>(tensor.shape[dimension], 1);
    if (extent > maxMapSize)
      return reject(argument, "has sizes up to 2^32, and dimension " +
                                  Twine(dimension) + " has " + Twine(extent) +
                                  " elements");
    map.dims.push_back(extent);
    if (inner == 0)
      continue;
    llvm::Expected<uint64_t> stride = getStride(argument, tensor, dimension);
    if (!stride)
      return stride.takeError();
    map.strides.push_back(*stride);
  }
  return map;
}
