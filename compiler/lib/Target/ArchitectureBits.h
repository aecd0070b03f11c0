//===- ArchitectureBits.h - The bit of each architecture ------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The bits that the tables of this library agree on. They have no meaning
// outside: a client compares Architecture::bit with a set.

#ifndef DRAWLOOM_LIB_TARGET_ARCHITECTUREBITS_H
#define DRAWLOOM_LIB_TARGET_ARCHITECTUREBITS_H

#include "drawloom/Target/Architecture.h"

namespace drawloom::target {

inline constexpr ArchitectureSet sm90a = 1 << 0;
inline constexpr ArchitectureSet sm100a = 1 << 1;
inline constexpr ArchitectureSet sm103a = 1 << 2;
inline constexpr ArchitectureSet sm110a = 1 << 3;

} // namespace drawloom::target

#endif // DRAWLOOM_LIB_TARGET_ARCHITECTUREBITS_H
