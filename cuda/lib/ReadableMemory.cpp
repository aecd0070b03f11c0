//===- ReadableMemory.cpp - How far a pointer can be read ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadableMemory.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>

using llvm::StringRef;

StringRef drawloom::cuda::readableFrom(const void *pointer) {
  const auto start = reinterpret_cast<uint64_t>(pointer);
  const char *bytes = static_cast<const char *>(pointer);
  auto maps = llvm::MemoryBuffer::getFileAsStream("/proc/self/maps");
  if (!maps)
    return StringRef(bytes, start ? UINT64_MAX - start : 0);
  // Lines such as "7f01a000-7f01c000 r-xp ...", by rising addresses.
  uint64_t end = start;
  for (StringRef rest = (*maps)->getBuffer(); !rest.empty();) {
    auto [line, others] = rest.split('\n');
    rest = others;
    uint64_t first = 0, last = 0;
    if (line.consumeInteger(16, first) || !line.consume_front("-") ||
        line.consumeInteger(16, last))
      break;
    if (last <= end)
      continue;
    if (first > end || !line.starts_with(" r"))
      break;
    end = last;
  }
  return StringRef(bytes, end - start);
}
