//===- TensorTile.h - The box of a tensor that one copy moves ---*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is a tensor map and the coordinates of a box. It is moved row by row,
// a row being what lies along dimension 0:
//
//   global memory                        shared memory
//   one address, the bytes of the row    row after row, each as wide as the
//   that are inside the tensor           swizzle, chunks swizzled by address
//
// In im2col mode a row is the channels of one pixel. The pixels go through the
// bounding box, W first, and from its end to the next H, D and N:
//
//   lower corner ... start -> ... size - 1 + upper corner
//        `-------------------------'  and the next line
//
// Each pixel is read at its place plus the offsets of the instruction.
//
// A row of an interleaved tensor is one slice of channels; dimensions 1 and on
// are then W, H, D and N (foldSlices), and rows lie next to each other,
// whatever the swizzle.
//
// Elements outside the tensor are filled in on the way in, and left out on
// the way back.
//
// The address of a row wraps around at 2^64, as on hardware: descriptors of
// ragged tensors (Triton) rely on it. A row is then looked up in memory by its
// address and its bytes, whatever it came from.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TENSORTILE_H
#define DRAWLOOM_EMULATOR_TENSORTILE_H

#include "drawloom/Emulator/TensorMap.h"
#include <algorithm>
#include <string>

namespace drawloom::emu {

struct TensorTile {
  /// The widest row: 256 elements of 8 bytes.
  static constexpr unsigned maxRowBytes = 2048;

  TensorMap map;
  int64_t coordinates[5] = {};
  /// tile::gather4 and tile::scatter4: rows[i] is the coordinate of row i.
  bool choosesRows = false;
  int64_t rows[4] = {};
  uint16_t offsets[3] = {}; ///< Of im2col mode, in W, H and D.

  /// A row as it is in global memory.
  struct Row {
    uint64_t address = 0; ///< Of the byte `begin` of the row.
    /// The bytes of the row that are inside the tensor; none if begin == end.
    uint32_t begin = 0, end = 0;
  };

  // A map that passes the checks has at most 256 elements in a dimension, so
  // that these numbers stay below 2^43.
  uint64_t rowCount() const {
    if (choosesRows)
      return 4;
    if (map.im2col)
      return map.pixels;
    uint64_t count = 1;
    for (unsigned dim = 1; dim != map.rank; ++dim)
      count *= map.extent(dim);
    return count;
  }
  /// From one row to the next in shared memory.
  uint32_t pitch() const {
    uint32_t span = patternOf(map.swizzle).span;
    bool isPlain = map.interleave == TensorMapInterleave::None;
    return span && isPlain ? span : map.sharedRowBytes();
  }
  /// What an mbarrier counts.
  uint64_t sharedBytes() const { return rowCount() * map.sharedRowBytes(); }
  /// What it takes in shared memory.
  uint64_t footprint() const { return rowCount() * pitch(); }

  /// Turns an interleaved map and its coordinates into those of a tensor whose
  /// dimension 0 is one slice. The answer says why it can't; it is empty if it
  /// has.
  std::string foldSlices();

  /// Calls f(index, row) for each row, until it answers false. Returns whether
  /// it never did.
  template <typename F>
  bool forEachRow(F f) const;

  /// The first byte of a tile that is a plane, map.box[1] rows strides[0] bytes
  /// apart, all of them inside the tensor and in shared memory as they are in
  /// global memory; 0 for any other tile.
  uint64_t plainStart() const;

  /// Turns a row's bytes, in place as in global memory, into what is stored in
  /// shared memory: fills in, rounds, and pads.
  void finishLoad(char *data, const Row &row) const;
  /// Whether finishLoad leaves a row that is inside the tensor as it is.
  bool loadsVerbatim() const;

  /// The last place of the bounding box in W, H or D.
  int64_t lastPlace(unsigned dim) const {
    return int64_t(map.dims[dim + 1]) - 1 + map.upperCorner[dim];
  }

private:
  /// Calls f(index, inside, address) for each pixel of im2col mode.
  template <typename F>
  bool forEachPixel(F f) const;
  /// The bytes of a row along dimension 0; the address is relative to it.
  Row innerRow() const;
};

/// Calls move(place in shared memory, place in the row, bytes) for all of a row
/// of `bytes` that begins at `start`.
template <typename F>
inline void forEachChunk(const SwizzlePattern &pattern, uint32_t start,
                         uint32_t bytes, F move) {
  if (!pattern.span)
    return move(start, 0u, bytes);
  // A row is inside one 128-byte line, so one pattern holds for all of it.
  uint32_t flip = pattern.apply(start) ^ start;
  if (pattern.flips) {
    for (uint32_t at = 0; at != bytes; at += 8)
      move((start + at) ^ flip, at, 8u);
    return;
  }
  for (uint32_t at = 0; at != bytes; at += 16)
    move((start + at) ^ flip, at, 16u);
}

template <typename F>
bool TensorTile::forEachPixel(F f) const {
  const unsigned spatial = map.rank - 2;
  int64_t at[4] = {}; // W, H and D, as many as there are, and N.
  std::copy_n(coordinates + 1, spatial + 1, at);
  for (uint32_t index = 0; index != map.pixels; ++index) {
    bool inside = true;
    uint64_t address = 0;
    for (unsigned dim = 0; dim != spatial + 1; ++dim) {
      int64_t place = at[dim] + (dim < spatial ? offsets[dim] : 0);
      inside &= place >= 0 && place < int64_t(map.dims[dim + 1]);
      address += uint64_t(place) * map.strides[dim];
    }
    if (!f(index, inside, address))
      return false;
    unsigned dim = 0;
    for (; dim != spatial; ++dim) {
      at[dim] += map.elementStrides[dim + 1];
      if (at[dim] <= lastPlace(dim))
        break;
      at[dim] = map.lowerCorner[dim];
    }
    if (dim == spatial)
      ++at[spatial];
  }
  return true;
}

template <typename F>
bool TensorTile::forEachRow(F f) const {
  const Row inner = innerRow();
  auto rowAt = [&](bool inside, uint64_t address) {
    return inside ? Row{inner.address + address, inner.begin, inner.end}
                  : Row();
  };
  auto isInside = [&](unsigned dim, int64_t coordinate) {
    return coordinate >= 0 && coordinate < int64_t(map.dims[dim]);
  };
  if (choosesRows) {
    for (uint32_t index = 0; index != 4; ++index)
      if (!f(index, rowAt(isInside(1, rows[index]),
                          uint64_t(rows[index]) * map.strides[0])))
        return false;
    return true;
  }
  if (map.im2col)
    return forEachPixel([&](uint32_t index, bool inside, uint64_t address) {
      return f(index, rowAt(inside, address));
    });
  // What the dimensions above the first two come to, and how far each is.
  uint32_t extent1 = map.rank > 1 ? map.extent(1) : 1;
  uint64_t stride1 = map.rank > 1 ? map.strides[0] : 0;
  uint32_t at[5] = {}, index = 0;
  for (bool more = true; more;) {
    bool inside = true;
    uint64_t address = 0;
    for (unsigned dim = 2; dim < map.rank; ++dim) {
      int64_t coordinate =
          coordinates[dim] + int64_t(at[dim]) * map.elementStrides[dim];
      inside &= isInside(dim, coordinate);
      address += uint64_t(coordinate) * map.strides[dim - 1];
    }
    for (uint32_t row = 0; row != extent1; ++row, ++index) {
      int64_t coordinate =
          coordinates[1] + int64_t(row) * map.elementStrides[1];
      if (!f(index, rowAt(inside && isInside(1, coordinate),
                          address + uint64_t(coordinate) * stride1)))
        return false;
    }
    more = false;
    for (unsigned dim = 2; dim < map.rank && !more; ++dim) {
      more = ++at[dim] != map.extent(dim);
      if (!more)
        at[dim] = 0;
    }
  }
  return true;
}

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_TENSORTILE_H
