//===- CodeWriter.cpp - What patterns to nvvm have in common --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeWriter.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

const tile::Layout &codegen::getLayout(Type tile) {
  return cast<tile::LayoutAttr>(cast<RankedTensorType>(tile).getEncoding())
      .getLayout();
}

VectorType codegen::getVectorType(Type tile) {
  return VectorType::get(getLayout(tile).getInputSize(plan::inRegister),
                         getRegisterType(getElementTypeOrSelf(tile)));
}

TypedAttr codegen::getRegisterAttr(TypedAttr number) {
  Type type = getRegisterType(number.getType());
  if (type == number.getType())
    return number;
  if (auto real = dyn_cast<FloatAttr>(number))
    return IntegerAttr::get(type, real.getValue().bitcastToAPInt().zext(8));
  return IntegerAttr::get(type, cast<IntegerAttr>(number).getInt());
}

int64_t codegen::getCopyMask(const tile::Layout &layout, unsigned input) {
  int64_t mask = 0, weight = 1;
  for (const tile::Layout::Digit &digit : layout.getInputs()[input].digits) {
    if (llvm::all_of(digit.basis, [](int64_t step) { return step == 0; }))
      mask |= weight;
    weight *= digit.count;
  }
  return mask;
}

LLVM::LLVMPointerType codegen::getPointerType(MLIRContext *context,
                                              NVVM::NVVMMemorySpace space) {
  return LLVM::LLVMPointerType::get(context, static_cast<unsigned>(space));
}

Value codegen::getBytesAfter(ImplicitLocOpBuilder &b, Value pointer,
                             LLVM::GEPArg bytes) {
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Operations outside roles ask for none of it.
static const RoleValues &getRoleValues(const KernelValues &kernel,
                                       Operation *role) {
  static const RoleValues none;
  auto found = kernel.roles.find(role);
  return found == kernel.roles.end() ? none : found->second;
}

CodeWriter::CodeWriter(const KernelValues &kernel, Operation *op,
                       ConversionPatternRewriter &rewriter)
    : b(op->getLoc(), rewriter), kernel(kernel),
      role(op->getParentOfType<agent::RoleOp>()),
      own(getRoleValues(kernel, role)), rewriter(rewriter) {}

Value CodeWriter::constant(int64_t value, unsigned bits) {
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(b.getIntegerType(bits), value));
}

void CodeWriter::when(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  body();
}

Value CodeWriter::lookup(Value value) {
  return rewriter.getRemappedValue(value);
}

SmallVector<Value> CodeWriter::getOffsets(ArrayRef<int64_t> numbers,
                                          ValueRange values) {
  return llvm::map_to_vector(numbers, [&](int64_t number) -> Value {
    if (!ShapedType::isDynamic(number))
      return constant(number);
    Value next = values.front();
    values = values.drop_front();
    return next;
  });
}

Value CodeWriter::getThread() {
  // A role of one warp has no other.
  if (role.getWarps() == 1)
    return kernel.lane;
  Value first =
      arith::MulIOp::create(b, own.warp, constant(kernel.arch.warpSize));
  return arith::AddIOp::create(b, first, kernel.lane);
}

Value CodeWriter::electIssuer() {
  // Asked in place where a warp is alone: ptxas then predicates the MMA.
  if (role.getWarps() == 1)
    return NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
  return own.leader;
}

void CodeWriter::syncRole() {
  NVVM::BarrierOp::create(b, Type(),
                          constant(role.getNamedBarrierAttr().getBarrier()),
                          constant(role.getWarps() * kernel.arch.warpSize),
                          NVVM::BarrierReductionAttr(), Value());
}

void CodeWriter::fenceProxy() {
  NVVM::FenceProxyOp::create(
      b, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

Value CodeWriter::getMask(Value ctas) {
  if (!ctas)
    return Value();
  // LLVM would drop the cut to 16 bits, and ptxas make it in every iteration.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(ctas);
  Value low = LLVM::InlineAsmOp::create(
                  b, ctas.getType(), ctas, "and.b32 $0, $1, 0xffff;", "=r,r",
                  /*has_side_effects=*/false, /*is_align_stack=*/false,
                  LLVM::tailcallkind::TailCallKind::None,
                  LLVM::AsmDialectAttr(), ArrayAttr())
                  .getRes();
  return arith::TruncIOp::create(b, b.getI16Type(), low);
}

Value CodeWriter::isMine(Value ctas) {
  Value bits = arith::ShRUIOp::create(b, ctas, kernel.lane);
  return arith::TruncIOp::create(b, b.getI1Type(), bits);
}

Value CodeWriter::getShared(int64_t offset) {
  return getBytesAfter(b, kernel.shared,
                       LLVM::GEPArg(static_cast<int32_t>(offset)));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

SmallVector<Value> CodeWriter::getOrigin(Value view) {
  auto part = view.getDefiningOp<tile::SubviewOp>();
  if (!part)
    return SmallVector<Value>(cast<tile::ViewType>(view.getType()).getRank(),
                              constant(0));
  SmallVector<Value> origin = getOrigin(part.getView());
  SmallVector<Value> values = llvm::map_to_vector(
      part.getOffsets(), [&](Value value) { return lookup(value); });
  for (auto [start, offset] :
       llvm::zip_equal(origin, getOffsets(part.getStaticOffsets(), values)))
    start = arith::AddIOp::create(b, start, offset);
  return origin;
}

ViewRegion CodeWriter::getRegion(Value view) {
  auto part = view.getDefiningOp<tile::SubviewOp>();
  if (!part) {
    ViewRegion region{cast<BlockArgument>(view), getOrigin(view), {}, {}};
    region.lows = region.starts;
    for (int64_t dim = 0; dim < int64_t(region.starts.size()); ++dim)
      region.ends.push_back(kernel.signature.getSize(b, region.argument, dim));
    return region;
  }
  ViewRegion region = getRegion(part.getView());
  auto lookUp = [&](Value value) { return lookup(value); };
  SmallVector<Value> offsets = getOffsets(
      part.getStaticOffsets(), llvm::map_to_vector(part.getOffsets(), lookUp));
  SmallVector<Value> sizes = getOffsets(
      part.getStaticSizes(), llvm::map_to_vector(part.getSizes(), lookUp));
  for (auto [dim, offset] : llvm::enumerate(part.getMixedOffsets())) {
    Value &start = region.starts[dim], &low = region.lows[dim];
    bool isInside = beginsInside(region, dim, offset);
    start = arith::AddIOp::create(b, start, offsets[dim]);
    low = isInside ? start : arith::MaxSIOp::create(b, low, start).getResult();
    Value last = arith::AddIOp::create(b, start, sizes[dim]);
    region.ends[dim] = arith::MinSIOp::create(b, region.ends[dim], last);
  }
  return region;
}

bool CodeWriter::beginsInside(const ViewRegion &region, int64_t dim,
                              OpFoldResult offset) {
  return region.lows[dim] == region.starts[dim] &&
         kernel.signAnalysis.isNonNegative(offset);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

ThreadOffset CodeWriter::getThreadOffset(const plan::Offsets &offsets) {
  auto place = [&](plan::FragmentInput input) {
    return input == plan::inLane ? kernel.lane : own.warp;
  };
  ThreadOffset thread;
  for (const plan::Offsets::Xor &term : offsets.getXors()) {
    Value bits =
        arith::AndIOp::create(b, place(term.input), constant(term.mask));
    if (term.shift > 0)
      bits = arith::ShLIOp::create(b, bits, constant(term.shift));
    else if (term.shift < 0)
      bits = arith::ShRUIOp::create(b, bits, constant(-term.shift));
    thread.xored =
        thread.xored ? arith::XOrIOp::create(b, thread.xored, bits).getResult()
                     : bits;
  }
  for (const plan::Offsets::Sum &term : offsets.getSums()) {
    Value digit =
        arith::DivUIOp::create(b, place(term.input), constant(term.divisor));
    digit = arith::RemUIOp::create(b, digit, constant(term.count));
    Value part = arith::MulIOp::create(b, digit, constant(term.factor));
    thread.added =
        thread.added ? arith::AddIOp::create(b, thread.added, part).getResult()
                     : part;
  }
  if (!thread.xored)
    thread.xored = constant(0);
  return thread;
}

Value CodeWriter::getOffset(const ThreadOffset &thread,
                            const plan::Offsets &offsets, int64_t number) {
  Value offset = thread.xored;
  if (int64_t bits = offsets.getXored(number))
    offset = arith::XOrIOp::create(b, offset, constant(bits));
  if (thread.added)
    offset = arith::AddIOp::create(b, offset, thread.added);
  return offset;
}

Value CodeWriter::getAddress(Value base, const ThreadOffset &thread,
                             const plan::Offsets &offsets, int64_t number) {
  Value start =
      getBytesAfter(b, base, LLVM::GEPArg(getOffset(thread, offsets, number)));
  // On its own, so that it becomes the constant of the access.
  return getBytesAfter(
      b, start, LLVM::GEPArg(static_cast<int32_t>(offsets.getAdded(number))));
}

Value CodeWriter::getOwner(const tile::Layout &layout) {
  Value owner;
  auto require = [&](Value number, int64_t mask) {
    if (!mask)
      return;
    Value bits = arith::AndIOp::create(b, number, constant(mask));
    Value first =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits, constant(0));
    owner = owner ? arith::AndIOp::create(b, owner, first).getResult() : first;
  };
  require(kernel.lane, getCopyMask(layout, plan::inLane));
  require(own.warp, getCopyMask(layout, plan::inWarp));
  return owner;
}
