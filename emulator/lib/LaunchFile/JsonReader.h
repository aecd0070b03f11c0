//===- JsonReader.h - Objects with known fields -----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the fields of an object by name. The first thing that is wrong is kept,
// with the field that it is in; later reads go on and change nothing, so a
// function can read all its fields and look once. A field that wasn't read is
// wrong, too.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_JSONREADER_H
#define DRAWLOOM_EMULATOR_JSONREADER_H

#include "drawloom/Emulator/Report.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace drawloom::emu {

/// The first error of a file, shared by the readers of its objects.
struct JsonError {
  std::string text;

  void set(const llvm::Twine &where, const llvm::Twine &problem) {
    if (text.empty())
      text = (where + ": " + problem).str();
  }
  explicit operator bool() const { return !text.empty(); }
};

class JsonReader {
public:
  JsonReader(const llvm::json::Value &value, std::string where,
             JsonError &error);

  const std::string &where() const { return whereField; }
  std::string path(llvm::StringRef field) const {
    return whereField.empty() ? field.str() : whereField + "." + field.str();
  }
  void fail(llvm::StringRef field, const llvm::Twine &problem) {
    error.set(path(field), problem);
  }

  /// The value of a field; null if there is none.
  const llvm::json::Value *take(llvm::StringRef field);
  const llvm::json::Value *require(llvm::StringRef field);

  std::optional<uint64_t> number(llvm::StringRef field, uint64_t limit);
  std::optional<std::string> text(llvm::StringRef field);
  bool numbers(llvm::StringRef field, llvm::SmallVectorImpl<uint64_t> &result,
               uint64_t limit);
  /// One to three numbers.
  std::optional<Dim3> extents(llvm::StringRef field);
  /// One of the names; its index.
  std::optional<unsigned> choice(llvm::StringRef field,
                                 llvm::ArrayRef<llvm::StringLiteral> names);
  /// Calls f for each element of a field that is an array.
  void
  elements(llvm::StringRef field,
           llvm::function_ref<void(const llvm::json::Value &, std::string)> f);

  /// Complains about a field that wasn't read.
  void finish();

private:
  const llvm::json::Object *object;
  std::string whereField;
  JsonError &error;
  llvm::SmallVector<llvm::StringRef, 16> taken;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_JSONREADER_H
