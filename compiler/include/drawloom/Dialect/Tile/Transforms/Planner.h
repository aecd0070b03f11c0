//===- Planner.h - A schedule for a program ------------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Chooses what a schedule leaves open before roles and pipes exist, from what
// the program computes and from the architecture's table. It is arithmetic, not
// search: each field has one rule, and each rule leaves a sentence with its
// numbers.
//
//   epilogue_tile   rows of 128 bytes, or narrower ones, if the caller asks: a
//                   plan showed that the wider ones leave too little memory
//   registers       as many warps as the tiles need that registers hold
//   cluster         one CTA, unless the schedule leaves it to the planner:
//                   then two, if each loads a quarter less for a K tile
//
// Slots come later, when there are pipes (size-pipes). A field that the user
// gave is never changed. It is used, or it is an error: a sentence with the
// arithmetic and what would fit.

#ifndef DRAWLOOM_DIALECT_TILE_TRANSFORMS_PLANNER_H
#define DRAWLOOM_DIALECT_TILE_TRANSFORMS_PLANNER_H

#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "mlir/IR/Types.h"

namespace drawloom::tile {

class KernelOp;

/// What the planner knows of a tiled program: sizes, not operations.
struct Problem {
  /// A tile as it lies in memory.
  struct Tile {
    int64_t rows, columns, bits;
    /// MMAs take it as B, of which each CTA of a pair holds a half.
    bool isB = false;
    /// Of an operand: a bit for each dimension of the work tiles that it
    /// depends on. CTAs along the others could share it.
    unsigned dims = 0;
  };

  /// A matrix product: an M x K tile times the transpose of an N x K tile.
  struct Mma {
    int64_t m, n, k;
    mlir::Type a, b, accumulator, scale;
    /// f32 operands may be rounded to tf32.
    bool tf32 = false;
    /// Adds to the accumulator of another MMA, which no other operation reads,
    /// so it takes no room.
    bool continues = false;
    /// A loop carries it, and threads change it before the MMA adds to it, so
    /// that they hold it.
    bool isChanged = false;
    /// Where to report it; may be null.
    mlir::Operation *op = nullptr;
  };

  /// Operands that one MMA reads and one loop loads.
  struct Operands {
    /// Loaded in a loop of the work tile, rather than once.
    bool inLoop = false;
    llvm::SmallVector<std::string, 2> views;
    llvm::SmallVector<Tile, 2> tiles;
  };

  /// Sizes of a work tile's tile, outermost loop first.
  llvm::SmallVector<int64_t, 3> items;
  /// How many there are along each dimension, mlir::ShapedType::kDynamic where
  /// not known; empty if they are in groups of different sizes.
  llvm::SmallVector<int64_t, 3> counts;
  std::vector<Mma> mmas;
  std::vector<Operands> operands;
  /// Tiles that loops load for threads, which make operands of them.
  std::vector<Tile> converted;
  /// Tiles that are loaded or stored once for a work tile, besides operands,
  /// and that may be divided into subtiles.
  std::vector<Tile> epilogue;
  /// Tiles besides accumulators that loops carry, so that registers hold them.
  std::vector<Tile> carried;
  /// Whether the CTAs of a cluster hand each other parts of tiles.
  bool gathers = false;
  /// The views of the kernel, loaded or stored.
  std::vector<std::string> views;
};

struct Choice {
  Schedule schedule;
  /// "rule: sentence", in the order decided.
  std::vector<std::string> reasons;
  /// What is wrong with the program or the given fields; empty if nothing is.
  std::string error;
  /// Whether a smaller tile, or fewer slots, may be without it.
  bool isTooLarge = false;
  /// The operation that the error is about; null if it is about the kernel.
  mlir::Operation *errorAt = nullptr;
};

/// Fills what `given` leaves open. `narrower` is how many widths of subtiles
/// are left out, the widest first.
Choice chooseSchedule(const Problem &problem, const Schedule &given,
                      const target::Architecture &arch, size_t narrower = 0);

/// Reads the problem off a kernel.
Problem describe(KernelOp kernel);

/// A program before it is cut into tiles: axes, and what lies along them.
struct Untiled {
  /// Sizes of the axes that have tiles of more than one element, in the order
  /// of a schedule's `tile`; mlir::ShapedType::kDynamic where not known.
  llvm::SmallVector<int64_t, 3> axes;
  /// Axes that are better not cut, if there is room: some product doesn't have
  /// them, and would be computed again for each of their tiles, or reads the
  /// same operand again in each step of a loop.
  llvm::SmallVector<unsigned, 3> undivided;
  /// Axes that a work tile walks, rather than having a part of them.
  llvm::SmallVector<unsigned, 3> walked;

  /// A matrix product along three of the axes. MMAs that read the same
  /// tensor say so by its name.
  struct Mma {
    unsigned m, n, k;
    mlir::Type a, b, accumulator;
    std::string aName, bName;
  };
  std::vector<Mma> mmas;

  /// A tensor of the function that is no operand of an MMA: its axes, the
  /// innermost last, and the bits of an element.
  struct Tensor {
    std::string name;
    llvm::SmallVector<unsigned, 3> axes;
    int64_t bits;
    bool isOutput;
  };
  std::vector<Tensor> tensors;
};

/// Chooses a tile size for each axis: `schedule.tile`, with its reasons. The
/// other fields of `given` are taken into account and passed on as they are.
/// `smaller` is how many tiles that would do are left out, the best first: they
/// turned out to be too large.
Choice chooseTile(const Untiled &program, const Schedule &given,
                  const target::Architecture &arch, int64_t smaller = 0);

} // namespace drawloom::tile

#endif // DRAWLOOM_DIALECT_TILE_TRANSFORMS_PLANNER_H
