//===- Role.h - Who works in a kernel ------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_ROLE_H
#define DRAWLOOM_DEVICE_ROLE_H

#include <cstdint>

namespace drawloom::device {

/// A text that is part of a type.
template <int size>
struct Name {
  char text[size];

  consteval Name(const char (&from)[size]) {
    for (int i = 0; i < size; ++i)
      text[i] = from[i];
  }

  /// One word of the text about a kernel (Graph.h).
  consteval bool isWord() const {
    for (int i = 0; i < size - 1; ++i)
      if (text[i] <= ' ' || text[i] > '~' || text[i] == ';')
        return false;
    return size > 1;
  }
  template <int otherSize>
  consteval bool operator==(const Name<otherSize> &other) const {
    bool isSame = size == otherSize;
    for (int i = 0; isSame && i < size; ++i)
      isSame = text[i] == other.text[i];
    return isSame;
  }
};

/// What does a role's work on slots. It decides who arrives at a barrier, and
/// how often.
enum class By {
  Tma,        ///< one thread issues copies, which arrive when they have landed
  TensorCore, ///< one thread issues products, and a commit arrives for them
  CudaCores,  ///< every warp works, and arrives itself
  WarpGroups  ///< the same, and four warps together multiply, on Hopper
};

/// Some warps of a CTA with one task.
template <Name name_, int warps_, By by_>
struct Role {
  static constexpr auto name = name_;
  static constexpr int warps = warps_;
  static constexpr By by = by_;
  /// All threads work, not one for a warp.
  static constexpr bool hasThreads =
      by == By::CudaCores || by == By::WarpGroups;
  /// How often the role arrives for a slot.
  static constexpr int arrivals = hasThreads ? warps : 1;

  static_assert(name.isWord(),
                "drawloom: the name of a role is one word in ASCII, without "
                "spaces and semicolons");
  static_assert(warps > 0, "drawloom: a role has at least one warp");
  static_assert(by != By::WarpGroups || warps % 4 == 0,
                "drawloom: a role by warp groups has 4 warps or a multiple");
  static_assert(hasThreads || warps == 1,
                "drawloom: a role by TMA or tensor core has one warp, because "
                "one thread issues for all");
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_ROLE_H
