//===- Fit.cpp - What of a protocol cannot fit together -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each rule is about one barrier, and about all sizes: it fires only where no
// run can be right. The walk takes paths that no run takes, where two branches
// on the same unknown disagree; so what counts is what all paths do. A row of
// docs/Checker.md is about each rule.

#include "drawloom/Protocol/Claims.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::protocol;
using Kind = Event::Kind;

static constexpr unsigned warpsOfGroup = 4;

static bool isArrival(Kind kind) {
  return kind == Kind::Arrive || kind == Kind::ArriveExpect ||
         kind == Kind::Commit || kind == Kind::CopyArrive;
}

namespace {

class Judge {
public:
  explicit Judge(const Claims &claims) : claims(claims) {
    for (const Unfollowed &one : claims.unfollowed) {
      llvm::StringRef mnemonic = one.mnemonic;
      // Barriers of the CTA say nothing of mbarriers.
      if (mnemonic.starts_with("bar"))
        continue;
      isPartial |= mnemonic.empty();
      mayMissInits |= mnemonic.empty() || mnemonic.starts_with("mbarrier.init");
      mayMissArrivals |=
          mnemonic.empty() || !(mnemonic.contains("_wait") ||
                                mnemonic.starts_with("mbarrier.init") ||
                                mnemonic.starts_with("mbarrier.inval"));
    }
  }
  std::vector<Misfit> judge();

private:
  void add(const char *rule, BarrierId id, uint32_t line, std::string title,
           std::string why, std::string advice) {
    misfits.push_back(
        {rule, id, line, std::move(title), std::move(why), std::move(advice)});
  }
  bool mayEndBefore(const std::pair<Kind, uint32_t> &line) const;
  void checkSetUp(BarrierId id, const Barrier &barrier);
  void checkCount(BarrierId id, const Barrier &barrier);
  std::map<BarrierId, int64_t> getRooms(const Barrier &barrier) const;
  void checkBytes(BarrierId id, const Barrier &barrier);
  void checkExpectation(BarrierId id, const Part &part, const Part &copy,
                        bool hasMaps, const std::map<BarrierId, int64_t> &rooms,
                        const std::set<BarrierId> &rest);
  void checkParity(BarrierId id, const Barrier &barrier);
  void checkFirstRound(BarrierId id, const Barrier &barrier);
  std::set<BarrierId> neededBy(const Barrier &barrier, unsigned parity) const;
  /// Whether those who arrive there wait before, for the first phase of a
  /// barrier at which those of the other arrive.
  bool waitsForOther(const Barrier &barrier, const Barrier &other) const;
  int64_t countOthers(const Barrier &barrier, const Part &without) const;

  const Claims &claims;
  /// Whether something that wasn't followed may set up a barrier, or arrive.
  bool mayMissInits = false, mayMissArrivals = false;
  /// Whether a warp was given up.
  bool isPartial = false;
  std::vector<Misfit> misfits;
};

} // namespace

static std::string listNumbers(const std::set<int64_t> &numbers) {
  return llvm::join(
      llvm::map_range(numbers, [](int64_t n) { return std::to_string(n); }),
      ", ");
}

static const Part *findFirst(const Barrier &barrier, Kind kind) {
  for (const auto &[key, part] : barrier.parts)
    if (key.first == kind)
      return &part;
  return nullptr;
}

/// Whether a line that uses this barrier uses one that is set up, too, and goes
/// from one to the next by a counter without a bound: a run may end before it
/// leaves those that are set up.
bool Judge::mayEndBefore(const std::pair<Kind, uint32_t> &line) const {
  return claims.isCounted &&
         llvm::any_of(claims.barriers, [&](const auto &entry) {
           const Barrier &other = entry.second;
           return other.has(Kind::Init) && other.parts.contains(line);
         });
}

void Judge::checkSetUp(BarrierId id, const Barrier &barrier) {
  const Part *init = findFirst(barrier, Kind::Init);
  const Part *used = nullptr;
  for (const auto &[key, part] : barrier.parts)
    if (key.first != Kind::Init && !used && !mayEndBefore(key))
      used = &part;
  if (!init && used && !mayMissInits)
    add("uninitialized-mbarrier", id, used->line,
        "mbarrier used but never initialized",
        llvm::formatv("{0} uses it, and no mbarrier.init does", used->mnemonic),
        "mbarrier.init for it, or the byte of one that is set up");
  if (!init || barrier.has(Kind::Invalidate))
    return;
  std::set<int64_t> counts = barrier.numbersOf(Kind::Init);
  if (counts.size() > 1)
    add("two-counts", id, init->line,
        "mbarrier initialized with more than one count",
        "it is set up for " + listNumbers(counts) + " arrivals",
        "one mbarrier.init, or mbarrier.inval between them");
  bool isWaitedFor = barrier.has(Kind::Wait);
  bool arrives = llvm::any_of(barrier.parts, [](const auto &part) {
    return isArrival(part.first.first);
  });
  if (isWaitedFor && !arrives && !mayMissArrivals) {
    const Part *wait = findFirst(barrier, Kind::Wait);
    add("no-arrivals", id, wait->line, "wait on an mbarrier with no arrivals",
        "no arrive, commit or copy names it", "an arrival, or no wait");
  }
}

/// "4", "32 or 64", "32 to 256"
static std::string describeSums(const std::set<int64_t> &sums) {
  if (sums.size() > 2)
    return llvm::formatv("{0} to {1}", *sums.begin(), *sums.rbegin());
  return sums.size() == 1
             ? std::to_string(*sums.begin())
             : llvm::formatv("{0} or {1}", *sums.begin(), *sums.rbegin()).str();
}

void Judge::checkCount(BarrierId id, const Barrier &barrier) {
  std::set<int64_t> counts = barrier.numbersOf(Kind::Init);
  if (counts.size() != 1 || mayMissArrivals)
    return;
  int64_t count = *counts.begin();
  // Warps that arrive on the same lines do so together, or warpgroup by
  // warpgroup.
  std::map<WarpId, std::set<uint32_t>> lines;
  std::map<WarpId, uint32_t> lanes;
  std::map<WarpId, int64_t> times;
  for (const auto &[key, part] : barrier.parts) {
    if (!isArrival(key.first))
      continue;
    int64_t each = 1;
    if (key.first == Kind::Arrive || key.first == Kind::CopyArrive)
      each = *part.numbers.rbegin();
    if (each == 0)
      continue;
    for (auto [warp, mask] : part.who) {
      lines[warp].insert(key.second);
      lanes[warp] |= mask;
      times[warp] = std::max(times[warp], each);
    }
  }
  if (lines.empty())
    return;
  std::map<std::pair<unsigned, std::set<uint32_t>>, std::vector<WarpId>> groups;
  for (const auto &[warp, itsLines] : lines)
    groups[{warp.rank, itsLines}].push_back(warp);
  std::set<int64_t> sums = {0};
  std::string terms;
  for (const auto &[key, warps] : groups) {
    std::map<unsigned, int64_t> byWarpgroup;
    int64_t total = 0, run = 1;
    for (const WarpId &warp : warps) {
      int64_t arrivals = llvm::popcount(lanes[warp]) * times[warp];
      byWarpgroup[warp.warp / warpsOfGroup] += arrivals;
      total += arrivals;
      if (auto found = barrier.longestRun.find(warp);
          found != barrier.longestRun.end())
        run = std::max<int64_t>(run, found->second);
    }
    std::set<int64_t> amounts;
    for (int64_t k = 1; k <= run; ++k) {
      amounts.insert(k * total);
      for (auto [group, part] : byWarpgroup)
        amounts.insert(k * part);
    }
    terms += llvm::formatv("{0}{1} from {2} warp{3} (line {4})",
                           terms.empty() ? "" : ", ", total, warps.size(),
                           warps.size() == 1 ? "" : "s", *key.second.begin());
    std::set<int64_t> more = sums;
    for (int64_t sum : sums)
      for (int64_t amount : amounts)
        more.insert(sum + amount);
    sums = std::move(more);
  }
  sums.erase(0);
  if (sums.contains(count))
    return;
  const Part *init = findFirst(barrier, Kind::Init);
  int64_t nearest =
      *std::min_element(sums.begin(), sums.end(), [&](int64_t a, int64_t b) {
        return std::abs(a - count) < std::abs(b - count);
      });
  add("count", id, init->line,
      llvm::formatv("mbarrier initialized with count {0}, but each phase gets "
                    "{1} arrivals",
                    count, describeSums(sums)),
      "a phase has arrivals of lanes: " + terms,
      llvm::formatv("mbarrier.init with {0}, or {1} arrivals", nearest, count));
}

/// How many bytes there are from each target of the barrier's copies to the
/// next one that these lines fill; after the last one, as many as a slot of the
/// same line has, and to the next barrier. Without those that aren't known.
std::map<BarrierId, int64_t> Judge::getRooms(const Barrier &barrier) const {
  std::set<BarrierId> all;
  std::map<uint32_t, std::set<BarrierId>> byLine;
  for (const auto &[other, itsBarrier] : claims.barriers)
    for (const auto &[key, part] : itsBarrier.parts)
      if (key.first == Kind::Copy && barrier.parts.contains(key)) {
        all.insert(part.targets.begin(), part.targets.end());
        byLine[key.second].insert(part.targets.begin(), part.targets.end());
      }
  std::map<BarrierId, int64_t> rooms;
  for (const auto &[key, part] : barrier.parts)
    for (const BarrierId &target : part.targets) {
      if (key.first != Kind::Copy)
        continue;
      auto next = all.upper_bound(target);
      if (next != all.end() && next->rank == target.rank) {
        rooms[target] = next->byte - target.byte;
        continue;
      }
      std::set<int64_t> ends;
      const std::set<BarrierId> &slots = byLine[key.second];
      auto at = slots.find(target);
      if (at != slots.begin() && std::prev(at)->rank == target.rank)
        ends.insert(target.byte - std::prev(at)->byte);
      auto behind = claims.barriers.upper_bound(target);
      if (behind != claims.barriers.end() && behind->first.rank == target.rank)
        ends.insert(behind->first.byte - target.byte);
      if (!ends.empty())
        rooms[target] = *ends.begin();
    }
  return rooms;
}

void Judge::checkBytes(BarrierId id, const Barrier &barrier) {
  const Part *copy = findFirst(barrier, Kind::Copy);
  const Part *expect = findFirst(barrier, Kind::ArriveExpect);
  if (!expect)
    expect = findFirst(barrier, Kind::Expect);
  if (mayMissArrivals || (!copy && !expect))
    return;
  if (copy && !expect)
    return add("unexpected-tx", id, copy->line,
               "copies complete bytes without expect_tx",
               copy->mnemonic +
                   " completes bytes on it, and no expect_tx names it",
               "mbarrier.arrive.expect_tx with the bytes of the copies");
  if (!copy) {
    int64_t expected = *expect->numbers.rbegin();
    if (expected > 0)
      add("missing-tx", id, expect->line, "expect_tx without a matching copy",
          llvm::formatv("{0} are expected, and no copy completes on it",
                        expected),
          "mbarrier.arrive without expect_tx, or the copy's barrier");
    return;
  }
  bool knowsAll = true, hasMaps = false;
  for (const auto &[key, part] : barrier.parts)
    if (key.first == Kind::Copy) {
      knowsAll &= part.knowsTargets;
      hasMaps |= part.numbers.empty();
    }
  if (!knowsAll)
    return;
  std::map<BarrierId, int64_t> rooms = getRooms(barrier);
  // What copies fill on paths that expect nothing: those of the other CTA.
  std::set<BarrierId> rest;
  for (const auto &[key, part] : barrier.parts)
    if (key.first == Kind::Copy)
      rest.insert(part.targets.begin(), part.targets.end());
  for (const auto &[key, part] : barrier.parts)
    if (key.first != Kind::Copy)
      for (const BarrierId &target : part.targets)
        rest.erase(target);
  const Part *before = nullptr;
  for (const auto &[key, part] : barrier.parts) {
    if (key.first != Kind::ArriveExpect && key.first != Kind::Expect)
      continue;
    checkExpectation(id, part, *copy, hasMaps, rooms, rest);
    // The same places are filled by the same boxes.
    if (before && before->targets == part.targets && !part.targets.empty() &&
        before->who == part.who && before->numbers != part.numbers)
      add("bytes", id, part.line, "conflicting expect_tx for the same buffer",
          llvm::formatv("line {0} expects {1}, line {2} {3}", before->line,
                        listNumbers(before->numbers), part.line,
                        listNumbers(part.numbers)),
          "the same number in both");
    before = &part;
  }
}

/// One expectation against what is copied, what has room, and what is read.
void Judge::checkExpectation(BarrierId id, const Part &part, const Part &copy,
                             bool hasMaps,
                             const std::map<BarrierId, int64_t> &rooms,
                             const std::set<BarrierId> &rest) {
  // The CTAs of a pair each expect a part. Within a CTA it is one warp.
  std::set<unsigned> ranks;
  for (const auto &[warp, mask] : part.who)
    ranks.insert(warp.rank);
  if (part.numbers.size() != 1 || ranks.size() != part.who.size())
    return;
  int64_t expected = *part.numbers.begin() * static_cast<int64_t>(ranks.size());
  std::set<BarrierId> targets = part.targets;
  targets.insert(rest.begin(), rest.end());
  if (!hasMaps) {
    int64_t copied = *copy.numbers.begin();
    if (targets.size() == 1 && copy.targets.size() == 1 &&
        copy.numbers.size() == 1 && copy.targets == targets &&
        expected != copied)
      add("bytes", id, part.line,
          llvm::formatv("{0} bytes are expected where {1} are copied", expected,
                        copied),
          llvm::formatv("{0} in line {1} copies {2} bytes", copy.mnemonic,
                        copy.line, copied),
          llvm::formatv("expect_tx of {0}", copied));
    return;
  }
  int64_t room = 0, read = 0, left = expected;
  // By how operands lie there: their bytes, and the places.
  std::map<uint64_t, std::pair<int64_t, std::set<BarrierId>>> byLayout;
  for (const BarrierId &target : targets) {
    auto found = rooms.find(target);
    if (found == rooms.end())
      return;
    room += found->second;
    // What threads put behind it is no part of it.
    int64_t filled = std::min(found->second, left);
    left -= filled;
    for (auto it = claims.reads.lower_bound(target);
         it != claims.reads.end() && it->first.rank == target.rank &&
         it->first.byte < target.byte + filled;
         ++it)
      for (const auto &[layout, bytes] : it->second) {
        byLayout[layout].first += bytes;
        byLayout[layout].second.insert(target);
      }
  }
  // Operands that lie otherwise at the same place are other reads of the same
  // bytes: the most counts.
  std::set<BarrierId> counted;
  auto isCounted = [&](const BarrierId &id) { return counted.contains(id); };
  auto operands = llvm::to_vector(llvm::make_second_range(byLayout));
  llvm::sort(operands, std::greater<>());
  for (const auto &[bytes, places] : operands)
    if (llvm::none_of(places, isCounted)) {
      read += bytes;
      counted.insert(places.begin(), places.end());
    }
  if (targets.empty())
    return;
  if (expected > room)
    add("bytes", id, part.line,
        llvm::formatv("{0} bytes are expected where {1} have room", expected,
                      room),
        llvm::formatv("from where the copies go it is {0} bytes, together, to "
                      "what other copies fill or a barrier is in",
                      room),
        llvm::formatv("expect_tx of at most {0}", room));
  else if (expected < read && read <= room)
    add("bytes", id, part.line,
        llvm::formatv("{0} bytes are expected where MMAs read {1}", expected,
                      read),
        llvm::formatv("operands of products have {0} bytes in what the copies "
                      "fill",
                      read),
        llvm::formatv("expect_tx of {0}", read));
}

void Judge::checkParity(BarrierId id, const Barrier &barrier) {
  if (isPartial)
    return;
  for (const auto &[key, part] : barrier.parts) {
    if (key.first != Kind::Wait)
      continue;
    bool startsWithOne =
        part.firstParities == std::set<int64_t>{1} && !part.followsOther;
    if (startsWithOne && barrier.has(Kind::Copy))
      add("parity", id, part.line,
          "the first wait for copied bytes doesn't wait",
          "parity 1 is that of the phase before the first, which is over from "
          "the start",
          "parity 0 the first time");
    else if (startsWithOne &&
             llvm::any_of(part.firstLanes, [&](const auto &lanes) {
               return lanes.second & ~part.earlyLanes.at(lanes.first);
             }))
      add("parity", id, part.line,
          "a wait after an arrival doesn't wait for it",
          "the same thread arrives at the barrier before, in its first phase, "
          "and waits for parity 1, which is over from the start",
          "parity 0 the first time");
    else if (part.repeats && !part.follows && barrier.alternates)
      add("parity", id, part.line, "wait for a phase that has been waited for",
          "the wait before it at this barrier has the same parity, so this one "
          "doesn't wait",
          "a parity that changes with each phase");
  }
}

std::set<BarrierId> Judge::neededBy(const Barrier &barrier,
                                    unsigned parity) const {
  std::set<BarrierId> all;
  bool isFirst = true;
  for (const auto &[warp, waited] : barrier.waitedBefore) {
    if (isFirst)
      all = waited[parity];
    else
      std::erase_if(all, [&](const BarrierId &id) {
        return !waited[parity].contains(id);
      });
    isFirst = false;
  }
  return all;
}

/// How many arrivals a phase may have without those of `without`.
int64_t Judge::countOthers(const Barrier &barrier, const Part &without) const {
  std::map<WarpId, int64_t> arrivals;
  for (const auto &[key, part] : barrier.parts)
    if (isArrival(key.first))
      for (const auto &[warp, mask] : part.who) {
        int64_t each = key.first == Kind::Arrive ? *part.numbers.rbegin() : 1;
        int64_t &most = arrivals[warp];
        most = std::max(most, each * llvm::popcount(mask));
      }
  int64_t sum = 0;
  for (const auto &[warp, count] : arrivals)
    if (!without.who.contains(warp)) {
      auto run = barrier.longestRun.find(warp);
      sum += count * (run == barrier.longestRun.end() ? 1 : run->second);
    }
  return sum;
}

/// Whether a warp arrives at both.
static bool areOfOneSide(const Barrier &one, const Barrier &other) {
  auto arrivesAt = [](const Barrier &barrier, const WarpId &warp) {
    return llvm::any_of(barrier.parts, [&](const auto &entry) {
      return isArrival(entry.first.first) && entry.second.who.contains(warp);
    });
  };
  return llvm::any_of(one.parts, [&](const auto &entry) {
    return isArrival(entry.first.first) &&
           llvm::any_of(entry.second.who, [&](const auto &warp) {
             return arrivesAt(other, warp.first);
           });
  });
}

bool Judge::waitsForOther(const Barrier &barrier, const Barrier &other) const {
  return llvm::any_of(neededBy(barrier, 0), [&](const BarrierId &id) {
    auto found = claims.barriers.find(id);
    return found != claims.barriers.end() && areOfOneSide(found->second, other);
  });
}

void Judge::checkFirstRound(BarrierId id, const Barrier &barrier) {
  if (mayMissArrivals || isPartial)
    return;
  for (const auto &[key, part] : barrier.parts) {
    if (key.first != Kind::Wait || part.firstParities.size() != 1 ||
        part.followsOther)
      continue;
    int64_t own = *part.firstParities.begin();
    // Those who arrive here have waited for the others first.
    for (const BarrierId &other : neededBy(barrier, own)) {
      auto found = claims.barriers.find(other);
      if (other == id || found == claims.barriers.end())
        continue;
      const Barrier &partner = found->second;
      std::set<int64_t> counts = partner.numbersOf(Kind::Init);
      if (counts.size() != 1)
        continue;
      std::string there = llvm::formatv("byte {0}", other.byte);
      if (own == 0 && !part.arrivedBefore.contains(other) &&
          countOthers(partner, part) < *counts.begin()) {
        add("initial-parity", id, part.line,
            "deadlock: two waits wait for each other",
            "who arrives here waits for " + there +
                " first, which lacks arrivals of who waits here: both are for "
                "the first phase",
            "parity 1 the first time for the side that finds its slot free");
        break;
      }
      // Slots of a ring that warps fill and empty themselves have one side. And
      // of two rings in opposite directions, both sides wait for free slots
      // first; then one waits for what the other has filled.
      if (own == 1 && neededBy(partner, 1).contains(id) &&
          !areOfOneSide(barrier, partner) && !waitsForOther(barrier, partner) &&
          !waitsForOther(partner, barrier)) {
        add("initial-parity", id, part.line,
            "neither side waits in the first round",
            "who arrives here and who arrives at " + there +
                " both wait for parity 1 first, which is over from the start",
            "parity 0 the first time for the side that reads");
        break;
      }
    }
  }
}

std::vector<Misfit> Judge::judge() {
  for (const auto &[id, barrier] : claims.barriers) {
    checkSetUp(id, barrier);
    checkCount(id, barrier);
    checkBytes(id, barrier);
    checkParity(id, barrier);
    checkFirstRound(id, barrier);
  }
  // The slots of a ring have the same misfit: the first one is reported.
  std::vector<Misfit> once;
  for (Misfit &one : misfits)
    if (llvm::none_of(once, [&](const Misfit &other) {
          return other.rule == one.rule && other.line == one.line &&
                 other.title == one.title;
        }))
      once.push_back(std::move(one));
  llvm::sort(once, [](const Misfit &a, const Misfit &b) {
    return std::tie(a.line, a.barrier, a.rule, a.title) <
           std::tie(b.line, b.barrier, b.rule, b.title);
  });
  return once;
}

std::vector<Misfit> protocol::fit(const Claims &claims) {
  return Judge(claims).judge();
}
