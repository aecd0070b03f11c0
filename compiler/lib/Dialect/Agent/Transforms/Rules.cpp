//===- Rules.cpp - The decisions about roles and pipes, by name -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

using namespace mlir;
using namespace drawloom::agent;

static constexpr RuleInfo table[] = {
#define RULE(id, name, when, sentence) {name, when, sentence},
#include "Rules.def"
};

const RuleInfo &drawloom::agent::getInfo(Rule rule) {
  return table[static_cast<size_t>(rule)];
}

LogicalResult Refusal::emit() const {
  InFlightDiagnostic diag = emitError(loc) << message;
  for (const auto &[where, text] : notes)
    diag.attachNote(where) << text;
  return diag;
}

std::string drawloom::agent::listNames(ArrayRef<std::string> names) {
  std::string list;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i != 0)
      list += i + 1 == names.size() ? " and " : ", ";
    list += names[i];
  }
  return list;
}
