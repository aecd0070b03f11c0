//===- SideConditions.cpp - What makes a pair of mbarriers a slot ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Progress/SideConditions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/Twine.h"
#include <numeric>

using namespace drawloom::progress;
using llvm::Twine;

namespace {
/// A step that has no body, and what is known about its place.
struct Event {
  RoleId role;
  /// Its place in the program of its role.
  unsigned order;
  bool repeated;
  /// The role may have to wait before it.
  bool afterWait;
  const Step *step;
};

/// A produce, with the items that it is for.
struct Filling {
  const Step *step;
  int64_t every, from;
};

/// Collects the facts that the rules speak about.
class Facts {
public:
  explicit Facts(const Network &network);

  std::vector<std::vector<Event>> transfers, relinquishes;
  std::vector<Event> launches;
  std::vector<std::vector<Filling>> fillings;
  std::vector<llvm::SmallSet<RoleId, 4>> members;

private:
  void visit(const Body &body);

  RoleId role = 0;
  unsigned order = 0;
  unsigned loops = 0;
  bool waited = false;
  int64_t every = 1, from = 0;
};

class Checker {
public:
  explicit Checker(const Network &network) : network(network), facts(network) {}

  std::vector<Breach> check();

private:
  using Rule = Breach::Rule;

  void report(Rule rule, const Twine &message, const std::string &location) {
    breaches.push_back({rule, message.str(), location});
  }
  std::string nameOf(RoleId role) const {
    return "@" + network.roles[role].name;
  }
  int64_t arrivalsOf(RoleId role, Arrival arrival) const {
    return arrival == Arrival::everyWarp ? network.roles[role].warps : 1;
  }

  void checkArrival(const Pipe &pipe, RoleId role, Arrival arrival,
                    const char *what);
  void checkDivision(const Pipe &pipe, llvm::ArrayRef<Filling> fillings);
  void checkPipe(const Pipe &pipe, llvm::ArrayRef<Filling> fillings);
  void checkBarrier(const Barrier &barrier,
                    const llvm::SmallSet<RoleId, 4> &members);
  void checkDemand(const Pool &pool, llvm::ArrayRef<Event> transfers);
  void checkRelinquish(const Pool &pool, llvm::ArrayRef<Event> transfers,
                       llvm::ArrayRef<Event> relinquishes);
  void checkShared(const Pool &pool, llvm::ArrayRef<Event> transfers);

  const Network &network;
  Facts facts;
  std::vector<Breach> breaches;
};
} // namespace

Facts::Facts(const Network &network)
    : transfers(network.pools.size()), relinquishes(network.pools.size()),
      fillings(network.pipes.size()), members(network.barriers.size()) {
  for (; role < network.roles.size(); ++role) {
    order = 0;
    waited = false;
    visit(network.roles[role].body);
  }
}

void Facts::visit(const Body &body) {
  for (const Step &step : body) {
    Event event{role, order++, loops > 0, waited, &step};
    if (const auto *loop = std::get_if<Loop>(&step.what)) {
      ++loops;
      visit(loop->body);
      --loops;
    } else if (const auto *items = std::get_if<ItemLoop>(&step.what)) {
      ++loops;
      visit(items->body);
      --loops;
    } else if (const auto *guard = std::get_if<OnItems>(&step.what)) {
      auto outer = std::pair(every, from);
      every = guard->every;
      from = guard->from;
      visit(guard->body);
      std::tie(every, from) = outer;
    } else if (const auto *scope = std::get_if<Produce>(&step.what)) {
      waited = true;
      fillings[scope->pipe].push_back({&step, every, from});
      visit(scope->body);
    } else if (const auto *scope = std::get_if<Consume>(&step.what)) {
      waited = true;
      visit(scope->body);
    } else if (const auto *arrival = std::get_if<Arrive>(&step.what)) {
      members[arrival->barrier].insert(role);
    } else if (std::get_if<Wait>(&step.what)) {
      waited = true;
    } else if (const auto *transfer = std::get_if<Transfer>(&step.what)) {
      waited |= transfer->take;
      transfers[transfer->pool].push_back(event);
    } else if (const auto *relinquish = std::get_if<Relinquish>(&step.what)) {
      relinquishes[relinquish->pool].push_back(event);
    } else if (const auto *launch = std::get_if<Launch>(&step.what)) {
      waited |= launch->wait;
      launches.push_back(event);
    }
  }
}

//===----------------------------------------------------------------------===//
// Pipes and barriers
//===----------------------------------------------------------------------===//

void Checker::checkArrival(const Pipe &pipe, RoleId role, Arrival arrival,
                           const char *what) {
  int64_t warps = network.roles[role].warps;
  if (warps == 1 || arrival != Arrival::leaderAlone)
    return;
  report(Rule::everyWaiterArrives,
         "pipe '" + pipe.name + "': " + Twine(warps) + " warps of " +
             nameOf(role) + " wait for a slot, and one of them " + what +
             " it for all without a barrier among them; a slow warp can miss "
             "two phases and deadlock. Let every warp arrive, or put a "
             "barrier of the role before the arrival",
         pipe.location);
}

void Checker::checkDivision(const Pipe &pipe,
                            llvm::ArrayRef<Filling> fillings) {
  constexpr int64_t longestPeriod = 4096;
  int64_t period = 1;
  auto extend = [&](int64_t every) {
    period = period > longestPeriod || every > longestPeriod
                 ? longestPeriod + 1
                 : std::lcm(period, every);
  };
  for (const Consumer &consumer : pipe.consumers)
    extend(consumer.every);
  for (const Filling &filling : fillings)
    extend(filling.every);
  if (period > longestPeriod)
    return report(Rule::sameArrivalsEachUse,
                  "pipe '" + pipe.name +
                      "': its consumers divide the items with a period above " +
                      Twine(longestPeriod),
                  pipe.location);
  std::optional<int64_t> first;
  int64_t firstItem = 0;
  for (int64_t item = 0; item < period; ++item) {
    if (llvm::none_of(fillings, [&](const Filling &filling) {
          return item % filling.every == filling.from;
        }))
      continue;
    int64_t arrivals = 0;
    for (const Consumer &consumer : pipe.consumers)
      if (item % consumer.every == consumer.from)
        arrivals += arrivalsOf(consumer.role, consumer.arrival);
    if (!first) {
      first = arrivals;
      firstItem = item;
    }
    if (*first == arrivals && arrivals > 0)
      continue;
    return report(Rule::sameArrivalsEachUse,
                  "pipe '" + pipe.name + "': of every " + Twine(period) +
                      " items, " + Twine(*first) +
                      " arrivals release a slot of item " + Twine(firstItem) +
                      " and " + Twine(arrivals) + " one of item " +
                      Twine(item) +
                      "; the count of a barrier is fixed, so each item needs "
                      "the same number, and at least one",
                  pipe.location);
  }
}

void Checker::checkPipe(const Pipe &pipe, llvm::ArrayRef<Filling> fillings) {
  checkArrival(pipe, pipe.producer, pipe.arrival, "fills");
  for (const Consumer &consumer : pipe.consumers)
    checkArrival(pipe, consumer.role, consumer.arrival, "releases");
  checkDivision(pipe, fillings);

  if (network.ctas > 1 && pipe.shared && !pipe.awaited)
    report(Rule::staysForPeers,
           "pipe '" + pipe.name + "': " + Twine(network.ctas) +
               " CTAs release its slots, and " + nameOf(pipe.producer) +
               " does not wait for the last ones; they would come to a CTA "
               "that has left. Wait for all slots at the end of " +
               nameOf(pipe.producer),
           pipe.location);

  int64_t releases = 0;
  for (const Consumer &consumer : pipe.consumers)
    releases += arrivalsOf(consumer.role, consumer.arrival);
  int64_t arrivals =
      std::max(releases, arrivalsOf(pipe.producer, pipe.arrival));
  if (arrivals > maxBarrierCount)
    report(Rule::arrivalsInRange,
           "pipe '" + pipe.name + "': " + Twine(arrivals) +
               " arrivals for one slot; an mbarrier counts up to " +
               Twine(maxBarrierCount),
           pipe.location);
  for (const Filling &filling : fillings) {
    const Bytes &bytes = std::get<Produce>(filling.step->what).bytes;
    int64_t most = std::max(bytes.announced, bytes.delivered());
    if (most > maxBarrierCount)
      report(Rule::bytesInRange,
             "pipe '" + pipe.name + "': " + Twine(most) +
                 " bytes for one slot; an mbarrier counts up to " +
                 Twine(maxBarrierCount) + ", so use smaller tiles or two pipes",
             filling.step->location);
  }
}

void Checker::checkBarrier(const Barrier &barrier,
                           const llvm::SmallSet<RoleId, 4> &members) {
  int64_t warps = 0;
  std::string list;
  for (RoleId role : members) {
    warps += network.roles[role].warps;
    list += (list.empty() ? "" : ", ") + nameOf(role) + " with " +
            std::to_string(network.roles[role].warps);
  }
  // Fewer arrivals than counted is a deadlock, which the engine finds.
  if (warps > barrier.warps)
    report(Rule::barrierCountsWarps,
           "barrier '" + barrier.name + "' counts " + Twine(barrier.warps) +
               " warps, but " + Twine(warps) + " arrive (" + list +
               "): its phase completes before all are there",
           barrier.location);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

void Checker::checkDemand(const Pool &pool, llvm::ArrayRef<Event> transfers) {
  llvm::SmallSet<RoleId, 4> takers;
  int64_t demand = 0, certain = pool.available, total = pool.available;
  const Event *repeated = nullptr;
  for (const Event &event : transfers) {
    const auto &transfer = std::get<Transfer>(event.step->what);
    int64_t amount = transfer.amount *
                     (transfer.oneWarp ? 1 : network.roles[event.role].warps);
    if (event.repeated)
      repeated = &event;
    if (transfer.take) {
      takers.insert(event.role);
      demand += amount;
      continue;
    }
    total += amount;
    if (!event.afterWait && !event.repeated)
      certain += amount;
  }
  if (takers.size() < 2)
    return;
  if (repeated)
    return report(Rule::poolDecides,
                  "several roles take from " + pool.name + ", and " +
                      nameOf(repeated->role) +
                      " does so in a loop; who is first can matter. Take once, "
                      "before the loops",
                  repeated->step->location);
  if (demand <= certain || demand > total)
    return;
  report(Rule::poolDecides,
         "several roles take from " + pool.name + ": " + Twine(demand) +
             " in all, " + Twine(certain) + " are there before a warp waits, " +
             Twine(total) +
             " later; which is first can matter. Give before the first wait",
         pool.location);
}

void Checker::checkRelinquish(const Pool &pool, llvm::ArrayRef<Event> transfers,
                              llvm::ArrayRef<Event> relinquishes) {
  for (const Event &relinquish : relinquishes)
    for (const Event &event : transfers) {
      if (!std::get<Transfer>(event.step->what).take)
        continue;
      bool before = event.role == relinquish.role &&
                    event.order < relinquish.order && !relinquish.repeated;
      if (!before)
        return report(Rule::noTakeAfterRelinquish,
                      nameOf(event.role) + " can take from " + pool.name +
                          " after " + nameOf(relinquish.role) +
                          " has given up the right to; relinquish after the "
                          "last take, in the same role",
                      event.step->location);
    }
}

void Checker::checkShared(const Pool &pool, llvm::ArrayRef<Event> transfers) {
  if (!pool.shared)
    return;
  const Event *take = nullptr;
  for (const Event &event : transfers) {
    if (!std::get<Transfer>(event.step->what).take)
      continue;
    if (take || event.repeated)
      return report(Rule::takesOnceFromSharedPool,
                    nameOf(event.role) + " takes from " + pool.name +
                        " more than once; while it holds some, another CTA "
                        "that does the same can hold the rest. Take all at "
                        "once",
                    event.step->location);
    take = &event;
  }
  if (!take)
    return;
  const Event *early = nullptr, *wait = nullptr;
  for (const Event &launch : facts.launches) {
    bool ordered = launch.role == take->role;
    if (std::get<Launch>(launch.step->what).wait) {
      if (!ordered || launch.order > take->order)
        wait = &launch;
    } else if (!ordered || launch.order < take->order || launch.repeated) {
      early = &launch;
    }
  }
  if (early && wait)
    report(Rule::noTakeBeforeLaunchWait,
           nameOf(take->role) + " takes from " + pool.name +
               " before the launch wait of " + nameOf(wait->role) + ", and " +
               nameOf(early->role) +
               " lets the dependents start before that take; the dependent "
               "kernel can then hold what this one needs. Let them start "
               "after the take, in the same role",
           take->step->location);
}

std::vector<Breach> Checker::check() {
  for (auto [pipe, fillings] : llvm::zip(network.pipes, facts.fillings))
    checkPipe(pipe, fillings);
  for (auto [barrier, members] : llvm::zip(network.barriers, facts.members))
    checkBarrier(barrier, members);
  for (auto [pool, transfers, relinquishes] :
       llvm::zip(network.pools, facts.transfers, facts.relinquishes)) {
    checkDemand(pool, transfers);
    checkRelinquish(pool, transfers, relinquishes);
    checkShared(pool, transfers);
  }
  return std::move(breaches);
}

std::vector<Breach>
drawloom::progress::checkSideConditions(const Network &network) {
  return Checker(network).check();
}
