//===- PageFaults.h - Accesses of the host to protected pages ---*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pages at addresses of the device may be protected from the host. An access of
// the host then raises SIGSEGV; the handler notes it, opens the page, and the
// access is made. All other page faults go to the handler that was there
// before. A handler that a program installs later has to pass on what isn't its
// own. A handler of signals has no object, so this is state of the process.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_HOSTFAULTS_H
#define DRAWLOOM_CUDA_HOSTFAULTS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>

namespace drawloom::cuda::page_faults {

inline constexpr uint64_t pageBytes = 4096;

/// Installs the handler, once, for pages from `begin` to `end`.
void watch(uint64_t begin, uint64_t end);
/// Sets what the host may do to pages [first, first + count).
void protect(uint64_t firstPage, uint64_t count, bool reads, bool writes);
/// Calls f(address, whether it is a write) for the accesses since the last
/// call.
void take(llvm::function_ref<void(uint64_t, bool)> f);

} // namespace drawloom::cuda::page_faults

#endif // DRAWLOOM_CUDA_HOSTFAULTS_H
