//===- TensorMemory.cpp - How warps read tensor memory --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Layouts/TensorMemory.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::layouts;
using llvm::ArrayRef;
using llvm::SmallVector;
using tile::Layout;

static constexpr int64_t tensorLanes = 128, warpsOfGroup = 4, columnBits = 32;
static constexpr unsigned laneBits = 5, groupBits = 2;

static llvm::Error checkBuffer(const Layout &buffer) {
  ArrayRef<Layout::Input> inputs = buffer.getInputs();
  if (inputs.size() != 2 || inputs[0].name != "lane" ||
      inputs[1].name != "column")
    return llvm::createStringError(
        "a layout of tensor memory has the inputs lane and column, in this "
        "order");
  if (buffer.getInputSize(0) != tensorLanes)
    return llvm::createStringError(
        llvm::formatv("the layout has {0} lanes: tensor memory has {1}",
                      buffer.getInputSize(0), tensorLanes));
  if (!buffer.isInjective())
    return llvm::createStringError(
        "the layout has an element twice: in memory each has one place");
  return llvm::Error::success();
}

/// Whether a step along a digit stays in a part of this shape; nothing if it
/// does neither that nor lead to another part.
static std::optional<bool> staysInside(const Layout::Digit &digit,
                                       ArrayRef<Layout::Output> part) {
  bool inside = true, outside = true;
  for (auto [coordinate, output] : llvm::zip_equal(digit.basis, part)) {
    inside &= coordinate * (digit.count - 1) < output.size;
    outside &= coordinate % output.size == 0;
  }
  if (inside)
    return true;
  return outside ? std::optional(false) : std::nullopt;
}

namespace {
/// A digit of the column's number, and its weight there.
struct Column {
  Layout::Digit digit;
  int64_t weight;
};
} // namespace

/// The only dimension along which a digit steps, or none.
static std::optional<unsigned> getDimension(const Layout::Digit &digit) {
  auto isStep = [](int64_t coordinate) { return coordinate != 0; };
  if (llvm::count_if(digit.basis, isStep) != 1)
    return std::nullopt;
  return llvm::find_if(digit.basis, isStep) - digit.basis.begin();
}

/// Digits that go on where the previous one ends are one digit: it may have to
/// be cut elsewhere.
static SmallVector<Column> joinDigits(ArrayRef<Layout::Digit> digits) {
  SmallVector<Column> columns;
  int64_t weight = 1;
  for (const Layout::Digit &digit : digits) {
    std::optional<unsigned> dim = getDimension(digit);
    if (!columns.empty() && dim && dim == getDimension(columns.back().digit) &&
        digit.basis[*dim] ==
            columns.back().digit.basis[*dim] * columns.back().digit.count)
      columns.back().digit.count *= digit.count;
    else
      columns.push_back({digit, weight});
    weight *= digit.count;
  }
  return columns;
}

/// The digits of a column's number that stay in a part of this shape, primes in
/// ascending order. Nothing if the part isn't whole digits.
static std::optional<SmallVector<Column>>
takePart(ArrayRef<Layout::Digit> digits, ArrayRef<Layout::Output> part) {
  SmallVector<Column> inside;
  for (Column column : joinDigits(digits)) {
    std::optional<bool> stays = staysInside(column.digit, part);
    if (stays == false)
      continue;
    std::optional<unsigned> dim = getDimension(column.digit);
    if (!stays) {
      if (!dim || part[*dim].size % column.digit.basis[*dim] ||
          column.digit.count % (part[*dim].size / column.digit.basis[*dim]))
        return std::nullopt;
      column.digit.count = part[*dim].size / column.digit.basis[*dim];
    }
    for (int64_t prime = 2; column.digit.count > 1; ++prime)
      while (column.digit.count % prime == 0) {
        inside.push_back({{column.digit.basis, prime}, column.weight});
        if (dim)
          column.digit.basis[*dim] *= prime;
        column.weight *= prime;
        column.digit.count /= prime;
      }
  }
  return inside;
}

/// Elements smaller than a column must fill the columns of their thread: what
/// else is in a column would be overwritten with them.
static llvm::Error checkWholeColumns(ArrayRef<int64_t> elements,
                                     int64_t elementBits) {
  int64_t together = std::max<int64_t>(columnBits / elementBits, 1);
  bool isWhole = elements.size() % together == 0;
  for (auto [index, element] : llvm::enumerate(elements)) {
    int64_t first = elements[index / together * together];
    isWhole &=
        first % together == 0 && element == first + int64_t(index) % together;
  }
  if (isWhole)
    return llvm::Error::success();
  return llvm::createStringError(llvm::formatv(
      "elements of {0} bits share a column of {1}: a thread must have {2} that "
      "are next to each other along its lane",
      elementBits, columnBits, together));
}

/// Warps reach the lanes of tensor memory in groups.
static llvm::Error checkWarps(const Layout &wanted) {
  int64_t warps = wanted.getInputSize(inWarp);
  ArrayRef<Layout::Digit> digits = wanted.getInputs()[inWarp].digits;
  if (warps % warpsOfGroup || digits[0].count != 2 || digits[1].count != 2)
    return llvm::createStringError(llvm::formatv(
        "{0} warps reach the lanes of tensor memory: it takes groups of {1}, "
        "and a warp's place in its group is the two lowest bits of its number",
        warps, warpsOfGroup));
  return llvm::Error::success();
}

static llvm::Error makeMisfit() {
  return llvm::createStringError(
      "the part of the buffer is not whole lanes with some of their "
      "columns: its sizes and offsets must be multiples of what a digit of "
      "the layout steps over");
}

/// Takes the digits by which warp groups share the columns out of `columns`,
/// adds them to the digits of the warp's number, and returns the steps that
/// warps make along them.
static llvm::Expected<SmallVector<TensorFragment::Step>>
shareColumns(const Layout &wanted, int64_t elementBits,
             SmallVector<Column> &columns, Layout::Input &warp) {
  SmallVector<TensorFragment::Step> steps;
  int64_t divisor = warpsOfGroup;
  for (const Layout::Digit &digit :
       ArrayRef(wanted.getInputs()[inWarp].digits).drop_front(groupBits)) {
    Column *same = llvm::find_if(columns, [&](const Column &column) {
      return column.digit == digit && column.weight * elementBits >= columnBits;
    });
    Layout::Digit taken = digit;
    if (same != columns.end()) {
      steps.push_back({divisor, digit.count, same->weight});
      columns.erase(same);
    } else if (digit.count > 2) {
      return llvm::createStringError(llvm::formatv(
          "{0} warps share the columns of tensor memory by {1}: the layout of "
          "the buffer has no such digit of its columns",
          wanted.getInputSize(inWarp), digit.count));
    } else {
      taken.basis.assign(digit.basis.size(), 0);
    }
    warp.digits.push_back(taken);
    divisor *= digit.count;
  }
  return steps;
}

static llvm::Error checkRegisters(ArrayRef<Column> columns) {
  int64_t registers = 1;
  for (const Column &column : columns)
    registers *= column.digit.count;
  if (registers > mostRegisters)
    return llvm::createStringError(llvm::formatv(
        "a thread would read {0} elements of tensor memory: more than {1} fit "
        "into no thread's registers",
        registers, mostRegisters));
  return llvm::Error::success();
}

/// The elements of a thread along its lane, one for each register.
static SmallVector<int64_t> listElements(int64_t first,
                                         ArrayRef<Column> columns) {
  SmallVector<int64_t> elements = {first};
  for (const Column &column : columns) {
    SmallVector<int64_t> all;
    for (int64_t value = 0; value < column.digit.count; ++value)
      for (int64_t element : elements)
        all.push_back(element + value * column.weight);
    elements = std::move(all);
  }
  return elements;
}

llvm::Expected<TensorFragment>
layouts::getTensorFragment(const Layout &buffer, ArrayRef<int64_t> offsets,
                           const Layout &wanted, int64_t elementBits) {
  if (llvm::Error error = checkBuffer(buffer))
    return error;
  if (llvm::Error error = checkWarps(wanted))
    return error;
  for (auto [offset, size] : llvm::zip_equal(offsets, wanted.getOutputs()))
    if (offset % size.size)
      return makeMisfit();

  std::vector<Layout::Input> inputs = {
      {"register", {}}, {"lane", {}}, {"warp", {}}};
  for (auto [index, digit] : llvm::enumerate(buffer.getInputs()[0].digits)) {
    if (staysInside(digit, wanted.getOutputs()) != true)
      return makeMisfit();
    inputs[index < laneBits ? inLane : inWarp].digits.push_back(digit);
  }

  std::optional<SmallVector<Column>> inside =
      takePart(buffer.getInputs()[1].digits, wanted.getOutputs());
  if (!inside)
    return makeMisfit();
  SmallVector<Column> &columns = *inside;
  llvm::Expected<SmallVector<TensorFragment::Step>> steps =
      shareColumns(wanted, elementBits, columns, inputs[inWarp]);
  if (!steps)
    return steps.takeError();
  if (llvm::Error error = checkRegisters(columns))
    return error;
  for (const Column &column : columns)
    inputs[inRegister].digits.push_back(column.digit);

  // The column of the part's first element.
  llvm::Expected<Layout> place = buffer.invert();
  if (!place)
    return place.takeError();
  int64_t first = place->apply(offsets)[1];
  SmallVector<int64_t> elements = listElements(first, columns);
  if (llvm::Error error = checkWholeColumns(elements, elementBits))
    return error;
  llvm::Expected<Layout> layout =
      Layout::get(std::move(inputs), wanted.getOutputs());
  if (!layout)
    return layout.takeError();
  if (!layout->isOnto())
    return makeMisfit();
  return TensorFragment{std::move(*layout), std::move(elements),
                        std::move(*steps)};
}
