//===- Diagnostics.h - Located errors ---------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects errors with their place in the source. One error a statement: the
// parser skips the rest of it. After `limit` errors further ones are dropped.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_LIB_DIAGNOSTICS_H
#define DRAWLOOM_PTX_LIB_DIAGNOSTICS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <vector>

namespace drawloom::ptx {

class Diagnostics {
public:
  Diagnostics(llvm::MemoryBufferRef buffer, unsigned limit) : limit(limit) {
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBuffer(buffer,
                                         /*RequiresNullTerminator=*/false),
        llvm::SMLoc());
  }

  /// Reports an error at `loc` and returns false, so that a parse function can
  /// return what this returns.
  bool error(const char *loc, const llvm::Twine &message) {
    if (!isFull())
      list.push_back(sources.GetMessage(llvm::SMLoc::getFromPointer(loc),
                                        llvm::SourceMgr::DK_Error, message));
    return false;
  }
  bool empty() const { return list.empty(); }
  bool isFull() const { return list.size() >= limit; }
  std::vector<llvm::SMDiagnostic> take() { return std::move(list); }

private:
  llvm::SourceMgr sources;
  unsigned limit;
  std::vector<llvm::SMDiagnostic> list;
};

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_LIB_DIAGNOSTICS_H
