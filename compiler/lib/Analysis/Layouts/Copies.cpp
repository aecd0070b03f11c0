//===- Copies.cpp - Elements that a layout has more than once -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Layouts/Copies.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Dialect/Tile/IR/BitSpan.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::layouts;
using llvm::SmallVector;
using tile::Layout;

Copies layouts::findCopies(const Layout &layout) {
  tile::BitSpan span;
  auto isCopy = [&](const Layout::Digit &digit) {
    return digit.count == 2 && !span.add(layout.pack(digit.basis));
  };

  // Of the digits of a register's number that are left: what one step of each
  // is in the old number and in the new one.
  struct Kept {
    int64_t weight, count, newWeight;
  };
  SmallVector<Kept> kept;
  std::vector<Layout::Input> inputs = layout.getInputs();
  inputs[inRegister].digits.clear();
  int64_t weight = 1, newWeight = 1;
  // For each bit that is left out, the bits before it that it is the sum of.
  SmallVector<std::pair<int64_t, uint64_t>> left;
  for (const Layout::Digit &digit : layout.getInputs()[inRegister].digits) {
    std::optional<uint64_t> sum;
    if (digit.count == 2)
      sum = span.solve(layout.pack(digit.basis));
    if (isCopy(digit)) {
      left.push_back({weight, *sum});
    } else {
      kept.push_back({weight, digit.count, newWeight});
      inputs[inRegister].digits.push_back(digit);
      newWeight *= digit.count;
    }
    weight *= digit.count;
  }

  InputBits bits = getInputBits(layout, inRegister);
  SmallVector<int64_t> registerOf;
  for (int64_t number = 0; number < layout.getInputSize(inRegister); ++number) {
    int64_t same = number;
    for (auto [bit, sum] : left)
      if (number / bit % 2)
        same = flipBits(same - bit, sum, bits.weights);
    int64_t found = 0;
    for (const Kept &digit : kept)
      found += same / digit.weight % digit.count * digit.newWeight;
    registerOf.push_back(found);
  }

  // Digits are only left out, so what was a layout is one.
  Copies copies{llvm::cantFail(Layout::get(inputs, layout.getOutputs())),
                std::move(registerOf),
                {},
                {}};
  for (auto [input, weights] :
       {std::pair(inLane, &copies.laneBits), {inWarp, &copies.warpBits}}) {
    weight = 1;
    for (const Layout::Digit &digit : layout.getInputs()[input].digits) {
      if (isCopy(digit))
        weights->push_back(weight);
      weight *= digit.count;
    }
  }
  return copies;
}
