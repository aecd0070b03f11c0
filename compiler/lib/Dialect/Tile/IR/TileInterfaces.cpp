//===- TileInterfaces.cpp - What operations have in common ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/TileInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"

using namespace drawloom;
using namespace drawloom::tile;

#include "drawloom/Dialect/Tile/IR/TileInterfaces.cpp.inc"

llvm::Expected<llvm::SmallVector<AxisDigit>>
tile::findAxisDigits(const Layout &layout, unsigned axis) {
  llvm::SmallVector<AxisDigit> digits;
  for (auto [number, input] : llvm::enumerate(layout.getInputs())) {
    int64_t weight = 1;
    for (const Layout::Digit &digit : input.digits) {
      int64_t step = digit.basis[axis];
      bool isAlone = llvm::count(digit.basis, 0) + 1 ==
                     static_cast<int64_t>(digit.basis.size());
      if (step && !isAlone)
        return llvm::createStringError(
            "a digit of its layout goes along two axes at once");
      if (step)
        digits.push_back({static_cast<unsigned>(number), weight, step,
                          static_cast<int64_t>(digit.count)});
      weight *= digit.count;
    }
  }
  llvm::sort(digits, [](const AxisDigit &a, const AxisDigit &b) {
    return a.step < b.step;
  });
  int64_t step = 1;
  for (const AxisDigit &digit : digits) {
    if (digit.step != step)
      return llvm::createStringError(
          "two digits of its layout share elements of the axis");
    step *= digit.count;
  }
  return digits;
}
