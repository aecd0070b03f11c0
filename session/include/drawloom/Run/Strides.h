//===- Strides.h - Where a tensor's elements are in memory ------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The host keeps tensors with their rows packed. In device memory they have the
// strides that the program's types declare, and there may be unused bytes
// between their elements. Sizes and strides are in elements, the outermost
// dimension first.

#ifndef DRAWLOOM_RUN_STRIDES_H
#define DRAWLOOM_RUN_STRIDES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace drawloom::run {

/// Strides for a tensor. Those that `declared` leaves open (`kDynamic`) are
/// chosen: rows are packed, or, where that puts two elements into one place,
/// they stand outside what is fixed. Packed rows if nothing is declared.
llvm::Expected<llvm::SmallVector<int64_t>>
chooseStrides(llvm::ArrayRef<int64_t> declared, llvm::ArrayRef<int64_t> shape);

/// Elements from the first to the last one in memory; 2^40 stands for more.
int64_t countPlaces(llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> strides);

/// The memory of a tensor, from packed elements; all bits of what is between
/// them are set.
std::vector<char> scatter(llvm::ArrayRef<char> packed,
                          llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<int64_t> strides, size_t elementBytes);

/// The elements of a tensor, from its memory.
void gather(llvm::ArrayRef<char> memory, llvm::ArrayRef<int64_t> shape,
            llvm::ArrayRef<int64_t> strides, size_t elementBytes,
            llvm::MutableArrayRef<char> packed);

} // namespace drawloom::run

#endif // DRAWLOOM_RUN_STRIDES_H
