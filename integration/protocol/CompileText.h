//===- CompileText.h - A program by the name of its GPU ---------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The compiler, as tools call it that look at what it made.

#ifndef DRAWLOOM_INTEGRATION_PROTOCOL_COMPILETEXT_H
#define DRAWLOOM_INTEGRATION_PROTOCOL_COMPILETEXT_H

#include "drawloom/Session/Compile.h"

namespace drawloom::protocol {

/// Compiles a program to PTX for `arch` or, if that is empty, for what its
/// kernels name. An error if it has no kernel with a plan.
llvm::Expected<CompiledModule> compileText(llvm::StringRef program,
                                           llvm::StringRef name,
                                           llvm::StringRef arch);

/// The same with a file.
llvm::Expected<CompiledModule> compileFile(llvm::StringRef path,
                                           llvm::StringRef arch);

} // namespace drawloom::protocol

#endif // DRAWLOOM_INTEGRATION_PROTOCOL_COMPILETEXT_H
