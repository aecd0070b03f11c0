//===- ParseOperands.cpp - The operands of an instruction -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are read by their own syntax, before it is known which form of the
// instruction they belong to. Two things need to know the instruction: labels,
// which are no names of the scope, and calls, which have a syntax of their own.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::ptx;
using llvm::StringRef;

bool Parser::parseOperands(const Mnemonic &mnemonic) {
  if (token.is(Token::Semicolon))
    return true;
  do {
    int index = static_cast<int>(operands.size());
    if (index >= static_cast<int>(maxOperands))
      return error("no instruction has that many operands");
    operandStarts.push_back(token.loc());
    Operand operand = Operand::makeSink();
    bool ok = index == mnemonic.labelOperand ? parseLabelOperand(operand)
              : index == mnemonic.targetsOperand
                  ? parseTargetsOperand(operand)
                  : parseOperand(operand, /*inList=*/false);
    if (!ok)
      return false;
    operands.push_back(operand);
  } while (consumeIf(Token::Comma));
  return true;
}

bool Parser::parseOperand(Operand &operand, bool inList) {
  switch (token.kind) {
  case Token::Identifier:
    if (!parseIdentifierOperand(operand))
      return false;
    if (token.is(Token::Pipe) && !inList) {
      advance();
      Operand *parts = arena.Allocate<Operand>(2);
      parts[0] = operand;
      parts[1] = Operand::makeSink();
      if (!token.is(Token::Identifier))
        return error("expected a predicate after '|', found " +
                     describe(token));
      if (!parseIdentifierOperand(parts[1]))
        return false;
      operand = Operand::makeList(Operand::Pair, {parts, 2});
    }
    return true;
  case Token::LeftBrace:
    if (inList)
      break;
    return parseVectorOperand(operand);
  case Token::LeftBracket:
    if (inList)
      break;
    return parseAddressOperand(operand);
  case Token::Exclaim: {
    // `!%p` negates a predicate, `!0` is a constant expression.
    Token exclaim = token;
    advance();
    if (token.is(Token::Identifier) && token.text != "WARP_SZ") {
      if (!parseIdentifierOperand(operand))
        return false;
      if (!operand.is(Operand::Register))
        return error(exclaim.loc(), "'!' belongs to predicates");
      operand.setNegated();
      return true;
    }
    Constant value;
    if (!parseUnary(value, 0))
      return false;
    std::optional<Constant> negated = evaluateUnary(Token::Exclaim, value);
    operand = Operand::makeInteger(static_cast<int64_t>(negated->bits));
    return true;
  }
  case Token::Error:
    return false;
  default:
    break;
  }
  Constant value;
  if (!parseConstant(value))
    return false;
  operand =
      value.isFloat()
          ? Operand::makeFloat(value.kind == Constant::Float32, value.bits)
          : Operand::makeInteger(static_cast<int64_t>(value.bits));
  return true;
}

/// A register, special register, variable, function, or `_`.
bool Parser::parseIdentifierOperand(Operand &operand) {
  StringRef name = token.text;
  const char *loc = token.loc();
  uint32_t member;
  if (const Binding *binding = names.lookup(name, member)) {
    switch (binding->kind) {
    case Binding::Register:
      operand = Operand::makeRegister(binding->reg.first + member,
                                      binding->reg.type, binding->reg.vector);
      advance();
      return !token.is(Token::Directive) || parseComponent(operand, name);
    case Binding::Symbol: {
      advance();
      operand = Operand::makeSymbol(binding->symbol);
      if (!token.is(Token::Plus))
        return true;
      int64_t offset = 0;
      if (!parseOffset(offset))
        return false;
      if (offset != static_cast<int32_t>(offset))
        return error(loc, "an offset has 32 bits");
      operand =
          Operand::makeSymbol(binding->symbol, static_cast<int32_t>(offset));
      return true;
    }
    default:
      return error("'" + name + "' is a list of targets, not an operand");
    }
  }
  if (name == "_") {
    operand = Operand::makeSink();
    advance();
    return true;
  }
  if (name == "WARP_SZ") {
    int64_t value;
    if (!parseInteger(value))
      return false;
    operand = Operand::makeInteger(value);
    return true;
  }
  unsigned number;
  if (std::optional<SpecialRegister> special =
          parseSpecialRegister(name, number)) {
    if (!checkRequirement(infoOf(*special).since, name, loc))
      return false;
    operand = Operand::makeSpecial(*special, number);
    advance();
    return !token.is(Token::Directive) || parseComponent(operand, name);
  }
  return error((name.starts_with("%") ? "register '" : "'") + name +
               "' is not declared");
}

/// The `.x` of `%v.x` and `%tid.x`.
bool Parser::parseComponent(Operand &operand, StringRef name) {
  if (operand.elements() == 1)
    return error("'" + name + "' is no vector and has no element '." +
                 token.text + "'");
  static constexpr llvm::StringLiteral elements[] = {"x", "y", "z", "w",
                                                     "r", "g", "b", "a"};
  const auto *it = llvm::find(elements, token.text);
  unsigned index = (it - std::begin(elements)) % 4;
  if (it == std::end(elements) || index >= operand.elements())
    return error("'" + name + "' has no element '." + token.text + "'");
  operand.setComponent(index);
  advance();
  return true;
}

bool Parser::parseVectorOperand(Operand &operand) {
  advance();
  llvm::SmallVector<Operand, 16> parts;
  do {
    if (parts.size() >= maxOperands)
      return error("no vector has that many elements");
    parts.push_back(Operand::makeSink());
    if (!parseOperand(parts.back(), /*inList=*/true))
      return false;
  } while (consumeIf(Token::Comma));
  operand = Operand::makeList(Operand::Vector, saveList(parts));
  return expect(Token::RightBrace, "to close the vector");
}

/// [base+offset, operand, {vector}, ...] {.unified}
bool Parser::parseAddressOperand(Operand &operand) {
  advance();
  llvm::SmallVector<Operand, 4> parts;
  parts.push_back(Operand::makeSink());
  if (!parseAddressBase(parts.back()))
    return false;
  while (consumeIf(Token::Comma)) {
    if (parts.size() >= maxOperands)
      return error("no address has that many parts");
    parts.push_back(Operand::makeSink());
    bool isVector = token.is(Token::LeftBrace);
    if (!(isVector ? parseVectorOperand(parts.back())
                   : parseOperand(parts.back(), /*inList=*/true)))
      return false;
  }
  operand = Operand::makeList(Operand::Address, saveList(parts));
  if (!expect(Token::RightBracket, "to close the address"))
    return false;
  if (consumeDirective("unified"))
    operand.setUnified();
  return true;
}

bool Parser::parseAddressBase(Operand &operand) {
  if (!token.is(Token::Identifier)) {
    int64_t value;
    if (!parseInteger(value))
      return false;
    operand = Operand::makeInteger(value);
    return true;
  }
  if (!parseIdentifierOperand(operand))
    return false;
  if (!operand.is(Operand::Register) || !token.is(Token::Plus))
    return true;
  int64_t offset = 0;
  if (!parseOffset(offset))
    return false;
  operand.setOffset(offset);
  return true;
}

/// `+ constant`, or nothing. A negative offset is written `+-4`.
bool Parser::parseOffset(int64_t &offset) {
  if (!consumeIf(Token::Plus))
    return true;
  const char *loc = token.loc();
  Constant value;
  // `|` behind a symbol is no operator but the start of a pair.
  if (!parseBinary(value, precedenceOf(Token::Plus), 0))
    return false;
  if (value.isFloat())
    return error(loc, "an offset is an integer");
  offset = static_cast<int64_t>(value.bits);
  return true;
}

bool Parser::parseLabelOperand(Operand &operand) {
  if (!token.is(Token::Identifier))
    return error("expected a label, found " + describe(token));
  operand = Operand::makeIndexed(Operand::Label, 0);
  labelUses.emplace_back(
      operands.size(), PendingLabel{token.text, token.loc(), nullptr, nullptr});
  advance();
  return true;
}

bool Parser::parseTargetsOperand(Operand &operand) {
  uint32_t member;
  const Binding *binding =
      token.is(Token::Identifier) ? names.lookup(token.text, member) : nullptr;
  if (!binding || binding->kind != Binding::TargetList ||
      body.targetLists[binding->index].labels.empty())
    return error("expected the name of a .branchtargets list, found " +
                 describe(token));
  operand = Operand::makeIndexed(Operand::Targets, binding->index);
  advance();
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// call {(results),} callee {, (arguments)} {, targets};
/// The operands are then: Vector of results, callee, Vector of arguments, and
/// the targets or prototype of an indirect call.
bool Parser::parseCallOperands() {
  llvm::SmallVector<Operand, 2> results;
  llvm::SmallVector<Operand, 8> arguments;
  operandStarts.push_back(token.loc());
  if (token.is(Token::LeftParen) &&
      (!parseCallList(results) ||
       !expect(Token::Comma, "between the results and the function")))
    return false;

  const char *loc = token.loc();
  StringRef name = token.text;
  operandStarts.push_back(loc);
  Operand callee = Operand::makeSink();
  if (!token.is(Token::Identifier))
    return error("expected a function to call, found " + describe(token));
  if (!parseIdentifierOperand(callee))
    return false;
  bool isDirect = callee.is(Operand::SymbolAddress) &&
                  callee.symbol()->kind == Symbol::FunctionKind;
  bool isIndirect = callee.is(Operand::Register) && callee.elements() == 1 &&
                    fits(Type::B64, callee.type());
  if (!isDirect && !isIndirect)
    return error(loc, "a call takes a function or a 64-bit register, not '" +
                          name + "'");

  operandStarts.push_back(token.loc());
  std::optional<Operand> targets;
  if (consumeIf(Token::Comma)) {
    if (token.is(Token::LeftParen)) {
      if (!parseCallList(arguments))
        return false;
      if (!token.is(Token::Comma))
        goto done;
      advance();
    }
    uint32_t member;
    const Binding *binding = token.is(Token::Identifier)
                                 ? names.lookup(token.text, member)
                                 : nullptr;
    if (binding && binding->kind == Binding::CallPrototype)
      targets = Operand::makeIndexed(Operand::Prototype, binding->index);
    else if (binding && binding->kind == Binding::TargetList)
      targets = Operand::makeIndexed(Operand::Targets, binding->index);
    else
      return error("expected the name of a .callprototype or .calltargets, "
                   "found " +
                   describe(token));
    operandStarts.push_back(token.loc());
    advance();
  }
done:
  if (isIndirect != targets.has_value())
    return error(loc, isIndirect ? "an indirect call ends with the name of a "
                                   ".callprototype or .calltargets"
                                 : "only an indirect call names a prototype");
  const Prototype *prototype = nullptr;
  if (isDirect)
    prototype = static_cast<const Function *>(callee.symbol())->prototype;
  else if (targets->is(Operand::Prototype))
    prototype = &body.callPrototypes[targets->index()].prototype;
  if (prototype &&
      !checkCall(*prototype, name, loc, results.size(), arguments.size()))
    return false;
  operands.push_back(Operand::makeList(Operand::Vector, saveList(results)));
  operands.push_back(callee);
  operands.push_back(Operand::makeList(Operand::Vector, saveList(arguments)));
  if (targets)
    operands.push_back(*targets);
  return true;
}

bool Parser::parseCallList(llvm::SmallVectorImpl<Operand> &list) {
  advance();
  while (!token.is(Token::RightParen)) {
    if (!list.empty() && !expect(Token::Comma, "between arguments"))
      return false;
    if (list.size() >= maxOperands)
      return error("no function has that many parameters");
    const char *loc = token.loc();
    list.push_back(Operand::makeSink());
    if (!parseOperand(list.back(), /*inList=*/true))
      return false;
    const Operand &operand = list.back();
    bool isParameter = operand.is(Operand::SymbolAddress) &&
                       operand.symbol()->kind == Symbol::VariableKind &&
                       static_cast<const Variable *>(operand.symbol())->space ==
                           StateSpace::Param;
    if (!isParameter && !operand.is(Operand::Register) &&
        !operand.isImmediate() && !operand.is(Operand::Sink))
      return error(loc, "an argument is a .param variable, a register or a "
                        "constant");
  }
  advance();
  return true;
}

/// "1 result", "2 results".
static std::string count(size_t number, StringRef what) {
  return std::to_string(number) + " " + what.str() + (number == 1 ? "" : "s");
}

bool Parser::checkCall(const Prototype &prototype, StringRef name,
                       const char *loc, size_t results, size_t arguments) {
  if (results != prototype.results.size())
    return error(loc, "'" + name + "' has " +
                          count(prototype.results.size(), "result") +
                          "; the call takes " + llvm::Twine(results));
  // An open array at the end stands for any further arguments.
  size_t wanted = prototype.parameters.size();
  bool open = wanted && prototype.parameters.back().variable &&
              !prototype.parameters.back().variable->extents.empty() &&
              prototype.parameters.back().variable->extents.front() ==
                  Variable::unsized;
  if (arguments == wanted || (open && arguments + 1 == wanted))
    return true;
  return error(loc, "'" + name + "' has " + count(wanted, "parameter") +
                        "; the call passes " + llvm::Twine(arguments));
}

//===----------------------------------------------------------------------===//
// Places, for messages
//===----------------------------------------------------------------------===//

/// Where an operand or its part begins. Parts are found by reading the operand
/// again: this is only needed for errors.
const char *Parser::locationOf(unsigned operand, int part) const {
  const char *start = operandStarts[operand];
  if (part < 0)
    return start;
  Lexer again(StringRef(start, token.loc() - start));
  Token current = again.next();
  bool isList = current.is(Token::LeftBrace) || current.is(Token::LeftBracket);
  if (isList)
    current = again.next();
  unsigned depth = 0;
  const char *found = current.loc();
  for (int index = 0; index < part;) {
    if (current.is(Token::Eof))
      return found;
    depth += current.is(Token::LeftBrace);
    depth -= current.is(Token::RightBrace) && depth;
    bool separates = !depth && current.is(isList ? Token::Comma : Token::Pipe);
    current = again.next();
    if (separates) {
      ++index;
      found = current.loc();
    }
  }
  return found;
}

std::string Parser::textAt(unsigned operand, int part) const {
  if (operand >= operandStarts.size())
    return "this";
  const char *start = locationOf(operand, part);
  Lexer again(StringRef(start, token.loc() - start));
  Token first = again.next();
  if (first.is(Token::Exclaim))
    first = again.next();
  return first.is(Token::Identifier) ? "'" + first.text.str() + "'"
                                     : describe(first);
}
