//===- protocol-fuzzer.cpp - Any kernel that parses is followed, or not ---===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever PTX the bytes are: of what parses, the protocol is taken, judged and
// printed, within so many states.
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/Parser.h"
#include "drawloom/Protocol/Progress.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace drawloom;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(bytes, "input.ptx");
  ptx::ParseResult parsed = ptx::parseModule(*buffer);
  if (!parsed)
    return 0;
  protocol::ExtractOptions options;
  options.threads = 64;
  options.cluster = {2, 1, 1};
  options.stateLimit = 200;
  for (const ptx::Function *function : parsed.module->functions) {
    if (!function->isEntry || !function->hasBody)
      continue;
    llvm::Expected<protocol::Claims> claims =
        protocol::extract(*function, options);
    if (!claims) {
      llvm::consumeError(claims.takeError());
      continue;
    }
    std::vector<protocol::Misfit> misfits = protocol::fit(*claims);
    protocol::Progress progress;
    if (!claims->barriers.empty())
      progress = protocol::proveProgress(*claims, {200, 2000});
    protocol::print(*claims, misfits, &progress, "input.ptx", /*isQuiet=*/false,
                    llvm::nulls());
    protocol::toJson(*claims, misfits, &progress);
  }
  return 0;
}
