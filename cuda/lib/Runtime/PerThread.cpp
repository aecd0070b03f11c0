//===- PerThread.cpp - Functions with a default stream per thread ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PerThread.h"
#include "Runtime.h"

using namespace drawloom;
using namespace drawloom::cuda;

#define RT_PER_THREAD(symbol, suffix, parameters, arguments)                   \
  Error cuda::symbol##_##suffix parameters {                                   \
    PerThread scope;                                                           \
    return symbol arguments;                                                   \
  }
#include "Runtime/PerThread.def"
