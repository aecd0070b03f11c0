//===- Fidelity.h - How far results can be trusted --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each form of an instruction has a class: exact, approximate, inferred where
// PTX leaves something open, or not executed. lib/Fidelity.def is the table.
//
// A FidelityReport says which forms a run has executed, how often, and of which
// class they are:
//
//   device->countExecution();            // before kernels are decoded
//   ... run ...
//   FidelityReport report;
//   report.add(*kernel);                 // after each run
//   report.print(llvm::outs());
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_FIDELITY_H
#define DRAWLOOM_EMULATOR_FIDELITY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace drawloom::emu {

struct Kernel;

enum class Fidelity : uint8_t { Exact, Approximate, Inferred, NotExecuted };
inline constexpr unsigned fidelityCount = 4;

/// "exact", "approximate", "inferred", "not executed".
llvm::StringRef spelling(Fidelity fidelity);

/// A row of the table.
struct FidelityRule {
  llvm::StringRef opcode; ///< What an instruction begins with.
  llvm::StringRef parts;  ///< What else is in it, with spaces between.
  Fidelity fidelity;
  llvm::StringRef words;
  /// Of an approximation: the largest error that PTX allows, and that of the
  /// emulator.
  llvm::StringRef allowed, measured;

  /// The words, or for an approximation both errors in a sentence.
  std::string str() const;
};

llvm::ArrayRef<FidelityRule> fidelityRules();
/// The row for an instruction without its operands, of those that aren't
/// executed or of the others; null if there is none.
const FidelityRule *fidelityRuleOf(llvm::StringRef mnemonic, bool isExecuted);

class FidelityReport {
public:
  /// Takes what the kernel has executed since it was added last.
  void add(const Kernel &kernel);

  /// How many forms of a class warps came to.
  unsigned count(Fidelity fidelity) const;

  /// The counts in one line; then each rule but for exactness, with the forms
  /// that it is about.
  void print(llvm::raw_ostream &os) const;
  void writeJson(llvm::raw_ostream &os) const;
  /// To a file: JSON if its name ends in .json, text if not; '-' is standard
  /// error. What went wrong, or an empty string.
  std::string write(llvm::StringRef path) const;

private:
  struct Form {
    uint64_t times = 0; ///< 0: no warp came to it.
    Fidelity fidelity = Fidelity::Exact;
    const FidelityRule *rule = nullptr;
  };
  std::map<std::string, Form> forms;
  /// Multiply-adds of MMAs, and those whose operands were multiplied before.
  uint64_t mmaWork = 0, repeatedMmaWork = 0;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_FIDELITY_H
