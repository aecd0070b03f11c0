//===- OpenCache.h - The cache that the environment names -------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_OPENCACHE_H
#define DRAWLOOM_TOOLS_DRAWLOOM_OPENCACHE_H

#include "drawloom/Cache/Cache.h"

namespace drawloom {

/// The cache, or null if there is none or it isn't wanted. An error if the
/// environment names one that can't be.
llvm::Expected<std::unique_ptr<cache::Cache>> openCache(bool isWanted);

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_OPENCACHE_H
