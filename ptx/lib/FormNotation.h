//===- FormNotation.h - Rows of the table to descriptors --------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the strings of a PTX_FORM row into a Form. The notation is described
// in Forms/Notation.md; whatever does not follow it is an error, which
// a unit test turns into a failure.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_LIB_FORMNOTATION_H
#define DRAWLOOM_PTX_LIB_FORMNOTATION_H

#include "drawloom/PTX/InstructionTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"

namespace drawloom::ptx {

/// What the words in a row can mean.
struct FormVocabulary {
  llvm::StringMap<Modifier> modifiers;
  llvm::StringMap<Slot> slots;
  llvm::StringMap<llvm::StringRef> slotDefaults; ///< By the slot's name.
  llvm::StringMap<llvm::StringRef> groups;
};

/// Reads rows. The descriptors live in the arena.
class FormCompiler {
public:
  FormCompiler(const FormVocabulary &vocabulary, llvm::BumpPtrAllocator &arena)
      : vocabulary(vocabulary), arena(arena) {}

  llvm::Expected<Form> compile(Opcode opcode, llvm::StringRef modifiers,
                               llvm::StringRef operands, llvm::StringRef since);

private:
  llvm::Error compileSlots(llvm::StringRef text, Form &form);
  llvm::Error compileSlot(llvm::StringRef word, ModifierSlot &slot);
  llvm::Error compileAlternatives(llvm::StringRef text,
                                  llvm::SmallVectorImpl<Modifier> &list);
  llvm::Expected<llvm::ArrayRef<OperandSpec>>
  compileOperands(llvm::StringRef text, const Form &form, unsigned depth);
  llvm::Error compileOperand(llvm::StringRef text, const Form &form,
                             OperandSpec &spec, unsigned depth);
  llvm::Error compileValue(llvm::StringRef text, const Form &form,
                           OperandSpec &spec);
  llvm::Error compileAddress(llvm::StringRef text, const Form &form,
                             OperandSpec &spec, unsigned depth);
  llvm::Error compileType(llvm::StringRef text, const Form &form,
                          TypeRef &type);
  llvm::Error compileLength(llvm::StringRef text, Length &length);
  llvm::Error compileValues(llvm::StringRef text, OperandSpec &spec);
  llvm::Expected<Slot> slotOf(llvm::StringRef name, const Form &form);

  template <typename T>
  llvm::ArrayRef<T> save(llvm::ArrayRef<T> list) {
    T *copy = arena.Allocate<T>(list.size());
    llvm::uninitialized_copy(list, copy);
    return {copy, list.size()};
  }

  const FormVocabulary &vocabulary;
  llvm::BumpPtrAllocator &arena;
};

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_LIB_FORMNOTATION_H
