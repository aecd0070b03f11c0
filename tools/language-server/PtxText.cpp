//===- PtxText.cpp - PTX in an editor -------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxText.h"
#include "drawloom/PTX/Parser.h"
#include "drawloom/Protocol/Claims.h"
#include "drawloom/Protocol/Graph.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace drawloom;
using namespace drawloom::lsp;
using llvm::StringRef;
using llvm::json::Object;

static llvm::json::Value makeDiagnostic(int64_t line, int64_t from, int64_t to,
                                        std::string words) {
  return Object{
      {"range", Object{{"start", Object{{"line", line}, {"character", from}}},
                       {"end", Object{{"line", line}, {"character", to}}}}},
      {"severity", 1},
      {"source", "drawloom"},
      {"message", std::move(words)}};
}

/// What `drawloom check` finds in kernels that say how many threads they have.
/// Who types waits for no warp of many states.
static void checkBarriers(const ptx::Module &module, StringRef text,
                          llvm::json::Array &diagnostics) {
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (const ptx::Function *function : module.functions) {
    // Kernels of the device library have a proof instead: 'drawloom check'.
    if (!function->isEntry || !function->hasBody ||
        protocol::findGraph(*function, text))
      continue;
    protocol::ExtractOptions options;
    options.stateLimit = 5000;
    llvm::Expected<protocol::Claims> claims =
        protocol::extract(*function, options);
    if (!claims) {
      llvm::consumeError(claims.takeError());
      continue;
    }
    for (const protocol::Misfit &misfit : protocol::fit(*claims)) {
      if (misfit.line == 0 || misfit.line > lines.size())
        continue;
      StringRef line = lines[misfit.line - 1];
      diagnostics.push_back(makeDiagnostic(
          misfit.line - 1, line.size() - line.ltrim().size(),
          line.rtrim().size(),
          misfit.title + " [" + misfit.rule + "]\nwhy: " + misfit.why +
              "\nchange: " + misfit.advice));
    }
  }
}

llvm::json::Array lsp::diagnosePtx(StringRef text) {
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      llvm::MemoryBuffer::getMemBufferCopy(text, "text");
  ptx::ParseResult parsed = ptx::parseModule(*buffer);
  llvm::json::Array diagnostics;
  for (const llvm::SMDiagnostic &error : parsed.diagnostics)
    diagnostics.push_back(
        makeDiagnostic(error.getLineNo() - 1, error.getColumnNo(),
                       error.getColumnNo() + 1, error.getMessage().str()));
  if (parsed)
    checkBarriers(*parsed.module, text, diagnostics);
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
