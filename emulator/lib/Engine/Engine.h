//===- Engine.h - What asynchronous instructions share ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that hand work to an engine have addresses that the engine looks
// at later, one lane at a time. An EngineAddress gives a lane's address as a
// generic one, whatever space it was written in, so that one function
// translates it and one function describes it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_ENGINE_H
#define DRAWLOOM_EMULATOR_ENGINE_H

#include "Decode/Decoder.h"
#include "Machine/AsyncOp.h"
#include "Machine/Extension.h"
#include "Machine/Grid.h"
#include "Machine/Tell.h"
#include "Machine/Warp.h"
#include "llvm/ADT/SmallVector.h"

namespace drawloom::emu {

struct EngineAddress {
  Reg base = 0;
  bool wide = false;
  /// Addresses of shared memory and of parameters have 32 bits.
  bool narrow = false;
  uint64_t window = 0;
  int64_t offset = 0;

  uint64_t of(Warp &warp, unsigned lane) const {
    uint64_t value = wide ? warp.lanes<uint64_t>(base)[lane]
                          : warp.lanes<uint32_t>(base)[lane];
    value += offset;
    return narrow ? window + static_cast<uint32_t>(value) : value;
  }
};

/// The address in `operand`, which is in the space `declared`.
EngineAddress decodeEngineAddress(Decoder &decoder, const ptx::Operand &operand,
                                  ptx::StateSpace declared);

/// The rank of the CTA that a generic address of shared memory belongs to.
inline uint32_t rankOf(uint64_t address) {
  return static_cast<uint32_t>(address) >> sharedRankShift;
}
/// The same place in the shared memory of another CTA of the cluster.
inline uint64_t inRank(uint64_t address, uint32_t rank) {
  return sharedWindow | uint64_t(rank) << sharedRankShift |
         (address & sharedOffsetMask);
}
/// Whether it is in the shared memory of that CTA.
inline bool isOwn(CTA &cta, uint64_t address) {
  return isShared(address) && rankOf(address) == cta.rank();
}

/// "smem+16", with the rank of the CTA if it isn't `seenFrom`, and the address.
std::string nameAddress(CTA &seenFrom, uint64_t address);

/// Where a copy into shared memory goes, and the mbarrier that it completes.
struct CopyTarget {
  uint64_t address, barrier;

  CTA &cta(CTA &seenFrom) const {
    return seenFrom.cluster().cta(rankOf(address));
  }
};

/// What is checked when a lane hands a copy to an engine. Where a check answers
/// false, the launch has failed, and the handler returns Inst::leave().
class EngineCheck {
public:
  EngineCheck(Warp &warp, const Inst *inst, unsigned lane)
      : warp(warp), inst(inst), lane(lane) {}

  const Inst *fail(ReportKind kind, const llvm::Twine &problem);
  /// [address, address + bytes) is memory of `space`, in this CTA if it is
  /// shared::cta, and in one that runs; and no constants if it is written.
  /// `what` is "source" or "destination".
  bool range(const char *what, uint64_t address, uint64_t bytes,
             uint64_t alignment, ptx::StateSpace space,
             AccessKind kind = AccessKind::Read);
  /// The targets of a copy to `address` that completes bytes of `barrier`. A
  /// copy that multicasts goes to the same place in each CTA of `mask`. Those
  /// of a pair may share the mbarrier in one of them (cta_group::2).
  bool targets(uint64_t address, uint64_t barrier, bool multicasts,
               uint32_t mask, bool pairs,
               llvm::SmallVectorImpl<CopyTarget> &result);

private:
  Warp &warp;
  const Inst *inst;
  unsigned lane;
};

/// Tells the listener, if there is one, about a copy that is issued.
void tellIssue(const IssuePoint &issue, EngineKind engine,
               llvm::ArrayRef<CopyTarget> targets);

/// Work in flight that reads or writes the shared memory of a CTA. The CTA must
/// not exit before it is done: its memory would be given to another.
class SharedUses : public Extension {
public:
  static constexpr ExtensionSlot slot = ExtensionSlot::SharedUses;
  void ctaExited(CTA &cta) override;

  /// Between these two calls `operation` uses the memory of `cta`.
  static void begin(CTA &cta, const AsyncOp &operation, const char *verb);
  static void end(CTA &cta, const AsyncOp &operation);

private:
  struct Use {
    const AsyncOp *operation;
    const char *verb; ///< "reads" or "writes"
    bool writes() const { return *verb == 'w'; }
  };
  llvm::SmallVector<Use, 8> uses;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_ENGINE_H
