//===- Rejected.cpp - What libcuda.so.1 rejects
//----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include <atomic>

using namespace drawloom;
using namespace drawloom::cuda;

/// Says it at the first call of a function, so that a program which goes on
/// without it reads this once.
static Result reject(const char *name, std::atomic_flag &said) {
  if (!said.test_and_set())
    complain(llvm::Twine(name) + ": the emulator doesn't do that");
  return CUDA_ERROR_NOT_SUPPORTED;
}

// Whatever arguments a caller passes, the callee may leave them alone.
#define CU_REJECTED(name, symbol, since)                                       \
  extern "C" __attribute__((visibility("default"))) Result symbol() {          \
    static std::atomic_flag said;                                              \
    return reject(#name, said);                                                \
  }
#include "Rejected.def"
