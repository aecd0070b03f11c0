//===- FatBinaryWriter.cpp - Fat binaries for tests -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FatBinaryWriter.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <lz4.h>

using namespace drawloom;
using namespace drawloom::cuda;

void cuda::patch(std::string &container, uint64_t offset, uint64_t value,
                 unsigned bytes) {
  for (unsigned i = 0; i != bytes; ++i)
    container[offset + i] = char(value >> (8 * i));
}

static std::string pack(llvm::StringRef text, FatBinaryEntry::Packing packing) {
  switch (packing) {
  case FatBinaryEntry::Packing::None:
    return text.str();
  case FatBinaryEntry::Packing::Lz4: {
    std::string result(LZ4_compressBound(int(text.size())), '\0');
    result.resize(LZ4_compress_default(text.data(), result.data(),
                                       int(text.size()), int(result.size())));
    return result;
  }
  case FatBinaryEntry::Packing::Zstd: {
    llvm::SmallVector<uint8_t> result;
    llvm::compression::zstd::compress(llvm::arrayRefFromStringRef(text),
                                      result);
    return llvm::toStringRef(result).str();
  }
  }
  return "";
}

FatBinaryWriter &FatBinaryWriter::add(Kind kind, unsigned arch,
                                      llvm::StringRef payload,
                                      Packing packing) {
  std::string packed = pack(payload, packing);
  uint64_t used = packed.size();
  packed.resize(llvm::alignTo(used, 8));
  std::string header(64, '\0');
  patch(header, 0, uint64_t(kind), 2);
  patch(header, 4, header.size(), 4);
  patch(header, 8, packed.size(), 8);
  patch(header, 28, arch, 4);
  if (packing != Packing::None) {
    patch(header, 16, used, 4);
    patch(header, 40, packing == Packing::Lz4 ? 0x2000 : 0x8000, 8);
    patch(header, 56, payload.size(), 8);
  }
  entries += header + packed;
  return *this;
}

std::string FatBinaryWriter::str() const {
  std::string header(16, '\0');
  patch(header, 0, fatBinaryMagic, 4);
  patch(header, 4, 1, 2);
  patch(header, 6, header.size(), 2);
  patch(header, 8, entries.size(), 8);
  return header + entries;
}

std::string cuda::writerOf(llvm::StringRef target, int value) {
  return llvm::formatv(R"(.version 8.6
.target {0}
.address_size 64
.visible .entry k(.param .u64 out)
{{
  .reg .b64 %p;
  ld.param.u64 %p, [out];
  st.global.u32 [%p], {1};
  ret;
}
)",
                       target, value)
      .str();
}
