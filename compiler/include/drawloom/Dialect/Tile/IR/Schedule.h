//===- Schedule.h - What a plan shall look like --------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A schedule says how a kernel shall be planned; it never changes what the
// kernel computes, but for the approximations that `fast_math` allows. Every
// field may be left out: choose-schedule fills it from the architecture's
// table. What a person wrote is kept as it is, or rejected.
//
// The same fields exist three times, with the same names: in this structure,
// which the C++ builder fills; in `#tile.schedule`, which holds one; and in the
// attribute's text. A kernel carries the schedule and its target as attributes:
//
//   tile.kernel @linear(%a: ..., %bias: ...) attributes {
//     tile.target = "sm_100a",
//     tile.schedule = #tile.schedule<tile = [128, 256, 64], slots = {bias =
//     2}>}
//
// Slots and `together` speak of pipes and views by name. The name of a view is
// the name of the kernel's argument: `bias` for `%bias`.

#ifndef DRAWLOOM_DIALECT_TILE_IR_SCHEDULE_H
#define DRAWLOOM_DIALECT_TILE_IR_SCHEDULE_H

#include "drawloom/Dialect/Tile/IR/TileEnums.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mlir {
class BlockArgument;
class Operation;
} // namespace mlir

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::tile {

struct Schedule {
  /// Sizes of a work tile, then of the K tile. Empty: not given.
  llvm::SmallVector<int64_t, 3> tile;
  std::optional<Persistence> persistent;
  std::optional<Roles> roles;
  /// What happens to a program that can't be specialized as asked.
  std::optional<Fallback> fallback;
  /// Slots by the name of a pipe or of a loaded view, in the order given.
  std::vector<std::pair<std::string, int64_t>> slots;
  /// Views that shall travel in one pipe.
  std::vector<std::vector<std::string>> together;
  /// CTAs of a cluster in each dimension. Empty: not given.
  llvm::SmallVector<int64_t, 3> cluster;
  /// Instead of `cluster`: the planner chooses it, and the CTA group, by what
  /// CTAs would load.
  bool clusterIsOpen = false;
  /// The cluster of the fallback kernel, for launches that the first one
  /// doesn't suit. Empty: there is none.
  llvm::SmallVector<int64_t, 3> fallbackCluster;
  /// CTAs that one MMA computes for, as in `cta_group::2` of tcgen05: a 2-CTA
  /// MMA is issued by one CTA of a pair for both.
  std::optional<int64_t> ctaGroup;
  /// Warps of each role that computes.
  std::optional<int64_t> warps;
  /// Columns of the subtiles in which an epilogue's inputs and outputs move.
  std::optional<int64_t> epilogueTile;
  /// Tiles of the last dimension that one work tile computes interleaved.
  std::optional<int64_t> interleave;
  /// Whether functions are the hardware's approximations. Not given: where the
  /// type of what is stored hides their error.
  std::optional<bool> fastMath;
  /// How long the L2 cache shall keep what TMA moves, by the name of a view.
  std::vector<std::pair<std::string, Eviction>> hints;
  /// Pragmas for ptxas, by the place where they are emitted.
  std::vector<std::pair<std::string, std::string>> pragmas;

  bool operator==(const Schedule &) const = default;

  bool hasPairs() const { return ctaGroup == 2; }

  /// The slots that are given for a name.
  std::optional<int64_t> getSlots(llvm::StringRef name) const;

  /// The hint that is given for a view.
  std::optional<Eviction> getHint(llvm::StringRef view) const;

  /// The pragma for a place; empty if none is given.
  llvm::StringRef getPragma(llvm::StringRef place) const;

  /// What is wrong with the fields on their own, whatever the program and the
  /// target; empty if nothing is.
  std::string findError() const;
};

llvm::hash_code hash_value(const Schedule &schedule);

/// The places that pragmas have: where a kernel begins, and directly before
/// fences, arrivals and the barriers of a cluster.
inline constexpr llvm::StringLiteral pragmaAtEntry = "entry";
inline constexpr llvm::StringLiteral pragmaAtSync = "sync";

/// Names of the attributes that carry a schedule.
inline constexpr llvm::StringLiteral targetAttrName = "tile.target";
inline constexpr llvm::StringLiteral scheduleAttrName = "tile.schedule";
inline constexpr llvm::StringLiteral reasonsAttrName = "tile.reasons";
inline constexpr llvm::StringLiteral nameAttrName = "tile.name";

/// The schedule of a kernel or function; an empty one if it has none.
Schedule getSchedule(mlir::Operation *op);
void setSchedule(mlir::Operation *op, const Schedule &schedule);

/// The name of the fallback kernel, with smaller clusters, of another one.
std::string getFallbackName(llvm::StringRef kernel);

/// The architecture that a kernel or function is for; null if it names none.
const target::Architecture *getTarget(mlir::Operation *op);

/// The same for passes that can't work without one: an error at `op` if it
/// names none.
mlir::FailureOr<const target::Architecture *>
requireTarget(mlir::Operation *op);

/// Why the schedule is what it is: "rule: sentence", in the order decided.
void addReasons(mlir::Operation *op, llvm::ArrayRef<std::string> reasons);
llvm::SmallVector<llvm::StringRef> getReasons(mlir::Operation *op);

/// The name of an argument of a kernel or function in the user's program,
/// without the `%`: what `tile.name` says, else the name in its location; empty
/// if it has none.
llvm::StringRef findArgumentName(mlir::BlockArgument argument);

/// The same, or `arg` and its number.
std::string getArgumentName(mlir::BlockArgument argument);

/// Gives an argument its name, by its location.
void setArgumentName(mlir::BlockArgument argument, llvm::StringRef name);

} // namespace drawloom::tile

#endif // DRAWLOOM_DIALECT_TILE_IR_SCHEDULE_H
