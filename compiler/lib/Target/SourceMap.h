//===- SourceMap.h - From a line of PTX to where it came from - -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The back end writes a `.loc` line before the instructions of an operation.
// This reads them, so that what ptxas says about a line of PTX can be said
// about the operation.
//
// The invariant: an answer comes from a `.loc` of the same function, and never
// from one that stands for no source line.

#ifndef DRAWLOOM_LIB_TARGET_SOURCEMAP_H
#define DRAWLOOM_LIB_TARGET_SOURCEMAP_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace drawloom::target {

/// `ptx` with its `.loc` and `.file` lines made empty, so that every other line
/// keeps its number. ptxas would copy them, and the whole text, into the cubin,
/// which then would change with the lines of the source.
std::string blankLineDirectives(llvm::StringRef ptx);

class SourceMap {
public:
  struct Place {
    std::string file;
    unsigned line;
    unsigned column;
  };

  /// Keeps references into `ptx`.
  explicit SourceMap(llvm::StringRef ptx);

  /// Where the instruction on a line of PTX (from 1) came from.
  std::optional<Place> lookup(unsigned line) const;

  /// The name of the function that a line belongs to; empty outside all.
  llvm::StringRef functionAt(unsigned line) const;

  /// The text of a line, without the space around it.
  llvm::StringRef text(unsigned line) const;

  /// The first line that has this text in it; 0 if none has.
  unsigned find(llvm::StringRef text) const;

  /// For every kernel that changes its register budget although its register
  /// count at entry is not fixed, the line of the first setmaxnreg.
  std::vector<unsigned> linesOfUnfixedBudgets() const;

private:
  struct Function {
    llvm::StringRef name;
    unsigned firstLine;
    unsigned bodyLine;
  };
  struct Mark {
    unsigned ptxLine;
    unsigned file;
    unsigned line;
    unsigned column;
  };

  void readLine(llvm::StringRef line, unsigned number);
  const Function *enclosing(unsigned line) const;
  bool fixesRegisters(const Function &function) const;

  llvm::SmallVector<llvm::StringRef, 0> lines;
  std::vector<Mark> marks;
  std::vector<Function> functions;
  llvm::DenseMap<unsigned, std::string> files;
};

} // namespace drawloom::target

#endif // DRAWLOOM_LIB_TARGET_SOURCEMAP_H
