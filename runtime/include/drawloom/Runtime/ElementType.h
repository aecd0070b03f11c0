//===- ElementType.h - What tensors of a kernel hold ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types of a kernel's arguments: how many bytes one takes in device
// memory, and what a tensor map calls it. They are rows of one table, in
// ElementType.cpp, and have the names that MLIR gives them.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_RUNTIME_ELEMENTTYPE_H
#define DRAWLOOM_RUNTIME_ELEMENTTYPE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace drawloom::runtime {

struct ElementTypeInfo {
  llvm::StringLiteral name;
  uint8_t bytes;
  /// The value in CUtensorMapDataType.
  uint8_t tensorMapType;
};

/// A row of the table; compare by address.
using ElementType = const ElementTypeInfo *;

/// The type that MLIR spells `name`; null if tensors in device memory have no
/// such elements.
ElementType findElementType(llvm::StringRef name);

/// "f64, f32, ...", for messages.
std::string listElementTypes();

} // namespace drawloom::runtime

#endif // DRAWLOOM_RUNTIME_ELEMENTTYPE_H
