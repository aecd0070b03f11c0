//===- Serve.h - An editor's server --------------------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The Language Server Protocol over standard input and output, to the end of
// the conversation. Two processes share the work: see Server.h.

#ifndef DRAWLOOM_TOOLS_LSP_SERVE_H
#define DRAWLOOM_TOOLS_LSP_SERVE_H

#include "llvm/ADT/StringRef.h"

namespace drawloom::lsp {

struct ServeOptions {
  /// What MLIR's server says on standard error: error, info or verbose.
  llvm::StringRef log = "info";
  bool isPretty = false;
  /// Messages are separated by lines with '// -----', for tests.
  bool isDelimited = false;
};

/// False if the conversation didn't end as the protocol wants, after words on
/// standard error.
bool serve(const ServeOptions &options);

} // namespace drawloom::lsp

#endif // DRAWLOOM_TOOLS_LSP_SERVE_H
