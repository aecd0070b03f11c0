//===- Version.h - Version numbers of PTX and of tools -------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A version number that compares. A PTX ISA has two parts (8.8), a CUDA tool
// three (13.0.88); the missing part is zero.

#ifndef DRAWLOOM_TARGET_VERSION_H
#define DRAWLOOM_TARGET_VERSION_H

#include "llvm/Support/raw_ostream.h"
#include <compare>

namespace drawloom::target {

struct Version {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;

  friend constexpr auto operator<=>(const Version &, const Version &) = default;
};

/// Prints `13.0.88`, or `8.8` when the last part is zero.
inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                                     const Version &version) {
  os << version.major << '.' << version.minor;
  if (version.patch != 0)
    os << '.' << version.patch;
  return os;
}

} // namespace drawloom::target

#endif // DRAWLOOM_TARGET_VERSION_H
