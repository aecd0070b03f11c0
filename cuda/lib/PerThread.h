//===- PerThread.h - Calls with a default stream for each thread *- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_PERTHREAD_H
#define DRAWLOOM_CUDA_PERTHREAD_H

#include "Exports.h"

namespace drawloom::cuda {

/// As long as it lives, the null stream of this thread's calls is its own.
class PerThread {
public:
  ~PerThread() { drawloomNullStream(before); }

private:
  const int before = drawloomNullStream(true);
};

} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_PERTHREAD_H
