//===- FitPlans.cpp - Smaller plans where the first does not fit ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Tiles and subtiles are chosen before roles, pipes, scratch memory and
// registers exist. Only when everything has its place is it known whether a
// plan fits, and how far ahead it loads. So a copy of each program is planned.
// If something is too large, or loads run less than four slots ahead, others
// are planned with narrower subtiles, then with smaller tiles, as far as the
// program leaves them open. What is best is written into its schedule, as if
// the program had said it. If nothing fits, the program stays as it is, and the
// path says why.
//
// The plan of a copy that fits is the program's plan: it takes the program's
// place, with what the passes had to say about it. Only a path that shows the
// stages before the plan makes them once more.
//
// A plan that isn't proved deadlock-free is no plan either. Where more slots of
// a pipe would do, the proof says how many, and they are tried like a program's
// own.
//
// A cluster that the planner chose is also a try: what has no plan with it is
// planned with one CTA. And a program that asks for a second kernel gets it
// here, where its tile is known: both have the same one, so that a launch can
// compare how many work tiles they have.

#include "Helpers.h"
#include "drawloom/Analysis/AgentProgress/AgentProgress.h"
#include "drawloom/Analysis/AgentProgress/ReadVerdict.h"
#include "drawloom/Analysis/Progress/Remedy.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Dialect/Tile/IR/TooLarge.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using namespace drawloom;
using tile::Schedule;

/// With fewer slots, nothing is loaded ahead: then rather a smaller tile.
static constexpr int64_t leastAhead = 3;
/// A plan takes some milliseconds, and so does a rejection.
static constexpr int64_t mostPlans = 24;

namespace {
class FitPlans : public PassWrapper<FitPlans, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FitPlans)

  FitPlans(BuildPlans build, PlannedKernels planned)
      : build(std::move(build)), planned(std::move(planned)) {}

  StringRef getArgument() const override { return "fit-plans"; }
  StringRef getDescription() const override {
    return "Narrower subtiles and smaller tiles where the first choice does "
           "not fit";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    getPasses({}).getDependentDialects(registry);
  }

  void runOnOperation() override;

private:
  /// How planning a copy of a program ended.
  struct Outcome {
    /// What was asked for.
    Schedule asked;
    Smaller smaller;

    bool fits = false;
    /// It doesn't, and something smaller may.
    bool isTooLarge = false;
    /// It is planned, and not proved deadlock-free. Neither would a smaller one
    /// be: the same roles wait for each other.
    bool isUnproved = false;
    /// Slots of a pipe with which it is proved.
    std::optional<std::pair<std::string, int64_t>> remedy;
    /// The first error.
    std::string error;
    /// As far as it was chosen; nothing if not even a tile was.
    std::optional<Schedule> schedule;
    /// The fewest slots of a pipe that is loaded ahead, as far as more are any
    /// use.
    int64_t ahead = plan::wantedAhead;
    /// Whether a pipe of subtiles has fewer slots than its kind.
    bool isCramped = false;
    /// What was planned, as far as it came, and the messages of the passes.
    OwningOpRef<ModuleOp> plan;
    std::vector<Diagnostic> messages;

    bool isRoomy() const { return ahead == plan::wantedAhead && !isCramped; }
    bool isBetterThan(const Outcome &other) const {
      return fits && std::tuple(true, ahead, !isCramped) >
                         std::tuple(other.fits, other.ahead, !other.isCramped);
    }
    /// What is wrong with it: "does not fit: ...".
    std::string why() const;
    /// The same of the plan with the widest subtiles.
    std::string whyWide;
  };

  OpPassManager getPasses(Smaller smaller) const {
    OpPassManager passes(ModuleOp::getOperationName());
    build(passes, smaller);
    return passes;
  }
  Outcome plan(Operation *program, const Schedule &schedule, Smaller smaller);
  /// The best plan of all widths of subtiles, with `smaller` tiles left out.
  Outcome plan(Operation *program, const Schedule &schedule, int64_t smaller);
  /// Tries what is smaller than the first plan.
  Outcome search(Operation *program, const Schedule &said, Outcome first);
  /// The first plan that fits, of all that the program leaves open.
  Outcome fit(Operation *program);
  /// Writes into the program's schedule what the plan has and the program
  /// doesn't say, and why.
  void accept(Operation *program, Outcome &outcome, StringRef why);
  /// The copy of a program with smaller clusters, or null if it needs none.
  FailureOr<Operation *> addFallback(Operation *program,
                                     const Schedule &chosen);
  /// Puts a plan in the place of its program.
  void keep(Operation *program, Outcome outcome);
  /// Fits the program and its fallback, and keeps their plans if `planned` is
  /// there to name them.
  LogicalResult settle(Operation *program);

  BuildPlans build;
  PlannedKernels planned;
};
} // namespace

/// The slots of one pipe with which the roles are proved deadlock-free, if more
/// slots are what is missing.
static std::optional<std::pair<std::string, int64_t>>
findRemedy(agent::SwitchOp roles) {
  agent::ProgressResult result = agent::proveProgress(roles);
  if (!result.verdict.failure)
    return std::nullopt;
  std::optional<std::pair<std::string, int64_t>> best;
  for (const progress::Remedy &remedy :
       progress::findRemedies(result.network, *result.verdict.failure))
    if (remedy.kind == progress::Remedy::Kind::slots &&
        remedy.condition.empty() && (!best || remedy.value < best->second))
      best = {result.network.pipes[remedy.pipe].name, remedy.value};
  return best;
}

/// A reason has no code.
static std::string withoutCode(StringRef error) {
  return error.ends_with("]") ? error.rsplit(" [").first.str() : error.str();
}

/// Whether what travels through a pipe are subtiles of so many columns.
static bool holdsSubtiles(agent::PipeOp pipe, std::optional<int64_t> columns) {
  return llvm::any_of(pipe.getPipe().getType().getPayload(), [&](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && columns && tile.getShape().back() == *columns;
  });
}

/// How much room the pipes in shared memory have.
static void readSlots(agent::PipeOp pipe, std::optional<int64_t> columns,
                      int64_t &ahead, bool &isCramped) {
  if (pipe.getPipe().getType().getMemory() != agent::Memory::smem)
    return;
  ArrayAttr because = pipe.getBecauseAttr();
  if (agent::hasReason(because, agent::Rule::SlotsAhead))
    ahead = std::min<int64_t>(ahead, pipe.getSlots());
  isCramped |= agent::hasReason(because, agent::Rule::SlotsThatFit) &&
               holdsSubtiles(pipe, columns);
}

FitPlans::Outcome FitPlans::plan(Operation *program, const Schedule &schedule,
                                 Smaller smaller) {
  Outcome outcome;
  outcome.asked = schedule;
  outcome.smaller = smaller;
  OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
  auto trial = ModuleOp::create(b, program->getLoc());
  trial->setDiscardableAttrs(getOperation()->getDiscardableAttrDictionary());
  Operation *copy = program->clone();
  trial.push_back(copy);
  tile::setSchedule(copy, schedule);
  OpPassManager passes = getPasses(smaller);
  {
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &said) {
      if (said.getSeverity() == DiagnosticSeverity::Error) {
        if (outcome.error.empty())
          outcome.error = withoutCode(said.str());
        outcome.isTooLarge |= tile::isTooLarge(said);
      }
      outcome.messages.push_back(std::move(said));
      return success();
    });
    outcome.fits = succeeded(runPipeline(passes, trial));
  }
  // What isn't proved deadlock-free doesn't become code.
  trial.walk([&](agent::SwitchOp roles) {
    if (!roles.getVerdictAttr())
      return;
    if (auto verdict = agent::readVerdict(roles); !verdict) {
      outcome.error = llvm::toString(verdict.takeError());
      outcome.isUnproved = true;
      outcome.fits = false;
      outcome.remedy = findRemedy(roles);
    }
  });
  for (auto kernel : trial.getOps<tile::KernelOp>())
    outcome.schedule = tile::getSchedule(kernel);
  trial.walk([&](agent::PipeOp pipe) {
    readSlots(pipe, outcome.schedule->epilogueTile, outcome.ahead,
              outcome.isCramped);
  });
  trial->remove();
  outcome.plan = trial;
  return outcome;
}

FitPlans::Outcome FitPlans::plan(Operation *program, const Schedule &schedule,
                                 int64_t smaller) {
  Outcome best = plan(program, schedule, Smaller{smaller, 0});
  std::string why = best.why();
  bool isOpen = !schedule.epilogueTile;
  for (int64_t narrower = 1; isOpen && !best.isRoomy(); ++narrower) {
    Outcome other = plan(program, schedule, Smaller{smaller, narrower});
    // There is no narrower one.
    isOpen = other.schedule && other.schedule->epilogueTile;
    if (other.isBetterThan(best))
      best = std::move(other);
  }
  best.whyWide = std::move(why);
  return best;
}

/// Attributes are printed in ASCII.
static std::string inAscii(StringRef text) {
  std::string result;
  for (StringRef rest = text; !rest.empty();) {
    auto [before, after] = rest.split("×");
    result += before;
    result += before.size() < rest.size() ? "x" : "";
    rest = after;
  }
  return result;
}

std::string FitPlans::Outcome::why() const {
  if (isUnproved)
    return error;
  if (!fits)
    return (isTooLarge ? "does not fit: " : "has no plan: ") + error;
  if (ahead < plan::wantedAhead)
    return "leaves loads " + plan::countSlots(ahead) + " to run ahead";
  return "leaves less than two slots for the epilogue";
}

void FitPlans::accept(Operation *program, Outcome &outcome, StringRef why) {
  Schedule schedule = outcome.asked;
  SmallVector<std::string> parts;
  // What the planner says of a field that is given from now on.
  SmallVector<StringRef> given;
  if (outcome.smaller.tiles != 0) {
    given.push_back("tile: ");
    schedule.tile = outcome.schedule->tile;
    parts.push_back(
        llvm::formatv("tile {0}", llvm::interleaved(schedule.tile, "x")));
  }
  if (outcome.smaller.subtiles != 0) {
    given.push_back("epilogue_tile: ");
    schedule.epilogueTile = outcome.schedule->epilogueTile;
    parts.push_back(
        llvm::formatv("subtiles of {0} columns", *schedule.epilogueTile));
  }
  Schedule said = tile::getSchedule(program);
  for (const auto &[name, slots] : schedule.slots)
    if (said.getSlots(name) != slots)
      parts.push_back(
          llvm::formatv("{0} for {1}", plan::countSlots(slots), name));
  if (schedule.interleave != said.interleave)
    parts.push_back("one tile instead of two interleaved");
  if (schedule.ctaGroup != said.ctaGroup)
    parts.push_back("cta_group = 1");
  if (parts.empty())
    return;
  tile::setSchedule(program, schedule);
  std::string reason =
      llvm::formatv("fit-plans: {0}, because what was chosen first {1}",
                    llvm::interleaved(parts, " and "), inAscii(why));
  tile::addReasons(program, {reason});
  // In the plan, it stands before what was chosen then.
  for (auto kernel : outcome.plan->getOps<tile::KernelOp>()) {
    std::vector<std::string> reasons = {reason};
    for (StringRef other : tile::getReasons(kernel))
      if (llvm::none_of(
              given, [&](StringRef field) { return other.starts_with(field); }))
        reasons.push_back(other.str());
    kernel->removeAttr(tile::reasonsAttrName);
    tile::addReasons(kernel, reasons);
  }
}

FitPlans::Outcome FitPlans::search(Operation *program, const Schedule &said,
                                   Outcome outcome) {
  bool hasOpenTile = isa<func::FuncOp>(program) && said.tile.empty();
  Schedule schedule = said;
  // Rather a smaller tile than few slots, and rather few slots than no plan.
  Outcome spare;
  int64_t tiles = 0;
  for (int64_t plans = 1; plans < mostPlans && outcome.schedule; ++plans) {
    if (outcome.fits && (outcome.ahead >= leastAhead || !hasOpenTile))
      return outcome;
    bool isInterleaved = outcome.schedule->interleave.value_or(1) > 1;
    if (outcome.fits) {
      ++tiles;
      if (!spare.fits)
        spare = std::move(outcome);
    } else if (outcome.isUnproved) {
      // From here on it is as if the program had said so.
      if (!outcome.remedy || said.getSlots(outcome.remedy->first))
        break;
      llvm::erase_if(schedule.slots, [&](const auto &pipe) {
        return pipe.first == outcome.remedy->first;
      });
      schedule.slots.push_back(*outcome.remedy);
    } else if (!outcome.isTooLarge && tiles == 0) {
      break;
    } else if (outcome.isTooLarge && isInterleaved && !said.interleave) {
      // Tiles side by side take twice the room.
      schedule.interleave = 1;
    } else if (hasOpenTile) {
      schedule.interleave = said.interleave;
      ++tiles;
    } else {
      break;
    }
    outcome = plan(program, schedule, tiles);
  }
  return outcome.fits ? std::move(outcome) : std::move(spare);
}

FitPlans::Outcome FitPlans::fit(Operation *program) {
  Schedule given = tile::getSchedule(program);
  Outcome outcome = plan(program, given, 0);
  std::string why = outcome.whyWide;
  // CTAs that can't issue 2-CTA MMAs may still use TMA multicast.
  if (!outcome.fits && given.clusterIsOpen && !given.ctaGroup &&
      outcome.schedule && outcome.schedule->hasPairs()) {
    Schedule apart = given;
    apart.ctaGroup = 1;
    if (Outcome other = plan(program, apart, 0); other.fits) {
      accept(program, other, why);
      return other;
    }
  }
  if (!outcome.fits && given.clusterIsOpen) {
    given.clusterIsOpen = false;
    given.cluster = {1, 1, 1};
    given.fallbackCluster.clear();
    tile::setSchedule(program, given);
    tile::addReasons(program, {"fit-plans: cluster 1 x 1 x 1, because with the "
                               "one that was chosen first there is no plan: " +
                               inAscii(outcome.error)});
    outcome = plan(program, given, 0);
  }
  outcome = search(program, given, std::move(outcome));
  if (outcome.fits)
    accept(program, outcome, why);
  return outcome;
}

/// "1 CTA", "2 CTAs".
static std::string countCtas(int64_t count) {
  return std::to_string(count) + (count == 1 ? " CTA" : " CTAs");
}

/// After the program. What was said about slots was for the other one.
FailureOr<Operation *> FitPlans::addFallback(Operation *program,
                                             const Schedule &chosen) {
  Schedule given = tile::getSchedule(program);
  auto size = [](ArrayRef<int64_t> cluster) {
    return llvm::product_of(cluster, int64_t(1));
  };
  std::string name = tile::getFallbackName(SymbolTable::getSymbolName(program));
  // What a planner chose may be no larger.
  if (given.fallbackCluster.empty() ||
      size(chosen.cluster) <= size(given.fallbackCluster))
    return nullptr;
  if (Operation *other = SymbolTable::lookupSymbolIn(getOperation(), name)) {
    // What an earlier run left has it already.
    auto getType = [](Operation *op) {
      return cast<FunctionOpInterface>(op).getFunctionType();
    };
    if (tile::getSchedule(other).cluster == given.fallbackCluster &&
        getType(other) == getType(program))
      return nullptr;
    return other->emitError() << "@" << name << " is what the kernel of @"
                              << SymbolTable::getSymbolName(program).getValue()
                              << " with smaller clusters would be called; use "
                                 "another name [kernel-name]";
  }
  OpBuilder b(&getContext());
  b.setInsertionPointAfter(program);
  Operation *copy = b.clone(*program);
  SymbolTable::setSymbolName(copy, name);
  Schedule schedule = given;
  schedule.cluster = given.fallbackCluster;
  schedule.clusterIsOpen = false;
  schedule.fallbackCluster.clear();
  schedule.slots.clear();
  if (!given.tile.empty() || isa<func::FuncOp>(program))
    schedule.tile = chosen.tile;
  if (given.hasPairs() || chosen.hasPairs()) {
    const int64_t *several =
        llvm::find_if(schedule.cluster, [](int64_t size) { return size != 1; });
    bool isEven = several != schedule.cluster.end() && *several % 2 == 0;
    schedule.ctaGroup = isEven ? 2 : 1;
  }
  tile::setSchedule(copy, schedule);
  copy->removeAttr(tile::reasonsAttrName);
  tile::addReasons(
      copy, {llvm::formatv("fit-plans: clusters of {0} instead of {1}, for "
                           "launches that @{2} does not suit",
                           countCtas(size(schedule.cluster)),
                           countCtas(size(chosen.cluster)),
                           SymbolTable::getSymbolName(program).getValue())
                 .str()});
  return copy;
}

void FitPlans::keep(Operation *program, Outcome outcome) {
  for (auto kernel : outcome.plan->getOps<tile::KernelOp>())
    planned->insert(kernel.getSymName());
  for (Diagnostic &message : outcome.messages)
    getContext().getDiagEngine().emit(std::move(message));
  program->getBlock()->getOperations().splice(
      program->getIterator(), outcome.plan->getBody()->getOperations());
  program->erase();
}

LogicalResult FitPlans::settle(Operation *program) {
  Outcome outcome = fit(program);
  if (!outcome.fits)
    return success();
  FailureOr<Operation *> fallback = addFallback(program, *outcome.schedule);
  if (failed(fallback))
    return failure();
  if (planned)
    keep(program, std::move(outcome));
  return *fallback ? settle(*fallback) : success();
}

void FitPlans::runOnOperation() {
  if (planned)
    planned->clear();
  SmallVector<Operation *> programs;
  for (Operation &op : *getOperation().getBody())
    if (auto kernel = dyn_cast<tile::KernelOp>(op)) {
      if (kernel.getBody().getOps<agent::SwitchOp>().empty())
        programs.push_back(kernel);
    } else if (auto func = dyn_cast<func::FuncOp>(op)) {
      if (!func.isExternal())
        programs.push_back(func);
    }
  for (Operation *program : programs)
    if (failed(settle(program)))
      return signalPassFailure();
}

std::unique_ptr<Pass> drawloom::fitPlans(BuildPlans build,
                                         PlannedKernels planned) {
  return std::make_unique<FitPlans>(std::move(build), std::move(planned));
}
