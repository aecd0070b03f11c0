//===- Walk.h - Every way that a warp can take through a kernel -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What does a kernel do with its barriers, whatever it is called with? The walk
// runs one warp alone over all paths. It knows the warp's number and where
// shared memory starts, and follows constants: slots and phases are counted,
// so they are constants on each path. Sizes are unknown, and a branch on what
// is unknown goes both ways. What an instruction writes becomes unknown, too,
// after too many values: a counter with an unknown bound. So there are finitely
// many states, and all of them are visited.
//
//   branch on an unknown          both ways
//   branch that lanes disagree on both ways, each with its lanes
//   wait for a barrier            succeeds, or is asked again
//
//   byte of shared memory         each value that was stored there in view
//
// What the warp does to barriers and slots goes to a monitor, which is part
// of the state: it sees each path as if it were the only one.
//
// Invariant: each path of the warp in any run, alone or with others, is among
// those visited, if bytes of shared memory that decide are written by stores
// whose address and value the walk knows. With all parameters given there is
// only one path for each lane.

#ifndef DRAWLOOM_PROTOCOL_WALK_H
#define DRAWLOOM_PROTOCOL_WALK_H

#include "drawloom/Protocol/Values.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <vector>

namespace drawloom::protocol {

struct Decision;
struct Decisions;

/// Something that a warp does to a barrier or a slot. Addresses are bytes from
/// where a CTA's shared memory starts for the kernel: static variables, in the
/// order of their first use, then dynamic ones.
struct Event {
  enum class Kind {
    /// Sets up `barrier` for `count` arrivals.
    Init,
    Invalidate,
    /// Waited for the phase of `barrier` with parity `count`.
    Wait,
    /// `count` arrivals of each lane.
    Arrive,
    /// One arrival, and `count` bytes are to come.
    ArriveExpect,
    /// `count` bytes are to come.
    Expect,
    /// Starts a copy to `address`, whose bytes `barrier` counts. They are
    /// `count`, or the box of the tensor map in parameter `map`.
    Copy,
    /// The products so far will arrive at `barrier`.
    Commit,
    /// This lane's copies so far will arrive at `barrier`; `count` is 0 if it
    /// adds to what the barrier awaits what it then gives.
    CopyArrive,
    /// Starts a bulk store from `address`.
    Store,
    /// Issues a product that reads operands at `reads`.
    Mma,
    /// The products so far are a group, and: all but the newest `count` groups
    /// are done.
    Group,
    GroupWait,
    /// All warps of the CTA synchronize, or of the cluster.
    CtaBarrier,
    ClusterBarrier,
    // Only if the order is reported: see WalkOptions.
    /// Comes to barrier number `barrier` of the CTA for `count` threads (0:
    /// all), and waits there if `waits`.
    NamedBarrier,
    ClusterArrive,
    ClusterWait,
    /// Waits for the lanes of `members`, in one instruction.
    WarpBarrier,
    /// Branches on `decision`, whose value is `count`.
    Decide,
    /// setmaxnreg to `count`, and tcgen05.alloc.
    Registers,
    Allocate,
    /// Here begins an item (0), or ends a K tile (1): `count`. A write to
    /// a
    /// register with the name of a mark says so.
    Mark,
    /// Gives the run up.
    Trap,
    /// Something else about barriers, which the walk has no word for.
    Other
  };
  /// An operand of a product in shared memory.
  struct Read {
    int64_t address;
    /// 0 if they aren't known.
    int64_t bytes;
    /// All of its descriptor but the address: how it lies there.
    uint64_t layout;
  };
  Kind kind;
  uint32_t line = 0;
  /// The lanes that do it.
  uint32_t mask = 0;
  /// The lanes that go the same way, these among them.
  uint32_t path = 0;
  /// Barriers and addresses have the CTA in the cluster that they are of. A
  /// multicast is an event for each CTA.
  unsigned rank = 0;
  int64_t barrier = -1;
  unsigned addressRank = 0;
  int64_t address = -1;
  int64_t count = 0;
  int map = -1;
  int64_t mapAt = 0; ///< The byte of the parameter.
  std::vector<Read> reads = {};
  /// Whether a product reads from both CTAs of a pair.
  bool isOfPair = false;
  /// False if a barrier, a count or a parity isn't known. Other things that
  /// aren't are -1.
  bool isKnown = true;
  /// Of what isn't: whether only counters that were given up are to blame.
  bool isCounted = true;
  bool waits = true;
  uint32_t members = 0;
  const Decision *decision = nullptr;
  const ptx::Instruction *instruction = nullptr;
};

/// Sees a path. An error ends the walk.
class Monitor {
public:
  virtual ~Monitor() = default;
  virtual std::unique_ptr<Monitor> clone() const = 0;
  /// All that future answers depend on.
  virtual void appendKey(std::string &key) const = 0;
  virtual llvm::Error see(const Event &event) = 0;
  /// The path comes to a state, with these lanes. Others may have come there
  /// before; then it isn't followed further.
  virtual void reach(unsigned state, uint32_t mask) {}
  /// Whether nothing more is to be known about this path.
  virtual bool isDone() const { return false; }
  /// The lanes of the path have left the kernel.
  virtual llvm::Error end(uint32_t mask) = 0;
};

struct WalkOptions {
  unsigned threads = 0;
  /// Where the CTA stands in its cluster, and how large that is.
  unsigned rank = 0;
  std::array<unsigned, 3> cluster = {1, 1, 1};
  /// One number for each parameter, and the CTA: then there is one path for
  /// each lane, and everything that decides about it must be known.
  std::optional<std::vector<uint64_t>> parameters = std::nullopt;
  unsigned cta = 0, ctas = 1;
  /// Whether a loop that counts up to a parameter leaves with the parameter
  /// known: more is known behind it, in many more states.
  bool learnsEqual = false;
  /// Values of an instruction's result after which it counts as unknown.
  unsigned valueLimit = 64;
  /// Whether values that were known once stay so: lanes that come out of a
  /// branch alone count the same ones again. In many more states, too.
  bool followsLanes = false;
  /// What decides about branches (Decisions.h). If it is given, everything is
  /// reported that a warp may wait at and what decides where it goes; lanes
  /// that step over something short stay with the others, and all barriers of
  /// the CTA are reported as named ones.
  const Decisions *order = nullptr;
  /// States after which the walk is given up.
  unsigned stateLimit = 16000000;
};

/// What warps have stored in bytes of shared memory, as far as the walk sees
/// it: by it a kernel tells warps what to do next.
struct StoredBytes {
  std::map<uint64_t, std::set<uint8_t>> values;
  /// Whether a path has asked for one of them, and the lines that got one.
  bool isUsed = false;
  std::set<uint32_t> readers = {};

  bool operator==(const StoredBytes &) const = default;
};

class Walk {
public:
  static llvm::Expected<std::unique_ptr<Walk>>
  create(const ptx::Function &kernel, const WalkOptions &options);
  ~Walk();

  /// Walks that are given the same one see each other's stores.
  void share(StoredBytes &stored);
  /// The lines of instructions whose results were too many to tell apart.
  const std::set<uint32_t> &getGivenUp() const;

  /// Walks one warp.
  llvm::Error run(unsigned warp, std::unique_ptr<Monitor> monitor);

private:
  struct Implementation;
  explicit Walk(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation;
};

} // namespace drawloom::protocol

#endif // DRAWLOOM_PROTOCOL_WALK_H
