//===- TensorTransfer.h - What the engine does for a copy ------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The asynchronous half of a tensor copy: it moves the rows of a tile that has
// been read from the map and checked. A tile that is all inside its tensor and
// has simple rows is moved after one look at its addresses; others go row by
// row, with fills at the edges.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TENSORTRANSFER_H
#define DRAWLOOM_EMULATOR_TENSORTRANSFER_H

#include "Engine/Engine.h"
#include "Execute/Copy/BulkStore.h"
#include "Execute/Copy/TensorTile.h"
#include "Execute/Memory/Reduction.h"

namespace drawloom::emu {

/// A tile to the shared memory of one or more CTAs.
std::unique_ptr<AsyncOp> makeTensorLoad(IssuePoint issue,
                                        const TensorTile &tile,
                                        llvm::ArrayRef<CopyTarget> targets);

/// A tile from shared to global memory, combined with what is there if
/// `reduce` isn't null.
std::unique_ptr<BulkStore> makeTensorStore(IssuePoint issue,
                                           const TensorTile &tile,
                                           uint64_t from, Reduce *reduce);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_TENSORTRANSFER_H
