//===- Tcgen05.cpp - What the tcgen05 families share ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute/Tcgen05/Tcgen05.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;
using ptx::Opcode;
using ptx::Slot;

TensorProblem drawloom::emu::checkPeer(CTA &cta) {
  uint32_t peer = cta.rank() ^ 1;
  if (peer >= cta.cluster().size())
    return {ReportKind::IllegalInstruction,
            formatv("cta_group::2 needs a pair of CTAs; CTA rank {0} of a "
                    "cluster of {1} has no peer",
                    cta.rank(), cta.cluster().size())};
  if (cta.cluster().cta(peer).exited())
    return {ReportKind::Protocol,
            formatv("CTA rank {0}, the peer of this one, has exited", peer)};
  return {};
}

TensorProblem drawloom::emu::checkRegion(CTA &cta, const TensorRegion &region,
                                         llvm::StringRef name, bool writes) {
  Cluster &cluster = cta.cluster();
  for (uint32_t rank = cta.rank() & ~1u; rank != (cta.rank() | 1) + 1; ++rank) {
    if (!(region.ctas >> (rank & 1) & 1))
      continue;
    CTA &each = cluster.cta(rank);
    std::string problem = tensorMemory(each).checkAccess(each, region);
    if (problem.empty())
      continue;
    std::string where =
        &each == &cta ? "" : formatv("CTA rank {0}'s ", rank).str();
    return {ReportKind::IllegalAddress,
            formatv("{0} in {1}{2}", name, where, problem)};
  }
  std::string problem =
      tensorCore(cta).checkOrder(region, TensorCore::Access::Async, writes);
  if (!problem.empty())
    return {ReportKind::Protocol, formatv("{0} in {1}", name, problem)};
  return {};
}

TensorProblem drawloom::emu::readShared(Warp &warp, Reg reg, unsigned lane,
                                        llvm::StringRef name,
                                        SharedMatrix &matrix) {
  std::string problem = matrix.decodeTcgen05(warp.lanes<uint64_t>(reg)[lane]);
  if (problem.empty())
    return {};
  return {ReportKind::IllegalInstruction,
          formatv("matrix {0} {1}", name, problem)};
}

/// Stands in front of the decoders of all instructions with a .cta_group, which
/// must be the same in all of a kernel. Answers false where it is.
static bool rejectMixedGroups(Decoder &decoder, Inst &inst) {
  const ptx::Instruction *&first = decoder.result().firstGrouped;
  if (!first)
    first = &decoder.instruction();
  ptx::Modifier group = decoder.get(Slot::CtaGroup);
  ptx::Modifier firstGroup = first->variant->get(Slot::CtaGroup);
  if (group == firstGroup)
    return false;
  decoder.reject(
      inst, ReportKind::IllegalInstruction,
      formatv("'{0}' has .{1}, and '{2}' of line {3} .{4}: all tcgen05 "
              "instructions of a kernel must have the same",
              decoder.variant().mnemonic(), ptx::spelling(group),
              first->variant->mnemonic(), first->line,
              ptx::spelling(firstGroup)));
  return true;
}

void drawloom::emu::registerTcgen05(DecodeTable &table) {
  for (Opcode opcode :
       {Opcode::Tcgen05Alloc, Opcode::Tcgen05Dealloc,
        Opcode::Tcgen05RelinquishAllocPermit, Opcode::Tcgen05Cp,
        Opcode::Tcgen05Shift, Opcode::Tcgen05Commit, Opcode::Tcgen05Mma,
        Opcode::Tcgen05MmaSp, Opcode::Tcgen05MmaWs, Opcode::Tcgen05MmaWsSp})
    table.add(opcode, rejectMixedGroups);
}
