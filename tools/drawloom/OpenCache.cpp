//===- OpenCache.cpp - The cache that the environment names ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenCache.h"

using namespace drawloom;

llvm::Expected<std::unique_ptr<cache::Cache>>
drawloom::openCache(bool isWanted) {
  if (!isWanted)
    return nullptr;
  llvm::Expected<std::optional<cache::Config>> config =
      cache::Config::fromEnvironment();
  if (!config)
    return config.takeError();
  if (!*config)
    return nullptr;
  return std::make_unique<cache::Cache>(std::move(**config));
}
