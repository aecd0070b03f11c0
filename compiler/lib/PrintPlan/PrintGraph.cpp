//===- PrintGraph.cpp - The graph of roles and pipes ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Drawing.h"
#include "Labels.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/PrintPlan/Print.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using namespace drawloom::plan;
using llvm::StringRef;

/// "warps 4–7, 248 registers".
static std::string describeUnits(const Role &role) {
  std::string text = describeWarps(role);
  if (role.registers)
    text += ", " + std::to_string(*role.registers) + " registers";
  if (role.scope != Scope::cta)
    text += ", for the " + stringifyScope(role.scope).str();
  return text;
}

/// "4 × 48 KiB smem".
static std::string describeRing(const Pipe &pipe) {
  std::string text = std::to_string(pipe.slots) + " × " + describeSlot(pipe);
  if (pipe.memory != Pipe::Memory::Message)
    text += " " + toString(pipe.memory).str();
  if (pipe.scope != Scope::cta)
    text += ", " + stringifyScope(pipe.scope).str();
  return text;
}

/// "load a, b by TMA".
static std::string describeWork(const Role &role) {
  bool byThreads = llvm::is_contained(role.units, Unit::CudaCores);
  return byThreads || role.does.empty()
             ? role.does
             : role.does + " by " + joinUnits(role.units);
}

static std::vector<std::string> makeRoleIds(const Plan &plan) {
  Identifiers identifiers;
  std::vector<std::string> ids;
  for (const Role &role : plan.roles)
    ids.push_back(identifiers.make(role.name));
  return ids;
}

//===----------------------------------------------------------------------===//
// Mermaid
//===----------------------------------------------------------------------===//

void plan::printMermaidGraph(const Plan &plan, llvm::raw_ostream &os) {
  std::vector<std::string> ids = makeRoleIds(plan);
  os << "graph TD\n";
  for (auto [role, id] : llvm::zip(plan.roles, ids)) {
    os << "    " << id << "[\"@" << escapeForMermaid(role.name) << "<br/>"
       << escapeForMermaid(describeUnits(role));
    if (!role.does.empty())
      os << "<br/>" << escapeForMermaid(describeWork(role));
    os << "\"]\n";
  }
  for (const Pipe &pipe : plan.pipes) {
    std::string tensors = listTensors(pipe);
    for (const Consumer &consumer : pipe.consumers) {
      os << "    " << ids[pipe.producer] << " -->|\""
         << escapeForMermaid(pipe.name);
      if (!tensors.empty())
        os << ": " << escapeForMermaid(tensors);
      os << "<br/>" << escapeForMermaid(describeRing(pipe)) << "\"| "
         << ids[consumer.role] << '\n';
    }
  }
  os << '\n';
  for (Role::Kind kind : {Role::Kind::Load, Role::Kind::Mma,
                          Role::Kind::Compute, Role::Kind::Schedule}) {
    std::string members;
    for (auto [role, id] : llvm::zip(plan.roles, ids))
      if (role.kind == kind)
        members += (members.empty() ? "" : ",") + id;
    if (members.empty())
      continue;
    Colors colors = getColors(kind);
    os << "    classDef " << toString(kind) << " fill:" << colors.fill
       << ",stroke:" << colors.line << '\n'
       << "    class " << members << " " << toString(kind) << '\n';
  }
}

//===----------------------------------------------------------------------===//
// Graphviz
//===----------------------------------------------------------------------===//

static std::string describeTitle(const Plan &plan) {
  std::string text = describePlan(plan);
  std::string second;
  auto add = [&](const std::string &part) {
    second += (second.empty() ? "" : ", ") + part;
  };
  if (plan.sharedBytes)
    add(formatBytes(*plan.sharedBytes) + " of " +
        formatBytes(plan.arch->maxSharedMemoryPerCta) + " shared memory");
  if (plan.tensorColumns)
    add(std::to_string(*plan.tensorColumns) + " of " +
        std::to_string(plan.arch->tensorMemory.columns) +
        " columns of tensor memory");
  if (plan.verdict != Verdict::Unknown)
    add("progress " + toString(plan.verdict).str() +
        (plan.verdictWords.empty() ? "" : " " + plan.verdictWords));
  std::string title = "<b>" + escapeForXml(text) + "</b>";
  if (!second.empty())
    title += "<br/><font point-size=\"11\">" + escapeForXml(second) + "</font>";
  return title + "<br/> ";
}

static void printDotRole(const Role &role, StringRef id,
                         llvm::raw_ostream &os) {
  Colors colors = getColors(role.kind);
  os << "  " << id << " [fillcolor=\"" << colors.fill << "\", color=\""
     << colors.line << "\",\n    label=<<b>@" << escapeForXml(role.name)
     << "</b><br/><font point-size=\"10\">"
     << escapeForXml(describeUnits(role));
  if (!role.does.empty())
    os << "<br/>" << escapeForXml(describeWork(role));
  os << "</font>>];\n";
}

static void printDotPipe(const Pipe &pipe, llvm::ArrayRef<std::string> ids,
                         llvm::raw_ostream &os) {
  // Where the slots are is the first thing to see of an edge.
  struct Look {
    StringRef color;
    StringRef style;
  };
  static constexpr Look looks[] = {
      {"#334155", "solid"}, {"#b45309", "bold"}, {"#6d28d9", "dashed"}};
  const Look &look = looks[static_cast<unsigned>(pipe.memory)];
  std::string tensors = listTensors(pipe);
  for (const Consumer &consumer : pipe.consumers) {
    os << "  " << ids[pipe.producer] << " -> " << ids[consumer.role]
       << " [color=\"" << look.color << "\", style=\"" << look.style
       << "\", fontcolor=\""
       << look.color
       // A table, because only its cells keep a distance to the line.
       << "\",\n    label=<<table border=\"0\" cellpadding=\"4\"><tr><td><b>"
       << escapeForXml(pipe.name) << "</b>";
    if (!tensors.empty())
      os << ": " << escapeForXml(tensors);
    os << "<br/>" << escapeForXml(describeRing(pipe));
    if (consumer.lag)
      os << "<br/>lag " << consumer.lag;
    os << "</td></tr></table>>];\n";
  }
}

void plan::printDot(const Plan &plan, llvm::raw_ostream &os) {
  std::vector<std::string> ids = makeRoleIds(plan);
  os << "digraph plan {\n"
        "  graph [rankdir=TB, nodesep=0.7, ranksep=0.7, pad=0.3, labelloc=t,\n"
        "    fontname=\"Helvetica\", fontsize=12, label=<"
     << describeTitle(plan)
     << ">];\n"
        "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", "
        "fontsize=13,\n"
        "    margin=\"0.2,0.12\", penwidth=1.4];\n"
        "  edge [fontname=\"Helvetica\", fontsize=10, arrowsize=0.8];\n";
  for (auto [role, id] : llvm::zip(plan.roles, ids))
    printDotRole(role, id, os);
  for (const Pipe &pipe : plan.pipes)
    printDotPipe(pipe, ids, os);
  os << "}\n";
}
