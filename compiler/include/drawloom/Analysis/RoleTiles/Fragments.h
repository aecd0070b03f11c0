//===- Fragments.h - Which thread has which element ----------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A tile in registers is a vector for each thread of a role and a tile::Layout
// from (register, lane, warp) to the tile's coordinates. A role has one family
// of layouts, so that operations on elements never move data:
//
// | family | of which roles | rows | columns |
// |---|---|---|---|
// | rows | that read or write tensor memory | lane, warp | register, warp |
// | wgmma | whose warp groups issue MMAs | register, lane, warp | register,
// |       |                                  |                      | lane |
// | blocked | all others | lane, warp, register | register, lane, warp |
//
// A family says for each axis, from its lowest digit up, where the digit comes
// from. It is the same for all sizes of that axis and does not ask for the
// other one. So a vector along an axis is the tile whose other size is one: the
// lanes and warps of the other axis have copies of it. To add an axis of size
// one is nothing, to broadcast along it repeats registers, and a reduction over
// an axis combines the lanes and warps of that axis and no others.
//
// What memory a thread touches is algebra: the fragment's layout, then the
// inverse of the memory's, is a layout from (register, lane, warp) to an
// offset. Offsets splits it into what a thread computes once and a constant for
// each register.

#ifndef DRAWLOOM_ANALYSIS_ROLETILES_FRAGMENTS_H
#define DRAWLOOM_ANALYSIS_ROLETILES_FRAGMENTS_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/Layout.h"
#include <functional>

namespace mlir::scf {
class ForOp;
} // namespace mlir::scf

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::plan {

/// The inputs of a fragment's layout.
enum FragmentInput : unsigned { inRegister, inLane, inWarp };

class Fragments {
public:
  enum class Family { Rows, HalfRows, Wgmma, Blocked };

  /// The family of a role, and what it would be with another number of warps.
  static Fragments get(agent::RoleOp role, const target::Architecture &arch) {
    return get(role, role.getWarps(), arch);
  }
  static Fragments get(agent::RoleOp role, int64_t warps,
                       const target::Architecture &arch);
  /// Accumulators of 128 rows in tensor memory, and of 64, which are in half of
  /// its lanes. Four warps have these rows, the next four the next such block,
  /// and `sharing` groups of warps share the columns.
  static Fragments rows(int64_t warps, int64_t sharing = 1);
  static Fragments halfRows(int64_t warps, int64_t sharing = 1);
  /// The one of these two that has an accumulator of so many rows.
  static Fragments ofAccumulator(int64_t warps, int64_t rows,
                                 const target::Architecture &arch);
  /// The groups that share columns where tiles have `blocks` blocks of rows.
  static int64_t countSharing(int64_t warps, int64_t blocks);
  static Fragments wgmma(int64_t warps);
  /// `rows` x `columns` is the tile that lanes and warps are divided for, and
  /// `chunk` how many columns next to each other a thread has.
  static Fragments blocked(int64_t warps, int64_t rows, int64_t columns,
                           int64_t chunk);

  /// The layout of a tile of rank two, or of a vector along `axis` of the
  /// role's tiles. An error if the rank has no layout.
  llvm::Expected<tile::Layout> getLayout(llvm::ArrayRef<int64_t> shape,
                                         unsigned axis = 0) const;

  /// The layout in which a tile of tensor memory is read, if it isn't the
  /// role's own: an accumulator of 64 rows beside others of 128. A conversion
  /// follows.
  std::optional<tile::Layout> getHalfLayout(mlir::RankedTensorType tile) const;

  /// The axis of a vector that nothing ties to another tile.
  unsigned getFreeAxis() const { return family == Family::Blocked ? 1 : 0; }

private:
  /// A digit of a coordinate with `count` values, or, if `count` is 0, all that
  /// is left of its axis.
  struct Source {
    FragmentInput input;
    unsigned axis;
    int64_t count;
  };

  Fragments(Family family, int64_t warps) : family(family), warps(warps) {}

  /// The warps of a family by rows, and the registers that are left.
  void addWarps(int64_t sharing);

  Family family;
  int64_t warps;
  /// In the order of the digits of each input, and of each axis.
  llvm::SmallVector<Source> sources;
};

/// What one instruction takes of a tile in registers: columns of a wgmma, which
/// are half as many registers; registers of an MMA that threads add to a
/// small total; columns of tensor memory, each a register. One wait is for
/// several loads.
constexpr int64_t mostWgmmaColumns = 256, mostPromotedRegisters = 64,
                  columnsPerLoad = 32, columnsPerWait = 128,
                  columnsPerStore = 128;

/// Whether a value is a tile that has a layout: after `assign-layouts` those
/// are in registers, and others name memory.
bool isInRegisters(mlir::Value tile);

/// Whether a tile of rank two has the layout that a family gives it.
bool isOf(const Fragments &family, const tile::Layout &layout);

/// Whether a tile has the layout of rows in tensor memory, or of half of them,
/// however many warp groups share the columns.
bool isOfRows(const tile::Layout &layout, int64_t warps, bool half);

/// An error if threads of the roles compute a tile that has no layout.
mlir::LogicalResult requireLayouts(agent::SwitchOp roles);

/// The layout of what is left of a tile when an axis is reduced: registers
/// along it are gone, lanes and warps along it have copies.
tile::Layout dropAxis(const tile::Layout &layout, unsigned axis);

/// The registers of a fragment by `from` that are those of one by `to`, whose
/// element at some coordinates is the one at `map(coordinates)`. Nothing if
/// elements would have to change threads.
std::optional<llvm::SmallVector<int64_t>> findRegisters(
    const tile::Layout &from, const tile::Layout &to,
    llvm::function_ref<llvm::SmallVector<int64_t>(llvm::ArrayRef<int64_t>)>
        map);

/// For each coordinate of what a tile.expand_dims, tile.broadcast or
/// tile.transpose makes, the one of its source.
std::function<llvm::SmallVector<int64_t>(llvm::ArrayRef<int64_t>)>
getReshape(mlir::Operation *op);

/// The same for a tensor.extract_slice or tile.extract_slice whose offsets are
/// numbers; empty if one is not.
std::function<llvm::SmallVector<int64_t>(llvm::ArrayRef<int64_t>)>
getSlice(mlir::Operation *op);

/// The values of the induction variable of a loop that is unrolled if it slices
/// a tile in registers, since a register has no address. Nothing if they aren't
/// constants, or are more than a thread has registers: then the tile goes
/// through memory.
std::optional<llvm::SmallVector<int64_t>>
getUnrolledIterations(mlir::scf::ForOp loop);

/// Whether a slice of a tile by `from` is made of each thread's own registers
/// by `to`, wherever it begins once its loops are unrolled.
bool sliceStaysInThreads(mlir::Operation *slice, const tile::Layout &from,
                         const tile::Layout &to);

/// A tile in shared memory as TMA and the tensor core see it: panels of
/// `columns` columns one behind the other. If they are swizzled, their rows
/// have 32, 64 or 128 bytes, and the swizzle is as wide. From the offset in
/// elements to the coordinates.
llvm::Expected<tile::Layout> getPanelLayout(int64_t rows, int64_t columns,
                                            int64_t panels,
                                            int64_t elementBytes,
                                            bool swizzled);

/// A number for each place of a fragment: thread(lane, warp) combined with a
/// constant for each register. Bits below the first odd digit of the number are
/// combined by XOR, which is what swizzles need, the rest by addition.
class Offsets {
public:
  /// XORs (input & mask) << shift, or >> -shift.
  struct Xor {
    FragmentInput input;
    int64_t mask;
    int shift;
  };
  /// Adds (input / divisor % count) * factor.
  struct Sum {
    FragmentInput input;
    int64_t divisor, count, factor;
  };

  /// Output `output` of a fragment's layout, times `scale`, a power of two.
  static llvm::Expected<Offsets> get(const tile::Layout &layout,
                                     unsigned output, int64_t scale = 1);

  /// Those of `count` registers from `first` on.
  Offsets slice(int64_t first, int64_t count) const;

  llvm::ArrayRef<Xor> getXors() const { return xors; }
  llvm::ArrayRef<Sum> getSums() const { return sums; }
  int64_t getRegisters() const { return registers.size(); }

  /// A register's constant: the part that is XORed with the thread's number,
  /// and the part that is added to the result.
  int64_t getXored(int64_t number) const {
    return registers[number] & threadBits;
  }
  int64_t getAdded(int64_t number) const {
    return registers[number] & ~threadBits;
  }

  /// The registers whose numbers follow each other from a multiple of their
  /// count on, in steps of the scale: one access. At most `most`, a power of
  /// two; the first register of each run in ascending order.
  llvm::SmallVector<llvm::SmallVector<int64_t>> getRuns(int64_t most) const;

  /// The number at a place, as the code computes it.
  int64_t evaluate(int64_t number, int64_t lane, int64_t warp) const;

private:
  int64_t scale = 1;
  llvm::SmallVector<Xor> xors;
  llvm::SmallVector<Sum> sums;
  /// The bits that XORs can set.
  int64_t threadBits = 0;
  llvm::SmallVector<int64_t> registers;
};

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_ROLETILES_FRAGMENTS_H
