//===- TensorTile.cpp - The box of a tensor that one copy moves ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 5.5 (tensors).

#include "Execute/TensorTile.h"
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

uint64_t TensorTile::plainStart() const {
  if (choosesRows || map.im2col || map.rank < 2 || map.elementStrides[1] != 1 ||
      !loadsVerbatim())
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
    address += coordinates[dim] * map.strides[dim - 1];
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
  // The NaN that fma.oob recognises: 0x7ff7, as often as it takes. Its bits
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
