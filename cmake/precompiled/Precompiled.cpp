//===- Precompiled.cpp - The file that a precompiled header belongs to ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
