//===- Fidelity.cpp - How far results can be trusted ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/Fidelity.h"
#include "Decode/Program.h"
#include "drawloom/Emulator/Device.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using namespace drawloom::emu;

static const FidelityRule rules[] = {
#define EMU_FIDELITY(opcode, parts, fidelity, words)                           \
  {opcode, parts, Fidelity::fidelity, words, "", ""},
#define EMU_APPROXIMATE(opcode, parts, allowed, measured)                      \
  {opcode, parts, Fidelity::Approximate, "", allowed, measured},
#include "Fidelity.def"
};

llvm::ArrayRef<FidelityRule> drawloom::emu::fidelityRules() { return rules; }

llvm::StringRef drawloom::emu::spelling(Fidelity fidelity) {
  static constexpr llvm::StringLiteral names[fidelityCount] = {
      "exact", "approximate", "inferred", "not executed"};
  return names[static_cast<unsigned>(fidelity)];
}

std::string FidelityRule::str() const {
  if (fidelity != Fidelity::Approximate)
    return words.str();
  return llvm::formatv("off by at most {0}; PTX allows {1}", measured, allowed);
}

const FidelityRule *drawloom::emu::fidelityRuleOf(llvm::StringRef mnemonic,
                                                  bool isExecuted) {
  for (const FidelityRule &rule : rules) {
    if ((rule.fidelity != Fidelity::NotExecuted) != isExecuted ||
        !mnemonic.starts_with(rule.opcode))
      continue;
    llvm::SmallVector<llvm::StringRef, 4> parts;
    rule.parts.split(parts, ' ', -1, /*KeepEmpty=*/false);
    if (llvm::all_of(parts, [&](llvm::StringRef part) {
          return mnemonic.contains(part);
        }))
      return &rule;
  }
  return nullptr;
}

/// The instruction without its operands, but for a special register that it
/// reads: what those hold is a matter of its own.
static std::string formOf(const ptx::Instruction &instruction) {
  std::string form = instruction.variant->mnemonic();
  for (unsigned i = 0; i != instruction.operandCount; ++i)
    if (const ptx::Operand &operand = instruction.operandData[i];
        operand.is(ptx::Operand::Special))
      form += (" " + ptx::infoOf(operand.special()).text).str();
  return form;
}

void FidelityReport::add(const Kernel &kernel) {
  const Program &program = *kernel.program;
  if (!program.counts)
    return;
  MmaCounts::Totals mmas = program.counts->mmas.take();
  mmaWork += mmas.executed;
  repeatedMmaWork += mmas.repeated;
  for (auto [index, inst] : llvm::enumerate(program.code)) {
    const ptx::Instruction *source = program.source(&inst);
    if (!source)
      continue;
    auto [it, isNew] = forms.try_emplace(formOf(*source));
    Form &form = it->second;
    if (isNew) {
      bool isExecuted = !llvm::is_contained(program.notExecuted, index);
      form.rule = fidelityRuleOf(it->first, isExecuted);
      form.fidelity = form.rule    ? form.rule->fidelity
                      : isExecuted ? Fidelity::Exact
                                   : Fidelity::NotExecuted;
    }
    form.times += program.counts->times[index].exchange(0);
  }
}

unsigned FidelityReport::count(Fidelity fidelity) const {
  return llvm::count_if(forms, [&](const auto &entry) {
    return entry.second.times && entry.second.fidelity == fidelity;
  });
}

void FidelityReport::print(llvm::raw_ostream &os) const {
  size_t reached = llvm::count_if(
      forms, [](const auto &entry) { return entry.second.times != 0; });
  os << llvm::formatv("fidelity: {0} instruction variants: {1} exact, {2} "
                      "approximate, {3} inferred, {4} not executed; no warp "
                      "came to {5} more\n",
                      reached, count(Fidelity::Exact),
                      count(Fidelity::Approximate), count(Fidelity::Inferred),
                      count(Fidelity::NotExecuted), forms.size() - reached);
  if (mmaWork)
    os << llvm::formatv("MMAs: {0} multiply-adds, {1} of them ({2:F1} %) with "
                        "operands that were multiplied before\n",
                        mmaWork, repeatedMmaWork,
                        100.0 * double(repeatedMmaWork) / double(mmaWork));
  for (const FidelityRule &rule : rules) {
    if (rule.fidelity == Fidelity::Exact)
      continue;
    bool isNamed = false;
    for (const auto &[name, form] : forms) {
      if (form.rule != &rule || !form.times)
        continue;
      if (!isNamed)
        os << spelling(rule.fidelity) << ": " << rule.str() << '\n';
      isNamed = true;
      os << llvm::formatv("  {0,12} times  {1}\n", form.times, name);
    }
  }
  for (const auto &[name, form] : forms)
    if (form.times && !form.rule && form.fidelity == Fidelity::NotExecuted)
      os << "not executed: " << name << '\n';
}

void FidelityReport::writeJson(llvm::raw_ostream &os) const {
  llvm::json::OStream json(os, 1);
  json.object([&] {
    json.attributeObject("counts", [&] {
      for (unsigned i = 0; i != fidelityCount; ++i)
        json.attribute(spelling(Fidelity(i)), count(Fidelity(i)));
    });
    json.attributeObject("mmas", [&] {
      json.attribute("multiplyAdds", mmaWork);
      json.attribute("repeated", repeatedMmaWork);
    });
    json.attributeArray("forms", [&] {
      for (const auto &[name, form] : forms)
        json.object([&] {
          json.attribute("form", name);
          json.attribute("times", form.times);
          json.attribute("class", spelling(form.fidelity));
          if (!form.rule || form.fidelity == Fidelity::Exact)
            return;
          json.attribute("words", form.rule->str());
          if (form.fidelity == Fidelity::Approximate) {
            json.attribute("allowed", form.rule->allowed);
            json.attribute("measured", form.rule->measured);
          }
        });
    });
  });
  os << '\n';
}

std::string FidelityReport::write(llvm::StringRef path) const {
  if (path == "-") {
    print(llvm::errs());
    return "";
  }
  auto explain = [&](std::error_code why) {
    return ("cannot write '" + path + "': " + why.message() + " [cannot-write]")
        .str();
  };
  std::error_code failed;
  llvm::raw_fd_ostream os(path, failed);
  if (failed)
    return explain(failed);
  if (path.ends_with(".json"))
    writeJson(os);
  else
    print(os);
  os.close();
  failed = os.error();
  os.clear_error();
  return failed ? explain(failed) : "";
}
