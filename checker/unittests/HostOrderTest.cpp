//===- HostOrderTest.cpp - Order between streams and the host -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/HostOrder.h"
#include "drawloom/Checker/RaceChecker.h"
#include "gtest/gtest.h"

using namespace drawloom::checker;
using Kind = HostOrder::StreamKind;

namespace {
class HostOrderTest : public testing::Test {
protected:
  HostOrderTest() { order.allocated(base, 3 * 4096); }

  uint32_t stream(Kind kind = Kind::NonBlocking) {
    return order.addStream(this, kind, "stream " + std::to_string(++streams));
  }
  void use(uint32_t stream, uint64_t offset, uint64_t bytes, MemoryUse use) {
    order.use(order.enqueue(stream, "fill"), base + offset, bytes, use);
  }

  static constexpr uint64_t base = 0x700000000000;
  std::vector<Finding> found;
  HostOrder order{false, [this](Finding one) { found.push_back(one); }};
  unsigned streams = 0;
};
} // namespace

TEST_F(HostOrderTest, BytesOfPages) {
  PageBytes x, y;
  EXPECT_TRUE(x.empty());
  x.add(10, 100);
  EXPECT_TRUE(x.covers(10, 100));
  EXPECT_FALSE(x.covers(9, 100));
  y.add(99, 4096);
  EXPECT_EQ(x.overlap(y), (std::pair<uint64_t, uint64_t>(99, 100)));
  x.remove(y);
  EXPECT_EQ(x.overlap(y).second, 0u);
  y.add(0, 99);
  EXPECT_TRUE(y.covers(0, 4096));
  y.remove(x);
  EXPECT_FALSE(y.covers(10, 11));
  EXPECT_TRUE(y.covers(0, 10));
}

TEST_F(HostOrderTest, WordsOfARace) {
  uint32_t a = stream(), b = stream();
  use(a, 4000, 200, MemoryUse::Write);
  use(b, 4090, 100, MemoryUse::Read);
  // Of two pages, and one pair of operations.
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].rule, Rule::StreamOrder);
  EXPECT_EQ(
      found[0].str(),
      "error: fill, operation 2 in stream 2: data race between streams: "
      "unordered operations on the same memory [stream-order]\n"
      "  writes: fill, operation 1 in stream 1\n"
      "  reads:  fill, operation 2 in stream 2\n"
      "  where:  global memory at 0x700000000ffa, bytes 4090 to 4095 of the "
      "12288 bytes allocated at 0x700000000000\n"
      "  why:    no event, and no synchronization by the host, orders "
      "operation 2 in stream 2 after operation 1 in stream 1\n"
      "  add:    cudaEventRecord in stream 1 after operation 1 and "
      "cudaStreamWaitEvent in stream 2 before operation 2, or both operations "
      "in one stream\n");
}

TEST_F(HostOrderTest, JsonOfARace) {
  uint32_t a = stream(), b = stream();
  use(a, 0, 4, MemoryUse::Write);
  use(b, 0, 4, MemoryUse::Read);
  llvm::json::Object all = toJson(found);
  EXPECT_EQ(all.getInteger("errors"), 1);
  const llvm::json::Object &one = *(*all.getArray("findings"))[0].getAsObject();
  const llvm::json::Object *first = one.getObject("first");
  EXPECT_EQ(first->getString("operation"), "fill, operation 1 in stream 1");
  EXPECT_EQ(first->getString("access"), "write");
  EXPECT_EQ(first->getInteger("ptxLine"), 0);
  EXPECT_EQ(one.getObject("second")->getString("access"), "read");
}

TEST_F(HostOrderTest, EventsThatAreTooEarlyAreNamed) {
  uint32_t a = stream(), b = stream();
  StreamEvent event = order.record(a);
  use(a, 0, 4, MemoryUse::Write);
  order.wait(b, event);
  use(b, 0, 4, MemoryUse::Read);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].why, "stream 2 waits for an event of stream 1, but it was "
                          "recorded before operation 1 and doesn't cover it");
}

TEST_F(HostOrderTest, NonBlockingStreamsAreNamed) {
  uint32_t legacy = stream(Kind::Legacy), b = stream();
  use(legacy, 0, 4, MemoryUse::Write);
  use(b, 0, 4, MemoryUse::Read);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].why.find("a stream that was created with "
                              "cudaStreamNonBlocking doesn't synchronize with "
                              "the legacy default stream"),
            std::string::npos);
}

TEST_F(HostOrderTest, TheLegacyStreamOrdersBlockingOnes) {
  uint32_t legacy = stream(Kind::Legacy);
  uint32_t a = stream(Kind::Blocking), b = stream(Kind::Blocking);
  use(a, 0, 4, MemoryUse::Write);
  use(legacy, 8, 4, MemoryUse::Write);
  use(b, 0, 16, MemoryUse::Write);
  EXPECT_TRUE(found.empty());
  use(a, 0, 4, MemoryUse::Read);
  EXPECT_EQ(found.size(), 1u);
}

TEST_F(HostOrderTest, StrongAccessesDoNotRace) {
  uint32_t a = stream(), b = stream();
  use(a, 0, 4, MemoryUse::StrongWrite);
  use(b, 0, 4, MemoryUse::StrongWrite);
  EXPECT_TRUE(found.empty());
  use(a, 0, 4, MemoryUse::Read);
  EXPECT_EQ(found.size(), 1u);
}

// Of several operations of a stream, the last is named: what orders that orders
// them all.
TEST_F(HostOrderTest, OneFindingForAStream) {
  uint32_t a = stream(), b = stream();
  use(a, 0, 4, MemoryUse::Write);
  use(a, 0, 4, MemoryUse::Read);
  use(b, 0, 4, MemoryUse::Write);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].first.operation, "fill, operation 2 in stream 1");
}

TEST_F(HostOrderTest, TheHost) {
  uint32_t a = stream();
  use(a, 0, 4096, MemoryUse::Write);
  uint64_t page = base / 4096;
  EXPECT_EQ(order.allowed(page, 0, 4096), HostOrder::Allowed::Nothing);
  EXPECT_EQ(order.allowed(page + 1, 0, 4096), HostOrder::Allowed::All);
  order.useByHost(base + 8, false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, Rule::HostOrder);
  EXPECT_EQ(found[0].advice,
            "cudaStreamSynchronize of stream 1, cudaDeviceSynchronize, or "
            "cudaEventSynchronize of an event that is recorded after operation "
            "1, before the host reads it");
  order.synchronizeStream(a);
  EXPECT_EQ(order.allowed(page, 0, 4096), HostOrder::Allowed::All);
  order.useByHost(base + 8, true);
  EXPECT_EQ(found.size(), 1u);
}

// A page isn't protected for a part of it.
TEST_F(HostOrderTest, PartsOfPages) {
  uint32_t a = stream();
  use(a, 0, 100, MemoryUse::Read);
  EXPECT_EQ(order.allowed(base / 4096, 0, 4096), HostOrder::Allowed::All);
  EXPECT_EQ(order.allowed(base / 4096, 0, 100), HostOrder::Allowed::Reads);
}

TEST_F(HostOrderTest, Frees) {
  uint32_t a = stream(), b = stream();
  use(a, 0, 4, MemoryUse::Read);
  order.freed(base, order.enqueue(b, "free"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, Rule::FreedInFlight);
  EXPECT_EQ(found[0].advice,
            "cudaFreeAsync in stream 1 instead, or cudaEventRecord in stream 1 "
            "after operation 1 and cudaStreamWaitEvent in stream 2 before "
            "operation 2");
  // What is allocated there next has no past.
  order.allocated(base, 4096);
  use(b, 0, 4, MemoryUse::Write);
  EXPECT_EQ(found.size(), 1u);
  order.freed(base);
  EXPECT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].advice,
            "cudaFreeAsync in stream 2, or cudaStreamSynchronize of stream 2 "
            "before the memory is freed");
}

TEST_F(HostOrderTest, CallsThatReturnEarly) {
  uint32_t legacy = stream(Kind::Legacy), b = stream();
  HostOperationRef fill = order.enqueue(legacy, "fill");
  fill->returnsEarly = true;
  order.use(fill, base, 4, MemoryUse::Write);
  use(b, 0, 4, MemoryUse::Read);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, Rule::EarlyReturn);
  EXPECT_EQ(found[0].severity, Severity::Note);
}

// Numbers of streams that are over are given out again; what isn't over stays.
TEST_F(HostOrderTest, StreamsThatWereDestroyed) {
  uint32_t a = stream();
  use(a, 0, 4, MemoryUse::Write);
  order.removeStream(a);
  uint32_t b = stream();
  EXPECT_NE(a, b);
  use(b, 0, 4, MemoryUse::Write);
  EXPECT_EQ(found.size(), 1u);
  order.synchronizeContext(nullptr);
  order.removeStream(b);
  EXPECT_EQ(stream(), a);
  use(a, 0, 4, MemoryUse::Write);
  EXPECT_EQ(found.size(), 1u);
}
