//===- Registers.cpp - setmaxnreg ----------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.19.5. A CTA starts with as many registers as its entry
// asks for, times its threads. A warp gives some back to the CTA's pool (.dec),
// or takes some out of it (.inc) and waits until they are there. All warps of a
// warp group change to the same number, and none of them again before all have.
// A change to the number that a warp has already is none: the kernels of Triton
// repeat such ones, and don't wait for the other warps between them.
//
// A kernel whose PTX doesn't fix the number of registers at its entry has no
// pool: the instruction has no effect then, but is checked all the same.

#include "Decode/Decoder.h"
#include "Machine/Grid.h"
#include "Machine/Lanes.h"
#include "Machine/Machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;
using llvm::utostr;
using ptx::Opcode;

static constexpr uint32_t warpsPerGroup = 4;

namespace {

/// What setmaxnreg does, in Inst::imm.
struct Change {
  uint32_t count; ///< Registers of a thread.
  bool increases;

  explicit Change(const Inst *inst)
      : count(inst->imm >> 1), increases(inst->imm & 1) {}
  bool operator==(const Change &) const = default;
  std::string str() const {
    return std::string("setmaxnreg.") + (increases ? "inc " : "dec ") +
           utostr(count);
  }
};

class RegisterPool : public Extension, public WaitObject {
public:
  static constexpr ExtensionSlot slot = ExtensionSlot::RegisterPool;
  explicit RegisterPool(CTA &cta)
      : cta(cta), entry(cta.grid().kernel().registers),
        warps(cta.warps().size(), {entry, 0}),
        groups(llvm::divideCeil(warps.size(), warpsPerGroup)) {}

  std::string describe(const Fragment &waiter) const override;
  void lanesExited(Warp &warp, uint32_t) override;

  /// Enters the change in the history of the warp's group, unless the warp has
  /// done so before it waited. What is wrong with it, as text; empty if
  /// nothing is.
  std::string join(Warp &warp, const Inst *inst);
  /// Whether the pool has what the change needs; it is done then.
  bool change(Warp &warp, const Inst *inst);
  bool changesNothing(const Warp &warp, const Change &change) const {
    const WarpState &state = warps[warp.index()];
    return !state.waits && state.registers == change.count;
  }
  /// What is wrong with the direction of the change.
  std::string checkDirection(Warp &warp, const Change &change) const;

private:
  struct WarpState {
    uint32_t registers; ///< Of a thread.
    uint32_t changes;   ///< How many it has made, or waits for.
    bool waits = false;
  };
  /// The changes that a group has made so far.
  struct Group {
    llvm::SmallVector<const Inst *, 4> changes;
  };
  llvm::MutableArrayRef<WarpState> groupOf(const Warp &warp) {
    uint32_t first = warp.index() / warpsPerGroup * warpsPerGroup;
    return llvm::MutableArrayRef(warps).slice(
        first, std::min<size_t>(warpsPerGroup, warps.size() - first));
  }
  uint32_t needed(const Warp &warp, uint32_t count) const {
    return (count - warps[warp.index()].registers) * 32;
  }

  CTA &cta;
  uint32_t entry; ///< Registers of a thread at the entry; 0 if not fixed.
  uint32_t free = 0;
  std::vector<WarpState> warps;
  std::vector<Group> groups;
};

} // namespace

std::string RegisterPool::join(Warp &warp, const Inst *inst) {
  WarpState &state = warps[warp.index()];
  if (state.waits)
    return "";
  Group &group = groups[warp.index() / warpsPerGroup];
  auto line = [&](const Inst *change) {
    return "(line " + utostr(cta.grid().program().line(change)) + ")";
  };
  if (state.changes < group.changes.size()) {
    const Inst *first = group.changes[state.changes];
    if (!(Change(first) == Change(inst)))
      return "another warp of the warp group has executed " +
             Change(first).str() + " " + line(first) +
             " where this one executes " + Change(inst).str();
  } else {
    for (auto [index, other] : llvm::enumerate(groupOf(warp))) {
      uint32_t number = warp.index() / warpsPerGroup * warpsPerGroup + index;
      if (other.changes < state.changes)
        return "warp " + utostr(number) +
               " of the warp group hasn't executed the setmaxnreg before "
               "this one " +
               line(group.changes[other.changes]);
      if (cta.warps()[number]->live() == 0)
        return "warp " + utostr(number) +
               " of the warp group has exited "
               "without it; all four warps must execute it";
    }
    group.changes.push_back(inst);
  }
  ++state.changes;
  return "";
}

std::string RegisterPool::checkDirection(Warp &warp,
                                         const Change &change) const {
  uint32_t now = warps[warp.index()].registers;
  if (!entry || (change.increases ? now <= change.count : now >= change.count))
    return "";
  return "the warp has " + utostr(now) + " registers a thread; " +
         change.str() +
         (change.increases ? " would take some from it"
                           : " would give it more");
}

bool RegisterPool::change(Warp &warp, const Inst *inst) {
  WarpState &state = warps[warp.index()];
  Change change(inst);
  if (!entry) {
    state.registers = change.count;
    return true;
  }
  if (change.increases) {
    if (needed(warp, change.count) > free) {
      state.waits = true;
      return false;
    }
    free -= needed(warp, change.count);
  } else {
    free += (state.registers - change.count) * 32;
    wakeAll();
  }
  state.waits = false;
  state.registers = change.count;
  return true;
}

void RegisterPool::lanesExited(Warp &warp, uint32_t lanes) {
  const Group &group = groups[warp.index() / warpsPerGroup];
  uint32_t changes = warps[warp.index()].changes;
  if (warp.live() || changes == group.changes.size())
    return;
  const Inst *missed = group.changes[changes];
  cta.machine().fail(
      IssuePoint{&cta, missed, warp.index(), lanes}, ReportKind::Protocol,
      "warp " + Twine(warp.index()) + " has exited without the " +
          Change(missed).str() +
          " that others of its warp group have executed; all four warps must "
          "execute it");
}

std::string RegisterPool::describe(const Fragment &waiter) const {
  const Warp &warp = *waiter.warp;
  Change change(waiter.pc);
  uint32_t now = warps[warp.index()].registers;
  // What all warps would hold with what they wait for.
  uint64_t wanted = 0;
  for (auto [index, state] : llvm::enumerate(warps)) {
    uint64_t registers = state.registers;
    if (state.waits)
      registers =
          Change(groups[index / warpsPerGroup].changes[state.changes - 1])
              .count;
    wanted += registers * 32;
  }
  return change.str() + " needs (" + utostr(change.count) + " - " +
         utostr(now) + ") x 32 = " + utostr(needed(warp, change.count)) +
         " registers, and the CTA's pool has " + utostr(free) +
         "; what the warps hold and wait for is " + utostr(wanted) + " of " +
         utostr(entry) + " x " + utostr(warps.size() * 32) + " = " +
         utostr(uint64_t(entry) * warps.size() * 32);
}

static const Inst *setmaxnreg(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next = inst + 1;
  mask = warp.convergeAll(inst, mask, next);
  if (!mask)
    return next;
  CTA &cta = warp.cta();
  RegisterPool &pool = cta.extensions.get<RegisterPool>(cta);
  if (pool.changesNothing(warp, Change(inst)))
    return next;
  std::string problem = pool.checkDirection(warp, Change(inst));
  if (problem.empty())
    problem = pool.join(warp, inst);
  if (!problem.empty())
    return warp.fail(inst, mask, ReportKind::Protocol,
                     Change(inst).str() + ": " + problem);
  if (!pool.change(warp, inst))
    return warp.wait(inst, mask, pool, WaitMode::Retry);
  return next;
}

static bool decodeSetmaxnreg(Decoder &decoder, Inst &inst) {
  inst.fn = setmaxnreg;
  inst.imm = decoder.operand(0).integer() << 1 |
             (decoder.opcode() == Opcode::SetmaxnregInc);
  return true;
}

void drawloom::emu::registerRegisters(DecodeTable &table) {
  table.add(Opcode::SetmaxnregInc, decodeSetmaxnreg);
  table.add(Opcode::SetmaxnregDec, decodeSetmaxnreg);
}
