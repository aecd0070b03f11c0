//===- FatBinaryWriter.h - Fat binaries for tests ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes containers as nvcc does. Each number of a header can be changed
// afterwards, so that tests can damage it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_UNITTESTS_FATBINARYWRITER_H
#define DRAWLOOM_CUDA_UNITTESTS_FATBINARYWRITER_H

#include "drawloom/CUDA/FatBinary.h"
#include <string>

namespace drawloom::cuda {

class FatBinaryWriter {
public:
  using Kind = FatBinaryEntry::Kind;
  using Packing = FatBinaryEntry::Packing;

  FatBinaryWriter &add(Kind kind, unsigned arch, llvm::StringRef payload,
                       Packing packing = Packing::None);

  std::string str() const;

private:
  std::string entries;
};

/// A module whose only kernel, `k`, writes `value` to the address it is given.
std::string writerOf(llvm::StringRef target, int value);

/// Writes a number of `bytes` bytes at `offset`.
void patch(std::string &container, uint64_t offset, uint64_t value,
           unsigned bytes);

} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_UNITTESTS_FATBINARYWRITER_H
