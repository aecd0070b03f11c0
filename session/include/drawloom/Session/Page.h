//===- Page.h - Plans and stages as a page ----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One file of HTML that needs nothing else: no network, no font, no program but
// a browser. It has the drawings of each plan, its tables and reasons, and the
// program after the stages of the compiler, two of them beside each other.

#ifndef DRAWLOOM_SESSION_PAGE_H
#define DRAWLOOM_SESSION_PAGE_H

#include "drawloom/Analysis/Plan/Plan.h"
#include "drawloom/Session/Compile.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace drawloom {

/// A program after a stage: "agent", "kernels with roles and pipes".
struct StageText {
  std::string name;
  std::string what;
  std::string text;
};

/// The program itself, and what it is after each stage up to PTX. Ends before
/// the first stage that rejects it, which then says so instead.
std::vector<StageText> listStages(mlir::ModuleOp module, llvm::StringRef text,
                                  CompileOptions options);

/// `time`: HTML about a timed run, which comes first.
void printPage(llvm::ArrayRef<plan::Plan> plans,
               llvm::ArrayRef<StageText> stages, llvm::raw_ostream &os,
               llvm::StringRef time = {});

} // namespace drawloom

#endif // DRAWLOOM_SESSION_PAGE_H
