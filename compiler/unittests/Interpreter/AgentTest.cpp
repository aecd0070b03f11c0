//===- AgentTest.cpp - Roles, pipes and work tiles ------------------------===//
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

/// Runs a kernel in the order of its text and in orders from some seeds. All of
/// them must succeed and give the same; returns its last argument.
HostTensor runInAllOrders(llvm::StringRef text,
                          const std::vector<HostTensor> &arguments) {
  Outcome first = runKernel(text, arguments);
  EXPECT_TRUE(first.succeeded) << first.errors;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Options options;
    options.shuffle = seed;
    Outcome other = runKernel(text, arguments, options);
    EXPECT_TRUE(other.succeeded) << other.errors;
    EXPECT_TRUE(isEqual(other.tensors.back(), first.tensors.back())) << seed;
  }
  return first.tensors.back();
}

/// The error of a kernel that fails in every order, with the same words.
std::string errorInAllOrders(llvm::StringRef text,
                             const std::vector<HostTensor> &arguments) {
  Outcome first = runKernel(text, arguments);
  EXPECT_FALSE(first.succeeded);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Options options;
    options.shuffle = seed;
    EXPECT_EQ(runKernel(text, arguments, options).errors, first.errors);
  }
  return first.errors;
}

/// `text` with $ replaced.
std::string replace(llvm::StringRef text, llvm::StringRef by) {
  auto [before, after] = text.split('$');
  return before.str() + by.str() + after.str();
}

// Two roles in a cycle: @b doubles what @a sends, and @a adds it up.
TEST(Agent, ValuesTravelThroughPipes) {
  EXPECT_TRUE(isEqual(runInAllOrders(R"(
    tile.kernel @k(%n: index, %y: !tile.view<1xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %p = agent.pipe "there" slots(1) message : (i32)
      %q = agent.pipe "back" slots(1) message : (i32)
      agent.switch {
        agent.role @a warps(1) {
          %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i32) {
            agent.produce %p : !agent.pipe<message, i32> {
              %v = arith.index_cast %i : index to i32
              agent.yield %v : i32
            }
            %t = agent.consume %q as (%v) : !agent.pipe<message, i32> -> i32 {
              %u = arith.addi %s, %v : i32
              agent.yield %u : i32
            }
            scf.yield %t : i32
          }
          tile.store %sum, %y[0] : i32, !tile.view<1xi32>
        }
        agent.role @b warps(1) {
          scf.for %i = %c0 to %n step %c1 {
            agent.produce %q : !agent.pipe<message, i32> {
              %w = agent.consume %p as (%v) : !agent.pipe<message, i32> -> i32 {
                %u = arith.addi %v, %v : i32
                agent.yield %u : i32
              }
              agent.yield %w : i32
            }
          }
        }
      }
    })",
                                     {ints("index", {5}), zeros("1xi32")}),
                      ints("1xi32", {20})));
}

// @load produces for all items; @even and @odd each see the slots of their own,
// and @all sees every one.
TEST(Agent, RolesSeeTheSlotsOfTheirItems) {
  const char *text = R"(
    tile.kernel @k(%x: !tile.view<?xi32>, %n: index, %y: !tile.view<3x?xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %items = agent.items static %i of %n -> (index) {
        agent.yield %i : index
      }
      %p = agent.pipe "shared" slots(2) message : (i32)
      %q = agent.pipe "all" slots(2) message : (i32)
      agent.switch {
        agent.role @load warps(1) {
          agent.for_each_item (%i) in %items : !agent.items<index> {
            agent.produce %p : !agent.pipe<message, i32> {
              %v = tile.load %x[%i] : !tile.view<?xi32> -> i32
              agent.yield %v : i32
            }
            agent.produce %q : !agent.pipe<message, i32> {
              %v = tile.load %x[%i] : !tile.view<?xi32> -> i32
              agent.yield %v : i32
            }
          }
        }
        agent.role @even warps(1) {
          agent.for_each_item (%i) in %items every 2 from 0 : !agent.items<index> {
            agent.consume %p as (%v) : !agent.pipe<message, i32> {
              tile.store %v, %y[%c0, %i] : i32, !tile.view<3x?xi32>
            }
          }
        }
        agent.role @odd warps(1) {
          agent.for_each_item (%i) in %items every 2 from 1 : !agent.items<index> {
            agent.consume %p as (%v) : !agent.pipe<message, i32> {
              tile.store %v, %y[%c1, %i] : i32, !tile.view<3x?xi32>
            }
          }
        }
        agent.role @all warps(1) {
          agent.for_each_item (%i) in %items : !agent.items<index> {
            agent.consume %q as (%v) : !agent.pipe<message, i32> {
              tile.store %v, %y[%c2, %i] : i32, !tile.view<3x?xi32>
            }
          }
        }
      }
    })";
  // Which items are even depends on their order, so only the text's order has a
  // fixed result.
  Outcome outcome = runKernel(text, {ints("5xi32", {1, 2, 3, 4, 5}),
                                     ints("index", {5}), zeros("3x5xi32")});
  ASSERT_TRUE(outcome.succeeded) << outcome.errors;
  EXPECT_TRUE(
      isEqual(outcome.tensors.back(),
              ints("3x5xi32", {1, 0, 3, 0, 5, 0, 2, 0, 4, 0, 1, 2, 3, 4, 5})));
}

// One role publishes the items; two others follow, and all see the end.
TEST(Agent, ItemsCanBePublished) {
  const char *text = R"(
    tile.kernel @k(%n: index, %y: !tile.view<2x?xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %tiles = agent.items dynamic %i of %n -> (index, i32) {
        %v = arith.index_cast %i : index to i32
        agent.yield %i, %v : index, i32
      }
      %work = agent.pipe "work" slots(1) message : (index, i32)
      %go = agent.pipe "throttle" slots(1) message : ()
      agent.switch {
        agent.role @scheduler warps(1) {
          agent.for_each_item (%i, %v) in %tiles publish %work : !agent.items<index, i32>, !agent.pipe<message, index, i32> {
            agent.consume %go : !agent.pipe<message> {
            }
          }
        }
        agent.role @a warps(1) {
          agent.for_each_item (%i, %v) in %work : !agent.pipe<message, index, i32> {
            agent.produce %go : !agent.pipe<message> {
            }
            tile.store %v, %y[%c0, %i] : i32, !tile.view<2x?xi32>
          }
        }
        agent.role @b warps(1) {
          agent.for_each_item (%i, %v) in %work : !agent.pipe<message, index, i32> {
            %w = arith.addi %v, %v : i32
            tile.store %w, %y[%c1, %i] : i32, !tile.view<2x?xi32>
          }
        }
      }
    })";
  EXPECT_TRUE(
      isEqual(runInAllOrders(text, {ints("index", {3}), zeros("2x3xi32")}),
              ints("2x3xi32", {0, 1, 2, 0, 2, 4})));
  EXPECT_TRUE(
      isEqual(runInAllOrders(text, {ints("index", {0}), zeros("2x1xi32")}),
              ints("2x1xi32", {0, 0})));
}

// @b keeps one of two slots while it waits for 'q', which @a sends after it has
// filled three. Leaving a loop gives the slot back.
TEST(Agent, LagKeepsSlots) {
  const char *text = R"(
    tile.kernel @k(%unused: i32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %p = agent.pipe "p" slots(2) message : ()
      %q = agent.pipe "q" slots(1) message : ()
      agent.switch {
        agent.role @a warps(1) {
          agent.produce %p : !agent.pipe<message> {
          }
          agent.produce %p : !agent.pipe<message> {
          }
          agent.produce %p : !agent.pipe<message> {
          }
          agent.produce %q : !agent.pipe<message> {
          }
        }
        agent.role @b warps(1) {
          $
          agent.consume %q : !agent.pipe<message> {
          }
          agent.consume %p : !agent.pipe<message> {
          }
          agent.consume %p : !agent.pipe<message> {
          }
        }
      }
    })";
  EXPECT_THAT(
      errorInAllOrders(
          replace(text, "agent.consume %p lag(1) : !agent.pipe<message> {\n}"),
          {zeros("i32")}),
      HasSubstr("7:7: no role can move: @a waits for an empty slot of 'p', @b "
                "waits for a full slot of 'q' [interpreter-deadlock]"));
  runInAllOrders(replace(text, "agent.consume %p : !agent.pipe<message> {\n}"),
                 {zeros("i32")});
  runInAllOrders(replace(text, R"(
          scf.for %i = %c0 to %c1 step %c1 {
            agent.consume %p lag(1) : !agent.pipe<message> {
            }
          })"),
                 {zeros("i32")});
}

TEST(Agent, WhatStaysInAPipeIsReported) {
  EXPECT_THAT(errorInAllOrders(R"(
    tile.kernel @k() {
      %p = agent.pipe "p" slots(2) message : ()
      agent.switch {
        agent.role @a warps(1) {
          agent.produce %p : !agent.pipe<message> {
          }
          agent.produce %p : !agent.pipe<message> {
          }
        }
        agent.role @b warps(1) {
          agent.consume %p : !agent.pipe<message> {
          }
        }
      }
    })",
                               {}),
              HasSubstr("3:12: pipe 'p' has 1 full slot left for @b when all "
                        "roles have ended"));
}

TEST(Agent, ARoleThatEndedIsNamed) {
  EXPECT_THAT(errorInAllOrders(R"(
    tile.kernel @k() {
      %p = agent.pipe "p" slots(2) message : ()
      agent.switch {
        agent.role @a warps(1) {
          agent.produce %p : !agent.pipe<message> {
          }
        }
        agent.role @b warps(1) {
          agent.consume %p : !agent.pipe<message> {
          }
          agent.consume %p : !agent.pipe<message> {
          }
        }
      }
    })",
                               {}),
              HasSubstr("4:7: no role can move: @a has ended, @b waits for a "
                        "full slot of 'p'"));
}

// An error in one role ends the run, also for those that wait.
TEST(Agent, AnErrorEndsAllRoles) {
  EXPECT_EQ(errorInAllOrders(R"(
    tile.kernel @k(%n: i32) {
      %p = agent.pipe "p" slots(1) message : (i32)
      agent.switch {
        agent.role @b warps(1) {
          agent.consume %p as (%v) : !agent.pipe<message, i32> {
          }
        }
        agent.role @a warps(1) {
          agent.produce %p : !agent.pipe<message, i32> {
            %e = arith.constant dense<0> : tensor<1xi32>
            %i = arith.index_cast %n : i32 to index
            %v = tensor.extract %e[%i] : tensor<1xi32>
            agent.yield %v : i32
          }
        }
      }
    })",
                             {ints("i32", {1})}),
            "13:18: index 1 of dimension 0 is outside the tensor, which has "
            "1 [interpreter]\n");
}

// Items must be independent, whichever role works on them.
TEST(Agent, ItemsThatMeetAreReported) {
  EXPECT_THAT(runKernel(R"(
    tile.kernel @k(%n: index, %y: !tile.view<?xi32>) {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %items = agent.items static %i of %n -> (index) {
        agent.yield %i : index
      }
      agent.switch {
        agent.role @a warps(1) {
          agent.for_each_item (%i) in %items : !agent.items<index> {
            tile.store %one, %y[%c0] : i32, !tile.view<?xi32>
          }
        }
      }
    })",
                        {ints("index", {2}), zeros("1xi32")})
                  .errors,
              HasSubstr("11:13: work tile (1) stores the element at [0] of "
                        "argument 1, which work tile (0) stored"));
}

TEST(Agent, Rejections) {
  EXPECT_THAT(runKernel(R"(
    tile.kernel @k(%n: index) {
      %items = agent.items static %i of %n -> (index) {
        agent.yield %i : index
      }
    })",
                        {ints("index", {-1})})
                  .errors,
              HasSubstr("3:16: the number of work tiles is -1; it must not be "
                        "negative"));
  EXPECT_THAT(runKernel(R"(
    tile.kernel @k(%n: index) {
      %items = agent.items static %i of %n -> (index) {
        agent.yield %i : index
      }
    })",
                        {ints("index", {1 << 23})})
                  .errors,
              HasSubstr("more than 4194304 work tiles [interpreter]"));
}

} // namespace
