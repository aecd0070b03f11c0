//===- Mutants.h - A kernel with one thing changed -------------- -*- C++
//-*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A mutant differs from its kernel in one instruction, or in the order of two:
//
//   drop     it is left out; a wait becomes one that was successful
//   double   it stands there twice
//   count    of arrivals, threads, or groups in flight: one more or less
//   bytes    16 more or less are expected
//   phase    a wait is for the other parity
//   mask     one lane or one CTA more or less
//   scope    .cluster becomes .cta
//   slot     the barrier is the one beside it; only if asked for
//   swap     it changes places with the next one
//
// And of all instructions that may decide where a warp goes, if everything is
// asked for:
//
//   guard    the opposite one, or none
//   target   a branch goes to another label
//   compare  lt for le, eq for ne and so on
//   number   one more or less, or twice as much
//   barrier  of the CTA: another one
//   lose     it is left out
//   repeat   it stands there twice
//
// The instructions are those that synchronize: arrivals, expectations, waits,
// commits, fences, barriers and groups.
//
// What is the same kernel by what PTX says isn't made: a wait or a fence that
// stands there twice asks the second time for what the first has given, a wider
// scope gives more than was asked for, and an instruction that touches
// registers only may change places with any that doesn't touch those.

#ifndef DRAWLOOM_INTEGRATION_MUTATE_MUTANTS_H
#define DRAWLOOM_INTEGRATION_MUTATE_MUTANTS_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace drawloom::mutate {

struct Mutant {
  unsigned line = 0; ///< From 1.
  std::string category;
  std::string opcode;
  /// What stands in its place; of a swap, in that of both lines.
  std::string statement;
  unsigned lines = 1;
  /// What is done to an operand, such as "add 1"; else empty.
  std::string edit = {};
  /// "line 12: phase xor 1: mbarrier.try_wait...": no other has this.
  std::string str() const;
  std::string apply(llvm::StringRef text) const;
};

enum class Draw { Synchronizing, Everything };

/// All of them, in the order of the lines.
std::vector<Mutant> makeMutants(llvm::StringRef text,
                                Draw draw = Draw::Synchronizing);

} // namespace drawloom::mutate

#endif // DRAWLOOM_INTEGRATION_MUTATE_MUTANTS_H
