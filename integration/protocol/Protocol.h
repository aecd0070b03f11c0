//===- Protocol.h - Does the PTX do what the plan says? ------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The proof of progress is about the plan: roles that fill and empty the slots
// of rings. What runs is PTX: barriers, counts, bytes and parities. This is the
// comparison of the two. Each warp of the kernel is walked over all its paths
// (Walk.h), and on each path it has to do, ring by ring, what its role does:
//
//   fills    wait for empty (parity 1 first), then arrive at full, once a slot
//   empties  wait for full (parity 0 first), then arrive at empty, with the
//            lag that the plan says, until it holds nothing at the end
//
// with slots in turn, by the engine that the plan names, and with bytes that
// are expected and copied into that very slot (all of them, or without tiles
// that threads copied themselves on this path). Arrivals of all lanes of all
// warps have to add up to the count that the barrier is set up with.
//
// Invariant: nothing of the plan is used to follow the PTX, only to judge it.

#ifndef DRAWLOOM_INTEGRATION_PROTOCOL_PROTOCOL_H
#define DRAWLOOM_INTEGRATION_PROTOCOL_PROTOCOL_H

#include "drawloom/Analysis/Plan/Plan.h"
#include "drawloom/Protocol/Walk.h"
#include "llvm/Support/Error.h"

namespace drawloom::protocol {

/// An error if it is nothing that a kernel with a plan does, or not known.
llvm::Error requirePlanned(const Event &event);

/// Compares a kernel with its plan, which must be placed. `boxBytes` has, for
/// each parameter of the kernel, the bytes that a copy with this tensor map
/// moves; 0 for parameters that are no tensor maps.
llvm::Error compare(const plan::Plan &plan, llvm::ArrayRef<int64_t> boxBytes,
                    const ptx::Function &kernel);

} // namespace drawloom::protocol

#endif // DRAWLOOM_INTEGRATION_PROTOCOL_PROTOCOL_H
