//===- BulkStore.h - Copies from shared to global memory --------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy out of shared memory is done in two steps, and anything may happen
// between them: first its source is read (cp.async.bulk.wait_group.read waits
// for that), then its destination is written. It belongs to a bulk group of the
// thread that issued it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_BULKSTORE_H
#define DRAWLOOM_EMULATOR_BULKSTORE_H

#include "Machine/AsyncOp.h"
#include "Timing/Clock.h"
#include "drawloom/Emulator/Events.h"
#include <vector>

namespace drawloom::emu {

class Warp;

/// What a copy of the async proxy does to its destination. Reductions are
/// relaxed at the scope of the GPU.
inline AccessEvent asyncWrite(bool reduces) {
  AccessEvent event;
  event.kind = reduces ? AccessKind::Reduce : AccessKind::Write;
  event.proxy = Proxy::Async;
  event.order = reduces ? Order::Relaxed : Order::Weak;
  event.scope = reduces ? Scope::Gpu : Scope::None;
  return event;
}

class BulkStore {
public:
  explicit BulkStore(IssuePoint issue) : issue(issue) {}
  virtual ~BulkStore();
  /// Reads the source into `data`.
  virtual void read(Machine &machine) = 0;
  /// Writes `data` to the destination.
  virtual void write(Machine &machine) = 0;

  /// For the clock: how much it is, and the memory that it writes.
  virtual uint64_t size() const = 0;
  virtual void touch(Clock &clock, uint64_t now,
                     MemoryClock::Traffic &traffic) const = 0;

  /// Issues the copy for the lanes of `issue`, which all ask for the same.
  static void post(Warp &warp, EngineKind kind,
                   std::unique_ptr<BulkStore> store);

  const IssuePoint issue;
  /// What has been read and not written.
  std::vector<char> data;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_BULKSTORE_H
