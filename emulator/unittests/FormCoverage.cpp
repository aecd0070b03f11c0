//===- FormCoverage.cpp - Which forms are held to values -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormCoverage.h"
#include "Machine/Warp.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <atomic>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

using namespace drawloom;
using namespace drawloom::emu;

namespace {
/// A program whose instructions have the recorder in front of them.
struct Recorded {
  std::vector<Execute *> handlers;
  std::vector<std::atomic<bool>> executed;

  explicit Recorded(Program &program)
      : handlers(program.code.size()), executed(program.code.size()) {}
};

class Recorder : public testing::Environment {
public:
  static Recorder &get() {
    // GoogleTest owns it.
    static auto *recorder = static_cast<Recorder *>(
        testing::AddGlobalTestEnvironment(new Recorder));
    return *recorder;
  }

  const bool isOn = std::getenv("DRAWLOOM_FORM_COVERAGE") != nullptr;
  std::map<const Program *, Recorded> programs;
  std::set<std::string> covered;

  void TearDown() override;
};

// GoogleTest must know it before the first test runs.
[[maybe_unused]] Recorder &registered = Recorder::get();
} // namespace

static const Inst *record(Warp &warp, const Inst *inst, uint32_t mask) {
  const Program &program = warp.program();
  Recorded &recorded = Recorder::get().programs.find(&program)->second;
  uint32_t index = program.indexOf(inst);
  recorded.executed[index].store(true, std::memory_order_relaxed);
  return recorded.handlers[index](warp, inst, mask);
}

void FormCoverage::launch(const Program &program) {
  Recorder &recorder = Recorder::get();
  if (!recorder.isOn)
    return;
  auto found = recorder.programs.find(&program);
  if (found != recorder.programs.end()) {
    for (std::atomic<bool> &executed : found->second.executed)
      executed = false;
    return;
  }
  // A program doesn't change once it is decoded; this is the one exception.
  auto &code = const_cast<Program &>(program);
  Recorded &recorded =
      recorder.programs.try_emplace(&program, code).first->second;
  for (auto [inst, handler] : llvm::zip_equal(code.code, recorded.handlers))
    handler = std::exchange(inst.fn, record);
  programs.push_back(&program);
}

void FormCoverage::read() {
  Recorder &recorder = Recorder::get();
  for (const Program *program : programs)
    for (auto [index, executed] :
         llvm::enumerate(recorder.programs.find(program)->second.executed))
      if (executed.exchange(false))
        if (const auto *source = program->source(&program->code[index]))
          recorder.covered.insert(source->variant->mnemonic());
}

void FormCoverage::forget() {
  for (const Program *program : programs)
    Recorder::get().programs.erase(program);
  programs.clear();
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
