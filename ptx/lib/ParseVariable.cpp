//===- ParseVariable.cpp - Declarations and initializers ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom::ptx;
using llvm::StringRef;

static StateSpace parseSpace(StringRef text) {
  return llvm::StringSwitch<StateSpace>(text)
      .Case("reg", StateSpace::Reg)
      .Case("const", StateSpace::Const)
      .Case("global", StateSpace::Global)
      .Case("local", StateSpace::Local)
      .Case("param", StateSpace::Param)
      .Case("shared", StateSpace::Shared)
      .Case("tex", StateSpace::Tex)
      .Default(StateSpace::Generic);
}

/// .space {.attribute(...)} {.align n} {.v4} .type {.ptr {.space} {.align n}}
/// in any order, as compilers write them.
bool Parser::parseDeclarationHead(DeclarationHead &head) {
  if (token.is(Token::Directive))
    head.space = parseSpace(token.text);
  if (head.space == StateSpace::Generic)
    return error("expected a state space such as .reg, .param or .shared, "
                 "found " +
                 describe(token));
  advance();
  while (token.is(Token::Directive)) {
    if (isDirective("attribute")) {
      if (!parseAttributes(head))
        return false;
      continue;
    }
    if (isDirective("ptr")) {
      head.pointer.present = true;
      advance();
      if (token.is(Token::Directive) &&
          parseSpace(token.text) != StateSpace::Generic) {
        head.pointer.space = parseSpace(token.text);
        advance();
      }
      continue;
    }
    if (isDirective("align")) {
      advance();
      const char *loc = token.loc();
      uint32_t alignment;
      if (!parseUnsigned(alignment, "an alignment"))
        return false;
      if (!llvm::isPowerOf2_32(alignment))
        return error(loc, "an alignment is a power of two, not " +
                              llvm::Twine(alignment));
      (head.pointer.present ? head.pointer.alignment : head.alignment) =
          alignment;
      continue;
    }
    uint8_t vector = llvm::StringSwitch<uint8_t>(token.text)
                         .Case("v2", 2)
                         .Case("v4", 4)
                         .Case("v8", 8)
                         .Default(0);
    std::optional<Type> type = parseType(token.text);
    if (vector) {
      head.vector = vector;
    } else if (type && isDeclarable(*type) && head.type == Type::None) {
      head.type = *type;
    } else {
      return error("'." + token.text + "' has no place in this declaration");
    }
    advance();
  }
  if (head.type == Type::None)
    return error("this declaration has no type");
  if (head.type == Type::Pred && head.space != StateSpace::Reg)
    return error("a predicate can only be a register");
  if (head.type == Type::B128 &&
      !checkRequirement(*parseRequirement("8.3 sm_70"), ".b128", token.loc()))
    return false;
  return true;
}

/// .attribute(.managed, .unified(1, 2))
bool Parser::parseAttributes(DeclarationHead &head) {
  advance();
  if (!expect(Token::LeftParen, "after .attribute"))
    return false;
  do {
    Attribute attribute{};
    const char *loc = token.loc();
    if (consumeDirective("managed")) {
      attribute.kind = Attribute::Managed;
      if (!checkRequirement(*parseRequirement("4.0 sm_30"), ".managed", loc))
        return false;
    } else if (consumeDirective("unified")) {
      attribute.kind = Attribute::Unified;
      int64_t high, low;
      if (!checkRequirement(*parseRequirement("8.0 sm_90"), ".unified", loc) ||
          !expect(Token::LeftParen, "after .unified") || !parseInteger(high) ||
          !expect(Token::Comma, "between the two halves of the identifier") ||
          !parseInteger(low) || !expect(Token::RightParen, "after .unified"))
        return false;
      attribute.uuid[0] = static_cast<uint64_t>(high);
      attribute.uuid[1] = static_cast<uint64_t>(low);
    } else {
      return error("expected .managed or .unified, found " + describe(token));
    }
    head.attributes.push_back(attribute);
  } while (consumeIf(Token::Comma));
  return expect(Token::RightParen, "after the attributes");
}

bool Parser::parseVariables(Linkage linkage, bool inBody) {
  const char *loc = token.loc();
  DeclarationHead head;
  if (!parseDeclarationHead(head))
    return false;
  if (head.space == StateSpace::Reg) {
    if (!inBody)
      return error(loc, "registers are declared in functions");
    return parseRegisters(head);
  }
  if (!inBody &&
      (head.space == StateSpace::Param || head.space == StateSpace::Local))
    return error(loc, "'." + spelling(head.space) +
                          "' variables are declared in functions");
  do {
    if (!token.is(Token::Identifier))
      return error("expected the name of the variable, found " +
                   describe(token));
    const char *nameLoc = token.loc();
    Variable *variable = parseVariable(head, linkage, inBody);
    if (!variable || !declareVariable(variable, nameLoc))
      return false;
    if (inBody) {
      body.add(BodyItem::Variable, body.variables.size());
      body.variables.push_back(variable);
    } else {
      variables.push_back(variable);
      TopLevelItem item(TopLevelItem::VariableItem);
      item.variable = variable;
      items.push_back(item);
    }
  } while (consumeIf(Token::Comma));
  return expect(Token::Semicolon, "after a declaration");
}

/// The name, extents and initializer of a variable; null after an error.
Variable *Parser::parseVariable(const DeclarationHead &head, Linkage linkage,
                                bool inBody) {
  auto *variable = new (arena.Allocate<Variable>()) Variable();
  variable->kind = Symbol::VariableKind;
  variable->number = symbolCount++;
  variable->line = token.line;
  variable->name = save(token.text);
  variable->space = head.space;
  variable->type = head.type;
  variable->vector = head.vector;
  variable->alignment = head.alignment;
  variable->linkage = linkage;
  variable->pointer = head.pointer;
  variable->attributes = saveList(head.attributes);
  advance();
  if (!parseExtents(variable->extents))
    return nullptr;
  if (token.is(Token::Equal)) {
    if ((head.space != StateSpace::Global && head.space != StateSpace::Const) ||
        linkage == Linkage::Extern || inBody) {
      error("only variables in .global and .const that are not .extern can "
            "have an initial value");
      return nullptr;
    }
    advance();
    variable->initializer = parseInitializer(0);
    if (!variable->initializer)
      return nullptr;
  }
  return variable;
}

bool Parser::declareVariable(Variable *variable, const char *loc) {
  uint32_t member;
  const Binding *known = names.lookup(variable->name, member);
  if (known && known->depth == names.depth() &&
      known->kind == Binding::Symbol &&
      known->symbol->kind == Symbol::VariableKind) {
    // A declaration may be followed by the definition.
    auto *earlier =
        const_cast<Variable *>(static_cast<const Variable *>(known->symbol));
    if (earlier->linkage == Linkage::Extern && !earlier->definition &&
        earlier->space == variable->space && earlier->type == variable->type) {
      earlier->definition = variable;
      names.replace(variable->name, variable);
      return true;
    }
  }
  Binding binding;
  binding.kind = Binding::Symbol;
  binding.symbol = variable;
  binding.line = variable->line;
  if (names.declare(variable->name, binding))
    return true;
  return errorDeclaredTwice(loc, variable->name);
}

bool Parser::parseExtents(llvm::ArrayRef<int64_t> &extents) {
  llvm::SmallVector<int64_t, 2> list;
  while (consumeIf(Token::LeftBracket)) {
    int64_t extent = Variable::unsized;
    const char *loc = token.loc();
    if (!token.is(Token::RightBracket)) {
      if (!parseInteger(extent))
        return false;
      if (extent < 0)
        return error(loc, "an array cannot have " + llvm::Twine(extent) +
                              " elements");
    } else if (!list.empty()) {
      return error("only the first extent of an array can be left open");
    }
    if (!expect(Token::RightBracket, "after the extent of an array"))
      return false;
    list.push_back(extent);
  }
  extents = saveList(list);
  return true;
}

const Initializer *Parser::parseInitializer(unsigned depth) {
  auto *value = new (arena.Allocate<Initializer>()) Initializer();
  return parseInitializerInto(*value, depth) ? value : nullptr;
}

/// A constant, `symbol+n`, `generic(symbol)+n`, `0xff(symbol)`, or a list.
bool Parser::parseInitializerInto(Initializer &value, unsigned depth) {
  if (depth > maxNesting)
    return error("this initial value is nested too deeply");
  if (token.is(Token::LeftBrace)) {
    advance();
    std::vector<Initializer> elements;
    while (!token.is(Token::RightBrace)) {
      if (!elements.empty() && !expect(Token::Comma, "between initial values"))
        return false;
      Initializer element;
      if (!parseInitializerInto(element, depth + 1))
        return false;
      elements.push_back(element);
    }
    advance();
    value.kind = Initializer::List;
    value.elements = saveList(elements);
    return true;
  }
  if (token.is(Token::Identifier) && token.text != "WARP_SZ")
    return parseInitializerAddress(value);
  const char *loc = token.loc();
  Constant constant;
  if (!parseConstant(constant))
    return false;
  if (consumeIf(Token::LeftParen)) {
    // mask(expression)
    if (constant.isFloat() || constant.bits == 0)
      return error(loc, "a mask is an integer such as 0xff00");
    if (token.is(Token::Identifier)) {
      if (!parseInitializerAddress(value))
        return false;
    } else if (!parseInteger(value.value)) {
      return false;
    }
    value.mask = constant.bits;
    return expect(Token::RightParen, "after the masked value");
  }
  value.kind = constant.kind == Constant::Float32   ? Initializer::Float32
               : constant.kind == Constant::Float64 ? Initializer::Float64
                                                    : Initializer::Integer;
  value.value = static_cast<int64_t>(constant.bits);
  return true;
}

bool Parser::parseInitializerAddress(Initializer &value) {
  value.kind = Initializer::Address;
  if (token.text == "generic") {
    value.generic = true;
    advance();
    if (!expect(Token::LeftParen, "after 'generic'"))
      return false;
  }
  uint32_t member;
  const Binding *binding =
      token.is(Token::Identifier) ? names.lookup(token.text, member) : nullptr;
  if (!binding || binding->kind != Binding::Symbol)
    return error("expected the name of a variable or function that is "
                 "declared before, found " +
                 describe(token));
  value.symbol = binding->symbol;
  advance();
  // The offset may stand on either side of the parenthesis.
  for (unsigned i = 0; i < 2; ++i) {
    int64_t offset = 0;
    if (!parseOffset(offset))
      return false;
    value.value += offset;
    if (i == 0 && value.generic &&
        !expect(Token::RightParen, "after the symbol"))
      return false;
  }
  return true;
}

/// .reg .type name, name<n>, ...;
bool Parser::parseRegisters(const DeclarationHead &head) {
  do {
    if (!token.is(Token::Identifier))
      return error("expected the name of a register, found " + describe(token));
    const char *loc = token.loc();
    StringRef name = token.text;
    advance();
    RegisterDeclaration reg{save(name), head.type,          head.vector,
                            false,      body.registerCount, 1};
    if (consumeIf(Token::Less)) {
      const char *countLoc = token.loc();
      reg.parametrized = true;
      // The expression stops before '>': it is no comparison here.
      Constant count;
      if (!parseUnary(count, 0))
        return false;
      if (count.isFloat() || count.bits > maxRegisters - body.registerCount)
        return error(countLoc, "a function can have at most " +
                                   llvm::Twine(maxRegisters) + " registers");
      reg.count = static_cast<uint32_t>(count.bits);
      if (!expect(Token::Greater, "after the number of registers"))
        return false;
    }
    Binding binding;
    binding.kind = Binding::Register;
    binding.line = token.line;
    binding.reg = reg;
    if (!(reg.parametrized ? names.declareRange(reg.name, binding)
                           : names.declare(reg.name, binding)))
      return errorDeclaredTwice(loc, name);
    body.registerCount += reg.count;
    body.add(BodyItem::Register, body.registers.size());
    body.registers.push_back(reg);
  } while (consumeIf(Token::Comma));
  return expect(Token::Semicolon, "after a declaration");
}
