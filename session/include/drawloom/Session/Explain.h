//===- Explain.h - Plans as text and drawings -------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The forms in which a plan is shown, by name: what `drawloom explain` prints,
// and what the C API gives.

#ifndef DRAWLOOM_SESSION_EXPLAIN_H
#define DRAWLOOM_SESSION_EXPLAIN_H

#include "drawloom/Analysis/Plan/Plan.h"
#include "drawloom/Session/Page.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace drawloom {

enum class PlanForm {
  Text,        ///< Tables, bars and reasons.
  Json,        ///< Everything, for programs.
  Mermaid,     ///< Roles and pipes, in the language of Mermaid.
  Sequence,    ///< The first work tiles, barrier by barrier, in the same.
  Dot,         ///< Roles and pipes, in the language of Graphviz.
  Svg,         ///< That graph, drawn.
  SvgSequence, ///< The first work tiles, drawn.
  Html,        ///< A page with all of it.
};

/// The form of that name: "text", "json", "mermaid", ...
std::optional<PlanForm> findPlanForm(llvm::StringRef name);

/// Text, JSON and HTML show all of the plans, the others the first.
bool showsAll(PlanForm form);

/// `stages`: for a page, those of the program.
std::string explain(llvm::ArrayRef<plan::Plan> plans, PlanForm form,
                    llvm::ArrayRef<StageText> stages = {});

} // namespace drawloom

#endif // DRAWLOOM_SESSION_EXPLAIN_H
