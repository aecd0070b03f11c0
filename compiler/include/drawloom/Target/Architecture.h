//===- Architecture.h - What each GPU architecture allows ----- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The facts about the architectures that Drawloom compiles for, as data. A pass
// that needs a limit reads it here; no limit of a machine is written anywhere
// else in the compiler, and no code asks for an architecture by its name.
//
// The invariant: every field has a source, named beside the table in
// Architecture.cpp or MmaForms.cpp, and what an assembler can confirm (the
// largest shared memory, barrier numbers, register budgets, which MMA forms
// exist) is confirmed by the unit tests against ptxas itself.

#ifndef DRAWLOOM_TARGET_ARCHITECTURE_H
#define DRAWLOOM_TARGET_ARCHITECTURE_H

#include "drawloom/Target/Version.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace drawloom::target {

/// Element types of matrix operands, accumulators and block scales, named as
/// in PTX.
enum class ElementType : uint8_t {
  F16,
  BF16,
  TF32,
  F32,
  E4M3,
  E5M2,
  E3M2,
  E2M3,
  E2M1,
  S8,
  U8,
  S32,
  B1,
  UE8M0,
  UE4M3,
};

/// The instruction that multiplies matrices asynchronously.
enum class MmaInstruction : uint8_t { Wgmma, Tcgen05 };

/// A set of architectures, one bit each.
using ArchitectureSet = uint8_t;

/// One row of the table of dense MMA forms: a set of types together with the
/// shapes that they allow. Sparse and weight-stationary forms are not listed,
/// because nothing in Drawloom emits them.
struct MmaForm {
  MmaInstruction instruction;
  /// `.kind::` of tcgen05; for wgmma, the type of the operands.
  llvm::StringLiteral kind;
  /// How many CTAs issue it together: 1 or 2.
  unsigned ctaGroup;
  /// What A and B may be. They may differ only where `mixedOperands` is set.
  llvm::ArrayRef<ElementType> operands;
  bool mixedOperands;
  llvm::ArrayRef<ElementType> accumulators;
  /// Types of the block scales; empty for a form without them.
  llvm::ArrayRef<ElementType> scales;
  llvm::ArrayRef<unsigned> m;
  /// Bit i stands for N = 8 * (i + 1).
  uint32_t nMask;
  unsigned k;
  /// The architectures that have it.
  ArchitectureSet architectures;

  /// True if a multiplication of this form may have the shape M x N x K.
  bool allows(unsigned mSize, unsigned nSize, unsigned kSize) const;
};

/// The memory of the 5th generation's tensor cores. All zero where there is
/// none.
struct TensorMemory {
  unsigned lanes;
  unsigned columns;
  /// An allocation is a power of two of columns, and at least this many.
  unsigned minAllocation;
};

/// What a tensor map may describe (tiled mode, no interleave).
struct TmaLimits {
  unsigned maxRank;
  /// Elements along one dimension of the box.
  unsigned maxBoxDim;
  /// The innermost extent of the box and all strides in bytes are multiples of
  /// this; the address of the tensor is aligned to it.
  unsigned granuleBytes;
  /// The tensor map itself: its size and alignment.
  unsigned mapBytes;
  unsigned mapAlign;
  /// Where a box may begin in shared memory.
  unsigned boxAlign;
};

/// The immediate of setmaxnreg.
struct RegisterBudgetRange {
  unsigned min;
  unsigned max;
  unsigned step;
};

/// What all architectures have in common so far, for callers that ask before a
/// program names one. The table of architectures is made of these.
constexpr TmaLimits tiledMaps = {
    /*maxRank=*/5,       /*maxBoxDim=*/256,
    /*granuleBytes=*/16, /*mapBytes=*/128,
    /*mapAlign=*/64,     /*boxAlign=*/128};
constexpr RegisterBudgetRange registerBudgets = {/*min=*/24, /*max=*/256,
                                                 /*step=*/8};
constexpr unsigned warpSize = 32, maxThreadsPerCta = 1024;
/// Warps that setmaxnreg speaks for, that issue wgmma together, and that reach
/// all lanes of tensor memory.
constexpr int64_t warpsPerGroup = 4;
/// Rows of a wgmma, and columns of its accumulator that four threads share.
constexpr int64_t wgmmaRows = 64, wgmmaColumns = 8;

/// One architecture. Sizes are bytes unless the name says otherwise.
struct Architecture {
  llvm::StringLiteral name;
  /// Its bit in an ArchitectureSet.
  ArchitectureSet bit;

  /// The first PTX ISA that knows the target, and the one that Drawloom emits:
  /// the first in which every instruction it uses on this target exists.
  Version firstPtx;
  Version ptx;

  unsigned warpSize;
  unsigned maxThreadsPerCta;
  unsigned maxWarpsPerSm;
  unsigned maxCtasPerSm;

  unsigned registersPerSm;
  unsigned maxRegistersPerThread;
  /// Registers are handed to a warp in units of this many.
  unsigned registerAllocationUnit;
  RegisterBudgetRange registerBudget;

  unsigned sharedMemoryPerSm;
  unsigned maxSharedMemoryPerCta;
  /// What the system keeps of an SM's shared memory for each resident CTA.
  unsigned reservedSharedMemoryPerCta;
  TensorMemory tensorMemory;

  /// Named barriers of a CTA, barrier 0 included.
  unsigned namedBarriers;

  /// CTAs of a cluster: what every device takes, and the most that a kernel may
  /// opt in to, which is no more than the former where nothing else is known.
  unsigned portableClusterSize;
  unsigned maxClusterSize;
  bool clusterLaunchControl;

  TmaLimits tma;
  MmaInstruction mma;

  /// The feature string that LLVM's NVPTX back end takes, such as `+ptx88`.
  std::string llvmFeatures() const;

  /// The dense MMA forms that exist here.
  llvm::SmallVector<const MmaForm *> mmaForms() const;
};

/// Every architecture that Drawloom compiles for, oldest first.
llvm::ArrayRef<Architecture> architectures();

/// The architecture called `name`, such as `sm_100a`. An unknown name is an
/// error that lists the known ones and suggests the nearest, or the one that a
/// device such as `b200` has.
llvm::Expected<const Architecture *> findArchitecture(llvm::StringRef name);

/// The names of the architectures, in one string for a sentence.
std::string listArchitectures();

/// The name of a type as PTX spells it, without the dot.
llvm::StringRef toString(ElementType type);

/// Every dense MMA form of every architecture.
llvm::ArrayRef<MmaForm> allMmaForms();

} // namespace drawloom::target

#endif // DRAWLOOM_TARGET_ARCHITECTURE_H
