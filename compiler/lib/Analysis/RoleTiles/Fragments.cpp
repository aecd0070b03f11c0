//===- Fragments.cpp - Which thread has which element ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::plan;
using tile::Layout;

static constexpr int64_t lanes = 32;
/// Rows of an accumulator that is in half of the lanes of tensor memory.
static constexpr int64_t halfLanes = 64;
/// The widest access of a thread.
static constexpr int64_t accessBits = 128;

/// The prime factors, ascending.
static SmallVector<int64_t> factor(int64_t number) {
  SmallVector<int64_t> primes;
  for (int64_t prime = 2; number > 1; ++prime)
    for (; number % prime == 0; number /= prime)
      primes.push_back(prime);
  return primes;
}

//===----------------------------------------------------------------------===//
// The families
//===----------------------------------------------------------------------===//

void Fragments::addWarps(int64_t sharing) {
  for (int64_t count : factor(warps / sharing))
    sources.push_back({inWarp, 0, count});
  for (int64_t count : factor(sharing))
    sources.push_back({inWarp, 1, count});
  sources.append({{inRegister, 1, 0}, {inRegister, 0, 0}});
}

/// Groups that share columns take turns, so that a part of the columns has the
/// layout that it would have alone.
Fragments Fragments::rows(int64_t warps, int64_t sharing) {
  Fragments result(Family::Rows, warps);
  if (sharing > 1)
    result.sources.push_back({inRegister, 1, columnsPerLoad});
  else
    result.sources.push_back({inRegister, 1, 0});
  result.sources.append(llvm::Log2_64(lanes), {inLane, 0, 2});
  result.addWarps(sharing);
  return result;
}

/// PTX ISA, tcgen05 "Data Path Layout" of M = 64: rows 16 w to 16 w + 15 are
/// the first lanes of warp w. With the shape 16x32bx2 of tcgen05.ld the other
/// half of the warp reads the next columns.
Fragments Fragments::halfRows(int64_t warps, int64_t sharing) {
  Fragments result(Family::HalfRows, warps);
  result.sources.push_back({inRegister, 1, 8});
  result.sources.append(llvm::Log2_64(lanes / 2), {inLane, 0, 2});
  result.sources.push_back({inLane, 1, 2});
  result.addWarps(sharing);
  return result;
}

/// PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk", matrix D: row
/// 16 * warp + lane / 4 + 8 * (i % 4 / 2), column 8 * (i / 4) + 2 * (lane % 4)
/// + i % 2. The next warp group has the next 64 rows.
Fragments Fragments::wgmma(int64_t warps) {
  Fragments result(Family::Wgmma, warps);
  result.sources = {{inRegister, 1, 2}, {inLane, 1, 2}, {inLane, 1, 2},
                    {inLane, 0, 2},     {inLane, 0, 2}, {inLane, 0, 2},
                    {inRegister, 0, 2}};
  result.addWarps(/*sharing=*/1);
  return result;
}

Fragments Fragments::blocked(int64_t warps, int64_t rows, int64_t columns,
                             int64_t chunk) {
  Fragments result(Family::Blocked, warps);
  chunk = std::gcd(columns, chunk);
  result.sources.push_back({inRegister, 1, chunk});
  int64_t columnsLeft = columns / chunk, rowsLeft = rows;
  auto give = [&](FragmentInput input, unsigned axis, int64_t count) {
    int64_t &left = axis ? columnsLeft : rowsLeft;
    if (left % count == 0)
      left /= count;
    result.sources.push_back({input, axis, count});
  };
  for (int64_t lane = 1; lane < lanes; lane *= 2)
    give(inLane, columnsLeft % 2 == 0 ? 1 : 0, 2);
  for (int64_t count : factor(warps))
    give(inWarp, rowsLeft % count == 0 || columnsLeft % count ? 0 : 1, count);
  result.sources.append({{inRegister, 1, 0}, {inRegister, 0, 0}});
  return result;
}

int64_t Fragments::countSharing(int64_t warps, int64_t blocks) {
  int64_t groups = warps / target::warpsPerGroup;
  if (warps % target::warpsPerGroup != 0)
    return 1;
  return groups / std::gcd(groups, blocks);
}

Fragments Fragments::ofAccumulator(int64_t warps, int64_t rows,
                                   const target::Architecture &arch) {
  int64_t sharing = countSharing(
      warps, llvm::divideCeil(rows, int64_t(arch.tensorMemory.lanes)));
  return rows == halfLanes ? halfRows(warps, sharing)
                           : Fragments::rows(warps, sharing);
}

Fragments Fragments::get(agent::RoleOp role, int64_t warps,
                         const target::Architecture &arch) {
  if (arch.mma == target::MmaInstruction::Wgmma &&
      role.walk([](Operation *op) {
            return WalkResult(failure(isa<tile::MmaOp, agent::IssueOp>(op)));
          })
          .wasInterrupted())
    return wgmma(warps);

  bool inTensorMemory = false, isHalf = true;
  int64_t blocks = 0;
  int64_t rows = 1, columns = 1, bits = accessBits;
  auto visitTensor = [&](agent::Memory memory, ArrayRef<Type> payload) {
    // Whether the GPU has any is another question.
    if (memory != agent::Memory::tmem || arch.tensorMemory.columns == 0)
      return;
    inTensorMemory = true;
    for (Type type : payload) {
      int64_t rows = cast<ShapedType>(type).getDimSize(0);
      isHalf &= rows == halfLanes;
      blocks = std::gcd(
          blocks, llvm::divideCeil(rows, int64_t(arch.tensorMemory.lanes)));
    }
  };
  role.walk([&](Operation *op) {
    auto visit = [&](Type type) {
      if (auto pipe = dyn_cast<agent::PipeType>(type))
        visitTensor(pipe.getMemory(), pipe.getPayload());
      if (auto slots = dyn_cast<agent::SlotsType>(type))
        visitTensor(slots.getMemory(), slots.getPayload());
      // These name memory, which other operations read or write.
      if (isa<agent::SlotOp, agent::OrZeroOp, tile::ReadOp>(op))
        return;
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (auto buffer = dyn_cast<tile::BufferType>(type))
        tensor =
            RankedTensorType::get(buffer.getShape(), buffer.getElementType());
      if (!tensor || !tensor.hasStaticShape() || tensor.getRank() > 2 ||
          tensor.getRank() == 0)
        return;
      bits = std::min(
          bits, std::max<int64_t>(getElementBits(tensor.getElementType()), 8));
      int64_t tileRows = tensor.getRank() == 2 ? tensor.getDimSize(0) : 1;
      int64_t tileColumns = tensor.getShape().back();
      // Of tiles with the same number of elements, the first.
      if (multiply(tileRows, tileColumns) > multiply(rows, columns))
        rows = tileRows, columns = tileColumns;
    };
    for (Type type : op->getOperandTypes())
      visit(type);
    for (Type type : op->getResultTypes())
      visit(type);
  });
  if (inTensorMemory) {
    int64_t sharing = countSharing(warps, blocks);
    return isHalf ? halfRows(warps, sharing) : Fragments::rows(warps, sharing);
  }
  return blocked(warps, rows, columns, accessBits / bits);
}

llvm::Expected<Layout> Fragments::getLayout(ArrayRef<int64_t> shape,
                                            unsigned axis) const {
  if (shape.size() != 1 && shape.size() != 2)
    return llvm::createStringError(
        llvm::formatv("a tile of rank {0} has no layout in registers: ranks "
                      "are one and two",
                      shape.size()));
  int64_t left[2] = {1, 1}, step[2] = {1, 1};
  if (shape.size() == 2)
    left[0] = shape[0], left[1] = shape[1];
  else
    left[axis] = shape[0];

  std::vector<Layout::Input> inputs = {
      {"register", {}}, {"lane", {}}, {"warp", {}}};
  for (const Source &source : sources) {
    int64_t &rest = left[source.axis];
    int64_t count = source.count;
    if (source.input == inRegister)
      count = count ? std::gcd(rest, count) : rest;
    SmallVector<int64_t, 2> basis(shape.size(), 0);
    if (rest % count == 0) {
      basis[shape.size() == 2 ? source.axis : 0] = step[source.axis];
      rest /= count;
      step[source.axis] *= count;
    } else if (count > 2) {
      return llvm::createStringError(llvm::formatv(
          "{0} warps cannot share {1} {2}: neither is a multiple of {3}", warps,
          shape.size() == 2 ? shape[source.axis] : shape[0],
          source.axis ? "columns" : "rows", count));
    }
    // A surplus lane or warp has a copy; a surplus register does not exist.
    if (count > 1)
      inputs[source.input].digits.push_back({basis, count});
  }
  std::vector<Layout::Output> outputs;
  for (auto [index, size] : llvm::enumerate(shape))
    outputs.push_back({Layout::dimName(index), size});
  return Layout::get(std::move(inputs), std::move(outputs));
}

std::optional<Layout> Fragments::getHalfLayout(RankedTensorType tile) const {
  if (family != Family::Rows || tile.getRank() != 2 ||
      tile.getDimSize(0) != halfLanes)
    return std::nullopt;
  llvm::Expected<Layout> layout =
      halfRows(warps, countSharing(warps, /*blocks=*/1))
          .getLayout(tile.getShape());
  if (layout)
    return std::move(*layout);
  llvm::consumeError(layout.takeError());
  return std::nullopt;
}

bool plan::isInRegisters(Value tile) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  return type && type.getEncoding();
}

bool plan::isOf(const Fragments &family, const Layout &layout) {
  SmallVector<int64_t> shape = llvm::map_to_vector(
      layout.getOutputs(), [](const auto &output) { return output.size; });
  llvm::Expected<Layout> expected = family.getLayout(shape);
  if (expected)
    return layout == *expected;
  llvm::consumeError(expected.takeError());
  return false;
}

bool plan::isOfRows(const Layout &layout, int64_t warps, bool half) {
  for (int64_t sharing = 1; sharing * target::warpsPerGroup <= warps; ++sharing)
    if (warps % (sharing * target::warpsPerGroup) == 0 &&
        isOf(half ? Fragments::halfRows(warps, sharing)
                  : Fragments::rows(warps, sharing),
             layout))
      return true;
  return false;
}

LogicalResult plan::requireLayouts(agent::SwitchOp roles) {
  WalkResult found = roles.walk([](Operation *op) {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 ||
        !isa<RankedTensorType>(op->getResult(0).getType()) ||
        isInRegisters(op->getResult(0)))
      return WalkResult::advance();
    op->emitOpError("has a tile without a layout; run 'assign-layouts' first "
                    "[pass-order]");
    return WalkResult::interrupt();
  });
  return failure(found.wasInterrupted());
}

Layout plan::dropAxis(const Layout &layout, unsigned axis) {
  std::vector<Layout::Input> inputs(layout.getInputs());
  std::vector<Layout::Output> outputs(layout.getOutputs());
  for (auto [number, input] : llvm::enumerate(inputs)) {
    for (Layout::Digit &digit : input.digits)
      digit.basis.erase(digit.basis.begin() + axis);
    if (number == inRegister)
      llvm::erase_if(input.digits, [](const Layout::Digit &digit) {
        return llvm::all_of(digit.basis, [](int64_t step) { return !step; });
      });
  }
  outputs.erase(outputs.begin() + axis);
  for (auto [index, output] : llvm::enumerate(outputs))
    output.name = Layout::dimName(index);
  // A part of a layout is one.
  return llvm::cantFail(Layout::get(std::move(inputs), std::move(outputs)));
}

std::optional<SmallVector<int64_t>>
plan::findRegisters(const Layout &from, const Layout &to,
                    function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> map) {
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> registers;
  auto key = [](ArrayRef<int64_t> at) {
    return std::pair(at[0], at.size() > 1 ? at[1] : 0);
  };
  for (int64_t i = 0; i < from.getInputSize(inRegister); ++i)
    registers.insert({key(from.apply({i, 0, 0})), i});
  SmallVector<int64_t> numbers;
  for (int64_t i = 0; i < to.getInputSize(inRegister); ++i) {
    auto found = registers.find(key(map(to.apply({i, 0, 0}))));
    if (found == registers.end())
      return std::nullopt;
    numbers.push_back(found->second);
    // Layouts are linear, so each digit of the thread can be looked at alone.
    for (unsigned input : {inLane, inWarp}) {
      int64_t weight = 1;
      for (const tile::Layout::Digit &digit : to.getInputs()[input].digits) {
        SmallVector<int64_t> place(3, 0);
        place[input] = weight;
        place[inRegister] = i;
        SmallVector<int64_t> wanted = map(to.apply(place));
        place[inRegister] = found->second;
        if (from.apply(place) != wanted)
          return std::nullopt;
        weight *= digit.count;
      }
    }
  }
  return numbers;
}

std::function<SmallVector<int64_t>(ArrayRef<int64_t>)>
plan::getReshape(Operation *op) {
  return [op](ArrayRef<int64_t> coordinates) {
    SmallVector<int64_t> at(coordinates);
    auto from = cast<RankedTensorType>(op->getOperand(0).getType());
    if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
      at.erase(at.begin() + expand.getAxis());
    } else if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
      for (auto [index, dim] : llvm::enumerate(transpose.getPermutation()))
        at[dim] = coordinates[index];
    } else {
      for (auto [coordinate, size] : llvm::zip_equal(at, from.getShape()))
        coordinate = size == 1 ? 0 : coordinate;
    }
    return at;
  };
}

/// Where the elements of a slice are that begins at `starts`.
static auto moveBy(ArrayRef<int64_t> starts) {
  return
      [starts = SmallVector<int64_t>(starts)](ArrayRef<int64_t> coordinates) {
        SmallVector<int64_t> at(coordinates);
        for (auto [coordinate, start] : llvm::zip_equal(at, starts))
          coordinate += start;
        return at;
      };
}

static SmallVector<OpFoldResult> getSliceOffsets(Operation *op) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return slice.getMixedOffsets();
  Builder b(op->getContext());
  return llvm::map_to_vector(
      cast<tile::ExtractSliceOp>(op).getOffsets(),
      [&](int64_t start) { return OpFoldResult(b.getIndexAttr(start)); });
}

std::function<SmallVector<int64_t>(ArrayRef<int64_t>)>
plan::getSlice(Operation *op) {
  std::optional<SmallVector<int64_t>> starts =
      getConstantIntValues(getSliceOffsets(op));
  if (!starts)
    return {};
  return moveBy(*starts);
}

std::optional<SmallVector<int64_t>>
plan::getUnrolledIterations(scf::ForOp loop) {
  constexpr int64_t most = 255;
  std::optional<APInt> trips = loop.getStaticTripCount();
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!trips || !first || !step || trips->ugt(most))
    return std::nullopt;
  SmallVector<int64_t> counts;
  for (uint64_t i = 0; i < trips->getZExtValue(); ++i)
    counts.push_back(*first + int64_t(i) * *step);
  return counts;
}

bool plan::sliceStaysInThreads(Operation *slice, const Layout &from,
                               const Layout &to) {
  constexpr size_t mostPlaces = 1024;
  // All places, each with the offsets so far.
  SmallVector<SmallVector<int64_t>> places = {{}};
  for (OpFoldResult offset : getSliceOffsets(slice)) {
    SmallVector<int64_t> starts;
    if (std::optional<int64_t> start = getConstantIntValue(offset)) {
      starts = {*start};
    } else {
      auto loop = dyn_cast_or_null<scf::ForOp>(
          cast<Value>(offset).getParentBlock()->getParentOp());
      if (!loop || loop.getInductionVar() != cast<Value>(offset))
        return false;
      std::optional<SmallVector<int64_t>> counts = getUnrolledIterations(loop);
      if (!counts)
        return false;
      starts = std::move(*counts);
    }
    SmallVector<SmallVector<int64_t>> all;
    for (ArrayRef<int64_t> place : places)
      for (int64_t start : starts) {
        all.emplace_back(place);
        all.back().push_back(start);
      }
    places = std::move(all);
    if (places.size() > mostPlaces)
      return false;
  }
  return llvm::all_of(places, [&](ArrayRef<int64_t> starts) {
    return findRegisters(from, to, moveBy(starts)).has_value();
  });
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

llvm::Expected<Layout> plan::getPanelLayout(int64_t rows, int64_t columns,
                                            int64_t panels,
                                            int64_t elementBytes,
                                            bool swizzled) {
  // Chunks of 16 bytes are permuted by the number of the 128 bytes that they
  // are in: bits 4 and up by the bits 7 and up.
  static constexpr unsigned chunkBit = 4, spanBit = 7;
  static constexpr int64_t patternBytes = 1024;
  unsigned elementBit = llvm::Log2_64(elementBytes);
  unsigned width = llvm::Log2_64(columns * elementBytes) - chunkBit;
  Layout::Input offset{"offset", {{{0, 1}, columns}}};
  if (rows > 1)
    offset.digits.push_back({{1, 0}, rows});
  int64_t step = columns;
  auto addPanels = [&](int64_t count) {
    for (int64_t part : factor(count)) {
      offset.digits.push_back({{0, step}, part});
      step *= part;
    }
  };
  if (swizzled) {
    // The pattern begins anew in each panel, if it fits into one.
    if (rows * columns * elementBytes % patternBytes != 0)
      addPanels(panels);
    auto linear = Layout::get(
        {offset}, {{Layout::dimName(0), rows}, {Layout::dimName(1), step}});
    if (!linear)
      return linear.takeError();
    auto swizzle = Layout::swizzle("offset", linear->getInputSize(0), width,
                                   spanBit - elementBit, chunkBit - elementBit);
    if (!swizzle)
      return swizzle.takeError();
    auto panel = swizzle->compose(*linear);
    if (!panel)
      return panel.takeError();
    offset = panel->getInputs().front();
  }
  if (step == columns)
    addPanels(panels);
  return Layout::get({offset}, {{Layout::dimName(0), rows},
                                {Layout::dimName(1), columns * panels}});
}
