//===- TensorCopy.cpp - cp.async.bulk.tensor -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.9.27.1. Tile mode, the modes that choose four rows, and
// im2col mode; the im2col::w modes are not executed. The tensor map is read
// when the copy is issued; to change it before the copy is done is undefined.
// What the engine then does is in TensorTransfer.cpp.

#include "Engine/Engine.h"
#include "Execute/Copy/BulkStore.h"
#include "Execute/Copy/TensorMapWrites.h"
#include "Execute/Copy/TensorTile.h"
#include "Execute/Copy/TensorTransfer.h"
#include "Execute/Memory/Reduction.h"
#include "Machine/Lanes.h"
#include "Machine/Machine.h"
#include "Memory/Access.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Slot;
using ptx::StateSpace;
using ptx::Type;

/// Where a tile may begin in shared memory.
static constexpr uint64_t tileAlignment = 128;

namespace {
struct TensorCopyInfo {
  EngineAddress shared, map, barrier;
  llvm::ArrayRef<Reg> coordinates;
  llvm::ArrayRef<Reg> offsets; ///< Of im2col mode.
  StateSpace sharedSpace;
  unsigned rank = 0;
  bool choosesRows = false;
  bool im2col = false;
  bool multicasts = false;
  bool pairs = false; ///< cta_group::2
  Reg mask = 0;
  Modifier reduction = Modifier::None;
};
} // namespace

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

static std::string nameMap(CTA &cta, uint64_t address) {
  return "the tensor map at " + nameAddress(cta, address) + ": ";
}

/// The bytes of a tensor map, or null if it can't be there.
static const char *findMap(Warp &warp, EngineCheck &check, uint64_t address) {
  CTA &cta = warp.cta();
  const char *bytes = isShared(address) ? nullptr
                                        : translate(cta.cluster(), address,
                                                    sizeof(TensorMapBytes));
  if (bytes && address % tensorMapAlignment == 0)
    return bytes;
  check.fail(bytes ? ReportKind::MisalignedAddress : ReportKind::IllegalAddress,
             bytes ? "the tensor map at " + nameAddress(cta, address) +
                         " must be at a multiple of 64"
             : isShared(address)
                 ? "the tensor map at " + nameAddress(cta, address) +
                       " is in shared memory; it must be in global memory, "
                       "a constant or a parameter"
                 : "the tensor map at " +
                       describeAddress(cta.cluster(), address,
                                       sizeof(TensorMapBytes)));
  return nullptr;
}

/// Decodes the map and checks that the instruction and it fit together.
static bool readMap(Warp &warp, const Inst *inst, unsigned lane,
                    const TensorCopyInfo &info, TensorMap &result) {
  CTA &cta = warp.cta();
  EngineCheck check(warp, inst, lane);
  uint64_t address = info.map.of(warp, lane);
  const char *bytes = findMap(warp, check, address);
  if (!bytes)
    return false;
  auto fail = [&](ReportKind kind, const Twine &what) {
    check.fail(kind, nameMap(cta, address) + what);
    return false;
  };
  if (const auto *writes = cta.cluster().extensions.find<TensorMapWrites>())
    if (const TensorMapWrites::Write *write = writes->find(bytes))
      return fail(ReportKind::Protocol,
                  quoteMnemonic(warp.program(), write->inst) + " of line " +
                      Twine(warp.program().line(write->inst)) +
                      " has changed it, and " +
                      (write->released
                           ? "fence.proxy.tensormap::generic.acquire of its "
                             "address"
                           : "fence.proxy.tensormap::generic.release") +
                      " has not been executed since");
  llvm::Expected<TensorMap> map = decodeTensorMap(bytes);
  if (!map)
    return fail(ReportKind::IllegalInstruction,
                llvm::toString(map.takeError()));
  if (map->im2col != info.im2col)
    return fail(ReportKind::IllegalInstruction,
                map->im2col ? "it is for im2col mode, and the copy is not"
                            : "it isn't for im2col mode, and the copy is");
  if (llvm::Error problem =
          checkTensorMap(*map, warp.machine().device().model().target))
    return fail(ReportKind::IllegalInstruction,
                llvm::toString(std::move(problem)));
  if (map->rank != info.rank)
    return fail(ReportKind::IllegalInstruction,
                "it has rank " + Twine(map->rank) + ", and the copy is " +
                    Twine(info.rank) + "d");
  if (info.choosesRows && map->box[1] != 1)
    return fail(ReportKind::IllegalInstruction,
                "the box has " + Twine(map->box[1]) +
                    " rows; a copy that chooses its rows needs 1");
  result = *map;
  return true;
}

/// Tells that a map is used, and in which memory its tensor begins.
static void tellUse(Warp &warp, const Inst *inst, unsigned lane,
                    const TensorMap &map) {
  TensorMapEvent event;
  event.map = &map;
  const Allocation *found = warp.machine().memory().find(map.address);
  if (found && map.address < found->end()) {
    event.allocation = found->address;
    event.allocationEnd = found->end();
  }
  tell(warp.issuePoint(inst, 1u << lane), event);
}

/// Which part of the tensor is copied.
static bool readTile(Warp &warp, const Inst *inst, unsigned lane,
                     const TensorCopyInfo &info, TensorTile &tile) {
  if (!readMap(warp, inst, lane, info, tile.map))
    return false;
  const TensorMap &map = tile.map;
  if (warp.listener()) [[unlikely]]
    tellUse(warp, inst, lane, map);
  EngineCheck check(warp, inst, lane);
  auto name = [&] { return nameMap(warp.cta(), info.map.of(warp, lane)); };
  tile.choosesRows = info.choosesRows;
  for (auto [index, reg] : llvm::enumerate(info.coordinates)) {
    int64_t value = source<int32_t>(warp, reg)[lane];
    (info.choosesRows && index ? tile.rows[index - 1]
                               : tile.coordinates[index]) = value;
  }
  if (map.interleave != TensorMapInterleave::None)
    if (std::string problem = tile.foldSlices(); !problem.empty()) {
      check.fail(ReportKind::NotExecuted, name() + problem);
      return false;
    }
  for (auto [index, reg] : llvm::enumerate(info.offsets))
    tile.offsets[index] = source<uint16_t>(warp, reg)[lane];
  for (unsigned dim = 0; info.im2col && dim != map.rank - 2; ++dim) {
    int64_t at = tile.coordinates[dim + 1];
    if (at >= map.lowerCorner[dim] && at <= tile.lastPlace(dim))
      continue;
    check.fail(ReportKind::IllegalInstruction,
               "coordinate " + Twine(dim + 1) + " is " + Twine(at) +
                   ", outside the bounding box of " + name() +
                   Twine(map.lowerCorner[dim]) + " to " +
                   Twine(tile.lastPlace(dim)));
    return false;
  }
  const TensorMapTypeInfo &type = infoOf(map.type);
  int64_t multiple = map.type == TensorMapType::B4x16 ? 2
                     : type.bits < 8                  ? 128
                                                      : 1;
  if (tile.coordinates[0] % multiple) {
    check.fail(ReportKind::IllegalInstruction,
               "the first coordinate is " + Twine(tile.coordinates[0]) +
                   "; for " + type.name + " it must be a multiple of " +
                   Twine(multiple));
    return false;
  }
  return true;
}

/// The engine may read the map until the operation is over.
static void tellMap(const IssuePoint &issue, uint64_t map) {
  tellAccess(issue, {.kind = AccessKind::Read, .proxy = Proxy::TensorMap}, map,
             sizeof(TensorMapBytes));
}

static const Inst *load(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<TensorCopyInfo>();
  auto ctas = source<uint16_t>(warp, info.mask);
  CTA &cta = warp.cta();
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    EngineCheck check(warp, inst, lane);
    TensorTile tile;
    uint64_t to = info.shared.of(warp, lane);
    uint64_t barrier = info.barrier.of(warp, lane);
    if (!readTile(warp, inst, lane, info, tile) ||
        !check.range("destination", to, tile.footprint(), tileAlignment,
                     info.sharedSpace))
      return Inst::leave();
    uint32_t apart = rankOf(to) ^ rankOf(barrier);
    if (!info.multicasts && apart > (info.pairs ? 1u : 0u))
      return check.fail(
          ReportKind::Protocol,
          "the mbarrier at " + nameAddress(cta, barrier) +
              " isn't in the CTA of the destination, rank " +
              Twine(rankOf(to)) +
              (info.pairs ? ", nor in its pair"
                          : "; only .cta_group::2 may signal the other CTA of "
                            "a pair"));
    llvm::SmallVector<CopyTarget, 4> targets;
    if (!check.targets(to, barrier, info.multicasts, ctas[lane], info.pairs,
                       targets))
      return Inst::leave();
    IssuePoint issue = warp.newOperation(inst, 1u << lane);
    tellIssue(issue, EngineKind::Tensor, targets);
    tellMap(issue, info.map.of(warp, lane));
    warp.machine().post(makeTensorLoad(issue, tile, targets));
  }
  return inst + 1;
}

/// The reductions that there are for elements of a tensor map's type.
static Reduce *reductionOf(Modifier op, TensorMapType type) {
  bool isBitwise =
      op == Modifier::And || op == Modifier::Or || op == Modifier::Xor;
  switch (type) {
  case TensorMapType::U32:
    return reductionOf(op, isBitwise ? Type::B32 : Type::U32, false);
  case TensorMapType::S32:
    return reductionOf(op, isBitwise ? Type::B32 : Type::S32, false);
  case TensorMapType::U64:
    return reductionOf(op, isBitwise ? Type::B64 : Type::U64, false);
  case TensorMapType::S64:
    return op == Modifier::Add
               ? nullptr
               : reductionOf(op, isBitwise ? Type::B64 : Type::S64, false);
  case TensorMapType::F16:
    return isBitwise ? nullptr : reductionOf(op, Type::F16, false);
  case TensorMapType::BF16:
    return isBitwise ? nullptr : reductionOf(op, Type::BF16, false);
  case TensorMapType::F32:
  case TensorMapType::F32Ftz:
    return op == Modifier::Add
               ? reductionOf(op, Type::F32, type == TensorMapType::F32Ftz)
               : nullptr;
  default:
    return nullptr;
  }
}

/// The lanes of `mask` whose store is done when that of `lane` is. CUTLASS has
/// all lanes of a warp store the same tile. Under the deterministic policy they
/// would do it one right after the other, so one does it for all, as a GPU does
/// it for the clock; another policy may tell them apart.
static uint32_t storesAlike(Warp &warp, const TensorCopyInfo &info,
                            uint32_t mask, unsigned lane) {
  uint32_t alike = 1u << lane;
  if (info.reduction != Modifier::None ||
      (warp.machine().options().policy != Policy::Deterministic &&
       !warp.machine().clock()))
    return alike;
  auto keepEqual = [&](auto valueOf) {
    forEachLane(mask & ~alike, [&](unsigned other) {
      if (valueOf(other) != valueOf(lane))
        mask &= ~(1u << other);
    });
  };
  keepEqual([&](unsigned at) { return info.shared.of(warp, at); });
  keepEqual([&](unsigned at) { return info.map.of(warp, at); });
  for (llvm::ArrayRef<Reg> list : {info.coordinates, info.offsets})
    for (Reg reg : list)
      keepEqual([&](unsigned at) { return warp.lanes<uint32_t>(reg)[at]; });
  return mask;
}

static const Inst *store(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<TensorCopyInfo>();
  uint32_t alike;
  for (uint32_t rest = mask; rest; rest &= ~alike) {
    unsigned lane = std::countr_zero(rest);
    alike = storesAlike(warp, info, rest, lane);
    EngineCheck check(warp, inst, lane);
    TensorTile tile;
    uint64_t from = info.shared.of(warp, lane);
    if (!readTile(warp, inst, lane, info, tile) ||
        !check.range("source", from, tile.footprint(), tileAlignment,
                     info.sharedSpace))
      return Inst::leave();
    llvm::StringRef type = infoOf(tile.map.type).name;
    if (tile.map.type == TensorMapType::B4x16P64)
      return check.fail(ReportKind::IllegalInstruction,
                        "a tensor of " + type + " can't be stored to");
    if (tile.map.type == TensorMapType::B6x16P32)
      return check.fail(ReportKind::NotExecuted, "stores to a tensor of " +
                                                     type +
                                                     " are not executed yet");
    for (auto [index, reg] : llvm::enumerate(info.coordinates))
      if (int32_t value = source<int32_t>(warp, reg)[lane];
          value < 0 && !info.im2col)
        return check.fail(ReportKind::IllegalInstruction,
                          "coordinate " + Twine(index) + " is " + Twine(value) +
                              "; a store can't begin in front of the tensor");
    Reduce *reduce = nullptr;
    if (info.reduction != Modifier::None) {
      reduce = ::reductionOf(info.reduction, tile.map.type);
      if (!reduce)
        return check.fail(ReportKind::IllegalInstruction,
                          "there is no ." + ptx::spelling(info.reduction) +
                              " for " + type);
    }
    IssuePoint issue = warp.newOperation(inst, alike);
    BulkStore::post(warp, EngineKind::Tensor,
                    makeTensorStore(issue, tile, from, reduce));
    tellMap(issue, info.map.of(warp, lane));
  }
  return inst + 1;
}

//===----------------------------------------------------------------------===//
// Decoders
//===----------------------------------------------------------------------===//

/// The map and the coordinates in `[map, {c0, c1}]`.
static bool decodeMap(Decoder &decoder, const Operand &operand,
                      TensorCopyInfo &info) {
  info.map = decodeEngineAddress(decoder, operand, StateSpace::Generic);
  llvm::SmallVector<Reg, 5> coordinates;
  for (const Operand &part : operand.parts().drop_front()) {
    llvm::ArrayRef<Operand> elements = part;
    if (part.is(Operand::Vector))
      elements = part.parts();
    for (const Operand &element : elements) {
      if (element.is(Operand::Register) && element.elements() > 1)
        return false;
      coordinates.push_back(decoder.source(element, Type::S32));
    }
  }
  info.coordinates = decoder.keepList<Reg>(coordinates);
  return true;
}

static bool decodeTensorCopy(Decoder &decoder, Inst &inst) {
  TensorCopyInfo info;
  switch (decoder.get(Slot::Mode)) {
  case Modifier::None:
  case Modifier::Tile:
    break;
  case Modifier::TileGather4:
  case Modifier::TileScatter4:
    info.choosesRows = true;
    break;
  case Modifier::Im2col:
  case Modifier::Im2colNoOffs:
    info.im2col = true;
    break;
  default:
    return false;
  }
  info.rank = ptx::numberOf(decoder.get(Slot::Dim));
  info.mask = decoder.constant(0, 4);
  StateSpace to = ptx::spaceOf(decoder.get(Slot::Space));
  bool stores = to == StateSpace::Global;
  if (!decodeMap(decoder, decoder.operand(stores ? 0 : 1), info))
    return false;
  info.sharedSpace = stores ? ptx::spaceOf(decoder.get(Slot::SrcSpace)) : to;
  info.shared = decodeEngineAddress(decoder, decoder.operand(stores ? 1 : 0),
                                    info.sharedSpace);
  if (stores) {
    inst.fn = store;
    if (decoder.opcode() == Opcode::CpReduceAsyncBulkTensor)
      info.reduction = decoder.get(Slot::Op);
  } else {
    inst.fn = load;
    info.barrier = decodeEngineAddress(decoder, decoder.operand(2), to);
    info.multicasts = decoder.get(Slot::Multicast) != Modifier::None;
    info.pairs = decoder.get(Slot::CtaGroup) == Modifier::CtaGroup2;
    unsigned next = 3;
    if (info.im2col)
      info.offsets = decoder.keepList<Reg>(decoder.sources(next++, Type::B16));
    if (info.multicasts)
      info.mask = decoder.source(next, Type::B16);
  }
  inst.extra = decoder.keep(info);
  return true;
}

void drawloom::emu::registerTensorCopy(DecodeTable &table) {
  table.add(Opcode::CpAsyncBulkTensor, decodeTensorCopy);
  table.add(Opcode::CpReduceAsyncBulkTensor, decodeTensorCopy);
}
