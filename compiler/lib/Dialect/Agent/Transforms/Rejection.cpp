//===- Rejection.cpp - Why a program can't have its roles
//-------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rejection.h"

using namespace mlir;
using namespace drawloom::agent;

LogicalResult Rejection::emit() const {
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
