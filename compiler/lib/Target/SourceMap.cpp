//===- SourceMap.cpp - From a line of PTX to where it came from -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace drawloom::target;

/// True if `line` is the directive `name` with operands.
static bool isDirective(llvm::StringRef line, llvm::StringRef name) {
  line = line.ltrim();
  return line.consume_front(name) && !line.empty() &&
         llvm::isSpace(line.front());
}

std::string drawloom::target::blankLineDirectives(llvm::StringRef ptx) {
  std::string result;
  result.reserve(ptx.size());
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    if (!isDirective(line, ".loc") && !isDirective(line, ".file"))
      result += line;
    result += '\n';
    ptx = rest;
  }
  return result;
}

SourceMap::SourceMap(llvm::StringRef ptx) {
  ptx.split(lines, '\n');
  for (auto [index, line] : llvm::enumerate(lines))
    readLine(line.trim(), index + 1);
}

/// Takes a number and the space before it off the front of `text`.
static bool takeNumber(llvm::StringRef &text, unsigned &number) {
  text = text.ltrim();
  return !text.consumeInteger(10, number);
}

void SourceMap::readLine(llvm::StringRef line, unsigned number) {
  if (isDirective(line, ".loc")) {
    llvm::StringRef rest = line.drop_front(strlen(".loc"));
    Mark mark{number, 0, 0, 0};
    if (takeNumber(rest, mark.file) && takeNumber(rest, mark.line) &&
        takeNumber(rest, mark.column) && mark.line != 0)
      marks.push_back(mark);
    return;
  }
  if (isDirective(line, ".file")) {
    llvm::StringRef rest = line.drop_front(strlen(".file"));
    unsigned file = 0;
    if (takeNumber(rest, file))
      files[file] = rest.split('"').second.rsplit('"').first.str();
    return;
  }
  if (line.starts_with("{") && !functions.empty() &&
      functions.back().bodyLine == 0) {
    functions.back().bodyLine = number;
    return;
  }
  if (line.starts_with("//"))
    return;
  for (llvm::StringRef directive : {".entry", ".func"}) {
    size_t at = line.find(directive);
    if (at == llvm::StringRef::npos)
      continue;
    // A function's result, if it has one, stands in front of its name.
    llvm::StringRef name = line.drop_front(at + directive.size()).ltrim();
    if (name.starts_with("("))
      name = name.split(')').second.ltrim();
    functions.push_back(
        {name.take_until([](char c) { return c == '(' || llvm::isSpace(c); }),
         number, 0});
  }
}

const SourceMap::Function *SourceMap::enclosing(unsigned line) const {
  const Function *last = nullptr;
  for (const Function &function : functions)
    if (function.firstLine <= line)
      last = &function;
  return last;
}

llvm::StringRef SourceMap::functionAt(unsigned line) const {
  const Function *function = enclosing(line);
  return function ? function->name : "";
}

llvm::StringRef SourceMap::text(unsigned line) const {
  return line == 0 || line > lines.size() ? "" : lines[line - 1].trim();
}

std::optional<SourceMap::Place> SourceMap::lookup(unsigned line) const {
  const Function *function = enclosing(line);
  if (!function)
    return std::nullopt;
  const Mark *last = nullptr;
  for (const Mark &mark : marks)
    if (mark.ptxLine <= line && mark.ptxLine >= function->firstLine)
      last = &mark;
  if (!last)
    return std::nullopt;
  auto file = files.find(last->file);
  if (file == files.end())
    return std::nullopt;
  return Place{file->second, last->line, last->column};
}

/// Whether the directives of a kernel let ptxas know the register count that it
/// enters with (PTX ISA, setmaxnreg).
bool SourceMap::fixesRegisters(const Function &function) const {
  bool threads = false, ctas = false;
  for (unsigned line = function.firstLine; line < function.bodyLine; ++line) {
    llvm::StringRef directive = text(line);
    if (directive.starts_with(".maxnreg"))
      return true;
    threads |=
        directive.starts_with(".reqntid") || directive.starts_with(".maxntid");
    ctas |= directive.starts_with(".minnctapersm");
  }
  return threads && ctas;
}

unsigned SourceMap::find(llvm::StringRef text) const {
  for (auto [index, line] : llvm::enumerate(lines))
    if (line.contains(text))
      return index + 1;
  return 0;
}

std::vector<unsigned> SourceMap::linesOfUnfixedBudgets() const {
  std::vector<unsigned> found;
  for (const Function &function : functions) {
    if (fixesRegisters(function))
      continue;
    for (unsigned line = function.bodyLine;
         line <= lines.size() && enclosing(line) == &function; ++line)
      if (text(line).starts_with("setmaxnreg")) {
        found.push_back(line);
        break;
      }
  }
  return found;
}
