//===- ParseFunction.cpp - Heads of functions -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace drawloom::ptx;
using llvm::StringRef;

namespace {
/// A row of Directives.def.
struct DirectiveRow {
  enum Where : uint8_t { Entry, Func };
  llvm::StringLiteral text;
  uint8_t min, max;
  Where where;
  llvm::StringLiteral since;
};
} // namespace

static constexpr DirectiveRow directiveRows[] = {
#define PTX_DIRECTIVE(name, text, min, max, where, since)                      \
  {text, min, max, DirectiveRow::where, since},
#include "drawloom/PTX/Directives.def"
};

StringRef drawloom::ptx::spelling(DirectiveKind directive) {
  return directive == DirectiveKind::Pragma
             ? StringRef("pragma")
             : StringRef(directiveRows[static_cast<unsigned>(directive)].text);
}

/// {linkage} .entry name {(parameters)} {directives} body
/// {linkage} .func {.attribute(...)} {(results)} name {(parameters)}
///     {directives} body or ';'
bool Parser::parseFunction(Linkage linkage) {
  bool isEntry = isDirective("entry");
  advance();
  auto *prototype = new (arena.Allocate<Prototype>()) Prototype();
  prototype->linkage = linkage;
  DeclarationHead head;
  if (isDirective("attribute") && !parseAttributes(head))
    return false;
  prototype->attributes = saveList(head.attributes);

  // Parameters are names of the body; a declaration forgets them.
  names.enterScope();
  body = BodyBuilder();
  llvm::scope_exit leave([&] { names.leaveScope(); });
  if (token.is(Token::LeftParen) && !isEntry &&
      !parseParameters(prototype->results, isEntry))
    return false;
  if (!token.is(Token::Identifier))
    return error("expected the name of the function, found " + describe(token));
  StringRef name = token.text;
  const char *nameLoc = token.loc();
  uint32_t nameLine = token.line;
  advance();
  if (token.is(Token::LeftParen) &&
      !parseParameters(prototype->parameters, isEntry))
    return false;
  if (!parseDirectives(isEntry, prototype->directives))
    return false;

  Function *function = declareFunction(name, nameLoc, isEntry);
  if (!function)
    return false;
  if (!function->line)
    function->line = nameLine;
  TopLevelItem item(TopLevelItem::FunctionDeclaration);
  item.function = function;
  item.prototype = prototype;
  if (consumeIf(Token::Semicolon)) {
    if (!function->prototype)
      function->prototype = prototype;
    items.push_back(item);
    return true;
  }
  if (!token.is(Token::LeftBrace))
    return error("expected '{' or ';' after the head of '" + name +
                 "', found " + describe(token));
  if (function->hasBody)
    return error(nameLoc, "function '" + name +
                              "' is defined twice; first on line " +
                              llvm::Twine(function->line));
  function->line = nameLine;
  function->hasBody = true;
  function->prototype = prototype;
  item.kind = TopLevelItem::FunctionDefinition;
  items.push_back(item);
  parseBody(*function);
  return true;
}

Function *Parser::declareFunction(StringRef name, const char *loc,
                                  bool isEntry) {
  uint32_t member;
  const Binding *known = names.lookup(name, member);
  if (known && known->depth == 0) {
    if (known->kind != Binding::Symbol ||
        known->symbol->kind != Symbol::FunctionKind) {
      error(loc, "'" + name + "' is declared already, and not as a function");
      return nullptr;
    }
    auto *function =
        const_cast<Function *>(static_cast<const Function *>(known->symbol));
    if (function->isEntry != isEntry) {
      error(loc, "'" + name + "' is declared as .entry and as .func");
      return nullptr;
    }
    return function;
  }
  auto *function = new (arena.Allocate<Function>()) Function();
  function->kind = Symbol::FunctionKind;
  function->number = symbolCount++;
  function->name = save(name);
  function->isEntry = isEntry;
  functions.push_back(function);
  Binding binding;
  binding.kind = Binding::Symbol;
  binding.symbol = function;
  binding.line = token.line;
  names.declareOutside(name, binding);
  return function;
}

bool Parser::parseParameters(llvm::ArrayRef<Parameter> &list, bool ofEntry) {
  advance();
  llvm::SmallVector<Parameter, 8> parameters;
  while (!token.is(Token::RightParen)) {
    if (!parameters.empty() && !expect(Token::Comma, "between parameters"))
      return false;
    Parameter parameter;
    if (!parseParameter(parameter, ofEntry))
      return false;
    parameters.push_back(parameter);
  }
  advance();
  list = saveList(parameters);
  return true;
}

bool Parser::parseParameter(Parameter &parameter, bool ofEntry) {
  const char *loc = token.loc();
  DeclarationHead head;
  if (!parseDeclarationHead(head))
    return false;
  bool isRegister = head.space == StateSpace::Reg;
  if (head.space != StateSpace::Param && !(isRegister && !ofEntry))
    return error(loc, ofEntry ? "a kernel's parameter begins with .param"
                              : "a parameter begins with .param or .reg");
  if (!token.is(Token::Identifier))
    return error("expected the name of the parameter, found " +
                 describe(token));
  const char *nameLoc = token.loc();
  StringRef name = token.text;
  if (isRegister) {
    advance();
    parameter.reg = {save(name), head.type,          head.vector,
                     false,      body.registerCount, 1};
    body.registers.push_back(parameter.reg);
    ++body.registerCount;
    Binding binding;
    binding.kind = Binding::Register;
    binding.line = token.line;
    binding.reg = parameter.reg;
    if (name != "_" && !names.declare(name, binding))
      return errorDeclaredTwice(nameLoc, name);
    return true;
  }
  Variable *variable = parseVariable(head, Linkage::None, /*inBody=*/true);
  if (!variable)
    return false;
  parameter.variable = variable;
  return name == "_" || declareVariable(variable, nameLoc);
}

bool Parser::parseDirectives(bool ofEntry, llvm::ArrayRef<Directive> &list) {
  llvm::SmallVector<Directive, 4> directives;
  while (token.is(Token::Directive)) {
    Directive directive;
    if (isDirective("pragma")) {
      directive.kind = DirectiveKind::Pragma;
      if (!parsePragma(directive.pragmas))
        return false;
      directives.push_back(directive);
      continue;
    }
    const auto *row = llvm::find_if(directiveRows, [&](const auto &candidate) {
      return candidate.text == token.text;
    });
    if (row == std::end(directiveRows))
      return error("'." + token.text + "' is no directive of a function");
    if ((row->where == DirectiveRow::Entry) != ofEntry)
      return error("'." + row->text + "' belongs to " +
                   (ofEntry ? ".func, not to .entry" : ".entry, not to .func"));
    if (!checkRequirement(*parseRequirement(row->since),
                          ("." + row->text).str(), token.loc()))
      return false;
    directive.kind = DirectiveKind(row - std::begin(directiveRows));
    advance();
    llvm::SmallVector<int64_t, 3> values;
    for (unsigned i = 0; i < row->max; ++i) {
      if (i >= row->min && !token.is(Token::Comma))
        break;
      if (i > 0)
        advance();
      uint32_t value;
      if (!parseUnsigned(value, "a value of ." + row->text))
        return false;
      values.push_back(value);
    }
    directive.values = saveList(values);
    directives.push_back(directive);
  }
  list = saveList(directives);
  return true;
}

/// .pragma "string" {, "string"};
bool Parser::parsePragma(llvm::ArrayRef<StringRef> &strings) {
  advance();
  llvm::SmallVector<StringRef, 2> list;
  do {
    if (!token.is(Token::String))
      return error("expected a string after .pragma, found " + describe(token));
    list.push_back(save(token.text));
    advance();
  } while (consumeIf(Token::Comma));
  strings = saveList(list);
  return expect(Token::Semicolon, "after .pragma");
}
