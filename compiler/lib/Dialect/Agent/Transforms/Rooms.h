//===- Rooms.h - What shared and tensor memory hold -------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Lays out what a CTA has in shared memory and in tensor memory:
//
//   0        slots of the pipes, the most strictly aligned first
//            operands of MMAs that are in no pipe
//            messages
//            the hardware's answer about the next work tile, and its barrier
//            barriers: for each pipe a full and an empty one for every slot
//            the address of the allocation of tensor memory
//
// size-pipes asks what numbers of slots fit, place-memory writes down where
// everything is.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_ROOMS_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_ROOMS_H

#include "drawloom/Analysis/RoleTiles/Scratch.h"
#include "drawloom/Analysis/Slots/Footprint.h"

namespace drawloom::agent {

/// A pipe and the room that it takes, in bytes or columns.
struct Room {
  PipeOp pipe;
  int64_t slots;
  /// From one slot to the next.
  int64_t stride;
  int64_t alignment;
  /// Where the first slot, full barrier and empty barrier are.
  struct {
    int64_t start = 0, full = 0, empty = 0;
  } place = {};
  /// The pipe whose bytes these are, and where they begin in it.
  std::string reuses = {};
  int64_t offset = 0;
  /// Of a pipe whose bytes others take: how many are taken.
  int64_t taken = 0;

  int64_t size() const { return plan::multiply(stride, slots); }
  bool isOwn() const { return reuses.empty(); }
};

struct Rooms {
  /// Fails, with an error, where a pipe is in a memory that the GPU lacks.
  static mlir::FailureOr<Rooms> of(SwitchOp op,
                                   const target::Architecture &arch);

  /// Gives everything in shared memory its offset; returns the end.
  int64_t layOut();
  /// Gives everything in tensor memory its first column; returns the end.
  int64_t layOutColumns();

  /// In the order of the program.
  std::vector<Room> shared, tensor, messages;
  std::vector<plan::Scratch> scratches;
  /// Bytes of the hardware's answers about work tiles; 0 if no role asks.
  int64_t nextTileBytes = 0;
  int64_t nextTile = 0, tensorAddress = 0;
};

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_ROOMS_H
