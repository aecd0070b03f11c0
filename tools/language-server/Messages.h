//===- Messages.h - JSON between an editor and a server ------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The frames of the Language Server Protocol: a header with the length, then
// JSON. For tests, messages may be separated by lines with '// -----' instead.

#ifndef DRAWLOOM_TOOLS_LSP_MESSAGES_H
#define DRAWLOOM_TOOLS_LSP_MESSAGES_H

#include "llvm/Support/JSON.h"
#include <cstdio>
#include <mutex>
#include <optional>

namespace drawloom::lsp {

/// Reads messages from one side and writes messages to it. Any thread may
/// write.
class Peer {
public:
  Peer(std::FILE *in, std::FILE *out, bool isDelimited, bool isPretty)
      : in(in), out(out), isDelimited(isDelimited), isPretty(isPretty) {}

  /// The next message; nothing at the end. What is no JSON object is left out.
  std::optional<llvm::json::Object> read();
  void write(const llvm::json::Value &message);

private:
  std::optional<std::string> readFrame();

  std::FILE *in, *out;
  bool isDelimited, isPretty;
  std::mutex writing;
};

} // namespace drawloom::lsp

#endif // DRAWLOOM_TOOLS_LSP_MESSAGES_H
