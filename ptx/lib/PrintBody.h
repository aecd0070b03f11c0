//===- PrintBody.h - The printer's parts ------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Printer.cpp (the module's level) and PrintBody.cpp (functions) share.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_LIB_PRINTBODY_H
#define DRAWLOOM_PTX_LIB_PRINTBODY_H

#include "drawloom/PTX/Module.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace drawloom::ptx {

/// `.shared .align 16 .b8 buffer[1024]`, without ';'.
void printVariable(const Variable &variable, llvm::raw_ostream &os);
/// The list in parentheses.
void printParameters(llvm::ArrayRef<Parameter> parameters,
                     llvm::raw_ostream &os);
/// The directives, each with `before` in front.
void printDirectives(llvm::ArrayRef<Directive> directives,
                     llvm::StringRef before, llvm::raw_ostream &os);
/// `.pragma "a", "b";`
void printPragma(llvm::ArrayRef<llvm::StringRef> strings,
                 llvm::raw_ostream &os);
/// The body in braces.
void printBody(const Function &function, llvm::raw_ostream &os);

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_LIB_PRINTBODY_H
