//===- gemm_sm100_dynamic.cu - The GEMM with dynamic work tiles -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define WORK Dynamic
#include "gemm_sm100.cu"
