//===- Assemble.cpp - PTX to cubin ----------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTool.h"
#include "drawloom/Target/Architecture.h"
#include "drawloom/Target/Ptxas.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom::target;

char AssemblyError::ID = 0;

std::error_code AssemblyError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

void AssemblyError::log(llvm::raw_ostream &os) const {
  llvm::ListSeparator newline("\n");
  for (const PtxasMessage &message : report.messages) {
    if (message.severity != Severity::Error)
      continue;
    os << newline << "ptxas: ";
    if (message.line != 0)
      os << "line " << message.line << ": ";
    if (!message.code.empty())
      os << '(' << message.code << ") ";
    os << message.text;
  }
}

llvm::Expected<AssembledModule>
drawloom::target::assemble(llvm::StringRef ptx, const Architecture &arch,
                           const Ptxas &ptxas) {
  llvm::Expected<TemporaryFile> input = TemporaryFile::create("ptx");
  if (!input)
    return input.takeError();
  llvm::Expected<TemporaryFile> output = TemporaryFile::create("cubin");
  if (!output)
    return output.takeError();
  if (llvm::Error error = input->write(ptx))
    return error;

  llvm::Expected<ToolRun> run = runTool(
      ptxas.path, {"-v", "-O3", "--gpu-name", arch.name, "--output-file",
                   output->getPath(), input->getPath()});
  if (!run)
    return run.takeError();

  AssembledModule module;
  module.report = parsePtxasOutput(run->output);
  if (run->exitCode != 0 && !module.report.hasErrors()) {
    // It failed without a line that looks like an error: hand on all it said.
    for (PtxasMessage &message : module.report.messages)
      message.severity = Severity::Error;
    PtxasMessage &last = module.report.messages.emplace_back();
    last.severity = Severity::Error;
    last.text = "ended with exit code " + std::to_string(run->exitCode);
  }
  if (module.report.hasErrors())
    return llvm::make_error<AssemblyError>(std::move(module.report));

  llvm::Expected<std::string> cubin = output->read();
  if (!cubin)
    return cubin.takeError();
  module.cubin.assign(cubin->begin(), cubin->end());
  return module;
}
