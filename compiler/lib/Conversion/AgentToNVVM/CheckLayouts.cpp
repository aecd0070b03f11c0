//===- CheckLayouts.cpp - Whether tiles are where the code expects them ---===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Who has a layout, that it is one of this role's threads, the one that an
// instruction dictates, and that elements stay in their threads. That tiles of
// one operation on elements have the same layout, their types say.

#include "CheckKernel.h"
#include "Elements.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/RoleTiles/Panels.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::codegen;

static constexpr int64_t maxAddress = std::numeric_limits<int32_t>::max();

namespace {
/// Each function says why something has no code; empty if it has.
class LayoutChecker {
public:
  LayoutChecker(RoleOp role) : role(role) {}

  std::string findError(Operation *op);

private:
  std::string findError(tile::LayoutAttr layout);
  std::string findCoordinatesError(tile::LayoutAttr layout);
  std::string findBufferError(tile::BufferType buffer);
  std::string findAxisError(tile::AxisOpInterface op);
  std::string findConversionError(tile::ConvertLayoutOp op);
  std::string findRegisterError(Operation *op);
  std::string findAccessError(tile::BufferType buffer, RankedTensorType tile,
                              ArrayRef<int64_t> offsets, bool reads);
  std::string findMmaError(Operation *op);

  RoleOp role;
  llvm::DenseSet<Attribute> known;
};
} // namespace

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static tile::LayoutAttr getLayoutAttr(Type type) {
  if (auto inFlight = dyn_cast<InFlightType>(type))
    type = inFlight.getTile();
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_if_present<tile::LayoutAttr>(tensor.getEncoding())
                : tile::LayoutAttr();
}

static const tile::Layout &getLayout(Type tile) {
  return getLayoutAttr(tile).getLayout();
}

std::string LayoutChecker::findError(tile::LayoutAttr layout) {
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
  known.insert(layout);
  return "";
}

/// Of operations that compute where an element is in its tile.
std::string LayoutChecker::findCoordinatesError(tile::LayoutAttr layout) {
  for (unsigned dim = 0; dim < layout.getLayout().getOutputs().size(); ++dim)
    if (auto offsets = plan::Offsets::get(layout.getLayout(), dim); !offsets)
      return "has a layout without code: " +
             llvm::toString(offsets.takeError());
  return "";
}

/// Of shared memory with a layout.
std::string LayoutChecker::findBufferError(tile::BufferType buffer) {
  const tile::Layout &layout = buffer.getLayout().getLayout();
  if (layout.getInputs().size() != 1 || layout.getInputs()[0].name != "offset")
    return "has a buffer of shared memory whose layout has other inputs than "
           "offset";
  if (!layout.isInjective())
    return "has a buffer whose layout has an element twice: in memory each has "
           "one place";
  int64_t bytes = plan::multiply(layout.getInputSize(0),
                                 getElementBytes(buffer.getElementType()));
  if (bytes > maxAddress)
    return llvm::formatv("has a buffer of {0} bytes: addresses of shared "
                         "memory have 32 bits",
                         bytes);
  return "";
}

/// Between registers.
std::string LayoutChecker::findConversionError(tile::ConvertLayoutOp op) {
  Type element = op.getType().getElementType();
  int64_t bytes = getElementBytes(element);
  if (bytes == 0)
    return "moves elements of type " + print(element) +
           ", which are no whole bytes";
  llvm::Expected<layouts::Conversion> conversion = layouts::planConversion(
      getLayout(op.getSource().getType()), getLayout(op.getType()), bytes);
  if (!conversion)
    return "moves a tile between registers: " +
           llvm::toString(conversion.takeError());
  if (conversion->way == layouts::Way::Scratch)
    return "moves elements from warp to warp: 'stage-conversions' has them go "
           "through memory";
  return "";
}

std::string LayoutChecker::findAxisError(tile::AxisOpInterface op) {
  RankedTensorType type = op.getSource().getType();
  const tile::Layout &from = getLayout(type);
  if (auto digits = tile::findAxisDigits(from, op.getAxis()); !digits)
    return "combines elements along an axis, but " +
           llvm::toString(digits.takeError());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (isa<tile::ReduceOp>(op) && to &&
      getLayout(to) != plan::dropAxis(from, op.getAxis()))
    return "gives its result another layout than what is left of its operand's";
  int64_t exchanged = op.countExchanged(from);
  if (exchanged == 0)
    return "";
  int64_t bytes = plan::multiply(
      exchanged,
      std::max<int64_t>(1, plan::getElementBits(type.getElementType()) / 8));
  ScratchAttr scratch = role.getScratchAttr();
  NamedBarrierAttr named = role.getNamedBarrierAttr();
  int64_t room = 0;
  if (scratch && named)
    room = scratch.getOffset() + scratch.getBytes() - named.getParts();
  if (room >= bytes)
    return "";
  return llvm::formatv("combines the parts of several warps, which takes {0} "
                       "of scratch memory; @{1} has {2} for it",
                       plan::formatBytes(bytes), role.getSymName(),
                       plan::formatBytes(std::max<int64_t>(room, 0)));
}

/// Of operations that name registers anew.
std::string LayoutChecker::findRegisterError(Operation *op) {
  std::function<SmallVector<int64_t>(ArrayRef<int64_t>)> map;
  if (isa<tensor::ExtractSliceOp, tile::ExtractSliceOp>(op))
    map = plan::getSlice(op);
  else
    map = plan::getReshape(op);
  if (!map)
    return "cuts registers at a number that is not known";
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (plan::findRegisters(getLayout(from), getLayout(to), map))
    return "";
  return "makes a " + print(to) + " of a " + print(from) +
         ": elements would have to change threads";
}

std::string LayoutChecker::findAccessError(tile::BufferType buffer,
                                           RankedTensorType tile,
                                           ArrayRef<int64_t> offsets,
                                           bool reads) {
  if (buffer.getSpace() == tile::Space::Tmem) {
    StringRef verb = reads ? "reads" : "writes";
    bool mayBeHalf = buffer.getDimSize(0) == 64;
    bool isOfHalf = mayBeHalf && plan::isOfRows(getLayout(tile),
                                                role.getWarps(), /*half=*/true);
    bool isOfAll = !(mayBeHalf && reads) &&
                   plan::isOfRows(getLayout(tile), role.getWarps(),
                                  /*half=*/false);
    if (!isOfHalf && !isOfAll)
      return (verb + " tensor memory in another layout than rows of lanes")
          .str();
    bool isPart = offsets.size() == 2 && offsets[1] != 0;
    if (offsets.size() != 2 || offsets[0] != 0 ||
        ((reads || isPart) &&
         plan::getElementBits(tile.getElementType()) != 32))
      return (verb + " a part of tensor memory that has no code").str();
    return "";
  }
  if (getElementBytes(tile.getElementType()) == 0)
    return "moves elements of type " + print(tile.getElementType()) +
           ", which are no whole bytes";
  if (llvm::Error error = layouts::checkInRegisters(getLayout(tile)))
    return "has a tile in registers: " + llvm::toString(std::move(error));
  if (buffer.getLayout())
    return findBufferError(buffer);
  std::optional<plan::Panels> panels = plan::getPanels(buffer);
  if (!panels || panels->atom != plan::Panels::plainAtom)
    return "moves rows of " + print(tile) +
           " between registers and shared memory: they have a multiple of 16 "
           "bytes, and a swizzle of 16 bytes at a time";
  if (llvm::any_of(offsets, [](int64_t offset) { return offset != 0; }) ||
      tile.getShape() != buffer.getShape())
    return "moves a part of a buffer in shared memory, which has no code";
  llvm::Expected<tile::Layout> shared =
      plan::getSharedLayout(tile, *panels, buffer.getPanels().getTransposed());
  if (shared)
    return "";
  return "moves a " + print(tile) +
         " through shared memory: " + llvm::toString(shared.takeError());
}

/// An operand in shared memory has panels that a descriptor describes.
static bool isDescribed(Type type) {
  auto buffer = dyn_cast<tile::BufferType>(type);
  if (!buffer || buffer.getSpace() != tile::Space::Smem)
    return false;
  std::optional<plan::Panels> panels = plan::getPanels(buffer);
  return panels && panels->isDescribed();
}

std::string LayoutChecker::findMmaError(Operation *op) {
  Type a = op->getOperand(0).getType(), b = op->getOperand(1).getType();
  if (!isDescribed(b))
    return "multiplies by a " + print(b) +
           ", which is no buffer that a matrix descriptor describes";
  if (isDescribed(a))
    return "";
  if (auto multiply = dyn_cast<MultiplyOp>(op)) {
    auto buffer = dyn_cast<tile::BufferType>(a);
    if (buffer && buffer.getSpace() == tile::Space::Tmem)
      return "";
  } else if (getLayoutAttr(a) &&
             plan::getElementBits(getElementTypeOrSelf(a)) == 16) {
    return "";
  }
  return "multiplies a " + print(a) +
         ", which is no buffer that a matrix descriptor describes";
}

std::string LayoutChecker::findError(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  llvm::erase_if(types, [](Type type) {
    return !isa<RankedTensorType, InFlightType>(type);
  });
  for (Type type : types) {
    tile::LayoutAttr layout = getLayoutAttr(type);
    if (!layout)
      return "has a tile without a layout";
    if (std::string error = findError(layout); !error.empty())
      return error;
    if (!isa<tile::LoadOp, tile::StoreOp, tile::IotaOp, tile::AxisOpInterface>(
            op))
      continue;
    if (std::string error = findCoordinatesError(layout); !error.empty())
      return error;
  }
  if (isa<IssueOp, AddMmaOp>(op))
    for (Type type : types)
      if (!plan::isOf(plan::Fragments::wgmma(role.getWarps()), getLayout(type)))
        return "has a tile in registers that is not in the layout of wgmma";
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([&](tile::AxisOpInterface along) { return findAxisError(along); })
      .Case([&](tile::ConvertLayoutOp conversion) {
        return findConversionError(conversion);
      })
      .Case<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp,
            tensor::ExtractSliceOp, tile::ExtractSliceOp>(
          [&](auto reshape) { return findRegisterError(reshape); })
      .Case([&](tile::ReadOp read) {
        return findAccessError(read.getBuffer().getType(), read.getType(),
                               read.getStaticOffsets(), /*reads=*/true);
      })
      .Case([&](tile::WriteOp write) {
        return findAccessError(write.getBuffer().getType(),
                               write.getValue().getType(),
                               write.getStaticOffsets(), /*reads=*/false);
      })
      .Case<IssueOp, AddMmaOp, MultiplyOp>(
          [&](auto mma) { return findMmaError(mma); })
      .Case([&](tile::AllocOp alloc) -> std::string {
        tile::BufferType buffer = alloc.getType();
        if (!alloc.getAt() || buffer.getSpace() != tile::Space::Smem)
          return "has no memory placement";
        if (int64_t(*alloc.getAt()) > maxAddress)
          return llvm::formatv("begins at byte {0}: addresses of shared memory "
                               "have 32 bits",
                               *alloc.getAt());
        return buffer.getLayout() ? findBufferError(buffer) : "";
      })
      .Case([&](SyncOp sync) -> std::string {
        return sync.getParticipants() != Participants::role ||
                       role.getNamedBarrierAttr()
                   ? ""
                   : "waits for a role that has no named barrier";
      })
      .Default([](Operation *) { return std::string(); });
}

LogicalResult codegen::checkLayouts(RoleOp role) {
  LayoutChecker checker(role);
  WalkResult result = role.walk([&](Operation *op) -> WalkResult {
    std::string error = checker.findError(op);
    if (error.empty())
      return WalkResult::advance();
    op->emitOpError()
        << error
        << "; run 'assign-layouts' and 'access-memory' first [pass-order]";
    return WalkResult::interrupt();
  });
  return success(!result.wasInterrupted());
}
