//===- FormCoverage.cpp - Which forms are held to values -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormCoverage.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <map>
#include <set>

using namespace drawloom;
using namespace drawloom::emu;

namespace {
class Recorder : public testing::Environment {
public:
  static Recorder &get() {
    // GoogleTest owns it.
    static auto *recorder = static_cast<Recorder *>(
        testing::AddGlobalTestEnvironment(new Recorder));
    return *recorder;
  }

  const bool isOn = std::getenv("DRAWLOOM_FORM_COVERAGE") != nullptr;
  std::set<std::string> covered;

  void TearDown() override;
};

// GoogleTest must know it before the first test runs.
[[maybe_unused]] Recorder &registered = Recorder::get();
} // namespace

bool FormCoverage::isOn() { return Recorder::get().isOn; }

void FormCoverage::launch(const Program &program) {
  if (!isOn())
    return;
  for (std::atomic<uint64_t> &times : program.counts->times)
    times = 0;
  if (!llvm::is_contained(programs, &program))
    programs.push_back(&program);
}

void FormCoverage::read() {
  for (const Program *program : programs)
    for (auto [index, times] : llvm::enumerate(program->counts->times))
      if (times.exchange(0))
        if (const auto *source = program->source(&program->code[index]))
          Recorder::get().covered.insert(source->variant->mnemonic());
}

/// The n-th instruction of a line as it is written, up to its operands; there
/// may be declarations and braces between them.
static llvm::StringRef writtenForm(llvm::StringRef line, unsigned n) {
  llvm::SmallVector<llvm::StringRef, 4> statements;
  line.split(statements, ';');
  for (llvm::StringRef statement : statements) {
    statement = statement.ltrim(" {");
    if (!statement.starts_with(".") && n-- == 0)
      return statement.take_until([](char c) { return c == ' '; });
  }
  return "";
}

/// Adds the forms of a file: as other compilers write them, and in the order
/// of the instruction table. Special registers are no forms.
static void readForms(const std::string &file,
                      std::map<std::string, std::string> &forms) {
  auto buffer = llvm::MemoryBuffer::getFile(
      std::string(DRAWLOOM_PTX_FORMS) + "/" + file, /*IsText=*/true);
  ASSERT_TRUE(buffer) << file;
  ptx::ParseResult parsed = ptx::parseModule(**buffer);
  ASSERT_TRUE(parsed) << parsed.str();
  llvm::SmallVector<llvm::StringRef, 0> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (const ptx::Function *function : parsed.module->functions) {
    if (!function->isEntry)
      continue;
    unsigned line = 0, n = 0;
    for (const ptx::Instruction &instruction : function->instructions) {
      n = instruction.line == line ? n + 1 : 0;
      line = instruction.line;
      forms.try_emplace(writtenForm(lines[line - 1], n).str(),
                        instruction.variant->mnemonic());
    }
  }
}

void Recorder::TearDown() {
  if (!isOn)
    return;
  std::map<std::string, std::string> forms;
  for (const char *file : {"Census-sm_100a.ptx", "Census-sm_90a.ptx"})
    readForms(file, forms);
  size_t count = 0;
  for (const auto &[written, mnemonic] : forms)
    if (covered.count(mnemonic))
      ++count;
    else
      ADD_FAILURE() << "no test that reads results executes " << written;
  llvm::outs() << "coverage: " << count << " of " << forms.size() << " forms\n";
  llvm::outs().flush();
}
