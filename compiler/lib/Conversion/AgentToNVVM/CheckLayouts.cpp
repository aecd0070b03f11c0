//===- CheckLayouts.cpp - Whether tiles are where the code expects them ---===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A layout can be written by hand, or changed after `assign-layouts` chose it.
// What the translation takes for granted is asked for here: who has a layout,
// that it is one of this role's threads, and the one that an instruction
// dictates. That tiles of one operation on elements have the same layout, their
// types say.

#include "Emitter.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::codegen;

namespace {
class LayoutChecker {
public:
  LayoutChecker(RoleOp role) : role(role) {}

  /// Why an operation has no code with the layouts of its tiles; empty if it
  /// has.
  std::string findFault(Operation *op);

private:
  std::string findFault(tile::LayoutAttr layout);
  std::string findFault(tile::ConvertLayoutOp op);
  /// Whether a tile has the layout of a family.
  static bool isOf(const plan::Fragments &family, Type type);

  RoleOp role;
  llvm::DenseSet<Attribute> known;
};
} // namespace

static tile::LayoutAttr getLayoutAttr(Type type) {
  if (auto inFlight = dyn_cast<InFlightType>(type))
    type = inFlight.getTile();
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_if_present<tile::LayoutAttr>(tensor.getEncoding())
                : tile::LayoutAttr();
}

static bool isTile(Value value) {
  return isa<RankedTensorType, InFlightType>(value.getType());
}

/// Whether an operand or a result is a tile in memory, which has no layout.
static bool isInMemory(Operation *op, Value value) {
  if (isa<tile::ReadOp, OrZeroOp, MultiplyOp>(op))
    return true;
  if (isa<tile::TransposeOp, tensor::ExtractSliceOp, tile::ExtractSliceOp>(op))
    return !getLayoutAttr(op->getOperand(0).getType());
  if (isa<tile::ConvertLayoutOp>(op))
    return value == op->getOperand(0);
  if (isa<tile::MmaOp, IssueOp>(op))
    return value == op->getOperand(0) || value == op->getOperand(1);
  return false;
}

/// Whether a tile is what is read of a buffer, or is cut from that.
static bool isRead(Value tile) {
  Operation *op = tile.getDefiningOp();
  while (isa_and_present<OrZeroOp, tile::TransposeOp, tensor::ExtractSliceOp,
                         tile::ExtractSliceOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_present<tile::ReadOp>(op);
}

static bool isInTensorMemory(Value tile) {
  while (!tile.getDefiningOp<tile::ReadOp>())
    tile = tile.getDefiningOp()->getOperand(0);
  return tile.getDefiningOp<tile::ReadOp>().getBuffer().getType().getSpace() ==
         tile::Space::Tmem;
}

std::string LayoutChecker::findFault(tile::LayoutAttr layout) {
  if (known.contains(layout))
    return "";
  ArrayRef<tile::Layout::Input> inputs = layout.getLayout().getInputs();
  if (inputs.size() != 3 || inputs[plan::inRegister].name != "register" ||
      inputs[plan::inLane].name != "lane" ||
      inputs[plan::inWarp].name != "warp")
    return "has a layout that is not of registers, lanes and warps";
  int64_t lanes = layout.getLayout().getInputSize(plan::inLane);
  int64_t warps = layout.getLayout().getInputSize(plan::inWarp);
  if (lanes != 32 || warps != role.getWarps())
    return llvm::formatv("has a layout of {0} lanes and {1} warps; @{2} has 32 "
                         "and {3}",
                         lanes, warps, role.getSymName(), role.getWarps());
  for (unsigned dim = 0; dim < layout.getLayout().getOutputs().size(); ++dim)
    if (auto offsets = plan::Offsets::get(layout.getLayout(), dim); !offsets)
      return "has a layout without code: " +
             llvm::toString(offsets.takeError());
  known.insert(layout);
  return "";
}

bool LayoutChecker::isOf(const plan::Fragments &family, Type type) {
  const tile::Layout &own = getLayoutAttr(type).getLayout();
  SmallVector<int64_t> shape = llvm::map_to_vector(
      own.getOutputs(), [](const auto &output) { return output.size; });
  llvm::Expected<tile::Layout> layout = family.getLayout(shape);
  if (layout)
    return own == *layout;
  llvm::consumeError(layout.takeError());
  return false;
}

/// Of a conversion between registers.
std::string LayoutChecker::findFault(tile::ConvertLayoutOp op) {
  Type element = op.getType().getElementType();
  int64_t bits = plan::getElementBits(element);
  if (bits % 8 || !llvm::isPowerOf2_64(bits)) {
    std::string text;
    llvm::raw_string_ostream(text) << element;
    return "moves elements of type " + text + ", which are no whole bytes";
  }
  llvm::Expected<layouts::Conversion> conversion = layouts::planConversion(
      getLayout(op.getSource()), getLayout(op.getResult()), bits / 8);
  if (!conversion)
    return "moves a tile between registers: " +
           llvm::toString(conversion.takeError());
  if (conversion->way == layouts::Way::Scratch)
    return "moves elements from warp to warp, which has no code yet";
  return "";
}

std::string LayoutChecker::findFault(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  llvm::erase_if(values, [](Value value) { return !isTile(value); });
  for (Value value : values) {
    tile::LayoutAttr layout = getLayoutAttr(value.getType());
    if (!layout && isInMemory(op, value) && isRead(value))
      continue;
    if (!layout)
      return "has a tile without a layout";
    if (std::string fault = findFault(layout); !fault.empty())
      return fault;
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op);
      reduce && isTile(reduce.getResult()) &&
      getLayout(reduce.getResult()) !=
          plan::dropAxis(getLayout(reduce.getSource()), reduce.getAxis()))
    return "gives its result another layout than what is left of its operand's";
  if (auto conversion = dyn_cast<tile::ConvertLayoutOp>(op)) {
    if (getLayoutAttr(conversion.getSource().getType()))
      return findFault(conversion);
    if (isInTensorMemory(conversion.getSource()) &&
        !isOf(plan::Fragments::rows(role.getWarps()), conversion.getType()))
      return "reads tensor memory in another layout than rows of lanes";
  }
  if (auto write = dyn_cast<tile::WriteOp>(op);
      write && write.getBuffer().getType().getSpace() == tile::Space::Tmem &&
      !isOf(plan::Fragments::rows(role.getWarps()), write.getValue().getType()))
    return "writes tensor memory in another layout than rows of lanes";
  // A transpose and B go through scratch memory, as they are.
  if (isa<tile::MmaOp, IssueOp>(op))
    for (Value value : values)
      if (getLayoutAttr(value.getType()) && value != op->getOperand(1) &&
          !value.getDefiningOp<tile::TransposeOp>() &&
          !isOf(plan::Fragments::wgmma(role.getWarps()), value.getType()))
        return "has a tile in registers that is not in the layout of wgmma";
  return "";
}

LogicalResult codegen::checkLayouts(RoleOp role) {
  LayoutChecker checker(role);
  WalkResult result = role.walk([&](Operation *op) {
    std::string fault = checker.findFault(op);
    if (fault.empty())
      return WalkResult::advance();
    op->emitOpError() << fault
                      << ", so it is not as 'assign-layouts' leaves a kernel";
    return WalkResult::interrupt();
  });
  return success(!result.wasInterrupted());
}
