//===- PtxText.h - PTX in an editor --------------------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What an editor asks about a file of PTX: what is wrong in it, with its text
// or with its mbarriers, and which line of which source a line comes from, by
// the directives .loc and .file.

#ifndef DRAWLOOM_TOOLS_LSP_PTXTEXT_H
#define DRAWLOOM_TOOLS_LSP_PTXTEXT_H

#include "llvm/Support/JSON.h"
#include <optional>
#include <string>

namespace drawloom::lsp {

/// A place in a source; lines and columns from 1.
struct SourcePlace {
  std::string file;
  unsigned line = 0, column = 0;
};

/// The errors of a text, as the protocol's diagnostics; of a text without any,
/// what cannot fit together in its mbarriers.
llvm::json::Array diagnosePtx(llvm::StringRef text);

/// Where a line of PTX, from 0, comes from.
std::optional<SourcePlace> findSource(llvm::StringRef text, unsigned line);

} // namespace drawloom::lsp

#endif // DRAWLOOM_TOOLS_LSP_PTXTEXT_H
