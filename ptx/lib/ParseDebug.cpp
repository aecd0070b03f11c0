//===- ParseDebug.cpp - .file, .loc and .section --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace drawloom::ptx;

/// .file number "name" {, timestamp, size}
bool Parser::parseFile() {
  advance();
  auto *file = new (arena.Allocate<File>()) File();
  if (!parseUnsigned(file->number, "a file number"))
    return false;
  if (!token.is(Token::String))
    return error("expected the name of the file in quotes, found " +
                 describe(token));
  file->name = save(token.text);
  advance();
  if (consumeIf(Token::Comma)) {
    int64_t time, size;
    if (!parseInteger(time) ||
        !expect(Token::Comma, "between time stamp and size") ||
        !parseInteger(size))
      return false;
    file->hasStamp = true;
    file->time = static_cast<uint64_t>(time);
    file->size = static_cast<uint64_t>(size);
  }
  TopLevelItem item(TopLevelItem::FileItem);
  item.file = file;
  items.push_back(item);
  return true;
}

/// .loc file line column {, function_name label{+n}, inlined_at file line
/// column}
bool Parser::parseLocation() {
  advance();
  SourceLocation location{};
  if (!parseUnsigned(location.file, "a file number") ||
      !parseUnsigned(location.line, "a line number") ||
      !parseUnsigned(location.column, "a column"))
    return false;
  if (consumeIf(Token::Comma)) {
    if (!token.is(Token::Identifier) || token.text != "function_name")
      return error("expected 'function_name' after ',' in .loc, found " +
                   describe(token));
    advance();
    if (!token.is(Token::Identifier))
      return error("expected the label of the function's name, found " +
                   describe(token));
    location.function = save(token.text);
    advance();
    if (consumeIf(Token::Plus) && !parseInteger(location.functionOffset))
      return false;
    if (!expect(Token::Comma, "before 'inlined_at'"))
      return false;
    if (!token.is(Token::Identifier) || token.text != "inlined_at")
      return error("expected 'inlined_at', found " + describe(token));
    advance();
    if (!parseUnsigned(location.inlinedFile, "a file number") ||
        !parseUnsigned(location.inlinedLine, "a line number") ||
        !parseUnsigned(location.inlinedColumn, "a column"))
      return false;
  }
  body.add(BodyItem::Location, body.locations.size());
  body.locations.push_back(location);
  return true;
}

/// .section .name { lines }
bool Parser::parseSection() {
  advance();
  if (!token.is(Token::Directive))
    return error("expected the name of a section, such as .debug_info, found " +
                 describe(token));
  auto *section = new (arena.Allocate<Section>()) Section();
  section->name = save(token.text);
  advance();
  if (!expect(Token::LeftBrace, "to open the section"))
    return false;
  std::vector<SectionEntry> entries;
  while (!token.is(Token::RightBrace)) {
    if (token.is(Token::Eof))
      return error("expected '}' to close the section");
    if (!parseSectionEntry(entries))
      return false;
  }
  advance();
  section->entries = saveList(entries);
  TopLevelItem item(TopLevelItem::SectionItem);
  item.section = section;
  items.push_back(item);
  return true;
}

bool Parser::parseSectionEntry(std::vector<SectionEntry> &entries) {
  SectionEntry entry;
  if (token.is(Token::Identifier)) {
    entry.label = save(token.text);
    advance();
    if (!expect(Token::Colon, "after a label"))
      return false;
    entries.push_back(entry);
    return true;
  }
  if (token.is(Token::Directive))
    if (std::optional<Type> type = parseType(token.text);
        type && kindOf(*type) == TypeKind::Bits)
      entry.type = *type;
  if (entry.type == Type::None)
    return error("expected .b8, .b16, .b32, .b64 or a label in a section, "
                 "found " +
                 describe(token));
  advance();
  llvm::SmallVector<SectionEntry::Value, 16> values;
  do {
    SectionEntry::Value value;
    if (!parseSectionValue(value))
      return false;
    values.push_back(value);
  } while (consumeIf(Token::Comma));
  consumeIf(Token::Semicolon);
  entry.values = saveList(values);
  entries.push_back(entry);
  return true;
}

/// An integer, `symbol`, `symbol+4`, `.section`, or `symbol-symbol`.
bool Parser::parseSectionValue(SectionEntry::Value &value) {
  if (!token.is(Token::Identifier) && !token.is(Token::Directive))
    return parseInteger(value.number);
  // A section's own name keeps its dot.
  value.symbol = token.is(Token::Directive) ? save(("." + token.text).str())
                                            : save(token.text);
  advance();
  if (consumeIf(Token::Plus))
    return parseInteger(value.number);
  if (consumeIf(Token::Minus)) {
    if (!token.is(Token::Identifier))
      return error("expected a label after '-', found " + describe(token));
    value.minus = save(token.text);
    advance();
  }
  return true;
}
