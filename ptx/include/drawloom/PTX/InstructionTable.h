//===- InstructionTable.h - The forms of PTX's instructions -----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table says which instructions there are. Its rows, in Forms/*.def, are
// close to the syntax lines of the PTX ISA; Forms/Notation.md describes them:
//
//   PTX_OPCODE(Setp, "setp")
//   PTX_FORM(".cmp=eq|ne|lt {.bool} .type=INT",
//            "out p/_[|q]:pred, a:type, b:type, ?bool c:pred", "1.0")
//
// The rows are compiled once into immutable descriptors. The parser checks
// instructions against them, the printer prints in their order, and an emulator
// decodes by (opcode, modifiers by slot, operand types) without looking at
// text.
//
// The words. An *opcode* is the part of a mnemonic that stands first and fixed
// (`cp.async.bulk.tensor`). A *modifier* is one of the dotted words after it. A
// *slot* is a place for a modifier, with a name and alternatives. A *form* is
// an opcode with slots and operand shapes. A *variant* is a form with a
// modifier chosen for each slot: what a mnemonic in the text means.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_INSTRUCTIONTABLE_H
#define DRAWLOOM_PTX_INSTRUCTIONTABLE_H

#include "drawloom/PTX/Target.h"
#include "drawloom/PTX/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <string>

namespace drawloom::ptx {

enum class Opcode : uint16_t {
#define PTX_OPCODE(name, text) name,
#define PTX_FORM(modifiers, operands, since)
#include "drawloom/PTX/Forms/Forms.def"
};

/// Every dotted word of a mnemonic: the types first, then all others.
enum class Modifier : uint16_t {
  None,
#define PTX_TYPE(name, text, bits, kind, declarable) name,
#include "drawloom/PTX/Types.def"
#define PTX_MODIFIER(name, text, since) name,
#include "drawloom/PTX/Forms/Modifiers.def"
};

/// The named places of a form. `Fixed` stands for a word that the form spells
/// out itself and that needs no name, such as `.sync` or `{.ftz}`.
enum class Slot : uint8_t {
  Fixed,
#define PTX_SLOT(name, text, alternatives) name,
#include "drawloom/PTX/Forms/Slots.def"
};

llvm::StringRef spelling(Opcode opcode);
llvm::StringRef spelling(Modifier modifier);
llvm::StringRef spelling(Slot slot);

/// The type that a modifier names; Type::None for other modifiers.
Type typeOf(Modifier modifier);
/// The state space that a modifier names; Generic for other modifiers.
StateSpace spaceOf(Modifier modifier);
/// The number in a modifier: 4 for `.v4`, 2 for `.2d`, 32 for `.x32`, and n for
/// a shape `.m64n128k16`; 0 if there is none.
unsigned numberOf(Modifier modifier);
/// What a modifier needs wherever it stands.
const Requirement &requirementOf(Modifier modifier);

/// A place for a modifier in a form.
struct ModifierSlot {
  Slot slot = Slot::Fixed;
  bool optional = false;
  /// Slots of one group are all there or all absent; 0 is no group.
  uint8_t group = 0;
  llvm::ArrayRef<Modifier> alternatives;
};

/// The type of an operand: a fixed one, or what a slot holds.
struct TypeRef {
  enum Rule : uint8_t {
    Exact,  ///< A compatible register of the same size.
    Wider,  ///< The register may be wider (`type+`).
    Double, ///< Twice the width of the slot's type (`wide(type)`).
    Packed, ///< Also a vector whose elements make up the bits (`pack(type)`).
  };
  Type fixed = Type::None;
  Slot slot = Slot::Fixed;
  Rule rule = Exact;
};

/// How many elements a vector operand has: fixed, or factor * slot / divisor -
/// minus.
struct Length {
  uint16_t fixed = 0;
  Slot slot = Slot::Fixed;
  uint8_t factor = 1;
  uint8_t divisor = 1;
  uint8_t minus = 0;
};

/// Integers that an immediate may be: first, first + step, ... up to last.
struct ValueRange {
  int64_t first;
  int64_t last;
  int64_t step = 1;
};

/// The shape of an operand of a form.
struct OperandSpec {
  enum Kind : uint8_t {
    Value,   ///< A register, an immediate, or more: see the flags.
    Address, ///< `[a]`, perhaps with elements after the address.
    Label,   ///< A label of the function.
    Targets, ///< The label of a .branchtargets list.
    Call,    ///< Results, callee, arguments and prototype of a call.
  };
  enum Presence : uint8_t { Always, Optional, IfSlot, IfModifier };

  Kind kind = Value;
  Presence presence = Always;
  bool isOut = false;
  bool allowRegister = true;
  bool allowImmediate = true;
  bool allowSymbol = false;  ///< The address of a variable (`var`, `any`).
  bool allowSpecial = false; ///< A special register or a function (`any`).
  bool allowSink = false;    ///< `_`; elements of an `out` vector always may.
  bool isVector = false;     ///< `{a}*n`: see `length`.
  bool hasPair = false;      ///< `d|p`.
  bool pairOptional = false; ///< `d[|p]`.
  Slot ifSlot = Slot::Fixed;
  Modifier ifModifier = Modifier::None;
  TypeRef type;
  Length length;
  StateSpace space = StateSpace::Generic; ///< Of an address, if spaceSlot is
  Slot spaceSlot = Slot::Fixed;           ///< Fixed; else what the slot holds.
  llvm::ArrayRef<OperandSpec> elements;   ///< After the address in brackets.
  llvm::ArrayRef<ValueRange> values; ///< Of an immediate; empty: any value.
  llvm::StringRef name;
};

struct Form {
  Opcode opcode;
  llvm::ArrayRef<ModifierSlot> slots;
  llvm::ArrayRef<OperandSpec> operands;
  Requirement since;
  llvm::StringRef modifierText; ///< The row's own strings, for messages.
  llvm::StringRef operandText;
};

/// What an operand of a form comes to once the modifiers are chosen.
struct OperandShape {
  Type type = Type::None; ///< None if it has no type (addresses, labels).
  StateSpace space = StateSpace::Generic; ///< Of an address.
  bool wanted = true;  ///< False if the modifiers exclude this operand.
  uint16_t length = 0; ///< Elements of a vector; 0 for a plain operand.
};

/// A form with its modifiers chosen.
struct Variant {
  const Form *form = nullptr;
  /// One for each slot of the form, None where an optional one is absent.
  llvm::ArrayRef<Modifier> modifiers;
  /// One for each operand of the form.
  llvm::ArrayRef<OperandShape> shapes;

  Opcode opcode() const { return form->opcode; }
  /// The modifier in `slot`; None if the form has no such slot or it is empty.
  Modifier get(Slot slot) const;
  bool has(Modifier modifier) const;
  /// The type in `slot`; None if there is none.
  Type type(Slot slot) const { return typeOf(get(slot)); }
  /// The shape of an operand; `shapes` has those of the form's own operands,
  /// this works for elements inside brackets as well.
  OperandShape shapeOf(const OperandSpec &spec) const;
  /// The mnemonic in the order of the form: "ld.global.v4.b32".
  std::string mnemonic() const;
};

/// The compiled table. Immutable; building it takes a few milliseconds, once.
class InstructionTable {
public:
  static const InstructionTable &get();
  ~InstructionTable();

  unsigned opcodeCount() const;
  llvm::ArrayRef<Form> forms() const;
  llvm::ArrayRef<Form> formsOf(Opcode opcode) const;

  /// Splits "ld.global.v4.b32" into the longest opcode that is a prefix and the
  /// rest, ".global.v4.b32". Nothing if no opcode is.
  std::optional<Opcode> matchOpcode(llvm::StringRef mnemonic,
                                    llvm::StringRef &rest) const;
  std::optional<Modifier> findModifier(llvm::StringRef text) const;
  const Requirement &requirement(Modifier modifier) const;

  /// What is wrong with the rows, as text; empty if all are well formed.
  llvm::ArrayRef<std::string> malformedRows() const;

private:
  InstructionTable();
  struct Storage;
  std::unique_ptr<Storage> storage;
};

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_INSTRUCTIONTABLE_H
