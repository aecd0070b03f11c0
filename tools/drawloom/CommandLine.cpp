//===- CommandLine.cpp - Options of a verb --------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "drawloom/Input/Codes.h"
#include "drawloom/Input/Printable.h"
#include "drawloom/Input/Suggest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;

ExitStatus drawloom::complain(llvm::StringRef verb, const llvm::Twine &words) {
  std::string text = input::makePrintable(words.str());
  llvm::errs() << "drawloom " << verb << ": " << text
               << (input::codeOf(text, "").empty() ? " [usage]" : "")
               << "\n'drawloom " << verb << " --help' explains the options\n";
  return BadUsage;
}

std::string drawloom::findExamples() {
  llvm::SmallString<128> path(llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&findExamples)));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "share", "drawloom", "examples");
  return llvm::sys::fs::is_directory(path) ? path.str().str() : "examples";
}

std::optional<llvm::StringRef> CommandLine::get(llvm::StringRef option) const {
  for (const auto &[name, value] : values)
    if (name == option)
      return value;
  return std::nullopt;
}

llvm::Expected<CommandLine>
CommandLine::parse(llvm::ArrayRef<llvm::StringRef> arguments,
                   llvm::ArrayRef<OptionName> options) {
  llvm::SmallVector<OptionName> known(options);
  known.push_back({"--help", /*takesValue=*/false});
  known.push_back({"-h", /*takesValue=*/false});

  CommandLine line;
  bool onlyOperands = false;
  while (!arguments.empty()) {
    llvm::StringRef argument = arguments.front();
    arguments = arguments.drop_front();
    if (onlyOperands || argument == "-" || !argument.starts_with("-")) {
      line.operands.push_back(argument);
      continue;
    }
    if (argument == "--") {
      onlyOperands = true;
      continue;
    }
    auto [name, value] = argument.split('=');
    bool hasValue = name.size() != argument.size();
    const OptionName *option = llvm::find_if(
        known, [&](const OptionName &other) { return other.name == name; });
    if (option == known.end()) {
      llvm::SmallVector<llvm::StringRef> names;
      for (const OptionName &other : known)
        names.push_back(other.name);
      return llvm::createStringError("unknown option '" + name + "'" +
                                     input::suggest(name, names));
    }
    if (line.has(name))
      return llvm::createStringError("'" + name + "' is given twice");
    if (hasValue && !option->takesValue)
      return llvm::createStringError("'" + name + "' takes no value");
    if (!hasValue && option->takesValue) {
      if (arguments.empty())
        return llvm::createStringError("'" + name + "' needs a value");
      value = arguments.front();
      arguments = arguments.drop_front();
    }
    line.values.push_back({name, value});
  }
  return line;
}
