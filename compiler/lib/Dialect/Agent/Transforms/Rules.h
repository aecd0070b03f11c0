//===- Rules.h - The decisions about roles and pipes, by name ---*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Every decision is the firing of a named rule from the table in Rules.def. A
// firing is kept as "rule-name: sentence" in the `because` of the role or pipe
// that it shaped, and is a remark where remarks are asked for. So a plan can be
// questioned line by line, and a drawing can name the rule.
//
// What no rule can help with is a Refusal: a value, because it depends on the
// schedule whether it becomes an error or a kernel without roles.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_RULES_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_RULES_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"
#include <optional>
#include <string>

namespace drawloom::agent {

enum class Rule : uint8_t {
#define RULE(id, name, when, sentence) id,
#include "Rules.def"
};

/// One row of the table.
struct RuleInfo {
  llvm::StringLiteral name, when, sentence;
};
const RuleInfo &getInfo(Rule rule);

/// `rule-name: sentence`, with the arguments in their places.
template <typename... Args>
std::string fire(Rule rule, Args &&...args) {
  const RuleInfo &info = getInfo(rule);
  return info.name.str() + ": " +
         llvm::formatv(false, info.sentence.data(), std::forward<Args>(args)...)
             .str();
}

/// Why a program cannot have the roles that were asked for.
struct Refusal {
  mlir::Location loc;
  /// One sentence with its arithmetic, and what to do about it.
  std::string message;
  llvm::SmallVector<std::pair<mlir::Location, std::string>, 2> notes = {};
  /// Whether the program could still run without roles.
  bool hasFallback = true;

  Refusal &note(mlir::Location where, const llvm::Twine &text) {
    notes.emplace_back(where, text.str());
    return *this;
  }
  /// Reports it as an error.
  mlir::LogicalResult emit() const;
};

/// Nothing, or the reason why not.
using MaybeRefusal = std::optional<Refusal>;

/// `a`, `a and b`, `a, b and c`.
std::string listNames(llvm::ArrayRef<std::string> names);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_RULES_H
