//===- Patterns.h - Patterns by family ------------------------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_CONVERSION_TILETONVVM_PATTERNS_H
#define DRAWLOOM_LIB_CONVERSION_TILETONVVM_PATTERNS_H

#include "mlir/Transforms/DialectConversion.h"

namespace drawloom::tonvvm {

/// ConvertLayout.cpp: registers, and lanes of a warp.
void addConvertLayout(const mlir::TypeConverter &types,
                      mlir::RewritePatternSet &patterns);
/// AccessShared.cpp: tile.read, tile.write and tile.alloc in shared memory.
void addAccessShared(const mlir::TypeConverter &types,
                     mlir::RewritePatternSet &patterns);
/// AccessTensorMemory.cpp: tile.read and tile.write in tensor memory.
void addAccessTensorMemory(const mlir::TypeConverter &types,
                           mlir::RewritePatternSet &patterns);

} // namespace drawloom::tonvvm

#endif // DRAWLOOM_LIB_CONVERSION_TILETONVVM_PATTERNS_H
