//===- RememberVersion.h - Versions of programs that were asked before -*- C++
//-*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Asking ptxas for its version takes longer than everything else about a
// kernel that is in a cache. The answer is kept under the file's path, size,
// number and times, so one that is replaced is asked again. A script may start
// another program tomorrow and is asked each time.

#ifndef DRAWLOOM_LIB_TARGET_REMEMBERVERSION_H
#define DRAWLOOM_LIB_TARGET_REMEMBERVERSION_H

#include "drawloom/Target/Version.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace drawloom::target {

class VersionMemory {
public:
  /// For one program. Without a folder it remembers nothing.
  VersionMemory(llvm::StringRef folder, llvm::StringRef program);

  std::optional<Version> recall() const;
  void keep(const Version &version) const;

private:
  /// The file with the answer; empty if none is kept.
  std::string path;
};

} // namespace drawloom::target

#endif // DRAWLOOM_LIB_TARGET_REMEMBERVERSION_H
