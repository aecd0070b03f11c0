//===- TensorWork.h - What tcgen05 does to tensor memory --------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tcgen05.mma, tcgen05.cp or tcgen05.shift as a thread has issued it: its
// operands have been decoded and checked, and nothing else has happened.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TENSORWORK_H
#define DRAWLOOM_EMULATOR_TENSORWORK_H

#include "Arithmetic/MatrixUnit.h"
#include "Arithmetic/SharedMatrix.h"
#include "Machine/AsyncOp.h"
#include "TensorMemory/CopyFormat.h"
#include "TensorMemory/ScaleFactors.h"
#include "TensorMemory/TensorMemory.h"
#include "TensorMemory/ZeroColumns.h"
#include "llvm/ADT/STLExtras.h"

namespace drawloom::emu {

struct TensorWork {
  enum Kind : uint8_t { Multiply, Copy, Shift };

  IssuePoint issue;
  uint64_t number = 0; ///< In the order of issue, over all threads of the pair.
  Kind kind = Multiply;
  bool pair = false; ///< Each CTA of the pair does it, in its own memories.
  TensorRegion writes;
  /// Beside what it writes: A, the scale factors of A and B, and the metadata
  /// of a sparse A. Those that there aren't are empty.
  TensorRegion reads[4];
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

  const TensorRegion &metadata() const { return reads[3]; }
  bool readsAny(const TensorRegion &region) const {
    return llvm::any_of(
        reads, [&](const TensorRegion &read) { return read.overlaps(region); });
  }
  /// The lane of a row of A or D: all of them in order, or 16 of each 32.
  unsigned laneOf(unsigned row) const {
    return form.m == 64 && parts == 1 ? lane + row / 16 * 32 + row % 16 : row;
  }
};

/// The CTAs that do the work: the one that issued it, or the even and the odd
/// one of its pair. False if one of them has exited.
bool findCtas(Machine &machine, const TensorWork &work,
              llvm::SmallVectorImpl<CTA *> &ctas);

/// Tells the listener, which is there, what the work has read and written, and
/// that it is complete.
void tellWork(const TensorWork &work);

/// Does a tcgen05.cp, a tcgen05.shift.
void copy(Machine &machine, const TensorWork &work);
void shift(Machine &machine, const TensorWork &work);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_TENSORWORK_H
