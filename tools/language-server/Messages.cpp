//===- Messages.cpp - JSON between an editor and a server -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"
#include "drawloom/Input/Scan.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom::lsp;

/// A line with its end; nothing at the end of the file.
static std::optional<std::string> readLine(std::FILE *in) {
  std::string line;
  for (int c = std::getc(in); c != EOF; c = std::getc(in)) {
    line += static_cast<char>(c);
    if (c == '\n')
      return line;
  }
  return line.empty() ? std::nullopt : std::optional(line);
}

std::optional<std::string> Peer::readFrame() {
  std::string frame;
  if (isDelimited) {
    std::optional<std::string> line;
    while ((line = readLine(in))) {
      if (llvm::StringRef(*line).starts_with("// -----"))
        return frame;
      if (!llvm::StringRef(*line).starts_with("//"))
        frame += *line;
    }
    return frame.empty() ? std::nullopt : std::optional(frame);
  }
  // A message that is larger is none of an editor.
  constexpr size_t most = size_t(1) << 30;
  size_t length = 0;
  while (std::optional<std::string> line = readLine(in)) {
    llvm::StringRef header = llvm::StringRef(*line).trim();
    if (header.consume_front("Content-Length:"))
      if (header.trim().getAsInteger(10, length) || length > most)
        return std::nullopt;
    if (!header.empty() || !length)
      continue;
    frame.resize(length);
    if (std::fread(frame.data(), 1, length, in) != length)
      return std::nullopt;
    return frame;
  }
  return std::nullopt;
}

std::optional<llvm::json::Object> Peer::read() {
  while (std::optional<std::string> frame = readFrame()) {
    llvm::Expected<llvm::json::Value> value = input::parseJson(*frame);
    if (!value) {
      llvm::consumeError(value.takeError());
      continue;
    }
    if (llvm::json::Object *object = value->getAsObject())
      return std::move(*object);
  }
  return std::nullopt;
}

void Peer::write(const llvm::json::Value &message) {
  std::string text = isPretty ? llvm::formatv("{0:2}\n", message).str()
                              : llvm::formatv("{0}", message).str();
  std::lock_guard lock(writing);
  std::fprintf(out, "Content-Length: %zu\r\n\r\n", text.size());
  std::fwrite(text.data(), 1, text.size(), out);
  std::fflush(out);
}
