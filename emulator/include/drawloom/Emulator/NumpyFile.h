//===- NumpyFile.h - Arrays in .npy files -----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array as numpy writes it: a type, a shape, and bytes in row-major order.
// The type is only carried along; "<u2" is as good for bf16 as for anything
// else of two bytes. Format: numpy's own document, versions 1.0 to 3.0.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_NUMPYFILE_H
#define DRAWLOOM_EMULATOR_NUMPYFILE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace drawloom::emu {

struct NumpyArray {
  std::string type; ///< "<f4"
  llvm::SmallVector<uint64_t, 4> shape;
  std::vector<char> bytes;

  /// More than numpy has.
  static constexpr size_t mostDimensions = 64;

  /// Bytes of an element; an error if the type isn't a plain one in the byte
  /// order of this machine.
  static llvm::Expected<uint64_t> elementSize(llvm::StringRef type);
  uint64_t elementCount() const;
};

llvm::Expected<NumpyArray> parseNumpy(llvm::StringRef contents);
llvm::Expected<NumpyArray> readNumpyFile(const std::string &path);
/// Writes to `path` below `folder`: symbolic links in it are not followed.
llvm::Error writeNumpyFile(const std::string &folder, const std::string &path,
                           const NumpyArray &array);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_NUMPYFILE_H
