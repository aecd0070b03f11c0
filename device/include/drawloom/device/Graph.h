//===- Graph.h - What a kernel's types say, as text ---------------------- ===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_GRAPH_H
#define DRAWLOOM_DEVICE_GRAPH_H

#include "drawloom/device/Plan.h"
#include <utility>

namespace drawloom::device {

/// One line about a kernel, for people and for `drawloom check`: clauses that
/// end with ';', of words.
///
///   kernel threads 224 cluster 1 1 alone items static shared 229568 columns
///     512;
///   role load warp 4 warps 1 by tma;
///   pipe operands from load to multiply slots 4 in shared 49152 at 0
///     full 229376 arrivals 1 bytes 49152 empty 229408 arrivals 1;
///   barrier answered 229536;
///
/// `in` says how far it is from a slot to the next, in bytes or columns of
/// tensor memory, and `at` where the first one is. `full` and `empty` say where
/// the barriers of the first slot are. Of a kernel, `shared` and `columns` say
/// how much of both memories a CTA has.
class GraphText {
public:
  template <class... Words>
  constexpr void add(const Words &...words) {
    (put(words), ...);
  }

  char text[4096] = {};
  int size = 0;

private:
  constexpr void put(const char *word) {
    if (size > 0)
      text[size++] = ' ';
    for (; *word; ++word)
      text[size++] = *word;
  }
  constexpr void put(int number) {
    char digits[12] = {};
    int at = 11;
    do
      digits[--at] = char('0' + number % 10);
    while (number /= 10);
    put(digits + at);
  }
};

constexpr const char *nameOf(By by) {
  switch (by) {
  case By::Tma:
    return "tma";
  case By::TensorCore:
    return "tensor-core";
  case By::CudaCores:
    return "threads";
  case By::WarpGroups:
    return "warp-groups";
  }
  return "";
}

template <class Plan, class Role>
constexpr void describeRole(GraphText &text) {
  text.add("role", Role::name.text, "warp", Plan::template getFirstWarp<Role>(),
           "warps", Role::warps, "by", nameOf(Role::by), ";");
}

template <class Cluster, class Plan, class Pipe>
constexpr void describePipe(GraphText &text) {
  using Shares = Share<Cluster, typename Pipe::Payload>;
  using Counts = Arrivals<Cluster, Pipe>;
  int barriers = Plan::template getBarriers<Pipe>();
  text.add("pipe", Pipe::name.text, "from", Pipe::Producer::name.text, "to",
           Pipe::Consumer::name.text, "slots", Pipe::slots, "in");
  if constexpr (Pipe::Payload::place == Place::Tensor)
    text.add("tensor", Pipe::Payload::columns, "at",
             Plan::template getFirstColumn<Pipe>());
  else
    text.add("shared", Plan::template slotBytes<Pipe>, "at",
             Plan::template getSlots<Pipe>());
  text.add("full", barriers, "arrivals", Counts::full);
  if constexpr (Pipe::Producer::by == By::Tma)
    text.add("bytes",
             Shares::Held::bytes * (Shares::isOperands ? Cluster::group : 1));
  text.add("empty", barriers + 8 * Pipe::slots, "arrivals", Counts::empty, ";");
}

/// The text as an array of its own length, which inline assembly takes.
template <class Kernel, class Places>
struct GraphArray;
template <class Kernel, int... places>
struct GraphArray<Kernel, std::integer_sequence<int, places...>> {
  static constexpr GraphText text = Kernel::describe();
  static constexpr char value[] = {text.text[places]..., 0};
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_GRAPH_H
