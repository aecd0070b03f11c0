//===- Explain.cpp - Plans as text and drawings ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Session/Explain.h"
#include "drawloom/PrintPlan/Print.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"

using namespace drawloom;
using namespace drawloom::plan;

std::optional<PlanForm> drawloom::findPlanForm(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<PlanForm>>(name)
      .Case("text", PlanForm::Text)
      .Case("json", PlanForm::Json)
      .Case("mermaid", PlanForm::Mermaid)
      .Case("sequence", PlanForm::Sequence)
      .Case("dot", PlanForm::Dot)
      .Case("svg", PlanForm::Svg)
      .Case("svg-sequence", PlanForm::SvgSequence)
      .Case("html", PlanForm::Html)
      .Default(std::nullopt);
}

bool drawloom::showsAll(PlanForm form) {
  return form == PlanForm::Text || form == PlanForm::Json ||
         form == PlanForm::Html;
}

std::string drawloom::explain(llvm::ArrayRef<Plan> plans, PlanForm form,
                              llvm::ArrayRef<StageText> stages) {
  std::string result;
  llvm::raw_string_ostream os(result);
  switch (form) {
  case PlanForm::Text:
    for (auto [index, plan] : llvm::enumerate(plans)) {
      os << (index ? "\n" : "");
      printText(plan, os);
    }
    break;
  case PlanForm::Json: {
    llvm::json::OStream json(os, /*IndentSize=*/2);
    json.object([&] {
      json.attributeArray("plans", [&] {
        for (const Plan &plan : plans)
          printJson(plan, json);
      });
    });
    os << '\n';
    break;
  }
  case PlanForm::Mermaid:
    printMermaidGraph(plans.front(), os);
    break;
  case PlanForm::Sequence:
    printMermaidSequence(plans.front(), os);
    break;
  case PlanForm::Dot:
    printDot(plans.front(), os);
    break;
  case PlanForm::Svg:
    printSvg(plans.front(), os);
    break;
  case PlanForm::SvgSequence:
    printSvgSequence(plans.front(), os);
    break;
  case PlanForm::Html:
    printPage(plans, stages, os);
    break;
  }
  return result;
}
