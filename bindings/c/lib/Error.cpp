//===- Error.cpp - Errors and bytes of the C API --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

using namespace drawloom;

/// A message, then its notes.
static void flatten(const Message &message, std::vector<Message> &messages) {
  messages.push_back(message);
  messages.back().notes.clear();
  for (const Message &note : message.notes)
    flatten(note, messages);
}

DrawloomError *capi::give(llvm::Error error) {
  auto *given = new DrawloomError;
  llvm::handleAllErrors(
      std::move(error),
      [&](const CompileError &compile) {
        llvm::raw_string_ostream os(given->text);
        compile.log(os);
        for (const Message &message : compile.getMessages())
          flatten(message, given->messages);
      },
      [&](const llvm::ErrorInfoBase &other) {
        given->text = other.message();
        given->messages.push_back({.text = given->text});
      });
  return given;
}

DrawloomBytes capi::give(llvm::StringRef bytes) {
  char *data = new char[bytes.size() + 1];
  memcpy(data, bytes.data(), bytes.size());
  data[bytes.size()] = 0;
  return {data, bytes.size()};
}

int drawloomApiVersion(void) { return DRAWLOOM_API_VERSION; }

const char *drawloomVersion(void) { return DRAWLOOM_VERSION; }

void drawloomBytesDestroy(DrawloomBytes bytes) { delete[] bytes.data; }

const char *drawloomErrorText(const DrawloomError *error) {
  return error ? error->text.c_str() : "";
}

size_t drawloomErrorCount(const DrawloomError *error) {
  return error ? error->messages.size() : 0;
}

DrawloomMessage drawloomErrorAt(const DrawloomError *error, size_t index) {
  if (index >= drawloomErrorCount(error))
    return {"", "", 0, 0, ""};
  const Message &message = error->messages[index];
  return {toString(message.severity).data(), message.file.c_str(), message.line,
          message.column, message.text.c_str()};
}

void drawloomErrorDestroy(DrawloomError *error) { delete error; }
