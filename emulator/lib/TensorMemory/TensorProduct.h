//===- TensorProduct.h - MMAs that are done together ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MMAs of one thread that add to the same accumulator one after the other, as
// one product. It lives in two steps:
//
//   read     the operands are copied out of shared and tensor memory. It is
//            done for each MMA when the emulator does it, since what was read
//            may be overwritten after the commit;
//   finish   they are multiplied and added to the accumulator. It can't be
//   observed
//            when, as long as it is before the accumulator is looked at, so
//            the MMAs of several commits are one product.
//
// TensorCore knows what looks at an accumulator: a load or store, other work on
// its columns, freeing it. All of these are ordered behind the MMAs by the
// program, so the MMAs of a product depend on the program alone.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TENSORPRODUCT_H
#define DRAWLOOM_EMULATOR_TENSORPRODUCT_H

#include "TensorMemory/TensorWork.h"

namespace drawloom::emu {

class TensorProduct {
public:
  explicit TensorProduct(const TensorWork &first) : first(first) {}

  /// Whether `next` adds to what is here, in the same way, and there is room.
  bool canJoin(const TensorWork &next) const;
  /// Notes an MMA. It must exist until it is read.
  void add(const TensorWork &work) { unread.push_back(&work); }
  /// Reads the operands of what was noted.
  void read(Machine &machine);
  /// Reads, multiplies and adds to the accumulator.
  void finish(Machine &machine);

  /// Whether this must be finished before `work` is done.
  bool blocks(const TensorWork &work) const;
  bool writes(const TensorRegion &region) const {
    return first.writes.overlaps(region);
  }

private:
  /// Adds a CTA's rows to its accumulator.
  void addTo(CTA &cta, Products products) const;

  const TensorWork first;
  /// What was noted and not read.
  llvm::SmallVector<const TensorWork *, 16> unread;
  unsigned steps = 0; ///< That have been read.
  /// One for each B. Both CTAs of a pair multiply with the same one, so their
  /// rows of A are of one product; unless B is scaled, by factors that each of
  /// them has in its own tensor memory.
  llvm::SmallVector<std::unique_ptr<ProductOperands>, 2> operands;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_TENSORPRODUCT_H
