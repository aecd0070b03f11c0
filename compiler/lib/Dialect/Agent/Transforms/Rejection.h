//===- Rejection.h - Why a program can't have its roles -----------*- C++
//-*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What no rule can help with is a Rejection: a value, because it depends on the
// schedule whether it becomes an error or a kernel without roles.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_REJECTION_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_REJECTION_H

#include "drawloom/Dialect/Agent/IR/Rules.h"
#include "mlir/IR/Diagnostics.h"
#include <optional>
#include <string>

namespace drawloom::agent {

/// Why a program cannot have the roles that were asked for.
struct Rejection {
  mlir::Location loc;
  /// One sentence with its arithmetic, and what to do about it.
  std::string message;
  llvm::SmallVector<std::pair<mlir::Location, std::string>, 2> notes = {};
  /// Whether the program could still run without roles.
  bool hasFallback = true;

  Rejection &note(mlir::Location where, const llvm::Twine &text) {
    notes.emplace_back(where, text.str());
    return *this;
  }
  /// Reports it as an error.
  mlir::LogicalResult emit() const;
};

/// Nothing, or the reason why not.
using MaybeRejection = std::optional<Rejection>;

/// `a`, `a and b`, `a, b and c`.
std::string listNames(llvm::ArrayRef<std::string> names);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_REJECTION_H
