//===- JsonReader.cpp - Objects with known fields ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchFile/JsonReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom::emu;
using llvm::StringRef;
using llvm::Twine;
using llvm::json::Value;

JsonReader::JsonReader(const Value &value, std::string where, JsonError &error)
    : object(value.getAsObject()), whereField(std::move(where)), error(error) {
  if (!object)
    error.set(whereField.empty() ? "the file" : whereField,
              "an object, with braces, is expected");
}

const Value *JsonReader::take(StringRef field) {
  taken.push_back(field);
  return object ? object->get(field) : nullptr;
}

const Value *JsonReader::require(StringRef field) {
  const Value *value = take(field);
  if (!value && object)
    fail(field, "is missing");
  return value;
}

/// A number that JSON holds exactly.
static std::optional<uint64_t> readNumber(const Value &value, uint64_t limit) {
  std::optional<uint64_t> number = value.getAsUINT64();
  return number && *number <= limit ? number : std::nullopt;
}

std::optional<uint64_t> JsonReader::number(StringRef field, uint64_t limit) {
  const Value *value = take(field);
  if (!value)
    return std::nullopt;
  std::optional<uint64_t> number = readNumber(*value, limit);
  if (!number)
    fail(field, "a whole number from 0 to " + Twine(limit) + " is expected");
  return number;
}

std::optional<std::string> JsonReader::text(StringRef field) {
  const Value *value = take(field);
  if (!value)
    return std::nullopt;
  std::optional<StringRef> text = value->getAsString();
  if (!text) {
    fail(field, "a text is expected");
    return std::nullopt;
  }
  return text->str();
}

bool JsonReader::numbers(StringRef field,
                         llvm::SmallVectorImpl<uint64_t> &result,
                         uint64_t limit) {
  const Value *value = take(field);
  if (!value)
    return false;
  const llvm::json::Array *array = value->getAsArray();
  bool valid = array != nullptr;
  if (array)
    for (const Value &element : *array) {
      std::optional<uint64_t> number = readNumber(element, limit);
      valid &= number.has_value();
      result.push_back(number.value_or(0));
    }
  if (!valid)
    fail(field,
         "a list of whole numbers from 0 to " + Twine(limit) + " is expected");
  return valid;
}

std::optional<Dim3> JsonReader::extents(StringRef field) {
  llvm::SmallVector<uint64_t, 3> extents;
  if (!numbers(field, extents, UINT32_MAX))
    return std::nullopt;
  if (extents.empty() || extents.size() > 3) {
    fail(field, "one to three numbers are expected");
    return std::nullopt;
  }
  extents.resize(3, 1);
  return Dim3{uint32_t(extents[0]), uint32_t(extents[1]), uint32_t(extents[2])};
}

std::optional<unsigned>
JsonReader::choice(StringRef field, llvm::ArrayRef<llvm::StringLiteral> names) {
  std::optional<std::string> word = text(field);
  if (!word)
    return std::nullopt;
  const auto *it = llvm::find(names, *word);
  if (it == names.end()) {
    fail(field, "'" + *word + "' is not one of " +
                    llvm::join(names.begin(), names.end(), ", "));
    return std::nullopt;
  }
  return it - names.begin();
}

void JsonReader::elements(
    StringRef field, llvm::function_ref<void(const Value &, std::string)> f) {
  const Value *value = take(field);
  if (!value)
    return;
  const llvm::json::Array *array = value->getAsArray();
  if (!array) {
    fail(field, "a list, with brackets, is expected");
    return;
  }
  for (auto [index, element] : llvm::enumerate(*array))
    f(element, path(field) + "[" + std::to_string(index) + "]");
}

void JsonReader::finish() {
  if (!object)
    return;
  for (const auto &entry : *object)
    if (!llvm::is_contained(taken, StringRef(entry.first)))
      fail(StringRef(entry.first),
           "there is no such field here; the fields are " +
               llvm::join(taken, ", "));
}
