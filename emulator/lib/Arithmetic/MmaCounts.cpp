//===- MmaCounts.cpp - What is multiplied, and what twice -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic/MmaCounts.h"
#include <utility>

using namespace drawloom::emu;

void MmaCounts::add(const ProductOperands &operands) {
  const MmaForm &form = operands.form();
  uint64_t each = uint64_t(form.m) * form.n * form.k();
  llvm::SmallVector<std::optional<uint64_t>, 16> hashes;
  for (unsigned step = 0; step != operands.steps(); ++step)
    hashes.push_back(operands.hash(step));
  std::lock_guard lock(mutex);
  for (std::optional<uint64_t> hash : hashes) {
    totals.executed += each;
    if (hash && !seen.insert(*hash).second)
      totals.repeated += each;
  }
}

MmaCounts::Totals MmaCounts::take() {
  std::lock_guard lock(mutex);
  seen.clear();
  return std::exchange(totals, {});
}
