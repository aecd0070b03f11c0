//===- AssignRoles.cpp - Give every operation of an item to a role --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Corrections.h"
#include "Crossing.h"
#include "LoadRoles.h"
#include "PrepareItem.h"
#include "drawloom/Dialect/Agent/IR/AgentDialect.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/Accesses.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_ASSIGNROLES
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

namespace {

class RoleAssigner {
public:
  using Remark = function_ref<void(Operation *, const Reason &)>;

  RoleAssigner(Item &item, const target::Architecture &arch,
               const tile::Schedule &schedule, Remark remark)
      : item(item), arch(arch), schedule(schedule), remark(remark),
        wantsRoles(schedule.roles.value_or(tile::Roles::Multi)),
        // An accumulator in tensor memory belongs to no warp, so the role that
        // issues MMAs need not be the one that reads their results.
        mmasApart(wantsRoles == tile::Roles::Multi &&
                  arch.tensorMemory.columns != 0) {}

  /// Decides, or says why it is impossible.
  MaybeRejection run();
  /// Gives everything to one role, or says why that is impossible, too.
  MaybeRejection assignToOne(Reason because);

  Owners owners;

private:
  MaybeRejection checkPairs();
  MaybeRejection checkChains(const Accumulators &accumulators);
  void assignMmas(const Accumulators &accumulators);
  void assignTheRest(const Dataflow &dataflow, ArrayRef<LoadInfo> loads);
  int addComputeRole(StringRef name, bool issuesMmas);

  Item &item;
  const target::Architecture &arch;
  const tile::Schedule &schedule;
  Remark remark;
  tile::Roles wantsRoles;
  bool mmasApart;
  Corrections corrections;
};

} // namespace

/// Warps of a role that computes, where the schedule does not say: a warp group
/// for each 64 rows of an MMA in registers, at most two; else one.
static int64_t getWarps(Item &item, const tile::Schedule &schedule,
                        bool issuesMmas) {
  constexpr int64_t group = 4, rowsOfGroup = 64;
  if (schedule.warps)
    return *schedule.warps;
  int64_t groups = 1;
  if (issuesMmas)
    item.body->walk([&](tile::MmaOp op) {
      if (op.getM() >= 2 * rowsOfGroup)
        groups = 2;
    });
  return group * groups;
}

int RoleAssigner::addComputeRole(StringRef name, bool issuesMmas) {
  RoleSpec role;
  bool isInRegisters = arch.tensorMemory.columns == 0;
  role.name = getFreeName(owners, name);
  role.warps = getWarps(item, schedule, issuesMmas && isInRegisters);
  if (issuesMmas)
    role.because.push_back(
        fire(isInRegisters ? Rule::WarpGroupsIssue : Rule::FirstWarpIssues,
             arch.name, role.name));
  owners.roles.push_back(std::move(role));
  return owners.roles.size() - 1;
}

/// An MMA cannot read another one's result where it is: something has to
/// make an operand of it.
MaybeRejection RoleAssigner::checkChains(const Accumulators &accumulators) {
  MaybeRejection rejection;
  item.body->walk([&](tile::MmaOp op) {
    for (OpOperand &use : op->getOpOperands()) {
      Value value = use.get();
      while (value.getDefiningOp() && goesWithReader(value.getDefiningOp()))
        value = value.getDefiningOp()->getOperand(0);
      if (rejection || !isOperandOfMma(use) || !isMma(value, accumulators))
        continue;
      rejection = Rejection{
          op.getLoc(),
          llvm::formatv(
              "an operand of this MMA is the result of another "
              "one; on {0} a result is an accumulator in tensor "
              "memory, which no MMA reads as an operand: convert "
              "it in between, for instance with arith.truncf [mma-operand]",
              arch.name)
              .str(),
          {{value.getLoc(), "the other MMA is here"}}};
    }
  });
  return rejection;
}

/// The CTAs of a pair multiply together and read their halves of the result
/// apart, so one role can't do both.
MaybeRejection RoleAssigner::checkPairs() {
  MaybeRejection rejection;
  item.body->walk([&](tile::MmaOp op) {
    if (!rejection && op.getPair() && !mmasApart)
      rejection = Rejection{
          op.getLoc(),
          "is of a pair of CTAs, which multiply together and read their halves "
          "of the result apart; let MMAs have a role of their own, with "
          "'roles = multi' [cta-pair]",
          {},
          /*hasFallback=*/false};
  });
  return rejection;
}

/// MMAs that need what became of other MMAs' results have a warp of
/// their own. So the others run ahead of them, as far as their slots go.
void RoleAssigner::assignMmas(const Accumulators &accumulators) {
  DenseMap<Operation *, unsigned> stages = findStages(item);
  SmallVector<int> roles;
  item.body->walk([&](tile::MmaOp op) {
    unsigned stage = stages.lookup(op);
    while (roles.size() <= stage) {
      RoleSpec role;
      role.name = getFreeName(owners, "mma");
      role.warps = 1;
      role.because.push_back(
          roles.empty() ? fire(Rule::OneThreadIssues, arch.name, role.name)
                        : fire(Rule::RunsAhead, role.name,
                               owners.roles[roles.back()].name));
      roles.push_back(owners.roles.size());
      owners.roles.push_back(std::move(role));
    }
    owners.set(op, roles[stage]);
  });
  for (auto [op, number] : accumulators) {
    auto loop = cast<scf::ForOp>(op);
    owners.setCarried(loop, number, roles[stages.lookup(getMma(loop, number))]);
  }
}

namespace {
/// The operations on tiles that are neither loads nor MMAs of a role of
/// their own, in sets that share values: a set is computed by one role.
class ComputedSets {
public:
  using Node = Corrections::Node;

  explicit ComputedSets(const Corrections &corrections)
      : corrections(corrections) {}

  llvm::EquivalenceClasses<Node> sets;
  const Corrections &corrections;

  bool contains(Node node) const { return sets.contains(node); }

  /// The node that makes a value, if it is one.
  std::optional<Node> nodeOf(Value value) const {
    Node node;
    if (auto result = dyn_cast<OpResult>(value)) {
      bool loop = isa<scf::ForOp>(result.getOwner());
      node = {result.getOwner(), loop ? result.getResultNumber() + 1 : 0};
    } else {
      auto argument = cast<BlockArgument>(value);
      node = {argument.getOwner()->getParentOp(), argument.getArgNumber()};
    }
    return contains(node) ? std::optional(node) : std::nullopt;
  }

  /// What the correction reads of other roles comes through pipes.
  void join(Node node, Value value) {
    if (std::optional<Node> other = nodeOf(value);
        other && corrections.contains(node) == corrections.contains(*other))
      sets.unionSets(node, *other);
  }
};
} // namespace

/// The operations of the item that roles own, from the outside: loops are open,
/// other control flow is one operation.
static void forEachOperation(Block *block,
                             function_ref<void(Operation *)> visit) {
  for (Operation &op : block->without_terminator()) {
    visit(&op);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      forEachOperation(loop.getBody(), visit);
  }
}

/// Whether two loads or stores never touch the same element: they are of
/// different arguments, or both are stores of tiles a known distance apart.
static bool areApart(Operation *a, Operation *b) {
  auto getView = [](Operation *op) {
    auto store = dyn_cast<tile::StoreOp>(op);
    return store ? store.getView() : cast<tile::LoadOp>(op).getView();
  };
  Value root = getArgument(getView(a)), otherRoot = getArgument(getView(b));
  if (root && otherRoot && root != otherRoot)
    return true;
  auto store = dyn_cast<tile::StoreOp>(a), other = dyn_cast<tile::StoreOp>(b);
  return store && other && tile::areApart(store, other);
}

static ComputedSets findSets(Item &item, const Dataflow &dataflow,
                             const Corrections &corrections,
                             const Owners &owners, ArrayRef<LoadInfo> loads) {
  ComputedSets computed(corrections);
  llvm::SmallPtrSet<Operation *, 8> inPlace;
  for (const LoadInfo &load : loads)
    if (!load.whyInPlace.empty() && !load.readsOutput)
      inPlace.insert(load.op);
  forEachOperation(item.body, [&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (unsigned i = 0; i < loop.getInitArgs().size(); ++i)
        if (dataflow.isDerived(loop.getResult(i)) &&
            owners.ofCarried(loop, i) == Owners::noRole)
          computed.sets.insert({op, i + 1});
      return;
    }
    if (dataflow.isDerived(op) && owners.of(op) == Owners::noRole &&
        !inPlace.contains(op) && !goesWithReader(op))
      computed.sets.insert({op, 0});
  });
  SmallVector<Operation *> touching;
  forEachOperation(item.body, [&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (unsigned i = 0; i < loop.getInitArgs().size(); ++i)
        if (computed.contains({op, i + 1})) {
          computed.join({op, i + 1}, loop.getInitArgs()[i]);
          computed.join({op, i + 1}, loop.getYieldedValues()[i]);
        }
      return;
    }
    if (!computed.contains({op, 0}))
      return;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        computed.join({op, 0}, operand);
    });
    // The role that stores to a view does so in order, and loads from it as
    // well.
    if (!isa<tile::StoreOp, tile::LoadOp>(op))
      return;
    for (Operation *other : touching)
      if (!areApart(op, other))
        computed.sets.unionSets({op, 0}, {other, 0});
    touching.push_back(op);
  });
  return computed;
}

/// Says of the roles that load in place why they do: of the first compute role,
/// or of the epilogue.
static void explainLoads(Owners &owners, ArrayRef<LoadInfo> loads, int compute,
                         int epilogue) {
  for (const LoadInfo &load : loads) {
    if (load.readsOutput) {
      RoleSpec &role = owners.roles[owners.of(load.op)];
      role.because.push_back(fire(Rule::ReadsItsOutput, role.name, load.view));
    } else if (!load.whyInPlace.empty()) {
      int reader = compute != Owners::noRole ? compute : epilogue;
      if (epilogue != Owners::noRole && load.kind == LoadKind::Epilogue)
        reader = epilogue;
      if (reader != Owners::noRole)
        owners.roles[reader].because.push_back(
            fire(Rule::LoadedInPlace, load.view, load.whyInPlace));
    }
  }
}

/// Sets that lead to an operand of an MMA by way of what goes with it.
static DenseSet<ComputedSets::Node> findLeading(Item &item,
                                                const ComputedSets &computed) {
  DenseSet<ComputedSets::Node> leading;
  item.body->walk([&](tile::MmaOp op) {
    for (Value value : {op.getA(), op.getB()}) {
      while (value.getDefiningOp() && goesWithReader(value.getDefiningOp()))
        value = value.getDefiningOp()->getOperand(0);
      if (std::optional<ComputedSets::Node> node = computed.nodeOf(value))
        leading.insert(computed.sets.getLeaderValue(*node));
    }
  });
  return leading;
}

/// The name of the role that computes a set, and why it does.
static std::pair<StringRef, Rule> describeSet(bool corrects, bool leads) {
  if (corrects)
    return {"correction", Rule::Correction};
  return leads ? std::pair("compute", Rule::Compute)
               : std::pair("epilogue", Rule::Epilogue);
}

void RoleAssigner::assignTheRest(const Dataflow &dataflow,
                                 ArrayRef<LoadInfo> loads) {
  ComputedSets computed = findSets(item, dataflow, corrections, owners, loads);
  DenseSet<ComputedSets::Node> leading;
  if (mmasApart)
    leading = findLeading(item, computed);
  bool issues = dataflow.hasMmas() && !mmasApart;
  int compute = Owners::noRole, epilogue = Owners::noRole;
  int correction = Owners::noRole, firstCompute = Owners::noRole;
  // What lies between two MMAs, and shares nothing with the rest.
  DenseMap<ComputedSets::Node, int> between;
  if (mmasApart)
    item.body->walk([&](tile::MmaOp op) {
      for (Operation *user : op.getResult().getUsers())
        if (computed.contains({user, 0})) {
          ComputedSets::Node leader = computed.sets.getLeaderValue({user, 0});
          if (leading.contains(leader))
            between.try_emplace(leader, Owners::noRole);
        }
    });
  auto assign = [&](ComputedSets::Node node) {
    if (!computed.contains(node))
      return;
    bool leads = !mmasApart || !dataflow.hasMmas() ||
                 leading.contains(computed.sets.getLeaderValue(node));
    auto own = between.find(computed.sets.getLeaderValue(node));
    bool corrects = corrections.contains(node);
    int &role = own != between.end() ? own->second
                : corrects           ? correction
                : leads              ? compute
                                     : epilogue;
    if (role == Owners::noRole) {
      auto [name, rule] = describeSet(corrects, leads);
      role = addComputeRole(name, issues);
      if (leads && firstCompute == Owners::noRole)
        firstCompute = role;
      RoleSpec &spec = owners.roles[role];
      // Each lane of tensor memory has one thread.
      if (corrects)
        spec.warps = target::warpsPerGroup;
      spec.because.push_back(fire(rule, spec.name));
      if (wantsRoles == tile::Roles::Single)
        spec.because.push_back(fire(Rule::SingleRole, spec.name));
    }
    if (auto loop = dyn_cast<scf::ForOp>(node.first))
      owners.setCarried(loop, node.second - 1, role);
    else
      owners.set(node.first, role);
  };
  forEachOperation(item.body, [&](Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return assign({op, 0});
    for (unsigned i = 0; i < loop.getInitArgs().size(); ++i)
      assign({op, i + 1});
  });
  explainLoads(owners, loads, firstCompute, epilogue);
}

MaybeRejection RoleAssigner::assignToOne(Reason because) {
  owners = Owners();
  bool mmas = Dataflow(item).hasMmas();
  int role = addComputeRole("compute", mmas);
  owners.roles[role].because.push_back(std::move(because));
  forEachOperation(item.body, [&](Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return owners.set(op, role);
    for (unsigned i = 0; i < loop.getInitArgs().size(); ++i)
      owners.setCarried(loop, i, role);
  });
  // Operands of an MMA in tensor memory come through slots, which a loop or
  // the item has.
  MaybeRejection rejection;
  item.body->walk([&](tile::MmaOp mma) {
    if (rejection || arch.tensorMemory.columns == 0 ||
        owners.of(mma.getOperation()) != Owners::noRole)
      return;
    SmallVector<Operation *, 4> around = item.loopsAround(mma);
    llvm::erase_if(around, llvm::IsaPred<scf::ForOp>);
    rejection = Rejection{
        mma.getLoc(),
        "MMA inside '" + around.front()->getName().getStringRef().str() +
            "' is unsupported on " + arch.name.str() +
            ", even without warp roles: the number of slots that "
            "it consumes must not depend on a branch; use a "
            "zero-trip scf.for, arith.select or a mask [control-flow]",
        {},
        /*hasFallback=*/false};
  });
  return rejection;
}

MaybeRejection RoleAssigner::run() {
  if (MaybeRejection rejection = checkMmas(item, arch))
    return rejection;
  if (MaybeRejection rejection = checkPairs())
    return rejection;
  if (arch.tensorMemory.columns != 0) {
    if (mmasApart)
      corrections = Corrections(item, arch);
    makeAccumulatorsWhole(item, corrections, remark);
    if (MaybeRejection rejection = checkChains(findAccumulators(item)))
      return rejection;
  }
  if (wantsRoles == tile::Roles::None)
    return assignToOne(fire(Rule::NoRoles, "compute"));
  if (MaybeRejection rejection = checkOperations(item))
    return rejection;
  Dataflow dataflow(item);
  SmallVector<LoadInfo> loads;
  if (MaybeRejection rejection =
          classifyLoads(item, dataflow, schedule, arch, loads))
    return rejection;
  addLoadRoles(item, loads, wantsRoles == tile::Roles::Single, owners);
  item.body->walk([&](Operation *op) {
    if (goesWithReader(op))
      remark(op, fire(Rule::WithTheReader, op->getName().getStringRef()));
  });
  if (mmasApart && dataflow.hasMmas())
    assignMmas(findAccumulators(item));
  assignTheRest(dataflow, loads);
  return checkCrossing(item, owners, findParts(item, owners));
}

namespace {
struct AssignRolesPass : agent::impl::AssignRolesBase<AssignRolesPass> {
  using AssignRolesBase::AssignRolesBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<AgentDialect, arith::ArithDialect>();
  }

  void runOnOperation() override {
    if (failed(assign()))
      signalPassFailure();
  }

  LogicalResult assign();
};
} // namespace

/// Rejects what would make the other checks meaningless.
static MaybeRejection checkKernel(Item &item) {
  MaybeRejection rejection;
  bool stores = false;
  item.body->walk<WalkOrder::PreOrder>([&](Operation *op) {
    stores |= isa<tile::StoreOp>(op);
    if (rejection || !isa_and_nonnull<AgentDialect>(op->getDialect()))
      return;
    rejection =
        Rejection{op->getLoc(),
                  "'" + op->getName().getStringRef().str() +
                      "' is in the kernel already; roles are assigned to "
                      "tile programs only [pass-order]",
                  {},
                  /*hasFallback=*/false};
  });
  if (rejection || stores)
    return rejection;
  return Rejection{item.kernel.getLoc(),
                   "kernel @" + item.kernel.getSymName().str() +
                       " stores nothing, so there is nothing for a role to do; "
                       "results leave a kernel with tile.store [no-store]",
                   {},
                   /*hasFallback=*/false};
}

LogicalResult AssignRolesPass::assign() {
  tile::KernelOp kernel = getOperation();
  FailureOr<const target::Architecture *> arch = tile::requireTarget(kernel);
  if (failed(arch))
    return failure();
  tile::Schedule schedule = tile::getSchedule(kernel);
  Item item = Item::of(kernel);
  if (MaybeRejection rejection = sinkIntoItem(item))
    return rejection->emit();
  if (MaybeRejection rejection = checkKernel(item))
    return rejection->emit();
  // Something is stored, so the item itself stays.
  IRRewriter rewriter(kernel.getContext());
  (void)runRegionDCE(rewriter, kernel->getRegions());

  auto remark = [&](Operation *op, const Reason &reason) {
    if (remarks)
      op->emitRemark(reason.str());
  };
  RoleAssigner assigner(item, **arch, schedule, remark);
  if (MaybeRejection rejection = assigner.run()) {
    bool mayFallBack = rejection->hasFallback &&
                       schedule.fallback == tile::Fallback::Unspecialized;
    if (!mayFallBack)
      return rejection->emit();
    // The reason without the way out, which is what happens now.
    StringRef reason = StringRef(rejection->message).split(';').first;
    if (MaybeRejection other =
            assigner.assignToOne(fire(Rule::Unspecialized, reason)))
      return other->emit();
    emitRemark(rejection->loc) << fire(Rule::Unspecialized, reason).str();
  }
  for (const RoleSpec &role : assigner.owners.roles)
    for (const Reason &reason : role.because)
      remark(kernel, reason);
  assigner.owners.write(kernel);
  return success();
}
