//===- ParserImpl.h - The recursive-descent parser --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One class, split over files by what is parsed: ParseModule.cpp (the module's
// level), ParseFunction.cpp (heads and directives), ParseVariable.cpp
// (declarations and initializers), ParseBody.cpp (statements),
// ParseOperands.cpp, ParseConstant.cpp, ParseDebug.cpp (.file, .loc, .section).
//
// Every parse function returns false after it has reported an error; `token` is
// then wherever it was noticed, and the statement loops skip to the next ';'.
// Recursion is bounded by `maxNesting`; scopes are no recursion.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_LIB_PARSERIMPL_H
#define DRAWLOOM_PTX_LIB_PARSERIMPL_H

#include "ConstantExpression.h"
#include "Diagnostics.h"
#include "FormMatcher.h"
#include "Lexer.h"
#include "Names.h"
#include "drawloom/PTX/Module.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <vector>

namespace drawloom::ptx {

class Parser {
public:
  Parser(llvm::StringRef source, Module &module, Diagnostics &diagnostics)
      : lexer(source), module(module), diagnostics(diagnostics),
        arena(module.arena()) {}

  void parseModule();

private:
  static constexpr unsigned maxNesting = 128;
  static constexpr uint32_t maxRegisters = 1u << 30;
  /// tcgen05.ld's vectors have 128 elements; nothing has more.
  static constexpr unsigned maxOperands = 1024;

  /// What a declaration says before its name.
  struct DeclarationHead {
    StateSpace space = StateSpace::Generic;
    Type type = Type::None;
    uint8_t vector = 1;
    uint32_t alignment = 0;
    PointerAttribute pointer;
    llvm::SmallVector<Attribute, 1> attributes;
  };

  /// A use of a label that is resolved when its scope ends.
  struct PendingLabel {
    llvm::StringRef name;
    const char *loc;
    Operand *operand; ///< Where to write the number: an operand,
    uint32_t *index;  ///< or an element of a list.
  };

  /// A `{` of a body.
  struct Scope {
    explicit Scope(const char *loc) : loc(loc) {}
    const char *loc;
    /// The number of each label and the line of its definition.
    llvm::DenseMap<llvm::StringRef, std::pair<uint32_t, uint32_t>> labels;
    std::vector<PendingLabel> pending;
  };

  /// What a body is made of while it is read.
  struct BodyBuilder {
    std::vector<Instruction> instructions;
    std::vector<BodyItem> items;
    std::vector<RegisterDeclaration> registers;
    std::vector<const Variable *> variables;
    std::vector<Label> labels;
    std::vector<SourceLocation> locations;
    std::vector<llvm::ArrayRef<llvm::StringRef>> pragmas;
    std::vector<TargetList> targetLists;
    std::vector<CallPrototype> callPrototypes;
    std::vector<Scope> scopes;
    uint32_t registerCount = 0;

    void add(BodyItem::Kind kind, size_t index) {
      items.push_back({kind, static_cast<uint32_t>(index),
                       static_cast<uint32_t>(instructions.size())});
    }
  };

  // Tokens.
  void advance() {
    token = lexer.next();
    if (token.is(Token::Error))
      reportLexicalError();
  }
  void reportLexicalError();
  bool error(const char *loc, const llvm::Twine &message);
  bool error(const llvm::Twine &message) { return error(token.loc(), message); }
  bool expect(Token::Kind kind, const llvm::Twine &where);
  bool consumeIf(Token::Kind kind);
  bool isDirective(llvm::StringRef text) const {
    return token.is(Token::Directive) && token.text == text;
  }
  bool consumeDirective(llvm::StringRef text);
  void skipStatement(bool inBody);
  /// Reports an error after which nothing further can be understood.
  void giveUp(const char *loc, const llvm::Twine &message);
  bool errorDeclaredTwice(const char *loc, llvm::StringRef name);

  // The module's level.
  bool parseHeader();
  bool parseTarget();
  bool parseTopLevel();
  bool parseAlias();
  bool parseVersionNumber(Version &version);
  Linkage parseLinkage();

  // Functions.
  bool parseFunction(Linkage linkage);
  bool parseParameters(llvm::ArrayRef<Parameter> &list, bool ofEntry);
  bool parseParameter(Parameter &parameter, bool ofEntry);
  bool parseDirectives(bool ofEntry, llvm::ArrayRef<Directive> &list);
  bool parsePragma(llvm::ArrayRef<llvm::StringRef> &strings);
  Function *declareFunction(llvm::StringRef name, const char *loc,
                            bool isEntry);

  // Variables.
  bool parseDeclarationHead(DeclarationHead &head);
  bool parseAttributes(DeclarationHead &head);
  bool parseVariables(Linkage linkage, bool inBody);
  Variable *parseVariable(const DeclarationHead &head, Linkage linkage,
                          bool inBody);
  bool declareVariable(Variable *variable, const char *loc);
  bool parseExtents(llvm::ArrayRef<int64_t> &extents);
  const Initializer *parseInitializer(unsigned depth);
  bool parseInitializerInto(Initializer &value, unsigned depth);
  bool parseInitializerAddress(Initializer &value);
  bool parseRegisters(const DeclarationHead &head);

  // Bodies.
  void parseBody(Function &function);
  bool parseStatement();
  bool parseLabel(const Token &name);
  bool parseBranchTargets(const Token &name);
  bool parseCallTargets(const Token &name);
  bool parseCallPrototype(const Token &name);
  bool parseBodyDirective();
  bool parseInstruction();
  bool parseGuard(Instruction &instruction);
  llvm::StringRef parseMnemonic();
  void enterScope(const char *loc);
  void leaveScope();
  void finishBody(Function &function);

  // Operands.
  bool parseOperands(const Mnemonic &mnemonic);
  bool parseOperand(Operand &operand, bool inList);
  bool parseIdentifierOperand(Operand &operand);
  bool parseComponent(Operand &operand, llvm::StringRef name);
  bool parseVectorOperand(Operand &operand);
  bool parseAddressOperand(Operand &operand);
  bool parseAddressBase(Operand &operand);
  bool parseOffset(int64_t &offset);
  bool parseLabelOperand(Operand &operand);
  bool parseTargetsOperand(Operand &operand);
  bool parseCallOperands();
  bool parseCallList(llvm::SmallVectorImpl<Operand> &list);
  bool checkCall(const Prototype &prototype, llvm::StringRef name,
                 const char *loc, size_t results, size_t arguments);
  std::string textAt(unsigned operand, int part) const;
  const char *locationOf(unsigned operand, int part) const;

  // Constants.
  bool parseConstant(Constant &value);
  bool parseConditional(Constant &value, unsigned depth);
  bool parseBinary(Constant &value, unsigned minPrecedence, unsigned depth);
  bool parseUnary(Constant &value, unsigned depth);
  bool parseInteger(int64_t &value);
  /// An integer of at most 32 bits without sign, as directives take.
  bool parseUnsigned(uint32_t &value, const llvm::Twine &what);

  // Debug information.
  bool parseFile();
  bool parseLocation();
  bool parseSection();
  bool parseSectionEntry(std::vector<SectionEntry> &entries);
  bool parseSectionValue(SectionEntry::Value &value);

  bool checkRequirement(const Requirement &requirement, llvm::StringRef what,
                        const char *loc);
  llvm::StringRef save(llvm::StringRef text) { return text.copy(arena); }
  template <typename List>
  auto saveList(const List &list) {
    return llvm::ArrayRef(list).copy(arena);
  }

  Lexer lexer;
  Module &module;
  Diagnostics &diagnostics;
  llvm::BumpPtrAllocator &arena;
  Token token;
  NameTable names;
  std::optional<FormMatcher> matcher;

  std::vector<TopLevelItem> items;
  std::vector<const Function *> functions;
  std::vector<const Variable *> variables;
  uint32_t symbolCount = 0;

  BodyBuilder body;
  /// The source was left before its end: what is missing is no further error.
  bool gaveUp = false;
  /// The operands of the instruction being read, and where each begins.
  llvm::SmallVector<Operand, 8> operands;
  llvm::SmallVector<const char *, 8> operandStarts;
  /// The labels that it uses, with the number of the operand.
  llvm::SmallVector<std::pair<unsigned, PendingLabel>, 2> labelUses;
};

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_LIB_PARSERIMPL_H
