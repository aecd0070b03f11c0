//===- FormMatcher.h - Which form an instruction has ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finding the form of an instruction has two halves. What the mnemonic's text
// means is worked out once for each distinct text (a module has a few hundred)
// and remembered; the operands then choose among the candidates that are left,
// usually one.
//
// The order of modifiers is free, as it is for ptxas, except that types, state
// spaces and layouts keep their order among themselves.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_LIB_FORMMATCHER_H
#define DRAWLOOM_PTX_LIB_FORMMATCHER_H

#include "drawloom/PTX/InstructionTable.h"
#include "drawloom/PTX/Operand.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include <string>

namespace drawloom::ptx {

/// What a mnemonic can mean for the module's target.
struct Mnemonic {
  llvm::SmallVector<const Variant *, 2> candidates;
  /// If there are no candidates: why, and where in the text.
  std::string problem;
  size_t problemOffset = 0;
  /// Set if all candidates have the same special syntax at some operand.
  bool isCall = false;
  int labelOperand = -1;
  int targetsOperand = -1;
};

/// Why operands don't fit a form: the operand, its part (-1: the whole; for
/// vectors, pairs and addresses), and the words.
struct Mismatch {
  unsigned operand = 0;
  int part = -1;
  std::string message;
};

class FormMatcher {
public:
  /// The name of the register or symbol at an operand, for messages.
  using NameOf = llvm::function_ref<std::string(unsigned operand, int part)>;

  FormMatcher(llvm::BumpPtrAllocator &arena, Version version, Target target,
              unsigned addressSize)
      : arena(arena), version(version), target(target),
        addressSize(addressSize) {}

  /// The text must outlive the matcher.
  const Mnemonic &resolve(llvm::StringRef text);

  /// The first candidate that takes these operands; null if none does.
  const Variant *match(const Mnemonic &mnemonic,
                       llvm::ArrayRef<Operand> operands) const;
  /// Why no candidate takes these operands, of which there is at least one.
  Mismatch explain(const Mnemonic &mnemonic, llvm::ArrayRef<Operand> operands,
                   NameOf nameOf) const;

private:
  Mnemonic build(llvm::StringRef text) const;
  void explainModifiers(Opcode opcode, llvm::StringRef text,
                        llvm::ArrayRef<llvm::StringRef> words,
                        Mnemonic &mnemonic) const;
  const Variant *makeVariant(const Form &form,
                             llvm::ArrayRef<Modifier> modifiers) const;

  llvm::BumpPtrAllocator &arena;
  Version version;
  Target target;
  unsigned addressSize;
  llvm::DenseMap<llvm::StringRef, const Mnemonic *> known;
  /// Owns what `known` points to; mnemonics hold strings and vectors.
  std::vector<std::unique_ptr<Mnemonic>> owned;
};

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_LIB_FORMMATCHER_H
