//===- Cached.cpp - Compiles that are made once ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Session/Cached.h"
#include "BuildIdentity.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

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

/// The name of what a compile gives: everything that it depends on.
static cache::Key makeKey(const ProgramText &program,
                          const CompileOptions &options,
                          llvm::StringRef identity) {
  cache::KeyBuilder key;
  key.add("build", identity);
  key.add("llvm", LLVM_VERSION_STRING);
  key.add("program", program.text);
  key.add("name", program.name);
  key.add("kernel", program.kernel);
  key.add("arch", options.arch->name);
  key.add("stage", toString(options.stopAfter));
  key.add("unproved", options.unproved ? "yes" : "no");
  if (!options.ptxas)
    return key.finish();
  key.add("ptxas", llvm::formatv("{0}", options.ptxas->version).str());
  // A script may do more than the version says.
  auto file = llvm::MemoryBuffer::getFileSlice(options.ptxas->path, 2, 0);
  if (file && (*file)->getBuffer() == "#!")
    if (auto script = llvm::MemoryBuffer::getFile(options.ptxas->path))
      key.add("script", (*script)->getBuffer());
  return key.finish();
}

llvm::Expected<CompiledModule> drawloom::compileCached(
    cache::Cache *cache, const ProgramText &program,
    const CompileOptions &options,
    llvm::function_ref<llvm::Expected<CompiledModule>(const CompileOptions &)>
        make) {
  // Whatever the cache gives, what it has to say is said now and not kept.
  auto addWarnings = [&](llvm::Expected<CompiledModule> compiled) {
    if (cache && compiled)
      for (std::string &warning : cache->takeWarnings())
        compiled->messages.push_back(
            {.severity = mlir::DiagnosticSeverity::Warning,
             .text = std::move(warning)});
    return compiled;
  };
  std::optional<std::string> identity;
  if (cache && cache->getDisk().getRejection().empty() && options.arch &&
      options.stopAfter >= Stage::PTX && options.printStagesTo.empty())
    identity = getBuildIdentity();
  if (!identity)
    return addWarnings(make(options));

  CompileOptions complete = options;
  if (complete.stopAfter == Stage::Cubin && !complete.ptxas) {
    target::ToolSearch search = target::ToolSearch::fromEnvironment();
    search.memory = (cache->getDisk().getFolder() + "/tools").str();
    llvm::Expected<target::Ptxas> ptxas =
        target::findPtxas(search, *complete.arch);
    if (!ptxas) {
      // A compile says so where it needs it.
      llvm::consumeError(ptxas.takeError());
      return addWarnings(make(options));
    }
    complete.ptxas = *ptxas;
  }
  std::optional<CompiledModule> result;
  llvm::Error error = cache->get(
      makeKey(program, complete, *identity),
      [&](llvm::StringRef bytes) {
        llvm::Expected<CompiledModule> read = readModule(bytes);
        if (!read) {
          llvm::consumeError(read.takeError());
          return false;
        }
        result = std::move(*read);
        return true;
      },
      [&]() -> llvm::Expected<std::string> {
        llvm::Expected<CompiledModule> made = make(complete);
        if (!made)
          return made.takeError();
        result = std::move(*made);
        return writeModule(*result);
      });
  if (error)
    return error;
  return addWarnings(std::move(*result));
}

llvm::Expected<CompiledModule>
drawloom::compileCached(cache::Cache *cache, const ProgramText &program,
                        const CompileOptions &options) {
  return compileCached(cache, program, options,
                       [&](const CompileOptions &complete) {
                         return compile(program.text, complete, program.name);
                       });
}
