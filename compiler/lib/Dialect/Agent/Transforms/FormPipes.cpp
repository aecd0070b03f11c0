//===- FormPipes.cpp - Cut a kernel into its roles ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Items.h"
#include "PrepareItem.h"
#include "Projection.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Analysis/Slots/ItemCount.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_FORMPIPES
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

static constexpr llvm::StringLiteral schedulerName = "scheduler";

namespace {

/// Replaces an item's program by its roles.
class Former {
public:
  Former(Item &item, Owners &owners, const tile::Schedule &schedule,
         const target::Architecture &arch)
      : item(item), owners(owners), schedule(schedule), arch(arch),
        builder(item.kernel.getContext()) {}

  MaybeRejection run();

private:
  void makePipes();
  MaybeRejection makeStream();
  StringRef nameSource() const;
  void makeRoles();
  void setScopes();
  RoleOp makeRole(const RoleSpec &spec, BodyBuilder body);
  Value makeMessage(StringRef name, ArrayRef<Type> payload, Rule rule,
                    StringRef first, StringRef second);

  Item &item;
  Owners &owners;
  const tile::Schedule &schedule;
  const target::Architecture &arch;
  OpBuilder builder;

  SmallVector<Part> parts;
  Pipes pipes;
  SmallVector<Value> channels, stagings, exchanges;
  /// Where roles take items from, and the stream itself with a dynamic tile
  /// scheduler.
  Value source, grants;
  Value throttle;
};

} // namespace

static PipeOp makePipe(OpBuilder &builder, Location loc, StringRef name,
                       int64_t slots, Scope scope, Memory memory,
                       ArrayRef<Type> payload) {
  auto type = PipeType::get(builder.getContext(), memory, payload);
  return PipeOp::create(builder, loc, type, name, slots, scope,
                        /*place=*/nullptr, /*because=*/nullptr);
}

/// Whether CTAs of a cluster load this tile for each other.
static bool isMulticast(Value value) {
  auto load = value.getDefiningOp<tile::LoadOp>();
  return load && load.getMulticast();
}

void Former::makePipes() {
  for (PipeSpec &spec : pipes.pipes) {
    SmallVector<Type> payload;
    for (Value value : spec.values)
      payload.push_back(value.getType());
    Scope scope =
        llvm::any_of(spec.values, isMulticast) ? Scope::cluster : Scope::cta;
    PipeOp pipe = makePipe(builder, spec.values.front().getLoc(), spec.name,
                           spec.slots, scope, spec.memory, payload);
    channels.push_back(pipe.getPipe());
  }
  for (StagedStore &staged : pipes.stores) {
    if (staged.shares) {
      stagings.push_back(stagings[*staged.shares]);
      continue;
    }
    PipeOp pipe = makePipe(builder, staged.store->getLoc(), staged.name,
                           staged.slots, Scope::cta, Memory::smem,
                           staged.store->getOperand(0).getType());
    pipe.setBecauseAttr(toAttribute(builder.getContext(), staged.because));
    stagings.push_back(pipe.getPipe());
  }
  for (Exchange &exchange : pipes.exchanges) {
    PipeOp pipe = makePipe(builder, exchange.gather->getLoc(), exchange.name,
                           exchange.slots, Scope::cluster, Memory::smem,
                           llvm::to_vector(exchange.gather->getResultTypes()));
    pipe.setBecauseAttr(toAttribute(builder.getContext(), exchange.because));
    exchanges.push_back(pipe.getPipe());
  }
}

Value Former::makeMessage(StringRef name, ArrayRef<Type> payload, Rule rule,
                          StringRef first, StringRef second) {
  int64_t slots = schedule.getSlots(name).value_or(2);
  PipeOp pipe = makePipe(builder, item.kernel.getLoc(), name, slots, Scope::cta,
                         Memory::message, payload);
  pipe.setBecauseAttr(
      toAttribute(builder.getContext(), fire(rule, first, second)));
  return pipe.getPipe();
}

/// Where a dynamic scheduler gets tiles from.
StringRef Former::nameSource() const {
  return arch.clusterLaunchControl
             ? "cluster launch control (clusterlaunchcontrol.try_cancel)"
             : "an atomic counter";
}

MaybeRejection Former::makeStream() {
  bool dynamic = schedule.persistent == tile::Persistence::Dynamic;
  ItemsOp items = makeItems(item, dynamic ? Stream::dynamic : Stream::fixed,
                            schedule.cluster, builder);
  source = items.getItems();
  if (schedule.persistent == tile::Persistence::None && !item.nest.empty() &&
      !plan::findFactors(items.getCount()))
    return Rejection{
        item.nest.front().getLoc(),
        "'persistent = none' gives each work tile a CTA of its own, "
        "and a launch can't count them: their number is no product "
        "of sizes of the arguments; use static or dynamic [item-count]"};
  if (!dynamic)
    return std::nullopt;
  grants = source;
  source = makeMessage("work", items.getItems().getType().getItem(),
                       Rule::OneScheduler, schedulerName, nameSource());
  throttle = makeMessage("throttle", {}, Rule::Throttle,
                         owners.roles.front().name, schedulerName);
  return std::nullopt;
}

RoleOp Former::makeRole(const RoleSpec &spec, BodyBuilder body) {
  auto role = RoleOp::create(builder, item.kernel.getLoc(), spec.name,
                             spec.warps, body);
  role.setBecauseAttr(toAttribute(builder.getContext(), spec.because));
  return role;
}

void Former::makeRoles() {
  auto roles = [&](OpBuilder &, Location loc, ValueRange) {
    if (grants) {
      RoleSpec spec;
      spec.name = schedulerName.str();
      spec.because.push_back(
          fire(Rule::OneScheduler, schedulerName, nameSource()));
      makeRole(spec, [&](OpBuilder &inner, Location, ValueRange) {
        ForEachItemOp::create(inner, loc, grants, source,
                              [&](OpBuilder &body, Location where, ValueRange) {
                                ConsumeOp::create(
                                    body, where, TypeRange(), throttle, 0,
                                    [](OpBuilder &, Location, ValueRange) {});
                              });
      });
    }
    for (size_t i = 0; i < owners.roles.size(); ++i)
      makeRole(owners.roles[i], [&](OpBuilder &inner, Location, ValueRange) {
        auto loop = ForEachItemOp::create(
            inner, loc, source, Value(),
            [&](OpBuilder &body, Location where, ValueRange) {
              if (throttle && i == 0)
                ProduceOp::create(body, where, throttle,
                                  [](OpBuilder &, Location, ValueRange) {});
            });
        Block *block = &loop.getBody().front();
        block->getTerminator()->erase();
        Projection projection = project(item, parts[i], i, block);
        OpBuilder end = OpBuilder::atBlockEnd(block);
        YieldOp::create(end, loc);
        addRegions(projection, pipes, channels, stagings, exchanges);
      });
  };
  int64_t ctas = 1;
  for (int64_t dimension : schedule.cluster)
    ctas *= dimension;
  SwitchOp::create(builder, item.kernel.getLoc(),
                   ctas > 1 ? ArrayRef<int64_t>(schedule.cluster)
                            : ArrayRef<int64_t>(),
                   roles);
}

/// A role that issues 2-CTA MMAs acts for its pair, and pipes to it and from it
/// signal in both CTAs.
void Former::setScopes() {
  for (Value channel : channels) {
    auto pipe = channel.getDefiningOp<PipeOp>();
    for (Operation *user : channel.getUsers()) {
      auto role = user->getParentOfType<RoleOp>();
      bool multiplies = role.walk([](tile::MmaOp mma) {
                              return mma.getPair() ? WalkResult::interrupt()
                                                   : WalkResult::advance();
                            })
                            .wasInterrupted();
      if (!multiplies)
        continue;
      role.setScope(Scope::pair);
      if (pipe.getScope() == Scope::cta)
        pipe.setScope(Scope::pair);
    }
  }
}

MaybeRejection Former::run() {
  parts = findParts(item, owners);
  if (MaybeRejection rejection = checkCrossing(item, owners, parts))
    return rejection;
  if (MaybeRejection rejection =
          findPipes(item, owners, parts, schedule, arch, pipes))
    return rejection;
  // A kernel that is one item stands in the block that will hold the switch.
  SmallVector<Operation *> program;
  if (item.nest.empty())
    for (Operation &op : item.body->without_terminator())
      program.push_back(&op);
  else
    program.push_back(item.nest.front());
  builder.setInsertionPoint(item.kernel.getBody().front().getTerminator());
  if (MaybeRejection rejection = makeStream())
    return rejection;
  makePipes();
  makeRoles();
  setScopes();
  for (auto [spec, channel] : llvm::zip_equal(pipes.pipes, channels))
    channel.getDefiningOp<PipeOp>().setBecauseAttr(
        toAttribute(builder.getContext(), spec.because));
  for (Operation *op : llvm::reverse(program))
    op->erase();
  return std::nullopt;
}

namespace {
struct FormPipesPass : agent::impl::FormPipesBase<FormPipesPass> {
  using FormPipesBase::FormPipesBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<AgentDialect, affine::AffineDialect, arith::ArithDialect,
                    scf::SCFDialect>();
  }

  void runOnOperation() override {
    if (failed(form()))
      signalPassFailure();
  }

  LogicalResult form();
};
} // namespace

LogicalResult FormPipesPass::form() {
  tile::KernelOp kernel = getOperation();
  FailureOr<const target::Architecture *> arch = tile::requireTarget(kernel);
  if (failed(arch))
    return failure();
  FailureOr<Owners> owners = Owners::read(kernel);
  if (failed(owners))
    return failure();
  Item item = Item::of(kernel);
  Owners::erase(kernel);
  tile::Schedule schedule = tile::getSchedule(kernel);
  Former former(item, *owners, schedule, **arch);
  if (MaybeRejection rejection = former.run())
    return rejection->emit();
  IRRewriter rewriter(kernel.getContext());
  (void)runRegionDCE(rewriter, kernel->getRegions());
  if (remarks)
    kernel.walk([&](PipeOp pipe) {
      for (auto reason : pipe.getBecauseAttr().getAsRange<ReasonAttr>())
        pipe.emitRemark(reason.str());
    });
  return success();
}
