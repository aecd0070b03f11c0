//===- MbarrierObject.h - mbarriers in shared memory ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mbarrier counts arrivals and bytes. A phase ends in the moment in which no
// arrival is missing and no byte is outstanding; the next one begins at once,
// with all arrivals missing again.
//
//   arrive(n)    missing -= n          expect(b)     bytes += b
//   drop(n)      expected -= n, too    complete(b)   bytes -= b
//
// Bytes may be negative for a while, if a copy is done before it is expected.
// What the ISA calls undefined is rejected with a reason: every operation
// answers false and says why in `problem`.
//
// The emulator keeps the counts here. The eight bytes in shared memory hold a
// copy; if a store has changed it, the next operation reports that.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_MBARRIEROBJECT_H
#define DRAWLOOM_EMULATOR_MBARRIEROBJECT_H

#include "Machine/AsyncOp.h"
#include "Machine/Extension.h"
#include "Machine/WaitObject.h"
#include "drawloom/Emulator/Events.h"
#include <memory>
#include <string>
#include <vector>

namespace drawloom::emu {

class Cluster;

class Mbarrier : public WaitObject {
public:
  /// Of arrivals; bytes range from -maxCount to +maxCount.
  static constexpr uint32_t maxCount = (1u << 20) - 1;

  Mbarrier(CTA &cta, uint32_t offset) : owner(cta), offset(offset) {}

  std::string describe(const Fragment &waiter) const override;
  bool isPartlyComplete() const override {
    return pendingField ? pendingField != expected || bytes < 0 : bytes != 0;
  }
  WaitKind waitKind() const override { return WaitKind::Mbarrier; }

  bool isLive() const { return live; }
  /// The phase that is under way; the first one is 0.
  uint64_t phase() const { return phaseField; }
  uint32_t pending() const { return pendingField; }
  uint64_t address() const;

  bool init(uint32_t count, const Inst *by, std::string &problem);
  bool invalidate(std::string &problem);
  bool expect(uint32_t bytes, std::string &problem);
  bool complete(uint32_t bytes, std::string &problem);
  bool arrive(uint32_t count, std::string &problem) {
    return arrive(count, false, true, problem);
  }
  /// `drops`: fewer arrivals are expected in all later phases. Unless it
  /// `mayComplete`, the arrival must not end the phase.
  bool arrive(uint32_t count, bool drops, bool mayComplete,
              std::string &problem);
  /// One more arrival is missing in this phase.
  bool expectArrival(std::string &problem);
  /// Whether the barrier is live and its bytes are its own.
  bool check(std::string &problem) const;

private:
  uint64_t contents() const;
  void store();
  bool setBytes(int64_t bytes, std::string &problem);
  /// Ends the phase if nothing is missing, and puts the bytes in memory.
  void settle();
  std::string name() const;
  std::string missing() const;

  CTA &owner;
  const uint32_t offset; ///< In the CTA's shared memory.
  bool live = false;
  uint32_t expected = 0, pendingField = 0;
  int64_t bytes = 0;
  uint64_t phaseField = 0;
  const Inst *initializer = nullptr;
};

/// The mbarriers of a CTA, by their place in shared memory.
class MbarrierSet : public Extension {
public:
  static constexpr ExtensionSlot slot = ExtensionSlot::Barriers;
  explicit MbarrierSet(CTA &cta) : owner(cta) {}

  /// The barrier at a multiple of 8; null if there never was one.
  Mbarrier *find(uint32_t offset) const {
    size_t page = offset / pageBytes;
    return page < pages.size() && pages[page]
               ? pages[page]->entries[offset % pageBytes / 8].get()
               : nullptr;
  }
  /// The same, made if there is none.
  Mbarrier &at(uint32_t offset);

private:
  static constexpr uint32_t pageBytes = 512;
  struct Page {
    std::unique_ptr<Mbarrier> entries[pageBytes / 8];
  };
  CTA &owner;
  std::vector<std::unique_ptr<Page>> pages;
};

/// The live mbarrier at a generic address, as seen from `cta`; null if there is
/// none, with the reason.
Mbarrier *findMbarrier(CTA &cta, uint64_t address, std::string &problem);

/// What an engine does to a barrier when work that `issue` started is done:
/// completes bytes, or arrives. A misuse ends the run.
void completeBytes(Machine &machine, const IssuePoint &issue, uint64_t address,
                   uint32_t bytes);
void arriveAt(Machine &machine, const IssuePoint &issue, uint64_t address,
              Scope scope);

/// Tells the listener, which is there, what was done to a barrier, with the
/// phase before it, and that the phase has ended, if it has.
void tellBarrier(const IssuePoint &issue, const Mbarrier &barrier,
                 MbarrierEvent event);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_MBARRIEROBJECT_H
