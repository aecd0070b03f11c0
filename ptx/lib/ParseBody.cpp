//===- ParseBody.cpp - The statements of a function -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::ptx;
using llvm::StringRef;

void Parser::parseBody(Function &function) {
  enterScope(token.loc());
  advance();
  while (!body.scopes.empty()) {
    switch (token.kind) {
    case Token::Eof:
      error(body.scopes.back().loc, "this '{' is not closed");
      gaveUp = true;
      while (!body.scopes.empty())
        leaveScope();
      return;
    case Token::LeftBrace:
      if (body.scopes.size() >= maxNesting) {
        giveUp(token.loc(), "scopes are nested too deeply");
        continue;
      }
      body.add(BodyItem::ScopeBegin, 0);
      enterScope(token.loc());
      advance();
      continue;
    case Token::RightBrace:
      leaveScope();
      if (!body.scopes.empty())
        body.add(BodyItem::ScopeEnd, 0);
      advance();
      continue;
    default:
      if (!parseStatement())
        skipStatement(/*inBody=*/true);
    }
  }
  finishBody(function);
}

void Parser::enterScope(const char *loc) {
  names.enterScope();
  body.scopes.emplace_back(loc);
}

/// Labels are known when their scope ends; what is still open then belongs to
/// the scope around it.
void Parser::leaveScope() {
  Scope scope = std::move(body.scopes.back());
  body.scopes.pop_back();
  names.leaveScope();
  for (const PendingLabel &use : scope.pending) {
    auto it = scope.labels.find(use.name);
    if (it != scope.labels.end()) {
      if (use.operand)
        use.operand->setIndex(it->second.first);
      else
        *use.index = it->second.first;
    } else if (!body.scopes.empty()) {
      body.scopes.back().pending.push_back(use);
    } else {
      error(use.loc, "label '" + use.name + "' is not defined in this scope");
    }
  }
}

void Parser::finishBody(Function &function) {
  function.instructions = saveList(body.instructions);
  function.items = saveList(body.items);
  function.registers = saveList(body.registers);
  function.variables = saveList(body.variables);
  function.labels = saveList(body.labels);
  function.locations = saveList(body.locations);
  function.pragmas = saveList(body.pragmas);
  function.targetLists = saveList(body.targetLists);
  function.callPrototypes = saveList(body.callPrototypes);
  function.registerCount = body.registerCount;
}

bool Parser::parseStatement() {
  switch (token.kind) {
  case Token::Directive:
    return parseBodyDirective();
  case Token::At:
    return parseInstruction();
  case Token::Identifier:
    if (lexer.colonFollows()) {
      Token name = token;
      advance();
      advance();
      return parseLabel(name);
    }
    return parseInstruction();
  case Token::Error:
    return false;
  default:
    return error("expected an instruction, a label or a declaration, found " +
                 describe(token));
  }
}

bool Parser::parseBodyDirective() {
  if (isDirective("loc"))
    return parseLocation();
  if (isDirective("pragma")) {
    llvm::ArrayRef<StringRef> strings;
    if (!parsePragma(strings))
      return false;
    body.add(BodyItem::Pragma, body.pragmas.size());
    body.pragmas.push_back(strings);
    return true;
  }
  return parseVariables(Linkage::None, /*inBody=*/true);
}

//===----------------------------------------------------------------------===//
// Labels and what they can name
//===----------------------------------------------------------------------===//

bool Parser::parseLabel(const Token &name) {
  if (isDirective("branchtargets"))
    return parseBranchTargets(name);
  if (isDirective("calltargets"))
    return parseCallTargets(name);
  if (isDirective("callprototype"))
    return parseCallPrototype(name);
  auto index = static_cast<uint32_t>(body.labels.size());
  auto [it, isNew] =
      body.scopes.back().labels.try_emplace(name.text, index, name.line);
  if (!isNew)
    // The statement after the colon is one of its own.
    error(name.loc(), "label '" + name.text +
                          "' is defined twice in this scope; first on line " +
                          llvm::Twine(it->second.second));
  body.add(BodyItem::Label, index);
  body.labels.push_back(
      {save(name.text), static_cast<uint32_t>(body.instructions.size())});
  return true;
}

/// name: .branchtargets label, label, ...;
bool Parser::parseBranchTargets(const Token &name) {
  advance();
  llvm::SmallVector<PendingLabel, 8> uses;
  do {
    if (!token.is(Token::Identifier))
      return error("expected a label, found " + describe(token));
    uses.push_back({token.text, token.loc(), nullptr, nullptr});
    advance();
  } while (consumeIf(Token::Comma));
  uint32_t *labels = arena.Allocate<uint32_t>(uses.size());
  for (auto [index, use] : llvm::enumerate(uses)) {
    labels[index] = 0;
    use.index = &labels[index];
    body.scopes.back().pending.push_back(use);
  }
  Binding binding;
  binding.kind = Binding::TargetList;
  binding.line = name.line;
  binding.index = static_cast<uint32_t>(body.targetLists.size());
  if (!names.declare(name.text, binding))
    return errorDeclaredTwice(name.loc(), name.text);
  body.add(BodyItem::BranchTargets, body.targetLists.size());
  body.targetLists.push_back({save(name.text), {labels, uses.size()}, {}});
  return expect(Token::Semicolon, "after .branchtargets");
}

/// name: .calltargets function, function, ...;
bool Parser::parseCallTargets(const Token &name) {
  advance();
  llvm::SmallVector<const Symbol *, 8> targets;
  do {
    uint32_t member;
    const Binding *binding = token.is(Token::Identifier)
                                 ? names.lookup(token.text, member)
                                 : nullptr;
    if (!binding || binding->kind != Binding::Symbol ||
        binding->symbol->kind != Symbol::FunctionKind)
      return error("expected a function that is declared before, found " +
                   describe(token));
    targets.push_back(binding->symbol);
    advance();
  } while (consumeIf(Token::Comma));
  Binding binding;
  binding.kind = Binding::TargetList;
  binding.line = name.line;
  binding.index = static_cast<uint32_t>(body.targetLists.size());
  if (!names.declare(name.text, binding))
    return errorDeclaredTwice(name.loc(), name.text);
  body.add(BodyItem::CallTargets, body.targetLists.size());
  body.targetLists.push_back({save(name.text), {}, saveList(targets)});
  return expect(Token::Semicolon, "after .calltargets");
}

/// name: .callprototype {(results)} _ {(parameters)} {directives};
bool Parser::parseCallPrototype(const Token &name) {
  advance();
  ptx::CallPrototype entry{save(name.text), {}};
  // The parameters' names mean nothing outside.
  names.enterScope();
  uint32_t registersBefore = body.registerCount;
  size_t declarationsBefore = body.registers.size();
  bool ok = true;
  if (token.is(Token::LeftParen))
    ok = parseParameters(entry.prototype.results, /*ofEntry=*/false);
  if (ok && (!token.is(Token::Identifier) || token.text != "_"))
    ok = error("expected '_' in .callprototype, found " + describe(token));
  if (ok) {
    advance();
    if (token.is(Token::LeftParen))
      ok = parseParameters(entry.prototype.parameters, /*ofEntry=*/false);
  }
  ok = ok && parseDirectives(/*ofEntry=*/false, entry.prototype.directives);
  body.registerCount = registersBefore;
  body.registers.resize(declarationsBefore);
  names.leaveScope();
  if (!ok)
    return false;
  Binding binding;
  binding.kind = Binding::CallPrototype;
  binding.line = name.line;
  binding.index = static_cast<uint32_t>(body.callPrototypes.size());
  if (!names.declare(name.text, binding))
    return errorDeclaredTwice(name.loc(), name.text);
  body.add(BodyItem::CallPrototype, body.callPrototypes.size());
  body.callPrototypes.push_back(entry);
  return expect(Token::Semicolon, "after .callprototype");
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// @%p or @!%p
bool Parser::parseGuard(Instruction &instruction) {
  advance();
  instruction.guardNegated = consumeIf(Token::Exclaim);
  const char *loc = token.loc();
  uint32_t member;
  const Binding *binding =
      token.is(Token::Identifier) ? names.lookup(token.text, member) : nullptr;
  if (!binding || binding->kind != Binding::Register)
    return error(loc, "expected a predicate register after '@', found " +
                          describe(token));
  if (binding->reg.type != Type::Pred)
    return error(loc, "'" + token.text + "' is declared as ." +
                          spelling(binding->reg.type) +
                          "; a guard is a .pred register");
  instruction.guard = binding->reg.first + member;
  advance();
  if (!token.is(Token::Identifier))
    return error("expected an instruction after the guard, found " +
                 describe(token));
  return true;
}

/// Reads the mnemonic and goes to the token behind it.
StringRef Parser::parseMnemonic() {
  lexer.extendToMnemonic(token);
  StringRef text = token.text;
  advance();
  if (!token.is(Token::Directive))
    return text;
  // Rare: `ld .global .u32`. The pieces make one mnemonic.
  std::string joined = text.str();
  do {
    token.start = token.text.data();
    lexer.extendToMnemonic(token);
    joined += "." + token.text.str();
    advance();
  } while (token.is(Token::Directive));
  return save(joined);
}

bool Parser::parseInstruction() {
  Instruction instruction;
  if (token.is(Token::At) && !parseGuard(instruction))
    return false;
  const char *loc = token.loc();
  instruction.line = token.line;
  StringRef text = parseMnemonic();
  const Mnemonic &mnemonic = matcher->resolve(text);
  if (mnemonic.candidates.empty()) {
    // A joined mnemonic has no place of its own in the source.
    bool inSource = text.data() == loc;
    return error(inSource ? loc + mnemonic.problemOffset : loc,
                 mnemonic.problem);
  }
  operands.clear();
  operandStarts.clear();
  labelUses.clear();
  if (!(mnemonic.isCall ? parseCallOperands() : parseOperands(mnemonic)))
    return false;
  if (!token.is(Token::Semicolon))
    return error("expected ',' or ';' after an operand, found " +
                 describe(token));
  instruction.variant = matcher->match(mnemonic, operands);
  if (!instruction.variant) {
    Mismatch why =
        matcher->explain(mnemonic, operands, [&](unsigned operand, int part) {
          return textAt(operand, part);
        });
    return error(why.operand < operandStarts.size()
                     ? locationOf(why.operand, why.part)
                     : loc,
                 why.message);
  }
  Operand *copy = arena.Allocate<Operand>(operands.size());
  llvm::uninitialized_copy(operands, copy);
  instruction.operandData = copy;
  instruction.operandCount = static_cast<uint16_t>(operands.size());
  for (auto &[index, use] : labelUses) {
    use.operand = copy + index;
    body.scopes.back().pending.push_back(use);
  }
  body.instructions.push_back(instruction);
  advance();
  return true;
}
