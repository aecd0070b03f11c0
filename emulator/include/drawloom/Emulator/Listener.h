//===- Listener.h - The machine's events ------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checkers, timing and traces watch a run through one interface. The machine
// calls it only if a listener is there, from one thread, in the order in which
// things take effect. Pointers in an event are valid during the call only.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_LISTENER_H
#define DRAWLOOM_EMULATOR_LISTENER_H

#include "drawloom/Emulator/Launch.h"

namespace drawloom::emu {

/// Which instruction of which warp an event comes from.
struct Origin {
  uint32_t launch = 0;      ///< Index into the launches of the run.
  uint32_t instruction = 0; ///< Index into the decoded program.
  uint64_t cta = 0;         ///< Linear index in the grid.
  uint32_t warp = 0;        ///< In the CTA.
  uint32_t lanes = 0;
};

/// Who touches memory, as far as ordering is concerned.
enum class Proxy : uint8_t { Generic, Async, TensorMap, Tensor };
enum class AccessKind : uint8_t { Read, Write, Atomic };

struct AccessEvent {
  Origin origin;
  AccessKind kind;
  Proxy proxy;
  /// Generic for accesses that were written so.
  ptx::StateSpace space;
  /// Memory order and scope; None if the access is weak.
  ptx::Modifier order = ptx::Modifier::None;
  ptx::Modifier scope = ptx::Modifier::None;
  uint32_t bytes; ///< At each address.
  /// Generic addresses, one for each lane of origin.lanes, at the lane's index.
  /// Accesses in the async proxy have one address, at index 0.
  llvm::ArrayRef<uint64_t> addresses;
};

/// Something that orders: a fence, or a barrier of a CTA, cluster or warp.
struct SyncEvent {
  enum Kind : uint8_t { Fence, Arrive, Wait, Release };
  Origin origin;
  Kind kind;
  ptx::Opcode opcode;
  ptx::Modifier order = ptx::Modifier::None;
  ptx::Modifier scope = ptx::Modifier::None;
  ptx::Modifier proxy = ptx::Modifier::None;
  uint64_t barrier = 0; ///< Its number, if it has one.
};

/// Something done to an mbarrier.
struct BarrierEvent {
  enum Kind : uint8_t { Init, Inval, Arrive, Expect, Complete, Wait, Phase };
  Origin origin;
  Kind kind;
  uint64_t address;    ///< In the shared window.
  int64_t count;       ///< Arrivals or bytes.
  uint32_t phase;      ///< Before the event.
  bool success = true; ///< Of a wait.
};

/// Asynchronous work that is issued or has taken effect.
struct AsyncEvent {
  enum Kind : uint8_t { Issue, Complete };
  Origin origin; ///< The instruction that issued it.
  Kind kind;
  EngineKind engine;
  uint64_t id; ///< The same for the issue and the completion.
};

class Listener {
public:
  virtual ~Listener();
  virtual void access(const AccessEvent &) {}
  virtual void sync(const SyncEvent &) {}
  virtual void barrier(const BarrierEvent &) {}
  virtual void async(const AsyncEvent &) {}
  virtual void ctaStarted(uint32_t launch, uint64_t cta) {}
  virtual void ctaFinished(uint32_t launch, uint64_t cta) {}
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_LISTENER_H
