//===- ReadableMemory.h - How far a pointer can be read ---------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some calls of the API take a pointer without a length: cuModuleLoadData knows
// only what the first bytes of an image say about its size. A damaged one says
// more than there is, and reading on would end the process. The kernel's list
// of mappings says how far memory goes.
//
// What it can't say is where the image ends inside that: bytes behind it
// that belong to the program are read as if they were the image's.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_READABLEMEMORY_H
#define DRAWLOOM_CUDA_READABLEMEMORY_H

#include "llvm/ADT/StringRef.h"

namespace drawloom::cuda {

/// The bytes from `pointer` on up to the first that can't be read. Without a
/// list of mappings (/proc isn't mounted), up to the end of the address space.
llvm::StringRef readableFrom(const void *pointer);

} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_READABLEMEMORY_H
