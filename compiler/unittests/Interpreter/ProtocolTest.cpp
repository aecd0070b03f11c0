//===- ProtocolTest.cpp - Kernels whose pipes are lowered -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

using namespace drawloom::interp;
using namespace drawloom::interp::test;
using testing::HasSubstr;

namespace {

// Two slots, six tiles of eight numbers: @load fills by TMA, @double writes
// twice the tile to a slot of its own, which a bulk store empties. What a test
// changes is $0 (before the slot is read), $1 (after it was written) and $2
// (bytes that are expected).
const char *ring = R"(
  tile.kernel @k(%x: !tile.view<48xf32>, %y: !tile.view<48xf32>) {
    %in = agent.slots "in" count(2) at(0) stride(32) offsets [0] : !agent.slots<smem, tensor<8xf32>>
    %in.full = agent.barriers "in.full" count(2) arrivals(1) at(128) : !agent.barriers
    %in.empty = agent.barriers "in.empty" count(2) arrivals(1) at(144) : !agent.barriers
    %out = agent.slots "out" count(1) at(64) stride(32) offsets [0] : !agent.slots<smem, tensor<8xf32>>
    agent.init_barriers %in.full, %in.empty
    agent.sync cta
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c48 = arith.constant 48 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = arith.constant $2 : i32
    agent.switch {
      agent.role @load warps(1) {
        scf.for %i = %c0 to %c48 step %c8 iter_args(%slot = %zero, %phase = %one) -> (i32, i32) {
          %empty = agent.barrier %in.empty[%slot]
          agent.wait %empty parity(%phase)
          %full = agent.barrier %in.full[%slot]
          agent.expect %full bytes(%bytes)
          %b = agent.slot %in[%slot], 0 : !agent.slots<smem, tensor<8xf32>> -> !tile.buffer<8xf32, smem>
          agent.load %x[%i] dims [0] pad(0.0 : f32) to %b by(tma) tells %full : !tile.view<48xf32>, !tile.buffer<8xf32, smem>
          %next, %flipped = agent.advance %slot, %phase of 2
          scf.yield %next, %flipped : i32, i32
        }
      }
      agent.role @double warps(1) {
        scf.for %i = %c0 to %c48 step %c8 iter_args(%slot = %zero, %phase = %zero) -> (i32, i32) {
          %full = agent.barrier %in.full[%slot]
          $0
          %b = agent.slot %in[%slot], 0 : !agent.slots<smem, tensor<8xf32>> -> !tile.buffer<8xf32, smem>
          %t = tile.read %b[0] : !tile.buffer<8xf32, smem> -> tensor<8xf32>
          %u = arith.addf %t, %t : tensor<8xf32>
          %empty = agent.barrier %in.empty[%slot]
          agent.arrive %empty by(threads)
          %o = agent.slot %out[%zero], 0 : !agent.slots<smem, tensor<8xf32>> -> !tile.buffer<8xf32, smem>
          tile.write %u, %o[0] : tensor<8xf32>, !tile.buffer<8xf32, smem>
          $1
          agent.store %o to %y[%i] dims [0] by(tma) : !tile.buffer<8xf32, smem>, !tile.view<48xf32>
          agent.commit_stores
          agent.drain stores
          %next, %flipped = agent.advance %slot, %phase of 2
          scf.yield %next, %flipped : i32, i32
        }
      }
    }
  })";

std::string fill(llvm::StringRef first, llvm::StringRef second,
                 llvm::StringRef third) {
  std::string text = ring;
  auto put = [&](llvm::StringRef mark, llvm::StringRef by) {
    text.replace(text.find(mark.str()), mark.size(), by.str());
  };
  put("$0", first);
  put("$1", second);
  put("$2", third);
  return text;
}

const char *wait = "agent.wait %full parity(%phase)";
const char *fence = "agent.fence async";

HostTensor count(double step) {
  std::vector<double> numbers;
  for (int i = 0; i < 48; ++i)
    numbers.push_back(step * i);
  return floats("48xf32", numbers);
}

std::vector<Options> getOrders() {
  std::vector<Options> orders(10);
  orders[1].reverse = true;
  for (size_t i = 2; i < orders.size(); ++i)
    orders[i].shuffle = i;
  return orders;
}

/// The first error, which must be one in every order.
std::string getError(const std::string &text) {
  std::string first;
  for (const Options &order : getOrders()) {
    Outcome outcome = runKernel(text, {count(1), zeros("48xf32")}, order);
    EXPECT_FALSE(outcome.succeeded);
    if (first.empty())
      first = outcome.errors;
  }
  return first;
}

TEST(Protocol, SlotsGoRoundInEveryOrder) {
  for (const Options &order : getOrders()) {
    Outcome outcome =
        runKernel(fill(wait, fence, "32"), {count(1), zeros("48xf32")}, order);
    ASSERT_TRUE(outcome.succeeded) << outcome.errors;
    EXPECT_TRUE(isEqual(outcome.tensors.back(), count(2)));
  }
}

TEST(Protocol, AReadBeforeItsPhaseIsAnError) {
  std::string error = getError(fill("", fence, "32"));
  EXPECT_TRUE(
      llvm::StringRef(error).contains("reads slot 0 of 'in', which is empty") ||
      llvm::StringRef(error).contains(
          "which a bulk load of @load wrote, and no barrier, drain or "
          "sync orders the two"))
      << error;
}

TEST(Protocol, AReadBeforeItsFenceIsAnError) {
  EXPECT_THAT(getError(fill(wait, "", "32")),
              HasSubstr("reads slot 0 of 'out', which the threads of @double "
                        "wrote, and no 'agent.fence async' comes between"));
}

TEST(Protocol, BytesThatNeverComeAreADeadlock) {
  EXPECT_THAT(
      getError(fill(wait, fence, "48")),
      HasSubstr(
          "no role can move: @load waits for parity 0 of 'in.empty'[0], "
          "where phase 0 lacks 1 of 1 arrivals and 0 bytes, @double "
          "waits for parity 0 of 'in.full'[0], where phase 0 lacks 0 of 1 "
          "arrivals and 16 bytes"));
}

TEST(Protocol, AnArrivalTooManyIsAnError) {
  EXPECT_THAT(getError(fill("agent.arrive %full by(threads)", fence, "48")),
              HasSubstr("arrives at 'in.full'[0], whose phase has all arrivals "
                        "and still waits for 16 bytes"));
}

TEST(Protocol, ARoleDrainsItsStores) {
  std::string text = fill(wait, fence, "32");
  text.erase(text.find("agent.drain stores"),
             std::string("agent.drain stores").size());
  EXPECT_THAT(getError(text),
              HasSubstr("writes slot 0 of 'out' while the bulk stores of "
                        "@double may still read it"));
}

} // namespace
