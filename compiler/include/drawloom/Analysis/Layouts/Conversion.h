//===- Conversion.h - From one layout in registers to another - -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What it takes to bring a tile in registers from the layout `from` to the
// layout `to`, of the same warps. Four ways, the cheapest that is enough:
//
//   nothing    every element is where it is wanted
//   registers  every element is in its thread, perhaps in another register
//   shuffles   every element is in its warp
//   scratch    elements change warps: written to shared memory and read back
//
// Both layouts are linear over bits, so the question is one of spans. Let R, L
// and W be the columns of `from` for the bits of register, lane and warp
// number. A bit of `to` that contributes t is served
//
//   in the thread   if t (for a bit of the lane: t + its column in L; for a bit
//                   of the warp: t + its column in W) is a sum of R
//   in the warp     if it is a sum of R and L
//
// and the worst bit decides. An Exchange says how lanes serve each other: one
// round for each register of `to`. In round s, thread (lane, warp) reads from
//
//   lane      M lane + F warp + lane(s)
//   register  what that lane sends: send(s) + G lane + H warp, of its own lane
//   into      register s + P lane
//
// with sums over bits. P is chosen such that no lane has to send two registers
// in one round; if there is no such P, as when most copies of an element are in
// one lane, the tile goes through scratch.

#ifndef DRAWLOOM_ANALYSIS_LAYOUTS_CONVERSION_H
#define DRAWLOOM_ANALYSIS_LAYOUTS_CONVERSION_H

#include "drawloom/Dialect/Tile/IR/Layout.h"
#include <optional>

namespace drawloom::layouts {

/// The inputs of a layout in registers, and how many lanes a warp has.
enum RegisterInput : unsigned { inRegister, inLane, inWarp };
constexpr int64_t lanesOfWarp = 32;
/// No thread has more elements: it has 255 registers of 32 bits.
constexpr int64_t mostRegisters = 1 << 13;

/// An error if a layout is not one of registers: those of 32 lanes of some
/// warps.
llvm::Error checkInRegisters(const tile::Layout &layout);

/// The bits of a number that a layout has as an input, among digits that may be
/// odd: the weight of each, and what it contributes, as Layout::pack has it.
struct InputBits {
  llvm::SmallVector<int64_t> weights;
  llvm::SmallVector<uint64_t> columns;
};
InputBits getInputBits(const tile::Layout &layout, unsigned input);

/// `number` with some of its bits flipped: those that `flipped` has.
int64_t flipBits(int64_t number, uint64_t flipped,
                 llvm::ArrayRef<int64_t> weights);

/// How the lanes of a warp serve each other. Words over register bits have a
/// bit for each bit of a register's number, in their order.
struct Exchange {
  /// For each bit of a lane's number, M and G and P; of a warp's, F and H.
  llvm::SmallVector<uint64_t> readsOfLane, readsOfWarp;
  llvm::SmallVector<uint64_t> sendsOfLane, sendsOfWarp;
  llvm::SmallVector<uint64_t> keepsOfLane;
  /// For each register of `to`.
  struct Round {
    int64_t lane;
    int64_t send;
    bool operator==(const Round &) const = default;
  };
  llvm::SmallVector<Round> rounds;
  /// The weights of the bits of register numbers.
  llvm::SmallVector<int64_t> fromWeights, toWeights;

  /// In rounds whose lane is 0, a lane reads what it sends itself.
  bool readsOwnLane() const;
  /// No element changes lanes.
  bool isInThread() const;
  /// No thread chooses among registers by its number.
  bool isSameForAll() const;
};

enum class Way { Nothing, Registers, Shuffles, Scratch };

struct Conversion {
  Way way;
  /// Unless it goes through scratch.
  std::optional<Exchange> exchange;
  /// From an offset in elements to the tile, if it goes through scratch. Each
  /// access is as wide as both sides allow, up to 16 bytes, and has no bank
  /// conflicts.
  std::optional<tile::Layout> scratch;
  int64_t scratchBytes = 0;
};

/// The cheapest way. An element takes `elementBytes` of memory, a power of two.
/// An error if one of the two is no layout in registers, or they are not of the
/// same tile and warps.
llvm::Expected<Conversion> planConversion(const tile::Layout &from,
                                          const tile::Layout &to,
                                          int64_t elementBytes);

} // namespace drawloom::layouts

#endif // DRAWLOOM_ANALYSIS_LAYOUTS_CONVERSION_H
