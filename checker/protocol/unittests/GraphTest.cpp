//===- GraphTest.cpp - Programs of roles from claims made by hand ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A pipe of two slots from a warp to another, and what may be wrong with it.
// Whole kernels are proved by the tests of the device library.

#include "drawloom/Protocol/Graph.h"
#include "gtest/gtest.h"

using namespace drawloom::protocol;
using Kind = Event::Kind;

/// Barriers of 'a' at 0, 8 (full) and 16, 24 (empty); of 'b' at 32 and 40.
static constexpr const char *line =
    "threads 96 cluster 1 1 alone items static shared 160 columns 0 ; "
    "role load warp 0 warps 1 by tma ; role use warp 1 warps 1 by threads ; "
    "pipe a from load to use slots 2 in shared 64 at 32 full 0 arrivals 1 "
    "bytes 64 "
    "empty 16 arrivals 1 ; "
    "pipe b from load to use slots 1 in shared 64 at 96 full 32 arrivals 1 "
    "empty 40 arrivals 1 ; barrier other 48 ;";

static Step wait(int64_t byte, int64_t parity) {
  return {Step::Kind::Wait, {0, byte}, parity};
}
static Step arrive(int64_t byte, int64_t count = 1) {
  return {Step::Kind::Arrive, {0, byte}, count};
}
static const Step item = {Step::Kind::Mark, {}, 0};
static const Step step = {Step::Kind::Mark, {}, 1};

namespace {

/// A kernel of warps with one lane each, which do their steps in a loop.
class Kernel {
public:
  Kernel() {
    for (int64_t byte = 0; byte <= 48; byte += 8)
      setUp(byte, {1});
    warp(0, {item, wait(16, 1), arrive(0), item, wait(24, 1), arrive(8), item,
             wait(16, 0), arrive(0), item, wait(24, 0), arrive(8)});
    warp(1, {item, wait(0, 0), arrive(16), item, wait(8, 0), arrive(24), item,
             wait(0, 1), arrive(16), item, wait(8, 1), arrive(24)});
  }
  Kernel &setUp(int64_t byte, std::set<int64_t> counts) {
    Barrier &made = claims.barriers[{0, byte}];
    made.parts[{Kind::Init, 1}].kind = Kind::Init;
    made.parts[{Kind::Init, 1}].numbers = counts;
    made.parts[{Kind::Init, 1}].line = 1;
    return *this;
  }
  /// Goes through the steps again and again, and may end before each item.
  Kernel &warp(unsigned number, const std::vector<Step> &steps) {
    auto paths = std::make_shared<Paths>();
    unsigned at = 0, line = 10 * number;
    for (const Step &one : steps) {
      if (one == item)
        paths->end(at, 1);
      at = paths->append(at, one, ++line, 1, 1);
      if (one.kind == Step::Kind::Mark)
        continue;
      Part &part = claims.barriers[one.barrier]
                       .parts[{one.isWait() ? Kind::Wait : Kind::Arrive, line}];
      part.kind = one.isWait() ? Kind::Wait : Kind::Arrive;
    }
    paths->connect(at, 0, 1);
    paths->end(0, 1);
    claims.paths[{0, number}] = paths;
    return *this;
  }
  FollowedRoles follow() const {
    return followRoles(claims, llvm::cantFail(parseGraph(line)));
  }
  /// The first thing that is at odds.
  std::string misfit() const {
    FollowedRoles roles = follow();
    if (roles.misfits.empty())
      return "none; outside: " + roles.outside;
    const Misfit &first = roles.misfits.front();
    return first.title + "; " + first.why + "; " + first.advice;
  }

  Claims claims;
};

} // namespace

TEST(Graph, IsRead) {
  Graph graph = llvm::cantFail(parseGraph(line));
  EXPECT_EQ(graph.threads, 96u);
  EXPECT_EQ(graph.roles.size(), 2u);
  ASSERT_EQ(graph.pipes.size(), 2u);
  EXPECT_EQ(graph.pipes[0].bytes, 64);
  EXPECT_EQ(graph.pipes[1].empty, 40);
  EXPECT_EQ(graph.roleOf(2), std::nullopt);
}

TEST(Graph, IsNotRead) {
  for (const char *bad :
       {"", "threads 0 cluster 1 1 alone items static shared 160 columns 0 ;",
        "threads 32 cluster 1 1 alone items static shared 160 columns 0 ; pipe "
        "a from none",
        "threads 32 cluster 1 1 alone items static shared 160 columns 0 ; what "
        "is that ;"})
    EXPECT_EQ(llvm::toString(parseGraph(bad).takeError()),
              "the line '// drawloom: kernel' says nothing that can be read; "
              "compile the kernel with the device library of this version")
        << bad;
}

TEST(Graph, ProgramOfALoop) {
  FollowedRoles roles = Kernel().follow();
  EXPECT_EQ(roles.outside, "");
  ASSERT_TRUE(roles.misfits.empty()) << roles.misfits.front().title;
  for (const FollowedRole &role : roles.roles) {
    EXPECT_EQ(role.ctas, 1u);
    ASSERT_EQ(role.program.size(), 1u);
    EXPECT_EQ(role.program[0].kind, Use::Kind::Items);
    ASSERT_EQ(role.program[0].body.size(), 1u);
    EXPECT_EQ(role.program[0].body[0].kind, Use::Kind::Scope);
    EXPECT_EQ(role.program[0].body[0].pipe, 0u);
  }
}

TEST(Graph, SlotThatIsntNext) {
  EXPECT_EQ(Kernel().warp(1, {item, wait(8, 0), arrive(24)}).misfit(),
            "role 'use' waits for slot 1 of 'a' to be full, where slot 0 is "
            "the next; slots are taken in the order of the ring, or the other "
            "side waits for one that comes later; wait for each slot once");
}

TEST(Graph, ParityThatIsntDue) {
  EXPECT_EQ(Kernel().warp(0, {item, wait(16, 0), arrive(0)}).misfit(),
            "role 'load' waits for slot 0 of 'a' to be empty with parity 0, "
            "where 1 is due; the parity says which round of the ring is meant; "
            "change the parity when the slot wraps around, and only then");
}

TEST(Graph, AllSlotsTaken) {
  EXPECT_EQ(Kernel()
                .warp(1, {item, wait(0, 0), wait(8, 0), wait(0, 1), arrive(16)})
                .misfit(),
            "role 'use' waits for slot 0 of 'a' to be full, and has all 2 "
            "slots itself; no other role can make it so; give a slot on before "
            "the next is taken");
}

TEST(Graph, GivenTwice) {
  EXPECT_EQ(
      Kernel().warp(1, {item, wait(0, 0), arrive(16), arrive(24)}).misfit(),
      "role 'use' releases slot 1 of 'a', which it doesn't have; it hasn't "
      "waited for it since it last gave it on; wait for a slot first, and give "
      "it on once");
  EXPECT_EQ(Kernel().warp(0, {item, arrive(0), wait(16, 1)}).misfit(),
            "role 'load' passes on slot 0 of 'a', which it doesn't have; it "
            "hasn't waited for it since it last gave it on; wait for a slot "
            "first, and give it on once");
}

TEST(Graph, GivenInAnotherOrder) {
  EXPECT_EQ(Kernel()
                .warp(1, {item, wait(0, 0), wait(8, 0), arrive(24), arrive(16)})
                .misfit(),
            "role 'use' releases slot 1 of 'a', where slot 0 is the next; "
            "slots are given on in the order in which they were taken; give "
            "the oldest slot on first");
}

TEST(Graph, NeverGiven) {
  EXPECT_EQ(Kernel().warp(1, {item, wait(0, 0)}).misfit(),
            "role 'use' ends with slot 0 of 'a'; 'load' waits for it; give it "
            "back when it has been read");
  EXPECT_EQ(Kernel().warp(0, {item, wait(16, 1)}).misfit(),
            "role 'load' ends with slot 0 of 'a'; 'use' waits for it; fill it "
            "and pass it on");
}

TEST(Graph, AnotherRolesPipe) {
  EXPECT_EQ(Kernel().warp(1, {item, wait(16, 1), arrive(0)}).misfit(),
            "role 'use' arrives for slot 0 of 'a', which isn't its own; the "
            "pipe goes from 'load' to 'use'; use it from these roles only");
  EXPECT_EQ(Kernel().warp(0, {item, wait(0, 0), arrive(0)}).misfit(),
            "role 'load' waits for slot 0 of 'a', which isn't its own; the "
            "pipe goes from 'load' to 'use'; use it from these roles only");
}

TEST(Graph, NoPipesBarrier) {
  Kernel kernel;
  kernel.setUp(56, {1}).warp(1, {item, wait(56, 0), arrive(56)});
  EXPECT_EQ(kernel.misfit(),
            "role 'use' uses an mbarrier at byte 56 outside pipes; "
            "barriers of pipes are the only ones of the kernel; pass what it "
            "guards through a pipe");
}

TEST(Graph, CountThatIsntReached) {
  EXPECT_EQ(Kernel().setUp(16, {2}).misfit(),
            "slot 0 of 'a' is empty after 2 arrivals, and its roles make 1; a "
            "phase ends with exactly so many arrivals; let every role of the "
            "pipe arrive for each slot, as its scopes do");
}

TEST(Graph, WarpWithoutARole) {
  EXPECT_EQ(Kernel().warp(2, {arrive(0)}).follow().outside,
            "warp 2, which has no role, uses mbarriers");
}

TEST(Graph, WarpsThatDiffer) {
  // The second warp of 'use' takes two slots for an item.
  Kernel kernel;
  kernel.warp(2, {item, wait(0, 0), arrive(16), wait(8, 0), arrive(24), item,
                  wait(0, 1), arrive(16), wait(8, 1), arrive(24)});
  auto [before, after] = llvm::StringRef(line).split("warp 1 warps 1");
  std::string text = (before + "warp 1 warps 2" + after).str();
  EXPECT_EQ(
      followRoles(kernel.claims, llvm::cantFail(parseGraph(text))).outside,
      "warps of role 'use' use its pipes in different orders");
}

TEST(Graph, NotFollowed) {
  Kernel kernel;
  kernel.claims.unfollowed.insert({3, "mbarrier.arrive", "why"});
  EXPECT_EQ(kernel.follow().outside, "not all of it was followed");
}

TEST(Graph, UndecidedChoice) {
  // Without a mark, nothing says how often.
  Kernel kernel;
  kernel.warp(1, {wait(0, 0), arrive(16), wait(8, 0), arrive(24), wait(0, 1),
                  arrive(16), wait(8, 1), arrive(24)});
  EXPECT_EQ(kernel.follow().outside,
            "role 'use' takes a slot of 'a' (line 11) or ends, and neither "
            "items nor steps decide which");
}

TEST(Graph, FirstRoundThatDiffers) {
  // An item has one slot, the next two.
  EXPECT_EQ(
      Kernel()
          .warp(1, {item,       wait(0, 0), arrive(16), item,       wait(8, 0),
                    arrive(24), wait(0, 1), arrive(16), item,       wait(8, 1),
                    arrive(24), item,       wait(0, 0), arrive(16), wait(8, 0),
                    arrive(24), item,       wait(0, 1), arrive(16), item,
                    wait(8, 1), arrive(24), wait(0, 0), arrive(16), item,
                    wait(8, 0), arrive(24), item,       wait(0, 1), arrive(16),
                    wait(8, 1), arrive(24)})
          .follow()
          .outside,
      "role 'use' does something else in the first round of a loop than "
      "in others (line 11)");
}

TEST(Graph, LoopThatIsLeft) {
  // It ends within its item.
  Kernel kernel;
  auto paths = std::make_shared<Paths>();
  unsigned at = 0;
  for (const Step &one : {item, wait(0, 0), arrive(16), wait(8, 0), arrive(24)})
    at = paths->append(at, one, 11, 1, 1);
  paths->end(at, 1);
  kernel.claims.paths[{0, 1}] = paths;
  EXPECT_EQ(kernel.follow().outside,
            "role 'use' leaves a loop before its round is over");
}

TEST(Graph, SlotOfTheRoundBefore) {
  // for each item: wait for b; for each step: give b, wait for b; use a; give
  // b.
  Kernel kernel;
  auto paths = std::make_shared<Paths>();
  auto add = [&](unsigned from, const std::vector<Step> &steps, unsigned to) {
    for (const Step &one : steps)
      from = paths->append(from, one, 11, 1, 1);
    paths->connect(from, to, 1);
  };
  // By the parity of b, and how often a was used.
  auto begin = [&](unsigned parity, unsigned uses) {
    return paths->nodeOf(8 * parity + uses % 4);
  };
  auto has = [&](unsigned parity, unsigned uses) {
    return paths->nodeOf(8 * parity + 4 + uses);
  };
  paths->connect(0, begin(0, 0), 1);
  for (unsigned parity : {0, 1})
    for (unsigned uses : {0, 1, 2, 3}) {
      unsigned slot = uses % 2, other = 1 - parity;
      paths->end(begin(parity, uses), 1);
      add(begin(parity, uses), {item, wait(32, parity)}, has(parity, uses));
      add(has(parity, uses), {arrive(40), wait(32, other), step},
          has(other, uses));
      add(has(parity, uses),
          {wait(8 * slot, uses / 2), arrive(16 + 8 * slot), arrive(40)},
          begin(other, uses + 1));
    }
  kernel.warp(1, {wait(0, 0), arrive(16), wait(8, 0), arrive(24), wait(32, 0),
                  arrive(40)}); // So much is claimed.
  kernel.claims.paths[{0, 1}] = paths;
  kernel.warp(0, {item, wait(40, 1), arrive(32), wait(16, 1), arrive(0),
                  item, wait(40, 0), arrive(32), wait(24, 1), arrive(8),
                  item, wait(40, 1), arrive(32), wait(16, 0), arrive(0),
                  item, wait(40, 0), arrive(32), wait(24, 0), arrive(8)});
  EXPECT_EQ(kernel.follow().outside,
            "role 'use' gives on a slot of 'b' that it took in the round "
            "before (line 11)");
}

TEST(Graph, WaitBeforeALateGive) {
  // for each item: for each step: wait for a, give the previous a; wait for b,
  // give the last a, give b. The role has a slot of a while it waits for b.
  Kernel kernel;
  auto paths = std::make_shared<Paths>();
  auto add = [&](unsigned from, const std::vector<Step> &steps, unsigned to) {
    for (const Step &one : steps)
      from = paths->append(from, one, 11, 1, 1);
    paths->connect(from, to, 1);
  };
  // By the parity of b, and how often a was taken.
  auto node = [&](unsigned kind, unsigned parity, unsigned takes) {
    return paths->nodeOf(8 * kind + 4 * parity + takes % 4);
  };
  enum { Begin, First, Has };
  auto take = [](unsigned number) {
    return wait(8 * (number % 2), number % 4 / 2);
  };
  auto give = [](unsigned number) { return arrive(16 + 8 * (number % 2)); };
  paths->connect(0, node(Begin, 0, 0), 1);
  for (unsigned parity : {0, 1})
    for (unsigned takes : {0, 1, 2, 3}) {
      Step b = wait(32, parity);
      unsigned next = node(Begin, 1 - parity, takes);
      paths->end(node(Begin, parity, takes), 1);
      add(node(Begin, parity, takes), {item}, node(First, parity, takes));
      add(node(First, parity, takes), {take(takes), step},
          node(Has, parity, takes + 1));
      add(node(First, parity, takes), {b, arrive(40)}, next);
      add(node(Has, parity, takes), {take(takes), give(takes + 3), step},
          node(Has, parity, takes + 1));
      add(node(Has, parity, takes), {b, give(takes + 3), arrive(40)}, next);
    }
  kernel.warp(1, {wait(0, 0), arrive(16), wait(8, 0), arrive(24), wait(32, 0),
                  arrive(40)}); // So much is claimed.
  kernel.claims.paths[{0, 1}] = paths;
  kernel.warp(0, {item, wait(16, 1), arrive(0), wait(40, 1), arrive(32),
                  item, wait(24, 1), arrive(8), wait(40, 0), arrive(32),
                  item, wait(16, 0), arrive(0), wait(40, 1), arrive(32),
                  item, wait(24, 0), arrive(8), wait(40, 0), arrive(32)});
  EXPECT_EQ(
      kernel.follow().outside,
      "role 'use' takes a slot of 'b' (line 11) before it releases the last "
      "slot of 'a'");
}

TEST(Graph, ScopesThatCross) {
  Kernel kernel;
  kernel.warp(1, {item, wait(0, 0), wait(32, 0), arrive(16), arrive(40),
                  item, wait(8, 0), wait(32, 1), arrive(24), arrive(40),
                  item, wait(0, 1), wait(32, 0), arrive(16), arrive(40),
                  item, wait(8, 1), wait(32, 1), arrive(24), arrive(40)});
  kernel.warp(0, {item, wait(16, 1), arrive(0), wait(40, 1), arrive(32),
                  item, wait(24, 1), arrive(8), wait(40, 0), arrive(32),
                  item, wait(16, 0), arrive(0), wait(40, 1), arrive(32),
                  item, wait(24, 0), arrive(8), wait(40, 0), arrive(32)});
  EXPECT_EQ(kernel.follow().outside,
            "role 'use' gives on a slot of 'a' before one of 'b' that it took "
            "later (line 14)");
}
