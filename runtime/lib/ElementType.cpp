//===- ElementType.cpp - What tensors of a kernel hold --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Runtime/ElementType.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom::runtime;

// The third column is CUtensorMapDataType of the CUDA driver API. A map moves
// tf32 as f32, because its own tf32 would round again, and fp8 as bytes. A
// truth value is a byte, as in numpy.
static constexpr ElementTypeInfo elementTypes[] = {
    {"f64", 8, 8},  {"f32", 4, 7},      {"tf32", 4, 7},   {"f16", 2, 6},
    {"bf16", 2, 9}, {"f8E4M3FN", 1, 0}, {"f8E5M2", 1, 0}, {"f8E8M0FNU", 1, 0},
    {"i1", 1, 0},   {"i8", 1, 0},       {"i16", 2, 1},    {"i32", 4, 3},
    {"i64", 8, 5},
};

ElementType drawloom::runtime::findElementType(llvm::StringRef name) {
  const ElementTypeInfo *found =
      llvm::find_if(elementTypes, [&](const ElementTypeInfo &type) {
        return type.name == name;
      });
  return found == std::end(elementTypes) ? nullptr : found;
}

std::string drawloom::runtime::listElementTypes() {
  return llvm::join(
      llvm::map_range(elementTypes,
                      [](const ElementTypeInfo &type) { return type.name; }),
      ", ");
}
