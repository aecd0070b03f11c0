//===- TensorTile.cpp - The box of a tensor that one copy moves ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 5.5 (tensors).

#include "Execute/Copy/TensorTile.h"
#include <bit>
#include <cmath>
#include <cstring>

using namespace drawloom::emu;

TensorTile::Row TensorTile::innerRow() const {
  int64_t bits = infoOf(map.type).bits;
  int64_t first = coordinates[0], count = map.box[0];
  int64_t begin = std::clamp<int64_t>(-first, 0, count);
  int64_t end = std::clamp<int64_t>(int64_t(map.dims[0]) - first, begin, count);
  Row row;
  row.address = map.address + (first + begin) * bits / 8;
  row.begin = begin * bits / 8;
  row.end = end * bits / 8;
  return row;
}

// PTX ISA, section 5.5.6, names the layout, and not much more. Read from its
// end, NC/8DHWC8 has the slice first, and then dimensions that the map counts
// in slices; that a dimension 0 can have a traversal stride (section 5.5.3.2)
// fits W, and not channels. What the section leaves open is rejected.
std::string TensorTile::foldSlices() {
  if (map.im2col)
    return "the ISA doesn't say what an interleaved tensor is in im2col mode";
  const unsigned channels = map.rank - 2;
  if (map.box[channels] != 1)
    return "the box has " + std::to_string(map.box[channels]) +
           " slices of channels (dimension " + std::to_string(channels) +
           "); the ISA doesn't say how they lie in shared memory, so the "
           "emulator takes 1";
  const uint32_t slice = sliceBytes(map.interleave);
  const uint32_t steps =
      (map.box[0] + map.elementStrides[0] - 1) / map.elementStrides[0];
  const uint32_t span = patternOf(map.swizzle).span;
  if (span && steps * slice % span)
    return "the box is " + std::to_string(steps) + " slices of " +
           std::to_string(slice) +
           " bytes wide; the ISA doesn't say where the next row begins unless "
           "that is a multiple of the swizzle's " +
           std::to_string(span);
  const TensorMap slices = map;
  const int64_t at = coordinates[channels];
  const bool inside = at >= 0 && at < int64_t(slices.dims[channels]);
  for (unsigned dim = channels; dim != 0; --dim) {
    map.dims[dim] = slices.dims[dim - 1];
    map.box[dim] = slices.box[dim - 1];
    map.elementStrides[dim] = slices.elementStrides[dim - 1];
    map.strides[dim - 1] = dim > 1 ? slices.strides[dim - 2] : slice;
    coordinates[dim] = coordinates[dim - 1];
  }
  map.dims[0] = map.box[0] = slice * 8 / infoOf(map.type).bits;
  map.elementStrides[0] = 1;
  if (inside)
    map.address += uint64_t(at) * slices.strides[channels - 1];
  coordinates[0] = inside ? 0 : map.dims[0];
  return "";
}

uint64_t TensorTile::plainStart() const {
  if (choosesRows || map.im2col || map.rank < 2 ||
      map.interleave != TensorMapInterleave::None ||
      map.elementStrides[1] != 1 || !loadsVerbatim())
    return 0;
  Row row = innerRow();
  if (row.end - row.begin != map.globalRowBytes() ||
      map.globalRowBytes() != map.sharedRowBytes())
    return 0;
  uint64_t address = row.address;
  for (unsigned dim = 1; dim != map.rank; ++dim) {
    if ((dim > 1 && map.box[dim] != 1) || coordinates[dim] < 0 ||
        coordinates[dim] + int64_t(map.box[dim]) > int64_t(map.dims[dim]))
      return 0;
    address += uint64_t(coordinates[dim]) * map.strides[dim - 1];
  }
  return address;
}

bool TensorTile::loadsVerbatim() const {
  switch (map.type) {
  case TensorMapType::F32Ftz:
  case TensorMapType::TF32:
  case TensorMapType::TF32Ftz:
  case TensorMapType::B4x16P64:
  case TensorMapType::B6x16P32:
    return false;
  default:
    return true;
  }
}

/// Rounds to 10 bits of mantissa, to nearest even.
static float roundToTF32(float value) {
  if (std::isnan(value))
    return std::bit_cast<float>(0x7fffe000u);
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return std::bit_cast<float>((bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu);
}

static float flushSubnormal(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value)
                                                : value;
}

/// Packed groups of 16 elements become containers of 16 bytes, from the last
/// one back, since they grow in place. What is between them is undefined.
static void pad(char *data, uint32_t groups, uint32_t groupBytes) {
  constexpr uint32_t container = 16;
  constexpr int undefined = 0xcc;
  for (uint32_t index = groups; index-- != 0;) {
    memmove(data + index * container, data + index * groupBytes, groupBytes);
    memset(data + index * container + groupBytes, undefined,
           container - groupBytes);
  }
}

void TensorTile::finishLoad(char *data, const Row &row) const {
  uint32_t bytes = map.globalRowBytes();
  // The NaN that fma.oob recognizes: 0x7ff7, as often as it takes. Its bits
  // are not in the ISA; they were observed on hardware by others.
  auto fill = [&](uint32_t begin, uint32_t end) {
    for (uint32_t at = begin; at != end; ++at)
      data[at] = map.fillsNaN ? (at & 1 ? 0x7f : char(0xf7)) : 0;
  };
  fill(0, row.begin);
  fill(row.end, bytes);
  switch (map.type) {
  case TensorMapType::F32Ftz:
  case TensorMapType::TF32:
  case TensorMapType::TF32Ftz:
    for (uint32_t at = row.begin; at != row.end; at += sizeof(float)) {
      float value;
      memcpy(&value, data + at, sizeof(value));
      if (map.type != TensorMapType::TF32)
        value = flushSubnormal(value);
      if (map.type != TensorMapType::F32Ftz)
        value = roundToTF32(value);
      memcpy(data + at, &value, sizeof(value));
    }
    return;
  case TensorMapType::B4x16P64:
    return pad(data, map.box[0] / 16, 8);
  case TensorMapType::B6x16P32:
    return pad(data, map.box[0] / 16, 12);
  default:
    return;
  }
}
