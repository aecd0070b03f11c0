//===- Lsp.cpp - drawloom lsp ---------------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Verb.h"
#include "language-server/Serve.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;

static void printLspHelp() {
  llvm::outs()
      << "drawloom lsp - programs and PTX in an editor\n"
         "\n"
         "Usage: drawloom lsp [--log LEVEL] [--pretty] [--lit-test]\n"
         "\n"
         "An editor starts it, and speaks the Language Server Protocol with it "
         "over\n"
         "standard input and output. docs/Editors.md says how, and what it "
         "answers. The\n"
         "initialization option 'arch' names the GPU that programs are planned "
         "for, if\n"
         "they don't: sm_100a without it.\n"
         "\n"
         "Options:\n"
         "  --log LEVEL  what goes to standard error: error, info or verbose; "
         "without it,\n"
         "               info\n"
         "  --pretty     indent the JSON\n"
         "  --lit-test   read messages that are separated by '// -----', and "
         "indent\n"
         "  --help       this text\n"
         "\n"
      << exitStatusHelp
      << "1 also if the editor exits without 'shutdown', as the protocol asks "
         "for.\n";
}

ExitStatus drawloom::runLsp(llvm::ArrayRef<llvm::StringRef> arguments) {
  auto complain = [](const llvm::Twine &words) {
    return drawloom::complain("lsp", words);
  };
  llvm::Expected<CommandLine> line = CommandLine::parse(
      arguments, {{"--log", true}, {"--pretty", false}, {"--lit-test", false}});
  if (!line)
    return complain(llvm::toString(line.takeError()));
  if (line->wantsHelp()) {
    printLspHelp();
    return Clean;
  }
  if (!line->getOperands().empty())
    return complain("it takes no files: an editor says what is open");
  lsp::ServeOptions options;
  options.log = line->get("--log").value_or("info");
  if (options.log != "error" && options.log != "info" &&
      options.log != "verbose")
    return complain("--log takes error, info or verbose, not '" +
                    options.log.str() + "'");
  options.isDelimited = line->has("--lit-test");
  options.isPretty = options.isDelimited || line->has("--pretty");
  return lsp::serve(options) ? Clean : Findings;
}
