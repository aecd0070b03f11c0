//===- Condition.cpp - Whether a launch is one that ends ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Runtime/Launch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom::runtime;
using llvm::ArrayRef;
using llvm::Twine;
using Kind = FormulaStep::Kind;

/// An operand of a formula.
static int64_t read(const FormulaStep &step, const KernelInfo &kernel,
                    ArrayRef<Argument> arguments) {
  if (step.kind == Kind::Number)
    return step.value;
  const Argument &argument = arguments[step.argument];
  if (step.kind == Kind::Size)
    return argument.tensor.shape[step.dimension];
  return llvm::SignExtend64(argument.bits,
                            8 * kernel.arguments[step.argument].type->bytes);
}

/// What an operator makes of two numbers; nothing if it has no 64 bits.
/// Divisors are above 0.
static std::optional<int64_t> combine(Kind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (kind) {
  case Kind::Add:
    return llvm::AddOverflow(a, b, result) ? std::nullopt
                                           : std::optional(result);
  case Kind::Multiply:
    return llvm::MulOverflow(a, b, result) ? std::nullopt
                                           : std::optional(result);
  case Kind::Modulo:
    return llvm::mod(a, b);
  case Kind::FloorDiv:
    return llvm::divideFloorSigned(a, b);
  default:
    return llvm::divideCeilSigned(a, b);
  }
}

static std::optional<int64_t> compute(const Formula &formula,
                                      const KernelInfo &kernel,
                                      ArrayRef<Argument> arguments) {
  llvm::SmallVector<int64_t> stack;
  for (const FormulaStep &step : formula.steps) {
    if (step.isOperand()) {
      stack.push_back(read(step, kernel, arguments));
      continue;
    }
    int64_t b = stack.pop_back_val();
    std::optional<int64_t> result = combine(step.kind, stack.back(), b);
    if (!result)
      return std::nullopt;
    stack.back() = *result;
  }
  return std::max<int64_t>(stack.back(), 0);
}

/// "ceil(dim 1 of A / 64) = 0 with dim 1 of A = 0": what the formulas came to,
/// and from what.
static std::string explain(const LaunchCondition &condition,
                           ArrayRef<int64_t> values, const KernelInfo &kernel,
                           ArrayRef<Argument> arguments) {
  llvm::SmallVector<std::string> results, operands;
  for (auto [formula, value] : llvm::zip_equal(condition.formulas, values))
    results.push_back(formula.words + " = " + std::to_string(value));
  for (const Formula &formula : condition.formulas)
    for (const FormulaStep &step : formula.steps) {
      if (!step.isOperand() || step.kind == Kind::Number)
        continue;
      std::string name = kernel.arguments[step.argument].name;
      if (step.kind == Kind::Size)
        name = "dim " + std::to_string(step.dimension) + " of " + name;
      name += " = " + std::to_string(read(step, kernel, arguments));
      // A formula may be a size and no more.
      if (!llvm::is_contained(results, name) &&
          !llvm::is_contained(operands, name))
        operands.push_back(name);
    }
  return llvm::join(results, ", ") + (operands.empty() ? "" : " with ") +
         llvm::join(operands, ", ");
}

llvm::Error drawloom::runtime::checkCondition(const KernelInfo &kernel,
                                              ArrayRef<Argument> arguments) {
  if (!kernel.condition)
    return llvm::Error::success();
  const LaunchCondition &condition = *kernel.condition;
  std::string only =
      "@" + kernel.name + " is proved deadlock-free only if " + condition.words;
  llvm::SmallVector<int64_t> values;
  for (const Formula &formula : condition.formulas) {
    std::optional<int64_t> value = compute(formula, kernel, arguments);
    if (!value)
      return llvm::createStringError(
          only + "; with the sizes of this launch " + formula.words +
          " has more than 64 bits [launch-condition]");
    values.push_back(*value);
  }
  bool holds = llvm::any_of(condition.cases, [&](ArrayRef<Bound> bounds) {
    return llvm::all_of(bounds, [&](const Bound &bound) {
      return bound.least <= values[bound.formula] &&
             values[bound.formula] <= bound.most;
    });
  });
  if (holds)
    return llvm::Error::success();
  return llvm::createStringError(only + "; this launch has " +
                                 explain(condition, values, kernel, arguments) +
                                 " [launch-condition]");
}
