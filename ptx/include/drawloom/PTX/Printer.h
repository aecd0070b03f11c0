//===- Printer.h - The typed form to PTX text -------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints a module so that parsing the text gives the same typed form: modifiers
// in the order of the instruction table, floating-point literals as bits,
// integers in decimal. Comments of the source are gone.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_PRINTER_H
#define DRAWLOOM_PTX_PRINTER_H

#include "drawloom/PTX/Module.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace drawloom::ptx {

void print(const Module &module, llvm::raw_ostream &os);
/// One instruction, without indentation or newline, as it stands in `function`.
void print(const Instruction &instruction, const Function &function,
           llvm::raw_ostream &os);

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_PRINTER_H
