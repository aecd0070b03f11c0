//===- Network.h - Roles and pipes as the progress model sees them --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network is what is left of a kernel when only the events that can block are
// kept: sequential programs (roles) that exchange slots through bounded rings
// (pipes), and the sizes that their trip counts depend on. It is plain data
// without MLIR, so that a walk over any representation of a kernel can fill it,
// and two analyses that trust each other with nothing can read it.
//
// Everything has a name and a place in the source, because a verdict speaks in
// the user's names. Ids are indices into the network's own lists.
//
//   Network n;
//   SizeId k = n.addSize({.name = "k"});
//   RoleId load = n.addRole({.name = "load"}), mma = n.addRole({.name =
//   "mma"}); PipeId ab = n.addPipe({.name = "operands", .slots =
//   Count::constant(4),
//                          .producer = load, .consumers = {{.role = mma}}});
//   n.roles[load].body = {loop(Count::of(k), {produce(ab)})};
//   n.roles[mma].body = {loop(Count::of(k), {consume({ab}, {}, /*lag=*/1)})};
//
// docs/ProgressModel.md says what the steps mean.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_ANALYSIS_PROGRESS_NETWORK_H
#define DRAWLOOM_ANALYSIS_PROGRESS_NETWORK_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace drawloom::progress {

using SizeId = unsigned;
using RoleId = unsigned;
using PipeId = unsigned;
using BarrierId = unsigned;
using PoolId = unsigned;

constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();

/// A number that is known at launch: a trip count, the length of a stream of
/// work tiles, or a number of slots.
struct Size {
  std::string name;
  int64_t min = 0;
  int64_t max = unbounded;
  /// The stream whose items each have their own value of this size. Without
  /// it, there is one value for the launch.
  std::optional<SizeId> perItemOf = std::nullopt;
};

/// A constant, or a size plus a constant; never below zero, and never above
/// `most`.
struct Count {
  std::optional<SizeId> size = std::nullopt;
  int64_t offset = 0;
  int64_t most = unbounded;

  static Count constant(int64_t value) { return {std::nullopt, value}; }
  static Count of(SizeId size, int64_t offset = 0) { return {size, offset}; }

  /// What it is where the size is `value`; without a size, that is ignored.
  int64_t at(int64_t value) const {
    return std::clamp<int64_t>(size ? value + offset : offset, 0, most);
  }
};

struct Step;
using Body = std::vector<Step>;

/// Runs the body `trips` times.
struct Loop {
  Count trips;
  Body body;
};

/// Runs the body for each work tile of a stream. The stream is the size that is
/// its length.
struct ItemLoop {
  SizeId stream;
  Body body;
};

/// Runs the body only for the items `from`, `from + every`, … of the item loop
/// around it.
struct OnItems {
  int64_t every;
  int64_t from;
  Body body;
};

/// What a produce tells the full barrier and what the copies then deliver. Of a
/// shared pipe, each CTA that fills delivers as much.
struct Bytes {
  int64_t announced = 0;
  /// One entry for each copy that signals on its own.
  llvm::SmallVector<int64_t, 2> copies = {};

  int64_t delivered() const {
    int64_t sum = 0;
    for (int64_t copy : copies)
      sum += copy;
    return sum;
  }
};

/// Owns the next slot of a pipe while the body runs, and `lag` runs longer.
struct Produce {
  PipeId pipe;
  Body body;
  int64_t lag = 0;
  Bytes bytes = {};
};

/// Owns the next slot of each of the pipes while the body runs, and `lag` runs
/// longer.
struct Consume {
  llvm::SmallVector<PipeId, 2> pipes;
  Body body;
  int64_t lag = 0;
};

/// Every warp of the role arrives at a barrier.
struct Arrive {
  BarrierId barrier;
};

/// Every warp of the role waits for the phase that it last arrived in.
struct Wait {
  BarrierId barrier;
};

/// Takes from a pool, or gives to it: `amount` for each warp of the role, or
/// once for the role if one warp does it for all.
struct Transfer {
  PoolId pool;
  bool take;
  int64_t amount;
  bool oneWarp = false;
};

/// Gives up the right to take from a pool.
struct Relinquish {
  PoolId pool;
};

/// Waits for the grids before this one, or lets the dependent ones start.
struct Launch {
  bool wait;
};

/// One step of a role's program.
struct Step {
  std::variant<Loop, ItemLoop, OnItems, Produce, Consume, Arrive, Wait,
               Transfer, Relinquish, Launch>
      what;
  std::string location = {};
};

/// Who tells the other side that a warp of this side has done its part.
enum class Arrival {
  everyWarp,
  /// One warp for all, behind a barrier among the warps of the role.
  leaderAfterBarrier,
  /// One warp for all, as soon as that one is ready.
  leaderAlone,
  /// One warp does all of it: the others don't wait either. So it is where the
  /// tensor core arrives for a role of several warps, and asks none of them.
  oneWarp
};

/// What makes the arrival: the warps, or the tensor core when it has finished,
/// some time after the warp went on.
enum class Engine { warps, tensorCore };

struct Consumer {
  RoleId role;
  /// The items whose slots are for this consumer: from, from + every, …
  int64_t every = 1;
  int64_t from = 0;
  Arrival arrival = Arrival::everyWarp;
  Engine engine = Engine::warps;
};

/// A ring of slots from one role to one or more others.
struct Pipe {
  std::string name;
  /// A constant or a size.
  Count slots;
  RoleId producer;
  std::vector<Consumer> consumers;
  Arrival arrival = Arrival::everyWarp;
  Engine engine = Engine::warps;
  /// The CTAs of a cluster share it: every CTA that fills a slot fills a part
  /// of it in all that empty it, and all of these release it in every CTA that
  /// fills. So a full barrier has its home in the CTA that waits for the slot,
  /// an empty barrier in the one that fills it.
  bool shared = false;
  /// Of a shared pipe: who fills it stays until all slots are back.
  bool awaited = true;
  std::string location = {};
};

/// A named barrier or the barrier of a cluster. The roles that have an arrive
/// or a wait for it take part.
struct Barrier {
  std::string name;
  /// The number of warps that complete a phase.
  int64_t warps;
  std::string location = {};
};

/// Registers of a CTA, or columns of tensor memory.
struct Pool {
  std::string name;
  int64_t available;
  /// Other CTAs take from the same pool.
  bool shared = false;
  std::string location = {};
};

struct Role {
  std::string name;
  int64_t warps = 1;
  Body body = {};
  std::string location = {};
  /// It acts in the first CTA of a cluster only, for all of them.
  bool leads = false;
};

struct Network {
  /// CTAs of a cluster, each with the roles, and with the pipes, barriers and
  /// pools that are not shared. The engine lets one stand for all; the explorer
  /// runs them.
  int64_t ctas = 1;
  std::vector<Size> sizes;
  std::vector<Role> roles;
  std::vector<Pipe> pipes;
  std::vector<Barrier> barriers;
  std::vector<Pool> pools;

  SizeId addSize(Size size) { return add(sizes, std::move(size)); }
  RoleId addRole(Role role) { return add(roles, std::move(role)); }
  PipeId addPipe(Pipe pipe) { return add(pipes, std::move(pipe)); }
  BarrierId addBarrier(Barrier b) { return add(barriers, std::move(b)); }
  PoolId addPool(Pool pool) { return add(pools, std::move(pool)); }

private:
  template <typename T>
  unsigned add(std::vector<T> &list, T element) {
    list.push_back(std::move(element));
    return list.size() - 1;
  }
};

/// Steps, written as one would write them in a program.
Step loop(Count trips, Body body, std::string location = {});
Step forEachItem(SizeId stream, Body body, std::string location = {});
Step onItems(int64_t every, int64_t from, Body body, std::string location = {});
Step produce(PipeId pipe, Body body = {}, int64_t lag = 0, Bytes bytes = {},
             std::string location = {});
Step consume(llvm::SmallVector<PipeId, 2> pipes, Body body = {},
             int64_t lag = 0, std::string location = {});
Step arriveAt(BarrierId barrier, std::string location = {});
Step waitAt(BarrierId barrier, std::string location = {});
Step take(PoolId pool, int64_t amount, bool oneWarp = false,
          std::string location = {});
Step give(PoolId pool, int64_t amount, bool oneWarp = false,
          std::string location = {});
Step relinquish(PoolId pool, std::string location = {});
Step launchWait(std::string location = {});
Step launchDependents(std::string location = {});

/// What makes the network meaningless, as text, or nothing: ids out of range,
/// a pipe that a role other than its producer fills, a scope inside a scope of
/// the same pipe, items outside an item loop, and so on.
std::optional<std::string> findMistake(const Network &network);

/// The network as text, for people.
void print(const Network &network, llvm::raw_ostream &os);

} // namespace drawloom::progress

#endif // DRAWLOOM_ANALYSIS_PROGRESS_NETWORK_H
