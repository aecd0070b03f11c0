//===- Footprint.cpp - How much room a slot takes -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Analysis/Slots/Multicast.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

int64_t plan::multiply(int64_t a, int64_t b) {
  if (a != 0 && b > saturated / a)
    return saturated;
  return std::min(a * b, saturated);
}

int64_t plan::alignUp(int64_t value, int64_t alignment) {
  if (value >= saturated)
    return saturated;
  return (value + alignment - 1) / alignment * alignment;
}

int64_t plan::countElements(RankedTensorType type) {
  int64_t count = 1;
  for (int64_t size : type.getShape())
    count = multiply(count, size);
  return count;
}

int64_t plan::getElementBits(Type type) {
  constexpr int64_t wordBits = 64;
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * getElementBits(complex.getElementType());
  if (!type.isIntOrFloat())
    return wordBits;
  int64_t bits = type.getIntOrFloatBitWidth();
  // A truth value has a byte of its own; nothing else narrower is an integer.
  return bits == 1 ? 8 : bits;
}

/// What is too large stays so when it is divided.
static int64_t divideUp(int64_t a, int64_t b) {
  return a >= saturated ? saturated : (a + b - 1) / b;
}

/// Where a tile may start. Swizzles of 128, 64 and 32 bytes repeat every 1024,
/// 512 and 256 bytes (PTX ISA, tensor swizzling modes), so a tile whose rows
/// are that wide starts at such an address; a bulk copy wants 128 bytes.
static int64_t getTileAlignment(RankedTensorType type) {
  int64_t row =
      multiply(type.getShape().back(), getElementBits(type.getElementType())) /
      8;
  if (type.getRank() < 2 || row < 32)
    return 128;
  return row >= 128 ? 1024 : row >= 64 ? 512 : 256;
}

int64_t plan::getTileBytes(RankedTensorType tile, int64_t ctas) {
  return divideUp(
      multiply(countElements(tile), getElementBits(tile.getElementType())),
      8 * ctas);
}

int64_t plan::getTileColumns(RankedTensorType tile, int64_t ctas,
                             const target::Architecture &arch) {
  constexpr int64_t columnBits = 32;
  int64_t lanes = std::max(1u, arch.tensorMemory.lanes);
  int64_t width = tile.getShape().back();
  if (width == 0)
    return 0;
  int64_t rows = divideUp(countElements(tile), width);
  int64_t perRow = divideUp(
      multiply(width, getElementBits(tile.getElementType())), columnBits);
  return multiply(perRow, divideUp(divideUp(rows, ctas), lanes));
}

SlotFootprint plan::getSlotFootprint(PipeOp pipe) {
  // A message of a few words is one access.
  constexpr int64_t messageAlignment = 16;
  int64_t ctas = pipe.getSwitch().getCtasOfItem();
  // The first word of a message says whether there is an item.
  constexpr int64_t messageWord = 4;
  PipeType pipeType = pipe.getPipe().getType();
  SlotFootprint slot;
  bool isMessage = pipeType.getMemory() == Memory::message;
  int64_t end = isMessage && !pipeType.getPayload().empty() ? messageWord : 0;
  for (Type type : getHeldTypes(pipe)) {
    int64_t bytes, alignment;
    if (auto tile = dyn_cast<RankedTensorType>(type)) {
      bytes = getTileBytes(tile, ctas);
      alignment = getTileAlignment(tile);
    } else {
      bytes = alignment =
          type.isIndex() ? messageWord : divideUp(getElementBits(type), 8);
      slot.alignment = messageAlignment;
    }
    slot.alignment = std::max(slot.alignment, alignment);
    end = alignUp(end, alignment);
    slot.offsets.push_back(end);
    slot.bytes.push_back(bytes);
    slot.payloadBytes = std::min(slot.payloadBytes + bytes, saturated);
    end = std::min(end + bytes, saturated);
  }
  slot.stride = alignUp(end, slot.alignment);
  return slot;
}

LogicalResult plan::checkMemory(PipeOp pipe, const target::Architecture &arch) {
  if (pipe.getPipe().getType().getMemory() != Memory::tmem ||
      arch.tensorMemory.columns != 0)
    return success();
  return pipe.emitError() << "pipe '" << pipe.getName()
                          << "' is in tensor memory, which " << arch.name
                          << " does not have; use smem [no-tensor-memory]";
}

int64_t plan::getSlotColumns(PipeOp pipe, const target::Architecture &arch) {
  int64_t ctas = pipe.getSwitch().getCtasOfItem();
  int64_t columns = 0;
  for (Type type : pipe.getPipe().getType().getPayload())
    if (auto tile = dyn_cast<RankedTensorType>(type))
      columns = std::min(columns + getTileColumns(tile, ctas, arch), saturated);
  return columns;
}

std::string plan::formatBytes(int64_t bytes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (bytes >= saturated)
    os << "more than " << (saturated >> 40) << " TiB";
  else if (bytes < 1024)
    os << bytes << " B";
  else if (bytes % 1024 == 0)
    os << bytes / 1024 << " KiB";
  else
    os << llvm::format("%.1f KiB", static_cast<double>(bytes) / 1024);
  return text;
}

std::string plan::countSlots(int64_t count) {
  return std::to_string(count) + (count == 1 ? " slot" : " slots");
}
