//===- Copies.cpp - Tiles between global and shared memory ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::codegen;

/// What a bulk copy of a tile, or of one of some equal parts, is: one for each
/// panel, and for each box of rows in it.
static void forEachBox(CodeWriter &w, Value view, ArrayRef<Value> offsets,
                       ArrayRef<int64_t> dims, const Panels &panels, Value slot,
                       llvm::function_ref<void(Value, ArrayRef<Value>)> visit,
                       int64_t parts = 1, Value place = Value()) {
  SmallVector<Value> starts = w.getOrigin(view);
  for (auto [start, offset] : llvm::zip_equal(starts, offsets))
    start = arith::AddIOp::create(w.b, start, offset);
  int64_t rows = panels.rows / parts;
  if (place) {
    Value first = arith::MulIOp::create(w.b, place, w.constant(rows));
    Value &start = starts[dims.front()];
    start = arith::AddIOp::create(w.b, start, first);
    Value bytes =
        arith::MulIOp::create(w.b, place, w.constant(rows * panels.width));
    slot = getBytesAfter(w.b, slot, LLVM::GEPArg(bytes));
  }
  for (int64_t panel = 0; panel < panels.count; ++panel)
    for (int64_t row = 0; row < rows; row += panels.boxRows(parts)) {
      int64_t column = panel * panels.elements();
      SmallVector<Value> coordinates(starts);
      auto move = [&](int64_t dim, int64_t by) {
        if (by != 0)
          coordinates[dim] =
              arith::AddIOp::create(w.b, coordinates[dim], w.constant(by));
      };
      move(dims.front(), row);
      move(dims.back(), column);
      // A map counts from the innermost dimension.
      std::reverse(coordinates.begin(), coordinates.end());
      Value address = getBytesAfter(
          w.b, slot,
          LLVM::GEPArg(static_cast<int32_t>(panels.getOffset(row, column))));
      visit(address, coordinates);
    }
}

static Values load(SlotLoadOp op, SlotLoadOp::Adaptor operands, CodeWriter &w) {
  if (op.getEngine() == Engine::cp_async) {
    loadByThreads(op, operands, w);
    return {};
  }
  Type cluster =
      getPointerType(w.b.getContext(), NVVM::NVVMMemorySpace::SharedCluster);
  // Who tells the barrier of the other CTA of a pair says so.
  NVVM::CTAGroupKindAttr group;
  if (op.getBarrier().getDefiningOp<BarrierOp>().getCta())
    group = NVVM::CTAGroupKindAttr::get(w.b.getContext(),
                                        NVVM::CTAGroupKind::CTA_2);
  forEachBox(
      w, op.getView(),
      w.getOffsets(op.getStaticOffsets(), operands.getOffsets()), op.getDims(),
      *plan::getPanels(op.getBuffer().getType()), operands.getBuffer(),
      [&](Value address, ArrayRef<Value> coordinates) {
        // The address of the own CTA is valid in the cluster. A cast
        // between the address spaces would cost instructions.
        Value number = LLVM::PtrToIntOp::create(w.b, w.b.getI32Type(), address);
        Value target = LLVM::IntToPtrOp::create(w.b, cluster, number);
        NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
            w.b, target, w.kernel.signature.getMap(op), coordinates,
            operands.getBarrier(), ValueRange(), w.getMask(operands.getCtas()),
            w.own.policies.lookup(op), NVVM::TMALoadMode::TILE,
            /*isCTAOnly=*/false, group, Value());
      },
      op.getParts(), operands.getPlace());
  return {};
}

static Values store(SlotStoreOp op, SlotStoreOp::Adaptor operands,
                    CodeWriter &w) {
  if (op.getEngine() != Engine::tma) {
    storeByThreads(op, operands, w);
    return {};
  }
  forEachBox(
      w, op.getView(),
      w.getOffsets(op.getStaticOffsets(), operands.getOffsets()), op.getDims(),
      *plan::getPanels(op.getBuffer().getType()), operands.getBuffer(),
      [&](Value address, ArrayRef<Value> coordinates) {
        NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
            w.b, w.kernel.signature.getMap(op), address, coordinates,
            w.own.policies.lookup(op), NVVM::TMAStoreMode::TILE, Value());
      });
  return {};
}

/// Whether a bulk copy of a tile of a part of a view does the right thing: the
/// tile lies in the part, or the part ends where the view does, whose edges the
/// tensor map knows.
static Values fitsTensorMap(FitsOp op, FitsOp::Adaptor operands,
                            CodeWriter &w) {
  ViewRegion region = w.getRegion(op.getView());
  SmallVector<Value> offsets =
      w.getOffsets(op.getStaticOffsets(), operands.getOffsets());
  Value fits = w.constant(1, 1);
  auto require = [&](Value condition) {
    fits = arith::AndIOp::create(w.b, fits, condition);
  };
  auto isAtMost = [&](Value x, Value y) -> Value {
    return arith::CmpIOp::create(w.b, arith::CmpIPredicate::sle, x, y);
  };
  auto part = op.getView().getDefiningOp<tile::SubviewOp>();
  for (auto [dim, offset] : llvm::enumerate(op.getMixedOffsets())) {
    ArrayRef<int64_t> dims = op.getDims();
    const int64_t *found = llvm::find(dims, int64_t(dim));
    bool isOfTile = found != dims.end();
    int64_t size = isOfTile ? op.getShape()[found - dims.begin()] : 1;
    Value at = arith::AddIOp::create(w.b, region.starts[dim], offsets[dim]);
    if (!w.beginsInside(region, dim, offset))
      require(isAtMost(region.lows[dim], at));
    if (!part)
      continue;
    // In other dimensions a tile is one element, most often the only one.
    std::optional<int64_t> first = getConstantIntValue(offset);
    std::optional<int64_t> count =
        getConstantIntValue(part.getMixedSizes()[dim]);
    if (!isOfTile && first && count && *first < *count)
      continue;
    Value last = arith::AddIOp::create(w.b, at, w.constant(size));
    Value known = arith::CmpIOp::create(
        w.b, arith::CmpIPredicate::eq, region.ends[dim],
        w.kernel.signature.getSize(w.b, region.argument, dim));
    require(arith::OrIOp::create(w.b, isAtMost(last, region.ends[dim]), known));
  }
  return {fits};
}

//===----------------------------------------------------------------------===//
// Cache policies
//===----------------------------------------------------------------------===//

/// Whether an operation is a copy by TMA, and of which argument; null if not.
static BlockArgument getMapped(Operation *op) {
  if (auto load = dyn_cast<SlotLoadOp>(op);
      load && load.getEngine() == Engine::tma)
    return getArgument(load.getView());
  if (auto store = dyn_cast<SlotStoreOp>(op);
      store && store.getEngine() == Engine::tma)
    return getArgument(store.getView());
  return {};
}

void codegen::prefetchMaps(ImplicitLocOpBuilder &b, SwitchOp roles,
                           const KernelValues &kernel) {
  for (RoleOp role : roles.getRoles()) {
    bool copies = role.walk([](Operation *op) {
                        return getMapped(op) ? WalkResult::interrupt()
                                             : WalkResult::advance();
                      })
                      .wasInterrupted();
    if (!copies)
      continue;
    Type i32 = b.getI32Type();
    Value first = arith::ConstantOp::create(
        b, b.getI32IntegerAttr(*role.getAt() * kernel.arch.warpSize));
    Value isFirst = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq, NVVM::ThreadIdXOp::create(b, i32), first);
    for (Value map : kernel.signature.getMaps())
      NVVM::PrefetchOp::create(b, NVVM::PrefetchCacheLevelAttr(),
                               NVVM::CacheEvictionPriorityAttr(), map, isFirst,
                               /*tensormap=*/b.getUnitAttr(),
                               /*uniform=*/UnitAttr(),
                               /*in_param_space=*/UnitAttr());
    return;
  }
}

void codegen::addPolicies(ImplicitLocOpBuilder &b, RoleOp role,
                          const tile::Schedule &schedule, RoleValues &values) {
  llvm::MapVector<tile::Eviction, Value> made;
  role.walk([&](Operation *op) {
    BlockArgument view = getMapped(op);
    std::optional<tile::Eviction> eviction;
    if (view)
      eviction = schedule.getHint(tile::getArgumentName(view));
    if (!eviction)
      return;
    Value &policy = made[*eviction];
    if (!policy) {
      std::string text =
          ("createpolicy.fractional.L2::" + tile::stringifyEnum(*eviction) +
           ".b64 $0, 1.0;")
              .str();
      policy = LLVM::InlineAsmOp::create(
                   b, b.getI64Type(), ValueRange(), text, "=l",
                   /*has_side_effects=*/false, /*is_align_stack=*/false,
                   LLVM::tailcallkind::TailCallKind::None,
                   LLVM::AsmDialectAttr(), ArrayAttr())
                   .getResult(0);
    }
    values.policies[op] = policy;
  });
}

void codegen::addCopies(PatternList &list) {
  list.add<SlotLoadOp>(load);
  list.add<SlotStoreOp>(store);
  list.add<FitsOp>(fitsTensorMap);
}
