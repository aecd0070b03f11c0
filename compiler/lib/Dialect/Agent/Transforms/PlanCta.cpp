//===- PlanCta.cpp - What the CTAs of a cluster have in common ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each CTA of a cluster takes a work tile of its own, and those of a cluster
// are neighbors. So the offsets of the items are all that CTAs differ in, and
// what depends on none of them is the same everywhere:
//
//   cluster [2, 2]     A [m, k] is the same along dimension 1 (n)
//   (m, n) (m, n')     B [n, k] is the same along dimension 0 (m)
//   (m',n) (m',n')     D [m, n] is different in each
//
// From the offsets it goes forward, through loops, to a fixed point. From the
// MMAs it goes backward, to the loads that are nothing but their operands.
// Where both meet, a load is a multicast.
//
// With `cta_group = 2`, two CTAs along the first dimension multiply together.
// Each has its own A and its own accumulator, and both have the same B: then
// each holds the half of B that the tensor core takes from its CTA.
//
// Invariant: CTAs that share a tile do the same steps. A loop or a branch that
// depends on an offset would make them fill different numbers of slots, so then
// nothing is shared along that dimension.

#include "Copies.h"
#include "Owners.h"
#include "Rejection.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_PLANCTA
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// Rows after which every swizzle repeats, so that a part of a tile lies as it
/// does in the whole.
static constexpr int64_t patternRows = 8;

namespace {
/// A bit for each dimension of the cluster.
using Dims = unsigned;

class CtaPlanner {
public:
  CtaPlanner(Item &item, const tile::Schedule &schedule,
             const target::Architecture &arch)
      : item(item), cluster(schedule.cluster), inPairs(schedule.hasPairs()),
        pairDim(llvm::find_if(cluster, [](int64_t size) { return size != 1; }) -
                cluster.begin()),
        arch(arch) {}

  MaybeRejection run();
  SmallVector<std::string> reasons;

private:
  MaybeRejection checkItems();
  void findVarying();
  bool add(Value value, Dims dims);
  bool visit(Operation *op);
  bool visitLoop(scf::ForOp loop);
  Dims getControl();
  MaybeRejection formPairs(Dims control);
  std::string whyNotShared(tile::LoadOp load);
  MaybeRejection takeOperand(tile::MmaOp mma, Value operand, bool halve);
  MaybeRejection share(tile::LoadOp load, Dims dims);
  MaybeRejection checkSaid(tile::LoadOp load, Dims control);
  MaybeRejection checkGather(tile::AllGatherOp gather, Dims control);
  MaybeRejection checkUsed(Dims control);

  Item &item;
  ArrayRef<int64_t> cluster;
  /// Whether CTAs multiply in pairs, and the dimension along which they do: the
  /// first one with several CTAs, which have neighboring ranks.
  bool inPairs;
  size_t pairDim;
  const target::Architecture &arch;
  /// The dimensions that a value depends on.
  llvm::DenseMap<Value, Dims> varying;
  /// The dimensions along which something is shared, and the first branch or
  /// loop that depends on an offset.
  Dims used = 0;
  Operation *depends = nullptr;
  /// The loads of MMAs of pairs, and the dimension of the tile that is
  /// halved, if it is B.
  llvm::MapVector<Operation *, std::optional<int64_t>> pairOperands;
};
} // namespace

/// CTAs share what MMAs take, and nothing else.
static bool isShareable(tile::LoadOp load) {
  auto tile = dyn_cast<RankedTensorType>(load.getType());
  return tile && tile.getRank() == 2 && feedsMmasOnly(load);
}

/// "2 × 1".
static std::string spell(ArrayRef<int64_t> cluster) {
  return llvm::join(
      llvm::map_range(cluster,
                      [](int64_t size) { return std::to_string(size); }),
      " × ");
}

/// A cluster has a dimension for each one of the work tiles.
MaybeRejection CtaPlanner::checkItems() {
  int64_t rank = item.nest.empty() ? 0 : item.nest.back().getRank();
  for (auto [dim, size] : llvm::enumerate(cluster))
    if (size > 1 && int64_t(dim) >= rank)
      return Rejection{
          item.kernel.getLoc(),
          llvm::formatv(
              "cluster: {0} has {1} CTAs along dimension {2}, but "
              "the work tiles of @{3} have {4} dimensions; a cluster "
              "takes neighboring items, so use 1 there [cluster-size]",
              spell(cluster), size, dim, item.kernel.getSymName(), rank)
              .str()};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Forward: what depends on which CTA it is
//===----------------------------------------------------------------------===//

bool CtaPlanner::add(Value value, Dims dims) {
  Dims &known = varying[value];
  Dims before = known;
  known |= dims;
  return known != before;
}

/// A loop's values depend on how often it runs, on what they start with and on
/// what becomes of them.
bool CtaPlanner::visitLoop(scf::ForOp loop) {
  Dims bounds = varying.lookup(loop.getLowerBound()) |
                varying.lookup(loop.getUpperBound()) |
                varying.lookup(loop.getStep());
  bool changed =
      add(loop.getInductionVar(), varying.lookup(loop.getLowerBound()) |
                                      varying.lookup(loop.getStep()));
  for (auto [init, argument, yielded, result] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                       loop.getYieldedValues(), loop.getResults())) {
    Dims dims = varying.lookup(init) | varying.lookup(yielded);
    changed |= add(argument, dims);
    changed |= add(result, dims | bounds);
  }
  return changed;
}

/// Whether something was added.
bool CtaPlanner::visit(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitLoop(loop);
  Dims dims = 0;
  for (Value operand : op->getOperands())
    dims |= varying.lookup(operand);
  // Of what else has regions, everything depends on everything.
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (block.mightHaveTerminator())
        for (Value operand : block.getTerminator()->getOperands())
          dims |= varying.lookup(operand);
  bool changed = false;
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      changed |= add(argument, dims);
  for (Value result : op->getResults())
    changed |= add(result, dims);
  return changed;
}

void CtaPlanner::findVarying() {
  if (item.nest.empty())
    return;
  for (auto [dim, offset] : llvm::enumerate(item.nest.back().getOffsets()))
    if (dim < cluster.size() && cluster[dim] > 1)
      varying[offset] = 1u << dim;
  for (bool changed = true; changed;) {
    changed = false;
    item.body->walk([&](Operation *op) { changed |= visit(op); });
  }
}

/// The dimensions that decide how often something runs.
Dims CtaPlanner::getControl() {
  Dims control = 0;
  item.body->walk([&](Operation *op) {
    Dims dims = 0;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      for (Value bound :
           {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
        dims |= varying.lookup(bound);
    else if (isa<RegionBranchOpInterface>(op))
      for (Value operand : op->getOperands())
        dims |= varying.lookup(operand);
    if (dims && !depends)
      depends = op;
    control |= dims;
  });
  return control;
}

/// Why TMA cannot load a tile; empty if it can. Who writes to a view loads from
/// it, too, and that are threads.
std::string CtaPlanner::whyNotShared(tile::LoadOp load) {
  if (std::string why = whyNotTma(load, arch.tma); !why.empty())
    return why;
  bool isWritten = false;
  item.body->walk([&](tile::StoreOp store) {
    isWritten |= getArgument(store.getView()) == getArgument(load.getView());
  });
  return isWritten ? "the kernel writes to it, too" : "";
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// An operand of an MMA of a pair is a tile that TMA brings to a slot as it
/// is, and B is the half of one.
MaybeRejection CtaPlanner::takeOperand(tile::MmaOp mma, Value operand,
                                       bool halve) {
  StringRef name = halve ? "B" : "A";
  bool transposed = false;
  while (auto transpose = operand.getDefiningOp<tile::TransposeOp>()) {
    transposed ^= transpose.getPermutation()[0] == 1;
    operand = transpose.getSource();
  }
  auto load = operand.getDefiningOp<tile::LoadOp>();
  if (!load || !feedsMmasOnly(load))
    return Rejection{
        mma.getLoc(),
        llvm::formatv("2-CTA MMA (cta_group = 2): {0} of this MMA is "
                      "not a tile that is loaded for MMAs only; use "
                      "cta_group = 1 [cta-pair]",
                      name)
            .str()};
  std::string view = getViewName(load.getView());
  auto reject = [&](const Twine &why) {
    return Rejection{load.getLoc(),
                     ("2-CTA MMA (cta_group = 2) needs TMA for '" + view +
                      "', but the tile " + why +
                      "; use cta_group = 1 [cta-pair]")
                         .str()};
  };
  if (std::string why = whyNotShared(load); !why.empty())
    return reject("cannot be loaded by TMA, because " + why);
  // The leader could not tell how many bytes its peer brings.
  if (!isa<BlockArgument>(load.getView()))
    return reject("is of a subview, whose edge tiles are copied with cp.async");
  std::optional<int64_t> dim;
  if (halve)
    dim = transposed ? 1 : 0;
  if (!pairOperands.try_emplace(load, dim).second && pairOperands[load] != dim)
    return reject("is A of one MMA and B of another, or B in two ways, so "
                  "that no half of it is enough");
  if (dim)
    load.setHalved(*dim);
  return std::nullopt;
}

/// All MMAs are of pairs: tensor memory belongs to one CTA or to two.
MaybeRejection CtaPlanner::formPairs(Dims control) {
  Dims pair = 1u << pairDim;
  if (control & pair)
    return Rejection{
        item.kernel.getLoc(),
        "2-CTA MMA (cta_group = 2): the two CTAs of a pair do not do "
        "the same steps; use cta_group = 1 [cta-pair]"}
        .note(depends->getLoc(), "this runs differently in each of them");
  MaybeRejection rejection;
  item.body->walk([&](tile::MmaOp mma) {
    if (rejection)
      return;
    if (varying.lookup(mma.getB()) & pair) {
      rejection = Rejection{
          mma.getLoc(),
          llvm::formatv("2-CTA MMA (cta_group = 2): B of this MMA is not the "
                        "same in both CTAs, because it depends on dimension "
                        "{0} of the work tiles; use cta_group = 1 [cta-pair]",
                        pairDim)
              .str()};
      return;
    }
    rejection = takeOperand(mma, mma.getA(), /*halve=*/false);
    if (!rejection)
      rejection = takeOperand(mma, mma.getB(), /*halve=*/true);
    mma.setPair(true);
  });
  if (rejection)
    return rejection;
  used |= pair;
  for (auto &[load, dim] : pairOperands) {
    if (!dim)
      continue;
    auto tile = cast<RankedTensorType>(load->getResult(0).getType());
    reasons.push_back(
        llvm::formatv("plan-cta: 2-CTA MMA (cta_group::2) along dimension {0} "
                      "of the cluster: each CTA of a pair holds {1} of the {2} "
                      "{3} of a tile of '{4}'",
                      pairDim, tile.getDimSize(*dim) / 2, tile.getDimSize(*dim),
                      *dim ? "columns" : "rows",
                      getViewName(cast<tile::LoadOp>(load).getView()))
            .str());
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Backward: what MMAs take
//===----------------------------------------------------------------------===//

MaybeRejection CtaPlanner::share(tile::LoadOp load, Dims dims) {
  SmallVector<int64_t> along;
  int64_t parts = 1;
  std::string where;
  for (auto [dim, all] : llvm::enumerate(cluster)) {
    // Of a half, every other CTA along the pairs has the same one.
    int64_t size = load.getHalved() && dim == pairDim ? all / 2 : all;
    if (size > 1 && (dims & (1u << dim))) {
      along.push_back(dim);
      parts *= size;
      where += (where.empty() ? "" : " and ") + std::to_string(dim);
    }
  }
  if (along.empty())
    return std::nullopt;
  auto tile = cast<RankedTensorType>(load.getType());
  std::string view = getViewName(load.getView());
  if (std::string why = whyNotShared(load); !why.empty())
    return Rejection{
        load.getLoc(),
        llvm::formatv("cluster: {0} CTAs would share the tile of "
                      "'{1}', but TMA cannot load it, because {2}; "
                      "leave the cluster out [multicast]",
                      parts, view, why)
            .str()};
  int64_t rows = tile.getDimSize(0);
  if (load.getHalved() == 0)
    rows /= 2;
  if (rows % (parts * patternRows) != 0)
    return Rejection{
        load.getLoc(),
        llvm::formatv(
            "cluster: {0} CTAs share the {1} rows of a tile of '{2}', "
            "and a part is a multiple of {3} rows: {1} % ({0} x {3}) "
            "= {4}; use fewer CTAs, or a larger tile [multicast]",
            parts, rows, view, patternRows, rows % (parts * patternRows))
            .str()};
  load.setMulticast(along);
  used |= dims;
  reasons.push_back(llvm::formatv("plan-cta: TMA multicast of '{2}' along "
                                  "dimension {1} of the cluster: each of {0} "
                                  "CTAs loads {3} of {4} rows and multicasts "
                                  "them to all",
                                  parts, where, view, rows / parts, rows)
                        .str());
  return std::nullopt;
}

/// What a program says of a load must be so: a CTA would get the tile of
/// another one.
MaybeRejection CtaPlanner::checkSaid(tile::LoadOp load, Dims control) {
  std::string view = getViewName(load.getView());
  for (int64_t dim : load.getMulticast().value_or(ArrayRef<int64_t>())) {
    int64_t size = dim < int64_t(cluster.size()) ? cluster[dim] : 1;
    auto reject = [&](const Twine &why) {
      return Rejection{load.getLoc(),
                       ("multicast: [" + Twine(dim) +
                        "] is given for a tile of '" + view + "', but " + why +
                        "; leave it out, plan-cta adds it where "
                        "CTAs share a tile [multicast]")
                           .str()};
    };
    if (size == 1)
      return reject("the cluster has 1 CTA along dimension " + Twine(dim));
    if (!isShareable(load))
      return reject("more than MMAs read it");
    if (varying.lookup(load) & (1u << dim))
      return reject("the tile depends on dimension " + Twine(dim) +
                    " of the work tiles, so that it is another one in each of "
                    "the " +
                    Twine(size) + " CTAs along it");
    if (control & (1u << dim))
      return reject("the " + Twine(size) + " CTAs along dimension " +
                    Twine(dim) + " do not do the same steps")
          .note(depends->getLoc(), "this runs differently in each of them");
  }
  if (load.getHalved() && !pairOperands.contains(load))
    return Rejection{load.getLoc(),
                     "halved: is given for a tile of '" + view +
                         "' that no pair of CTAs multiplies together; leave it "
                         "out, plan-cta adds it [multicast]"};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// What CTAs give to each other
//===----------------------------------------------------------------------===//

/// As many work tiles give a part as the cluster has CTAs, and all come there
/// equally often.
MaybeRejection CtaPlanner::checkGather(tile::AllGatherOp gather, Dims control) {
  size_t along = gather.getAlong(), parts = gather.getParts().size();
  int64_t size = along < cluster.size() ? cluster[along] : 1;
  if (size != int64_t(parts))
    return Rejection{
        gather.getLoc(),
        llvm::formatv("gathers parts of {0} work tiles along dimension {1}, "
                      "where the cluster has {2}; use {0} there",
                      parts, along,
                      size == 1 ? "1 CTA" : spell({size}) + " CTAs")
            .str()};
  if (control & (1u << along))
    return Rejection{
        gather.getLoc(),
        llvm::formatv("gathers parts of {0} work tiles along dimension {1}, "
                      "which do not do the same steps; gather outside it",
                      parts, along)
            .str()}
        .note(depends->getLoc(), "this runs differently in each of them");
  used |= 1u << along;
  return std::nullopt;
}

/// A dimension along which nothing is shared is no use.
MaybeRejection CtaPlanner::checkUsed(Dims control) {
  for (auto [dim, size] : llvm::enumerate(cluster)) {
    if (size == 1 || (used & (1u << dim)))
      continue;
    Rejection rejection{
        item.kernel.getLoc(),
        llvm::formatv("cluster: {0} has {1} CTAs along dimension {2}, but they "
                      "would share no tile that MMAs take; use 1 there",
                      spell(cluster), size, dim)
            .str()};
    if (control & (1u << dim))
      rejection.note(depends->getLoc(),
                     "this runs differently in each of them, so they cannot do "
                     "the same steps");
    return rejection;
  }
  return std::nullopt;
}

MaybeRejection CtaPlanner::run() {
  if (MaybeRejection rejection = checkItems())
    return rejection;
  findVarying();
  Dims control = getControl();
  MaybeRejection rejection;
  if (inPairs)
    rejection = formPairs(control);
  item.body->walk([&](tile::LoadOp load) {
    if (!rejection)
      rejection = checkSaid(load, control);
  });
  item.body->walk([&](tile::AllGatherOp gather) {
    if (!rejection)
      rejection = checkGather(gather, control);
  });
  item.body->walk([&](tile::LoadOp load) {
    if (!rejection && isShareable(load))
      rejection = share(load, ~(varying.lookup(load) | control));
  });
  return rejection ? rejection : checkUsed(control);
}

namespace {
struct PlanCtaPass : agent::impl::PlanCtaBase<PlanCtaPass> {
  void runOnOperation() override {
    if (failed(plan()))
      signalPassFailure();
  }

  LogicalResult plan();
};
} // namespace

LogicalResult PlanCtaPass::plan() {
  tile::KernelOp kernel = getOperation();
  tile::Schedule schedule = tile::getSchedule(kernel);
  bool shares = kernel
                    .walk([](Operation *op) {
                      auto load = dyn_cast<tile::LoadOp>(op);
                      bool isShared =
                          load && (load.getMulticast() || load.getHalved());
                      return isShared || isa<tile::AllGatherOp>(op)
                                 ? WalkResult::interrupt()
                                 : WalkResult::advance();
                    })
                    .wasInterrupted();
  if (!shares &&
      llvm::all_of(schedule.cluster, [](int64_t size) { return size == 1; }))
    return success();
  if (!kernel.getBody().getOps<SwitchOp>().empty())
    return kernel.emitError()
           << "kernel @" << kernel.getSymName()
           << " has roles already, and what CTAs share is "
              "found while a load is "
              "a load: run plan-cta before assign-roles [pass-order]";
  FailureOr<const target::Architecture *> arch = tile::requireTarget(kernel);
  if (failed(arch))
    return failure();
  Item item = Item::of(kernel);
  CtaPlanner planner(item, schedule, **arch);
  if (MaybeRejection rejection = planner.run())
    return rejection->emit();
  tile::addReasons(kernel, planner.reasons);
  return success();
}
