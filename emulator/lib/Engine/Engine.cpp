//===- Engine.cpp - What asynchronous instructions share -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Engine.h"
#include "Engine/MbarrierObject.h"
#include "Machine/Machine.h"
#include "Memory/Access.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::StateSpace;

EngineAddress drawloom::emu::decodeEngineAddress(Decoder &decoder,
                                                 const ptx::Operand &operand,
                                                 StateSpace declared) {
  AddressRef address = decoder.address(operand);
  EngineAddress result;
  result.base = address.base;
  result.wide = address.wide;
  result.offset = address.offset;
  Space space = Space::Generic;
  switch (declared) {
  case StateSpace::Shared:
  case StateSpace::SharedCta:
  case StateSpace::SharedCluster:
    space = Space::Shared;
    break;
  case StateSpace::Global:
  case StateSpace::Const:
    space = Space::Global;
    break;
  default:
    space = decoder.genericSpaceOf(operand);
    break;
  }
  result.narrow = space == Space::Shared || space == Space::Param;
  result.window = space == Space::Shared  ? sharedWindow
                  : space == Space::Param ? paramWindow
                                          : 0;
  return result;
}

std::string drawloom::emu::nameAddress(CTA &seenFrom, uint64_t address) {
  std::string where = "0x" + llvm::utohexstr(address, true);
  if (!isShared(address))
    return where;
  std::string name =
      seenFrom.grid().program().nameShared(address & sharedOffsetMask);
  std::string text = name.empty() ? where : "'" + name + "' (" + where + ")";
  if (rankOf(address) != seenFrom.rank())
    text += " of CTA rank " + llvm::utostr(rankOf(address));
  return text;
}

const Inst *EngineCheck::fail(ReportKind kind, const llvm::Twine &problem) {
  return warp.fail(inst, 1u << lane, kind,
                   quoteMnemonic(warp.program(), inst) + ": " + problem);
}

bool EngineCheck::range(const char *what, uint64_t address, uint64_t bytes,
                        uint64_t alignment, StateSpace space,
                        AccessKind access) {
  CTA &cta = warp.cta();
  Cluster &cluster = cta.cluster();
  std::string problem;
  ReportKind kind = ReportKind::IllegalAddress;
  if (address % alignment) {
    kind = ReportKind::MisalignedAddress;
    problem = "must be a multiple of " + llvm::utostr(alignment);
  } else if (space == StateSpace::Global) {
    if (spaceOf(address) != Space::Global)
      problem = "isn't in global memory";
    else if (access != AccessKind::Read &&
             warp.machine().memory().isReadOnly(address))
      problem = "is in constant memory, which can't be written";
  } else if (!isShared(address)) {
    problem = "isn't in shared memory";
  } else if (space == StateSpace::SharedCta && !isOwn(cta, address)) {
    problem = "isn't in the shared memory of this CTA (rank " +
              llvm::utostr(cta.rank()) + ")";
  }
  if (problem.empty() && !translate(cluster, address, bytes)) {
    fail(kind, llvm::Twine(bytes) + " bytes, " + what + " at " +
                   describeAddress(cluster, address, bytes));
    return false;
  }
  if (problem.empty() && isShared(address) &&
      cluster.cta(rankOf(address)).exited())
    problem = "is in the shared memory of a CTA that has exited";
  if (problem.empty())
    return true;
  fail(kind, llvm::Twine("the ") + what + " " + nameAddress(cta, address) +
                 " " + problem);
  return false;
}

bool EngineCheck::targets(uint64_t address, uint64_t barrier, bool multicasts,
                          uint32_t mask, bool pairs,
                          llvm::SmallVectorImpl<CopyTarget> &result) {
  CTA &cta = warp.cta();
  uint32_t size = cta.cluster().size();
  if (!multicasts) {
    result.push_back({address, barrier});
  } else if (mask == 0 || mask >> size) {
    fail(ReportKind::IllegalInstruction,
         "the mask of CTAs is 0x" + llvm::Twine::utohexstr(mask) +
             "; the cluster has " + llvm::Twine(size) +
             (size == 1 ? " CTA" : " CTAs"));
    return false;
  }
  for (uint32_t rank = 0; multicasts && rank != size; ++rank)
    if (mask >> rank & 1) {
      // In a pair, the CTA whose rank is even or odd as the barrier's is.
      uint32_t at = pairs ? (rank & ~1u) | (rankOf(barrier) & 1) : rank;
      result.push_back({inRank(address, rank), inRank(barrier, at)});
    }
  for (const CopyTarget &target : result) {
    if (target.cta(cta).exited()) {
      fail(ReportKind::IllegalAddress,
           "the destination " + nameAddress(cta, target.address) +
               " is in the shared memory of a CTA that has exited");
      return false;
    }
    std::string problem;
    if (!findMbarrier(cta, target.barrier, problem)) {
      fail(ReportKind::Protocol, problem);
      return false;
    }
  }
  return true;
}

void drawloom::emu::tellIssue(const IssuePoint &issue, EngineKind engine,
                              llvm::ArrayRef<CopyTarget> targets) {
  if (!listenerOf(issue))
    return;
  llvm::SmallVector<uint64_t, 16> barriers;
  for (const CopyTarget &target : targets)
    barriers.push_back(target.barrier);
  tell(issue, OperationEvent{.engine = engine, .barriers = barriers});
}

void SharedUses::begin(CTA &cta, const AsyncOp &operation, const char *verb) {
  cta.extensions.get<SharedUses>().uses.push_back({&operation, verb});
}

void SharedUses::end(CTA &cta, const AsyncOp &operation) {
  SharedUses &self = cta.extensions.get<SharedUses>();
  auto it = llvm::find_if(
      self.uses, [&](const Use &use) { return use.operation == &operation; });
  if (it == self.uses.end())
    return;
  *it = self.uses.back();
  self.uses.pop_back();
}

void SharedUses::ctaExited(CTA &cta) {
  const Use *found = uses.begin();
  // On a GPU the memory stays until what is stored from it has been read, and
  // kernels of CUTLASS leave it at that. The orders that look for mistakes
  // report it; the clock follows the GPU.
  if (cta.machine().clock())
    found = llvm::find_if(uses, [](const Use &use) { return use.writes(); });
  if (found == uses.end())
    return;
  const Use &use = *found;
  const IssuePoint &issue = use.operation->issue;
  cta.machine().fail(issue, ReportKind::Protocol,
                     "CTA " + cta.id().str() + " has exited while " +
                         quoteMnemonic(cta.grid().program(), issue.inst) +
                         " still " + use.verb +
                         " its shared memory; wait until that is done");
}
