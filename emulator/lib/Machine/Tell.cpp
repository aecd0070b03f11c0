//===- Tell.cpp - Telling listeners --------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Tell.h"
#include "Machine/Machine.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;

ClusterListener::~ClusterListener() = default;
Listener::~Listener() = default;

Order drawloom::emu::orderOf(Modifier sem, Order otherwise) {
  switch (sem) {
  case Modifier::Relaxed:
    return Order::Relaxed;
  case Modifier::Acquire:
    return Order::Acquire;
  case Modifier::Release:
    return Order::Release;
  case Modifier::AcqRel:
    return Order::AcquireRelease;
  case Modifier::Sc:
    return Order::SequentiallyConsistent;
  default:
    return otherwise;
  }
}

Scope drawloom::emu::scopeOf(Modifier scope, Scope otherwise) {
  switch (scope) {
  case Modifier::Cta:
    return Scope::Cta;
  case Modifier::Cluster:
    return Scope::Cluster;
  case Modifier::Gpu:
  case Modifier::Gl:
    return Scope::Gpu;
  case Modifier::Sys:
    return Scope::System;
  default:
    return otherwise;
  }
}

/// Whether `piece` continues the last range, which then has it.
bool RangeList::extend(const MemoryRange &piece) {
  if (ranges.empty())
    return false;
  MemoryRange &last = ranges.back();
  int64_t apart =
      piece.address - (last.address + last.pitch * int64_t(last.count - 1));
  if (last.bytes != piece.bytes || (last.count > 1 && last.pitch != apart))
    return false;
  last.pitch = apart;
  ++last.count;
  last.lanes |= piece.lanes;
  return true;
}

void RangeList::close() {
  if (open.bytes && !extend(open))
    ranges.push_back(open);
  open = {};
}

void RangeList::add(uint64_t address, uint32_t bytes) {
  if (open.bytes && open.address + open.bytes == address) {
    open.bytes += bytes;
    return;
  }
  close();
  open.address = address;
  open.bytes = bytes;
}

void RangeList::addLane(unsigned lane, uint64_t address, uint32_t bytes) {
  MemoryRange piece;
  piece.address = address;
  piece.bytes = bytes;
  piece.lanes = 1u << lane;
  if (!extend(piece))
    ranges.push_back(piece);
}

Origin drawloom::emu::originOf(const IssuePoint &issue) {
  Origin origin;
  origin.instruction = issue.cta->grid().program().indexOf(issue.inst);
  origin.rank = issue.cta->rank();
  origin.warp = issue.warp;
  origin.lanes = issue.lanes;
  return origin;
}

void drawloom::emu::endRunAt(const IssuePoint &issue) {
  issue.cta->machine().fail(issue, ReportKind::Stopped,
                            *listenerOf(issue)->ending());
  issue.cta->warps()[issue.warp]->endTurn();
}

void drawloom::emu::tellAccess(const IssuePoint &issue, AccessEvent event,
                               uint64_t address, uint32_t bytes) {
  if (!listenerOf(issue))
    return;
  MemoryRange range;
  range.address = address;
  range.bytes = bytes;
  event.ranges = range;
  tell(issue, event);
}

void drawloom::emu::tellOperation(const IssuePoint &issue,
                                  OperationEvent event) {
  if (listenerOf(issue))
    tell(issue, event);
}
