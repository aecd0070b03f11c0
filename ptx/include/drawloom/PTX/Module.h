//===- Module.h - The typed form of a PTX module ----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Module is what a PTX text says, with every name resolved and every
// instruction matched to a row of the instruction table. It keeps no text but
// names; the source may be thrown away.
//
// A function's body is one flat array of instructions. Whatever else stands
// between them (declarations, labels, scopes, line numbers, pragmas) is a list
// of BodyItems, each with the number of the instruction it stands before:
//
//   {                              items: (0, Registers 0) (1, Label 0) (2, Loc
//   0)
//     .reg .b32 %r<3>;
//     mov.b32 %r1, 7;              instruction 0
//   loop:
//     add.s32 %r1, %r1, -1;        instruction 1
//     .loc 1 12 5
//     bra loop;                    instruction 2: Operand(Label 0)
//   }
//
// To execute the function, the instructions and labels are enough. All
// registers of a function, of all its scopes, are numbered from 0, so a
// register file is one array.
//
// Everything lives in the module's arena and is immutable once parsed.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_MODULE_H
#define DRAWLOOM_PTX_MODULE_H

#include "drawloom/PTX/InstructionTable.h"
#include "drawloom/PTX/Operand.h"
#include "drawloom/PTX/SourceLine.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Allocator.h"
#include <cstdint>
#include <limits>

namespace drawloom::ptx {

enum class Linkage : uint8_t { None, Extern, Visible, Weak, Common };
llvm::StringRef spelling(Linkage linkage);

/// A named thing that outlives an instruction: a variable, parameter or
/// function. The number is its place among all symbols of the module.
struct Symbol {
  enum Kind : uint8_t { VariableKind, FunctionKind };
  Kind kind;
  uint32_t number = 0;
  uint32_t line = 0; ///< Of the declaration.
  llvm::StringRef name;
};

/// A value in an initializer: a number, the address of a symbol (perhaps a
/// generic address, perhaps one byte of it), or a list.
struct Initializer {
  enum Kind : uint8_t { Integer, Float32, Float64, Address, List };
  Kind kind = Integer;
  bool generic = false; ///< `generic(symbol)`.
  uint64_t mask = 0;    ///< `0xff00(symbol)`; 0 if there is none.
  int64_t value = 0; ///< The number, its bits, or the offset from the symbol.
  const Symbol *symbol = nullptr;
  llvm::ArrayRef<Initializer> elements;
};

/// `.attribute(.managed)` or `.attribute(.unified(1, 2))`.
struct Attribute {
  enum Kind : uint8_t { Managed, Unified };
  Kind kind;
  uint64_t uuid[2] = {0, 0};
};

/// The `.ptr` attribute of a kernel parameter.
struct PointerAttribute {
  bool present = false;
  StateSpace space = StateSpace::Generic;
  uint32_t alignment = 0; ///< 0 if not given.
};

/// A variable in memory, or a parameter.
struct Variable : Symbol {
  static constexpr int64_t unsized = -1;

  StateSpace space = StateSpace::Global;
  Type type = Type::None;
  uint8_t vector = 1;     ///< 2 or 4 for `.v2` and `.v4`.
  uint32_t alignment = 0; ///< As written; 0 if not given.
  Linkage linkage = Linkage::None;
  PointerAttribute pointer;
  llvm::ArrayRef<Attribute> attributes;
  /// Array extents; the first may be `unsized` (`x[]`).
  llvm::ArrayRef<int64_t> extents;
  const Initializer *initializer = nullptr;
  /// Where the variable is defined, if this is an .extern declaration of it.
  const Variable *definition = nullptr;

  /// Bytes of one element (of the vector, if it is one).
  unsigned elementSize() const { return bitsOf(type) / 8 * vector; }
};

/// `.reg .b32 %r<100>;` or `.reg .b32 x;`
struct RegisterDeclaration {
  llvm::StringRef name; ///< The prefix of a parameterised declaration.
  Type type;
  uint8_t vector;    ///< 2, 4 or 8 for `.v2` and so on, else 1.
  bool parametrized; ///< `<count>` was written.
  uint32_t first;    ///< The number of its first register.
  uint32_t count;
};

/// A parameter or result of a function.
struct Parameter {
  /// In the .param space; null if the parameter is a register.
  const Variable *variable = nullptr;
  RegisterDeclaration reg = {}; ///< If it is one.
};

enum class DirectiveKind : uint8_t {
#define PTX_DIRECTIVE(name, text, min, max, where, since) name,
#include "drawloom/PTX/Directives.def"
  Pragma,
};
llvm::StringRef spelling(DirectiveKind directive);

/// Something said about a function, such as `.maxntid 128, 1, 1`.
struct Directive {
  DirectiveKind kind;
  llvm::ArrayRef<int64_t> values;
  llvm::ArrayRef<llvm::StringRef> pragmas; ///< The strings of a .pragma.
};

/// The head of a function, as declared or defined.
struct Prototype {
  Linkage linkage = Linkage::None;
  llvm::ArrayRef<Attribute> attributes;
  llvm::ArrayRef<Parameter> results;
  llvm::ArrayRef<Parameter> parameters;
  llvm::ArrayRef<Directive> directives;
};

/// A matched instruction with its guard.
struct Instruction {
  static constexpr uint32_t noGuard = std::numeric_limits<uint32_t>::max();

  const Variant *variant = nullptr;
  const Operand *operandData = nullptr;
  uint32_t guard = noGuard; ///< The number of the guarding predicate.
  uint32_t line = 0;        ///< In the source text.
  uint16_t operandCount = 0;
  bool guardNegated = false;

  Opcode opcode() const { return variant->opcode(); }
  llvm::ArrayRef<Operand> operands() const {
    return {operandData, operandCount};
  }
};

/// A label; several scopes may each have one of the same name.
struct Label {
  llvm::StringRef name;
  uint32_t position = 0; ///< The number of the instruction that follows it.
};

/// `.loc 1 12 5, function_name $L__info_string0+4, inlined_at 1 30 2`
struct SourceLocation {
  uint32_t file, line, column;
  llvm::StringRef function; ///< The label of the function's name, or empty.
  int64_t functionOffset = 0;
  uint32_t inlinedFile = 0, inlinedLine = 0, inlinedColumn = 0;
};

/// `.branchtargets` (labels) or `.calltargets` (functions).
struct TargetList {
  llvm::StringRef name;
  llvm::ArrayRef<uint32_t> labels;
  llvm::ArrayRef<const Symbol *> functions;
};

/// `name: .callprototype (.param .b32 _) _ (.param .b64 _);`
struct CallPrototype {
  llvm::StringRef name;
  Prototype prototype;
};

/// What stands between instructions.
struct BodyItem {
  enum Kind : uint8_t {
    Register, ///< index: into Function::registers
    Variable, ///< index: into Function::variables
    Label,    ///< index: into Function::labels
    ScopeBegin,
    ScopeEnd,
    Location,      ///< index: into Function::locations
    Pragma,        ///< index: into Function::pragmas
    BranchTargets, ///< index: into Function::targetLists
    CallTargets,   ///< index: into Function::targetLists
    CallPrototype, ///< index: into Function::callPrototypes
  };
  Kind kind;
  uint32_t index;
  uint32_t position; ///< The number of the instruction it stands before.
};

struct Function : Symbol {
  bool isEntry = false;
  bool hasBody = false;
  /// Of the definition, or of the first declaration if there is none.
  const Prototype *prototype = nullptr;

  llvm::ArrayRef<Instruction> instructions;
  llvm::ArrayRef<BodyItem> items;
  llvm::ArrayRef<RegisterDeclaration> registers; ///< Ordered by `first`.
  llvm::ArrayRef<const Variable *> variables;
  llvm::ArrayRef<Label> labels;
  llvm::ArrayRef<SourceLocation> locations;
  llvm::ArrayRef<llvm::ArrayRef<llvm::StringRef>> pragmas;
  llvm::ArrayRef<TargetList> targetLists;
  llvm::ArrayRef<CallPrototype> callPrototypes;
  uint32_t registerCount = 0;

  /// The declaration of register `number`.
  const RegisterDeclaration &declarationOf(uint32_t number) const;
};

/// `.file 1 "kernel.cu", 1700000000, 4096`
struct File {
  uint32_t number;
  llvm::StringRef name;
  bool hasStamp = false;
  uint64_t time = 0, size = 0;
};

/// A line of a debug section: a label, or data.
struct SectionEntry {
  /// A number, or a symbol of the file or the section with an offset, perhaps
  /// the difference of two.
  struct Value {
    llvm::StringRef symbol;
    llvm::StringRef minus;
    int64_t number = 0;
  };
  llvm::StringRef label; ///< Empty for data.
  Type type = Type::None;
  llvm::ArrayRef<Value> values;
};

struct Section {
  llvm::StringRef name; ///< ".debug_info"
  llvm::ArrayRef<SectionEntry> entries;
};

/// A statement at the module's level, in the order of the text.
struct TopLevelItem {
  enum Kind : uint8_t {
    VariableItem,
    FunctionDeclaration,
    FunctionDefinition,
    FileItem,
    SectionItem,
    AliasItem,
    PragmaItem,
  };
  explicit TopLevelItem(Kind kind) : kind(kind) {}

  Kind kind;
  const Variable *variable = nullptr;
  const Function *function = nullptr; ///< Or the alias.
  const Function *aliasee = nullptr;
  const Prototype *prototype = nullptr; ///< Of this declaration.
  const File *file = nullptr;
  const Section *section = nullptr;
  llvm::ArrayRef<llvm::StringRef> pragmas;
};

class Module {
public:
  Module() = default;
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  Version version;
  Target target;
  /// What else .target lists: texmode_unified, debug and so on.
  llvm::ArrayRef<llvm::StringRef> targetOptions;
  uint8_t addressSize = 0; ///< 32 or 64; 0 if not declared.

  llvm::ArrayRef<TopLevelItem> items;
  llvm::ArrayRef<const Function *> functions;
  llvm::ArrayRef<const Variable *> variables; ///< At the module's level.
  uint32_t symbolCount = 0;

  /// The function of that name; null if there is none.
  const Function *findFunction(llvm::StringRef name) const;
  const Variable *findVariable(llvm::StringRef name) const;
  /// The line that a location of the function names, and behind it the calls
  /// that it is inlined by, the innermost first.
  std::vector<SourceLine> sourceOf(const Function &function,
                                   const SourceLocation &location) const;

  /// What the module's contents are allocated from.
  llvm::BumpPtrAllocator &arena() { return arenaField; }

private:
  llvm::BumpPtrAllocator arenaField;
};

/// Whether two modules are the same typed form, whatever their source text and
/// its line numbers were. If not, `difference` says where.
bool isIdentical(const Module &a, const Module &b, std::string &difference);

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_MODULE_H
