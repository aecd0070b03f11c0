//===- Extract.cpp - Takes the protocol of a kernel from its PTX ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decisions.h"
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
  /// Bytes that are expected and not yet copied, since the path last waited for
  /// anything: a number, and the tensor maps of copies by their lines.
  int64_t owed = 0;
  std::set<std::pair<uint32_t, std::pair<int, int64_t>>> maps = {};
  std::set<uint32_t> lines = {};
  bool isOwed() const { return !lines.empty(); }
};

/// Adds what a path does to the claims.
class Collector : public Monitor {
public:
  Collector(Claims &claims, WarpId warp, Paths &paths,
            const ExtractOptions &options)
      : claims(claims), warp(warp), paths(paths), options(options),
        hasGraph(options.hasGraph) {}
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
      key.append(reinterpret_cast<const char *>(&state.owed),
                 sizeof(state.owed));
      for (const auto &[line, map] : state.maps)
        key.append(reinterpret_cast<const char *>(&line), sizeof(line));
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
    settle();
    paths.end(at, mask);
    return llvm::Error::success();
  }

private:
  Part &addPart(const Event &event, Barrier &barrier);
  void wait(const Event &event, Barrier &barrier, Part &part);
  void arrive(const Event &event, Barrier &barrier);
  /// Something about other barriers than mbarriers. False if it is none of it.
  bool order(const Event &event);
  /// Something about no barrier. False if it is none of it.
  bool note(const Event &event);
  /// Whether it is known which mbarrier an event is about; says so if it isn't.
  bool isFollowed(const Event &event);
  unsigned numberOf(const Decision &decision);
  void expect(const Event &event);
  void copy(const Event &event, Barrier &barrier, Part &part);
  /// Before the path waits, what it has expected has to be on its way.
  void settle();
  void step(const Event &event, Step::Kind kind, int64_t number) {
    at = paths.append(at, {kind, {event.rank, event.barrier}, number},
                      event.line, event.mask, event.path);
  }

  Claims &claims;
  WarpId warp;
  Paths &paths;
  const ExtractOptions &options;
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

void Collector::settle() {
  for (auto &[id, state] : seen) {
    if (!state.isOwed())
      continue;
    int64_t owed = state.owed;
    std::set<uint32_t> lines = std::move(state.lines), copies;
    bool isKnown = true;
    for (auto [line, map] : state.maps) {
      auto box = options.boxes.find(map);
      isKnown &= box != options.boxes.end();
      copies.insert(line);
      owed -= box != options.boxes.end() ? box->second : 0;
    }
    state.owed = 0;
    state.maps.clear();
    state.lines.clear();
    if (isKnown && owed == 0)
      continue;
    // Copies of other warps may make up for it.
    if (copies.empty() || copies == lines || isKnown)
      claims.assumptions.insert({"bytes",
                                 "copies bring the bytes that are expected",
                                 std::move(lines)});
    else
      claims.assumptions.insert(
          {"boxes",
           llvm::formatv("{0} of {1} bytes{2}",
                         copies.size() == 1 ? "the tensor map has a box"
                                            : "the tensor maps have boxes",
                         owed, copies.size() == 1 ? "" : " together"),
           std::move(copies)});
  }
}

void Collector::expect(const Event &event) {
  Seen &state = seen[{event.rank, event.barrier}];
  state.lastExpectation = event.line;
  if (hasGraph)
    return;
  // What is expected apart from an arrival may be so too late.
  if (event.kind == Kind::Expect)
    claims.assumptions.insert(
        {"bytes", "copies bring the bytes that are expected", {event.line}});
  state.owed += event.count * llvm::popcount(event.mask);
  state.lines.insert(event.line);
}

void Collector::copy(const Event &event, Barrier &barrier, Part &part) {
  BarrierId id = {event.rank, event.barrier};
  if (hasGraph && event.rank != warp.rank)
    step(event, Step::Kind::Copy, 0);
  if (!hasGraph) {
    Seen &state = seen[id];
    state.lines.insert(event.line);
    // Boxes are those of whole tiles, and a line has one map.
    bool isTensor =
        event.instruction->opcode() == ptx::Opcode::CpAsyncBulkTensor;
    bool isTile = !llvm::StringRef(part.mnemonic).contains("im2col") &&
                  !llvm::StringRef(part.mnemonic).contains("gather");
    bool isOne = llvm::popcount(event.mask) == 1;
    if (!isTensor && event.count)
      state.owed -= event.count * llvm::popcount(event.mask);
    else if (isTensor && isTile && isOne && event.map >= 0 &&
             state.maps.insert({event.line, {event.map, event.mapAt}}).second)
      ;
    else
      claims.assumptions.insert(
          {"bytes", "copies bring the bytes that are expected", {event.line}});
  }
  if (event.address < 0) {
    part.knowsTargets = false;
    return;
  }
  part.targets.insert({event.addressRank, event.address});
  if (auto found = seen.find(id); found != seen.end())
    for (Kind kind : {Kind::ArriveExpect, Kind::Expect})
      if (auto at = barrier.parts.find({kind, found->second.lastExpectation});
          at != barrier.parts.end())
        at->second.targets.insert({event.addressRank, event.address});
}

unsigned Collector::numberOf(const Decision &decision) {
  std::string text = decision.text;
  // CTAs of a cluster stand at different places.
  if (claims.ctas() > 1 && llvm::StringRef(text).contains('%'))
    text += llvm::formatv(" in CTA {0}", warp.rank);
  std::pair<std::string, bool> wanted = {text, decision.isInvariant};
  auto found = llvm::find(claims.decisions, wanted);
  if (found == claims.decisions.end())
    found = claims.decisions.insert(found, wanted);
  return found - claims.decisions.begin();
}

bool Collector::order(const Event &event) {
  auto add = [&](Step::Kind kind, int64_t byte, int64_t number) {
    at = paths.append(at, {kind, {event.rank, byte}, number}, event.line,
                      event.mask, event.path);
  };
  switch (event.kind) {
  case Kind::NamedBarrier:
    if (!event.isKnown) {
      claims.unfollowed.insert({event.line,
                                event.instruction->variant->mnemonic(),
                                "its number isn't known, or for how many "
                                "threads it is"});
      return true;
    }
    if (event.waits)
      settle();
    add(event.waits ? Step::Kind::Sync : Step::Kind::Come, event.barrier,
        event.count);
    return true;
  case Kind::ClusterArrive:
    add(Step::Kind::ClusterArrive, 0, 0);
    return true;
  case Kind::ClusterWait:
    settle();
    add(Step::Kind::ClusterWait, 0, 0);
    return true;
  case Kind::WarpBarrier:
    settle();
    add(Step::Kind::Together, warp.warp,
        static_cast<int64_t>(event.line) << 32 | event.members);
    return true;
  case Kind::Registers:
    if (event.waits)
      settle();
    add(event.waits ? Step::Kind::TakeRegisters : Step::Kind::GiveRegisters, 0,
        event.count);
    return true;
  case Kind::Allocate:
    settle();
    add(Step::Kind::Allocate, 0, 0);
    return true;
  case Kind::Decide:
    at = paths.append(at,
                      {Step::Kind::Decide,
                       {},
                       int64_t(numberOf(*event.decision)) * 2 + event.count},
                      event.line, event.mask, event.path);
    return true;
  default:
    return false;
  }
}

void Collector::wait(const Event &event, Barrier &barrier, Part &part) {
  settle();
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

bool Collector::note(const Event &event) {
  switch (event.kind) {
  case Kind::Store:
  case Kind::Group:
  case Kind::GroupWait:
  case Kind::CtaBarrier:
  case Kind::ClusterBarrier:
    return true;
  case Kind::Mark:
    if (hasGraph)
      step(event, Step::Kind::Mark, event.count);
    return true;
  case Kind::Trap:
    paths.end(at, event.mask);
    return true;
  case Kind::Mma:
    for (const Event::Read &read : event.reads)
      for (unsigned rank : {event.rank, event.rank ^ 1u})
        if (rank == event.rank || event.isOfPair) {
          int64_t &bytes = claims.reads[{rank, read.address}][read.layout];
          bytes = std::max(bytes, read.bytes);
        }
    return true;
  default:
    return false;
  }
}

bool Collector::isFollowed(const Event &event) {
  std::string mnemonic = event.instruction->variant->mnemonic();
  if (!event.isKnown && event.isCounted) {
    // A counter was followed up to here.
    claims.isCounted = done = true;
    return false;
  }
  if (event.kind == Kind::Other || !event.isKnown) {
    claims.unfollowed.insert(
        {event.line, mnemonic,
         event.kind == Kind::Other
             ? "this instruction isn't followed"
             : "its barrier or its number depends on what isn't known"});
    return false;
  }
  if (event.rank >= claims.ctas()) {
    claims.unfollowed.insert(
        {event.line, mnemonic,
         llvm::formatv("it is about CTA {0}, and the cluster has {1}",
                       event.rank, claims.ctas())});
    return false;
  }
  return true;
}

llvm::Error Collector::see(const Event &event) {
  if (order(event) || note(event) || !isFollowed(event))
    return llvm::Error::success();
  BarrierId id = {event.rank, event.barrier};
  Barrier &barrier = claims.barriers[id];
  Part &part = addPart(event, barrier);
  switch (event.kind) {
  case Kind::Init:
  case Kind::Invalidate:
    if (!hasGraph)
      step(event,
           event.kind == Kind::Init ? Step::Kind::Init : Step::Kind::Invalidate,
           event.count);
    break;
  case Kind::Wait:
    wait(event, barrier, part);
    break;
  case Kind::Expect:
    expect(event);
    break;
  case Kind::Arrive:
  case Kind::ArriveExpect:
  case Kind::Commit:
  case Kind::CopyArrive:
    if (event.kind == Kind::ArriveExpect)
      expect(event);
    if (event.kind != Kind::CopyArrive || event.count)
      arrive(event, barrier);
    break;
  case Kind::Copy:
    copy(event, barrier, part);
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
                           std::array<unsigned, 3> &cluster,
                           unsigned &registers) {
  if (!kernel.prototype)
    return;
  unsigned most = 0;
  for (const ptx::Directive &directive : kernel.prototype->directives) {
    if (directive.kind == ptx::DirectiveKind::ReqNTid && !threads)
      threads = multiply(directive.values);
    if (directive.kind == ptx::DirectiveKind::MaxNReg)
      registers = static_cast<unsigned>(directive.values.front());
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

/// What may keep a warp waiting and is no barrier.
static void addAssumptions(const ptx::Function &kernel,
                           const Decisions &decisions, Claims &claims) {
  using ptx::Opcode;
  auto assume = [&](const char *rule, const char *words,
                    llvm::ArrayRef<Opcode> opcodes) {
    std::set<uint32_t> lines;
    for (const ptx::Instruction &one : kernel.instructions)
      if (llvm::is_contained(opcodes, one.opcode()))
        lines.insert(one.line);
    if (!lines.empty())
      claims.assumptions.insert({rule, words, std::move(lines)});
  };
  if (!decisions.endless.empty())
    claims.assumptions.insert(
        {"loops",
         decisions.endless.size() == 1 ? "the loop ends" : "the loops end",
         decisions.endless});
  assume("calls", "what is called returns, and uses no barrier",
         {Opcode::Call});
  assume("dependent-launch", "the grids before this one end",
         {Opcode::GriddepcontrolWait});
  assume("bytes", "copies bring the bytes that are expected",
         {Opcode::CpReduceAsyncBulk, Opcode::MultimemCpReduceAsyncBulk});
}

/// Adds what a warp does.
static llvm::Error follow(const ptx::Function &kernel, WarpId id,
                          const WalkOptions &options,
                          const ExtractOptions &extractOptions,
                          StoredBytes &stored, Claims &claims) {
  auto walk = Walk::create(kernel, options);
  if (!walk)
    return walk.takeError();
  (*walk)->share(stored);
  auto paths = std::make_shared<Paths>();
  claims.paths[id] = paths;
  if (llvm::Error error =
          (*walk)->run(id.warp, std::make_unique<Collector>(claims, id, *paths,
                                                            extractOptions)))
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
  readDirectives(kernel, claims.threads, claims.cluster, claims.registers);
  if (claims.threads == 0)
    return llvm::createStringError(
        "'" + kernel.name +
        "' has neither .reqntid nor .maxntid; say how many threads a CTA has");
  if (claims.threads > 1024 || claims.ctas() > 16)
    return llvm::createStringError(llvm::formatv(
        "'{0}' would have {1} threads in a CTA and {2} CTAs in a cluster; at "
        "most 1024 and 16 are possible",
        kernel.name, claims.threads, claims.ctas()));
  Decisions decisions;
  if (!options.hasGraph)
    decisions = findDecisions(kernel);
  addAssumptions(kernel, decisions, claims);
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
        walkOptions.order = options.hasGraph ? nullptr : &decisions;
        Claims start = claims;
        if (llvm::Error error = follow(kernel, {rank, warp}, walkOptions,
                                       options, stored, claims))
          return error;
        if (claims.unfollowed == start.unfollowed)
          continue;
        // A second try that knows more, if it ends.
        walkOptions.learnsEqual = true;
        Claims second = start;
        if (llvm::Error error = follow(kernel, {rank, warp}, walkOptions,
                                       options, stored, second))
          return error;
        if (second.unfollowed == start.unfollowed)
          claims = std::move(second);
      }
    if (!stored.isUsed || stored.values == before)
      break;
  }
  if (!stored.readers.empty())
    claims.assumptions.insert(
        {"shared-memory",
         "what is read from shared memory was stored where the check saw it",
         stored.readers});
  // Counters that no barrier depends on don't matter.
  if (!claims.isCounted)
    claims.counters.clear();
  return claims;
}
