//===- Sass.h - What ptxas makes of PTX, instruction by instruction -------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX is assembled with line information, and nvdisasm prints the SASS with the
// line of the PTX that each instruction comes from. The line information
// changes no instruction. nvdisasm is looked for next to the ptxas that is
// used, then where ptxas itself is looked for (Ptxas.h).

#ifndef DRAWLOOM_TARGET_SASS_H
#define DRAWLOOM_TARGET_SASS_H

#include "drawloom/Target/Ptxas.h"
#include "llvm/ADT/StringMap.h"

namespace drawloom::target {

/// As nvdisasm prints it: "@P0 BRA `(.L_x_9)".
struct SassInstruction {
  std::string text;
  unsigned line = 0; ///< Of the PTX; 0 if it comes from none.

  /// "BRA", and what modifies it.
  llvm::StringRef opcode() const;
  /// Whether it has a guard.
  bool isGuarded() const { return text.front() == '@'; }
  /// The label that it names: ".L_x_9"; empty if there is none.
  llvm::StringRef label() const;
};

/// The code of a section: an entry, with the functions that ptxas put there.
struct SassSection {
  std::string name;
  std::vector<SassInstruction> code;
  /// The number of the instruction that follows each label.
  llvm::StringMap<unsigned> labels;
};

/// Reads what `nvdisasm -c -gp` prints.
std::vector<SassSection> parseSass(llvm::StringRef listing);

/// The nvdisasm to use with this ptxas.
llvm::Expected<std::string> findNvdisasm(const ToolSearch &search,
                                         const Ptxas &ptxas);

/// Assembles `ptx` and disassembles the cubin.
llvm::Expected<std::vector<SassSection>> disassemble(llvm::StringRef ptx,
                                                     const Architecture &arch,
                                                     const Ptxas &ptxas,
                                                     llvm::StringRef nvdisasm);

} // namespace drawloom::target

#endif // DRAWLOOM_TARGET_SASS_H
