//===- TensorMap.h - Tensor maps: encode and decode -------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map tells the copy engine what a tensor in global memory is like and
// which box of it one instruction moves. It is 128 opaque bytes to a program;
// this is what is in them. Programs that don't ask the driver, such as those of
// CuTe DSL, write the bytes themselves, so the positions have to be those of
// the hardware. Bits count from the first byte's lowest one; the last 64 bytes
// are not used.
//
//   bits      field
//   4-56      address / 16
//   64        0 tiled, 1 im2col
//   65-67     version, 1
//   68-70     rank - 1
//   71-74     element format (a column of the table of types)
//   75-76     interleave
//   77-78     swizzle: none, 32, 64, 128 bytes
//   79        fill of what is out of bounds: zeros, NaN
//   80        round f32 to tf32
//   81-82     L2 promotion
//   83-84     swizzle atomicity: 16, 32, 32 with 8-byte flip, 64 bytes
//   85        the tensor spans 128 KiB or more; not looked at
//   96-223    strides of dimensions 1 to 4 / 16, lower 32 bits of each
//   224-239   their upper 4 bits
//   256-415   sizes of dimensions 0 to 4, less 1, 32 bits each
//   416-430   element strides, less 1, 3 bits each
//   440-479   box sizes, less 1, 8 bits each
//
// All of these but interleave and fill can be read off the host programs that
// CuTe DSL 4.8 emits (im2col maps show where element strides stand); interleave
// and fill are as in FlashInfer's launcher of cuDNN kernels.
//
// An im2col map has no box. The bits of what it has instead are this library's
// own choice, so such a map must come from encodeTensorMap, not from a program
// that writes the bits itself:
//
//   440-447   channels of a pixel, less 1
//   448-457   pixels of a column, less 1
//   464-479   lower corner of the bounding box: W, H, D, of 16 bits each for
//             rank 3, 8 for rank 4, 5 for rank 5
//   480-495   its upper corner
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TENSORMAP_H
#define DRAWLOOM_EMULATOR_TENSORMAP_H

#include "drawloom/PTX/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <optional>

namespace drawloom::emu {

/// The types of elements, numbered as tensormap.replace does (PTX ISA, table
/// "Tensormap new_val validity").
enum class TensorMapType : uint8_t {
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F32Ftz,
  F64,
  BF16,
  TF32,
  TF32Ftz,
  B4x16,    ///< 4 bits, packed in both memories.
  B4x16P64, ///< 16 of 4 bits, with 8 bytes of padding in shared memory.
  B6x16P32, ///< 16 of 6 bits, with 4 bytes of padding in shared memory.
};

struct TensorMapTypeInfo {
  llvm::StringRef name;
  uint8_t cuda;   ///< The value in CUtensorMapDataType.
  uint8_t format; ///< The value in the map.
  bool tf32;      ///< And whether the bit for rounding is set.
  uint8_t bits;   ///< Of an element in global memory.
  bool isFloat;   ///< Whether it can be filled with NaN.
};
const TensorMapTypeInfo &infoOf(TensorMapType type);
/// The type with that value in CUtensorMapDataType.
std::optional<TensorMapType> tensorMapTypeFromCuda(uint64_t value);

/// The layouts NDHWC, and NC/8DHWC8 with slices of 16 or 32 bytes. The
/// dimensions of an interleaved map are W, H and D, as many as there are, C/8
/// and N: dimension 0 counts slices, and they are next to each other.
enum class TensorMapInterleave : uint8_t { None, Bytes16, Bytes32 };
/// Bytes of a slice; 0 if there are none.
constexpr uint32_t sliceBytes(TensorMapInterleave interleave) {
  return 16 * static_cast<uint32_t>(interleave);
}

/// Numbered as CUtensorMapSwizzle.
enum class TensorMapSwizzle : uint8_t {
  None,
  Bytes32,
  Bytes64,
  Bytes128,
  Bytes128Atom32,
  Bytes128Atom32Flip8,
  Bytes128Atom64,
};

/// What a swizzle does to an address in shared memory: chunks of `atom` bytes
/// change places within `span` bytes, by the number of the 128-byte line. A row
/// of a box takes `span` bytes, even if it has fewer.
struct SwizzlePattern {
  uint32_t span = 0; ///< 0: no swizzle.
  uint32_t atom = 16;
  bool flips = false; ///< Halves of 16 bytes change places in odd lines.

  /// Where the byte at `address` of the unswizzled tile goes.
  uint32_t apply(uint32_t address) const {
    if (!span)
      return address;
    uint32_t line = address >> 7;
    uint32_t result = address ^ ((line & (span / atom - 1)) * atom);
    return flips && (line & 1) ? result ^ 8 : result;
  }
};
SwizzlePattern patternOf(TensorMapSwizzle swizzle);

/// A tensor map, decoded. Arrays have `rank` entries, dimension 0 is the one
/// whose elements are next to each other.
struct TensorMap {
  bool im2col = false;
  TensorMapType type = TensorMapType::U8;
  unsigned rank = 1;
  uint64_t address = 0;
  std::array<uint64_t, 5> dims = {1, 1, 1, 1, 1};
  /// In bytes; strides[i] is that of dimension i + 1.
  std::array<uint64_t, 4> strides = {};
  /// Of an im2col map: box[0] are the channels of a pixel; the others are 1.
  std::array<uint32_t, 5> box = {1, 1, 1, 1, 1};
  std::array<uint32_t, 5> elementStrides = {1, 1, 1, 1, 1};
  TensorMapInterleave interleave = TensorMapInterleave::None;
  TensorMapSwizzle swizzle = TensorMapSwizzle::None;
  uint8_t l2Promotion = 0; ///< 0 none, 1 to 3: 64, 128, 256 bytes. Not used.
  bool fillsNaN = false;
  /// Of an im2col map: how many pixels a copy moves, and where in W, H and D
  /// they may lie. The upper corner counts from the end of the dimension.
  uint32_t pixels = 1;
  std::array<int32_t, 3> lowerCorner = {}, upperCorner = {};

  /// How many elements of a dimension one copy moves. The stride of dimension
  /// 0 counts only if the tensor is interleaved.
  uint32_t extent(unsigned dim) const {
    return dim ? (box[dim] + elementStrides[dim] - 1) / elementStrides[dim]
               : box[0];
  }
  /// The bytes of one row of the box in global and in shared memory.
  uint32_t globalRowBytes() const { return box[0] * infoOf(type).bits / 8; }
  uint32_t sharedRowBytes() const {
    return type == TensorMapType::B4x16P64 || type == TensorMapType::B6x16P32
               ? box[0]
               : globalRowBytes();
  }

  /// Bytes from `address` to behind the last element, or as many as a number
  /// can say.
  uint64_t reach() const;

  bool operator==(const TensorMap &) const = default;
};

using TensorMapBytes = std::array<uint8_t, 128>;
inline constexpr uint64_t tensorMapAlignment = 64;

/// Encodes a map, as cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col do,
/// after checking what they require of their arguments. An error says which
/// requirement isn't met.
llvm::Expected<TensorMapBytes> encodeTensorMap(const TensorMap &map,
                                               const ptx::Target &target);

/// What is wrong with a map, as those see it.
llvm::Error checkTensorMap(const TensorMap &map, const ptx::Target &target);

/// Decodes the 128 bytes at `bytes`. An error if they hold no map.
llvm::Expected<TensorMap> decodeTensorMap(const void *bytes);

/// The fields that tensormap.replace writes.
enum class TensorMapField : uint8_t {
  GlobalAddress,
  Rank, ///< Less one.
  BoxDim,
  GlobalDim,
  GlobalStride,
  ElementStride,
  ElementType,
  InterleaveLayout,
  SwizzleMode,
  SwizzleAtomicity,
  FillMode,
};

/// Writes one field of the map at `bytes`, in the terms of tensormap.replace.
/// `ordinal` is the dimension; strides start with that of dimension 1. A map of
/// zeros becomes a valid one by and by.
llvm::Error replaceTensorMapField(void *bytes, TensorMapField field,
                                  unsigned ordinal, uint64_t value);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_TENSORMAP_H
