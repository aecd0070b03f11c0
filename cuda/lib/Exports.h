//===- Exports.h - The functions of libcuda.so.1 ----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions.def has a row for each function that the library exports: this
// declares them, and cuGetProcAddress looks them up.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_EXPORTS_H
#define DRAWLOOM_CUDA_EXPORTS_H

#include "DriverApi.h"

namespace drawloom::cuda {
extern "C" {
#define CU_FUNCTION(name, symbol, since, parameters)                           \
  __attribute__((visibility("default"))) Result symbol parameters;
#include "Functions.def"
#define CU_PER_THREAD(symbol, suffix, parameters, arguments)                   \
  __attribute__((visibility("default"))) Result symbol##_##suffix parameters;
#include "PerThread.def"
__attribute__((visibility("default")))
Result cuGetProcAddress_v2_ptsz(const char *name, void **address, int version,
                                uint64_t flags, int *status);

/// Whether the null stream is the calling thread's own in the calls that
/// follow; returns what it was before.
__attribute__((visibility("default"))) int drawloomNullStream(int isPerThread);
/// What the last kernel that failed did, as text; empty if none has. It is
/// valid until the next one fails.
__attribute__((visibility("default"))) const char *drawloomLastReport();
/// What the last run took: warp instructions, CTAs, asynchronous operations.
__attribute__((visibility("default"))) void
drawloomLastStatistics(uint64_t *numbers);
/// What the clock says about the last run that was timed: cycles; cycles in
/// which tensor cores multiplied, of all SMs; SMs; bytes from L2; bytes of
/// DRAM; nanoseconds.
__attribute__((visibility("default"))) void
drawloomLastTiming(uint64_t *numbers);
/// The same in JSON, with what the roles of a plan wait for; empty if no run
/// was timed. It is valid until the next run.
__attribute__((visibility("default"))) const char *drawloomTiming();
/// Makes the next cuInit make a device with these settings, which come before
/// variables of the same names in the environment. Not 0 while a context is
/// alive.
__attribute__((visibility("default"))) int
drawloomStart(const char *const *names, const char *const *values,
              size_t count);
/// Runs ask this, in the thread that waits for them, a few times a second, and
/// end if the answer isn't 0. Null, as before the first call: they end at
/// Ctrl-C.
__attribute__((visibility("default"))) void
drawloomDriverSetInterrupted(int (*interrupted)());
/// What the checker has found, in JSON; empty without one. It is valid until
/// the next call.
__attribute__((visibility("default"))) const char *drawloomFindings();
}
} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_EXPORTS_H
