//===- PtxText.cpp - PTX in an editor -------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxText.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace drawloom;
using namespace drawloom::lsp;
using llvm::StringRef;
using llvm::json::Object;

llvm::json::Array lsp::diagnosePtx(StringRef text) {
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      llvm::MemoryBuffer::getMemBufferCopy(text, "text");
  ptx::ParseResult parsed = ptx::parseModule(*buffer);
  llvm::json::Array diagnostics;
  for (const llvm::SMDiagnostic &fault : parsed.diagnostics) {
    int64_t line = fault.getLineNo() - 1, column = fault.getColumnNo();
    diagnostics.push_back(Object{
        {"range",
         Object{{"start", Object{{"line", line}, {"character", column}}},
                {"end", Object{{"line", line}, {"character", column + 1}}}}},
        {"severity", 1},
        {"source", "drawloom"},
        {"message", fault.getMessage().str()}});
  }
  return diagnostics;
}

/// The numbers of ".loc FILE LINE COLUMN".
static std::optional<std::array<unsigned, 3>> readLoc(StringRef line) {
  line = line.trim();
  if (!line.consume_front(".loc"))
    return std::nullopt;
  std::array<unsigned, 3> numbers;
  for (unsigned &number : numbers) {
    line = line.ltrim();
    if (line.consumeInteger(10, number))
      return std::nullopt;
  }
  return numbers;
}

/// The name of ".file NUMBER "NAME"".
static std::string findFile(llvm::ArrayRef<StringRef> lines, unsigned wanted) {
  for (StringRef line : lines) {
    line = line.trim();
    unsigned number = 0;
    if (line.consume_front(".file") && !line.ltrim().empty()) {
      line = line.ltrim();
      if (!line.consumeInteger(10, number) && number == wanted)
        return line.split('"').second.split('"').first.str();
    }
  }
  return "";
}

std::optional<SourcePlace> lsp::findSource(StringRef text, unsigned line) {
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  if (line >= lines.size())
    return std::nullopt;
  for (unsigned i = line + 1; i-- > 0;) {
    // A function's lines end where it does.
    if (i < line && lines[i].starts_with("}"))
      return std::nullopt;
    std::optional<std::array<unsigned, 3>> loc = readLoc(lines[i]);
    // Line 0 is code that is from nowhere.
    if (!loc || (*loc)[1] == 0)
      continue;
    std::string file = findFile(lines, (*loc)[0]);
    if (file.empty())
      return std::nullopt;
    return SourcePlace{file, (*loc)[1], (*loc)[2]};
  }
  return std::nullopt;
}
