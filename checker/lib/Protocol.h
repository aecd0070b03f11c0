//===- Protocol.h - How mbarriers are used ----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the ISA doesn't define, the machine goes on behind as the hardware does,
// and nothing races by: it is found here, instruction by instruction.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_PROTOCOL_H
#define DRAWLOOM_CHECKER_PROTOCOL_H

#include "Findings.h"
#include "llvm/ADT/DenseMap.h"

namespace drawloom::checker {

class Protocol {
public:
  /// `ctas`: the linear indices in the grid, by rank.
  Protocol(const emu::Kernel *kernel, llvm::ArrayRef<uint64_t> ctas,
           Findings &findings)
      : kernel(kernel), ctas(ctas), findings(findings) {}

  void mbarrier(const emu::MbarrierEvent &event);

private:
  Site siteOf(const emu::Origin &origin) const;
  /// Of something at `address` in shared memory.
  Finding findingAt(Rule rule, uint64_t address) const;

  const emu::Kernel *const kernel;
  const llvm::ArrayRef<uint64_t> ctas;
  Findings &findings;
  /// Who has initialised the mbarriers that are.
  llvm::DenseMap<uint64_t, emu::Origin> initialised;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_PROTOCOL_H
