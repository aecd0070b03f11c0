//===- CompileText.cpp - A program by the name of its GPU -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileText.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace drawloom;

llvm::Expected<CompiledModule> protocol::compileText(llvm::StringRef program,
                                                     llvm::StringRef name,
                                                     llvm::StringRef arch) {
  CompileOptions options;
  if (!arch.empty()) {
    llvm::Expected<const target::Architecture *> found =
        target::findArchitecture(arch);
    if (!found)
      return found.takeError();
    options.arch = *found;
  }
  llvm::Expected<CompiledModule> module = compile(program, options, name);
  if (module && module->kernels.empty())
    return llvm::createStringError(name + ": there is no kernel with roles");
  return module;
}

llvm::Expected<CompiledModule> protocol::compileFile(llvm::StringRef path,
                                                     llvm::StringRef arch) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::createStringError("cannot read '" + path + "'");
  return compileText((*file)->getBuffer(), path, arch);
}
