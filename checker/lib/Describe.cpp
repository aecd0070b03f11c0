//===- Describe.cpp - Findings as text -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Describe.h"
#include "drawloom/Emulator/AddressMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace drawloom;
using namespace drawloom::checker;
using llvm::utostr;
using ptx::Opcode;

Site drawloom::checker::describeSite(const Access &access, int lane) {
  Site site;
  emu::InstructionPlace place = access.kernel->place(access.instruction);
  site.line = place.line;
  site.source = std::move(place.source);
  if (const ptx::Instruction *parsed =
          access.kernel->parsed(access.instruction))
    site.instruction = parsed->variant->mnemonic();
  site.cta = access.cta;
  site.warp = access.warp;
  site.lane = lane < 0 && access.isEngine && !access.issued ? access.lane
                                                            : int16_t(lane);
  site.writes = access.writes;
  site.isEngine = access.isEngine;
  return site;
}

Site drawloom::checker::describeSite(const emu::Kernel &kernel,
                                     llvm::ArrayRef<uint64_t> ctas,
                                     const emu::Origin &origin) {
  Access access;
  access.kernel = &kernel;
  access.instruction = origin.instruction;
  access.cta = ctas[origin.rank];
  access.warp = origin.warp;
  return describeSite(access, llvm::countr_zero(origin.lanes));
}

std::string drawloom::checker::lineOf(const Site &site) {
  return (site.source.empty() ? "line " : "PTX line ") + utostr(site.line);
}

std::string drawloom::checker::arrayAt(const emu::Kernel &kernel,
                                       uint32_t offset) {
  std::string name;
  for (const emu::Kernel::SharedArray &array : kernel.sharedArrays())
    if (offset >= array.offset &&
        (array.size == 0 || offset < array.offset + array.size))
      name = llvm::demangle(array.name) + "+" + utostr(offset - array.offset);
  return name;
}

static Opcode opcodeOf(const Access &access) {
  return access.kernel->parsed(access.instruction)->opcode();
}

/// What says that asynchronous work is over.
static std::string completionOf(const Access &before) {
  switch (opcodeOf(before)) {
  case Opcode::CpAsync:
    return "cp.async.wait_group (or wait_all) in the thread that copies and "
           "then a barrier, or cp.async.mbarrier.arrive.noinc and a wait for "
           "that mbarrier";
  case Opcode::WgmmaMmaAsync:
  case Opcode::WgmmaMmaAsyncSp:
    return "wgmma.commit_group and wgmma.wait_group in the warpgroup that "
           "multiplies, before it hands the memory over";
  case Opcode::Tcgen05Ld:
  case Opcode::Tcgen05LdRed:
    return "tcgen05.wait::ld in the warp that loads, and then a barrier or an "
           "arrival that the other thread waits for";
  case Opcode::Tcgen05St:
    return "tcgen05.wait::st in the warp that stores, and then a barrier or an "
           "arrival that the other thread waits for";
  default:
    break;
  }
  if (before.proxy == emu::Proxy::TensorMap)
    return "a wait for the copy that uses the tensor map: for the phase of its "
           "mbarrier, or cp.async.bulk.wait_group";
  if (before.issued)
    return "tcgen05.commit by the thread that issued it, and a wait for that "
           "mbarrier";
  std::string name =
      before.kernel->parsed(before.instruction)->variant->mnemonic();
  if (llvm::StringRef(name).contains("bulk_group"))
    return before.writes
               ? "cp.async.bulk.wait_group (without .read) in the thread that "
                 "copies, and then a barrier or a release"
               : "cp.async.bulk.wait_group.read in the thread that copies, and "
                 "then a barrier";
  return "a wait for the phase of the mbarrier where its bytes complete, in "
         "the thread that goes on, or in one that signals it";
}

/// Whether they are lanes that execute an instruction together.
static bool isOneInstruction(const Access &before, const Access &now) {
  return before.cluster == now.cluster && before.serial == now.serial &&
         !now.isEngine;
}

/// Why two strong accesses race all the same; empty if one of them is weak.
static std::string whyStrong(const std::string &first,
                             const std::string &second, const Access &before,
                             const Access &now) {
  if (before.scope == emu::Scope::None || now.scope == emu::Scope::None)
    return "";
  if (before.range.bytes != now.range.bytes)
    return first + " is of " + utostr(before.range.bytes) + " bytes and " +
           second + " of " + utostr(now.range.bytes) +
           ": strong accesses of different sizes race with each other";
  return "the scope of " + (before.scope < now.scope ? first : second) +
         " doesn't contain both threads: they are in different CTAs";
}
static std::string adviceStrong(const std::string &first,
                                const std::string &second, const Access &before,
                                const Access &now) {
  if (before.range.bytes != now.range.bytes)
    return "accesses of the same bytes at " + first + " and " + second;
  std::string scope = before.cluster == now.cluster ? ".cluster" : ".gpu";
  return first == second ? scope + " at " + first
                         : scope + " at " + first + " and at " + second;
}
/// Of a strong access and a weak one, if a strong one would do; else empty.
static std::string adviceWeak(const std::string &first,
                              const std::string &second, const Access &before,
                              const Access &now) {
  bool isFirstWeak = before.scope == emu::Scope::None;
  if (isFirstWeak == (now.scope == emu::Scope::None) || before.isEngine ||
      now.isEngine)
    return "";
  const Access &weak = isFirstWeak ? before : now;
  std::string scope = before.cluster != now.cluster ? ".gpu"
                      : before.rank != now.rank     ? ".cluster"
                                                    : ".cta";
  return (weak.writes ? "st.relaxed" : "ld.relaxed") + scope + " at " +
         (isFirstWeak ? first : second) +
         ", which is weak, if it may come at any time; otherwise ";
}

/// Of accesses in different clusters.
static std::string whyApart(const std::string &first, const std::string &second,
                            Missing missing) {
  switch (missing) {
  case Missing::Synchronization:
    return "the two CTAs are in different clusters, and no release and "
           "acquire at the scope of the GPU lead from one to the other";
  case Missing::WarpBeforeRelease:
    return "another lane of the warp releases at the scope of the GPU, and " +
           second + " comes after the acquire; but " + first +
           " of this lane is not ordered before that release";
  case Missing::BarrierBeforeRelease:
    return "another thread of the CTA releases at the scope of the GPU, and " +
           second + " comes after the acquire; but nothing orders " + first +
           " before that release";
  case Missing::ReleaseAfter:
    return "the thread of " + first +
           " releases at the scope of the GPU, but before " + first +
           ": what comes after a release, or after the fence of a relaxed "
           "store, is not covered by it";
  case Missing::BarrierAfterAcquire:
    return "another thread of the CTA of " + second +
           " acquires what the CTA of " + first +
           " releases; but nothing orders that acquire before " + second;
  case Missing::Wait:
    return first + " is of a launch before, which need not be over: this one "
                   "is a programmatic dependent launch, and the thread has "
                   "not executed griddepcontrol.wait";
  case Missing::WaitBetween:
    return "griddepcontrol.wait waits for the launch before this one. " +
           first +
           " is of an older one, and a launch between them does not "
           "wait: it may end first";
  }
  return "";
}

static std::string adviceApart(const std::string &first,
                               const std::string &second, Missing missing) {
  switch (missing) {
  case Missing::Synchronization:
    return "st.release.gpu, or a fence and an atomic, in the CTA that comes "
           "first, and ld.acquire.gpu in the other; if they are there, by "
           "other threads, bar.sync before the release and after the acquire";
  case Missing::WarpBeforeRelease:
    return "bar.warp.sync after " + first + ", before the release";
  case Missing::BarrierBeforeRelease:
    return "bar.sync after " + first + ", before the release";
  case Missing::ReleaseAfter:
    return "the release, or the fence and the store, after " + first +
           "; for the next use of the bytes, another one";
  case Missing::BarrierAfterAcquire:
    return "bar.sync (bar.warp.sync in one warp) after the acquire, before " +
           second;
  case Missing::Wait:
    return "griddepcontrol.wait before " + second;
  case Missing::WaitBetween:
    return "griddepcontrol.wait in every kernel of the chain";
  }
  return "";
}

static std::string whyUnordered(const Finding &finding, const Access &before,
                                const Access &now, Missing missing) {
  const std::string first = lineOf(finding.first),
                    second = lineOf(finding.second);
  if (before.isUpdate && now.isUpdate)
    return "both threads load the bytes, compute with them and store them, "
           "and nothing orders the two: what one of them adds is lost";
  if (isOneInstruction(before, now))
    return "two lanes of one instruction store different values to the same "
           "bytes; which one stays is not defined";
  if (std::string why = whyStrong(first, second, before, now); !why.empty())
    return why;
  return before.cluster == now.cluster
             ? "no barrier, mbarrier or flag is between " + first + " and " +
                   second
             : whyApart(first, second, missing);
}

/// Of accesses that are ordered, where a fence is missing all the same.
static std::string whyFence(const Finding &finding, const Access &before) {
  const std::string first = lineOf(finding.first),
                    second = lineOf(finding.second);
  switch (finding.rule) {
  case Rule::ProxyFence:
    return "the two are ordered, but " + first +
           " writes through the generic proxy and " + second +
           " goes through the async proxy; no fence.proxy.async is "
           "between them";
  case Rule::ProxyFenceBeforeRefill:
    return "the two are ordered, but " + first +
           (before.writes ? " writes" : " reads") +
           " through the generic proxy and " + second +
           " writes through the async proxy; no fence.proxy.async is "
           "between them";
  case Rule::ProxyFenceBetweenCtas:
    return "the two are ordered, but both go through async proxies, of "
           "different CTAs; no fence.proxy.async is in front of " +
           second;
  case Rule::ProxyFenceAfterMma:
    return "the operation is over, but it read through the async proxy and " +
           second +
           " writes through the generic one; PTX names no implicit fence for "
           "tcgen05";
  case Rule::TensorFence:
    return "the work of " + first +
           " is over and waited for, but tcgen05.fence is missing around the "
           "synchronization";
  case Rule::TensorMapFence:
    return "the copy reads its map through the tensormap proxy, and no thread "
           "of its cluster has executed fence.proxy.tensormap::generic.acquire "
           "on it at .gpu scope or wider; " +
           first + " is in another cluster";
  default: // No fence.
    return "";
  }
}

static std::string whyOf(const Finding &finding, const Access &before,
                         const Access &now, Missing missing) {
  const std::string first = lineOf(finding.first),
                    second = lineOf(finding.second);
  switch (finding.rule) {
  case Rule::Unordered:
    return whyUnordered(finding, before, now, missing);
  case Rule::MissingSyncwarp:
    return "another lane of the warp signaled after " + first +
           "; what it releases is its own past, and this lane's access is "
           "not in it";
  case Rule::InsufficientScope:
    return first +
           " comes first in every run, but the synchronization between them "
           "is relaxed, .cta where it crosses CTAs, or an engine's, "
           "which is for its own work only: the access need not be "
           "visible";
  case Rule::InsufficientScopeOnRelease:
    return first +
           " comes first in every run, but the synchronization between them is "
           "relaxed, or .cta where it crosses CTAs: " +
           second + " may overtake the read";
  case Rule::InFlight:
    return before.isEngine
               ? "nothing between them says that the operation of " + first +
                     " is over"
               : "nothing orders " + first + " before the operation of " +
                     second + " is issued, or after it is over";
  case Rule::ProxyFence:
  case Rule::ProxyFenceBeforeRefill:
  case Rule::ProxyFenceBetweenCtas:
  case Rule::ProxyFenceAfterMma:
  case Rule::TensorFence:
  case Rule::TensorMapFence:
    return whyFence(finding, before);
  case Rule::TensorLoadReuse:
    return "no tcgen05.wait::ld is between the load of " + first +
           " and the synchronization with " + second +
           "; that its registers were used orders no memory";
  case Rule::TensorCopyReuse:
    return "both are issued in this order, but PTX doesn't say that " + first +
           " is over when " + second + " starts: of such pairs, only " +
           "tcgen05.cp before tcgen05.mma is";
  case Rule::NonCoherentLoad:
    if (before.isNonCoherent)
      return first +
             " reads the bytes through a cache that is for memory which no "
             "thread writes while the kernel runs, and " +
             second + " writes them in this launch";
    return first + " writes the bytes in this launch, and " + second +
           " reads them through a cache that need not see it, whatever orders "
           "the two";
  case Rule::SameStore:
    return "nothing orders the two, and both write the same value";
  default: // No race.
    break;
  }
  return "";
}

static std::string adviceUnordered(const Finding &finding, const Access &before,
                                   const Access &now, Missing missing) {
  const std::string first = lineOf(finding.first),
                    second = lineOf(finding.second);
  if (before.isUpdate && now.isUpdate)
    return "atom or red in place of the load and the store; a barrier "
           "between the updates of two threads, if each of them has the "
           "bytes for itself between two barriers";
  if (isOneInstruction(before, now))
    return "an atomic, if every lane's value counts; otherwise a predicate "
           "by which one lane stores";
  if (before.scope != emu::Scope::None && now.scope != emu::Scope::None)
    return adviceStrong(first, second, before, now);
  if (before.cluster != now.cluster)
    return adviceWeak(first, second, before, now) +
           adviceApart(first, second, missing);
  if (before.rank != now.rank)
    return adviceWeak(first, second, before, now) +
           "barrier.cluster, or an mbarrier with .release.cluster and "
           ".acquire.cluster, between " +
           first + " and " + second;
  if (before.warp == now.warp)
    return adviceWeak(first, second, before, now) + "bar.warp.sync between " +
           first + " and " + second +
           ": lanes of a warp are threads of their own (bar.sync, if other "
           "warps use the bytes between the two)";
  return adviceWeak(first, second, before, now) + "bar.sync between " + first +
         " and " + second +
         (before.writes && now.writes
              ? ", or other bytes for one of them, if they are meant for two "
                "arrays"
              : ", or an mbarrier that one side arrives at and the other "
                "waits for");
}

/// Where to put the fence between the generic proxy and the async one.
static std::string adviceProxyFence(const Finding &finding,
                                    const Access &before, const Access &now) {
  const std::string first = lineOf(finding.first),
                    second = lineOf(finding.second);
  std::string fence = finding.space == Finding::Global
                          ? "fence.proxy.async.global"
                          : "fence.proxy.async.shared::cta";
  if (opcodeOf(before) == Opcode::CpAsync)
    return fence + " after the threads have waited for the copies of " + first +
           " (cp.async.wait_group), and before they release";
  if (before.cluster == now.cluster && before.rank != now.rank)
    return fence + " before " + second +
           ", in the thread that executes it, after the barrier";
  if (before.cluster != now.cluster)
    return fence + " before " + second + ", in its CTA, after the acquire";
  return fence + " after " + first +
         ", executed by the same threads before they signal the barrier";
}

static std::string adviceOf(const Finding &finding, const Access &before,
                            const Access &now, Missing missing) {
  const std::string first = lineOf(finding.first),
                    second = lineOf(finding.second);
  switch (finding.rule) {
  case Rule::Unordered:
    return adviceUnordered(finding, before, now, missing);
  case Rule::MissingSyncwarp:
    return "bar.warp.sync after " + first +
           ", before the lane that signals does";
  case Rule::InsufficientScope:
  case Rule::InsufficientScopeOnRelease:
    return before.rank == now.rank
               ? "make the arrival a release and the wait an acquire, or put "
                 "fence.acq_rel.cta on their other sides; where an engine "
                 "completes the phase, an arrival after " +
                     first
               : ".release.cluster at the arrival and .acquire.cluster at the "
                 "wait";
  case Rule::InFlight:
    if (before.isEngine && now.isEngine && before.writes && now.writes)
      return "other bytes for " + second +
             ", or, if it is to overwrite them, " + completionOf(before);
    return before.isEngine
               ? completionOf(before)
               : "an order from " + first + " to the issue at " + second +
                     "; or, if it comes later, " + completionOf(now);
  case Rule::ProxyFence:
  case Rule::ProxyFenceBeforeRefill:
    return adviceProxyFence(finding, before, now);
  case Rule::ProxyFenceBetweenCtas:
    return "fence.proxy.async before " + second + ", after the acquire";
  case Rule::ProxyFenceAfterMma:
    return "fence.proxy.async.shared::cta before " + second +
           ", after the wait for the commit";
  case Rule::TensorFence:
    return "tcgen05.fence::before_thread_sync before the signal (a commit "
           "has it), tcgen05.fence::after_thread_sync after it, before " +
           second;
  case Rule::TensorLoadReuse:
    return "tcgen05.wait::ld after " + first + ", before the signal";
  case Rule::TensorCopyReuse:
    return "tcgen05.commit after " + first + " and a wait for it before " +
           second + ", or other columns";
  case Rule::NonCoherentLoad:
    return "ld.global without .nc at " +
           (before.isNonCoherent ? first : second) +
           ": in CUDA C++, no __ldg, and no const __restrict__ on a pointer "
           "to memory that the kernel writes";
  case Rule::TensorMapFence:
    return "fence.proxy.tensormap::generic.acquire.gpu [map], 128 before " +
           second + ", after the thread has acquired the flag";
  case Rule::SameStore:
    return "nothing, as long as the values are the same";
  default:
    break;
  }
  return "";
}

void drawloom::checker::describeFinding(Finding &finding, const Access &before,
                                        const Access &now, uint64_t address,
                                        Missing missing) {
  finding.kernel = llvm::demangle(now.kernel->function->name);
  auto ctaOf = [&](uint32_t rank) {
    return rank == before.rank ? before.cta
           : rank == now.rank  ? now.cta
                               : now.cta - now.rank + rank;
  };
  switch (finding.space) {
  case Finding::Shared: {
    uint32_t rank = emu::getRank(address);
    finding.address = address & emu::sharedOffsetMask;
    finding.cta = ctaOf(rank);
    finding.array = arrayAt(*now.kernel, finding.address);
    break;
  }
  case Finding::TensorMemory:
    finding.address = address % tensorRankBytes / 128;
    finding.cta = ctaOf(address / tensorRankBytes);
    break;
  case Finding::Local:
    finding.address = address - emu::localWindow;
    finding.cta = now.cta;
    break;
  case Finding::Global:
  case Finding::Registers:
    finding.address = address;
    break;
  }
  finding.why = whyOf(finding, before, now, missing);
  finding.advice = adviceOf(finding, before, now, missing);
  finding.fixes = fixesOf(finding, before, now);
}
