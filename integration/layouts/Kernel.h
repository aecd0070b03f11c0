//===- Kernel.h - A kernel that converts a tile --------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each thread loads its registers from global memory, thread by thread and
// register by register; the tile is converted; and each thread stores its
// registers in the same way. So what is in memory says which register of which
// thread had it, and nothing that is tested takes part in that.

#ifndef DRAWLOOM_INTEGRATION_LAYOUTS_KERNEL_H
#define DRAWLOOM_INTEGRATION_LAYOUTS_KERNEL_H

#include "RandomCase.h"
#include "llvm/Support/raw_ostream.h"

namespace drawloom {

/// The bytes of shared memory that a kernel may use.
inline constexpr int64_t kernelSharedBytes = 224 << 10;

/// Prints the kernel of a case: (input, output, offset of the first dimension
/// whose offset is dynamic).
void printKernel(llvm::raw_ostream &os, llvm::StringRef name,
                 const LayoutCase &one);

} // namespace drawloom

#endif // DRAWLOOM_INTEGRATION_LAYOUTS_KERNEL_H
