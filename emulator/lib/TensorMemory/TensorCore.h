//===- TensorCore.h - tcgen05's work of a CTA -------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05.mma and tcgen05.cp only write down what is to be done. The work is
// done some time after the tcgen05.commit that covers it: shared memory is read
// and tensor memory is written then and not before, so a kernel that doesn't
// wait for it sees what it would see on the machine.
//
// Each thread's work is done in the order of issue. Work of other threads that
// was issued earlier and touches the same columns is done first: threads that
// are synchronised may rely on that order.
//
// What is still to be done, or has been loaded or stored without a
// tcgen05.wait, is known here. An access that needs it to be done is a race
// under every schedule; it ends the launch.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TENSORCORE_H
#define DRAWLOOM_EMULATOR_TENSORCORE_H

#include "Arithmetic/MatrixUnit.h"
#include "Arithmetic/SharedMatrix.h"
#include "Machine/AsyncOp.h"
#include "Machine/Grid.h"
#include "TensorMemory/TensorMemory.h"
#include <deque>

namespace drawloom::emu {

/// A tcgen05.mma or tcgen05.cp that a thread has issued.
struct TensorWork {
  enum Kind : uint8_t { Multiply, Copy };

  IssuePoint issue;
  uint64_t number = 0; ///< In the order of issue, over all threads of the CTA.
  Kind kind = Multiply;
  TensorRegion writes;
  TensorRegion reads; ///< Beside what it writes: A. Empty if there is none.
  uint16_t lane = 0;  ///< Where D or the copy starts.

  SharedMatrix a; ///< Of a copy: the source.
  SharedMatrix b;

  MmaForm form;
  bool aInTensorMemory = false;
  bool keeps = false;        ///< D is added to.
  uint8_t scale = 0;         ///< D is divided by 2 to the power of this.
  uint32_t disabled[4] = {}; ///< Lanes of D that stay as they are.

  uint8_t copyRows = 0;
  uint8_t copyPieces = 0; ///< 16-byte pieces of each row.
  /// The warps whose lanes the n-th 32 rows go to, a bit for each.
  uint8_t copyTo[4] = {};

  /// The lane of a row of A or D: all of them in order, or 16 of each 32.
  unsigned laneOf(unsigned row) const {
    return form.m == 64 ? lane + row / 16 * 32 + row % 16 : row;
  }
};

class TensorCore : public Extension {
public:
  static constexpr ExtensionSlot slot = ExtensionSlot::TensorCore;
  explicit TensorCore(CTA &cta) : cta(cta), waits(cta.warps().size()) {}

  /// Writes down work of one thread (issue.lanes has one lane).
  void issue(TensorWork work);
  /// Has all work of the thread done, and then arrives at the mbarrier at
  /// `address` in each CTA of `ranks`, which are those of the cluster, or in
  /// the one that it is in if there are none.
  void commit(const IssuePoint &issue, uint64_t address,
              std::optional<uint16_t> ranks);

  enum class Access : uint8_t { Load, Store, Async, Free };
  /// What is wrong with touching `region` now, in words; empty if nothing is.
  /// `writes`: not only read.
  std::string checkOrder(const TensorRegion &region, Access access,
                         bool writes) const;
  /// A load or store of a warp that a tcgen05.wait has to follow.
  void started(const Warp &warp, bool isStore, const TensorRegion &region,
               const Inst *inst);
  void waited(const Warp &warp, bool isStore);

  bool relinquished = false;
  uint32_t lastAllocation = 0; ///< Columns; 0 before the first one.

private:
  friend class TensorWorkOp;
  struct Thread {
    uint32_t warp, lanes;
    std::deque<TensorWork> work;
    AsyncQueue queue;
  };
  struct Unwaited {
    TensorRegion region;
    const Inst *inst;
    bool isStore;
  };
  /// MMAs that add to the same accumulator.
  using Batch = llvm::SmallVector<const TensorWork *, 16>;

  Thread &threadOf(const IssuePoint &issue);
  /// Does the thread's work up to and with that of `number`.
  void run(Machine &machine, Thread &thread, uint64_t number);
  /// Does work of other threads that must come before `work`.
  void runEarlier(Machine &machine, const Thread &thread,
                  const TensorWork &work);
  void multiply(Machine &machine, const Batch &batch);
  void copy(Machine &machine, const TensorWork &work);

  CTA &cta;
  uint64_t nextNumber = 0;
  std::vector<std::unique_ptr<Thread>> threads;
  std::vector<llvm::SmallVector<Unwaited, 4>> waits; ///< Of each warp.
};

inline TensorCore &tensorCore(CTA &cta) {
  return cta.extensions.get<TensorCore>(cta);
}

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_TENSORCORE_H
