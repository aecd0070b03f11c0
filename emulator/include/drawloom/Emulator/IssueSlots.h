//===- IssueSlots.h - What ptxas makes of each instruction ------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU issues SASS, not PTX. How many instructions of SASS each instruction of
// PTX has become is a table, which `drawloom slots` makes with ptxas;
// the clock counts by it. Here it is only read and written:
//
//   drawloom issue slots 1
//   module 5d41402abc4b2a76      of the module that the lines behind it are of
//   87: 0 1 1                    three instructions on line 87 of the PTX
//   90: 5+membar                 one of the five is a MEMBAR of the GPU
//
// A file may have tables of several modules. A module that it doesn't have is
// counted by its PTX.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_ISSUESLOTS_H
#define DRAWLOOM_EMULATOR_ISSUESLOTS_H

#include "drawloom/PTX/Module.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace drawloom::emu {

/// An instruction of PTX as ptxas assembles it.
struct IssueCount {
  uint16_t slots = 0; ///< Instructions of SASS.
  /// Whether a MEMBAR of the GPU or the system is one of them.
  bool hasMembar = false;

  static constexpr uint16_t most = 10000;
};

/// Of the instructions of each function of a module, by their numbers. Empty if
/// they weren't counted.
using IssueSlots =
    llvm::DenseMap<const ptx::Function *, std::vector<IssueCount>>;

/// What the text says about the module. An error if a line of it is wrong.
llvm::Expected<IssueSlots> parseIssueSlots(llvm::StringRef text,
                                           const ptx::Module &module);
/// The same of a file; the error names it.
llvm::Expected<IssueSlots> readIssueSlots(llvm::StringRef path,
                                          const ptx::Module &module);

/// What a file of tables begins with.
extern const llvm::StringLiteral issueSlotsHeader;
/// The table of one module, without the header.
std::string printIssueSlots(const IssueSlots &slots, const ptx::Module &module);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_ISSUESLOTS_H
