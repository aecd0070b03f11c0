//===- BuildersTest.cpp - Roles and pipes from C++ ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace drawloom::agent;

namespace {

/// A scheduler that publishes the items of a stream, a producer that takes all
/// of them, and two consumers that take turns.
class Builders : public ::testing::Test {
protected:
  Builders() : builder(&context) {
    context.loadDialect<AgentDialect>();
    context.allowUnregisteredDialects();
    module = ModuleOp::create(builder, location);
    builder.setInsertionPointToEnd(module->getBody());
    Type index = builder.getIndexType();
    Value count = make("test.count", index);
    stream = ItemsOp::create(
        builder, location, Stream::dynamic, count, index,
        [](OpBuilder &builder, Location location, ValueRange arguments) {
          YieldOp::create(builder, location, arguments);
        });
    work = makePipe("work", Memory::message, index);
    tiles = makePipe("tiles", Memory::smem, tile);
    roles = SwitchOp::create(
        builder, location, ArrayRef<int64_t>{2, 1},
        [&](OpBuilder &, Location, ValueRange) { makeRoles(); });
  }

  Value make(StringRef name, Type type) {
    OperationState state(location, name);
    state.addTypes(type);
    return builder.create(state)->getResult(0);
  }

  PipeOp makePipe(StringRef name, Memory memory, Type payload) {
    auto type = PipeType::get(&context, memory, payload);
    return PipeOp::create(builder, location, type, name, /*slots=*/2,
                          Scope::cluster, /*place=*/nullptr,
                          /*because=*/nullptr);
  }

  /// A role whose loop over `source` holds one end of the pipe of tiles.
  ForEachItemOp makeRole(StringRef name, Value source, Value publish,
                         function_ref<void()> end) {
    ForEachItemOp loop;
    RoleOp::create(builder, location, name, /*warps=*/1,
                   [&](OpBuilder &, Location, ValueRange) {
                     loop = ForEachItemOp::create(
                         builder, location, source, publish,
                         [&](OpBuilder &, Location, ValueRange) { end(); });
                   });
    return loop;
  }

  void makeRoles() {
    scheduler = makeRole("scheduler", stream.getItems(), work.getPipe(), [] {});
    scheduler->getParentOfType<RoleOp>().setScope(Scope::cluster);
    makeRole("load", work.getPipe(), {}, [&] {
      ProduceOp::create(
          builder, location, tiles.getPipe(),
          [&](OpBuilder &builder, Location location, ValueRange arguments) {
            EXPECT_TRUE(arguments.empty());
            YieldOp::create(builder, location, make("test.load", tile));
          });
    });
    for (int64_t turn : {0, 1}) {
      ForEachItemOp loop =
          makeRole(turn ? "odd" : "even", work.getPipe(), {}, [&] {
            ConsumeOp::create(
                builder, location, tile, tiles.getPipe(), /*lag=*/1,
                [&](OpBuilder &builder, Location location, ValueRange slot) {
                  YieldOp::create(builder, location, slot);
                });
          });
      loop.setEvery(2);
      loop.setFrom(turn);
    }
  }

  MLIRContext context;
  OpBuilder builder;
  Location location = UnknownLoc::get(&context);
  Type tile = RankedTensorType::get({8, 4}, Float32Type::get(&context));
  OwningOpRef<ModuleOp> module;
  ItemsOp stream;
  PipeOp work, tiles;
  SwitchOp roles;
  ForEachItemOp scheduler;
};

SmallVector<StringRef> names(ArrayRef<RoleOp> roles) {
  return llvm::map_to_vector(roles,
                             [](RoleOp role) { return role.getSymName(); });
}

TEST_F(Builders, MakeWhatTheVerifierAccepts) {
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(roles.getClusterSize(), 2);
  EXPECT_EQ(llvm::range_size(roles.getRoles()), 4);
}

TEST_F(Builders, BothSidesOfAPipeAreKnown) {
  EXPECT_EQ(tiles.getSwitch(), roles);
  EXPECT_EQ(names(tiles.getProducers()), SmallVector<StringRef>({"load"}));
  EXPECT_EQ(names(tiles.getConsumers()),
            (SmallVector<StringRef>{"even", "odd"}));
  EXPECT_EQ(names(work.getProducers()), SmallVector<StringRef>({"scheduler"}));
  EXPECT_EQ(names(work.getConsumers()),
            (SmallVector<StringRef>{"load", "even", "odd"}));
}

TEST_F(Builders, ItemsComeFromOneStream) {
  roles.walk([&](ForEachItemOp loop) {
    EXPECT_EQ(loop.getStream(), stream.getItems());
  });
  // Without a publisher the messages are not known.
  scheduler.getPublishMutable().clear();
  roles.walk([&](ForEachItemOp loop) {
    if (loop != scheduler) {
      EXPECT_FALSE(loop.getStream());
    }
  });
}

} // namespace
