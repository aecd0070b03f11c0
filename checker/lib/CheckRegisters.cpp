//===- CheckRegisters.cpp - Registers that ptxas does not divide ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckRegisters.h"
#include "Describe.h"
#include "llvm/Demangle/Demangle.h"

using namespace drawloom;
using namespace drawloom::checker;

static bool changesRegisters(ptx::Opcode opcode) {
  return opcode == ptx::Opcode::SetmaxnregInc ||
         opcode == ptx::Opcode::SetmaxnregDec;
}

void drawloom::checker::checkRegisters(const emu::Kernel &kernel,
                                       Findings &findings) {
  if (kernel.registers)
    return;
  for (uint32_t number = 0; number != kernel.instructionCount(); ++number) {
    const ptx::Instruction *parsed = kernel.parsed(number);
    if (!parsed || !changesRegisters(parsed->opcode()) ||
        !findings.isFirst(Rule::RegistersIgnored, &kernel, 0, 0))
      continue;
    Finding finding;
    finding.rule = Rule::RegistersIgnored;
    finding.space = Finding::Registers;
    finding.kernel = llvm::demangle(kernel.function->name);
    Access access;
    access.kernel = &kernel;
    access.instruction = number;
    finding.first = describeSite(access, -1);
    finding.firstInstruction = finding.secondInstruction = number;
    finding.why =
        "the kernel says neither .maxnreg nor .maxntid with .minnctapersm, so "
        "ptxas doesn't know how many registers a thread starts with (C7508)";
    finding.advice = ".maxnreg in the kernel's header";
    findings.add(std::move(finding));
    return;
  }
}
