//===- Read.h - Reading files named by a user -------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A program, a launch or PTX is read whole, from a file, a pipe or standard
// input, whatever stands behind the name: what does not end is left after so
// many bytes.

#ifndef DRAWLOOM_INPUT_READ_H
#define DRAWLOOM_INPUT_READ_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace drawloom::input {

/// The longest text that is read, in bytes. The PTX of the largest libraries
/// that are known is a tenth of it.
constexpr size_t longestText = size_t(256) << 20;

/// The text of a file, or of standard input for "-". The error names the file.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readText(llvm::StringRef path, size_t longest = longestText);

/// The bytes of a file, such as an array. A plain file may be of any size; of
/// anything else, as much as of a text is read.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readBytes(llvm::StringRef path);

} // namespace drawloom::input

#endif // DRAWLOOM_INPUT_READ_H
