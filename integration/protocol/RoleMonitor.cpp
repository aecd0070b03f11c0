//===- RoleMonitor.cpp - What a warp does, against the plan ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoleMonitor.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "llvm/ADT/SmallVector.h"

using namespace drawloom;
using namespace drawloom::protocol;
using namespace drawloom::protocol::planned;
using plan::Engine;
using Kind = Event::Kind;

void RoleMonitor::appendKey(std::string &key) const {
  auto append = [&](auto word) {
    key.append(reinterpret_cast<const char *>(&word), sizeof(word));
  };
  append(syncs);
  append(asking.arrives);
  append(asking.parity);
  append(asking.isAsked);
  append(asking.isOnItsWay);
  append(asking.isAwaited);
  append(asking.receivers);
  append(returned.value_or(comparison.plan.pipes.size()));
  for (const Progress &state : progress) {
    append(state.arrives);
    append(state.slot);
    append(state.parity);
    append(state.oldest);
    append(state.held);
    append(state.filling);
    append(state.expected);
    append(state.bytes);
    for (const auto &bytes : {state.sent, state.due})
      for (auto [to, count] : bytes) {
        append(to);
        append(count);
      }
    append(state.signaled);
    append(state.signaledBy);
    append(state.waits);
    append(state.awaitedLast);
  }
}

llvm::Expected<Barrier> RoleMonitor::find(const Event &event) const {
  auto found = comparison.barriers.find(event.barrier);
  if (found == comparison.barriers.end())
    return fail(event.line, "there is no barrier at byte {0} in the plan",
                event.barrier);
  return found->second;
}

llvm::Error RoleMonitor::setUp(const Event &event) {
  llvm::Expected<Barrier> barrier = find(event);
  if (!barrier)
    return barrier.takeError();
  if (event.rank != rank)
    return fail(event.line, "sets up {0} in CTA {1}",
                comparison.describe(*barrier), event.rank);
  if (llvm::popcount(event.mask) != 1)
    return fail(event.line, "{0} lanes set up {1}", llvm::popcount(event.mask),
                comparison.describe(*barrier));
  if (syncs)
    return fail(event.line,
                "{0} is set up behind the barrier of the CTA, when others may "
                "wait for it",
                comparison.describe(*barrier));
  const plan::Pipe &pipe = comparison.plan.pipes[barrier->pipe];
  int64_t planned =
      barrier->side == Full ? pipe.fullArrivals : pipe.emptyArrivals;
  if (event.count != planned)
    return fail(event.line, "{0} is set up for {1} arrivals, the plan says {2}",
                comparison.describe(*barrier), event.count, planned);
  comparison.inits[{rank, event.barrier}][{event.line, warp}] = event.count;
  return llvm::Error::success();
}

/// Whether copies may deliver so many bytes to a slot: those of all its tiles,
/// or without some of them. A tile that crosses an edge that the tensor map
/// does not know is copied by the threads before they arrive, but not where the
/// leader of a pair has announced the bytes of both CTAs.
static bool canExpect(const plan::Pipe &pipe, int64_t bytes, bool ofPair) {
  if (ofPair)
    return bytes == pipe.fullBytes;
  llvm::SmallDenseSet<int64_t> sums = {pipe.fullBytes};
  for (const plan::Tensor &tensor : pipe.tensors)
    for (int64_t sum : llvm::to_vector(sums))
      sums.insert(sum - tensor.bytes);
  return bytes >= 0 && sums.contains(bytes);
}

/// The bytes of the slot that was filled last have to be there before the next.
llvm::Error RoleMonitor::finishCopies(const End &end, Progress &state,
                                      uint32_t line) {
  const plan::Pipe &pipe = comparison.plan.pipes[end.pipe];
  if (end.tells == Full && state.filling >= 0 &&
      state.arrives == Progress::Yes && state.bytes != state.expected)
    return fail(line,
                "copies of {0} bytes complete on the full barrier of slot {1} "
                "of '{2}', which expects {3}",
                state.bytes, state.filling, pipe.name, state.expected);
  if (end.engine == Engine::cp_async && state.filling >= 0 && !state.isTracked)
    return fail(
        line,
        "nothing holds the full barrier of slot {0} of '{1}' open until "
        "copies have landed",
        state.filling, pipe.name);
  for (auto [to, bytes] : state.due)
    if (state.sent[to] != bytes)
      return fail(line,
                  "sends {0} bytes of slot {1} of '{2}' to CTA {3}, with which "
                  "it shares {4}",
                  state.sent[to], state.filling, pipe.name, to, bytes);
  state.filling = -1;
  state.isTracked = false;
  state.expected = state.bytes = 0;
  state.sent.clear();
  state.due.clear();
  return llvm::Error::success();
}

llvm::Error RoleMonitor::wait(const Event &event) {
  llvm::Expected<Barrier> barrier = find(event);
  if (!barrier)
    return barrier.takeError();
  const plan::Pipe &pipe = comparison.plan.pipes[barrier->pipe];
  if (!syncs)
    return fail(event.line, "waits for {0} before the barrier of the {1}",
                comparison.describe(*barrier),
                comparison.plan.clusterSize() > 1 ? "cluster" : "CTA");
  if (event.rank != rank)
    return fail(event.line, "waits for {0} in CTA {1}",
                comparison.describe(*barrier), event.rank);
  for (auto [end, state] : llvm::zip_equal(ends, progress)) {
    // Who fills waits for empty, and the other way round.
    if (end.pipe != barrier->pipe || end.tells == barrier->side)
      continue;
    bool isShared = comparison.isShared(pipe) && end.tells == Full;
    state.signaledBy = 0;
    state.waits = std::min(state.waits + 1, pipe.slots + 1);
    if (end.tells == Full && !isShared &&
        state.isForLast(pipe, barrier->slot, event.count)) {
      state.awaitedLast = true;
      return llvm::Error::success();
    }
    state.awaitedLast = false;
    if (barrier->slot != state.slot)
      return fail(event.line, "waits for {0}, but its next slot is {1}",
                  comparison.describe(*barrier), state.slot);
    if (event.count != state.parity)
      return fail(event.line, "waits for {0} with parity {1} instead of {2}",
                  comparison.describe(*barrier), event.count, state.parity);
    // The producer of what CTAs share waits for all slots before it exits.
    if (state.held > end.lag && state.arrives == Progress::Yes && !isShared)
      return fail(event.line,
                  "waits for slot {0} of '{1}' while it holds {2}; with the "
                  "lag of the plan it keeps {3}",
                  state.slot, pipe.name, state.held, end.lag);
    if (state.held > end.lag && state.arrives != Progress::Yes) {
      // These lanes wait along with the one that arrives.
      state.arrives = Progress::No;
      state.held = 0;
    }
    if (llvm::Error error = finishCopies(end, state, event.line))
      return error;
    // A slot without an empty barrier isn't held.
    if (state.arrives != Progress::No && pipe.hasEmptyBarriers())
      ++state.held;
    state.filling = end.tells == Full ? state.slot : -1;
    state.advance(pipe);
    return llvm::Error::success();
  }
  return fail(event.line, "waits for {0}, which is not its part of the plan",
              comparison.describe(*barrier));
}

static std::string nameOf(Engine engine) {
  return plan::toString(engine).str();
}

llvm::Error RoleMonitor::arrive(const Event &event) {
  llvm::Expected<Barrier> barrier = find(event);
  if (!barrier)
    return barrier.takeError();
  const plan::Pipe &pipe = comparison.plan.pipes[barrier->pipe];
  Engine engine = event.kind == Kind::ArriveExpect ? Engine::tma
                  : event.kind == Kind::Commit     ? Engine::tensor_core
                                                   : Engine::threads;
  for (auto [end, state] : llvm::zip_equal(ends, progress)) {
    if (end.pipe != barrier->pipe || end.tells != barrier->side)
      continue;
    // Warps arrive for the copies of their lanes.
    bool isCopied = end.engine == Engine::cp_async;
    if (engine != (isCopied ? Engine::threads : end.engine))
      return fail(event.line, "{0} arrives at {1}, the plan says {2}",
                  nameOf(engine), comparison.describe(*barrier),
                  nameOf(end.engine));
    if (isCopied && !state.isTracked)
      return fail(event.line, "arrives at {0} before its copies hold it open",
                  comparison.describe(*barrier));
    if (event.kind == Kind::Arrive && event.count != 1)
      return fail(event.line, "arrives {0} times at {1} instead of once",
                  event.count, comparison.describe(*barrier));
    uint32_t ctas = comparison.getSignaled(pipe, end.tells, rank);
    if (!(ctas >> event.rank & 1))
      return fail(event.line,
                  "arrives at {0} in CTA {1}, with which it shares no slot",
                  comparison.describe(*barrier), event.rank);
    // One instruction signals several CTAs: a lane for each, or a commit.
    int64_t newest = (state.oldest + pipe.slots - 1) % pipe.slots;
    if (state.signaledBy == event.line && barrier->slot == newest &&
        !(state.signaled >> event.rank & 1)) {
      state.signaled |= uint32_t(1) << event.rank;
      comparison.tallies[barrier->pipe * 2 + barrier->side]
          .arriving[event.rank][{rank, warp}] |= event.mask;
      return llvm::Error::success();
    }
    // It fills without a wait, because the wait for another pipe's slot says
    // that there is room.
    if (end.tells == Full && !pipe.hasEmptyBarriers()) {
      ++state.held;
      state.advance(pipe);
    }
    if (state.held == 0)
      return fail(event.line, "arrives at {0} without a slot of its own",
                  comparison.describe(*barrier));
    if (end.tells == Full && state.held > 1)
      return fail(event.line, "arrives at {0} while it has {1} slots",
                  comparison.describe(*barrier), state.held);
    if (barrier->slot != state.oldest)
      return fail(event.line, "arrives at {0}, but the slot that it has is {1}",
                  comparison.describe(*barrier), state.oldest);
    if (event.kind == Kind::ArriveExpect) {
      if (!canExpect(pipe, event.count, comparison.emptiesForPair(pipe)))
        return fail(event.line, "expects {0} bytes at {1}, the plan says {2}",
                    event.count, comparison.describe(*barrier), pipe.fullBytes);
      state.expected = event.count;
      // Its peer brings the other half.
      if (comparison.emptiesForPair(pipe))
        state.expected /= 2;
    }
    if (event.kind == Kind::Commit) {
      returned.reset();
      if (end.tells == Empty)
        returned = end.pipe;
    }
    state.arrives = Progress::Yes;
    comparison.tallies[barrier->pipe * 2 + barrier->side]
        .arriving[event.rank][{rank, warp}] |= event.mask;
    state.signaled = uint32_t(1) << event.rank;
    state.signaledBy = event.line;
    state.waits = 0;
    --state.held;
    state.oldest = (state.oldest + 1) % pipe.slots;
    return llvm::Error::success();
  }
  return fail(event.line, "arrives at {0}, which is not its part of the plan",
              comparison.describe(*barrier));
}

/// Copies of some lanes hold the phase of a barrier open.
llvm::Error RoleMonitor::track(const Event &event) {
  llvm::Expected<Barrier> barrier = find(event);
  if (!barrier)
    return barrier.takeError();
  for (auto [end, state] : llvm::zip_equal(ends, progress)) {
    if (end.pipe != barrier->pipe || end.tells != barrier->side ||
        end.engine != Engine::cp_async)
      continue;
    if (barrier->slot != state.filling)
      return fail(event.line,
                  "copies hold {0} open, but the slot that is filled is {1}",
                  comparison.describe(*barrier), state.filling);
    state.isTracked = true;
    return llvm::Error::success();
  }
  return fail(event.line,
              "copies hold {0} open, which is not their part of the plan",
              comparison.describe(*barrier));
}

llvm::Error RoleMonitor::copy(const Event &event) {
  llvm::Expected<Barrier> barrier = find(event);
  if (!barrier)
    return barrier.takeError();
  const plan::Pipe &pipe = comparison.plan.pipes[barrier->pipe];
  int64_t bytes = event.count;
  if (bytes == 0 && event.map >= 0 &&
      static_cast<size_t>(event.map) < comparison.boxBytes.size())
    bytes = comparison.boxBytes[event.map];
  if (bytes == 0)
    return fail(event.line, "copies with a tensor map that is no parameter");
  for (auto [end, state] : llvm::zip_equal(ends, progress)) {
    if (end.pipe != barrier->pipe || end.tells != Full || barrier->side != Full)
      continue;
    if (barrier->slot != state.filling)
      return fail(event.line,
                  "a copy completes on {0}, but the slot that is filled is {1}",
                  comparison.describe(*barrier), state.filling);
    int64_t start = pipe.place->start + barrier->slot * pipe.slotSize;
    if (event.address < start || event.address + bytes > start + pipe.slotSize)
      return fail(event.line,
                  "a copy of {0} bytes to byte {1} completes on {2}, whose "
                  "bytes are {3} to {4}",
                  bytes, event.address, comparison.describe(*barrier), start,
                  start + pipe.slotSize);
    bool ofPair = comparison.emptiesForPair(pipe);
    if (event.rank != (ofPair ? event.addressRank & ~1u : event.addressRank))
      return fail(event.line, "a copy to CTA {0} completes on {1} in CTA {2}",
                  event.addressRank, comparison.describe(*barrier), event.rank);
    // The leader has announced what its peer copies.
    if (ofPair && rank % 2 != 0 && state.held != 0 &&
        state.oldest == state.filling) {
      state.arrives = Progress::Yes;
      state.expected = pipe.fullBytes / 2;
      state.waits = 0;
      --state.held;
      state.oldest = (state.oldest + 1) % pipe.slots;
    }
    bytes *= llvm::popcount(event.mask);
    state.sent[event.addressRank] += bytes;
    if (event.addressRank != rank)
      return llvm::Error::success();
    // Those that share the tile bring as many bytes each.
    uint32_t peers = uint32_t(1) << rank;
    for (const plan::Tensor &tensor : pipe.tensors)
      if (event.address - start >= tensor.offset)
        peers = comparison.getPeers(tensor, rank);
    state.bytes += bytes * llvm::popcount(peers);
    for (unsigned to = 0; to != comparison.plan.clusterSize(); ++to)
      if (peers >> to & 1)
        state.due[to] += bytes;
    return llvm::Error::success();
  }
  return fail(event.line,
              "a copy completes on {0}, which is not its part of the plan",
              comparison.describe(*barrier));
}

/// An MMA reads slots that its role holds. Where a pipe takes the bytes of
/// another one, it holds a slot of one of them.
llvm::Error RoleMonitor::read(const Event &event) {
  for (const Event::Read &read : event.reads) {
    bool isHeld = false;
    std::string lacking;
    for (auto [end, state] : llvm::zip_equal(ends, progress)) {
      const plan::Pipe &pipe = comparison.plan.pipes[end.pipe];
      if (pipe.memory != plan::Pipe::Memory::Shared || end.tells != Empty)
        continue;
      int64_t offset = read.address - pipe.place->start;
      if (offset < 0 || offset >= pipe.slots * pipe.slotSize)
        continue;
      int64_t slot = offset / pipe.slotSize;
      int64_t behind = (slot - state.oldest + pipe.slots) % pipe.slots;
      isHeld |= state.arrives == Progress::No || behind < state.held;
      if (lacking.empty())
        lacking = llvm::formatv("slot {0} of '{1}'", slot, pipe.name).str();
    }
    if (!isHeld && !lacking.empty())
      return fail(event.line,
                  "an MMA reads byte {0}, {1}, which its role does not hold",
                  read.address, lacking);
  }
  return llvm::Error::success();
}

llvm::Error RoleMonitor::see(const Event &event) {
  if (llvm::Error error = requirePlanned(event))
    return error;
  if (comparison.answered && event.barrier == *comparison.answered)
    return ask(event);
  if (comparison.ready && event.barrier == *comparison.ready)
    return beReady(event);
  switch (event.kind) {
  case Kind::Init:
    return setUp(event);
  case Kind::Wait:
    return wait(event);
  case Kind::Arrive:
  case Kind::ArriveExpect:
  case Kind::Commit:
    return arrive(event);
  case Kind::CopyArrive:
    return track(event);
  case Kind::Copy:
    return copy(event);
  case Kind::Mma:
    return read(event);
  case Kind::CtaBarrier:
  case Kind::ClusterBarrier:
    // The CTAs of a cluster must have met.
    syncs += event.kind == Kind::ClusterBarrier ||
             comparison.plan.clusterSize() == 1;
    return llvm::Error::success();
  case Kind::Store:
  case Kind::Group:
  case Kind::GroupWait:
  case Kind::Mark:
  case Kind::Trap:
  case Kind::Expect:
  case Kind::Invalidate:
  case Kind::Other:
  // Those of the order aren't asked for.
  case Kind::NamedBarrier:
  case Kind::ClusterArrive:
  case Kind::ClusterWait:
  case Kind::WarpBarrier:
  case Kind::Decide:
  case Kind::Registers:
  case Kind::Allocate:
    return llvm::Error::success();
  }
  return llvm::Error::success();
}

/// Other CTAs arrive where slots are shared, so their producer has waited for
/// all of them since it filled one; or it has filled none.
llvm::Error RoleMonitor::leave(const End &end, Progress &state) {
  const plan::Pipe &pipe = comparison.plan.pipes[end.pipe];
  if (state.waits == pipe.slots) {
    state.held = 0;
    state.filling = -1;
    if (state.arrives == Progress::No)
      state.arrives = Progress::Unknown;
    return llvm::Error::success();
  }
  if (state.arrives != Progress::Yes)
    return llvm::Error::success();
  return fail(0,
              "leaves the kernel when it has waited for {0} of {1} slots of "
              "'{2}', at whose barriers other CTAs arrive",
              state.waits, pipe.slots, pipe.name);
}

llvm::Error RoleMonitor::end(uint32_t mask) {
  if (asking.isAsked)
    return fail(0, "leaves the kernel while an answer is on its way");
  for (auto [end, state] : llvm::zip_equal(ends, progress)) {
    const plan::Pipe &pipe = comparison.plan.pipes[end.pipe];
    Leaving &leaving = comparison.leavings[end.pipe];
    bool isShared = comparison.isShared(pipe);
    leaving.isLastReturn |=
        returned == end.pipe && end.tells == Empty && !isShared;
    if (isShared && end.tells == Full) {
      if (llvm::Error error = leave(end, state))
        return error;
    } else if (state.arrives == Progress::Yes && end.tells == Full) {
      if (pipe.slots == 1)
        state.awaitedLast = std::exchange(state.held, 0);
      (state.awaitedLast ? leaving.waits : leaving.goes) = true;
    }
    if (state.arrives == Progress::Yes && state.held > 0)
      return fail(0, "leaves the kernel with {0} slots of '{1}' in its hands",
                  state.held, pipe.name);
    if (llvm::Error error = finishCopies(end, state, 0))
      return error;
    if (state.arrives == Progress::No)
      comparison.tallies[end.pipe * 2 + end.tells].passing[{rank, warp}] |=
          mask;
  }
  return llvm::Error::success();
}
