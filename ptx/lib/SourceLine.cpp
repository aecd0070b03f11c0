//===- SourceLine.cpp - Where PTX comes from ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/SourceLine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace drawloom;
using namespace drawloom::ptx;

std::string ptx::spell(llvm::ArrayRef<SourceLine> source) {
  auto one = [](const SourceLine &line) {
    return llvm::sys::path::filename(line.file).str() + ":" +
           llvm::utostr(line.line);
  };
  std::string text = one(source.front());
  return source.size() == 1 ? text : text + " from " + one(source.back());
}

void ptx::addSource(llvm::json::Object &object,
                    llvm::ArrayRef<SourceLine> source) {
  if (source.empty())
    return;
  object["file"] = source.front().file;
  object["line"] = source.front().line;
  llvm::json::Array calls;
  for (const SourceLine &call : source.drop_front())
    calls.push_back(
        llvm::json::Object{{"file", call.file}, {"line", call.line}});
  if (!calls.empty())
    object["calls"] = std::move(calls);
}
