//===- Warp.cpp - Thirty-two lanes ---------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Warp.h"
#include "Machine/Grid.h"
#include "Machine/Machine.h"
#include "Machine/Tell.h"
#include "Machine/Undefined.h"
#include "Timing/Clock.h"
#include "llvm/ADT/STLExtras.h"
#include <sys/mman.h>

using namespace drawloom;
using namespace drawloom::emu;

/// Backward branches after which a fragment lets others of its warp go first.
/// Large, since a fragment that goes ahead of a loop that others are still in
/// runs the code behind it on its own.
static constexpr uint32_t backwardBranchLimit = 1024;

/// The generic address of the local memory of a warp's first lane.
static uint64_t localBaseOf(CTA &cta, uint32_t warp) {
  Cluster &cluster = cta.cluster();
  uint64_t number = cluster.index() * cluster.size() + cta.rank();
  return localWindow | (number << localCtaShift & windowMask) |
         uint64_t(warp) * 32 << localThreadShift;
}

Warp::Warp(CTA &cta, uint32_t index, uint32_t threads, AlignedMemory file)
    : registers(file.get()), ctaField(cta), machineField(cta.machine()),
      programField(cta.grid().program()),
      listenerField(cta.cluster().listener()), indexField(index),
      localBase(localBaseOf(cta, index)), registerFile(std::move(file)),
      codeEnd(programField.code.data() + programField.code.size()) {
  liveField = threads >= 32 ? ~0u : (1u << threads) - 1;
  setRegisters();
  Fragment &fragment = newFragment();
  fragment.pc = programField.code.data();
  fragment.mask = liveField;
  fragment.state = Fragment::Ready;
  if (listenerField && !programField.functions.front().locals.empty())
      [[unlikely]]
    tellFrame(fragment.pc, liveField, programField.functions.front(),
              lanes<uint32_t>(programField.frameBase));
}

Warp::~Warp() {
  for (std::unique_ptr<Fragment> &fragment : fragments)
    if (fragment->state == Fragment::Waiting) {
      fragment->object->waiters.remove(*fragment);
      if (fragment->suspended)
        machineField.removeSuspended(*fragment);
    }
  if (local)
    munmap(local, 32 * localWindowSize);
}

char *Warp::localMemory() {
  if (!local) {
    void *memory = mmap(nullptr, 32 * localWindowSize, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return nullptr;
    local = static_cast<char *>(memory);
  }
  return local;
}

IssuePoint Warp::issuePoint(const Inst *inst, uint32_t mask) {
  return {&ctaField, inst, indexField, mask, 0, 0};
}

IssuePoint Warp::newOperation(const Inst *inst, uint32_t mask) {
  return {&ctaField,
          inst,
          indexField,
          mask,
          ctaField.cluster().newOperation(),
          machineField.memory().frees()};
}

Fragment &Warp::newFragment() {
  for (std::unique_ptr<Fragment> &fragment : fragments)
    if (fragment->state == Fragment::Free)
      return *fragment;
  fragments.push_back(std::make_unique<Fragment>());
  fragments.back()->warp = this;
  return *fragments.back();
}

void Warp::release(Fragment &fragment) {
  fragment.state = Fragment::Free;
  fragment.mask = 0;
  fragment.answeredFalse = fragment.yielded = false;
  fragment.waitValue = 0;
  fragment.backwardBranches = 0;
  fragment.calls.clear();
}

bool Warp::hasReady() const {
  return llvm::any_of(fragments, [](const std::unique_ptr<Fragment> &fragment) {
    return fragment->state == Fragment::Ready;
  });
}

/// Chooses the fragment that runs, merges into it those at the same place, and
/// sets where it has to stop.
bool Warp::pick() {
  if (currentField && currentField->state == Fragment::Ready &&
      fragments.size() == 1) {
    activeField = currentField->mask;
    stop = codeEnd;
    return true;
  }
  Fragment *best = nullptr;
  for (std::unique_ptr<Fragment> &entry : fragments) {
    Fragment &fragment = *entry;
    if (fragment.state != Fragment::Ready)
      continue;
    if (!best || fragment.yielded < best->yielded ||
        (fragment.yielded == best->yielded &&
         (fragment.calls.size() > best->calls.size() ||
          (fragment.calls.size() == best->calls.size() &&
           fragment.pc < best->pc))))
      best = &fragment;
  }
  if (!best)
    return false;
  if (best->yielded) // All have had their turn.
    for (std::unique_ptr<Fragment> &fragment : fragments)
      fragment->yielded = false;
  stop = codeEnd;
  for (std::unique_ptr<Fragment> &entry : fragments) {
    Fragment &fragment = *entry;
    if (&fragment == best || fragment.state != Fragment::Ready ||
        fragment.calls.size() != best->calls.size())
      continue;
    if (fragment.pc == best->pc) {
      if (fragment.calls != best->calls)
        continue;
      best->mask |= fragment.mask;
      best->answeredFalse |= fragment.answeredFalse;
      // Of lanes that wait together, those that began first remember since
      // when.
      if (fragment.waitValue)
        best->waitValue = fragment.waitValue;
      release(fragment);
    } else if (fragment.pc > best->pc && fragment.pc < stop) {
      stop = fragment.pc;
    }
  }
  currentField = best;
  activeField = best->mask;
  return true;
}

UndefinedValues &Warp::followUndefined() {
  if (!undefinedField) {
    undefinedField = std::make_unique<UndefinedValues>();
    leaveLoop();
  }
  return *undefinedField;
}

const Inst *Warp::runFollowing(const Inst *pc, uint64_t &left) {
  do {
    uint32_t mask = activeField & (predicate(pc->guard) ^ pc->guardFlip);
    undefinedField->step(*this, pc, mask);
    pc = mask ? pc->fn(*this, pc, mask) : pc + 1;
  } while (--left && pc < stop && !undefinedField->empty());
  if (undefinedField->empty())
    undefinedField.reset();
  return pc;
}

uint64_t Warp::run(uint64_t budget) {
  uint64_t left = budget;
  turnOver = false;
  while (left && !turnOver && pick()) {
    const Inst *pc = currentField->pc;
    if (undefinedField) [[unlikely]]
      pc = runFollowing(pc, left);
    else
      do {
        uint32_t mask = activeField & (predicate(pc->guard) ^ pc->guardFlip);
        pc = mask ? pc->fn(*this, pc, mask) : pc + 1;
      } while (--left && pc < stop);
    // No instruction leads there: each function ends with a return. Lanes that
    // came there all the same would take what lies behind for code.
    if (pc == codeEnd) [[unlikely]]
      pc = exit(pc - 1, activeField);
    if (pc != Inst::leave())
      currentField->pc = pc;
  }
  // Fragments that let others go first get their turn back in time.
  if (left == 0 && fragments.size() > 1 &&
      currentField->state == Fragment::Ready &&
      llvm::any_of(fragments, [](auto &f) { return f->yielded; }))
    currentField->yielded = true;
  return budget - left;
}

Fragment &Warp::split(uint32_t mask) {
  Fragment &fragment = newFragment();
  fragment.mask = mask;
  fragment.state = Fragment::Ready;
  fragment.calls = currentField->calls;
  fragment.readyAt = machineField.now;
  currentField->mask &= ~mask;
  activeField = currentField->mask;
  return fragment;
}

const Inst *Warp::branch(const Inst *inst, uint32_t mask, const Inst *target) {
  if (mask == activeField) {
    if (target <= inst && fragments.size() > 1 &&
        ++currentField->backwardBranches > backwardBranchLimit) {
      currentField->backwardBranches = 0;
      currentField->yielded = true;
      currentField->pc = target;
      return Inst::leave();
    }
    // A jump over another fragment's place, or back behind it: where to stop
    // changes.
    if (fragments.size() > 1)
      leaveLoop();
    return target;
  }
  Fragment &taken = split(mask);
  taken.pc = target;
  leaveLoop();
  return inst + 1;
}

const Inst *Warp::fail(const Inst *inst, uint32_t mask, ReportKind kind,
                       const llvm::Twine &message) {
  machineField.fail(issuePoint(inst, mask), kind, message);
  currentField->pc = inst;
  turnOver = true;
  return Inst::leave();
}

const Inst *Warp::wait(const Inst *inst, uint32_t mask, WaitObject &object,
                       WaitMode mode, uint64_t value) {
  bool whole = mask == activeField;
  Fragment &fragment = whole ? *currentField : split(mask);
  fragment.pc = mode == WaitMode::Retry ? inst : inst + 1;
  fragment.state = Fragment::Waiting;
  fragment.object = &object;
  fragment.waitValue = value;
  fragment.suspended = false;
  fragment.resumes = mode == WaitMode::Resume;
  object.waiters.push_back(fragment);
  return whole ? Inst::leave() : inst + 1;
}

const Inst *Warp::suspend(const Inst *inst, uint32_t mask, WaitObject &object,
                          uint64_t value) {
  bool whole = mask == activeField;
  Fragment &fragment = whole ? *currentField : split(mask);
  fragment.pc = inst;
  fragment.state = Fragment::Waiting;
  fragment.object = &object;
  fragment.waitValue = value;
  fragment.suspended = true;
  fragment.resumes = false;
  object.waiters.push_back(fragment);
  machineField.addSuspended(fragment);
  return whole ? Inst::leave() : inst + 1;
}

void Warp::wake(Fragment &fragment) {
  fragment.object->waiters.remove(fragment);
  if (fragment.suspended)
    machineField.removeSuspended(fragment);
  if (machineField.clock()) [[unlikely]]
    wakeTimed(fragment);
  fragment.object = nullptr;
  fragment.suspended = false;
  fragment.state = Fragment::Ready;
  leaveLoop(); // It may have to run before the current one.
  machineField.makeReady(*this);
}

const Inst *Warp::park(const Inst *inst) {
  parked = true;
  return yield(inst);
}

const Inst *Warp::yield(const Inst *next) {
  currentField->pc = next;
  turnOver = true;
  return Inst::leave();
}

const Inst *Warp::exit(const Inst *inst, uint32_t mask) {
  bool whole = mask == activeField;
  currentField->pc = inst; // For what their exit completes.
  liveField &= ~mask;
  currentField->mask &= ~mask;
  activeField = currentField->mask;
  if (whole)
    release(*currentField);
  if (listenerField) [[unlikely]]
    tell(issuePoint(inst, mask), Origin());
  // Lanes that wait for these need not wait any longer.
  rendezvous.wakeAll();
  ctaField.lanesExited(*this, mask);
  return whole ? Inst::leave() : inst + 1;
}

uint32_t Warp::converge(const Inst *inst, uint32_t mask,
                        const uint32_t *members, const Inst *&next) {
  uint32_t named = 0;
  for (unsigned lane = 0; lane != 32; ++lane)
    named |= members[lane] & -(mask >> lane & 1);
  next = inst + 1;
  if (!(named & liveField & ~mask))
    return mask;
  // Lanes that have been waiting at this instruction with this call stack.
  uint32_t arrived = mask;
  for (std::unique_ptr<Fragment> &fragment : fragments)
    if (fragment->state == Fragment::Waiting &&
        fragment->object == &rendezvous && fragment->pc == inst &&
        fragment->calls == currentField->calls)
      arrived |= fragment->mask;
  // A group goes on if all its members are here; a lane whose group isn't
  // complete can't be a member of one that is.
  uint32_t complete = arrived;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t rest = complete; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      if (members[lane] & liveField & ~complete) {
        complete &= ~(1u << lane);
        changed = true;
      }
    }
  }
  uint32_t joining = complete & ~mask;
  if (joining)
    for (std::unique_ptr<Fragment> &fragment : fragments) {
      uint32_t lanes = fragment->mask & joining;
      if (!lanes || fragment->state != Fragment::Waiting ||
          fragment->object != &rendezvous)
        continue;
      fragment->mask &= ~lanes;
      if (!fragment->mask) {
        rendezvous.waiters.remove(*fragment);
        release(*fragment);
      }
      currentField->mask |= lanes;
    }
  activeField = currentField->mask;
  uint32_t incomplete = mask & ~complete;
  if (incomplete)
    next = wait(inst, incomplete, rendezvous, WaitMode::Retry);
  return complete;
}

void Warp::passConverging(uint32_t lanes) {
  // New fragments are not among those that were there.
  for (size_t i = 0, count = fragments.size(); i != count; ++i) {
    Fragment &fragment = *fragments[i];
    uint32_t passing = fragment.mask & lanes;
    if (!passing || fragment.state != Fragment::Waiting ||
        fragment.object != &rendezvous)
      continue;
    if (passing == fragment.mask) {
      ++fragment.pc;
      wake(fragment);
      continue;
    }
    Fragment &passed = newFragment();
    fragment.mask &= ~passing;
    passed.mask = passing;
    passed.pc = fragment.pc + 1;
    passed.calls = fragment.calls;
    passed.state = Fragment::Ready;
    leaveLoop();
  }
}

uint32_t Warp::convergeAll(const Inst *inst, uint32_t mask, const Inst *&next) {
  next = inst + 1;
  if (mask == liveField)
    return mask;
  uint32_t members[32];
  std::fill_n(members, 32, liveField);
  return converge(inst, mask, members, next);
}

std::string Rendezvous::describe(const Fragment &waiter) const {
  Warp &warp = *waiter.warp;
  std::string text = "waits for the other lanes of its warp at '";
  if (const ptx::Instruction *source = warp.program().source(waiter.pc))
    text += source->variant->mnemonic();
  text += "'";
  warp.forEachFragment([&](Fragment &other) {
    if (&other != &waiter)
      text += "; " + describeLanes(other.mask) +
              (other.mask & (other.mask - 1) ? " are" : " is") + " at line " +
              std::to_string(warp.program().line(other.pc));
  });
  return text;
}
