//===- TensorMap.cpp - Tensor maps: encode and decode --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/TensorMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Types and swizzles
//===----------------------------------------------------------------------===//

static constexpr TensorMapTypeInfo types[] = {
    // name, CUDA's value, format, tf32, bits, float
    {"u8", 0, 0, false, 8, false},
    {"u16", 1, 1, false, 16, false},
    {"u32", 2, 2, false, 32, false},
    {"s32", 3, 3, false, 32, false},
    {"u64", 4, 4, false, 64, false},
    {"s64", 5, 5, false, 64, false},
    {"f16", 6, 6, false, 16, true},
    {"f32", 7, 7, false, 32, true},
    {"f32.ftz", 10, 8, false, 32, true},
    {"f64", 8, 9, false, 64, true},
    {"bf16", 9, 10, false, 16, true},
    {"tf32", 11, 7, true, 32, true},
    {"tf32.ftz", 12, 8, true, 32, true},
    {"b4x16", 13, 11, false, 4, false},
    {"b4x16_p64", 14, 12, false, 4, false},
    {"b6x16_p32", 15, 13, false, 6, false},
};

const TensorMapTypeInfo &drawloom::emu::infoOf(TensorMapType type) {
  return types[static_cast<unsigned>(type)];
}

std::optional<TensorMapType>
drawloom::emu::tensorMapTypeFromCuda(uint64_t value) {
  for (auto [index, info] : llvm::enumerate(types))
    if (info.cuda == value)
      return static_cast<TensorMapType>(index);
  return std::nullopt;
}

namespace {
struct SwizzleInfo {
  const char *name;
  uint8_t mode, atomicity; ///< The values in the map.
  SwizzlePattern pattern;
};
} // namespace

static constexpr SwizzleInfo swizzles[] = {
    {"none", 0, 0, {0, 16, false}},
    {"32B", 1, 0, {32, 16, false}},
    {"64B", 2, 0, {64, 16, false}},
    {"128B", 3, 0, {128, 16, false}},
    {"128B with 32B atoms", 3, 1, {128, 32, false}},
    {"128B with 32B atoms and 8B flip", 3, 2, {128, 32, true}},
    {"128B with 64B atoms", 3, 3, {128, 64, false}},
};

static const SwizzleInfo &infoOf(TensorMapSwizzle swizzle) {
  return swizzles[static_cast<unsigned>(swizzle)];
}

SwizzlePattern drawloom::emu::patternOf(TensorMapSwizzle swizzle) {
  return ::infoOf(swizzle).pattern;
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

namespace {

/// No field crosses a border between 64-bit words.
struct Field {
  unsigned first, width;

  constexpr Field at(unsigned index) const {
    return {first + index * width, width};
  }
};

/// The 64 bytes that are used.
struct Words {
  uint64_t word[8];

  uint64_t get(Field field) const {
    return word[field.first / 64] >> field.first % 64 &
           ((uint64_t(1) << field.width) - 1);
  }
  void set(Field field, uint64_t value) {
    uint64_t mask = ((uint64_t(1) << field.width) - 1) << field.first % 64;
    uint64_t &target = word[field.first / 64];
    target = (target & ~mask) | (value << field.first % 64 & mask);
  }
};

} // namespace

static constexpr Field addressField{4, 53}, modeField{64, 1},
    versionField{65, 3}, rankField{68, 3}, formatField{71, 4},
    interleaveField{75, 2}, swizzleField{77, 2}, fillField{79, 1},
    tf32Field{80, 1}, promotionField{81, 2}, atomicityField{83, 2},
    largeField{85, 1}, strideLowField{96, 32}, strideHighField{224, 4},
    dimField{256, 32}, elementStrideField{416, 3}, boxField{440, 8},
    pixelField{448, 10}, lowerField{464, 16}, upperField{480, 16};

static constexpr uint64_t version = 1;
static constexpr uint64_t largeTensor = 128 << 10;

static void setStride(Words &words, unsigned index, uint64_t bytes) {
  words.set(strideLowField.at(index), bytes >> 4);
  words.set(strideHighField.at(index), bytes >> 36);
}

static void setType(Words &words, TensorMapType type) {
  words.set(formatField, infoOf(type).format);
  words.set(tf32Field, infoOf(type).tf32);
}

/// Bits of a coordinate of a corner, in an im2col map of that rank.
static unsigned cornerBits(unsigned rank) {
  return rank == 3 ? 16 : rank == 4 ? 8 : 5;
}

static void setCorner(Words &words, Field field, unsigned rank,
                      const std::array<int32_t, 3> &corner) {
  unsigned bits = cornerBits(rank);
  for (unsigned dim = 0; dim != rank - 2; ++dim)
    words.set({field.first + dim * bits, bits}, uint32_t(corner[dim]));
}

static std::array<int32_t, 3> getCorner(const Words &words, Field field,
                                        unsigned rank) {
  unsigned bits = cornerBits(rank);
  std::array<int32_t, 3> corner = {};
  for (unsigned dim = 0; dim + 2 < rank; ++dim)
    corner[dim] =
        llvm::SignExtend32(words.get({field.first + dim * bits, bits}), bits);
  return corner;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static llvm::Error error(const Twine &text) {
  return llvm::createStringError(text);
}

static bool isPadded(TensorMapType type) {
  return type == TensorMapType::B4x16P64 || type == TensorMapType::B6x16P32;
}

static llvm::Error checkSwizzle(const TensorMap &map) {
  const SwizzleInfo &swizzle = ::infoOf(map.swizzle);
  if (map.interleave == TensorMapInterleave::Bytes32 &&
      map.swizzle != TensorMapSwizzle::Bytes32)
    return error("32B interleave needs the swizzle 32B; it is " +
                 Twine(swizzle.name));
  if (isPadded(map.type) && map.swizzle != TensorMapSwizzle::None &&
      (swizzle.pattern.span != 128 || swizzle.pattern.flips))
    return error("the type " + infoOf(map.type).name +
                 " can't have the swizzle " + swizzle.name);
  uint64_t inner = map.sharedRowBytes();
  if (map.interleave == TensorMapInterleave::None && swizzle.pattern.span &&
      inner > swizzle.pattern.span)
    return error("the box is " + Twine(map.box[0]) + " elements of " +
                 infoOf(map.type).name + " = " + Twine(inner) +
                 " bytes wide; the swizzle " + swizzle.name + " takes " +
                 Twine(swizzle.pattern.span) + " at most");
  return llvm::Error::success();
}

/// PTX ISA, section 5.5.4.1.
static llvm::Error checkIm2col(const TensorMap &map) {
  if (map.rank < 3)
    return error("rank " + Twine(map.rank) + "; an im2col map has 3 to 5");
  if (map.pixels == 0 || map.pixels > 1024)
    return error("a column of " + Twine(map.pixels) +
                 " pixels; 1 to 1024 are possible");
  int32_t limit = 1 << (cornerBits(map.rank) - 1);
  for (unsigned dim = 0; dim != map.rank - 2; ++dim)
    for (auto [name, value] : {std::pair("lower", map.lowerCorner[dim]),
                               {"upper", map.upperCorner[dim]}})
      if (value < -limit || value >= limit)
        return error("the " + Twine(name) + " corner of dimension " +
                     Twine(dim + 1) + " is " + Twine(value) + "; with rank " +
                     Twine(map.rank) + ", " + Twine(-limit) + " to " +
                     Twine(limit - 1) + " are possible");
  for (unsigned dim = 0; dim != map.rank - 2; ++dim) {
    int64_t size = map.dims[dim + 1];
    int32_t lower = map.lowerCorner[dim], upper = map.upperCorner[dim];
    if (size + upper <= lower)
      return error("the bounding box is empty: in dimension " + Twine(dim + 1) +
                   " it goes from " + Twine(lower) + " to " +
                   Twine(size - 1 + upper) + " (" + Twine(size - 1) + " + " +
                   Twine(upper) + ")");
  }
  return llvm::Error::success();
}

uint64_t TensorMap::reach() const {
  uint64_t slice = sliceBytes(interleave);
  uint64_t bytes = (dims[0] * (slice ? 8 * slice : infoOf(type).bits) + 7) / 8;
  for (unsigned dim = 1; dim != rank; ++dim)
    bytes = llvm::SaturatingMultiplyAdd(dims[dim] - 1, strides[dim - 1], bytes);
  return bytes;
}

llvm::Error drawloom::emu::checkTensorMap(const TensorMap &map,
                                          const ptx::Target &target) {
  const TensorMapTypeInfo &type = infoOf(map.type);
  bool padded = isPadded(map.type);
  bool interleaved = map.interleave != TensorMapInterleave::None;
  if (map.rank < 1 || map.rank > 5)
    return error("rank " + Twine(map.rank) + "; 1 to 5 are possible");
  if (interleaved && map.rank < 3)
    return error("rank " + Twine(map.rank) +
                 "; an interleaved tensor has at least 3 dimensions");
  if (target.sm < 100 && type.bits < 8)
    return error("the type " + type.name + " needs sm_100; this is " +
                 target.str());
  if (target.sm < 100 && ::infoOf(map.swizzle).atomicity)
    return error("the swizzle " + Twine(::infoOf(map.swizzle).name) +
                 " needs sm_100; this is " + target.str());
  unsigned alignment =
      map.interleave == TensorMapInterleave::Bytes32 || padded ? 32 : 16;
  if (map.address % alignment)
    return error("the address 0x" + Twine::utohexstr(map.address) +
                 " isn't a multiple of " + Twine(alignment));
  for (unsigned dim = 0; dim != map.rank; ++dim) {
    auto of = [&](const char *what) {
      return (Twine(what) + " of dimension " + Twine(dim)).str();
    };
    if (map.dims[dim] == 0 || map.dims[dim] > uint64_t(1) << 32)
      return error(of("the size") + " is " + Twine(map.dims[dim]) +
                   "; 1 to 2^32 are possible");
    if (map.box[dim] == 0 || map.box[dim] > 256)
      return error((map.im2col ? "the number of channels of a pixel"
                               : of("the box size")) +
                   " is " + Twine(map.box[dim]) + "; 1 to 256 are possible");
    if (map.elementStrides[dim] == 0 || map.elementStrides[dim] > 8)
      return error(of("the element stride") + " is " +
                   Twine(map.elementStrides[dim]) + "; 1 to 8 are possible");
    if (dim == 0)
      continue;
    uint64_t stride = map.strides[dim - 1];
    if (stride % alignment)
      return error(of("the stride") + " is " + Twine(stride) +
                   " bytes, which isn't a multiple of " + Twine(alignment));
    if (stride >= uint64_t(1) << 40)
      return error(of("the stride") + " is " + Twine(stride) +
                   " bytes; it must be less than 2^40");
  }
  unsigned multiple = padded ? 128 : map.type == TensorMapType::B4x16 ? 2 : 1;
  if (map.dims[0] % multiple)
    return error("the size of dimension 0 is " + Twine(map.dims[0]) + "; for " +
                 type.name + " it must be a multiple of " + Twine(multiple));
  if (padded && map.box[0] != 128)
    return error("the box size of dimension 0 is " + Twine(map.box[0]) +
                 "; for " + type.name + " it must be 128");
  if (!interleaved && map.box[0] * type.bits % 128)
    return error("the box is " + Twine(map.box[0]) + " elements of " +
                 type.name + " = " + Twine(map.globalRowBytes()) +
                 " bytes wide; that must be a multiple of 16");
  if (interleaved && padded)
    return error("the type " + type.name + " can't be interleaved");
  if (map.l2Promotion > 3)
    return error("L2 promotion " + Twine(unsigned(map.l2Promotion)) +
                 "; 0 to 3 are possible");
  if (map.fillsNaN && !type.isFloat)
    return error("the type " + type.name + " can't be filled with NaN");
  if (map.im2col)
    if (llvm::Error problem = checkIm2col(map))
      return problem;
  return checkSwizzle(map);
}

//===----------------------------------------------------------------------===//
// Encode and decode
//===----------------------------------------------------------------------===//

llvm::Expected<TensorMapBytes>
drawloom::emu::encodeTensorMap(const TensorMap &map,
                               const ptx::Target &target) {
  if (llvm::Error problem = checkTensorMap(map, target))
    return problem;
  Words words = {};
  words.set(addressField, map.address >> 4);
  words.set(modeField, map.im2col);
  words.set(versionField, version);
  words.set(rankField, map.rank - 1);
  setType(words, map.type);
  words.set(interleaveField, static_cast<uint64_t>(map.interleave));
  words.set(swizzleField, ::infoOf(map.swizzle).mode);
  words.set(atomicityField, ::infoOf(map.swizzle).atomicity);
  words.set(fillField, map.fillsNaN);
  words.set(promotionField, map.l2Promotion);
  for (unsigned dim = 0; dim != map.rank; ++dim) {
    words.set(dimField.at(dim), map.dims[dim] - 1);
    if (dim == 0 || !map.im2col)
      words.set(boxField.at(dim), map.box[dim] - 1);
    words.set(elementStrideField.at(dim), map.elementStrides[dim] - 1);
    if (dim)
      setStride(words, dim - 1, map.strides[dim - 1]);
  }
  words.set(largeField, map.reach() >= largeTensor);
  if (map.im2col) {
    words.set(pixelField, map.pixels - 1);
    setCorner(words, lowerField, map.rank, map.lowerCorner);
    setCorner(words, upperField, map.rank, map.upperCorner);
  }
  TensorMapBytes bytes = {};
  memcpy(bytes.data(), &words, sizeof(words));
  return bytes;
}

llvm::Expected<TensorMap> drawloom::emu::decodeTensorMap(const void *bytes) {
  Words words;
  memcpy(&words, bytes, sizeof(words));
  if (words.get(versionField) != version)
    return error("there is no tensor map; its version would be 1, and is " +
                 Twine(words.get(versionField)));
  TensorMap map;
  map.im2col = words.get(modeField);
  map.rank = words.get(rankField) + 1;
  if (map.rank > 5)
    return error("a tensor map of rank " + Twine(map.rank) +
                 "; 1 to 5 are possible");
  const auto *type = llvm::find_if(types, [&](const TensorMapTypeInfo &info) {
    return info.format == words.get(formatField) &&
           info.tf32 == words.get(tf32Field);
  });
  if (type == std::end(types))
    return error("a tensor map with the element format " +
                 Twine(words.get(formatField)) + ", which doesn't exist");
  map.type = static_cast<TensorMapType>(type - types);
  map.address = words.get(addressField) << 4;
  for (unsigned dim = 0; dim != map.rank; ++dim) {
    map.dims[dim] = words.get(dimField.at(dim)) + 1;
    if (dim == 0 || !map.im2col)
      map.box[dim] = words.get(boxField.at(dim)) + 1;
    map.elementStrides[dim] = words.get(elementStrideField.at(dim)) + 1;
    if (dim)
      map.strides[dim - 1] = words.get(strideLowField.at(dim - 1)) << 4 |
                             words.get(strideHighField.at(dim - 1)) << 36;
  }
  if (map.im2col) {
    map.pixels = words.get(pixelField) + 1;
    map.lowerCorner = getCorner(words, lowerField, map.rank);
    map.upperCorner = getCorner(words, upperField, map.rank);
  }
  if (words.get(interleaveField) > 2)
    return error("a tensor map with interleave 3, which doesn't exist");
  map.interleave = static_cast<TensorMapInterleave>(words.get(interleaveField));
  const auto *swizzle = llvm::find_if(swizzles, [&](const SwizzleInfo &info) {
    return info.mode == words.get(swizzleField) &&
           info.atomicity == words.get(atomicityField);
  });
  if (swizzle == std::end(swizzles))
    return error("a tensor map with swizzle mode " +
                 Twine(words.get(swizzleField)) + " and atomicity " +
                 Twine(words.get(atomicityField)) +
                 "; only mode 3 (128B) has other atomicities than 0 (16B)");
  map.swizzle = static_cast<TensorMapSwizzle>(swizzle - swizzles);
  map.l2Promotion = words.get(promotionField);
  map.fillsNaN = words.get(fillField);
  return map;
}

//===----------------------------------------------------------------------===//
// tensormap.replace
//===----------------------------------------------------------------------===//

namespace {
/// What tensormap.replace takes for a field, and where it goes.
struct ReplaceInfo {
  const char *name;
  uint64_t first, last; ///< The values that are possible.
  uint64_t multiple;
  Field field;
  unsigned minus; ///< What is stored is less by so much.
};
} // namespace

/// By TensorMapField. Fields without a width are written in their own way.
static constexpr ReplaceInfo replaceable[] = {
    {"the address", 0, (uint64_t(1) << 57) - 1, 16, {}, 0},
    {"the rank less one", 0, 4, 1, rankField, 0},
    {"a box size", 1, 256, 1, boxField, 1},
    {"a size", 1, uint64_t(1) << 32, 1, dimField, 1},
    {"a stride", 0, (uint64_t(1) << 40) - 1, 16, {}, 0},
    {"an element stride", 1, 8, 1, elementStrideField, 1},
    {"the element type", 0, 15, 1, {}, 0},
    {"the interleave layout", 0, 2, 1, interleaveField, 0},
    {"the swizzle mode", 0, 3, 1, swizzleField, 0},
    {"the swizzle atomicity", 0, 3, 1, atomicityField, 0},
    {"the fill mode", 0, 1, 1, fillField, 0},
};

llvm::Error drawloom::emu::replaceTensorMapField(void *bytes,
                                                 TensorMapField field,
                                                 unsigned ordinal,
                                                 uint64_t value) {
  const ReplaceInfo &info = replaceable[static_cast<unsigned>(field)];
  if (value < info.first || value > info.last)
    return error(Twine(info.name) + " of " + Twine(value) + "; " +
                 Twine(info.first) + " to " + Twine(info.last) +
                 " are possible");
  if (value % info.multiple)
    return error(Twine(info.name) + " of " + Twine(value) +
                 ", which isn't a multiple of " + Twine(info.multiple));
  bool isStride = field == TensorMapField::GlobalStride;
  if (ordinal > (isStride ? 3u : 4u))
    return error(Twine(info.name) + " with the ordinal " + Twine(ordinal) +
                 "; 0 to " + Twine(isStride ? 3 : 4) + " are possible");
  Words words;
  memcpy(&words, bytes, sizeof(words));
  words.set(versionField, version);
  if (field == TensorMapField::GlobalAddress)
    words.set(addressField, value >> 4);
  else if (isStride)
    setStride(words, ordinal, value);
  else if (field == TensorMapField::ElementType)
    setType(words, static_cast<TensorMapType>(value));
  else
    words.set(info.field.at(ordinal), value - info.minus);
  memcpy(bytes, &words, sizeof(words));
  return llvm::Error::success();
}
