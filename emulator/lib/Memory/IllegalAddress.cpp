//===- IllegalAddress.cpp - What is wrong with an address -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/IllegalAddress.h"
#include "Machine/Grid.h"
#include "Machine/Machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::emu;

std::string drawloom::emu::describeAddress(Cluster &cluster, uint64_t address,
                                           uint64_t bytes) {
  std::string where = "0x" + llvm::utohexstr(address, true) + ": ";
  switch (spaceOf(address)) {
  case Space::Global: {
    Machine &machine = cluster.machine();
    std::string freed = machine.heap().describeFreed(address);
    return where + (freed.empty() ? machine.memory().describe(address) : freed);
  }
  case Space::Shared: {
    uint64_t offset = address - sharedWindow;
    uint64_t rank = offset >> sharedRankShift;
    if (rank > highestRank)
      return where + "no memory is there";
    if (rank >= cluster.size())
      return where + "the cluster has " + llvm::utostr(cluster.size()) +
             (cluster.size() == 1 ? " CTA" : " CTAs") +
             ", and the address is "
             "of rank " +
             llvm::utostr(rank) + (rank == highestRank ? " or above" : "");
    if (cluster.cta(rank).exited())
      return where + "CTA rank " + llvm::utostr(rank) +
             " has exited: its shared memory is gone";
    return where + "byte " + llvm::utostr(offset & sharedOffsetMask) +
           " of shared memory; the CTA has " +
           llvm::utostr(cluster.sharedBytes());
  }
  case Space::Local:
    return where + "byte " + llvm::utostr(address & localByteMask) +
           " of a thread's local memory";
  case Space::Param:
    return where + "byte " + llvm::utostr(address - paramWindow) +
           " of the parameters; the kernel has " +
           llvm::utostr(cluster.grid().launch().parameters.size());
  case Space::Generic:
    break;
  }
  return where + "no memory is there";
}

//===----------------------------------------------------------------------===//
// Local memory
//===----------------------------------------------------------------------===//

/// Where a byte that no frame of the lane holds would be in the .local variable
/// that is nearest.
static std::string describeLocal(Warp &warp, const Inst *inst, unsigned lane,
                                 int64_t offset) {
  const Program &program = warp.program();
  const LocalVariable *nearest = nullptr;
  const ProgramFunction *owner = &program.functionOf(inst);
  int64_t start = 0, least = INT64_MAX;
  const ProgramFunction *function = owner;
  auto calls = warp.current().calls.rbegin();
  for (LocalFrame frame : warp.localFrames(lane)) {
    bool called = calls != warp.current().calls.rend();
    int64_t base = frame.begin - (called ? frameLinkBytes : 0);
    for (const LocalVariable &variable : function->locals) {
      int64_t first = base + variable.offset;
      int64_t distance =
          offset < first ? first - offset : offset - (first + variable.size);
      if (distance >= least)
        continue;
      least = distance;
      nearest = &variable;
      owner = function;
      start = first;
    }
    if (called)
      function = &program.functionOf((calls++)->call);
  }
  if (!nearest)
    return "byte " + llvm::itostr(offset) + " of local memory; '" +
           owner->function->name.str() + "' has no .local variable";
  return "byte " + llvm::itostr(offset - start) + " of '" +
         nearest->variable->name.str() + "', which has " +
         llvm::utostr(nearest->size) + " bytes (.local memory of '" +
         owner->function->name.str() + "')";
}

/// Whether a lane's pointer is one to a local variable of another thread, at a
/// place where this one has variables, too.
static bool isOfOtherThread(Warp &warp, unsigned lane, uint64_t address) {
  return isLocal(address) &&
         (address ^ warp.localAddress(lane)) >> localThreadShift != 0 &&
         llvm::any_of(warp.localFrames(lane), [&](LocalFrame frame) {
           return frame.holds(address & localByteMask, 1);
         });
}

static std::string describeOtherThread(Warp &warp, unsigned lane,
                                       uint64_t address) {
  uint64_t own = warp.localAddress(lane);
  auto threadOf = [](uint64_t address) {
    return llvm::utostr(address >> localThreadShift & localThreadMask);
  };
  bool isSameCta = (address ^ own) >> localCtaShift == 0;
  return "local memory of thread " + threadOf(address) +
         (isSameCta ? "" : " of another CTA") + ", and this is thread " +
         threadOf(own) +
         "; local memory is private to a thread: pass the value through shared "
         "or global memory";
}

/// The byte of local memory that an access means, by a generic address. One
/// below the window is a negative index into an array there.
static std::optional<int64_t> localOffset(Warp &warp, unsigned lane,
                                          Space space, uint64_t address) {
  constexpr int64_t nearby = int64_t(1) << 31;
  int64_t offset = address - warp.localAddress(lane);
  if (space == Space::Local) // In a register of 32 bits, -1 has no sign.
    return offset >= nearby && offset < 2 * nearby ? offset - 2 * nearby
                                                   : offset;
  if (space == Space::Generic && offset >= -nearby && offset < nearby)
    return offset;
  return std::nullopt;
}

std::string drawloom::emu::describeAddress(Warp &warp, const Inst *inst,
                                           unsigned lane,
                                           const AccessInfo &info,
                                           uint64_t address) {
  std::string where = "0x" + llvm::utohexstr(address, true) + ": ";
  if (isOfOtherThread(warp, lane, address))
    return where + describeOtherThread(warp, lane, address);
  if (auto offset = localOffset(warp, lane, info.space, address))
    return where + describeLocal(warp, inst, lane, *offset);
  return describeAddress(warp.cta().cluster(), address, info.bytes);
}
