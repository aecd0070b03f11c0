//===- Access.cpp - From addresses to host memory ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/Access.h"
#include "Machine/Grid.h"
#include "Machine/Lanes.h"
#include "Machine/Machine.h"
#include "Machine/Tell.h"
#include "Memory/IllegalAddress.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;
using ptx::Modifier;
using ptx::StateSpace;

Space drawloom::emu::spaceOf(uint64_t address) {
  switch (address >> windowShift) {
  case sharedWindow >> windowShift:
    return Space::Shared;
  case localWindow >> windowShift:
    return Space::Local;
  case paramWindow >> windowShift:
    return Space::Param;
  default:
    return address >= globalBase ? Space::Global : Space::Generic;
  }
}

char *drawloom::emu::translate(Cluster &cluster, uint64_t address,
                               uint64_t bytes) {
  Grid &grid = cluster.grid();
  switch (spaceOf(address)) {
  case Space::Global:
    return cluster.machine().memory().translate(address, bytes);
  case Space::Shared:
    return isShared(address) ? cluster.shared(address - sharedWindow, bytes)
                             : nullptr;
  case Space::Param:
    // The parameters are constant; instructions that write check that.
    return const_cast<char *>(grid.parameters(address - paramWindow, bytes));
  default:
    return nullptr;
  }
}

char *drawloom::emu::translate(Warp &warp, unsigned lane, uint64_t address,
                               uint64_t bytes) {
  Cluster &cluster = warp.cta().cluster();
  if (isShared(address)) {
    // A CTA that has exited may have given its memory to another one.
    uint32_t rank = getRank(address);
    if (rank < cluster.size() && cluster.cta(rank).exited())
      return nullptr;
  }
  if (spaceOf(address) != Space::Local)
    return translate(cluster, address, bytes);
  char *local = warp.localMemory();
  if (!local)
    return nullptr;
  uint64_t offset = address - warp.localAddress(lane);
  for (LocalFrame frame : warp.localFrames(lane))
    if (frame.holds(offset, bytes))
      return local + lane * localWindowSize + offset;
  return nullptr;
}

/// Whether the memory that work was issued for has been freed.
static bool isFreed(const IssuePoint &issue, uint64_t address, uint64_t bytes) {
  const GlobalMemory &memory = issue.cta->machine().memory();
  return memory.frees() != issue.frees &&
         memory.freedSince(issue.frees, address, bytes);
}

/// Whether no kernel may write there: parameters and constants.
static bool isReadOnly(Machine &machine, uint64_t address) {
  return spaceOf(address) == Space::Param ||
         (spaceOf(address) == Space::Global &&
          machine.memory().isReadOnly(address));
}

char *drawloom::emu::translate(const IssuePoint &issue, AccessKind kind,
                               uint64_t address, uint64_t bytes) {
  if (isFreed(issue, address, bytes) ||
      (kind != AccessKind::Read && isReadOnly(issue.cta->machine(), address)))
    return nullptr;
  return translate(issue.cta->cluster(), address, bytes);
}

char *drawloom::emu::translateOrFail(const IssuePoint &issue, AccessKind kind,
                                     uint64_t address, uint64_t bytes) {
  char *memory = translate(issue, kind, address, bytes);
  if (!memory)
    issue.cta->machine().fail(
        issue, ReportKind::IllegalAddress,
        quoteMnemonic(issue.cta->grid().program(), issue.inst) + ": " +
            Twine(bytes) + " bytes at " +
            describeAddress(issue, kind, address, bytes));
  return memory;
}

std::string drawloom::emu::describeAddress(const IssuePoint &issue,
                                           AccessKind kind, uint64_t address,
                                           uint64_t bytes) {
  std::string where = "0x" + llvm::utohexstr(address, true) + ": ";
  if (isFreed(issue, address, bytes))
    return where + "the memory was freed while the operation was in flight; "
                   "wait for its completion before the free";
  if (kind != AccessKind::Read && isReadOnly(issue.cta->machine(), address))
    return where + "constants can't be written";
  return describeAddress(issue.cta->cluster(), address, bytes);
}

/// The generic address of a lane's address in `space`.
static uint64_t generic(Warp &warp, unsigned lane, Space space,
                        uint64_t address) {
  switch (space) {
  case Space::Shared:
    return sharedWindow + static_cast<uint32_t>(address);
  case Space::Local:
    return warp.localAddress(lane) + address;
  case Space::Param:
    return paramWindow + address;
  default:
    return address;
  }
}

static std::string mnemonic(Warp &warp, const Inst *inst) {
  const ptx::Instruction *source = warp.program().source(inst);
  return source ? source->variant->mnemonic() : "";
}

[[gnu::cold, gnu::noinline]] static bool
failAccess(Warp &warp, const Inst *inst, unsigned lane, const AccessInfo &info,
           uint64_t address) {
  address = generic(warp, lane, info.space, address);
  if (address % info.alignment) {
    warp.fail(inst, 1u << lane, ReportKind::MisalignedAddress,
              "'" + mnemonic(warp, inst) + "' at 0x" +
                  llvm::utohexstr(address, true) +
                  ": the address must be a multiple of " +
                  Twine(info.alignment));
    return false;
  }
  if (info.kind != AccessKind::Read && isReadOnly(warp.machine(), address)) {
    warp.fail(inst, 1u << lane, ReportKind::IllegalAddress,
              "'" + mnemonic(warp, inst) + "' of " + Twine(info.bytes) +
                  " bytes at 0x" + llvm::utohexstr(address, true) + ": " +
                  (spaceOf(address) == Space::Param
                       ? "the parameters of a kernel"
                       : "constants") +
                  " can't be written");
    return false;
  }
  warp.fail(inst, 1u << lane, ReportKind::IllegalAddress,
            "'" + mnemonic(warp, inst) + "' of " + Twine(info.bytes) +
                " bytes at " +
                describeAddress(warp, inst, lane, info, address));
  return false;
}

/// Each lane on its own: several allocations, several CTAs, or an error.
[[gnu::noinline]] static bool resolveEach(Warp &warp, const Inst *inst,
                                          uint32_t mask, const AccessInfo &info,
                                          const uint64_t *addresses,
                                          char **host) {
  for (; mask; mask &= mask - 1) {
    unsigned lane = std::countr_zero(mask);
    uint64_t address = generic(warp, lane, info.space, addresses[lane]);
    char *memory = nullptr;
    if (address % info.alignment == 0 &&
        (info.kind == AccessKind::Read || !isReadOnly(warp.machine(), address)))
      memory = translate(warp, lane, address, info.bytes);
    if (!memory)
      return failAccess(warp, inst, lane, info, addresses[lane]);
    host[lane] = memory;
  }
  return true;
}

namespace {
/// Memory without a hole that an access may be in: its addresses start at
/// `first`, its host memory at `host`, one lane's `stride` bytes behind the
/// other's.
struct Region {
  uint64_t first = 0, size = 0;
  char *host = nullptr;
  uint64_t stride = 0;
};
} // namespace

/// The memory that `address` is in; size 0 if there is none.
template <Space space>
static Region regionOf(Warp &warp, const AccessInfo &info, uint64_t address) {
  if constexpr (space == Space::Generic) {
    switch (spaceOf(address)) {
    case Space::Global:
      return regionOf<Space::Global>(warp, info, address);
    case Space::Shared: {
      Region region = regionOf<Space::Shared>(warp, info, address);
      region.first += sharedWindow;
      return region;
    }
    default:
      return {}; // Lane by lane.
    }
  } else if constexpr (space == Space::Global) {
    GlobalMemory &memory = warp.machine().memory();
    const Allocation *allocation = memory.find(address);
    if (!allocation || (allocation->readOnly && info.kind != AccessKind::Read))
        [[unlikely]]
      return {};
    return {allocation->address, allocation->size,
            reinterpret_cast<char *>(allocation->address + memory.hostDelta())};
  } else if constexpr (space == Space::Shared) {
    CTA &cta = warp.cta();
    return {uint64_t(cta.rank()) << sharedRankShift,
            cta.cluster().sharedBytes(), cta.shared()};
  } else if constexpr (space == Space::Local) {
    char *local = warp.localMemory();
    if (info.inFrame || !local)
      return {0, localWindowSize, local, localWindowSize};
    LocalFrame frame = warp.commonFrame();
    if (frame.end <= frame.begin)
      return {}; // Lane by lane.
    return {frame.begin, frame.end - frame.begin, local + frame.begin,
            localWindowSize};
  } else {
    const std::vector<char> &parameters = warp.cta().grid().launch().parameters;
    if (info.kind != AccessKind::Read)
      return {};
    return {0, parameters.size(), const_cast<char *>(parameters.data())};
  }
}

/// Resolves all lanes in one region. Answers false if some lane is outside or
/// not aligned; then `host` means nothing.
template <typename Base, Space space, bool full>
static bool resolveTogether(Warp &warp, uint32_t mask, const AccessInfo &info,
                            char **host) {
  // Small addresses wrap in the width of the register.
  using Address =
      std::conditional_t<space == Space::Shared || space == Space::Local, Base,
                         uint64_t>;
  const Base *base = warp.lanes<Base>(info.base);
  Address offset = static_cast<Address>(info.offset);
  Address some = static_cast<Address>(base[std::countr_zero(mask)]) + offset;
  Region region = regionOf<space>(warp, info, some);
  if (region.size < info.bytes || !region.host)
    return false;
  uint64_t last = region.size - info.bytes;
  // A distance from the start is in range if neither it nor what is left to
  // the last good one has its sign bit set.
  uint64_t outside = 0, bits = 0;
  // As a number: a lane that is out of range makes no pointer.
  auto start = reinterpret_cast<uintptr_t>(region.host);
#pragma clang loop vectorize(assume_safety) interleave_count(2) unroll(disable)
  for (unsigned lane = 0; lane != 32; ++lane) {
    Address address = static_cast<Address>(base[lane]) + offset;
    if constexpr (!full)
      address = mask >> lane & 1 ? address : some;
    uint64_t distance = static_cast<uint64_t>(address) - region.first;
    outside |= distance | (last - distance);
    bits |= address;
    uintptr_t place = start + distance;
    if constexpr (space == Space::Local)
      place += lane * region.stride;
    host[lane] = reinterpret_cast<char *>(place);
  }
  return !(outside >> 63) && !(bits & (info.alignment - 1));
}

/// The addresses themselves, for those who look at them one by one.
template <typename Base, Space space>
[[gnu::noinline]] static void addressesOf(Warp &warp, const AccessInfo &info,
                                          uint64_t *addresses) {
  using Address =
      std::conditional_t<space == Space::Shared || space == Space::Local, Base,
                         uint64_t>;
  const Base *base = warp.lanes<Base>(info.base);
  for (unsigned lane = 0; lane != 32; ++lane)
    addresses[lane] = static_cast<Address>(static_cast<Address>(base[lane]) +
                                           static_cast<Address>(info.offset));
}

template <typename Base, Space space>
static bool resolveLanes(Warp &warp, const Inst *inst, uint32_t mask,
                         const AccessInfo &info, char **host) {
  if (!(mask == allLanes
            ? resolveTogether<Base, space, true>(warp, mask, info, host)
            : resolveTogether<Base, space, false>(warp, mask, info, host)))
      [[unlikely]] {
    uint64_t addresses[32];
    addressesOf<Base, space>(warp, info, addresses);
    if (!resolveEach(warp, inst, mask, info, addresses, host))
      return false;
  }
  if (warp.listener() && !info.reportedLater) [[unlikely]]
    tellResolved(warp, inst, mask, info);
  return true;
}

template <typename Base, Space space>
static void genericAddressesOf(Warp &warp, const AccessInfo &info,
                               uint64_t *addresses) {
  addressesOf<Base, space>(warp, info, addresses);
  for (unsigned lane = 0; lane != 32; ++lane)
    addresses[lane] = generic(warp, lane, space, addresses[lane]);
}

template <typename Base, Space space>
static void setResolver(AccessInfo &info) {
  info.resolve = resolveLanes<Base, space>;
  info.addresses = genericAddressesOf<Base, space>;
}

template <typename Base>
static void setResolver(AccessInfo &info) {
  switch (info.space) {
  case Space::Generic:
    return setResolver<Base, Space::Generic>(info);
  case Space::Global:
    return setResolver<Base, Space::Global>(info);
  case Space::Shared:
    return setResolver<Base, Space::Shared>(info);
  case Space::Local:
    return setResolver<Base, Space::Local>(info);
  case Space::Param:
    return setResolver<Base, Space::Param>(info);
  }
}

/// What the instruction promises, with the defaults of the ISA.
static void setOrder(Decoder &decoder, AccessInfo &info) {
  bool isAtomic =
      info.kind == AccessKind::Atomic || info.kind == AccessKind::Reduce;
  bool isVolatile = decoder.has(ptx::Modifier::Volatile);
  info.order = orderOf(decoder.get(ptx::Slot::Sem),
                       isAtomic || isVolatile ? Order::Relaxed : Order::Weak);
  info.scope = scopeOf(decoder.get(ptx::Slot::Scope), isVolatile ? Scope::System
                                                      : isAtomic ? Scope::Gpu
                                                                 : Scope::None);
  info.nonCoherent = decoder.has(ptx::Modifier::Nc);
}

AccessInfo drawloom::emu::decodeAccess(Decoder &decoder, unsigned index,
                                       uint32_t bytes, AccessKind kind,
                                       ptx::Slot slot) {
  AccessInfo info;
  AddressRef address = decoder.address(index);
  info.base = address.base;
  info.offset = address.offset;
  info.bytes = info.alignment = bytes;
  info.kind = kind;
  info.declared = ptx::spaceOf(decoder.get(slot));
  setOrder(decoder, info);
  switch (info.declared) {
  case StateSpace::Global:
  case StateSpace::Const:
    info.space = Space::Global;
    break;
  case StateSpace::Shared:
  case StateSpace::SharedCta:
  case StateSpace::SharedCluster:
    info.space = Space::Shared;
    break;
  case StateSpace::Local:
    info.space = Space::Local;
    break;
  case StateSpace::Param:
  case StateSpace::ParamEntry:
  case StateSpace::ParamFunc:
    info.space = decoder.isKernelParameter(decoder.operand(index))
                     ? Space::Param
                     : Space::Local;
    break;
  default:
    info.space = decoder.genericSpaceOf(decoder.operand(index));
    break;
  }
  info.inFrame = info.space == Space::Local &&
                 decoder.isInVariable(decoder.operand(index), bytes);
  if (address.wide)
    setResolver<uint64_t>(info);
  else
    setResolver<uint32_t>(info);
  return info;
}
