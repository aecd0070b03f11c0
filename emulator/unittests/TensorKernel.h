//===- TensorKernel.h - Kernels that copy tiles of tensors ------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that load or store one tile, and what they ought to do: a reference
// that goes element by element, with the swizzles from the ISA's tables.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TENSORKERNEL_H
#define DRAWLOOM_EMULATOR_TENSORKERNEL_H

#include "AsyncKernel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

/// Thread t hands out word t of smem.
extern const std::string handOut;

/// Loads one tile to smem and hands it out, one word a thread. `mode` is ""
/// or ".tile::gather4".
AsyncKernel loadKernel(const drawloom::emu::TensorMap &map,
                       llvm::ArrayRef<int> coordinates, unsigned bytes,
                       unsigned footprint, const std::string &mode = "");

/// Fills smem with pattern(footprint), swizzled, and stores a tile of it to the
/// data by `copy`.
AsyncKernel storeKernel(const drawloom::emu::TensorMap &map,
                        llvm::ArrayRef<int> coordinates, unsigned footprint,
                        const std::string &copy);

template <typename T>
std::vector<uint8_t> bytesOf(const std::vector<T> &values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Calls f(offset of the element in the unswizzled tile, offset in the tensor
/// or -1 if it is out of bounds) for each element of a tile.
void forEachElement(const drawloom::emu::TensorMap &map,
                    llvm::ArrayRef<int> origin, unsigned pitch,
                    llvm::function_ref<void(unsigned tile, int64_t tensor)> f);

/// Where a byte of a tile goes, from the tables of the ISA (section 5.5.7).
unsigned swizzled(drawloom::emu::TensorMapSwizzle swizzle, unsigned offset);

/// What a load of a tile gives; zeros where it writes nothing.
std::vector<uint8_t> expectedTile(const drawloom::emu::TensorMap &map,
                                  llvm::ArrayRef<int> origin,
                                  const std::vector<uint8_t> &tensor,
                                  unsigned pitch, unsigned footprint);

#endif // DRAWLOOM_EMULATOR_TENSORKERNEL_H
