//===- Operand.h - The operands of an instruction ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand is 16 bytes and holds no text: registers are numbers in their
// function, variables are pointers to their declaration, labels are numbers of
// the function's label list. What has parts (a vector, an address with
// coordinates, a pair, a call's argument list) points to an array of operands.
//
//   kind        index            payload
//   Register    register number  -
//   Integer     -                value
//   Float32/64  -                bits
//   Special     which register   -
//   Symbol      offset (int32)   const Symbol *
//   Label       label number     -
//   Targets     list number      -
//   Prototype   .callprototype   -
//   Sink        -                -
//   Vector      count            elements
//   Pair        2                elements: the destination and the predicate
//   Address     count            elements: the base, then what else is in [ ]
//
// The base of an address is a Register, Symbol or Integer; a Register's payload
// is then its byte offset.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_OPERAND_H
#define DRAWLOOM_PTX_OPERAND_H

#include "drawloom/PTX/Target.h"
#include "drawloom/PTX/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace drawloom::ptx {

struct Symbol;

enum class SpecialRegister : uint8_t {
#define PTX_SPECIAL(name, text, type, elements, since) name,
#include "drawloom/PTX/SpecialRegisters.def"
};

/// A row of SpecialRegisters.def.
struct SpecialRegisterInfo {
  llvm::StringRef text;
  Type type;
  int8_t elements; ///< 4: a vector; 1: a scalar; -n: numbered, n of them.
  Requirement since;
};
const SpecialRegisterInfo &infoOf(SpecialRegister special);
/// The special register of that name ("%tid", "%envreg7"), with the number of a
/// numbered one in `number`.
std::optional<SpecialRegister> parseSpecialRegister(llvm::StringRef text,
                                                    unsigned &number);

class Operand {
public:
  enum Kind : uint8_t {
    Register,
    Integer,
    Float32,
    Float64,
    Special,
    SymbolAddress,
    Label,
    Targets,
    Prototype,
    Sink,
    Vector,
    Pair,
    Address,
  };

  static Operand makeRegister(uint32_t number, Type type, uint8_t elements) {
    Operand operand(Register);
    operand.typeField = type;
    operand.elementsField = elements;
    operand.indexField = number;
    return operand;
  }
  static Operand makeInteger(int64_t value) {
    Operand operand(Integer);
    operand.value = value;
    return operand;
  }
  static Operand makeFloat(bool is32, uint64_t bits) {
    Operand operand(is32 ? Float32 : Float64);
    operand.value = static_cast<int64_t>(bits);
    return operand;
  }
  static Operand makeSpecial(SpecialRegister special, unsigned number) {
    Operand operand(Special);
    operand.typeField = infoOf(special).type;
    operand.elementsField = infoOf(special).elements > 1 ? 4 : 1;
    operand.indexField = static_cast<uint32_t>(special) | number << 8;
    return operand;
  }
  static Operand makeSymbol(const Symbol *symbol,
                            std::optional<int32_t> offset = std::nullopt) {
    Operand operand(SymbolAddress);
    operand.symbolField = symbol;
    operand.indexField = static_cast<uint32_t>(offset.value_or(0));
    operand.offsetField = offset.has_value();
    return operand;
  }
  static Operand makeIndexed(Kind kind, uint32_t index) {
    Operand operand(kind);
    operand.indexField = index;
    return operand;
  }
  static Operand makeSink() { return Operand(Sink); }
  static Operand makeList(Kind kind, llvm::ArrayRef<Operand> parts) {
    Operand operand(kind);
    operand.indexField = static_cast<uint32_t>(parts.size());
    operand.partsField = parts.data();
    return operand;
  }

  Kind kind() const { return kindField; }
  bool is(Kind kind) const { return kindField == kind; }
  bool isImmediate() const {
    return kindField == Integer || kindField == Float32 || kindField == Float64;
  }

  /// The number of a register, label or list.
  uint32_t index() const { return indexField; }
  /// The declared type of a register or special register.
  Type type() const { return typeField; }
  /// The elements of a register declared as a vector that is used whole; 1
  /// for a scalar or an element.
  unsigned elements() const { return elementsField; }
  /// Which element of a vector register (`%v.x`): 0 to 3, or -1.
  int component() const { return componentField; }
  /// Written with `!`: a source predicate.
  bool isNegated() const { return negatedField; }
  /// An address written `[a].unified`.
  bool isUnified() const { return unifiedField; }
  /// Whether a Register or SymbolAddress was written with an offset. `[%rd1+0]`
  /// is not quite `[%rd1]`: without optimization ptxas adds the 0.
  bool hasOffset() const { return offsetField; }
  /// The value of an Integer, the bits of a float, the byte offset of a
  /// Register that is the base of an address.
  int64_t integer() const { return value; }
  const Symbol *symbol() const { return symbolField; }
  /// The byte offset of a SymbolAddress.
  int32_t symbolOffset() const { return static_cast<int32_t>(indexField); }
  SpecialRegister special() const {
    return static_cast<SpecialRegister>(indexField & 0xff);
  }
  /// Which one of the numbered special registers (7 for %envreg7).
  unsigned specialNumber() const { return indexField >> 8; }
  /// The parts of a Vector, Pair or Address.
  llvm::ArrayRef<Operand> parts() const { return {partsField, indexField}; }

  void setNegated() { negatedField = true; }
  void setUnified() { unifiedField = true; }
  void setOffset(int64_t offset) {
    value = offset;
    offsetField = true;
  }
  void setIndex(uint32_t index) { indexField = index; }
  void setComponent(unsigned component) {
    componentField = static_cast<int8_t>(component);
    elementsField = 1;
  }

private:
  explicit Operand(Kind kind) : kindField(kind) {}

  Kind kindField;
  Type typeField = Type::None;
  uint8_t elementsField : 5 = 1;
  bool negatedField : 1 = false;
  bool unifiedField : 1 = false;
  bool offsetField : 1 = false;
  int8_t componentField = -1;
  uint32_t indexField = 0;
  union {
    int64_t value = 0;
    const Symbol *symbolField;
    const Operand *partsField;
  };
};

static_assert(sizeof(Operand) == 16, "operands are what modules are made of");

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_OPERAND_H
