//===- RandomNetwork.cpp - Networks to compare the two analyses on --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomNetwork.h"
#include "drawloom/Analysis/Progress/SideConditions.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::progress;

namespace {
/// A step of the sequential program: a transfer through a pipe, a barrier, or a
/// loop.
struct Piece {
  std::optional<PipeId> pipe = std::nullopt;
  std::optional<BarrierId> barrier = std::nullopt;
  Count trips = {};
  std::vector<Piece> inner = {};
};

class Maker {
public:
  explicit Maker(std::mt19937_64 &random) : random(random) {}

  Network make();

private:
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  bool chance(int percent) { return pick(1, 100) <= percent; }
  template <typename T>
  T &any(std::vector<T> &list) {
    return list[pick(0, list.size() - 1)];
  }

  void makeSizes();
  void makePipes();
  Count makeTrips();
  std::vector<Piece> makeProgram();
  Body project(RoleId role, const std::vector<Piece> &pieces);
  void makePool();
  void divideItems();
  void makeCluster();
  void grantItems();

  std::vector<Body *> bodiesOf(Body &body);
  void bend();
  void bendOrder(Body &body);
  void bendLoop(Body &body);
  void bendScope(Body &body);
  void bendCounts(Body &body);

  std::mt19937_64 &random;
  /// Six roles or more.
  bool isLarge = false;
  /// Several CTAs, and the items at run time.
  bool inCluster = false, dynamic = false;
  Network network;
  std::vector<SizeId> trips;
  std::optional<SizeId> items;
};
} // namespace

//===----------------------------------------------------------------------===//
// The sequential program
//===----------------------------------------------------------------------===//

void Maker::makeSizes() {
  // Every order of steps of many roles is only feasible for short programs.
  if (dynamic || chance(isLarge ? 15 : 60))
    items = network.addSize({.name = "items"});
  int64_t count = pick(items ? 0 : 1, isLarge ? 1 : 2);
  for (int64_t i = 0; i < count; ++i) {
    Size size{.name = i ? "j" : "k"};
    if (chance(15))
      size.min = 1;
    if (items && chance(40))
      size.perItemOf = items;
    trips.push_back(network.addSize(size));
  }
}

void Maker::makePipes() {
  int64_t roles = isLarge ? pick(6, 8) : pick(3, 5);
  if (inCluster)
    roles = pick(2, 4);
  for (int64_t i = 0; i < roles; ++i)
    network.addRole({.name = std::string(1, 'a' + i),
                     .warps = !inCluster && roles <= 4 && chance(8) ? 2 : 1});
  // A tree, so that all hang together, and a few more between any two.
  int64_t extra = pick(0, isLarge || inCluster ? 1 : 3);
  for (int64_t i = 1; i < roles + extra; ++i) {
    RoleId from = i < roles ? i : pick(0, roles - 1);
    RoleId to = i < roles ? pick(0, i - 1) : pick(0, roles - 1);
    if (from == to && !chance(30))
      continue;
    if (chance(60))
      std::swap(from, to);
    Pipe pipe{.name = "p" + std::to_string(network.pipes.size()),
              .slots = Count::constant(pick(1, 3)),
              .producer = from,
              .consumers = {{.role = to}}};
    if (chance(20)) {
      RoleId other = pick(0, roles - 1);
      if (other != to && other != from)
        pipe.consumers.push_back({.role = other});
    }
    if (chance(10))
      pipe.engine = Engine::tensorCore;
    if (chance(10))
      pipe.consumers[0].engine = Engine::tensorCore;
    if (network.roles[from].warps > 1 && chance(30))
      pipe.arrival = Arrival::leaderAfterBarrier;
    // Of several warps one waits for what the tensor core then fills or
    // empties.
    if (network.roles[from].warps > 1 && pipe.engine == Engine::tensorCore)
      pipe.arrival = Arrival::oneWarp;
    if (Consumer &first = pipe.consumers.front();
        network.roles[first.role].warps > 1 &&
        first.engine == Engine::tensorCore)
      first.arrival = Arrival::oneWarp;
    network.addPipe(pipe);
  }
  if (chance(35)) {
    SizeId slots = network.addSize(
        {.name = "slots", .min = 1, .max = chance(50) ? 4 : unbounded});
    any(network.pipes).slots = Count::of(slots);
  }
}

Count Maker::makeTrips() {
  if (!trips.empty() && chance(80))
    return Count::of(any(trips));
  return Count::constant(pick(1, 2));
}

std::vector<Piece> Maker::makeProgram() {
  // One to three loops, one in the other or one after the other, and the
  // transfers in and around them.
  std::vector<std::vector<Piece>> level(1 + pick(1, 2));
  for (PipeId pipe = 0; pipe < network.pipes.size(); ++pipe) {
    bool outside = isLarge && chance(60);
    (outside ? level.front() : any(level)).push_back({.pipe = pipe});
    if (chance(6))
      any(level).push_back({.pipe = pipe});
  }
  if (!isLarge && chance(12)) {
    network.addBarrier({.name = "b", .warps = 0});
    any(level).push_back({.barrier = 0});
  }
  for (std::vector<Piece> &pieces : level)
    std::shuffle(pieces.begin(), pieces.end(), random);
  auto insert = [&](std::vector<Piece> &into, std::vector<Piece> body) {
    Piece loop{.trips = makeTrips(), .inner = std::move(body)};
    into.insert(into.begin() + pick(0, into.size()), std::move(loop));
  };
  while (level.size() > 1) {
    std::vector<Piece> body = std::move(level.back());
    level.pop_back();
    insert(any(level), std::move(body));
  }
  return std::move(level.front());
}

Body Maker::project(RoleId role, const std::vector<Piece> &pieces) {
  Body body;
  for (const Piece &piece : pieces) {
    if (piece.pipe) {
      const Pipe &pipe = network.pipes[*piece.pipe];
      if (pipe.producer == role) {
        Bytes bytes;
        if (*piece.pipe % 4 == 1)
          bytes = {.announced = 32, .copies = {32}};
        if (*piece.pipe % 4 == 3)
          bytes = {.announced = 48, .copies = {16, 32}};
        body.push_back(produce(*piece.pipe, {}, 0, bytes));
      }
      for (const Consumer &consumer : pipe.consumers)
        if (consumer.role == role)
          body.push_back(consume({*piece.pipe}));
    } else if (piece.barrier) {
      // The first three roles synchronize; one of them may not stay to wait.
      if (role >= 3)
        continue;
      network.barriers[*piece.barrier].warps += network.roles[role].warps;
      body.push_back(arriveAt(*piece.barrier));
      if (role > 0 || !chance(25))
        body.push_back(waitAt(*piece.barrier));
    } else if (Body inner = project(role, piece.inner); !inner.empty()) {
      body.push_back(loop(piece.trips, inner));
    }
  }
  return body;
}

/// Registers that some roles hand to others before they start.
void Maker::makePool() {
  PoolId pool = network.addPool({.name = "registers", .available = 0});
  int64_t given = 0;
  for (Role &role : network.roles) {
    if (!chance(50))
      continue;
    given += 8 * role.warps;
    role.body.insert(role.body.begin(), give(pool, 8));
  }
  int64_t takers = pick(1, 2);
  for (int64_t i = 0; i < takers; ++i) {
    Role &role = network.roles[i];
    int64_t share = std::max<int64_t>(0, given / takers / role.warps);
    if (chance(25))
      share += 8;
    // After what the role gives itself.
    role.body.insert(role.body.begin() + (role.body.empty() ? 0 : 1),
                     take(pool, share));
  }
}

/// Lets two consumers of a pipe take turns with the items.
void Maker::divideItems() {
  for (PipeId id = 0; id < network.pipes.size(); ++id) {
    Pipe &pipe = network.pipes[id];
    if (pipe.consumers.size() != 2)
      continue;
    for (int64_t turn : {0, 1}) {
      Consumer &consumer = pipe.consumers[turn];
      consumer.every = 2;
      consumer.from = turn;
      Role &role = network.roles[consumer.role];
      for (Step &step : role.body)
        if (auto *loop = std::get_if<ItemLoop>(&step.what))
          loop->body = {onItems(2, turn, loop->body)};
    }
    return;
  }
}

//===----------------------------------------------------------------------===//
// Bending it
//===----------------------------------------------------------------------===//

std::vector<Body *> Maker::bodiesOf(Body &body) {
  std::vector<Body *> bodies{&body};
  for (Step &step : body)
    std::visit(
        [&](auto &what) {
          if constexpr (requires { what.body; })
            llvm::append_range(bodies, bodiesOf(what.body));
        },
        step.what);
  return bodies;
}

void Maker::bendOrder(Body &body) {
  if (body.size() < 2)
    return;
  size_t at = pick(0, body.size() - 2);
  Step &first = body[at], &second = body[at + 1];
  if (chance(50)) {
    std::swap(first, second);
    return;
  }
  auto *one = std::get_if<Consume>(&first.what);
  auto *two = std::get_if<Consume>(&second.what);
  if (one && two && one->body.empty() && two->body.empty() && chance(50)) {
    llvm::append_range(one->pipes, two->pipes);
    body.erase(body.begin() + at + 1);
    return;
  }
  // The scope holds its slot while the next step runs.
  Step moved = second;
  if (auto *scope = std::get_if<Produce>(&first.what))
    scope->body.push_back(moved);
  else if (one)
    one->body.push_back(moved);
  else
    return;
  body.erase(body.begin() + at + 1);
}

void Maker::bendLoop(Body &body) {
  for (size_t at = 0; at < body.size(); ++at) {
    auto *found = std::get_if<Loop>(&body[at].what);
    if (!found || !chance(70))
      continue;
    Loop old = *found;
    Count fewer = old.trips;
    --fewer.offset;
    if (!fewer.size && fewer.offset < 0)
      return;
    Body replacement;
    if (old.body.size() > 1 && chance(50)) {
      // Two loops, or the first half ahead of the second by an iteration.
      size_t half = pick(1, old.body.size() - 1);
      Body head(old.body.begin(), old.body.begin() + half);
      Body tail(old.body.begin() + half, old.body.end());
      if (chance(30)) {
        replacement = {loop(old.trips, head), loop(old.trips, tail)};
      } else {
        // The first head and the last tail, which a loop without iterations
        // has not: it is asked, or forgotten.
        Count once = old.trips;
        once.most = 1;
        Body rotated = tail;
        llvm::append_range(rotated, head);
        bool asked = old.trips.size && chance(50);
        replacement = asked ? Body{loop(once, head)} : head;
        replacement.push_back(loop(fewer, rotated));
        if (asked)
          replacement.push_back(loop(once, tail));
        else
          llvm::append_range(replacement, tail);
      }
    } else {
      replacement = old.body;
      replacement.push_back(loop(fewer, old.body));
    }
    body.erase(body.begin() + at);
    body.insert(body.begin() + at, replacement.begin(), replacement.end());
    return;
  }
}

void Maker::bendScope(Body &body) {
  for (Step &step : body) {
    if (auto *scope = std::get_if<Consume>(&step.what); scope && chance(50)) {
      scope->lag = pick(1, 2);
      return;
    }
    if (auto *scope = std::get_if<Produce>(&step.what); scope && chance(50)) {
      scope->lag = 1;
      return;
    }
  }
}

void Maker::bendCounts(Body &body) {
  for (Step &step : body) {
    if (auto *scope = std::get_if<Produce>(&step.what)) {
      if (scope->bytes.copies.empty() || !chance(40))
        continue;
      scope->bytes.announced += chance(50) ? 16 : -16;
      return;
    }
    if (auto *found = std::get_if<Loop>(&step.what); found && chance(50)) {
      if (chance(50) && !trips.empty())
        found->trips = Count::of(any(trips));
      else
        ++found->trips.offset;
      return;
    }
  }
  if (!body.empty() && chance(30))
    body.erase(body.begin() + pick(0, body.size() - 1));
}

void Maker::bend() {
  Network before = network;
  std::vector<Body *> bodies = bodiesOf(any(network.roles).body);
  Body &body = *any(bodies);
  int64_t kind = pick(1, 100);
  if (kind <= 48)
    bendOrder(body);
  else if (kind <= 66)
    bendLoop(body);
  else if (kind <= 92)
    bendScope(body);
  else
    bendCounts(body);
  if (findMistake(network) || !checkSideConditions(network).empty())
    network = std::move(before);
}

/// Two or three CTAs that fill slots for each other. One role may act for all:
/// what it takes comes from all of them, as the operands of a pair do, and what
/// it makes goes to all, as accumulators and dynamic items do.
void Maker::makeCluster() {
  network.ctas = network.roles.size() == 2 && chance(30) ? 3 : 2;
  if (dynamic && chance(50))
    network.roles.front().leads = true;
  else if (chance(50))
    any(network.roles).leads = true;
  bool shares = false;
  for (Pipe &pipe : network.pipes) {
    bool leads = network.roles[pipe.producer].leads;
    pipe.shared = llvm::any_of(pipe.consumers, [&](const Consumer &consumer) {
      return network.roles[consumer.role].leads != leads;
    });
    shares |= pipe.shared |= !leads && chance(40);
  }
  if (!shares)
    network.pipes.front().shared = true;
}

/// The first role learns of the items at run time and tells all others: a
/// message for each item, and one for the end.
void Maker::grantItems() {
  Pipe work{.name = "work",
            .slots = Count::constant(pick(1, 2)),
            .producer = 0,
            .consumers = {}};
  for (RoleId role = 1; role < network.roles.size(); ++role)
    work.consumers.push_back({.role = role});
  PipeId id = network.addPipe(work);
  for (auto [role, what] : llvm::enumerate(network.roles)) {
    Step message = role ? consume({id}) : produce(id);
    Body body;
    if (!what.body.empty())
      body = std::get<ItemLoop>(what.body.front().what).body;
    body.insert(body.begin(), message);
    what.body = {forEachItem(*items, body), message};
  }
}

Network Maker::make() {
  int64_t kind = pick(1, 100);
  inCluster = kind <= 45;
  dynamic = kind > 30 && kind <= 60;
  isLarge = kind > 60 && chance(40);
  makeSizes();
  makePipes();
  std::vector<Piece> program = makeProgram();
  for (RoleId role = 0; role < network.roles.size(); ++role) {
    Body body = project(role, program);
    if (items && !body.empty())
      body = {forEachItem(*items, body)};
    network.roles[role].body = std::move(body);
  }
  if (dynamic)
    grantItems();
  if (inCluster)
    makeCluster();
  if (items && !dynamic && !inCluster && chance(15))
    divideItems();
  if (chance(12))
    makePool();
  int64_t bends = pick(0, 18);
  for (int64_t i = 0; i < bends; ++i)
    bend();
  return std::move(network);
}

Network test::makeRandomNetwork(std::mt19937_64 &random) {
  while (true) {
    Network network = Maker(random).make();
    if (!findMistake(network) && checkSideConditions(network).empty())
      return network;
  }
}
