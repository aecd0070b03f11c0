//===- Verify.cpp - What the verifiers share ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace drawloom::agent;

FailureOr<PipeOp> drawloom::agent::getPipe(Operation *user, Value value) {
  if (auto pipe = getInFront<PipeOp>(user, value))
    return pipe;
  return user->emitOpError("expects the result of an 'agent.pipe' in front of "
                           "it");
}

std::string drawloom::agent::nameOf(RoleOp role) {
  StringAttr name = role.getSymNameAttr();
  return name ? ("@" + name.getValue()).str() : "a role without a name";
}

std::string drawloom::agent::namesOf(ArrayRef<RoleOp> roles) {
  std::string text;
  for (auto [index, role] : llvm::enumerate(roles)) {
    if (index)
      text += index + 1 == roles.size() ? " and " : ", ";
    text += nameOf(role);
  }
  return text;
}

std::string drawloom::agent::listOf(TypeRange types) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '(';
  llvm::interleaveComma(types, stream);
  stream << ')';
  return text;
}

std::string drawloom::agent::ctas(int64_t count) {
  return count == 1 ? "one CTA" : std::to_string(count) + " CTAs";
}

SmallVector<Type> drawloom::agent::getSlotValues(TypeRange pipes) {
  SmallVector<Type> values;
  for (Type type : pipes)
    llvm::append_range(values, cast<PipeType>(type).getPayload());
  return values;
}

ArrayRef<Type> drawloom::agent::getItemValues(Type source) {
  if (auto items = dyn_cast<ItemsType>(source))
    return items.getItem();
  return cast<PipeType>(source).getPayload();
}
