//===- emulator-forms.cpp - Which forms of PTX the emulator executes ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes through the instruction table, writes down every variant of every form,
// and asks the decoder of each device whether it knows them. What comes out is
// docs/EmulatedForms.md, which is not edited.
//
//===----------------------------------------------------------------------===//

#include "Decode/Program.h"
#include "VariantText.h"
#include "drawloom/Emulator/Device.h"
#include "drawloom/Emulator/Fidelity.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using namespace drawloom::emu;

static llvm::cl::OptionCategory category("emulator-forms");
static llvm::cl::opt<std::string>
    check("check",
          llvm::cl::desc("Print nothing; exit with 1 if this file is not what "
                         "would be printed"),
          llvm::cl::value_desc("page.md"), llvm::cl::cat(category));

namespace {
/// How many variants of a form there are, on the devices together.
struct Count {
  unsigned all = 0, executed = 0;
};

/// Finds out which instructions a device parses and executes.
class Probe {
public:
  explicit Probe(DeviceModel model) {
    model.memoryBytes = 1 << 20;
    device = llvm::cantFail(Device::create(model));
  }

  /// The instructions that are valid for the device's target, and of these the
  /// ones that the emulator doesn't execute.
  void run(std::vector<std::string> instructions, llvm::StringSet<> &valid,
           llvm::StringSet<> &notExecuted) {
    std::unique_ptr<ptx::Module> module = parse(instructions);
    if (instructions.empty())
      return;
    auto loaded = llvm::cantFail(device->load(std::move(module)));
    const Kernel *kernel = llvm::cantFail(loaded->kernel("k"));
    for (const std::string &text : instructions)
      valid.insert(text);
    const Program &program = *kernel->program;
    for (uint32_t index : program.notExecuted)
      notExecuted.insert(
          instructions[program.line(&program.code[index]) - firstLine]);
  }

private:
  static constexpr unsigned firstLine = 4;

  /// Removes what doesn't parse.
  std::unique_ptr<ptx::Module> parse(std::vector<std::string> &instructions) {
    for (;;) {
      std::string body;
      for (const std::string &text : instructions)
        body += text + ";\n";
      std::string source =
          ".version 9.4 .target " + device->model().target.str() +
          " .address_size 64\n" + variantPrelude() + variantKernel("k", body);
      ptx::ParseOptions options;
      options.maxErrors = instructions.size() + 1;
      ptx::ParseResult result =
          ptx::parseModule(llvm::MemoryBufferRef(source, "forms"), options);
      if (result)
        return std::move(result.module);
      for (const llvm::SMDiagnostic &diagnostic : result.diagnostics)
        if (size_t line = diagnostic.getLineNo() - firstLine;
            line < instructions.size())
          instructions[line].clear();
      size_t before = instructions.size();
      llvm::erase_if(instructions,
                     [](const std::string &text) { return text.empty(); });
      if (instructions.size() == before)
        llvm::report_fatal_error(llvm::Twine(result.str()));
    }
  }

  std::unique_ptr<Device> device;
};

/// A row of the page.
struct Row {
  ptx::Opcode opcode;
  llvm::StringRef modifiers;
  Count count;
  std::string example; ///< One that isn't executed.
};

/// An instruction and a reason, with the forms that aren't executed for it.
struct Gap {
  ptx::Opcode opcode;
  llvm::StringRef reason;
  std::vector<const Row *> rows;
};
} // namespace

/// Why the instruction `text` isn't executed; empty if there is no reason.
static llvm::StringRef reasonOf(llvm::StringRef text) {
  const FidelityRule *rule = fidelityRuleOf(text, /*isExecuted=*/false);
  return rule ? rule->words : "";
}

static std::vector<Row> probeAll() {
  std::vector<Probe> probes;
  for (const DeviceModel &model : deviceModels())
    probes.emplace_back(model);
  std::vector<Row> rows;
  for (const ptx::Form &form : ptx::InstructionTable::get().forms()) {
    std::vector<std::string> variants = variantsOf(form);
    llvm::StringSet<> valid, notExecuted;
    // All instructions of a kernel must have the same .cta_group.
    std::vector<std::string> kernels[2];
    for (const std::string &text : variants)
      kernels[llvm::StringRef(text).contains(".cta_group::2")].push_back(text);
    for (Probe &probe : probes)
      for (const std::vector<std::string> &kernel : kernels)
        probe.run(kernel, valid, notExecuted);
    Row row{form.opcode, form.modifierText, {}, ""};
    row.count.all = valid.size();
    row.count.executed = valid.size() - notExecuted.size();
    for (const std::string &text : variants)
      if (row.example.empty() && notExecuted.contains(text))
        row.example = text;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Counts of all forms, and of the variants of these.
static std::string summary(llvm::ArrayRef<Row> rows) {
  Count forms, variants;
  unsigned elsewhere = 0;
  for (const Row &row : rows) {
    elsewhere += row.count.all == 0;
    forms.all += row.count.all != 0;
    forms.executed += row.count.all && row.count.executed == row.count.all;
    variants.all += row.count.all;
    variants.executed += row.count.executed;
  }
  std::string targets;
  for (const DeviceModel &model : deviceModels())
    targets += (targets.empty() ? "" : ", ") + model.target.str();
  return llvm::formatv(
      "A form is a row of the PTX library's instruction table; a variant "
      "is a form with a choice of its modifiers.\n\n"
      "| | on {5} | executed |\n|---|---|---|\n"
      "| forms | {0} | {1} in all their variants |\n"
      "| variants | {2} | {3} |\n\n"
      "{4} forms of the table are for other targets only.\n\n",
      forms.all, forms.executed, variants.all, variants.executed, elsewhere,
      targets);
}

static std::vector<Gap> gapsOf(llvm::ArrayRef<Row> rows) {
  std::vector<Gap> gaps;
  for (const Row &row : rows) {
    if (row.count.all == row.count.executed)
      continue;
    llvm::StringRef reason = reasonOf(row.example);
    auto gap = llvm::find_if(gaps, [&](const Gap &gap) {
      return gap.opcode == row.opcode && gap.reason == reason;
    });
    if (gap == gaps.end())
      gap = gaps.insert(gap, Gap{row.opcode, reason, {}});
    gap->rows.push_back(&row);
  }
  return gaps;
}

/// The instructions of rules that are for executed forms, as the table has
/// them.
static void printRules(llvm::raw_ostream &os) {
  os << "## Approximate\n\nPTX gives a largest error for these, and not the "
        "bits. A test measures the emulator's, against the C library in "
        "higher precision, over\nall f16 and bf16 numbers and 300,000 "
        "others. A GPU has other bits within what is allowed.\n\n"
        "| instruction | of | PTX allows | the emulator is off by at most |\n"
        "|---|---|---|---|\n";
  for (const FidelityRule &rule : fidelityRules())
    if (rule.fidelity == Fidelity::Approximate)
      os << llvm::formatv("| `{0}` | `{1}` | {2} | {3} |\n", rule.opcode,
                          rule.parts, rule.allowed, rule.measured);
  os << "\n## Inferred\n\nPTX leaves something open here, or has it in a "
        "figure. A GPU may do otherwise, and so may another GPU.\n\n"
        "| instruction | with | what is done |\n|---|---|---|\n";
  for (const FidelityRule &rule : fidelityRules())
    if (rule.fidelity == Fidelity::Inferred)
      os << llvm::formatv("| `{0}` | {1} | {2} |\n", rule.opcode,
                          rule.parts.empty() ? std::string()
                                             : "`" + rule.parts.str() + "`",
                          rule.words);
  os << "\nAll other forms that are executed are exact: PTX says every bit of "
        "the result, but for operands that it calls undefined or leaves to "
        "the implementation,\nsuch as a divisor that is 0.\n\n";
}

static std::string page(llvm::ArrayRef<Row> rows) {
  std::vector<Gap> gaps = gapsOf(rows);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "<!-- Generated by emulator-forms; edit emulator/tools/emulator-forms "
        "-->\n# Forms that the emulator executes\n\n"
     << summary(rows)
     << "`drawloom run --fidelity FILE` says of a run which forms it has "
        "executed, and of which of these kinds they are "
        "([Run.md](Run.md#fidelity)).\n\n";
  printRules(os);
  os << "## Not executed\n\nThese instructions parse. A kernel that has one "
        "loads, and runs until it comes to it; then the launch ends with a\n"
        "report that names it.\n\n| instruction | such as | why |\n"
        "|---|---|---|\n";
  for (const Gap &gap : gaps)
    os << llvm::formatv(
        "| `{0}` | `{1}` | {2} |\n", ptx::spelling(gap.opcode),
        llvm::StringRef(gap.rows.front()->example).split(' ').first,
        gap.reason);
  os << "\n## One by one\n\nBefore each form, how many of its variants are not "
        "executed, of how many.\n";
  for (const Gap &gap : gaps) {
    os << llvm::formatv("\n`{0}`:\n\n```\n", ptx::spelling(gap.opcode));
    for (const Row *row : gap.rows)
      os << llvm::formatv("{0,4} of {1,4}  {2}\n",
                          row->count.all - row->count.executed, row->count.all,
                          row->modifiers);
    os << "```\n";
  }
  return text;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(
      argc, argv,
      "Lists the forms of PTX that parse and that the emulator doesn't "
      "execute.\n\n  emulator-forms > docs/EmulatedForms.md\n");
  std::vector<Row> rows = probeAll();
  for (const Row &row : rows)
    if (row.count.all != row.count.executed && reasonOf(row.example).empty()) {
      llvm::errs() << "no reason is given for " << row.example << "\n";
      return 1;
    }
  std::string text = page(rows);
  if (check.empty()) {
    llvm::outs() << text;
    return 0;
  }
  auto buffer = llvm::MemoryBuffer::getFile(check, /*IsText=*/true);
  if (buffer && (*buffer)->getBuffer() == text)
    return 0;
  llvm::errs() << check << " is stale: run `emulator-forms > " << check
               << "` and commit the result\n";
  return 1;
}
