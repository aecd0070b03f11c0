//===- Rules.h - The decisions about roles and pipes, by name ---*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every decision is the firing of a named rule from the table in Rules.def. A
// firing is kept as a `#agent.reason` in the `because` of the role or pipe that
// it shaped, and is a remark where remarks are asked for. So a plan can be
// questioned line by line, and a drawing can name the rule.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_IR_RULES_H
#define DRAWLOOM_DIALECT_AGENT_IR_RULES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include <optional>
#include <string>

namespace drawloom::agent {

enum class Rule : uint8_t {
#define RULE(id, name, when, sentence) id,
#include "drawloom/Dialect/Agent/IR/Rules.def"
};

/// One row of the table.
struct RuleInfo {
  llvm::StringLiteral name, when, sentence;
};
const RuleInfo &getInfo(Rule rule);
/// The rule of this name; nothing if there is none.
std::optional<Rule> findRule(llvm::StringRef name);

/// A rule that fired, and what it did, before it is part of the IR.
struct Reason {
  Rule rule;
  std::string sentence;

  /// `rule-name: sentence`
  std::string str() const { return getInfo(rule).name.str() + ": " + sentence; }
};

/// The rule's sentence with the arguments in their places.
template <typename... Args>
Reason fire(Rule rule, Args &&...args) {
  return {rule, llvm::formatv(false, getInfo(rule).sentence.data(),
                              std::forward<Args>(args)...)
                    .str()};
}

} // namespace drawloom::agent

#endif // DRAWLOOM_DIALECT_AGENT_IR_RULES_H
