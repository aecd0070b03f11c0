//===- Npy.h - Host tensors as .npy files -----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes numpy's array file, versions 1.0 and 2.0.
//
// The caller names the format that it wants, because numpy has no names for
// bf16 and narrower: a file carries those as unsigned integers of the same
// size. Nothing is converted. A file whose type does not hold the format is
// rejected, and so is a byte that is no value of the format.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_INTERPRETER_NPY_H
#define DRAWLOOM_INTERPRETER_NPY_H

#include "drawloom/Interpreter/HostTensor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace drawloom::interp {

/// Errors name the buffer, and the byte where that helps.
llvm::Expected<HostTensor> readNpy(llvm::MemoryBufferRef file, Format format);

/// Writes version 1.0, with the first of the format's `npyTypes`.
void writeNpy(llvm::raw_ostream &os, const HostTensor &tensor);

} // namespace drawloom::interp

#endif // DRAWLOOM_INTERPRETER_NPY_H
