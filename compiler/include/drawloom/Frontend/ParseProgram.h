//===- ParseProgram.h - Parsing untrusted programs ------------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The one way in for programs in MLIR text, wherever they come from: a file, a
// caller of the C API, an editor. What would end the process further on is
// rejected here, with a message at its place:
//
//   text that would exhaust MLIR's parser         drawloom/Input/Scan.h
//   names of kernels that PTX has no way to spell
//
// Everything else that is wrong is said by parsers, verifiers and passes.

#ifndef DRAWLOOM_FRONTEND_PARSEPROGRAM_H
#define DRAWLOOM_FRONTEND_PARSEPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace drawloom::frontend {

/// The program in a text that messages call `name`. Null if it is rejected; the
/// diagnostics of the context say why.
mlir::OwningOpRef<mlir::ModuleOp> parseProgram(llvm::StringRef text,
                                               mlir::MLIRContext &context,
                                               llvm::StringRef name);

/// The same of the main file of `sources`.
mlir::OwningOpRef<mlir::ModuleOp> parseProgram(llvm::SourceMgr &sources,
                                               mlir::MLIRContext &context);

/// Rejects a text that would exhaust MLIR's parser, for those who have to call
/// that themselves.
mlir::LogicalResult checkText(llvm::StringRef text, mlir::MLIRContext &context,
                              llvm::StringRef name);

} // namespace drawloom::frontend

#endif // DRAWLOOM_FRONTEND_PARSEPROGRAM_H
