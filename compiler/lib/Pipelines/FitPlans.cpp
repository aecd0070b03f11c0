//===- FitPlans.cpp - Smaller plans where the first does not fit ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Tiles and slots are chosen by an estimate: roles, pipes, scratch memory and
// registers come later. Only when everything has its place is it known whether
// a plan fits. So a copy of each program is planned, and if that ends because
// something is too large, others with fewer slots, then with smaller tiles, as
// far as the program leaves them open. What fits is written into its schedule,
// as if the program had said it. If nothing fits, the program stays as it is,
// and the path says why.
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
static constexpr int64_t slotsBesideSmallerTiles = 3;
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
    return "Fewer slots and smaller tiles where the first choice does not fit";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    getPasses(0).getDependentDialects(registry);
  }

  void runOnOperation() override;

private:
  /// How planning a copy of a program ended.
  struct Outcome {
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
    /// The slots of all pipes in shared memory, by name. The schedule has those
    /// that the estimate knew of.
    std::vector<std::pair<std::string, int64_t>> slots;
    /// What was planned, as far as it came, and the messages of the passes.
    OwningOpRef<ModuleOp> plan;
    std::vector<Diagnostic> messages;
  };

  OpPassManager getPasses(int64_t smaller) const {
    OpPassManager passes(ModuleOp::getOperationName());
    build(passes, smaller);
    return passes;
  }
  Outcome plan(Operation *program, const Schedule &schedule, int64_t smaller);
  /// Tries what is smaller than the first plan, with no fewer than `fewest`
  /// slots where the program leaves them open. What fits is written into the
  /// program's schedule.
  Outcome search(Operation *program, const Schedule &said, const Outcome &first,
                 int64_t fewest);
  /// The first plan that fits, of all that the program leaves open.
  Outcome fit(Operation *program);
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

FitPlans::Outcome FitPlans::plan(Operation *program, const Schedule &schedule,
                                 int64_t smaller) {
  Outcome outcome;
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
    if (pipe.getPipe().getType().getMemory() == agent::Memory::smem)
      outcome.slots.emplace_back(pipe.getName(), pipe.getSlots());
  });
  trial->remove();
  outcome.plan = trial;
  return outcome;
}

/// Takes a slot from the pipe with most of them, of those that the program says
/// nothing about. The estimate may know a pipe by another name than the plan,
/// so the plan's counts, if it came that far. False if no pipe has more than
/// `fewest`.
static bool takeSlot(Schedule &schedule, const Schedule &given,
                     const Schedule &chosen,
                     ArrayRef<std::pair<std::string, int64_t>> planned,
                     int64_t fewest) {
  schedule.slots = chosen.slots;
  for (const auto &pipe : planned)
    if (!schedule.getSlots(pipe.first))
      schedule.slots.push_back(pipe);
  int64_t *most = nullptr;
  for (auto &[name, slots] : schedule.slots) {
    bool isPipe = planned.empty() ||
                  llvm::is_contained(llvm::make_first_range(planned), name);
    if (isPipe && !given.getSlots(name) && slots > fewest &&
        (!most || slots > *most))
      most = &slots;
  }
  if (most)
    --*most;
  return most;
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

/// "fit-plans: tile 128x96x64 and slots c = 2, operands = 3, because ...".
static std::string spell(const Schedule &schedule, bool isNarrowed,
                         StringRef why) {
  std::string text = "fit-plans: ";
  llvm::raw_string_ostream os(text);
  if (!schedule.tile.empty())
    os << "tile " << llvm::interleaved(schedule.tile, "x");
  if (!schedule.tile.empty() && !schedule.slots.empty())
    os << " and ";
  if (!schedule.slots.empty()) {
    os << "slots ";
    llvm::interleaveComma(schedule.slots, os, [&](const auto &pipe) {
      os << pipe.first << " = " << pipe.second;
    });
  }
  if (isNarrowed)
    os << (schedule.tile.empty() && schedule.slots.empty() ? "" : " and ")
       << "one tile instead of two interleaved";
  os << ", because what was chosen first " << inAscii(why);
  return text;
}

FitPlans::Outcome FitPlans::search(Operation *program, const Schedule &said,
                                   const Outcome &first, int64_t fewest) {
  Schedule given = said, schedule = said;
  bool hasOpenTile = isa<func::FuncOp>(program) && given.tile.empty();
  std::string why = (first.isUnproved ? "" : "does not fit: ") + first.error;
  Outcome later;
  const Outcome *outcome = &first;
  for (int64_t smaller = 0, plans = 1; !outcome->fits; ++plans) {
    if (plans == mostPlans || !outcome->schedule)
      return Outcome();
    if (outcome->isUnproved) {
      // From here on it is as if the program had said so.
      if (!outcome->remedy || said.getSlots(outcome->remedy->first))
        return Outcome();
      for (Schedule *one : {&given, &schedule}) {
        llvm::erase_if(one->slots, [&](const auto &pipe) {
          return pipe.first == outcome->remedy->first;
        });
        one->slots.push_back(*outcome->remedy);
      }
    } else if (!outcome->isTooLarge && smaller == 0) {
      return Outcome();
    } else if (!outcome->isTooLarge ||
               !takeSlot(schedule, given, *outcome->schedule, outcome->slots,
                         fewest)) {
      // Tiles side by side take twice the room.
      bool isInterleaved = outcome->schedule->interleave.value_or(1) > 1;
      schedule = given;
      if (isInterleaved && !given.interleave)
        schedule.interleave = 1;
      else if (hasOpenTile)
        ++smaller;
      else
        return Outcome();
    }
    later = plan(program, schedule, smaller);
    outcome = &later;
  }
  if (hasOpenTile)
    schedule.tile = later.schedule->tile;
  tile::setSchedule(program, schedule);
  tile::addReasons(
      program, {spell(schedule, schedule.interleave != said.interleave, why)});
  return later;
}

FitPlans::Outcome FitPlans::fit(Operation *program) {
  Schedule given = tile::getSchedule(program);
  Outcome outcome = plan(program, given, 0);
  std::string why = outcome.error;
  // CTAs that can't issue 2-CTA MMAs may still use TMA multicast.
  if (!outcome.fits && given.clusterIsOpen && !given.ctaGroup &&
      outcome.schedule && outcome.schedule->hasPairs()) {
    Schedule apart = given;
    apart.ctaGroup = 1;
    if (Outcome other = plan(program, apart, 0); other.fits) {
      tile::setSchedule(program, apart);
      tile::addReasons(program, {"fit-plans: cta_group = 1, because there is "
                                 "no plan with pairs: " +
                                 inAscii(why)});
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
                               inAscii(why)});
    outcome = plan(program, given, 0);
  }
  if (outcome.fits)
    return outcome;
  // Rather a smaller tile than few slots, and rather few slots than no plan.
  if (isa<func::FuncOp>(program) && given.tile.empty())
    if (Outcome found =
            search(program, given, outcome, slotsBesideSmallerTiles);
        found.fits)
      return found;
  return search(program, given, outcome, 1);
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
  DictionaryAttr asWritten = program->getAttrDictionary();
  Outcome outcome = fit(program);
  if (!outcome.fits)
    return success();
  FailureOr<Operation *> fallback = addFallback(program, *outcome.schedule);
  if (failed(fallback))
    return failure();
  if (planned) {
    // What was written into the schedule is among the plan's reasons.
    if (program->getAttrDictionary() != asWritten)
      outcome = plan(program, tile::getSchedule(program), 0);
    if (outcome.fits)
      keep(program, std::move(outcome));
  }
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
