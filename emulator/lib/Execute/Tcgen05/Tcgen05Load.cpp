//===- Tcgen05Load.cpp - Between tensor memory and registers -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.16.2.3 and 9.7.16.8. Register r of thread t is
//
//   shape       lane               column
//   32x32b      t                  r
//   16x64b      t/4 + 8 (t%2)      2r + t/2%2
//   16x128b     t/4 + 8 (r%2)      4 (r/2) + t%4
//   16x256b     t/4 + 8 (r/2%2)    8 (r/4) + 2 (t%4) + r%2
//   16x32bx2    t%16               r, in the second half of the warp + split
//
// With pack::16b or unpack::16b, a column of this table stands for two, each
// with 16 bits of the register.
//
// A load or store takes effect at once. What PTX allows beyond that is a later
// effect, until tcgen05.wait. Code that could tell the difference is reported
// if it needs a store to be over; that it overwrites what is loaded, the
// checker finds. A thread may use the register of a load without a wait: true
// dependences are respected (9.7.16.6.4.5).

#include "Execute/Tcgen05/Tcgen05.h"
#include "Machine/Tell.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

namespace {
struct LoadInfo {
  AddressRef address;
  llvm::ArrayRef<Reg> registers;
  uint16_t columns = 0; ///< That one lane's data is in.
  uint16_t split = 0;   ///< Of 16x32bx2.
  uint8_t lanes = 0;    ///< 16 or 32
  bool packed = false;
};

struct Place {
  unsigned lane, column;
};
} // namespace

template <Modifier shape>
static Place placeOf(unsigned t, unsigned r) {
  if constexpr (shape == Modifier::Lanes32x32b)
    return {t, r};
  else if constexpr (shape == Modifier::Lanes16x64b)
    return {t / 4 + 8 * (t % 2), 2 * r + t / 2 % 2};
  else if constexpr (shape == Modifier::Lanes16x128b)
    return {t / 4 + 8 * (r % 2), r / 2 * 4 + t % 4};
  else if constexpr (shape == Modifier::Lanes16x256b)
    return {t / 4 + 8 * (r / 2 % 2), r / 4 * 8 + 2 * (t % 4) + r % 2};
  else
    return {t % 16, r};
}

static void tellRegions(Warp &warp, const Inst *inst, bool isStore,
                        llvm::ArrayRef<TensorRegion> regions) {
  llvm::SmallVector<TensorRange, 4> ranges;
  for (const TensorRegion &region : regions)
    addRanges(ranges, warp.cta().rank(), lanesOf(region), region);
  tell(warp.issuePoint(inst, allLanes),
       AccessEvent{.kind = isStore ? AccessKind::Write : AccessKind::Read,
                   .proxy = Proxy::Tensor,
                   .space = ptx::StateSpace::TensorMemory,
                   .tensor = ranges});
}

/// Checks an access and gives its address. False if the handler is to return
/// `next`.
static bool prepare(Warp &warp, const Inst *inst, uint32_t mask, bool isStore,
                    TensorAddress &address, const Inst *&next) {
  const auto &info = inst->as<LoadInfo>();
  uint32_t value;
  if (!wholeWarp(warp, inst, mask, next) ||
      !uniformValue(warp, inst, info.address.base, info.address.offset,
                    "the address in tensor memory", value, next))
    return false;
  address = TensorAddress(value);
  auto reject = [&](ReportKind kind, const llvm::Twine &message) {
    next = warp.fail(inst, allLanes, kind, message);
    return false;
  };
  unsigned first = warp.index() % 4 * 32;
  // An address in the first 32 lanes reaches a warp's own, whichever they are:
  // the ISA doesn't say so, but TileLang's kernels give all warps the same
  // address.
  if (address.lane < 32)
    address.lane += first;
  if (address.lane / 32 != warp.index() % 4)
    return reject(ReportKind::IllegalAddress,
                  formatv("{0} of tensor memory: warp {1} reaches lanes {2} to "
                          "{3} only",
                          address.str(), warp.index(), first, first + 31));
  if (address.lane % info.lanes)
    return reject(ReportKind::MisalignedAddress,
                  formatv("{0} of tensor memory: the lane must be a multiple "
                          "of {1} for this shape",
                          address.str(), info.lanes));
  TensorRegion regions[2];
  uint8_t halves = (info.lanes == 32 ? 3u : 1u) << address.lane / 16;
  CTA &cta = warp.cta();
  regions[0] = {address.column, info.columns, halves, bitOf(cta)};
  regions[1] = {uint32_t(address.column) + info.split, info.columns, halves,
                bitOf(cta)};
  TensorCore &core = tensorCore(cta);
  auto access = isStore ? TensorCore::Access::Store : TensorCore::Access::Load;
  for (unsigned i = 0, count = info.split ? 2 : 1; i != count; ++i) {
    std::string problem = tensorMemory(cta).checkAccess(cta, regions[i]);
    if (!problem.empty())
      return reject(ReportKind::IllegalAddress,
                    (isStore ? "writes " : "reads ") + problem);
    problem = core.checkOrder(regions[i], access, isStore);
    if (!problem.empty())
      return reject(ReportKind::Protocol,
                    (isStore ? "writes " : "reads ") + problem);
    core.settle(regions[i]);
    if (isStore)
      core.stored(warp, regions[i], inst);
  }
  if (warp.listener()) [[unlikely]]
    tellRegions(warp, inst, isStore,
                llvm::ArrayRef(regions).take_front(info.split ? 2 : 1));
  return true;
}

template <Modifier shape>
static const Inst *load(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  TensorAddress address(0);
  if (!prepare(warp, inst, mask, false, address, next))
    return next;
  const auto &info = inst->as<LoadInfo>();
  TensorMemory &memory = tensorMemory(warp.cta());
  for (auto [r, reg] : llvm::enumerate(info.registers)) {
    uint32_t *out = warp.lanes<uint32_t>(reg);
    for (unsigned t = 0; t != 32; ++t) {
      Place place = placeOf<shape>(t, r);
      unsigned half =
          shape == Modifier::Lanes16x32bx2 && t >= 16 ? info.split : 0;
      const uint32_t *from =
          memory.at(address.lane + place.lane,
                    address.column + half +
                        (info.packed ? 2 * place.column : place.column));
      out[t] = info.packed ? (from[0] & 0xffff) | from[1] << 16 : *from;
    }
  }
  return next;
}

template <Modifier shape>
static const Inst *store(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  TensorAddress address(0);
  if (!prepare(warp, inst, mask, true, address, next))
    return next;
  const auto &info = inst->as<LoadInfo>();
  TensorMemory &memory = tensorMemory(warp.cta());
  for (auto [r, reg] : llvm::enumerate(info.registers)) {
    const uint32_t *in = warp.lanes<uint32_t>(reg);
    for (unsigned t = 0; t != 32; ++t) {
      Place place = placeOf<shape>(t, r);
      unsigned half =
          shape == Modifier::Lanes16x32bx2 && t >= 16 ? info.split : 0;
      uint32_t *to =
          memory.at(address.lane + place.lane,
                    address.column + half +
                        (info.packed ? 2 * place.column : place.column));
      if (info.packed) {
        to[0] = in[t] & 0xffff;
        to[1] = in[t] >> 16;
      } else {
        *to = in[t];
      }
    }
  }
  return next;
}

template <bool isStore>
static const Inst *wait(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  if (!wholeWarp(warp, inst, mask, next))
    return next;
  if constexpr (isStore)
    tensorCore(warp.cta()).waitedForStores(warp);
  if (warp.listener()) [[unlikely]]
    tell(warp.issuePoint(inst, allLanes),
         GroupEvent{.kind = GroupEvent::Wait,
                    .family = isStore ? GroupEvent::TensorStores
                                      : GroupEvent::TensorLoads});
  return next;
}

template <bool isStore, Modifier shape>
static constexpr Execute *handlerOf = isStore ? store<shape> : load<shape>;

/// ld: registers, [address] {, split}; st: [address], {split,} registers
template <bool isStore>
static bool decodeLoadStore(Decoder &decoder, Inst &inst) {
  LoadInfo info;
  Modifier shape = decoder.get(Slot::Shape);
  unsigned last = decoder.operandCount() - 1;
  info.address = decoder.address(isStore ? 0 : 1);
  info.registers = decoder.keepList<Reg>(
      isStore ? decoder.sources(last, Type::B32) : decoder.dests(0));
  info.packed = decoder.get(Slot::Pack) != Modifier::None;
  info.lanes = shape == Modifier::Lanes32x32b ? 32 : 16;
  unsigned wide = 1; // Columns of a register, over all threads of a lane.
  switch (shape) {
  case Modifier::Lanes32x32b:
    inst.fn = handlerOf<isStore, Modifier::Lanes32x32b>;
    break;
  case Modifier::Lanes16x64b:
    inst.fn = handlerOf<isStore, Modifier::Lanes16x64b>;
    wide = 2;
    break;
  case Modifier::Lanes16x128b:
    inst.fn = handlerOf<isStore, Modifier::Lanes16x128b>;
    wide = 2;
    break;
  case Modifier::Lanes16x256b:
    inst.fn = handlerOf<isStore, Modifier::Lanes16x256b>;
    wide = 2;
    break;
  case Modifier::Lanes16x32bx2:
    inst.fn = handlerOf<isStore, Modifier::Lanes16x32bx2>;
    info.split = decoder.operand(isStore ? 1 : 2).integer();
    break;
  default:
    return false;
  }
  info.columns = wide * info.registers.size() * (info.packed ? 2 : 1);
  inst.extra = decoder.keep(info);
  return true;
}

template <bool isStore>
static bool decodeWait(Decoder &decoder, Inst &inst) {
  inst.fn = wait<isStore>;
  return true;
}

void drawloom::emu::registerTcgen05Load(DecodeTable &table) {
  table.add(Opcode::Tcgen05Ld, decodeLoadStore<false>);
  table.add(Opcode::Tcgen05St, decodeLoadStore<true>);
  table.add(Opcode::Tcgen05WaitLd, decodeWait<false>);
  table.add(Opcode::Tcgen05WaitSt, decodeWait<true>);
}
