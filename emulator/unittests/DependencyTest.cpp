//===- DependencyTest.cpp - griddepcontrol -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::emu;

// The first kernel lets the second start, and waits until it has: its last
// store comes after the second kernel's first. The second kernel adds up what
// the first has stored, once it has waited.
static const char *kernels = R"(
.visible .entry first(.param .u64 flag, .param .u64 values) {
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [flag];
  ld.param.u64 %rd2, [values];
  griddepcontrol.launch_dependents;
  griddepcontrol.launch_dependents;
again:
  ld.volatile.global.u32 %r1, [%rd1];
  setp.lt.u32 %p1, %r1, 2;
  @%p1 bra again;
  mov.u32 %r2, %ctaid.x;
  mad.wide.u32 %rd3, %r2, 4, %rd2;
  add.u32 %r3, %r2, 10;
  st.global.u32 [%rd3], %r3;
  ret;
}
.visible .entry second(.param .u64 flag, .param .u64 values,
                       .param .u64 sums) {
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [flag];
  ld.param.u64 %rd2, [values];
  ld.param.u64 %rd3, [sums];
  atom.global.add.u32 %r1, [%rd1], 1;
  griddepcontrol.wait;
  ld.global.u32 %r2, [%rd2];
  ld.global.u32 %r3, [%rd2+4];
  ld.global.u32 %r4, [%rd2+8];
  add.u32 %r2, %r2, %r3;
  add.u32 %r2, %r2, %r4;
  mov.u32 %r5, %ctaid.x;
  mad.wide.u32 %rd4, %r5, 4, %rd3;
  st.global.u32 [%rd4], %r2;
  ret;
})";

static Launch launchOf(Harness &h, llvm::StringRef name, unsigned ctas,
                       std::vector<uint64_t> arguments) {
  Launch launch;
  launch.kernel = h.kernel(name);
  launch.grid = {ctas};
  launch.block = {1};
  launch.parameters.resize(launch.kernel->parameterBytes);
  for (auto [index, argument] : llvm::enumerate(arguments))
    memcpy(launch.parameters.data() + index * 8, &argument, 8);
  return launch;
}

TEST(Dependency, ProgrammaticLaunch) {
  for (Policy policy :
       {Policy::Deterministic, Policy::Random, Policy::Adversarial}) {
    Harness h("h100", kernels);
    h.options.policy = policy;
    h.options.stepLimit = 100000;
    uint64_t flag = h.allocate<uint32_t>(1), values = h.allocate<uint32_t>(3),
             sums = h.allocate<uint32_t>(2);
    Launch launches[] = {launchOf(h, "first", 3, {flag, values}),
                         launchOf(h, "second", 2, {flag, values, sums})};
    launches[1].programmatic = true;
    RunResult result = drawloom::emu::run(*h.device, launches, h.options);
    ASSERT_TRUE(result.ok()) << result.report->str();
    EXPECT_EQ(h.read<uint32_t>(sums, 2), (std::vector<uint32_t>{33, 33}));
  }
}

// A launch that isn't programmatic starts when the one in front has ended, so
// the first kernel waits forever.
TEST(Dependency, OrdinaryLaunchesDontOverlap) {
  Harness h("h100", kernels);
  h.options.stepLimit = 100000;
  uint64_t flag = h.allocate<uint32_t>(1), values = h.allocate<uint32_t>(3),
           sums = h.allocate<uint32_t>(2);
  Launch launches[] = {launchOf(h, "first", 3, {flag, values}),
                       launchOf(h, "second", 2, {flag, values, sums})};
  RunResult result = drawloom::emu::run(*h.device, launches, h.options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.report->kind, ReportKind::StepLimit);
}

// Without a launch in front there is nothing to wait for.
TEST(Dependency, FirstLaunch) {
  Harness h("h100", kernels);
  uint64_t flag = h.allocate<uint32_t>(1), values = h.allocate<uint32_t>(3),
           sums = h.allocate<uint32_t>(2);
  Launch launches[] = {launchOf(h, "second", 2, {flag, values, sums}),
                       launchOf(h, "first", 1, {flag, values})};
  RunResult result = drawloom::emu::run(*h.device, launches, h.options);
  ASSERT_TRUE(result.ok()) << result.report->str();
  EXPECT_EQ(h.read<uint32_t>(flag, 1)[0], 2u);
}

// The second launch waits for the first, and the first for something that only
// comes after that.
TEST(DependencyMustFail, WaitForALaunchThatNeverEnds) {
  Harness h("h100", R"(
.visible .entry first() {
  .reg .pred %p<2>;
  .shared .align 8 .b64 bar;
  mbarrier.init.shared.b64 [bar], 1;
  griddepcontrol.launch_dependents;
again:
  mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
  @!%p1 bra again;
  ret;
}
.visible .entry second() {
  griddepcontrol.wait;
  ret;
})");
  Launch launches[] = {launchOf(h, "first", 1, {}),
                       launchOf(h, "second", 1, {})};
  launches[1].programmatic = true;
  RunResult result = drawloom::emu::run(*h.device, launches, h.options);
  ASSERT_FALSE(result.ok());
  EXPECT_CONTAINS(result.report->str(), "1 of 1 arrivals is missing");
  EXPECT_CONTAINS(result.report->str(),
                  "griddepcontrol.wait: a launch in front of this one hasn't "
                  "ended");
}
