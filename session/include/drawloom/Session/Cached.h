//===- Cached.h - Compiles that are made once -------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A compile through a cache. What comes out is what compile() gives, PTX, code,
// plans, descriptions and messages, whether it was made now or before.
//
// The key is made of the text of the program as it stands and never of what it
// means, so a hit needs neither MLIR nor ptxas: milliseconds instead of tenths
// of a second.

#ifndef DRAWLOOM_SESSION_CACHED_H
#define DRAWLOOM_SESSION_CACHED_H

#include "drawloom/Cache/Cache.h"
#include "drawloom/Session/Compile.h"

namespace drawloom {

/// The cache that the environment names, or null if there is none or it isn't
/// wanted. An error if the environment names one that can't be.
llvm::Expected<std::unique_ptr<cache::Cache>> openCache(bool isWanted);

/// A program as a key names it.
struct ProgramText {
  llvm::StringRef text;
  /// What messages and lines of PTX call it.
  llvm::StringRef name;
  /// The only kernel that is compiled; empty for all.
  llvm::StringRef kernel = "";
};

/// Compiles a program, or takes what `cache` has. `make` compiles it: it gets
/// the options, with the ptxas to use. What is made on the way to be looked at,
/// stages before PTX and files of each pass, is not kept, and neither are
/// errors. Without a cache, only makes it. What is to be known of the cache,
/// that its folder isn't used or its store isn't signed, is a warning among the
/// messages.
llvm::Expected<CompiledModule> compileCached(
    cache::Cache *cache, const ProgramText &program,
    const CompileOptions &options,
    llvm::function_ref<llvm::Expected<CompiledModule>(const CompileOptions &)>
        make);

/// The same, made by compile().
llvm::Expected<CompiledModule> compileCached(cache::Cache *cache,
                                             const ProgramText &program,
                                             const CompileOptions &options);

/// A compiled module as bytes. Reading them gives the same module or fails,
/// whatever they are.
std::string writeModule(const CompiledModule &module);
llvm::Expected<CompiledModule> readModule(llvm::StringRef bytes);

} // namespace drawloom

#endif // DRAWLOOM_SESSION_CACHED_H
