//===- RepeatedMmas.cpp - MMAs that are executed again --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RepeatedMmas.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;

using Values = llvm::SmallDenseSet<Value>;

/// What the operands of an MMA are made of, as far as it is in the kernel.
static Values findSources(MmaOp mma) {
  SmallVector<Value> work = {mma.getA(), mma.getB()};
  Values seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (Operation *op = value.getDefiningOp()) {
      op->walk([&](Operation *inner) {
        llvm::append_range(work, inner->getOperands());
      });
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
    if (!loop)
      continue;
    if (value == loop.getInductionVar())
      work.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    else
      loop.walk([&](Operation *inner) {
        llvm::append_range(work, inner->getOperands());
      });
  }
  return seen;
}

/// "dimension 1 of 'o'"
static std::string describeDim(ForEachOp items, unsigned dim) {
  std::string text = "dimension " + std::to_string(dim);
  auto argument = dyn_cast_if_present<BlockArgument>(items.getView());
  return argument ? text + " of '" + getArgumentName(argument) + "'"
                  : text + " of the work tiles";
}

/// Whether there may be several work tiles along a dimension.
static bool isCut(ForEachOp items, unsigned dim) {
  std::optional<int64_t> size;
  if (!items.getView())
    size = getConstantIntValue(items.getExtents()[dim]);
  else if (int64_t known = items.getView().getType().getDimSize(dim);
           !ShapedType::isDynamic(known))
    size = known;
  return !size || *size > items.getTiles()[dim];
}

/// "1 of 2 MMAs is", "2 of 3 MMAs are".
static std::string countOf(size_t count, size_t all) {
  return std::to_string(count) + " of " + std::to_string(all) +
         (all == 1 ? " MMA" : " MMAs") + (count == 1 ? " is" : " are");
}

std::vector<std::string> tile::explainRepeatedMmas(KernelOp kernel) {
  SmallVector<MmaOp> mmas;
  kernel.walk([&](MmaOp mma) { mmas.push_back(mma); });
  SmallVector<Values> sources = llvm::map_to_vector(mmas, findSources);
  std::vector<std::string> reasons;
  for (ForEachOp items = kernel.getForEach(); items; items = items.getNested())
    for (auto [dim, offset] : llvm::enumerate(items.getOffsets())) {
      size_t count = llvm::count_if(
          sources, [&](const Values &of) { return !of.contains(offset); });
      // The batch has tiles of one element, and is what a user shares over.
      if (count && items.getTiles()[dim] > 1 && isCut(items, dim))
        reasons.push_back("mma: " + countOf(count, mmas.size()) +
                          " the same for all work tiles along " +
                          describeDim(items, dim) +
                          ", and each executes it; larger tiles there are "
                          "fewer");
    }
  size_t count = 0;
  for (auto [mma, of] : llvm::zip_equal(mmas, sources))
    for (auto loop = mma->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>())
      if (llvm::none_of(loop.getBody()->getArguments(),
                        [&](Value value) { return of.contains(value); })) {
        ++count;
        break;
      }
  if (count)
    reasons.push_back("mma: " + countOf(count, mmas.size()) +
                      " the same in each step of a loop, which executes it "
                      "again");
  return reasons;
}
