//===- Disassemble.cpp - PTX to SASS with lines ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTool.h"
#include "drawloom/Target/Architecture.h"
#include "drawloom/Target/Sass.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom::target;
using llvm::StringRef;

StringRef SassInstruction::opcode() const {
  StringRef rest = text;
  if (isGuarded())
    rest = rest.split(' ').second.ltrim(' ');
  return rest.take_until([](char c) { return c == ' ' || c == ';'; });
}

StringRef SassInstruction::label() const {
  return StringRef(text).split("`(").second.split(')').first;
}

/// The instruction of "        /*0cd0*/              @!P0 BRA `(.L_x_8) ;";
/// empty if the line has none.
static StringRef instructionOf(StringRef line) {
  line = line.trim();
  if (!line.consume_front("/*"))
    return "";
  auto [address, rest] = line.split("*/");
  if (address.empty() || !llvm::all_of(address, llvm::isHexDigit))
    return "";
  return rest.split(';').first.trim();
}

std::vector<SassSection> drawloom::target::parseSass(StringRef listing) {
  std::vector<SassSection> sections;
  unsigned ptxLine = 0;
  while (!listing.empty()) {
    auto [line, rest] = listing.split('\n');
    listing = rest;
    line = line.rtrim();
    // "	.section	.text.gemm,"ax",@progbits"
    if (StringRef name = line.trim(); name.consume_front(".section")) {
      name = name.trim().split(',').first;
      ptxLine = 0;
      if (name.consume_front(".text."))
        sections.emplace_back().name = name.str();
      continue;
    }
    if (sections.empty())
      continue;
    SassSection &section = sections.back();
    if (line.contains("//## File")) {
      // "	//## File ".nv_debug_ptx_txt", line 31"
      if (line.split("line ").second.consumeInteger(10, ptxLine))
        ptxLine = 0;
    } else if (line.starts_with(".L") && line.ends_with(":")) {
      section.labels[line.drop_back()] = section.code.size();
    } else if (StringRef text = instructionOf(line); !text.empty()) {
      section.code.push_back({text.str(), ptxLine});
    }
  }
  return sections;
}

llvm::Expected<std::vector<SassSection>>
drawloom::target::disassemble(StringRef ptx, const Architecture &arch,
                              const Ptxas &ptxas, StringRef nvdisasm) {
  llvm::Expected<AssembledModule> module =
      assemble(ptx, arch, ptxas, /*withLines=*/true);
  if (!module)
    return module.takeError();
  llvm::Expected<TemporaryFile> cubin = TemporaryFile::create("cubin");
  if (!cubin)
    return cubin.takeError();
  if (llvm::Error error =
          cubin->write(StringRef(module->cubin.data(), module->cubin.size())))
    return error;
  llvm::Expected<ToolRun> run =
      runTool(nvdisasm, {"-c", "-gp", cubin->getPath()}, getToolSeconds());
  if (!run)
    return run.takeError();
  std::vector<SassSection> sections = parseSass(run->output);
  if (run->exitCode != 0 || sections.empty())
    return llvm::createStringError(
        nvdisasm + " ended with exit code " + llvm::Twine(run->exitCode) +
        ": " + StringRef(run->output).take_front(200) + " [tool-failed]");
  return sections;
}
