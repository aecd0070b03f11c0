//===- Descriptors.cpp - Matrix descriptors of a role's MMAs --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A descriptor has two halves of 32 bits. The upper one is a constant. The low
// one has the address, in units of 16 bytes. Where a loop goes from slot to
// slot the role keeps the half for the first one, and another one is some units
// after it: two instructions, where a descriptor from an address takes five.
//
//===----------------------------------------------------------------------===//

#include "MatrixDescriptors.h"
#include "Patterns.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

namespace {
/// A buffer as a place that is known, and a slot's distance from it.
struct Origin {
  int64_t place;
  /// Null if there is one slot only.
  Value slot;
  int64_t stride = 0;
};
} // namespace

static Origin findOrigin(Value buffer) {
  while (auto view = buffer.getDefiningOp<tile::TransposeViewOp>())
    buffer = view.getSource();
  if (auto alloc = buffer.getDefiningOp<tile::AllocOp>())
    return {int64_t(*alloc.getAt()), {}};
  auto slot = buffer.getDefiningOp<agent::SlotOp>();
  auto ring = slot.getSlots().getDefiningOp<agent::SlotsOp>();
  int64_t first = ring.getAt() + ring.getOffsets()[slot.getValue()];
  if (ring.getCount() == 1)
    return {first, {}};
  return {first, slot.getIndex(), int64_t(ring.getStride())};
}

/// The same number, of which LLVM knows nothing: otherwise it computes parts of
/// it anew in every iteration.
static Value hide(ImplicitLocOpBuilder &b, Value value) {
  return LLVM::InlineAsmOp::create(
             b, value.getType(), value, "mov.b32 $0, $1;", "=r,r",
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
             ArrayAttr())
      .getRes();
}

static Value makeConstant(ImplicitLocOpBuilder &b, int64_t number) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(number));
}

/// An address in shared memory in units of 16 bytes.
static Value getUnits(ImplicitLocOpBuilder &b, Value pointer,
                      const KernelValues &kernel) {
  Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), pointer);
  Value units = arith::ShRUIOp::create(b, address, makeConstant(b, 4));
  // In a cluster an address has the CTA in bits that mean something else here.
  constexpr int64_t addressBits = 0x3fff;
  if (kernel.inCluster)
    units = arith::AndIOp::create(b, units, makeConstant(b, addressBits));
  return units;
}

/// The low half of a matrix descriptor, for the first slot: its address, and
/// what of the bits, which describe its panels, is in that half. Each warp
/// group starts some rows after the one before it.
static Value makeLow(ImplicitLocOpBuilder &b, const DescriptorKey &key,
                     const KernelValues &kernel, const RoleValues &values) {
  auto [place, bits, rows] = key;
  Value pointer = getBytesAfter(b, kernel.shared,
                                LLVM::GEPArg(static_cast<int32_t>(place)));
  Value units = getUnits(b, pointer, kernel);
  if (rows) {
    Value group = arith::ShRUIOp::create(b, values.warp, makeConstant(b, 2));
    units = arith::AddIOp::create(
        b, units, arith::MulIOp::create(b, group, makeConstant(b, rows / 16)));
  }
  return hide(b, arith::AddIOp::create(
                     b, units, makeConstant(b, static_cast<int32_t>(bits))));
}

/// Which of the role's descriptors an operand has. Each warp group takes some
/// rows of A.
static DescriptorKey getKey(Value buffer, bool isA, agent::RoleOp role,
                            const KernelValues &kernel) {
  SharedOperand operand = getOperand(buffer.getType());
  int64_t place = findOrigin(buffer).place;
  if (kernel.arch.tensorMemory.columns)
    return {place, operand.describeForTcgen05(), 0};
  int64_t warpGroups = role.getWarps() / target::warpsPerGroup;
  bool isDivided = isA && warpGroups > 1;
  return {place, operand.describeForWgmma(),
          isDivided ? operand.getOffset(target::wgmmaRows, 0) : 0};
}

/// Whether it is a buffer that a descriptor describes: it is neither in
/// registers nor in tensor memory.
static bool isDescribed(Value operand) {
  auto type = dyn_cast<tile::BufferType>(operand.getType());
  return type && type.getSpace() == tile::Space::Smem;
}

/// Whether the role keeps the half for the first slot. Of tcgen05 it does if
/// each iteration of the loop around the MMA has another slot: what stays
/// the same, LLVM computes in front of the loop.
static bool isKept(Operation *mma, Value operand) {
  if (!isa<agent::MultiplyOp>(mma))
    return true;
  Value slot = findOrigin(operand).slot;
  auto loop = mma->getParentOfType<LoopLikeOpInterface>();
  return slot && loop && !loop.isDefinedOutsideOfLoop(slot);
}

void codegen::addDescriptors(ImplicitLocOpBuilder &b, agent::RoleOp role,
                             const KernelValues &kernel, RoleValues &values) {
  role.walk([&](Operation *op) {
    if (!isa<agent::IssueOp, agent::AddMmaOp, agent::MultiplyOp>(op))
      return;
    for (unsigned index : {0, 1}) {
      Value operand = op->getOperand(index);
      if (!isDescribed(operand) || !isKept(op, operand))
        continue;
      DescriptorKey key = getKey(operand, /*isA=*/index == 0, role, kernel);
      if (!values.descriptors.contains(key))
        values.descriptors[key] = makeLow(b, key, kernel, values);
    }
  });
}

Value codegen::getLowDescriptor(Operation *mma, unsigned index, CodeWriter &w) {
  Value buffer = mma->getOperand(index);
  Origin origin = findOrigin(buffer);
  Value first = w.own.descriptors.lookup(
      getKey(buffer, /*isA=*/index == 0, w.role, w.kernel));
  if (!first || !origin.slot)
    return first;
  Value distance = arith::MulIOp::create(w.b, w.lookup(origin.slot),
                                         w.constant(origin.stride / 16));
  return arith::AddIOp::create(w.b, first, distance);
}

Value codegen::getDescriptor(agent::MultiplyOp mma, unsigned index,
                             CodeWriter &w) {
  ImplicitLocOpBuilder &b = w.b;
  Value buffer = mma->getOperand(index);
  uint64_t bits = getOperand(buffer.getType()).describeForTcgen05();
  auto widen = [&](Value low) -> Value {
    return arith::ExtUIOp::create(b, b.getI64Type(), low);
  };
  if (Value low = getLowDescriptor(mma, index, w)) {
    uint64_t high = bits >> 32 << 32;
    return arith::OrIOp::create(b, widen(low), w.constant(high, 64));
  }
  Value units = getUnits(b, w.lookup(buffer), w.kernel);
  return arith::AddIOp::create(b, widen(units), w.constant(bits, 64));
}
