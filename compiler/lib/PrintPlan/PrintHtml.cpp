//===- PrintHtml.cpp - Tables and reasons of a plan for a page ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Budgets.h"
#include "Labels.h"
#include "drawloom/PrintPlan/Print.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using namespace drawloom::plan;
using llvm::StringRef;

static void printRow(llvm::ArrayRef<std::string> cells, StringRef tag,
                     llvm::raw_ostream &os) {
  os << "<tr>";
  for (const std::string &cell : cells)
    os << '<' << tag << '>' << escapeForXml(cell) << "</" << tag << '>';
  os << "</tr>\n";
}

static void printTable(llvm::ArrayRef<std::vector<std::string>> rows,
                       llvm::raw_ostream &os) {
  os << "<table>\n";
  for (auto [index, row] : llvm::enumerate(rows))
    printRow(row, index ? "td" : "th", os);
  os << "</table>\n";
}

static void printReasons(StringRef subject, llvm::ArrayRef<std::string> reasons,
                         llvm::raw_ostream &os) {
  if (reasons.empty())
    return;
  os << "<dt>" << escapeForXml(subject) << "</dt>\n";
  for (StringRef reason : reasons) {
    // "rule: sentence".
    auto [rule, words] = reason.split(": ");
    if (words.empty())
      os << "<dd>" << escapeForXml(reason) << "</dd>\n";
    else
      os << "<dd><b>" << escapeForXml(rule) << "</b> " << escapeForXml(words)
         << "</dd>\n";
  }
}

void plan::printHtmlTables(const Plan &plan, llvm::raw_ostream &os) {
  std::vector<std::vector<std::string>> rows = {
      {"pipe", "from", "to", "slots", "full after", "empty after"}};
  for (const Pipe &pipe : plan.pipes) {
    std::string to;
    for (const Consumer &consumer : pipe.consumers)
      to += (to.empty() ? "@" : ", @") + plan.roles[consumer.role].name;
    rows.push_back({pipe.name, "@" + plan.roles[pipe.producer].name, to,
                    std::to_string(pipe.slots) + " × " + describeSlot(pipe),
                    describeFull(pipe), describeEmpty(pipe)});
  }
  if (rows.size() > 1) {
    os << "<h2>Barriers of each slot</h2>\n";
    printTable(rows, os);
  }
  std::vector<Budget> budgets = listBudgets(plan);
  if (!budgets.empty()) {
    os << "<h2>Budgets</h2>\n<table>\n";
    for (const Budget &budget : budgets) {
      printRow({budget.name, budget.words}, "th", os);
      for (const BudgetPart &part : budget.parts)
        printRow({part.name, part.words}, "td", os);
    }
    os << "</table>\n";
  }
  os << "<h2>Reasons</h2>\n<dl>\n";
  printReasons("schedule", plan.reasons, os);
  for (const Role &role : plan.roles)
    printReasons("@" + role.name, role.because, os);
  for (const Pipe &pipe : plan.pipes)
    printReasons(pipe.name, pipe.because, os);
  os << "</dl>\n";
}
