//===- Hint.h - How a tensor is loaded ------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load takes a map as it is, or with a word about it:
//
//   slot.load(evictFirst(g.a), evictLast(g.b), item, k);
//   slot.load(gathered(g.a, rows), g.b, item, k);
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_HINT_H
#define DRAWLOOM_DEVICE_HINT_H

#include "drawloom/device/Map.h"

namespace drawloom::device {

/// What the L2 cache does with lines that a load brings.
enum class Evict { Normal, First, Last };

template <Evict evict>
__device__ inline uint64_t createPolicy() {
  uint64_t policy = 0;
  if constexpr (evict == Evict::First)
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  else if constexpr (evict == Evict::Last)
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

/// A map whose loads have a policy.
template <class Map, Evict evict>
struct HintedMap {
  const Map &map;
};
/// Lines that are not read again.
template <class Map>
__device__ inline HintedMap<Map, Evict::First> evictFirst(const Map &map) {
  return {map};
}
/// Lines that are needed again soon.
template <class Map>
__device__ inline HintedMap<Map, Evict::Last> evictLast(const Map &map) {
  return {map};
}

/// A map of which a load takes rows by their numbers, four at a time. Its box
/// has one row.
template <class Tile_>
struct GatherMap {
  using Tile = Tile_;
  CUtensorMap map;
};
/// Row i of a tensor is row rows[i] of the map's. One that isn't there is
/// zeros. `rows` has a multiple of four numbers for each tile.
template <class Tile>
struct GatheredMap {
  const GatherMap<Tile> &map;
  const int *rows;
};
template <class Tile>
__device__ inline GatheredMap<Tile> gathered(const GatherMap<Tile> &map,
                                             const int *rows) {
  return {map, rows};
}

/// What a load is given.
template <class Map_>
struct Loaded {
  using Map = Map_;
  static constexpr Evict evict = Evict::Normal;
  static constexpr bool isGathered = false;
  static __device__ const Map_ &get(const Map_ &map) { return map; }
};
template <class Map_, Evict evict_>
struct Loaded<HintedMap<Map_, evict_>> {
  using Map = Map_;
  static constexpr Evict evict = evict_;
  static constexpr bool isGathered = false;
  static __device__ const Map_ &get(const HintedMap<Map_, evict_> &hinted) {
    return hinted.map;
  }
};
template <class Tile>
struct Loaded<GatheredMap<Tile>> {
  using Map = device::Map<Tile>;
  static constexpr Evict evict = Evict::Normal;
  static constexpr bool isGathered = true;
  static __device__ const GatherMap<Tile> &get(const GatheredMap<Tile> &given) {
    return given.map;
  }
};

template <class Type>
constexpr bool isMap = false;
template <class Tile>
constexpr bool isMap<Map<Tile>> = true;
template <class Tile, class Scales>
constexpr bool isMap<ScaledMap<Tile, Scales>> = true;
template <class Tile>
constexpr bool isMap<GatherMap<Tile>> = true;

/// Has a map at hand before the first copy asks for it.
template <class Map>
__device__ inline void prefetchMap(const Map &map) {
  static_assert(isMap<Map>, "drawloom: only maps are prefetched");
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map.map) : "memory");
  if constexpr (requires { map.scales; })
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map.scales) : "memory");
}

/// Copies a box with a policy, to this CTA or to all of a set, and counts its
/// bytes at a barrier of this CTA, or with `isPaired` of its peer. CCCL has no
/// such forms.
template <bool isForSet, bool isPaired>
__device__ inline void copyHinted(uint32_t to, const void *map,
                                  const int32_t (&at)[2], uint32_t barrier,
                                  uint16_t set, uint64_t policy) {
#define DRAWLOOM_COPY                                                          \
  "cp.async.bulk.tensor.2d.shared::cluster.global.tile"                        \
  ".mbarrier::complete_tx::bytes"
#define DRAWLOOM_COPY_TO_SET(GROUP)                                            \
  asm volatile(DRAWLOOM_COPY ".multicast::cluster" GROUP ".L2::cache_hint "    \
                             "[%0], [%1, {%2, %3}], [%4], %5, %6;" ::"r"(to),  \
               "l"(map), "r"(at[0]), "r"(at[1]), "r"(barrier), "h"(set),       \
               "l"(policy)                                                     \
               : "memory")
#define DRAWLOOM_COPY_TO_ONE(GROUP)                                            \
  asm volatile(DRAWLOOM_COPY GROUP                                             \
               ".L2::cache_hint "                                              \
               "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),                    \
               "l"(map), "r"(at[0]), "r"(at[1]), "r"(barrier), "l"(policy)     \
               : "memory")
  if constexpr (isForSet && isPaired)
    DRAWLOOM_COPY_TO_SET(".cta_group::2");
  else if constexpr (isForSet)
    DRAWLOOM_COPY_TO_SET("");
  else if constexpr (isPaired)
    DRAWLOOM_COPY_TO_ONE(".cta_group::2");
  else
    DRAWLOOM_COPY_TO_ONE("");
#undef DRAWLOOM_COPY_TO_ONE
#undef DRAWLOOM_COPY_TO_SET
#undef DRAWLOOM_COPY
}

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_HINT_H
