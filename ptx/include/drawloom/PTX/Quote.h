//===- Quote.h - A diagnostic with the line that it is about ----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Diagnostics quote a line of the input. A generated file may be one line of
// megabytes, and a file that is no text has bytes that a terminal obeys: so of
// a long line 200 columns around the place are quoted, and what is no sign is a
// question mark.

#ifndef DRAWLOOM_PTX_QUOTE_H
#define DRAWLOOM_PTX_QUOTE_H

#include "llvm/Support/SourceMgr.h"

namespace drawloom::ptx {

/// Prints a diagnostic, its line and a caret below it; in colors if `os` has
/// them.
void printDiagnostic(const llvm::SMDiagnostic &diagnostic,
                     llvm::raw_ostream &os);

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_QUOTE_H
