//===- TensorCore.h - tcgen05's work of a pair of CTAs ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05.mma, tcgen05.cp and tcgen05.shift only write down what is to be done.
// The work is done some time after the tcgen05.commit that covers it: shared
// memory is read and tensor memory is written then and not before, so a kernel
// that doesn't wait for it sees what it would see on the machine.
//
// Each thread's work is done in the order of issue. Work of other threads that
// was issued earlier and touches the same columns is done first: threads that
// are synchronised may rely on that order.
//
// What is still to be done, or has been loaded or stored without a
// tcgen05.wait, is known here. An access that needs it to be done is a race
// under every schedule; it ends the launch.
//
// CTAs whose ranks differ in the last bit are a pair. They have one TensorCore,
// because one thread of either may have work done in the memories of both
// (cta_group::2): each CTA then multiplies its rows of A with all of B, of
// which it holds one half and its peer the other.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TENSORCORE_H
#define DRAWLOOM_EMULATOR_TENSORCORE_H

#include "Arithmetic/MatrixUnit.h"
#include "Arithmetic/SharedMatrix.h"
#include "Machine/AsyncOp.h"
#include "Machine/Grid.h"
#include "TensorMemory/CopyFormat.h"
#include "TensorMemory/PairMeeting.h"
#include "TensorMemory/ScaleFactors.h"
#include "TensorMemory/TensorMemory.h"
#include "TensorMemory/ZeroColumns.h"
#include <deque>

namespace drawloom::emu {

/// A tcgen05.mma, tcgen05.cp or tcgen05.shift that a thread has issued.
struct TensorWork {
  enum Kind : uint8_t { Multiply, Copy, Shift };

  IssuePoint issue;
  uint64_t number = 0; ///< In the order of issue, over all threads of the pair.
  Kind kind = Multiply;
  bool pair = false; ///< Each CTA of the pair does it, in its own memories.
  TensorRegion writes;
  /// Beside what it writes: A, and the scale factors of A and B. Those that
  /// there aren't are empty.
  TensorRegion reads[3];
  uint16_t lane = 0; ///< Where D, the copy or the shift starts.

  SharedMatrix a; ///< Of a copy: the source.
  SharedMatrix b;

  MmaForm form; ///< M is the number of rows in each CTA.
  /// The columns of D are split over so many groups of lanes, each of which
  /// has all rows.
  uint8_t parts = 1;
  bool aInTensorMemory = false;
  bool shiftsA = false;      ///< Row r of A is row r - 1 of what is there.
  bool keeps = false;        ///< D is added to.
  uint8_t scale = 0;         ///< D is divided by 2 to the power of this.
  uint32_t disabled[8] = {}; ///< Lanes of D that stay as they are; the odd
                             ///< CTA's are the last four words.
  BlockScales scales;
  ZeroColumns zeroColumns; ///< Of tcgen05.mma.ws.

  uint8_t copyRows = 0;
  uint8_t copyPieces = 0; ///< 16-byte pieces of each row.
  CopyFormat copyFormat = CopyFormat::AsIs;
  /// The warps whose lanes the n-th 32 rows go to, a bit for each.
  uint8_t copyTo[4] = {};

  /// The lane of a row of A or D: all of them in order, or 16 of each 32.
  unsigned laneOf(unsigned row) const {
    return form.m == 64 && parts == 1 ? lane + row / 16 * 32 + row % 16 : row;
  }
};

class TensorCore {
public:
  /// `first` is the even CTA's rank.
  TensorCore(Cluster &cluster, uint32_t first);

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
  void started(Warp &warp, bool isStore, const TensorRegion &region,
               const Inst *inst);
  void waited(Warp &warp, bool isStore);

  /// What a CTA has done about its allocations.
  struct Allocations {
    bool relinquished = false;
    uint32_t last = 0; ///< Columns; 0 before the first one.
  };
  Allocations &allocationsOf(CTA &cta) { return allocations[cta.rank() & 1]; }
  /// Where the two CTAs of a pair meet to allocate and free together.
  PairMeeting allocating, freeing, relinquishing;

private:
  friend class TensorWorkOp;
  struct Thread {
    CTA *cta;
    uint32_t warp, lanes;
    std::deque<TensorWork> work;
    AsyncQueue queue;
  };
  struct Unwaited {
    TensorRegion region;
    IssuePoint issue;
    bool isStore;
  };
  /// MMAs that add to the same accumulator.
  using Batch = llvm::SmallVector<const TensorWork *, 16>;

  Thread &threadOf(const IssuePoint &issue);
  llvm::SmallVectorImpl<Unwaited> &waitsOf(Warp &warp);
  /// "'tcgen05.mma.cta_group::1.kind::f16' of line 40 (warp 0)"
  std::string nameWork(const IssuePoint &issue) const;
  /// Does the thread's work up to and with that of `number`.
  void run(Machine &machine, Thread &thread, uint64_t number);
  /// Does work of other threads that must come before `work`.
  void runEarlier(Machine &machine, const Thread &thread,
                  const TensorWork &work);

  Cluster &cluster;
  uint32_t first;
  uint64_t nextNumber = 0;
  Allocations allocations[2];
  std::vector<std::unique_ptr<Thread>> threads;
  /// Of each warp of the even CTA, then of the odd one.
  std::vector<llvm::SmallVector<Unwaited, 4>> waits;
};

/// Does MMAs that add to the same accumulator.
void multiply(Machine &machine, llvm::ArrayRef<const TensorWork *> batch);
/// Does a tcgen05.cp, a tcgen05.shift.
void copy(Machine &machine, const TensorWork &work);
void shift(Machine &machine, const TensorWork &work);

/// The tensor cores of a cluster.
class TensorCores : public Extension {
public:
  static constexpr ExtensionSlot slot = ExtensionSlot::TensorCore;
  explicit TensorCores(Cluster &cluster);

  TensorCore &of(const CTA &cta) { return *pairs[cta.rank() / 2]; }

private:
  std::vector<std::unique_ptr<TensorCore>> pairs;
};

inline TensorCore &tensorCore(CTA &cta) {
  return cta.cluster().extensions.get<TensorCores>(cta.cluster()).of(cta);
}

/// The bit of a CTA in TensorRegion::ctas.
inline uint8_t bitOf(const CTA &cta) { return 1u << (cta.rank() & 1); }

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_TENSORCORE_H
