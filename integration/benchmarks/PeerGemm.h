//===- PeerGemm.h - GEMMs of CUTLASS's on the emulator ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that aren't in the cache (CutlassHost.h) are left out.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_BENCHMARKS_PEERGEMM_H
#define DRAWLOOM_BENCHMARKS_PEERGEMM_H

#include "llvm/ADT/StringRef.h"

/// Prints a row for each kernel: a product of size^3 in bf16, emulated and by
/// oneDNN alone, their ratio, and the warp instructions a second. `only`: the
/// kernel of that name, if it isn't empty.
void benchPeerGemms(int size, unsigned threads, llvm::StringRef only);

#endif // DRAWLOOM_BENCHMARKS_PEERGEMM_H
