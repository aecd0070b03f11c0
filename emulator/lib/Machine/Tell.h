//===- Tell.h - Telling listeners -------------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How handlers and operations tell events (drawloom/Emulator/Events.h):
//
//   if (warp.listener()) [[unlikely]]
//     tell(warp.issuePoint(inst, mask), FenceEvent{.order = Order::Release});
//
// `tell` fills in the origin and the operation, and ends the run if the
// listener wants that. The caller knows that there is a listener.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TELL_H
#define DRAWLOOM_EMULATOR_TELL_H

#include "Machine/AsyncOp.h"
#include "Machine/Grid.h"
#include "llvm/ADT/SmallVector.h"

namespace drawloom::emu {

/// What a `.sem` or `.scope` says, or what the ISA says if there is none.
Order orderOf(ptx::Modifier sem, Order otherwise);
Scope scopeOf(ptx::Modifier scope, Scope otherwise);

/// Collects what is touched in few ranges: bytes side by side become one piece,
/// pieces at equal distances one range.
class RangeList {
public:
  /// A piece that an engine touches, or all lanes together.
  void add(uint64_t address, uint32_t bytes);
  /// That of one lane. Lanes come in rising order, and all pieces are as long.
  void addLane(unsigned lane, uint64_t address, uint32_t bytes);
  llvm::ArrayRef<MemoryRange> get() {
    close();
    return ranges;
  }

private:
  void close();
  bool extend(const MemoryRange &piece);

  llvm::SmallVector<MemoryRange, 8> ranges;
  MemoryRange open; ///< A piece that may still grow; no bytes if there is none.
};

inline ClusterListener *listenerOf(const IssuePoint &issue) {
  return issue.cta->cluster().listener();
}
Origin originOf(const IssuePoint &issue);

inline void deliver(ClusterListener &listener, const AccessEvent &event) {
  listener.access(event);
}
inline void deliver(ClusterListener &listener, const OperationEvent &event) {
  listener.operation(event);
}
inline void deliver(ClusterListener &listener, const GroupEvent &event) {
  listener.group(event);
}
inline void deliver(ClusterListener &listener, const MbarrierEvent &event) {
  listener.mbarrier(event);
}
inline void deliver(ClusterListener &listener, const SuspendEvent &event) {
  listener.suspend(event);
}
inline void deliver(ClusterListener &listener, const BarrierEvent &event) {
  listener.barrier(event);
}
inline void deliver(ClusterListener &listener, const FenceEvent &event) {
  listener.fence(event);
}
inline void deliver(ClusterListener &listener, const AllocationEvent &event) {
  listener.allocation(event);
}
inline void deliver(ClusterListener &listener, const HeapEvent &event) {
  listener.heap(event);
}
inline void deliver(ClusterListener &listener, const DependencyEvent &event) {
  listener.dependency(event);
}
inline void deliver(ClusterListener &listener, const LocalEvent &event) {
  listener.local(event);
}
inline void deliver(ClusterListener &listener, const UndefinedEvent &event) {
  listener.undefined(event);
}
inline void deliver(ClusterListener &listener, const TensorMapEvent &event) {
  listener.tensorMap(event);
}
inline void deliver(ClusterListener &listener, const AnswerEvent &event) {
  listener.answer(event);
}
inline void deliver(ClusterListener &listener, const Origin &origin) {
  listener.lanesExited(origin);
}

/// Ends the run as the cluster's listener says, and the turn of the warp.
void endRunAt(const IssuePoint &issue);

template <typename Event>
[[gnu::cold, gnu::noinline]] void tell(const IssuePoint &issue, Event event) {
  if constexpr (std::is_same_v<Event, Origin>) {
    event = originOf(issue);
  } else {
    event.origin = originOf(issue);
    if constexpr (requires { event.operation; })
      event.operation = issue.operation;
  }
  ClusterListener &listener = *listenerOf(issue);
  deliver(listener, event);
  if (listener.ending())
    endRunAt(issue);
}

/// Tells an access of an engine, or of all lanes together, to one range. Does
/// nothing if there is no listener, as does `tellOperation`.
void tellAccess(const IssuePoint &issue, AccessEvent event, uint64_t address,
                uint32_t bytes);
void tellOperation(const IssuePoint &issue, OperationEvent event);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_TELL_H
