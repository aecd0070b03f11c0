//===- ChooseTile.cpp - Tile sizes for programs that say none -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// With an MMA, a larger tile reads each operand fewer times, until it leaves
// too little memory to load ahead. So the candidates are tried from the largest
// on, and the first one that leaves four operand slots is taken. Without an
// MMA, a tile is a row of pieces that a copy moves well.
//
// This is the one place that adds up memory before there are pipes: a plan for
// each of fourteen candidates would take fourteen times as long. The sum knows
// operands, accumulators and what the epilogue loads and stores. Where a plan
// then shows that there is more, the next candidate is taken (fit-plans).

#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Tile/Transforms/Planner.h"
#include "drawloom/Target/MmaCode.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;
using llvm::formatv;

/// Barriers, messages and the address of tensor memory: a few hundred bytes.
static constexpr int64_t barrierRoom = 1024;
/// Rows and columns of an accumulator, the largest first.
static constexpr int64_t candidateRows[] = {128, 64};
static constexpr int64_t candidateColumns[] = {256, 192, 128, 96, 64, 32, 16};
/// Slots that are enough where larger tiles save MMAs.
static constexpr int64_t leastAhead = 3;
/// Columns of a product in a loop that threads have in registers, a row each.
static constexpr int64_t mostInRegisters = 64;
/// One row of a swizzled tile in shared memory.
static constexpr int64_t rowBytes = 128;
/// A tile of a program without MMAs: long rows, and as many as make a copy
/// of this size.
static constexpr int64_t longestRow = 1024, shortestRow = 32,
                         longestTurnedRow = 64;
static constexpr int64_t mostRows = 128;
static constexpr int64_t copyBytes = 16 * 1024;

/// The candidates that are whole instructions: of fewer rows there is no code.
static SmallVector<int64_t> getRows(const target::Architecture &arch) {
  int64_t least = candidateRows[0];
  for (const target::MmaCode &code : target::mmasWithCode())
    if (code.form.architectures & arch.bit)
      least = std::min<int64_t>(least, code.form.m.front());
  return llvm::filter_to_vector(
      candidateRows, [&](int64_t rows) { return rows % least == 0; });
}

/// Whether a tile of `size` along an axis wastes neither a whole part of itself
/// nor, in its last tile, what a smaller candidate would not waste.
static bool suits(int64_t axis, int64_t size, ArrayRef<int64_t> candidates) {
  if (ShapedType::isDynamic(axis) || axis % size == 0)
    return true;
  int64_t granule = candidates.back();
  if (size > int64_t(llvm::alignTo(axis, granule)))
    return false;
  return llvm::none_of(candidates, [&](int64_t other) {
    return other < size && 2 * other > size && axis % other == 0;
  });
}

namespace {
/// A tile for which there is a schedule, and the slots that it leaves.
struct Candidate {
  SmallVector<int64_t, 3> tile;
  int64_t slots;
};

class TileChooser {
public:
  TileChooser(const Untiled &program, const Schedule &given,
              const target::Architecture &arch, int64_t smaller)
      : program(program), given(given), arch(arch), smaller(smaller),
        tile(program.axes.size(), 1) {}

  Choice choose() {
    if (program.axes.empty())
      return finish({});
    return program.mmas.empty() ? chooseCopies() : chooseMma();
  }

private:
  Choice chooseMma();
  SmallVector<Candidate> findLegal(std::string &firstError, int64_t most);
  void widen(int64_t most);
  Choice chooseCopies();
  Problem cut() const;
  bool fitsTensorMemory() const;
  int64_t countAhead() const;
  std::string spell() const {
    return llvm::join(
        llvm::map_range(tile,
                        [](int64_t size) { return std::to_string(size); }),
        "x");
  }

  Choice finish(std::string reason) const {
    Choice choice;
    choice.schedule = given;
    choice.schedule.tile.assign(tile.begin(), tile.end());
    if (!reason.empty())
      choice.reasons.push_back(std::move(reason));
    return choice;
  }

  const Untiled &program;
  const Schedule &given;
  const target::Architecture &arch;
  int64_t smaller;
  SmallVector<int64_t, 3> tile;
};
} // namespace

/// The MMAs with the present tile sizes.
Problem TileChooser::cut() const {
  Problem problem;
  for (const Untiled::Mma &mma : program.mmas)
    problem.mmas.push_back({tile[mma.m], tile[mma.n], tile[mma.k], mma.a, mma.b,
                            mma.accumulator, Type(),
                            /*tf32=*/true});
  for (const Untiled::Tensor &tensor : program.tensors)
    problem.views.push_back(tensor.name);
  return problem;
}

bool TileChooser::fitsTensorMemory() const {
  constexpr int64_t columnBits = 32;
  if (arch.tensorMemory.columns == 0)
    return true;
  int64_t columns = 0;
  for (const Untiled::Mma &mma : program.mmas)
    columns +=
        llvm::divideCeil(tile[mma.m], arch.tensorMemory.lanes) *
        llvm::divideCeil(tile[mma.n] * mma.accumulator.getIntOrFloatBitWidth(),
                         columnBits);
  return columns <= int64_t(arch.tensorMemory.columns);
}

/// The slots that operands get beside the epilogue: a slot for what it loads
/// and two for what it stores, in its narrowest subtiles. Without roles there
/// are no slots.
int64_t TileChooser::countAhead() const {
  constexpr int64_t narrowestRow = 32;
  if (given.roles == Roles::None)
    return plan::wantedAhead;
  int64_t operands = 0, once = 0, leastBits = INT64_MAX;
  llvm::StringSet<> loaded;
  auto isSteps = [&](unsigned axis) {
    int64_t size = program.axes[axis];
    return llvm::is_contained(program.walked, axis) &&
           (ShapedType::isDynamic(size) || size > tile[axis]);
  };
  auto load = [&](StringRef name, unsigned rows, unsigned columns, Type type) {
    if (name.empty() || loaded.insert(name).second)
      (isSteps(rows) || isSteps(columns) ? operands : once) +=
          tile[rows] * tile[columns] * type.getIntOrFloatBitWidth() / 8;
  };
  for (const Untiled::Mma &mma : program.mmas) {
    load(mma.aName, mma.m, mma.k, mma.a);
    load(mma.bName, mma.n, mma.k, mma.b);
  }
  auto isTile = [](const Untiled::Tensor &tensor) {
    return tensor.axes.size() > 1;
  };
  for (const Untiled::Tensor &tensor : program.tensors)
    if (isTile(tensor))
      leastBits = std::min(leastBits, tensor.bits);
  if (operands == 0)
    std::swap(operands, once);
  int64_t left = arch.maxSharedMemoryPerCta - barrierRoom - once;
  for (const Untiled::Tensor &tensor : program.tensors) {
    if (!isTile(tensor))
      continue;
    int64_t columns = given.epilogueTile.value_or(narrowestRow * 8 / leastBits);
    int64_t bits = std::min(tile[tensor.axes.back()], columns) * tensor.bits;
    for (unsigned axis : ArrayRef(tensor.axes).drop_back())
      bits = plan::multiply(bits, tile[axis]);
    left -= (tensor.isOutput ? 2 : 1) * (bits / 8);
  }
  return std::clamp<int64_t>(left / operands, 0, plan::mostAhead);
}

/// What is given, without what depends on the tile: slots by name are looked at
/// later, and so is the cluster.
static Schedule withoutTile(const Schedule &given) {
  Schedule others = given;
  others.slots.clear();
  others.together.clear();
  others.cluster.clear();
  others.clusterIsOpen = false;
  others.fallbackCluster.clear();
  others.hints.clear();
  others.tile.clear();
  return others;
}

/// Tiles of up to `most` elements for what is better undivided. What is walked
/// is walked in one step then, or as the others are.
void TileChooser::widen(int64_t most) {
  for (unsigned axis : program.undivided) {
    int64_t size = program.axes[axis];
    bool isKnown = !ShapedType::isDynamic(size);
    if (llvm::is_contained(program.walked, axis) && !(isKnown && size <= most))
      continue;
    for (int64_t columns : candidateColumns)
      if (columns <= most && (columns == most || (isKnown && columns >= size)))
        tile[axis] = columns;
  }
}

/// The candidates for which there is a schedule, and what is wrong with the
/// first that has none.
SmallVector<Candidate> TileChooser::findLegal(std::string &firstError,
                                              int64_t most) {
  const Untiled::Mma &mma = program.mmas.front();
  Schedule others = withoutTile(given);
  SmallVector<Candidate> legal;
  SmallVector<int64_t> candidates = getRows(arch);
  for (int64_t rows : candidates)
    for (int64_t columns : candidateColumns) {
      if (!suits(program.axes[mma.m], rows, candidates) ||
          !suits(program.axes[mma.n], columns, candidateColumns))
        continue;
      bool isInLoop = most != 0 && llvm::is_contained(program.walked, mma.n);
      if (isInLoop && arch.tensorMemory.columns && columns > mostInRegisters)
        continue;
      for (const Untiled::Mma &other : program.mmas) {
        tile[other.m] = rows;
        tile[other.n] = columns;
      }
      widen(most);
      std::string error = chooseSchedule(cut(), others, arch).error;
      int64_t slots = countAhead();
      if (error.empty() && (slots == 0 || !fitsTensorMemory()))
        error = "its operands and accumulators are larger than the memory of " +
                arch.name.str();
      if (error.empty())
        legal.push_back({tile, slots});
      else if (firstError.empty())
        firstError = spell() + ": " + error;
    }
  return legal;
}

/// The first with enough slots, else the one with most; 0 if there is none.
static size_t findBest(ArrayRef<Candidate> legal, int64_t wanted) {
  size_t best = 0;
  for (auto [number, candidate] : llvm::enumerate(legal))
    if (legal[best].slots < wanted && candidate.slots > legal[best].slots)
      best = number;
  return best;
}

Choice TileChooser::chooseMma() {
  const Untiled::Mma &mma = program.mmas.front();
  int64_t bits =
      std::max(mma.a.getIntOrFloatBitWidth(), mma.b.getIntOrFloatBitWidth());
  // A short k needs no whole row; instructions take 32 bytes of it at a time.
  int64_t step = rowBytes * 8 / bits;
  if (int64_t size = program.axes[mma.k]; !ShapedType::isDynamic(size))
    step = std::min<int64_t>(step, llvm::alignTo(size, 32 * 8 / bits));
  for (const Untiled::Mma &other : program.mmas)
    tile[other.k] = step;

  // What is better undivided has one tile, or as few as fit.
  std::string firstError;
  SmallVector<Candidate> legal;
  SmallVector<int64_t, 3> divided = tile;
  size_t best = 0, undivided = 0;
  for (int64_t most : {256, 128, 64, 0}) {
    if (most != 0 && program.undivided.empty())
      continue;
    if (most == 0)
      undivided = legal.size();
    tile = divided;
    SmallVector<Candidate> more = findLegal(firstError, most);
    if (legal.empty())
      best = findBest(more, most ? leastAhead : plan::wantedAhead);
    legal.append(more);
  }
  size_t taken = best + smaller;
  if (taken >= legal.size()) {
    Choice choice = finish({});
    choice.error = smaller ? "no smaller tile is left"
                           : "no tile size is legal for this MMA; the first "
                             "that was tried is " +
                                 firstError;
    return choice;
  }
  tile = legal[taken].tile;
  int64_t slots = legal[taken].slots;
  if (smaller)
    return finish(formatv("tile: {0} on {1}; larger candidates are too large",
                          spell(), arch.name));
  if (taken < undivided)
    return finish(formatv("tile: {0}, because with smaller tiles MMAs or loads "
                          "would be repeated; it leaves {1} operand slots on "
                          "{2}",
                          spell(), slots, arch.name));
  if (slots < plan::wantedAhead)
    return finish(formatv("tile: {0} on {1}; no candidate leaves {2} operand "
                          "slots, this one leaves {3}",
                          spell(), arch.name, plan::wantedAhead, slots));
  return finish(formatv(
      "tile: {0}, the largest candidate that leaves {1} operand slots on "
      "{2}; k moves in rows of {3} bytes",
      spell(), slots, arch.name, step * bits / 8));
}

Choice TileChooser::chooseCopies() {
  // The innermost axis of the first tensor is contiguous in most of them; a
  // vector says little about the others.
  unsigned inner = program.axes.size() - 1;
  int64_t bits = 8;
  size_t rank = 0;
  for (const Untiled::Tensor &tensor : program.tensors) {
    bits = std::max(bits, tensor.bits);
    if (size_t own = std::min<size_t>(tensor.axes.size(), 2); own > rank) {
      inner = tensor.axes.back();
      rank = own;
    }
  }
  auto cap = [&](unsigned axis, int64_t most) {
    int64_t size = program.axes[axis];
    return ShapedType::isDynamic(size)
               ? most
               : std::min<int64_t>(most, llvm::PowerOf2Ceil(size));
  };
  int64_t longest = longestRow >> std::min<int64_t>(smaller, 32);
  if (longest < shortestRow) {
    Choice choice = finish({});
    choice.error = "no smaller tile is left";
    return choice;
  }
  // Where tensors have different axes innermost, elements change threads, and
  // a square has long rows both ways.
  bool isTurned = llvm::any_of(program.tensors, [&](const auto &tensor) {
    return tensor.axes.size() > 1 && tensor.axes.back() != inner;
  });
  if (isTurned) {
    longest = std::min(longest, longestTurnedRow);
    for (const Untiled::Tensor &tensor : program.tensors)
      if (tensor.axes.size() > 1)
        tile[tensor.axes.back()] = cap(tensor.axes.back(), longest);
    return finish(formatv("tile: {0}, a square, because rows of one tensor are "
                          "columns of another",
                          spell()));
  }
  tile[inner] = cap(inner, longest);
  int64_t rows =
      std::clamp<int64_t>(copyBytes * 8 / (tile[inner] * bits), 1, mostRows);
  for (unsigned axis = program.axes.size(); axis-- > 0;)
    if (axis != inner && rows > 1) {
      tile[axis] = cap(axis, rows);
      rows /= tile[axis];
    }
  return finish(formatv("tile: {0}, so that one copy moves up to {1} KiB in "
                        "rows of {2} bytes",
                        spell(), copyBytes / 1024, tile[inner] * bits / 8));
}

Choice tile::chooseTile(const Untiled &program, const Schedule &given,
                        const target::Architecture &arch, int64_t smaller) {
  return TileChooser(program, given, arch, smaller).choose();
}
