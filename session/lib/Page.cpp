//===- Page.cpp - Plans and stages as a page ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Session/Page.h"
#include "drawloom/PrintPlan/Print.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using namespace drawloom::plan;

static constexpr llvm::StringLiteral style = R"(
:root { color-scheme: light dark; --ink: #0f172a; --faint: #64748b; --line: #e2e8f0;
        --paper: #ffffff; --head: #f8fafc; --rule: #6d28d9; --good: #15803d; --bad: #b91c1c;
        --works: #2563eb; --waits: #cbd5e1; --moves: #0d9488; --mma: #d97706; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e2e8f0; --faint: #94a3b8; --line: #334155;
          --paper: #0f172a; --head: #1e293b; --rule: #c4b5fd; --good: #4ade80; --bad: #f87171;
          --works: #60a5fa; --waits: #475569; --moves: #2dd4bf; --mma: #fbbf24; }
}
body { margin: 0 auto; max-width: 1500px; padding: 1.5rem 2rem 4rem;
       font: 15px/1.5 system-ui, sans-serif; color: var(--ink);
       background: var(--paper); }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; padding-bottom: .3rem;
     border-bottom: 1px solid var(--line); }
p.lead { color: var(--faint); margin: 0 0 1rem; }
.verdict { font-weight: 600; }
.verdict.proved { color: var(--good); }
.verdict.open { color: var(--bad); }
.picture { overflow: auto; border: 1px solid var(--line); border-radius: 8px; }
.picture svg { display: block; }
/* Drawings of a plan have colors of their own, on white. */
.picture svg:not(.timed) { background: #ffffff; }
.picture + .picture { margin-top: .6rem; }
svg.timed { width: 100%; min-width: 900px; font: 12px system-ui, sans-serif; fill: var(--ink); }
svg.timed .axis { fill: var(--faint); }
svg.timed .grid { stroke: var(--line); }
.works { fill: var(--works); background: var(--works); }
.waits { fill: var(--waits); background: var(--waits); }
.moves { fill: var(--moves); background: var(--moves); opacity: .55; }
.multiplies { fill: var(--mma); background: var(--mma); opacity: .7; }
.key { display: inline-block; width: .9rem; height: .7rem; margin: 0 .2rem 0 .8rem; }
svg.timed .roof { fill: none; stroke: var(--works); stroke-width: 2.5; }
svg.timed .below { stroke: var(--faint); stroke-dasharray: 4 4; }
svg.timed .point { fill: var(--mma); stroke: var(--ink); }
pre.time { font: 13px/1.45 monospace; overflow: auto; }
.sequence { max-height: 36rem; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; padding: .25rem 1.2rem .25rem .5rem; vertical-align: top;
         border-bottom: 1px solid var(--line); }
th { background: var(--head); }
dt { font-weight: 600; margin-top: .7rem; font-family: monospace; }
dd { margin: .1rem 0 .1rem 1.5rem; max-width: 95ch; }
dd b { font-family: monospace; font-weight: normal; color: var(--rule); margin-right: .4rem; }
.stages { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.stages > div { min-width: 0; }
.stages select { font: inherit; width: 100%; padding: .3rem; margin-bottom: .5rem; }
.stages pre { margin: 0; height: 46rem; overflow: auto; border: 1px solid var(--line);
              border-radius: 8px; padding: .8rem; font: 12px/1.45 monospace;
              background: var(--head); }
@media (max-width: 900px) { .stages { grid-template-columns: 1fr; } }
)";

/// Two panes choose among the stages. Without scripts, the first two are shown.
static constexpr llvm::StringLiteral script = R"(
for (const pane of document.querySelectorAll(".stages > div")) {
  const select = pane.querySelector("select"), texts = pane.querySelectorAll("pre");
  const show = () => texts.forEach((text, i) => text.hidden = i != select.selectedIndex);
  select.addEventListener("change", show);
  show();
}
)";

/// Without places, which a program of a builder has at every operation.
static std::string showProgram(mlir::ModuleOp module, llvm::StringRef text) {
  if (!text.contains(" loc("))
    return text.str();
  std::string shown;
  llvm::raw_string_ostream os(shown);
  module.print(os);
  return shown;
}

std::vector<StageText> drawloom::listStages(mlir::ModuleOp module,
                                            llvm::StringRef text,
                                            CompileOptions options) {
  std::vector<StageText> stages = {
      {"program", "as it was given", showProgram(module, text)}};
  static constexpr std::pair<Stage, llvm::StringLiteral> wanted[] = {
      {Stage::Tile, "kernels over tiles"},
      {Stage::Agent, "kernels with roles and pipes"},
      {Stage::Plan, "the same, proved and placed"},
      {Stage::NVVM, "functions of nvvm and llvm"},
      {Stage::PTX, "what the GPU's assembler gets"}};
  for (auto [stage, what] : wanted) {
    options.stopAfter = stage;
    llvm::Expected<CompiledModule> made = compile(module, options);
    if (!made) {
      stages.push_back({drawloom::toString(stage).str(), "rejected",
                        llvm::toString(made.takeError())});
      break;
    }
    stages.push_back({drawloom::toString(stage).str(), what.str(),
                      stage == Stage::PTX ? made->ptx : made->text});
  }
  return stages;
}

static void printPlan(const Plan &plan, llvm::raw_ostream &os) {
  bool isProved = plan.verdict == plan::Verdict::Proved ||
                  plan.verdict == plan::Verdict::ProvedIf;
  os << "<section>\n<h1>@" << escapeForXml(plan.kernel) << " on "
     << plan.arch->name << "</h1>\n<p class=\"lead\">" << plan.roles.size()
     << (plan.roles.size() == 1 ? " role, " : " roles, ") << plan.pipes.size()
     << (plan.pipes.size() == 1 ? " pipe, " : " pipes, ") << plan.countThreads()
     << " threads. Deadlock-free:  "
     << "<span class=\"verdict " << (isProved ? "proved" : "open") << "\">"
     << (plan.verdict == plan::Verdict::Unknown ? "not looked at"
                                                : toString(plan.verdict))
     << (plan.verdictWords.empty() ? "" : " ")
     << escapeForXml(plan.verdictWords) << "</span></p>\n"
     << "<h2>Roles and pipes</h2>\n<div class=\"picture\">\n";
  printSvg(plan, os);
  os << "</div>\n";
  printHtmlTables(plan, os);
  os << "<h2>The first work tiles</h2>\n<div class=\"picture sequence\">\n";
  printSvgSequence(plan, os);
  os << "</div>\n</section>\n";
}

static void printPane(llvm::ArrayRef<StageText> stages, size_t chosen,
                      llvm::raw_ostream &os) {
  os << "<div>\n<select aria-label=\"stage\">\n";
  for (auto [index, stage] : llvm::enumerate(stages))
    os << "<option" << (index == chosen ? " selected" : "") << '>'
       << escapeForXml(stage.name + ": " + stage.what) << "</option>\n";
  os << "</select>\n";
  for (auto [index, stage] : llvm::enumerate(stages))
    os << "<pre" << (index == chosen ? "" : " hidden") << '>'
       << escapeForXml(stage.text) << "</pre>\n";
  os << "</div>\n";
}

void drawloom::printPage(llvm::ArrayRef<Plan> plans,
                         llvm::ArrayRef<StageText> stages,
                         llvm::raw_ostream &os, llvm::StringRef time) {
  std::vector<std::string> names;
  for (const Plan &plan : plans)
    names.push_back("@" + plan.kernel);
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
        "<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
     << escapeForXml(llvm::join(names, ", ")) << " - drawloom explain</title>\n"
     << "<style>" << style << "</style>\n</head>\n<body>\n"
     << time;
  for (const Plan &plan : plans)
    printPlan(plan, os);
  if (!stages.empty()) {
    os << "<h2>Stages of the compiler</h2>\n<div class=\"stages\">\n";
    printPane(stages, 0, os);
    printPane(stages, std::min<size_t>(stages.size() - 1, 3), os);
    os << "</div>\n<script>" << script << "</script>\n";
  }
  os << "</body>\n</html>\n";
}
