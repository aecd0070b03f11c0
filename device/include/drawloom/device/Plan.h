//===- Plan.h - Warps, memory and barriers of a kernel, from its types ---===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_PLAN_H
#define DRAWLOOM_DEVICE_PLAN_H

#include "drawloom/device/Cluster.h"

namespace drawloom::device {

/// Types, each once, in the order in which they first appear.
template <class... Members>
struct Set {
  static constexpr int size = sizeof...(Members);
  template <class Type>
  static constexpr bool has = (std::is_same_v<Type, Members> || ...);

  template <class Type>
  static consteval int indexOf() {
    int index = 0;
    bool isFound = false;
    ((isFound |= std::is_same_v<Type, Members>, index += !isFound), ...);
    return index;
  }
  template <Name name>
  static consteval int countNamed() {
    return (0 + ... + int(Members::name == name));
  }
  static consteval bool hasNamesOfItsOwn() {
    return ((countNamed<Members::name>() == 1) && ...);
  }
};

template <class Set, class... Types>
struct Insert {
  using type = Set;
};
template <class... Members, class First, class... Rest>
struct Insert<Set<Members...>, First, Rest...> {
  using type = typename Insert<
      std::conditional_t<Set<Members...>::template has<First>, Set<Members...>,
                         Set<Members..., First>>,
      Rest...>::type;
};

template <class First, class...>
struct FirstType {
  using type = First;
};
template <class... Types>
using FirstOf = typename FirstType<Types...>::type;

/// What a kernel with these pipes needs. Warps of roles with threads come
/// first, because a warp's number modulo 4 says which lanes of tensor memory it
/// reaches, and four with numbers from a multiple of 4 on are a group.
template <class Cluster, class... Pipes>
class Plan {
  template <class Pipe>
  using Held = typename Share<Cluster, typename Pipe::Payload>::Held;

public:
  /// From a slot to the next: slots begin at multiples of 1024 bytes, as the
  /// swizzle asks.
  template <class Pipe>
  static constexpr int slotBytes = (Held<Pipe>::bytes + 1023) / 1024 * 1024;

  /// Those at both ends of pipes.
  using Roles = typename Insert<Set<>, typename Pipes::Producer...,
                                typename Pipes::Consumer...>::type;

  /// The one that produces what the first pipe has.
  using FirstRole = typename FirstOf<Pipes...>::Producer;

  static constexpr int maxTensorColumns = 512;

  static consteval int countWarps() { return countWarpsOf(Roles{}); }
  static consteval int countWarpsBy(By by) { return countWarpsBy(by, Roles{}); }
  template <class Role>
  static consteval int getFirstWarp() {
    return findFirstWarp<Role>(Roles{});
  }

  template <class Pipe>
  static consteval int getSlots() {
    int offset = 0;
    bool isFound = false;
    ((isFound |= std::is_same_v<Pipe, Pipes>,
      offset += isFound ? 0 : Pipes::slots * slotBytes<Pipes>),
     ...);
    return offset;
  }
  /// Where the barriers of a pipe begin: `full` of each slot, then `empty`.
  template <class Pipe>
  static consteval int getBarriers() {
    int offset = (0 + ... + (Pipes::slots * slotBytes<Pipes>));
    bool isFound = false;
    ((isFound |= std::is_same_v<Pipe, Pipes>,
      offset += isFound ? 0 : Pipes::slots * barrierPairBytes),
     ...);
    return offset;
  }
  /// Where the number of the first column of tensor memory is. The barrier of
  /// those that drain follows.
  static consteval int getTensorBase() {
    return (0 + ... + (Pipes::slots * (slotBytes<Pipes> + barrierPairBytes)));
  }
  static consteval int getDrained() { return getTensorBase() + 8; }
  static consteval int getSharedBytes() { return getTensorBase() + 16; }

  /// Accumulators come first, then scales of operands.
  template <class Pipe>
  static consteval int getFirstColumn() {
    int column = 0;
    bool isFound = false;
    constexpr Place place = Pipe::Payload::place;
    ((isFound |= std::is_same_v<Pipe, Pipes>,
      column += Pipes::Payload::place == place
                    ? (isFound ? 0 : countColumns<Pipes>())
                : place == Place::Shared ? countColumns<Pipes>()
                                         : 0),
     ...);
    return column;
  }
  /// Tensor memory is given out in powers of two from 32 columns on; 0 where no
  /// pipe goes through it.
  static consteval int getTensorColumns() {
    int used = (0 + ... + countColumns<Pipes>());
    int columns = 32;
    while (columns < used)
      columns *= 2;
    return used ? columns : 0;
  }

private:
  static constexpr int barrierPairBytes = 16;

  template <class Pipe>
  static consteval int countColumns() {
    return Pipe::slots * Held<Pipe>::tensorColumns;
  }
  template <class... Members>
  static consteval int countWarpsOf(Set<Members...>) {
    return (0 + ... + Members::warps);
  }
  template <class... Members>
  static consteval int countWarpsBy(By by, Set<Members...>) {
    return (0 + ... + (Members::by == by ? Members::warps : 0));
  }
  template <class Role, class... Members>
  static consteval int findFirstWarp(Set<Members...>) {
    int warp = 0;
    for (bool hasThreads : {true, false}) {
      bool isFound = Role::hasThreads != hasThreads;
      ((isFound |= std::is_same_v<Role, Members>,
        warp +=
        Members::hasThreads == hasThreads && !isFound ? Members::warps : 0),
       ...);
      if (Role::hasThreads == hasThreads)
        return warp;
      warp = (0 + ... + (Members::hasThreads ? Members::warps : 0));
    }
    return warp;
  }

  static_assert(
      (0 + ... + countColumns<Pipes>()) <= maxTensorColumns,
      "drawloom: the accumulators and block scales of all pipes need more "
      "than the 512 columns of tensor memory: use fewer slots or fewer "
      "columns");
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_PLAN_H
