//===- Refused.cpp - What libcuda.so.1 refuses ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

using namespace drawloom;
using namespace drawloom::cuda;

// Whatever arguments a caller passes, the callee may leave them alone.
#define CU_REFUSED(name, symbol, since)                                        \
  extern "C" __attribute__((visibility("default"))) Result symbol() {          \
    complain(#name ": the emulator doesn't do that");                          \
    return CUDA_ERROR_NOT_SUPPORTED;                                           \
  }
#include "Refused.def"
