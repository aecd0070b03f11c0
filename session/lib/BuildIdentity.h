//===- BuildIdentity.h - Which build of the compiler this is ----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_DRIVER_BUILDIDENTITY_H
#define DRAWLOOM_LIB_DRIVER_BUILDIDENTITY_H

#include <optional>
#include <string>

namespace drawloom {

/// What the linker wrote into the file that this code is in, and into LLVM's
/// and MLIR's if these are files of their own: hashes of all that is in them.
/// Nothing if one of them has none.
std::optional<std::string> getBuildIdentity();

} // namespace drawloom

#endif // DRAWLOOM_LIB_DRIVER_BUILDIDENTITY_H
