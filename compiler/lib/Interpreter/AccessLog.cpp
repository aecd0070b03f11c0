//===- AccessLog.cpp - Which work tile touched what -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessLog.h"
#include <cstdlib>

using namespace drawloom::interp;

std::optional<AccessLog::Conflict>
AccessLog::load(ItemId item, llvm::ArrayRef<int64_t> shape,
                const StridedRange &range) {
  std::optional<Conflict> conflict;
  visitBox(shape, range, [&](int64_t element) {
    ItemId &state = touched[element];
    if (state == -item)
      return true;
    if (state < 0) {
      conflict = Conflict{element, -state, /*otherStored=*/true};
      return false;
    }
    state = state == 0 || state == item ? item : severalItems;
    return true;
  });
  return conflict;
}

std::optional<AccessLog::Conflict>
AccessLog::store(ItemId item, llvm::ArrayRef<int64_t> shape,
                 const StridedRange &range) {
  std::optional<Conflict> conflict;
  visitBox(shape, range, [&](int64_t element) {
    ItemId &state = touched[element];
    if (state != 0 && state != item && state != -item) {
      conflict = Conflict{element, std::abs(state), state < 0};
      return false;
    }
    state = -item;
    return true;
  });
  return conflict;
}
