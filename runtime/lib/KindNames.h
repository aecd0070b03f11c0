//===- KindNames.h - Words of the JSON form ---------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words for enumerations in KernelInfo's JSON, in the order of the
// enumerators. Reading and writing share them.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_RUNTIME_KINDNAMES_H
#define DRAWLOOM_LIB_RUNTIME_KINDNAMES_H

#include "drawloom/Runtime/KernelInfo.h"

namespace drawloom::runtime {

inline constexpr llvm::StringLiteral parameterKinds[] = {
    "tensorMap", "pointer", "size", "stride", "scalar", "workspace"};
inline constexpr llvm::StringLiteral itemsKinds[] = {"static", "one", "dynamic",
                                                     "counted"};

inline constexpr llvm::StringLiteral stepKinds[] = {
    "number",   "size",   "scalar",   "add",
    "multiply", "modulo", "floorDiv", "ceilDiv"};

inline llvm::StringRef nameOf(Parameter::Kind kind) {
  return parameterKinds[static_cast<unsigned>(kind)];
}
inline llvm::StringRef nameOf(ItemsInfo::Kind kind) {
  return itemsKinds[static_cast<unsigned>(kind)];
}

inline llvm::StringRef nameOf(FormulaStep::Kind kind) {
  return stepKinds[static_cast<unsigned>(kind)];
}

} // namespace drawloom::runtime

#endif // DRAWLOOM_LIB_RUNTIME_KINDNAMES_H
