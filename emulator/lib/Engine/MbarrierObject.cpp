//===- MbarrierObject.cpp - mbarriers in shared memory -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/MbarrierObject.h"
#include "Engine/Engine.h"
#include "Machine/Machine.h"
#include "Memory/Access.h"
#include "Timing/Clock.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;
using llvm::utostr;

uint64_t Mbarrier::address() const {
  return sharedWindow | uint64_t(owner.rank()) << sharedRankShift | offset;
}

std::string Mbarrier::name() const {
  return "the mbarrier at " + nameAddress(owner, address());
}

/// Never zero, so that memory that was cleared is noticed.
uint64_t Mbarrier::contents() const {
  return (phaseField & 1) | 2 | uint64_t(pendingField) << 2 |
         uint64_t(expected) << 22 |
         (static_cast<uint64_t>(bytes) & 0x1fffff) << 42;
}

void Mbarrier::store() {
  uint64_t value = contents();
  memcpy(owner.shared() + offset, &value, sizeof(value));
}

bool Mbarrier::check(std::string &problem) const {
  if (!live) {
    problem = name() + (initializer ? " was invalidated, and not initialized "
                                      "since"
                                    : " isn't initialized");
    return false;
  }
  uint64_t value = contents();
  if (memcmp(owner.shared() + offset, &value, sizeof(value)) != 0) {
    problem = name() + " was written to by something that isn't an mbarrier "
                       "operation; it is initialized, and has to be "
                       "invalidated before its memory is used otherwise";
    return false;
  }
  return true;
}

bool Mbarrier::init(uint32_t count, const Inst *by, std::string &problem) {
  // Again is as good as once, as long as nothing is lost.
  if (live && (hasWaiters() || pendingField != expected || bytes)) {
    problem =
        name() + " is initialized again while it is in use (line " +
        utostr(owner.grid().program().line(initializer)) +
        " initialized it): " +
        (hasWaiters() ? "others wait for phase " + utostr(phaseField)
                      : "in phase " + utostr(phaseField) + ", " + missing());
    return false;
  }
  if (count == 0 || count > maxCount) {
    problem = name() + " can't expect " + utostr(count) + " arrivals; 1 to " +
              utostr(maxCount) + " are possible";
    return false;
  }
  live = true;
  initializer = by;
  expected = pendingField = count;
  bytes = 0;
  phaseField = 0;
  store();
  return true;
}

bool Mbarrier::invalidate(std::string &problem) {
  if (!check(problem))
    return false;
  if (hasWaiters()) {
    problem = name() + " is invalidated while others wait for it";
    return false;
  }
  live = false;
  return true;
}

bool Mbarrier::setBytes(int64_t value, std::string &problem) {
  if (value < -int64_t(maxCount) || value > int64_t(maxCount)) {
    problem = name() + " would have " + llvm::itostr(value) +
              " bytes outstanding; the count ranges from -" + utostr(maxCount) +
              " to " + utostr(maxCount);
    return false;
  }
  bytes = value;
  return true;
}

bool Mbarrier::expect(uint32_t count, std::string &problem) {
  if (!check(problem) || !setBytes(bytes + count, problem))
    return false;
  settle();
  return true;
}

bool Mbarrier::complete(uint32_t count, std::string &problem) {
  if (!check(problem) || !setBytes(bytes - count, problem))
    return false;
  settle();
  return true;
}

bool Mbarrier::arrive(uint32_t count, bool drops, bool mayComplete,
                      std::string &problem) {
  if (!check(problem))
    return false;
  if (count > pendingField) {
    problem = name() + " has too many arrivals: " + utostr(count) +
              " more in "
              "phase " +
              utostr(phaseField) + ", in which " + utostr(pendingField) +
              " of " + utostr(expected) + (pendingField == 1 ? " is" : " are") +
              " missing";
    if (pendingField == 0)
      problem +=
          " (the phase is still waiting for " + llvm::itostr(bytes) + " bytes)";
    return false;
  }
  if (drops) {
    if (count > expected) {
      problem = name() + " expects " + utostr(expected) + " arrivals; " +
                utostr(count) + " can't be dropped";
      return false;
    }
    expected -= count;
  }
  pendingField -= count;
  if (!mayComplete && pendingField == 0 && bytes == 0) {
    problem = name() + " would complete phase " + utostr(phaseField) +
              " by an arrival that says .noComplete";
    return false;
  }
  settle();
  return true;
}

bool Mbarrier::expectArrival(std::string &problem) {
  if (!check(problem))
    return false;
  if (pendingField == maxCount) {
    problem = name() + " has " + utostr(maxCount) +
              " arrivals missing already, and can't count one more";
    return false;
  }
  ++pendingField;
  store();
  return true;
}

void Mbarrier::settle() {
  if (pendingField == 0 && bytes == 0) {
    ++phaseField;
    pendingField = expected;
    if (Clock *clock = owner.machine().clock()) [[unlikely]]
      clock->phaseEnded(owner.grid().kernel(), offset);
    wakeAll();
  }
  store();
}

std::string Mbarrier::missing() const {
  std::string text;
  if (pendingField)
    text =
        utostr(pendingField) + " of " + utostr(expected) +
        (pendingField == 1 ? " arrivals is missing" : " arrivals are missing");
  if (bytes > 0)
    text += (text.empty() ? "" : ", ") + utostr(bytes) +
            " bytes that are expected haven't come";
  if (bytes < 0)
    text += (text.empty() ? "" : ", ") + utostr(-bytes) +
            " bytes more have come than are expected";
  return text;
}

std::string Mbarrier::describe(const Fragment &waiter) const {
  return name().substr(4) + " is in phase " + utostr(phaseField) + " (parity " +
         utostr(phaseField & 1) + "): " + missing();
}

Mbarrier &MbarrierSet::at(uint32_t offset) {
  size_t page = offset / pageBytes;
  if (pages.size() <= page)
    pages.resize(page + 1);
  if (!pages[page])
    pages[page] = std::make_unique<Page>();
  std::unique_ptr<Mbarrier> &entry =
      pages[page]->entries[offset % pageBytes / 8];
  if (!entry)
    entry = std::make_unique<Mbarrier>(owner, offset);
  return *entry;
}

Mbarrier *drawloom::emu::findMbarrier(CTA &cta, uint64_t address,
                                      std::string &problem) {
  Cluster &cluster = cta.cluster();
  if (!isShared(address)) {
    problem = "an mbarrier at " + nameAddress(cta, address) +
              ", which isn't in shared memory";
    return nullptr;
  }
  if (address % 8) {
    problem = "an mbarrier at " + nameAddress(cta, address) +
              "; the address must be a multiple of 8";
    return nullptr;
  }
  uint32_t rank = rankOf(address);
  if (!cluster.shared(address - sharedWindow, 8)) {
    problem = "an mbarrier at " + describeAddress(cluster, address, 8);
    return nullptr;
  }
  CTA &owner = cluster.cta(rank);
  if (owner.exited()) {
    problem = "an mbarrier at " + nameAddress(cta, address) +
              ", which has exited: its shared memory is gone";
    return nullptr;
  }
  Mbarrier &barrier =
      owner.extensions.get<MbarrierSet>(owner).at(address & sharedOffsetMask);
  return barrier.check(problem) ? &barrier : nullptr;
}

void drawloom::emu::tellBarrier(const IssuePoint &issue,
                                const Mbarrier &barrier, MbarrierEvent event) {
  event.address = barrier.address();
  tell(issue, event);
  if (event.kind == MbarrierEvent::Init || event.kind == MbarrierEvent::Wait ||
      barrier.phase() == uint64_t(event.phase))
    return;
  tell(issue, MbarrierEvent{.kind = MbarrierEvent::PhaseEnd,
                            .address = event.address,
                            .phase = event.phase});
}

void drawloom::emu::completeBytes(Machine &machine, const IssuePoint &issue,
                                  uint64_t address, uint32_t bytes) {
  std::string problem;
  if (Mbarrier *barrier = findMbarrier(*issue.cta, address, problem)) {
    uint64_t phase = barrier->phase();
    if (barrier->complete(bytes, problem)) {
      if (listenerOf(issue)) [[unlikely]]
        tellBarrier(issue, *barrier,
                    MbarrierEvent{.kind = MbarrierEvent::CompleteBytes,
                                  .count = bytes,
                                  .phase = int64_t(phase),
                                  .order = Order::Release,
                                  .scope = Scope::Cluster});
      return;
    }
  }
  machine.fail(issue, ReportKind::Protocol,
               Twine(bytes) + " bytes are complete: " + problem);
}

void drawloom::emu::arriveAt(Machine &machine, const IssuePoint &issue,
                             uint64_t address, Scope scope) {
  std::string problem;
  if (Mbarrier *barrier = findMbarrier(*issue.cta, address, problem)) {
    uint64_t phase = barrier->phase();
    if (barrier->arrive(1, problem)) {
      if (listenerOf(issue)) [[unlikely]]
        tellBarrier(issue, *barrier,
                    MbarrierEvent{.kind = MbarrierEvent::Arrive,
                                  .count = 1,
                                  .phase = int64_t(phase),
                                  .order = Order::Release,
                                  .scope = scope});
      return;
    }
  }
  machine.fail(issue, ReportKind::Protocol, problem);
}
