//===- Tcgen05Alloc.cpp - Allocation of tensor memory --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.16.7.

#include "Execute/Engine.h"
#include "Execute/Tcgen05.h"
#include "Memory/Access.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;
using ptx::Opcode;
using ptx::Type;

namespace {
enum : unsigned { Columns, Address };
} // namespace

/// The number of columns. False if the handler is to return `next`.
static bool readColumns(Warp &warp, const Inst *inst, uint32_t &columns,
                        const Inst *&next) {
  if (!uniformValue(warp, inst, inst->slot[Columns], 0, "the number of columns",
                    columns, next))
    return false;
  uint32_t most = tensorMemory(warp.cta()).columns();
  if (llvm::isPowerOf2_32(columns) && columns >= TensorMemory::unit &&
      columns <= most)
    return true;
  next = warp.fail(inst, allLanes, ReportKind::IllegalInstruction,
                   formatv("{0} columns; it must be a power of two from {1} "
                           "to {2}",
                           columns, TensorMemory::unit, most));
  return false;
}

static const Inst *alloc(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  uint32_t columns;
  if (!wholeWarp(warp, inst, mask, next) ||
      !readColumns(warp, inst, columns, next))
    return next;
  CTA &cta = warp.cta();
  TensorCore &core = tensorCore(cta);
  auto refuse = [&](const llvm::Twine &message) {
    return warp.fail(inst, allLanes, ReportKind::Protocol, message);
  };
  if (core.relinquished)
    return refuse("tcgen05.alloc after tcgen05.relinquish_alloc_permit: the "
                  "CTA has given up the right to allocate");
  if (core.lastAllocation && columns > core.lastAllocation)
    return refuse(formatv("{0} columns after an allocation of {1}: the "
                          "allocations of a CTA must not grow",
                          columns, core.lastAllocation));
  uint64_t address = inst->as<EngineAddress>().of(warp, 0);
  char *host =
      isOwn(cta, address) ? translate(cta.cluster(), address, 4) : nullptr;
  if (!host)
    return warp.fail(inst, allLanes, ReportKind::IllegalAddress,
                     "writes the address to " + nameAddress(cta, address) +
                         ", which isn't in the CTA's shared memory");
  TensorMemory &memory = tensorMemory(cta);
  std::optional<uint32_t> column =
      memory.allocate(warp.issuePoint(inst, allLanes), columns);
  if (!column)
    return warp.wait(inst, allLanes, memory, WaitMode::Retry, columns);
  core.lastAllocation = columns;
  memcpy(host, &*column, sizeof(*column));
  if (Listener *listener = warp.listener()) {
    AccessEvent event;
    event.origin = warp.origin(inst, 1);
    event.kind = AccessKind::Write;
    event.proxy = Proxy::Generic;
    event.space = ptx::StateSpace::SharedCta;
    event.bytes = sizeof(*column);
    event.addresses = address;
    listener->access(event);
  }
  return next;
}

static const Inst *dealloc(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  uint32_t columns, value;
  if (!wholeWarp(warp, inst, mask, next) ||
      !readColumns(warp, inst, columns, next) ||
      !uniformValue(warp, inst, inst->slot[Address], 0,
                    "the address in tensor memory", value, next))
    return next;
  TensorAddress address(value);
  auto refuse = [&](const llvm::Twine &message) {
    return warp.fail(inst, allLanes, ReportKind::Protocol, message);
  };
  if (address.lane)
    return refuse("frees " + address.str() +
                  ": an allocation has all lanes and starts at lane 0");
  std::string problem = tensorCore(warp.cta())
                            .checkOrder({address.column, columns, 0xff},
                                        TensorCore::Access::Free, true);
  if (problem.empty())
    problem =
        tensorMemory(warp.cta()).free(warp.cta(), address.column, columns);
  if (!problem.empty())
    return refuse("frees " + problem);
  return next;
}

static const Inst *relinquish(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  if (!wholeWarp(warp, inst, mask, next))
    return next;
  tensorCore(warp.cta()).relinquished = true;
  return next;
}

static bool decodeAlloc(Decoder &decoder, Inst &inst) {
  if (!isForOneCta(decoder))
    return false;
  inst.fn = alloc;
  inst.extra = decoder.keep(
      decodeEngineAddress(decoder, decoder.operand(0),
                          ptx::spaceOf(decoder.get(ptx::Slot::Space))));
  inst.slot[Columns] = decoder.source(1, Type::U32);
  return true;
}

static bool decodeDealloc(Decoder &decoder, Inst &inst) {
  if (!isForOneCta(decoder))
    return false;
  inst.fn = dealloc;
  inst.slot[Address] = decoder.source(0, Type::B32);
  inst.slot[Columns] = decoder.source(1, Type::U32);
  return true;
}

static bool decodeRelinquish(Decoder &decoder, Inst &inst) {
  inst.fn = relinquish;
  return isForOneCta(decoder);
}

void drawloom::emu::registerTcgen05Alloc(DecodeTable &table) {
  table.add(Opcode::Tcgen05Alloc, decodeAlloc);
  table.add(Opcode::Tcgen05Dealloc, decodeDealloc);
  table.add(Opcode::Tcgen05RelinquishAllocPermit, decodeRelinquish);
}
