//===- PtxasOutput.cpp - What ptxas prints, as data -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Target/Ptxas.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Regex.h"

using namespace drawloom::target;

bool PtxasMessage::isIgnoredRegisterBudget() const {
  return code == "C7508" || text.find("'setmaxnreg' ignored") != text.npos;
}

bool PtxasReport::hasErrors() const {
  return llvm::any_of(messages, [](const PtxasMessage &message) {
    return message.severity == Severity::Error;
  });
}

namespace {
/// Reads the text line by line. The resource report of a function is spread
/// over several lines; `properties` and `kernel` say whose the next one is.
class OutputReader {
public:
  PtxasReport read(llvm::StringRef text);

private:
  void readLine(llvm::StringRef line);
  bool readResources(llvm::StringRef text);
  void readUsage(llvm::StringRef text);
  void addMessage(llvm::StringRef severity, llvm::StringRef line,
                  llvm::StringRef code, llvm::StringRef text);
  FunctionResources &function(llvm::StringRef name);

  PtxasReport report;
  std::string properties;
  std::string kernel;
  llvm::Regex prefixed = llvm::Regex("^ptxas (.*, line ([0-9]+); )?"
                                     "(info|warning|error|fatal) *: "
                                     "(\\((C[0-9]+)\\) )?(.*)$");
  llvm::Regex namesFunction =
      llvm::Regex("[Ff]unction '?([A-Za-z_$%][A-Za-z0-9_$]*)'?");
};
} // namespace

FunctionResources &OutputReader::function(llvm::StringRef name) {
  for (FunctionResources &known : report.functions)
    if (known.name == name)
      return known;
  report.functions.emplace_back().name = name.str();
  return report.functions.back();
}

/// The number before `unit` in a list such as `168 registers, used 1 barriers`;
/// the sum if there are several, as constant banks have.
static uint64_t amountOf(llvm::StringRef text, llvm::StringRef unit) {
  uint64_t sum = 0;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    auto [number, rest] = part.trim().split(' ');
    if (number == "used" || number == "Used")
      std::tie(number, rest) = rest.split(' ');
    uint64_t value = 0;
    if (rest.starts_with(unit) && !number.getAsInteger(10, value))
      sum += value;
  }
  return sum;
}

void OutputReader::readUsage(llvm::StringRef text) {
  FunctionResources &resources = function(kernel);
  resources.registers = amountOf(text, "registers");
  resources.barriers = amountOf(text, "barriers");
  resources.sharedBytes = amountOf(text, "bytes smem");
  resources.constantBytes = amountOf(text, "bytes cmem");
}

/// True if `text` is a part of the resource report.
bool OutputReader::readResources(llvm::StringRef text) {
  llvm::StringRef rest = text;
  if (rest.consume_front("Compiling entry function '")) {
    kernel = rest.split('\'').first.str();
    function(kernel).isKernel = true;
    return true;
  }
  if (rest.consume_front("Function properties for ")) {
    properties = rest.trim().trim('\'').str();
    return true;
  }
  if (text.starts_with("Used ") && !kernel.empty()) {
    readUsage(text);
    return true;
  }
  return text.contains("bytes gmem") || text.starts_with("Compile time");
}

void OutputReader::addMessage(llvm::StringRef severity, llvm::StringRef line,
                              llvm::StringRef code, llvm::StringRef text) {
  PtxasMessage message;
  message.severity = llvm::StringSwitch<Severity>(severity)
                         .Case("info", Severity::Info)
                         .Case("warning", Severity::Warning)
                         .Default(Severity::Error);
  message.code = code.str();
  message.text = text.str();
  (void)line.getAsInteger(10, message.line);
  llvm::SmallVector<llvm::StringRef> groups;
  if (namesFunction.match(text, &groups))
    message.function = groups[1].str();
  if (message.isIgnoredRegisterBudget())
    message.severity = Severity::Error;
  else if (message.severity == Severity::Warning &&
           text.starts_with("Pragma '"))
    // What the program asked for; nothing is wrong without it.
    message.severity = Severity::Info;
  else if (message.severity == Severity::Info &&
           text.contains("Potential Performance Loss"))
    message.severity = Severity::Warning;
  report.messages.push_back(std::move(message));
}

void OutputReader::readLine(llvm::StringRef line) {
  llvm::SmallVector<llvm::StringRef> groups;
  if (prefixed.match(line, &groups)) {
    llvm::StringRef severity = groups[3], text = groups[6];
    if (severity == "info" && readResources(text))
      return;
    addMessage(severity, groups[2], groups[5], text);
    return;
  }
  if (line.contains("bytes stack frame") && !properties.empty()) {
    FunctionResources &resources = function(properties);
    resources.stackBytes = amountOf(line, "bytes stack frame");
    resources.spillStoreBytes = amountOf(line, "bytes spill stores");
    resources.spillLoadBytes = amountOf(line, "bytes spill loads");
    return;
  }
  addMessage("info", "", "", line);
}

PtxasReport OutputReader::read(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    if (llvm::StringRef trimmed = line.rtrim(); !trimmed.empty())
      readLine(trimmed);

  // This one only says that there were others.
  llvm::StringLiteral summary = "Ptx assembly aborted due to errors";
  auto isOtherError = [&](const PtxasMessage &message) {
    return message.severity == Severity::Error && message.text != summary;
  };
  if (llvm::any_of(report.messages, isOtherError))
    llvm::erase_if(report.messages, [&](const PtxasMessage &message) {
      return message.text == summary;
    });
  return std::move(report);
}

PtxasReport drawloom::target::parsePtxasOutput(llvm::StringRef text) {
  return OutputReader().read(text);
}
