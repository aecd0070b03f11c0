//===- Address.cpp - Addresses between state spaces ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.9.20 to 9.7.9.24. A window's base is added or taken
// away; a shared address carries the rank of its CTA, so mapa puts another one
// there. A rank that the cluster doesn't have is reported where it is used, as
// compilers put a mapa in front of the branch that asks for it.

#include "Decode/Decoder.h"
#include "Machine/Grid.h"
#include "Machine/Lanes.h"
#include "Memory/Access.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Opcode;
using ptx::Slot;
using ptx::StateSpace;
using ptx::Type;

/// What to add to an address in `space` to make it generic. Local memory has an
/// address for each thread.
static uint64_t windowOf(StateSpace space) {
  switch (space) {
  case StateSpace::Shared:
  case StateSpace::SharedCta:
  case StateSpace::SharedCluster:
    return sharedWindow;
  case StateSpace::Param:
  case StateSpace::ParamEntry:
    return paramWindow;
  default:
    return 0; // Global memory, and constants, which are there.
  }
}

template <typename Base>
static const Inst *addOffset(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<uint64_t>(warp, inst->slot[0]);
  auto a = source<Base>(warp, inst->slot[1]);
  uint64_t offset = inst->imm;
  forLanes(mask, [=](unsigned lane) { d.set(lane, a[lane] + offset); });
  return inst + 1;
}

template <typename Base>
static const Inst *localToGeneric(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<uint64_t>(warp, inst->slot[0]);
  auto a = source<Base>(warp, inst->slot[1]);
  uint64_t first = warp.localAddress(0) + inst->imm;
  forLanes(mask, [=](unsigned lane) {
    d.set(lane, a[lane] + first + (uint64_t(lane) << localThreadShift));
  });
  return inst + 1;
}

static const Inst *genericToLocal(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<uint64_t>(warp, inst->slot[0]);
  auto a = source<uint64_t>(warp, inst->slot[1]);
  uint64_t first = warp.localAddress(0);
  forLanes(mask, [=](unsigned lane) {
    d.set(lane, a[lane] - first - (uint64_t(lane) << localThreadShift));
  });
  return inst + 1;
}

static bool decodeCvta(Decoder &decoder, Inst &inst) {
  if (decoder.type() != Type::U64)
    return false; // There is no 32-bit generic address.
  StateSpace space = ptx::spaceOf(decoder.get(Slot::Space));
  AddressRef address = decoder.address(1);
  uint64_t window = windowOf(space);
  // A parameter of a function is in its frame.
  const bool isLocal =
      space == StateSpace::Local ||
      (window == paramWindow && !decoder.isKernelParameter(decoder.operand(1)));
  if (isLocal) {
    window = 0;
    inst.fn =
        address.wide ? localToGeneric<uint64_t> : localToGeneric<uint32_t>;
  } else {
    inst.fn = address.wide ? addOffset<uint64_t> : addOffset<uint32_t>;
  }
  inst.slot[0] = decoder.dest(0);
  inst.slot[1] = address.base;
  inst.imm = address.offset + window;
  return true;
}

static bool decodeCvtaTo(Decoder &decoder, Inst &inst) {
  if (decoder.type() != Type::U64)
    return false;
  StateSpace space = ptx::spaceOf(decoder.get(Slot::Space));
  inst.fn = space == StateSpace::Local ? genericToLocal : addOffset<uint64_t>;
  inst.slot[0] = decoder.dest(0);
  inst.slot[1] = decoder.source(1, Type::U64);
  inst.imm = -windowOf(space);
  return true;
}

namespace {
struct Window {
  uint64_t first, size;
};
} // namespace

/// Whether an address is in a window, or in a second one.
static const Inst *isInWindow(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<uint64_t>(warp, inst->slot[1]);
  const auto *windows = static_cast<const Window *>(inst->extra);
  Window first = windows[0], second = windows[1];
  uint32_t value = collect([=](unsigned lane) {
    return a[lane] - first.first < first.size ||
           a[lane] - second.first < second.size;
  });
  warp.setPredicate(inst->slot[0], value, mask);
  return inst + 1;
}

/// isspacep.shared::cta: the window of the CTA itself.
static const Inst *isInCta(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<uint64_t>(warp, inst->slot[1]);
  uint64_t first =
      sharedWindow + (uint64_t(warp.cta().rank()) << sharedRankShift);
  uint32_t value = collect([=](unsigned lane) {
    return a[lane] - first < (uint64_t(1) << sharedRankShift);
  });
  warp.setPredicate(inst->slot[0], value, mask);
  return inst + 1;
}

/// isspacep.shared::cluster: the CTAs that there are.
static const Inst *isInCluster(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<uint64_t>(warp, inst->slot[1]);
  uint64_t size = uint64_t(warp.cta().cluster().size()) << sharedRankShift;
  uint32_t value =
      collect([=](unsigned lane) { return a[lane] - sharedWindow < size; });
  warp.setPredicate(inst->slot[0], value, mask);
  return inst + 1;
}

static bool decodeIsspacep(Decoder &decoder, Inst &inst) {
  if (Decoder::laneBytes(Decoder::declaredType(decoder.operand(1))) != 8)
    return false;
  inst.slot[0] = decoder.predicate(0);
  inst.slot[1] = decoder.source(1, Type::U64);
  Window windows[2] = {{0, 0}, {0, 0}};
  LoadedModule &module = decoder.module();
  switch (ptx::spaceOf(decoder.get(Slot::Space))) {
  case StateSpace::Shared:
  case StateSpace::SharedCta:
    inst.fn = isInCta;
    return true;
  case StateSpace::SharedCluster:
    inst.fn = isInCluster;
    return true;
  case StateSpace::Local:
    windows[0] = {localWindow, windowMask + 1};
    break;
  case StateSpace::Param:
  case StateSpace::ParamEntry:
    windows[0] = {paramWindow, paramWindowSize};
    break;
  case StateSpace::Const:
    windows[0] = {module.constantBase(), module.constantSize()};
    break;
  default:
    // The window of the parameters is inside the global one.
    windows[0] = {globalBase, ~globalBase};
    windows[1] = {paramWindow, paramWindowSize};
    break;
  }
  inst.fn = isInWindow;
  inst.extra = decoder.keepList<Window>(windows).data();
  return true;
}

/// mapa: the same byte in the CTA of rank b.
template <typename T>
static const Inst *mapRank(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<T>(warp, inst->slot[0]);
  auto b = source<uint32_t>(warp, inst->slot[2]);
  bool narrow = inst->slot[3]; // The base is a 32-bit register.
  uint64_t offset = inst->imm;
  constexpr T rankBits = T(highestRank) << sharedRankShift;
  forEachLane(mask, [&](unsigned lane) {
    T a = narrow ? warp.lanes<uint32_t>(inst->slot[1])[lane]
                 : static_cast<T>(warp.lanes<uint64_t>(inst->slot[1])[lane]);
    d.set(lane, ((a + static_cast<T>(offset)) & ~rankBits) |
                    T(std::min(b[lane], highestRank)) << sharedRankShift);
  });
  return inst + 1;
}

static bool decodeMapa(Decoder &decoder, Inst &inst) {
  bool wide = decoder.type() == Type::U64;
  if (!wide && decoder.get(Slot::Space) == ptx::Modifier::None)
    return false;
  inst.fn = wide ? mapRank<uint64_t> : mapRank<uint32_t>;
  AddressRef address = decoder.address(1);
  inst.slot[0] = decoder.dest(0);
  inst.slot[1] = address.base;
  inst.slot[2] = decoder.source(2, Type::U32);
  inst.slot[3] = !address.wide;
  inst.imm = address.offset;
  return true;
}

template <typename Base>
static const Inst *getRank(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<uint32_t>(warp, inst->slot[0]);
  auto a = source<Base>(warp, inst->slot[1]);
  uint64_t offset = inst->imm;
  forLanes(mask, [=](unsigned lane) {
    d.set(lane, (a[lane] + offset) >> sharedRankShift & highestRank);
  });
  return inst + 1;
}

static bool decodeGetctarank(Decoder &decoder, Inst &inst) {
  AddressRef address = decoder.address(1);
  inst.fn = address.wide ? getRank<uint64_t> : getRank<uint32_t>;
  inst.slot[0] = decoder.dest(0);
  inst.slot[1] = address.base;
  inst.imm = address.offset;
  return true;
}

void drawloom::emu::registerAddress(DecodeTable &table) {
  table.add(Opcode::Cvta, decodeCvta);
  table.add(Opcode::CvtaTo, decodeCvtaTo);
  table.add(Opcode::Isspacep, decodeIsspacep);
  table.add(Opcode::Mapa, decodeMapa);
  table.add(Opcode::Getctarank, decodeGetctarank);
}
