//===- OperandCheck.h - Do these operands fit that form ---------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks operands against the operand shapes of one variant: kinds, counts,
// types, state spaces. The same code answers quickly (no Mismatch wanted) and
// explains (one wanted), so the two cannot disagree.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_LIB_OPERANDCHECK_H
#define DRAWLOOM_PTX_LIB_OPERANDCHECK_H

#include "FormMatcher.h"

namespace drawloom::ptx {

class OperandCheck {
public:
  /// With `why` null only the answer is computed.
  OperandCheck(const Variant &variant, unsigned addressSize, Mismatch *why,
               FormMatcher::NameOf nameOf)
      : variant(variant), addressSize(addressSize), why(why), nameOf(nameOf) {}

  bool run(llvm::ArrayRef<Operand> operands);

private:
  bool checkOperand(const OperandSpec &spec, const OperandShape &shape,
                    const Operand &operand);
  bool checkValue(const OperandSpec &spec, const OperandShape &shape,
                  const Operand &operand);
  bool checkVector(const OperandSpec &spec, const OperandShape &shape,
                   const Operand &operand);
  bool checkPacked(const OperandSpec &spec, Type type, const Operand &operand);
  bool checkScalar(const OperandSpec &spec, Type type, const Operand &operand);
  bool checkRegister(const OperandSpec &spec, Type type,
                     const Operand &operand);
  bool checkImmediate(const OperandSpec &spec, Type type,
                      const Operand &operand);
  bool checkAddress(const OperandSpec &spec, const OperandShape &shape,
                    const Operand &operand);
  bool checkSomeElement(const OperandSpec &spec, const Operand &vector);
  bool checkRange(const OperandSpec &spec, int64_t value);
  bool checkBase(StateSpace space, const Operand &base);

  bool reject(llvm::function_ref<std::string()> message) const {
    if (why) {
      why->operand = operandIndex;
      why->part = partIndex;
      why->message = message();
    }
    return false;
  }
  std::string name() const { return nameOf(operandIndex, partIndex); }
  std::string mnemonic() const { return "'" + variant.mnemonic() + "'"; }

  const Variant &variant;
  unsigned addressSize;
  Mismatch *why;
  FormMatcher::NameOf nameOf;
  unsigned operandIndex = 0;
  int partIndex = -1;
};

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_LIB_OPERANDCHECK_H
