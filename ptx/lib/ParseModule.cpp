//===- ParseModule.cpp - The module's level -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "drawloom/PTX/Parser.h"
#include "drawloom/PTX/Quote.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom::ptx;
using llvm::StringRef;

std::string ParseResult::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const llvm::SMDiagnostic &diagnostic : diagnostics)
    printDiagnostic(diagnostic, os);
  return text;
}

ParseResult drawloom::ptx::parseModule(llvm::MemoryBufferRef buffer,
                                       const ParseOptions &options) {
  ParseResult result;
  auto module = std::make_unique<Module>();
  Diagnostics diagnostics(buffer, options.maxErrors);
  Parser(buffer.getBuffer(), *module, diagnostics).parseModule();
  if (diagnostics.empty())
    result.module = std::move(module);
  result.diagnostics = diagnostics.take();
  return result;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

void Parser::reportLexicalError() {
  // An open comment hides the rest of the source.
  if (lexer.isAtEnd())
    giveUp(token.loc(), token.problem);
  else
    error(token.problem);
}

bool Parser::error(const char *loc, const llvm::Twine &message) {
  if (gaveUp)
    return false;
  diagnostics.error(loc, message);
  if (diagnostics.isFull()) {
    gaveUp = true;
    lexer.stop();
    token = lexer.next();
  }
  return false;
}

void Parser::giveUp(const char *loc, const llvm::Twine &message) {
  error(loc, message);
  gaveUp = true;
  lexer.stop();
  token = lexer.next();
}

bool Parser::errorDeclaredTwice(const char *loc, StringRef name) {
  return error(loc, "'" + name + "' is declared twice; first on line " +
                        llvm::Twine(names.lineOf(name)));
}

bool Parser::consumeIf(Token::Kind kind) {
  if (!token.is(kind))
    return false;
  advance();
  return true;
}

bool Parser::consumeDirective(StringRef text) {
  if (!isDirective(text))
    return false;
  advance();
  return true;
}

bool Parser::expect(Token::Kind kind, const llvm::Twine &where) {
  if (consumeIf(kind))
    return true;
  // The lexer has reported an error token itself.
  if (token.is(Token::Error))
    return false;
  return error("expected " + describe(kind) + " " + where + ", found " +
               describe(token));
}

/// Goes behind the next ';', but not past a brace of a scope: the loops that
/// call this know what those mean where they are. In a body a brace that closes
/// before the ';' belongs to a vector.
void Parser::skipStatement(bool inBody) {
  while (!token.is(Token::Eof) && !token.is(Token::RightBrace) &&
         !token.is(Token::Semicolon)) {
    if (token.is(Token::LeftBrace)) {
      if (!inBody)
        return;
      Lexer ahead = lexer;
      Token closing = ahead.next();
      while (!closing.is(Token::Eof) && !closing.is(Token::RightBrace) &&
             !closing.is(Token::LeftBrace) && !closing.is(Token::Semicolon))
        closing = ahead.next();
      if (!closing.is(Token::RightBrace))
        return;
      lexer = ahead;
    }
    token = lexer.next();
  }
  if (token.is(Token::Semicolon))
    advance();
}

bool Parser::checkRequirement(const Requirement &requirement, StringRef what,
                              const char *loc) {
  if (requirement.isSatisfied(module.version, module.target))
    return true;
  return error(loc, "'" + what + "' needs " + requirement.str() +
                        "; this module is for PTX " + module.version.str() +
                        " and " + module.target.str());
}

//===----------------------------------------------------------------------===//
// The module's level
//===----------------------------------------------------------------------===//

void Parser::parseModule() {
  advance();
  // Without version and target nothing below can be judged.
  if (!parseHeader())
    return;
  matcher.emplace(arena, module.version, module.target, module.addressSize);
  while (!token.is(Token::Eof)) {
    if (parseTopLevel())
      continue;
    // A broken function head may be followed by its body.
    skipStatement(/*inBody=*/false);
    unsigned depth = 0;
    while (!token.is(Token::Eof) && (token.is(Token::LeftBrace) ||
                                     token.is(Token::RightBrace) || depth)) {
      depth += token.is(Token::LeftBrace);
      depth -= token.is(Token::RightBrace) && depth;
      token = lexer.next();
    }
  }
  module.items = saveList(items);
  module.functions = saveList(functions);
  module.variables = saveList(variables);
  module.symbolCount = symbolCount;
}

bool Parser::parseHeader() {
  if (!isDirective("version"))
    return error("a PTX module begins with .version, found " + describe(token));
  advance();
  const char *versionLoc = token.loc();
  if (!parseVersionNumber(module.version))
    return false;
  if (module.version < Version{7, 0})
    return error(versionLoc, "PTX " + module.version.str() +
                                 " is older than 7.0, the first version that "
                                 "is supported");
  if (!isDirective("target"))
    return error("expected .target after .version, found " + describe(token));
  if (!parseTarget())
    return false;
  if (consumeDirective("address_size")) {
    const char *loc = token.loc();
    uint32_t size;
    if (!parseUnsigned(size, "the address size"))
      return false;
    if (size != 32 && size != 64)
      return error(loc,
                   "the address size is 32 or 64, not " + llvm::Twine(size));
    module.addressSize = static_cast<uint8_t>(size);
  }
  return true;
}

/// A version is lexed as a floating-point literal; its text is what counts.
bool Parser::parseVersionNumber(Version &version) {
  std::optional<Version> parsed = parseVersion(token.text);
  if (!token.is(Token::Float64) || !parsed)
    return error("expected a version such as 8.6, found " + describe(token));
  version = *parsed;
  advance();
  return true;
}

bool Parser::parseTarget() {
  advance();
  llvm::SmallVector<StringRef, 2> options;
  do {
    if (!token.is(Token::Identifier))
      return error("expected a target such as sm_100a, found " +
                   describe(token));
    if (token.text.starts_with("sm_")) {
      std::optional<Target> target = ptx::parseTarget(token.text);
      if (!target)
        return error("there is no target '" + token.text + "'");
      if (sinceVersion(*target) > module.version)
        return error("target " + token.text + " needs PTX " +
                     sinceVersion(*target).str() + "; this module is for PTX " +
                     module.version.str());
      module.target = *target;
    } else if (token.text == "texmode_unified" ||
               token.text == "texmode_independent" || token.text == "debug" ||
               token.text == "map_f64_to_f32") {
      options.push_back(save(token.text));
    } else {
      return error("there is no target '" + token.text + "'");
    }
    advance();
  } while (consumeIf(Token::Comma));
  if (!module.target.sm)
    return error(".target names no architecture, such as sm_100a");
  module.targetOptions = saveList(options);
  return true;
}

Linkage Parser::parseLinkage() {
  if (!token.is(Token::Directive))
    return Linkage::None;
  auto linkage = llvm::StringSwitch<Linkage>(token.text)
                     .Case("extern", Linkage::Extern)
                     .Case("visible", Linkage::Visible)
                     .Case("weak", Linkage::Weak)
                     .Case("common", Linkage::Common)
                     .Default(Linkage::None);
  if (linkage != Linkage::None)
    advance();
  return linkage;
}

bool Parser::parseTopLevel() {
  if (consumeIf(Token::Semicolon))
    return true;
  if (!token.is(Token::Directive))
    return error("expected a directive such as .visible, .entry or .global, "
                 "found " +
                 describe(token));
  if (isDirective("file"))
    return parseFile();
  if (isDirective("section"))
    return parseSection();
  if (isDirective("alias"))
    return parseAlias();
  if (isDirective("pragma")) {
    TopLevelItem item(TopLevelItem::PragmaItem);
    if (!parsePragma(item.pragmas))
      return false;
    items.push_back(item);
    return true;
  }
  if (isDirective("loc"))
    return error(".loc belongs into a function");
  if (isDirective("version") || isDirective("target") ||
      isDirective("address_size"))
    return error("'." + token.text + "' stands once, at the beginning");
  Linkage linkage = parseLinkage();
  if (isDirective("entry") || isDirective("func"))
    return parseFunction(linkage);
  return parseVariables(linkage, /*inBody=*/false);
}

/// .alias name, aliasee;
bool Parser::parseAlias() {
  const char *loc = token.loc();
  advance();
  if (!checkRequirement(*parseRequirement("6.3 sm_30"), ".alias", loc))
    return false;
  const Function *both[2];
  for (const Function *&function : both) {
    if (&function != both && !expect(Token::Comma, "between the two names"))
      return false;
    uint32_t member;
    const Binding *binding = token.is(Token::Identifier)
                                 ? names.lookup(token.text, member)
                                 : nullptr;
    if (!binding || binding->kind != Binding::Symbol ||
        binding->symbol->kind != Symbol::FunctionKind)
      return error(".alias takes functions that are declared before, found " +
                   describe(token));
    function = static_cast<const Function *>(binding->symbol);
    advance();
  }
  TopLevelItem item(TopLevelItem::AliasItem);
  item.function = both[0];
  item.aliasee = both[1];
  items.push_back(item);
  return expect(Token::Semicolon, "after .alias");
}
