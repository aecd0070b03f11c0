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
#include "llvm/Object/ELF.h"

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

/// Why the bytes are not a cubin; empty if they may be.
static std::string judgeCubin(llvm::StringRef bytes) {
  using Elf = llvm::object::ELF64LEFile;
  if (bytes.empty())
    return "it has no bytes";
  llvm::Expected<Elf> elf = Elf::create(bytes);
  if (!elf)
    return llvm::toString(elf.takeError());
  const auto &header = elf->getHeader();
  if (!header.checkMagic())
    return "it does not begin as ELF does";
  if (header.e_machine != llvm::ELF::EM_CUDA)
    return "it is ELF for machine " + std::to_string(header.e_machine) +
           ", not for CUDA, " + std::to_string(llvm::ELF::EM_CUDA);
  auto sections = elf->sections();
  if (!sections)
    return llvm::toString(sections.takeError());
  return sections->empty() ? "it has no sections" : "";
}

llvm::Expected<AssembledModule>
drawloom::target::assemble(llvm::StringRef ptx, const Architecture &arch,
                           const Ptxas &ptxas, bool withLines) {
  llvm::Expected<TemporaryFile> input = TemporaryFile::create("ptx");
  if (!input)
    return input.takeError();
  llvm::Expected<TemporaryFile> output = TemporaryFile::create("cubin");
  if (!output)
    return output.takeError();
  if (llvm::Error error = input->write(ptx))
    return error;

  llvm::SmallVector<llvm::StringRef> arguments = {"-v",
                                                  "-O3",
                                                  "--gpu-name",
                                                  arch.name,
                                                  "--output-file",
                                                  output->getPath(),
                                                  input->getPath()};
  if (withLines)
    arguments.push_back("-lineinfo");
  llvm::Expected<ToolRun> run =
      runTool(ptxas.path, arguments, getToolSeconds());
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
  if (std::string problem = judgeCubin(*cubin); !problem.empty())
    return llvm::createStringError(ptxas.path +
                                   " ended without an error, but "
                                   "what it wrote is no cubin: " +
                                   problem + " [ptxas-output]");
  module.cubin.assign(cubin->begin(), cubin->end());
  return module;
}
