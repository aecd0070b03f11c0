//===- Finding.cpp - Findings as text and JSON ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/RaceChecker.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::checker;
using llvm::utostr;

llvm::StringRef drawloom::checker::spelling(Severity severity) {
  switch (severity) {
  case Severity::Note:
    return "note";
  case Severity::Warning:
    return "warning";
  case Severity::Error:
    return "error";
  }
  return "";
}

namespace {
struct RuleInfo {
  llvm::StringLiteral name, title;
  Severity byDefault, strictly;
};
} // namespace

static const RuleInfo &infoOf(Rule rule) {
  static constexpr RuleInfo rules[] = {
#define RULE(Name, text, byDefault, strictly, title)                           \
  {text, title, Severity::byDefault, Severity::strictly},
#include "drawloom/Checker/Rules.def"
  };
  return rules[unsigned(rule)];
}

llvm::StringRef drawloom::checker::spelling(Rule rule) {
  return infoOf(rule).name;
}
llvm::StringRef drawloom::checker::titleOf(Rule rule) {
  return infoOf(rule).title;
}
Severity drawloom::checker::severityOf(Rule rule, bool isStrict) {
  return isStrict ? infoOf(rule).strictly : infoOf(rule).byDefault;
}

bool drawloom::checker::endsStrictRun(Rule rule) {
  return rule == Rule::TensorLoadReuse || rule == Rule::BarrierReinit ||
         rule == Rule::ParityValue;
}

/// "tile+16, byte 1040 of shared memory of CTA 3"
static std::string placeOf(const Finding &finding) {
  const std::string slot = finding.slot.empty() ? "" : finding.slot + ", ";
  switch (finding.space) {
  case Finding::Shared:
    return slot + (finding.array.empty() ? "" : finding.array + ", ") +
           "byte " + utostr(finding.address) + " of shared memory of CTA " +
           utostr(finding.cta);
  case Finding::TensorMemory:
    return slot + "column " + utostr(finding.address) +
           " of tensor memory of CTA " + utostr(finding.cta);
  case Finding::Global:
    return "global memory at 0x" + llvm::utohexstr(finding.address, true) +
           (finding.array.empty() ? "" : ", " + finding.array);
  case Finding::Local:
    return "byte " + utostr(finding.address) +
           " of the local memory of its thread";
  case Finding::Registers:
    break;
  }
  return "";
}

/// "gemm.cu:40, st.shared.u32", or with the line of the PTX if there is no
/// source.
static std::string instructionOf(const Site &site) {
  return (site.source.empty() ? "PTX line " + utostr(site.line)
                              : ptx::spell(site.source)) +
         ", " + site.instruction;
}

/// "gemm.cu:40, st.shared.u32, PTX line 512"
static std::string textOf(const Site &site) {
  return instructionOf(site) +
         (site.source.empty() ? "" : ", PTX line " + utostr(site.line));
}

/// "kernel 'scale', operation 3 in stream 2", and the instruction if it is
/// known.
static std::string operationOf(const Site &site) {
  return site.operation + (site.instruction.empty() ? "" : ", " + textOf(site));
}

/// The same, ": CTA 0, warp 1, lane 3"
static std::string accessOf(const Site &site) {
  std::string text = textOf(site) + ": CTA " + utostr(site.cta) + ", warp " +
                     utostr(site.warp);
  if (site.lane >= 0)
    text += ", lane " + utostr(site.lane);
  if (!site.role.empty())
    text += ", " + site.role;
  return text;
}

/// Names of templates may fill a screen; JSON has the whole of it.
static std::string shortened(llvm::StringRef name) {
  constexpr size_t limit = 100;
  return name.size() <= limit ? name.str()
                              : (name.take_front(limit) + "...").str();
}

std::string Finding::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isHostOrder(rule)) {
    auto verb = [&](const Site &site) {
      return rule == Rule::FreedInFlight && &site == &second ? "frees:  "
             : site.writes                                   ? "writes: "
                                                             : "reads:  ";
    };
    const Site &shown =
        rule == Rule::HostOrder || second.operation.empty() ? first : second;
    os << spelling(severity) << ": " << shortened(shown.operation) << ": "
       << titleOf(rule) << " [" << spelling(rule) << "]\n"
       << "  " << verb(first) << operationOf(first) << '\n';
    if (!second.operation.empty())
      os << "  " << verb(second) << operationOf(second) << '\n';
    os << "  where:  " << placeOf(*this) << '\n'
       << "  why:    " << why << '\n'
       << "  add:    " << advice << '\n';
    if (count > 1)
      os << "  occurrences: " << count << '\n';
    return text;
  }
  auto verb = [&](const Site &site) {
    if (!isRace(rule))
      return &site == &first ? "first:  " : "then:   ";
    return site.writes ? "writes: " : "reads:  ";
  };
  os << spelling(severity) << ": " << shortened(kernel) << ", "
     << instructionOf(first) << ": " << titleOf(rule) << " [" << spelling(rule)
     << "]\n";
  if (rule == Rule::RegistersIgnored) // Of the text, not of a thread.
    os << "  by:     " << textOf(first) << '\n';
  else if (second.instruction.empty())
    os << "  by:     " << accessOf(first) << '\n';
  else
    os << "  " << verb(first) << accessOf(first) << '\n'
       << "  " << verb(second) << accessOf(second) << '\n';
  if (space != Registers)
    os << "  where:  " << placeOf(*this) << '\n';
  os << "  why:    " << why << '\n' << "  add:    " << advice << '\n';
  if (!tried.empty())
    os << "  tried:  " << tried << '\n';
  if (count > 1)
    os << "  occurrences: " << count << '\n';
  return text;
}

static llvm::json::Object jsonOf(const Site &site) {
  if (!site.operation.empty()) {
    // The instruction is empty, and its line 0, if it isn't known.
    llvm::json::Object object{{"operation", site.operation},
                              {"access", site.writes ? "write" : "read"},
                              {"instruction", site.instruction},
                              {"ptxLine", site.line}};
    ptx::addSource(object, site.source);
    return object;
  }
  llvm::json::Object object{{"instruction", site.instruction},
                            {"ptxLine", site.line},
                            {"cta", site.cta},
                            {"warp", site.warp},
                            {"access", site.writes ? "write" : "read"},
                            {"asynchronous", site.isEngine}};
  if (site.lane >= 0)
    object["lane"] = site.lane;
  if (!site.role.empty())
    object["role"] = site.role;
  ptx::addSource(object, site.source);
  return object;
}

static unsigned countOf(llvm::ArrayRef<Finding> findings, Severity severity) {
  unsigned count = 0;
  for (const Finding &finding : findings)
    count += finding.severity == severity && !finding.isSuppressed;
  return count;
}

llvm::json::Object drawloom::checker::toJson(llvm::ArrayRef<Finding> findings) {
  static constexpr llvm::StringLiteral spaces[] = {"shared", "tensor", "global",
                                                   "registers", "local"};
  llvm::json::Array list;
  for (const Finding &finding : findings) {
    llvm::json::Object object{{"rule", spelling(finding.rule)},
                              {"severity", spelling(finding.severity)},
                              {"title", titleOf(finding.rule)},
                              {"kernel", finding.kernel},
                              {"space", spaces[finding.space]},
                              {"address", finding.address},
                              {"first", jsonOf(finding.first)},
                              {"why", finding.why},
                              {"advice", finding.advice},
                              {"count", finding.count}};
    if (!finding.second.instruction.empty() ||
        !finding.second.operation.empty())
      object["second"] = jsonOf(finding.second);
    if (finding.space != Finding::Global)
      object["cta"] = finding.cta;
    if (!finding.array.empty())
      object["array"] = finding.array;
    if (!finding.slot.empty())
      object["slot"] = finding.slot;
    if (!finding.tried.empty())
      object["tried"] = finding.tried;
    if (finding.isSuppressed)
      object["suppressed"] = true;
    list.push_back(std::move(object));
  }
  return llvm::json::Object{{"findings", std::move(list)},
                            {"errors", countOf(findings, Severity::Error)},
                            {"warnings", countOf(findings, Severity::Warning)},
                            {"notes", countOf(findings, Severity::Note)}};
}

void drawloom::checker::writeCounts(llvm::ArrayRef<Finding> findings,
                                    llvm::raw_ostream &os) {
  auto counted = [&](Severity severity) {
    unsigned count = countOf(findings, severity);
    return utostr(count) + " " + spelling(severity).str() +
           (count == 1 ? "" : "s");
  };
  os << "check: " << counted(Severity::Error) << ", "
     << counted(Severity::Warning) << ", " << counted(Severity::Note);
  if (size_t suppressed = llvm::count_if(
          findings, [](const Finding &one) { return one.isSuppressed; }))
    os << ", " << suppressed << " suppressed";
  os << '\n';
}
