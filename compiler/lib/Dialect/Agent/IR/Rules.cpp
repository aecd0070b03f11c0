//===- Rules.cpp - The decisions about roles and pipes, by name -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Agent/IR/Rules.h"

using namespace drawloom::agent;

static constexpr RuleInfo table[] = {
#define RULE(id, name, when, sentence) {name, when, sentence},
#include "drawloom/Dialect/Agent/IR/Rules.def"
};

const RuleInfo &drawloom::agent::getInfo(Rule rule) {
  return table[static_cast<size_t>(rule)];
}

std::optional<Rule> drawloom::agent::findRule(llvm::StringRef name) {
  for (size_t i = 0; i < std::size(table); ++i)
    if (table[i].name == name)
      return static_cast<Rule>(i);
  return std::nullopt;
}
