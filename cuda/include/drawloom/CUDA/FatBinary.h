//===- FatBinary.h - The PTX in a fat binary --------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc puts the code of a translation unit into a fat binary: PTX and SASS
// for several architectures, one entry each. The emulator runs the PTX.
//
//   container   offset  bytes
//               0       4      0xBA55ED50
//               4       2      version, 1
//               6       2      bytes of this header, 16
//               8       8      bytes of all entries
//   entry       0       2      kind: 1 PTX, 2 SASS, 256 several in one
//               4       4      bytes of this header; the payload follows
//               8       8      bytes of the payload, up to the next entry
//               16      4      bytes of it that are compressed data
//               24      4      version of PTX: minor, major
//               28      4      architecture, 90 for sm_90 and sm_90a
//               40      8      flags: 0x2000 an LZ4 block, 0x8000 a zstd frame
//               56      8      bytes of the payload when it isn't compressed
//
// All numbers are little-endian. The layout is read off files that nvcc 13
// writes with each of its --compress-mode settings, and agrees with what public
// readers of the format say (the crate `fatbinary`, cuda-fatbin-decompression).
//
// Nothing here trusts the bytes: each number is checked against the size of
// what it stands in before it is used.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_FATBINARY_H
#define DRAWLOOM_CUDA_FATBINARY_H

#include "drawloom/PTX/Target.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <vector>

namespace drawloom::cuda {

inline constexpr uint32_t fatBinaryMagic = 0xBA55ED50;
inline constexpr uint64_t fatBinaryHeaderBytes = 16;

struct FatBinaryEntry {
  enum class Kind : uint16_t { Ptx = 1, Cubin = 2, Several = 256 };
  enum class Packing : uint8_t { None, Lz4, Zstd };

  Kind kind;
  Packing packing;
  unsigned arch;              ///< 100 for sm_100, sm_100a and sm_100f.
  uint64_t offset;            ///< Of the entry in the container.
  uint64_t textBytes;         ///< Of the payload when it isn't compressed.
  llvm::StringRef compressed; ///< The payload as it stands in the container.

  /// The payload's bytes; what isn't compressed is filled up with zeros. An
  /// error if it doesn't unpack to `textBytes`.
  llvm::Expected<std::string> unpack() const;

  /// The same as text, which a NUL ends.
  llvm::Expected<std::string> text() const;
};

/// How many bytes the container that begins with `header` has; nothing if no
/// container begins so. `header` has fatBinaryHeaderBytes bytes.
std::optional<uint64_t> fatBinaryBytes(llvm::StringRef header);

/// The entries of the container at the beginning of `bytes`, of kinds that are
/// known. They refer to `bytes`.
llvm::Expected<std::vector<FatBinaryEntry>>
readFatBinary(llvm::StringRef bytes);

struct PtxSelection {
  /// Nothing if no PTX in the container is for the device.
  std::optional<std::string> text;
  /// Then this lists what there is, and says how to have nvcc add some.
  std::string missing;
};

/// The PTX in the container that `device` runs: that which is most specific to
/// it. An error if the container is damaged.
llvm::Expected<PtxSelection> selectPtx(llvm::StringRef bytes,
                                       ptx::Target device);

/// What to tell nvcc so that it adds PTX for `device`.
std::string gencodeOption(ptx::Target device);

/// The target that PTX text says it is for.
std::optional<ptx::Target> declaredTarget(llvm::StringRef text);

} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_FATBINARY_H
