//===- Parser.h - PTX text to the typed form --------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a PTX module and rejects what ptxas rejects: unknown modifiers, wrong
// operand kinds and types, features that the declared version and target don't
// have, names that are not declared. Each rejection is located:
//
//   k.ptx:12:16: error: '%f1' is declared as .f32; 'add.s32' takes .s32 here
//     add.s32 %r1, %r2, %f1;
//                       ^
//
// After an error the parser goes on behind the next ';', so one run reports
// several. A module that had an error is not returned.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_PARSER_H
#define DRAWLOOM_PTX_PARSER_H

#include "drawloom/PTX/Module.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>
#include <vector>

namespace drawloom::ptx {

struct ParseResult {
  /// Null if there were errors.
  std::unique_ptr<Module> module;
  /// In the order of the text; at most `maxErrors` of ParseOptions.
  std::vector<llvm::SMDiagnostic> diagnostics;

  explicit operator bool() const { return module != nullptr; }
  /// All diagnostics as text, with source line and caret.
  std::string str() const;
};

struct ParseOptions {
  unsigned maxErrors = 20;
};

/// Parses a module. The buffer must be followed by a NUL, as MemoryBuffers are;
/// it is not needed afterwards.
ParseResult parseModule(llvm::MemoryBufferRef buffer,
                        const ParseOptions &options = {});

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_PARSER_H
