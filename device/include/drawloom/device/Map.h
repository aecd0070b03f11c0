//===- Map.h - Tensors as copies of tiles see them -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_MAP_H
#define DRAWLOOM_DEVICE_MAP_H

#include "drawloom/device/Tile.h"
#include <cuda.h>

namespace drawloom::device {

/// A tensor map for copies of such tiles. The type goes with it from the host
/// to the copy, so that they can't disagree about boxes.
template <class Tile_>
struct Map {
  using Tile = Tile_;
  CUtensorMap map;
};

/// The same for elements with block scales, which have a map of their own.
template <class Tile_, class Scales_>
struct ScaledMap {
  using Tile = Tile_;
  using Scales = Scales_;
  CUtensorMap map, scales;
};

/// The map for copies of such tiles, with the scales of `Whole`.
template <class Tile, class Whole>
using MapWithScales =
    std::conditional_t<Stored<typename Tile::Element>::isScaled,
                       ScaledMap<Tile, Scales<Whole>>, Map<Tile>>;

/// Copies a box into this CTA, or into all CTAs of a set, and counts its bytes
/// at a barrier of this CTA or its peer. CCCL has the form for a barrier of
/// this CTA only.
template <bool isForSet>
__device__ inline void copyForPair(uint32_t to, const void *map,
                                   const int32_t (&at)[2], uint32_t barrier,
                                   uint16_t set) {
  if constexpr (isForSet)
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes.multicast::cluster"
                 ".cta_group::2 [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                 "l"(map), "r"(at[0]), "r"(at[1]), "r"(barrier), "h"(set)
                 : "memory");
  else
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes.cta_group::2 "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(at[0]), "r"(at[1]), "r"(barrier)
                 : "memory");
}

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_MAP_H
