//===- FatBinary.cpp - The PTX in a fat binary ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/CUDA/FatBinary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include <lz4.h>

using namespace drawloom;
using namespace drawloom::cuda;
using llvm::StringRef;
using llvm::Twine;

/// The part of an entry's header that every entry has.
static constexpr uint64_t entryHeaderBytes = 64;
static constexpr uint64_t flagLz4 = 0x2000;
static constexpr uint64_t flagZstd = 0x8000;
/// More text than any compiler writes for one file; a larger number in a header
/// is damage.
static constexpr uint64_t textLimit = uint64_t(256) << 20;

template <typename T>
static T readAt(StringRef bytes, uint64_t offset) {
  return llvm::support::endian::read<T, llvm::endianness::little>(bytes.data() +
                                                                  offset);
}

static llvm::Error damaged(uint64_t offset, const Twine &what) {
  return llvm::createStringError("the fat binary is damaged at byte " +
                                 Twine(offset) + ": " + what);
}

std::optional<uint64_t> cuda::fatBinaryBytes(StringRef header) {
  if (header.size() < fatBinaryHeaderBytes ||
      readAt<uint32_t>(header, 0) != fatBinaryMagic)
    return std::nullopt;
  uint64_t own = readAt<uint16_t>(header, 6);
  uint64_t entries = readAt<uint64_t>(header, 8);
  return entries > UINT64_MAX - own ? std::nullopt
                                    : std::optional(own + entries);
}

llvm::Expected<std::vector<FatBinaryEntry>>
cuda::readFatBinary(StringRef bytes) {
  std::optional<uint64_t> size = fatBinaryBytes(bytes);
  if (!size)
    return damaged(0, "no header of a fat binary");
  if (uint16_t version = readAt<uint16_t>(bytes, 4); version != 1)
    return damaged(4, "version " + Twine(version) + "; version 1 is known");
  uint64_t at = readAt<uint16_t>(bytes, 6);
  if (at < fatBinaryHeaderBytes)
    return damaged(6, "a header of " + Twine(at) + " bytes; it has 16");
  if (*size > bytes.size())
    return damaged(8, "it says it has " + Twine(*size) + " bytes, and has " +
                          Twine(bytes.size()));
  bytes = bytes.take_front(*size);

  std::vector<FatBinaryEntry> entries;
  while (at != bytes.size()) {
    uint64_t left = bytes.size() - at;
    if (left < entryHeaderBytes)
      return damaged(at, "an entry needs 64 bytes, and " + Twine(left) +
                             " are left");
    StringRef entry = bytes.drop_front(at);
    uint64_t header = readAt<uint32_t>(entry, 4);
    uint64_t payload = readAt<uint64_t>(entry, 8);
    if (header < entryHeaderBytes || header > left || payload > left - header)
      return damaged(at, "an entry of " + Twine(header) + " + " +
                             Twine(payload) + " bytes, and " + Twine(left) +
                             " are left");
    FatBinaryEntry result;
    result.kind = FatBinaryEntry::Kind(readAt<uint16_t>(entry, 0));
    result.arch = readAt<uint32_t>(entry, 28);
    result.offset = at;
    result.compressed = entry.substr(header, payload);
    uint64_t flags = readAt<uint64_t>(entry, 40);
    result.packing = flags & flagZstd  ? FatBinaryEntry::Packing::Zstd
                     : flags & flagLz4 ? FatBinaryEntry::Packing::Lz4
                                       : FatBinaryEntry::Packing::None;
    if (result.packing == FatBinaryEntry::Packing::None) {
      result.textBytes = payload;
    } else {
      // What follows the compressed data fills the payload up to 8 bytes.
      uint64_t used = readAt<uint32_t>(entry, 16);
      if (used > payload)
        return damaged(at + 16,
                       Twine(used) + " compressed bytes in " + Twine(payload));
      result.compressed = result.compressed.take_front(used);
      result.textBytes = readAt<uint64_t>(entry, 56);
      if (result.textBytes > textLimit)
        return damaged(at + 56, Twine(result.textBytes) +
                                    " bytes of text; the limit is " +
                                    Twine(textLimit));
    }
    switch (result.kind) {
    case FatBinaryEntry::Kind::Ptx:
    case FatBinaryEntry::Kind::Cubin:
    case FatBinaryEntry::Kind::Several:
      entries.push_back(result);
      break;
    }
    at += header + payload;
  }
  return entries;
}

static std::string unpackLz4(StringRef packed, uint64_t size) {
  // A byte of an LZ4 block makes 255 bytes of text at most.
  if (size / 255 > packed.size())
    return "";
  std::string text(size, '\0');
  int written = LZ4_decompress_safe(packed.data(), text.data(),
                                    int(packed.size()), int(size));
  text.resize(std::max(written, 0));
  return text;
}

static std::string unpackZstd(StringRef packed, uint64_t size) {
  llvm::SmallVector<uint8_t> text;
  if (llvm::Error error = llvm::compression::zstd::decompress(
          llvm::arrayRefFromStringRef(packed), text, size)) {
    llvm::consumeError(std::move(error));
    return "";
  }
  return llvm::toStringRef(text).str();
}

llvm::Expected<std::string> FatBinaryEntry::unpack() const {
  std::string result;
  switch (packing) {
  case Packing::None:
    result = compressed.str();
    break;
  case Packing::Lz4:
    result = unpackLz4(compressed, textBytes);
    break;
  case Packing::Zstd:
    if (!llvm::compression::zstd::isAvailable())
      return llvm::createStringError(
          "the fat binary's PTX is compressed with zstd, which this LLVM can't "
          "read; compile with nvcc --compress-mode=speed");
    result = unpackZstd(compressed, textBytes);
    break;
  }
  if (result.size() != textBytes)
    return damaged(offset, "compressed data that doesn't unpack to " +
                               Twine(textBytes) + " bytes");
  return result;
}

llvm::Expected<std::string> FatBinaryEntry::text() const {
  llvm::Expected<std::string> bytes = unpack();
  if (!bytes)
    return bytes;
  return StringRef(*bytes).take_until([](char c) { return c == 0; }).str();
}

std::optional<ptx::Target> cuda::declaredTarget(StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    line = line.trim();
    if (line.consume_front(".target"))
      return ptx::parseTarget(
          line.take_until([](char c) { return c == ',' || c == '/'; }).trim());
    // The directive stands before everything but .version.
    if (!line.empty() && !line.starts_with("//") &&
        !line.starts_with(".version"))
      return std::nullopt;
  }
  return std::nullopt;
}

std::string cuda::gencodeOption(ptx::Target device) {
  std::string compute = "compute_" + device.str().substr(3);
  return "-gencode arch=" + compute + ",code=" + compute;
}

/// "PTX for sm_80 and SASS for sm_90", for what can't run here.
static std::string describe(llvm::ArrayRef<FatBinaryEntry> entries,
                            llvm::ArrayRef<ptx::Target> targets) {
  std::vector<std::string> parts;
  for (ptx::Target target : targets)
    parts.push_back("PTX for " + target.str());
  for (const FatBinaryEntry &entry : entries)
    if (entry.kind == FatBinaryEntry::Kind::Cubin)
      parts.push_back("SASS for sm_" + std::to_string(entry.arch));
    else if (entry.kind == FatBinaryEntry::Kind::Several)
      parts.push_back("entries of nvcc --concat, which the emulator doesn't "
                      "read");
  return parts.empty() ? "nothing" : llvm::join(parts, ", ");
}

llvm::Expected<PtxSelection> cuda::selectPtx(StringRef bytes,
                                             ptx::Target device) {
  auto entries = readFatBinary(bytes);
  if (!entries)
    return entries.takeError();
  PtxSelection best;
  std::pair<unsigned, unsigned> bestRank;
  std::vector<ptx::Target> targets;
  for (const FatBinaryEntry &entry : *entries) {
    if (entry.kind != FatBinaryEntry::Kind::Ptx)
      continue;
    auto text = entry.text();
    if (!text)
      return text.takeError();
    std::optional<ptx::Target> target = declaredTarget(*text);
    targets.push_back(target.value_or(ptx::Target{uint16_t(entry.arch), 0}));
    if (!target || !ptx::provides(device, *target))
      continue;
    // Code for this architecture alone comes before code for its family, and
    // that before code for any later one.
    std::pair<unsigned, unsigned> rank(target->sm, target->suffix == 'a'   ? 2
                                                   : target->suffix == 'f' ? 1
                                                                           : 0);
    if (best.text && rank <= bestRank)
      continue;
    best.text = std::move(*text);
    bestRank = rank;
  }
  if (!best.text)
    best.missing = "the module has no PTX for " + device.str() + "; it has " +
                   describe(*entries, targets) + "; compile with " +
                   gencodeOption(device);
  return best;
}
