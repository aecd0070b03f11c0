//===- SharedTiles.h - Whether CTAs load the same tile ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A load with `multicast` brings parts of a tile to several CTAs, so they must
// load the same one. plan-cta knows that of a program's loads. Roles by hand
// say it themselves, and this holds them to it.
//
// CTAs of a cluster differ in the number of their work tile, whose innermost
// digits are the places in the cluster, the first dimension first:
//
//   %rest, %row = affine.delinearize_index %number into (2)     cluster (2, 4)
//   %item, %column = affine.delinearize_index %rest into (4)
//
// What is computed from a place differs along its dimension, and what is
// computed from a number whose digits are not taken apart differs along all.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_SHAREDTILES_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_SHAREDTILES_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::agent {

/// An error if CTAs that share a tile may load different ones, or not equally
/// often, or if CTAs that wait for each other may have different numbers of
/// work tiles.
mlir::LogicalResult checkSharedTiles(SwitchOp roles);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_SHAREDTILES_H
