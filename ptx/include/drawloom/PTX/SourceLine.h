//===- SourceLine.h - Where PTX comes from -------------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An instruction comes from a line of a source file, which stands in a function
// that another line calls, and so on: the line, the innermost call, its caller.

#ifndef DRAWLOOM_PTX_SOURCELINE_H
#define DRAWLOOM_PTX_SOURCELINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <string>
#include <vector>

namespace drawloom::ptx {

struct SourceLine {
  std::string file;
  uint32_t line = 0;

  bool operator==(const SourceLine &) const = default;
};

/// "copy.h:12 from gemm.cu:40", without the calls in between. Expects a line.
std::string spell(llvm::ArrayRef<SourceLine> source);

/// Adds "file", "line" and, of code that was inlined, "calls". Nothing, if
/// there is no line.
void addSource(llvm::json::Object &object, llvm::ArrayRef<SourceLine> source);

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_SOURCELINE_H
