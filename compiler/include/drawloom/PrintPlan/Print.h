//===- Print.h - A plan for people and for tools -------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The forms of a plan. All of them are made from the same structure and say the
// same; docs/Plan.md describes them.

#ifndef DRAWLOOM_PRINTPLAN_PRINT_H
#define DRAWLOOM_PRINTPLAN_PRINT_H

#include "drawloom/Analysis/Plan/Plan.h"

namespace llvm {
class raw_ostream;
namespace json {
class OStream;
} // namespace json
} // namespace llvm

namespace drawloom::plan {

/// Two lines: how many roles, pipes and threads, and the verdict on progress.
void printSummary(const Plan &plan, llvm::raw_ostream &os);

/// Tables and bars, no line wider than 100 columns.
void printText(const Plan &plan, llvm::raw_ostream &os);

/// One object; docs/Plan.md has the schema.
void printJson(const Plan &plan, llvm::json::OStream &json);

/// The graph of roles and pipes, for Mermaid and for Graphviz.
void printMermaidGraph(const Plan &plan, llvm::raw_ostream &os);
void printDot(const Plan &plan, llvm::raw_ostream &os);

/// That graph as a drawing in SVG, with warps, budgets and a legend. It needs
/// no font of its own.
void printSvg(const Plan &plan, llvm::raw_ostream &os);

/// The first work tiles, barrier by barrier: as a sequence diagram for Mermaid,
/// and as a drawing in SVG.
void printMermaidSequence(const Plan &plan, llvm::raw_ostream &os);
void printSvgSequence(const Plan &plan, llvm::raw_ostream &os);

/// The tables and reasons of a plan, in HTML: a part of a page.
void printHtmlTables(const Plan &plan, llvm::raw_ostream &os);

/// What a kernel, a role, a pipe or a tensor of that name is, in Markdown: of a
/// pipe its slots and barriers, and of all the reasons. Empty if nothing is
/// called so.
std::string describeName(const Plan &plan, llvm::StringRef name);

/// Text between the tags of HTML and SVG.
std::string escapeForXml(llvm::StringRef text);

} // namespace drawloom::plan

#endif // DRAWLOOM_PRINTPLAN_PRINT_H
