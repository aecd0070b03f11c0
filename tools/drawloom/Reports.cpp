//===- Reports.cpp - Findings in files ------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reports.h"
#include "drawloom/Emulator/Report.h"
#include "drawloom/Input/Codes.h"
#include "drawloom/Input/Printable.h"
#include "drawloom/PTX/SourceLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

/// A path as a URI: relative as it is, absolute with its scheme.
static std::string uriOf(StringRef path) {
  std::string uri = llvm::sys::path::is_absolute(path) ? "file://" : "";
  for (char c : path)
    if (llvm::isAlnum(c) || StringRef("/-._~").contains(c))
      uri += c;
    else
      uri += llvm::formatv("%{0:X-2}", static_cast<unsigned char>(c));
  return uri;
}

/// "st.shared.u32, PTX line 24: CTA 0, warp 1, lane 3"
static std::string textOf(const Object &site) {
  std::string text;
  if (auto operation = site.getString("operation"))
    return operation->str();
  if (auto instruction = site.getString("instruction"))
    text += instruction->str() + ", ";
  text += "PTX line " + llvm::utostr(site.getInteger("ptxLine").value_or(0));
  if (!site.get("warp"))
    return text;
  text += ": CTA " + llvm::utostr(site.getInteger("cta").value_or(0)) +
          ", warp " + llvm::utostr(site.getInteger("warp").value_or(0));
  if (auto lane = site.getInteger("lane"))
    text += ", lane " + llvm::utostr(*lane);
  if (auto role = site.getString("role"))
    text += ", " + role->str();
  return text;
}

/// A file of the input's line information: one that isn't here is looked for
/// beside the input.
static std::string findSource(StringRef file, const CheckedRun &run) {
  llvm::SmallString<128> beside(llvm::sys::path::parent_path(run.input));
  llvm::sys::path::append(beside, file);
  bool isBeside = llvm::sys::path::is_relative(file) &&
                  !llvm::sys::fs::exists(file) && llvm::sys::fs::exists(beside);
  return isBeside ? beside.str().str() : file.str();
}

static Object lineOf(StringRef path, int64_t line) {
  return Object{{"artifactLocation", Object{{"uri", uriOf(path)}}},
                {"region", Object{{"startLine", line}}}};
}

/// Where an instruction stands: in the source, or else in the PTX.
static Object locationOf(const Object &site, StringRef kernel,
                         const CheckedRun &run) {
  Object location{
      {"message", Object{{"text", textOf(site)}}},
      {"logicalLocations",
       Array{Object{{"fullyQualifiedName", kernel}, {"kind", "function"}}}}};
  auto file = site.getString("file");
  int64_t line = site.getInteger(file ? "line" : "ptxLine").value_or(0);
  std::string path = file ? findSource(*file, run) : run.input;
  if (!path.empty() && line > 0)
    location["physicalLocation"] = lineOf(path, line);
  return location;
}

/// The calls that an instruction is inlined by.
static Array callsOf(const Object &site, const CheckedRun &run) {
  Array locations;
  if (const Array *calls = site.getArray("calls"))
    for (const Value &call : *calls)
      locations.push_back(Object{
          {"message", Object{{"text", "inlined here"}}},
          {"physicalLocation",
           lineOf(findSource(call.getAsObject()->getString("file").value_or(""),
                             run),
                  call.getAsObject()->getInteger("line").value_or(0))}});
  return locations;
}

/// A place of the input, or all of it, and what was said there.
static Object locationOf(const Object &message, const CheckedRun &run) {
  StringRef file = message.getString("file").value_or("");
  int64_t line = message.getInteger("line").value_or(0);
  int64_t column = message.getInteger("column").value_or(0);
  Object physical{
      {"artifactLocation",
       Object{
           {"uri", uriOf(file.empty() ? run.input : findSource(file, run))}}}};
  if (line > 0) {
    Object region{{"startLine", line}};
    if (column > 0)
      region["startColumn"] = column;
    physical["region"] = std::move(region);
  }
  return Object{
      {"message", Object{{"text", message.getString("text").value_or("")}}},
      {"physicalLocation", std::move(physical)}};
}

namespace {
/// Collects results and the rules that they name.
class SarifResults {
public:
  explicit SarifResults(const CheckedRun &run) : run(run) {}

  void add(const Object &finding, StringRef kernel) {
    auto text = [&](StringRef key) {
      return finding.getString(key).value_or("").str();
    };
    std::string rule = text("rule");
    // `drawloom check` has one line, in the finding itself.
    const Object *first = finding.getObject("first");
    Object result{
        {"ruleId", rule},
        {"ruleIndex", indexOf(rule, text("severity"))},
        {"level", text("severity")},
        {"message", Object{{"text", text("title") + ": " + text("why") +
                                        (first ? "; add: " : "; change: ") +
                                        text("advice")}}},
        {"locations", Array{locationOf(first ? *first : finding, kernel, run)}},
        {"occurrenceCount", finding.getInteger("count").value_or(1)}};
    Array related = callsOf(first ? *first : finding, run);
    if (const Object *second = finding.getObject("second"))
      related.push_back(locationOf(*second, kernel, run));
    if (!related.empty())
      result["relatedLocations"] = std::move(related);
    if (finding.getBoolean("suppressed").value_or(false))
      result["suppressions"] = Array{Object{{"kind", "external"}}};
    results.push_back(std::move(result));
  }

  void addMessage(const Object &message) {
    StringRef severity = message.getString("severity").value_or("error");
    StringRef level = severity == "remark" ? "note" : severity;
    StringRef text = message.getString("text").value_or("");
    std::string rule = message.getString("rule")
                           .value_or(input::codeOf(
                               text, severity == "error" ? "syntax" : severity))
                           .str();
    Object result{{"ruleId", rule},
                  {"ruleIndex", indexOf(rule, level)},
                  {"level", level},
                  {"message", Object{{"text", text}}},
                  {"locations", Array{locationOf(message, run)}}};
    Array related = callsOf(message, run);
    if (const Array *notes = message.getArray("notes"))
      for (const Value &note : *notes)
        related.push_back(locationOf(*note.getAsObject(), run));
    if (!related.empty())
      result["relatedLocations"] = std::move(related);
    results.push_back(std::move(result));
  }

  Array rules, results;

private:
  int64_t indexOf(const std::string &rule, StringRef level) {
    auto [at, isNew] = indices.try_emplace(rule, rules.size());
    if (isNew)
      rules.push_back(
          Object{{"id", rule},
                 {"defaultConfiguration", Object{{"level", level.str()}}}});
    return at->second;
  }

  const CheckedRun &run;
  std::map<std::string, int64_t> indices;
};
} // namespace

/// Code hosts keep a category of findings for each name.
static Value toSarif(const Object &report, const CheckedRun &run,
                     StringRef name) {
  SarifResults collected(run);
  auto addAll = [&](const Object &from, StringRef kernel) {
    if (const Array *findings = from.getArray("findings"))
      for (const Value &finding : *findings)
        if (const Object *object = finding.getAsObject())
          collected.add(*object, object->getString("kernel").value_or(kernel));
  };
  addAll(report, "");
  if (const Array *kernels = report.getArray("kernels"))
    for (const Value &kernel : *kernels)
      if (const Object *object = kernel.getAsObject())
        addAll(*object, object->getString("kernel").value_or(""));
  for (const Value &message : run.messages)
    collected.addMessage(*message.getAsObject());

  Object invocation{{"executionSuccessful", run.failure.empty()}};
  if (!run.failure.empty())
    invocation["toolExecutionNotifications"] = Array{
        Object{{"level", "error"}, {"message", Object{{"text", run.failure}}}}};
  return Object{
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       Array{Object{
           {"tool",
            Object{{"driver", Object{{"name", "drawloom"},
                                     {"version", DRAWLOOM_VERSION},
                                     {"rules", std::move(collected.rules)}}}}},
           {"automationDetails",
            Object{{"id", "drawloom/" + input::makePrintable(name) + "/"}}},
           {"invocations", Array{std::move(invocation)}},
           {"results", std::move(collected.results)}}}}};
}

CheckedRun drawloom::describeRun(const std::string &input,
                                 const emu::Report *ending) {
  CheckedRun run{input};
  if (!ending)
    return run;
  run.failure = ending->str();
  Object message{{"rule", emu::codeOf(ending->kind)},
                 {"text", run.failure},
                 {"line", ending->line}};
  ptx::addSource(message, ending->source);
  run.messages.push_back(std::move(message));
  return run;
}

Array drawloom::toMessages(llvm::ArrayRef<llvm::SMDiagnostic> errors) {
  Array messages;
  for (const llvm::SMDiagnostic &error : errors)
    messages.push_back(
        Object{{"rule", "ptx-syntax"},
               {"text", input::makePrintable(error.getMessage())},
               {"line", error.getLineNo()},
               {"column", error.getColumnNo() + 1}});
  return messages;
}

/// A file that can't be written whole is removed.
static llvm::Error write(const Value &value, StringRef file) {
  std::error_code failed;
  llvm::ToolOutputFile output(file, failed, llvm::sys::fs::OF_None);
  if (!failed) {
    output.os() << llvm::formatv("{0:2}\n", value);
    output.os().flush();
    failed = output.os().error();
    output.os().clear_error();
  }
  if (failed)
    return llvm::createStringError(
        "cannot write '" + input::makePrintable(file) +
        "': " + failed.message() + " [cannot-write]");
  output.keep();
  return llvm::Error::success();
}

llvm::Error drawloom::writeReports(const Object &report,
                                   const ReportFiles &files,
                                   const CheckedRun &run) {
  if (!files.json.empty())
    if (llvm::Error error = write(Object(report), files.json))
      return error;
  if (!files.sarif.empty())
    return write(toSarif(report, run, llvm::sys::path::stem(files.sarif)),
                 files.sarif);
  return llvm::Error::success();
}
