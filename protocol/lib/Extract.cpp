//===- Extract.cpp - Takes the protocol of a kernel from its PTX ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Protocol/Claims.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::protocol;
using Kind = Event::Kind;

namespace {

/// What a path has done at a barrier.
struct Seen {
  /// Parities, or -1.
  int8_t firstParity = -1, lastParity = -1;
  uint32_t arrived = 0; ///< Lanes.
  /// Lines that arrived since the path last waited for anything.
  uint8_t run = 0;
  uint32_t lastWait = 0, lastArrival = 0, lastExpectation = 0;
};

/// Adds what a path does to the claims.
class Collector : public Monitor {
public:
  Collector(Claims &claims, WarpId warp, Paths &paths, bool hasGraph)
      : claims(claims), warp(warp), paths(paths), hasGraph(hasGraph) {}
  std::unique_ptr<Monitor> clone() const override {
    return std::make_unique<Collector>(*this);
  }
  void appendKey(std::string &key) const override {
    // Lines and lengths of runs are not worth paths of their own.
    for (const auto &[id, state] : seen) {
      key.append(reinterpret_cast<const char *>(&id.rank), sizeof(id.rank));
      key.append(reinterpret_cast<const char *>(&id.byte), sizeof(id.byte));
      key.push_back(static_cast<char>(state.firstParity));
      key.push_back(static_cast<char>(state.lastParity));
      uint32_t arrived = state.firstParity < 0 ? state.arrived : 0;
      key.append(reinterpret_cast<const char *>(&arrived), sizeof(arrived));
    }
  }
  llvm::Error see(const Event &event) override;
  bool isDone() const override { return done; }
  void reach(unsigned state, uint32_t mask) override {
    unsigned node = paths.nodeOf(state);
    paths.connect(at, node, mask);
    at = node;
  }
  llvm::Error end(uint32_t mask) override {
    paths.end(at, mask);
    return llvm::Error::success();
  }

private:
  Part &addPart(const Event &event, Barrier &barrier);
  void wait(const Event &event, Barrier &barrier, Part &part);
  void arrive(const Event &event, Barrier &barrier);
  void step(const Event &event, Step::Kind kind, int64_t number) {
    at = paths.append(at, {kind, {event.rank, event.barrier}, number},
                      event.line, event.mask, event.path);
  }

  Claims &claims;
  WarpId warp;
  Paths &paths;
  bool hasGraph;
  unsigned at = 0; ///< The node of `paths`.
  std::map<BarrierId, Seen> seen;
  bool done = false;
};

} // namespace

Part &Collector::addPart(const Event &event, Barrier &barrier) {
  Part &part = barrier.parts[{event.kind, event.line}];
  part.kind = event.kind;
  part.line = event.line;
  if (part.mnemonic.empty())
    part.mnemonic = event.instruction->variant->mnemonic();
  part.who[warp] |= event.mask;
  // Of a parity, the lowest bit counts.
  if (event.kind == Kind::Wait)
    part.numbers.insert(event.count & 1);
  else if (event.kind != Kind::Copy || event.count)
    part.numbers.insert(event.count);
  return part;
}

void Collector::wait(const Event &event, Barrier &barrier, Part &part) {
  Seen &state = seen[{event.rank, event.barrier}];
  auto parity = static_cast<int8_t>(event.count & 1);
  step(event, Step::Kind::Wait, parity);
  if (state.firstParity < 0) {
    state.firstParity = parity;
    part.firstParities.insert(parity);
    part.firstLanes[warp] |= event.mask;
    part.earlyLanes[warp] |= event.mask & ~state.arrived;
    for (const auto &[id, other] : seen)
      if (other.arrived || other.firstParity >= 0)
        part.arrivedBefore.insert(id);
  } else if (state.lastParity == parity) {
    part.repeats = true;
  } else {
    part.follows = true;
    part.followsOther |= state.lastWait != event.line;
    barrier.alternates = true;
  }
  state.lastParity = parity;
  state.lastWait = event.line;
  for (auto &[id, other] : seen)
    other.run = 0;
}

void Collector::arrive(const Event &event, Barrier &barrier) {
  Seen &state = seen[{event.rank, event.barrier}];
  step(event, Step::Kind::Arrive, event.kind == Kind::Arrive ? event.count : 1);
  state.arrived |= event.mask;
  if (state.run == 0 || state.lastArrival != event.line)
    state.run = std::min(state.run + 1, 7);
  state.lastArrival = event.line;
  unsigned &longest = barrier.longestRun[warp];
  longest = std::max<unsigned>(longest, state.run);
  std::array<std::set<BarrierId>, 2> waited;
  for (const auto &[other, itsState] : seen)
    if (itsState.firstParity >= 0)
      waited[itsState.firstParity].insert(other);
  auto [found, isNew] = barrier.waitedBefore.insert({warp, waited});
  for (unsigned parity = 0; !isNew && parity != 2; ++parity) {
    std::set<BarrierId> &known = found->second[parity];
    std::erase_if(known, [&](const BarrierId &other) {
      return !waited[parity].contains(other);
    });
  }
}

llvm::Error Collector::see(const Event &event) {
  switch (event.kind) {
  case Kind::Store:
  case Kind::Group:
  case Kind::GroupWait:
  case Kind::CtaBarrier:
  case Kind::ClusterBarrier:
    return llvm::Error::success();
  case Kind::Mark:
    if (hasGraph)
      step(event, Step::Kind::Mark, event.count);
    return llvm::Error::success();
  case Kind::Trap:
    paths.end(at, event.mask);
    return llvm::Error::success();
  case Kind::Product:
    for (const Event::Read &read : event.reads)
      for (unsigned rank : {event.rank, event.rank ^ 1u})
        if (rank == event.rank || event.isOfPair) {
          int64_t &bytes = claims.reads[{rank, read.address}][read.layout];
          bytes = std::max(bytes, read.bytes);
        }
    return llvm::Error::success();
  default:
    break;
  }
  std::string mnemonic = event.instruction->variant->mnemonic();
  if (!event.isKnown && event.isCounted) {
    // A counter was followed up to here.
    claims.isCounted = done = true;
    return llvm::Error::success();
  }
  if (event.kind == Kind::Other || !event.isKnown) {
    claims.unfollowed.insert(
        {event.line, mnemonic,
         event.kind == Kind::Other
             ? "this instruction isn't followed"
             : "its barrier or its number depends on what isn't known"});
    return llvm::Error::success();
  }
  if (event.rank >= claims.ctas()) {
    claims.unfollowed.insert(
        {event.line, mnemonic,
         llvm::formatv("it is about CTA {0}, and the cluster has {1}",
                       event.rank, claims.ctas())});
    return llvm::Error::success();
  }
  BarrierId id = {event.rank, event.barrier};
  Barrier &barrier = claims.barriers[id];
  Part &part = addPart(event, barrier);
  switch (event.kind) {
  case Kind::Wait:
    wait(event, barrier, part);
    break;
  case Kind::Expect:
    seen[id].lastExpectation = event.line;
    break;
  case Kind::Arrive:
  case Kind::ArriveExpect:
  case Kind::Commit:
  case Kind::CopyArrive:
    if (event.kind == Kind::ArriveExpect)
      seen[id].lastExpectation = event.line;
    if (event.kind != Kind::CopyArrive || event.count)
      arrive(event, barrier);
    break;
  case Kind::Copy:
    if (hasGraph && event.rank != warp.rank)
      step(event, Step::Kind::Copy, 0);
    if (event.address < 0) {
      part.knowsTargets = false;
      break;
    }
    part.targets.insert({event.addressRank, event.address});
    if (auto found = seen.find(id); found != seen.end())
      for (Kind kind : {Kind::ArriveExpect, Kind::Expect})
        if (auto at = barrier.parts.find({kind, found->second.lastExpectation});
            at != barrier.parts.end())
          at->second.targets.insert({event.addressRank, event.address});
    break;
  default:
    break;
  }
  return llvm::Error::success();
}

static unsigned multiply(llvm::ArrayRef<int64_t> values) {
  unsigned product = 1;
  for (int64_t value : values)
    product *= static_cast<unsigned>(value);
  return product;
}

/// What the kernel's directives say.
static void readDirectives(const ptx::Function &kernel, unsigned &threads,
                           std::array<unsigned, 3> &cluster) {
  if (!kernel.prototype)
    return;
  unsigned most = 0;
  for (const ptx::Directive &directive : kernel.prototype->directives) {
    if (directive.kind == ptx::DirectiveKind::ReqNTid && !threads)
      threads = multiply(directive.values);
    if (directive.kind == ptx::DirectiveKind::MaxNTid)
      most = multiply(directive.values);
    if (directive.kind == ptx::DirectiveKind::ReqNCtaPerCluster && !cluster[0])
      for (auto [into, value] : llvm::zip(cluster, directive.values))
        into = static_cast<unsigned>(value);
  }
  if (!threads)
    threads = most;
  for (unsigned &extent : cluster)
    extent = std::max(extent, 1u);
}

/// Adds what a warp does.
static llvm::Error follow(const ptx::Function &kernel, WarpId id,
                          const WalkOptions &options, bool hasGraph,
                          StoredBytes &stored, Claims &claims) {
  auto walk = Walk::create(kernel, options);
  if (!walk)
    return walk.takeError();
  (*walk)->share(stored);
  auto paths = std::make_shared<Paths>();
  claims.paths[id] = paths;
  if (llvm::Error error = (*walk)->run(
          id.warp, std::make_unique<Collector>(claims, id, *paths, hasGraph)))
    claims.unfollowed.insert(
        {0, "", llvm::toString(std::move(error)) + " (--states)"});
  claims.counters.insert((*walk)->getGivenUp().begin(),
                         (*walk)->getGivenUp().end());
  claims.countedTo = options.valueLimit;
  return llvm::Error::success();
}

llvm::Expected<Claims> protocol::extract(const ptx::Function &kernel,
                                         const ExtractOptions &options) {
  Claims claims;
  claims.kernel = kernel.name.str();
  claims.threads = options.threads;
  claims.cluster = options.cluster;
  readDirectives(kernel, claims.threads, claims.cluster);
  if (claims.threads == 0)
    return llvm::createStringError(
        "'" + kernel.name +
        "' has neither .reqntid nor .maxntid; say how many threads a CTA has");
  if (claims.threads > 1024 || claims.ctas() > 16)
    return llvm::createStringError(llvm::formatv(
        "'{0}' would have {1} threads in a CTA and {2} CTAs in a cluster; at "
        "most 1024 and 16 are possible",
        kernel.name, claims.threads, claims.ctas()));
  const Claims nothing = claims;
  unsigned warps = (claims.threads + lanesOfWarp - 1) / lanesOfWarp;

  // What warps tell each other in shared memory is known after a round in
  // which nothing is added to it.
  StoredBytes stored;
  for (unsigned round = 0; round != 4; ++round) {
    claims = nothing;
    auto before = stored.values;
    for (unsigned rank = 0; rank != claims.ctas(); ++rank)
      for (unsigned warp = 0; warp != warps; ++warp) {
        WalkOptions walkOptions;
        walkOptions.threads = claims.threads;
        walkOptions.rank = rank;
        walkOptions.cluster = claims.cluster;
        walkOptions.stateLimit = options.stateLimit;
        walkOptions.followsLanes = true;
        Claims start = claims;
        if (llvm::Error error = follow(kernel, {rank, warp}, walkOptions,
                                       options.hasGraph, stored, claims))
          return error;
        if (claims.unfollowed == start.unfollowed)
          continue;
        // A second try that knows more, if it comes to an end.
        walkOptions.learnsEqual = true;
        Claims second = start;
        if (llvm::Error error = follow(kernel, {rank, warp}, walkOptions,
                                       options.hasGraph, stored, second))
          return error;
        if (second.unfollowed == start.unfollowed)
          claims = std::move(second);
      }
    if (!stored.isUsed || stored.values == before)
      break;
  }
  // Counters that no barrier depends on don't matter.
  if (!claims.isCounted)
    claims.counters.clear();
  return claims;
}
