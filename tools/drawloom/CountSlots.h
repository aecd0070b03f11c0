//===- CountSlots.h - What ptxas makes of each instruction ---- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// ptxas says of each instruction of SASS from which line of the PTX it comes. A
// copy of the PTX with one instruction on a line is assembled, and the SASS of
// each line is counted. What is counted is what one execution of the PTX
// instruction issues:
//
// * ptxas may write a basic block several times, unrolled or peeled. As many
//   copies as most of the block's instructions have divide what is counted.
// * SASS of a loop's instruction that ptxas took out of the loop is executed
//   once, and doesn't count.

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_COUNTSLOTS_H
#define DRAWLOOM_TOOLS_DRAWLOOM_COUNTSLOTS_H

#include "drawloom/Emulator/IssueSlots.h"
#include "drawloom/Target/Version.h"

namespace drawloom {

struct CountedSlots {
  emu::IssueSlots slots;
  unsigned ptx = 0, sass = 0; ///< Instructions of the module.
  target::Version ptxas;
};

/// Counts with the ptxas and the nvdisasm that are found. `arch`: "sm_100a".
llvm::Expected<CountedSlots> countSlots(const ptx::Module &module,
                                        llvm::StringRef arch);

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_COUNTSLOTS_H
