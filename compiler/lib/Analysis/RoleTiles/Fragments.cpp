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
    if (memory != agent::Memory::tmem)
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

bool plan::isInRegisters(Value tile) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  return type && type.getEncoding();
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

std::function<SmallVector<int64_t>(ArrayRef<int64_t>)>
plan::getSlice(Operation *op) {
  SmallVector<int64_t> starts;
  if (auto slice = dyn_cast<tile::ExtractSliceOp>(op)) {
    starts.assign(slice.getOffsets().begin(), slice.getOffsets().end());
  } else {
    for (OpFoldResult offset :
         cast<tensor::ExtractSliceOp>(op).getMixedOffsets()) {
      std::optional<int64_t> start = getConstantIntValue(offset);
      if (!start)
        return {};
      starts.push_back(*start);
    }
  }
  return [starts](ArrayRef<int64_t> coordinates) {
    SmallVector<int64_t> at(coordinates);
    for (auto [coordinate, start] : llvm::zip_equal(at, starts))
      coordinate += start;
    return at;
  };
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
  unsigned elementBit = llvm::Log2_64(elementBytes);
  unsigned width = llvm::Log2_64(columns * elementBytes) - chunkBit;
  Layout::Input offset{"offset", {{{0, 1}, columns}}};
  if (rows > 1)
    offset.digits.push_back({{1, 0}, rows});
  if (panels > 1)
    offset.digits.push_back({{0, columns}, panels});
  auto linear = Layout::get({offset}, {{Layout::dimName(0), rows},
                                       {Layout::dimName(1), columns * panels}});
  if (!linear)
    return linear.takeError();
  if (!swizzled)
    return linear;
  auto swizzle = Layout::swizzle("offset", linear->getInputSize(0), width,
                                 spanBit - elementBit, chunkBit - elementBit);
  if (!swizzle)
    return swizzle.takeError();
  return swizzle->compose(*linear);
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

llvm::Expected<Offsets> Offsets::get(const Layout &layout, unsigned output,
                                     int64_t scale) {
  Offsets result;
  result.scale = scale;
  result.registers.assign(layout.getInputSize(inRegister), 0);
  // Below the first odd digit, the number is made of bits.
  int64_t low = int64_t(1) << 62;
  for (const Layout::Input &input : layout.getInputs())
    for (const Layout::Digit &digit : input.digits)
      if (digit.count > 2 && digit.basis[output])
        low = std::min(low, digit.basis[output] * scale);

  /// A digit alone, to check below that no two meet where they are added.
  SmallVector<SmallVector<int64_t>> places;
  for (auto [in, input] : llvm::enumerate(layout.getInputs())) {
    int64_t weight = 1;
    for (const Layout::Digit &digit : input.digits) {
      int64_t value = digit.basis[output] * scale;
      int64_t xored = value % low, added = value - xored;
      places.emplace_back(3, 0)[in] = weight;
      if (in == inRegister) {
        for (auto [number, constant] : llvm::enumerate(result.registers)) {
          int64_t times = int64_t(number) / weight % digit.count;
          constant = (constant ^ (times ? xored : 0)) + times * added;
        }
      } else {
        auto from = static_cast<FragmentInput>(in);
        for (int64_t bits = xored; bits; bits &= bits - 1) {
          int shift = int(llvm::countr_zero<uint64_t>(bits)) -
                      int(llvm::Log2_64(weight));
          auto *same = llvm::find_if(result.xors, [&](const Xor &term) {
            return term.input == from && term.shift == shift;
          });
          if (same == result.xors.end())
            result.xors.push_back({from, weight, shift});
          else
            same->mask |= weight;
          result.threadBits |= bits & -bits;
        }
        if (added && !result.sums.empty() && result.sums.back().input == from &&
            result.sums.back().divisor * result.sums.back().count == weight &&
            result.sums.back().factor * result.sums.back().count == added)
          result.sums.back().count *= digit.count;
        else if (added)
          result.sums.push_back({from, weight, digit.count, added});
      }
      weight *= digit.count;
    }
  }

  for (size_t i = 0; i < places.size(); ++i)
    for (size_t j = 0; j <= i; ++j) {
      SmallVector<int64_t> place = places[i];
      for (unsigned in = 0; in < 3 && i != j; ++in)
        place[in] += places[j][in];
      if (result.evaluate(place[inRegister], place[inLane], place[inWarp]) !=
          layout.apply(place)[output] * scale)
        return llvm::createStringError(
            "two digits of a place meet above an odd digit of the offset: "
            "there is no sum for it");
    }
  return result;
}

Offsets Offsets::slice(int64_t first, int64_t count) const {
  Offsets result = *this;
  result.registers.assign(registers.begin() + first,
                          registers.begin() + first + count);
  return result;
}

int64_t Offsets::evaluate(int64_t number, int64_t lane, int64_t warp) const {
  const int64_t place[] = {number, lane, warp};
  int64_t thread = getXored(number);
  for (const Xor &term : xors) {
    int64_t bits = place[term.input] & term.mask;
    thread ^= term.shift < 0 ? bits >> -term.shift : bits << term.shift;
  }
  for (const Sum &term : sums)
    thread += place[term.input] / term.divisor % term.count * term.factor;
  return thread + getAdded(number);
}

SmallVector<SmallVector<int64_t>> Offsets::getRuns(int64_t most) const {
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, registers.size()));
  llvm::sort(order,
             [&](int64_t a, int64_t b) { return registers[a] < registers[b]; });
  auto fits = [&](int64_t size) {
    int64_t span = size * scale;
    if (registers.size() % size || (threadBits & (span - 1)) ||
        llvm::any_of(sums, [&](const Sum &sum) { return sum.factor % span; }))
      return false;
    for (auto [index, number] : llvm::enumerate(order))
      if (registers[number] % span != int64_t(index) % size * scale ||
          (index % size &&
           registers[number] != registers[order[index - 1]] + scale))
        return false;
    return true;
  };
  int64_t size = most;
  while (size > 1 && !fits(size))
    size /= 2;
  SmallVector<SmallVector<int64_t>> runs;
  for (size_t first = 0; first < order.size(); first += size)
    runs.emplace_back(ArrayRef<int64_t>(order).slice(first, size));
  llvm::sort(runs, [](const auto &a, const auto &b) { return a[0] < b[0]; });
  return runs;
}
