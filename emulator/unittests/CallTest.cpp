//===- CallTest.cpp - Calls, branches by index, system functions ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace drawloom::emu;

static const char *functions = R"(
.func (.param .b32 r) triple(.param .b32 x) {
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [x];
  mul.lo.u32 %r2, %r1, 3;
  st.param.b32 [r], %r2;
  ret;
}
.func (.param .b32 r) square(.param .b32 x) {
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [x];
  mul.lo.u32 %r2, %r1, %r1;
  st.param.b32 [r], %r2;
  ret;
}
)";

TEST(Call, Direct) {
  EXPECT_EQ(perLane<uint32_t>(R"({
  .param .b32 in;
  .param .b32 out1;
  st.param.b32 [in], %lane;
  call (out1), triple, (in);
  ld.param.b32 %o, [out1];
})",
                              functions),
            lanes<uint32_t>([](unsigned l) { return 3 * l; }));
}

TEST(Call, SomeLanesOnly) {
  EXPECT_EQ(perLane<uint32_t>(R"(
  mov.u32 %o, 1000;
  setp.lt.u32 %p1, %lane, 10;
  { .param .b32 in; .param .b32 out1;
  st.param.b32 [in], %lane;
  @%p1 call (out1), square, (in);
  @%p1 ld.param.b32 %o, [out1];
  })",
                              functions),
            lanes<uint32_t>([](unsigned l) { return l < 10 ? l * l : 1000; }));
}

TEST(Call, IndirectToDifferentFunctions) {
  EXPECT_EQ(perLane<uint32_t>(R"(
  proto: .callprototype (.param .b32 _) _ (.param .b32 _);
  and.b32 %r1, %lane, 1;
  setp.eq.u32 %p1, %r1, 0;
  mov.u64 %rd1, triple;
  mov.u64 %rd2, square;
  selp.b64 %rd3, %rd1, %rd2, %p1;
  { .param .b32 in; .param .b32 out1;
  st.param.b32 [in], %lane;
  call (out1), %rd3, (in), proto;
  ld.param.b32 %o, [out1];
  })",
                              functions),
            lanes<uint32_t>([](unsigned l) { return l % 2 ? l * l : 3 * l; }));
}

TEST(Call, ThroughATableInMemory) {
  EXPECT_EQ(perLane<uint32_t>(R"(
  proto: .callprototype (.param .b32 _) _ (.param .b32 _);
  ld.global.u64 %rd1, [table+8];
  { .param .b32 in; .param .b32 out1;
  st.param.b32 [in], %lane;
  call (out1), %rd1, (in), proto;
  ld.param.b32 %o, [out1];
  })",
                              std::string(functions) +
                                  ".global .u64 table[2] = {triple, square};"),
            lanes<uint32_t>([](unsigned l) { return l * l; }));
}

// fib(n) calls itself twice, with its own variable in between: registers and
// frames of every depth are kept, and lanes go to different depths.
TEST(Call, Recursion) {
  EXPECT_EQ(perLane<uint32_t>(R"(
  and.b32 %r1, %lane, 7;
  { .param .b32 in; .param .b32 out1;
  st.param.b32 [in], %r1;
  call (out1), fib, (in);
  ld.param.b32 %o, [out1];
  })",
                              R"(
.func (.param .b32 r) fib(.param .b32 n) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .reg .pred %p<2>;
  .local .align 4 .b8 kept[4];
  ld.param.b32 %r1, [n];
  setp.lt.u32 %p1, %r1, 2;
  @%p1 bra small;
  sub.u32 %r2, %r1, 1;
  { .param .b32 in; .param .b32 out1;
  st.param.b32 [in], %r2;
  call (out1), fib, (in);
  ld.param.b32 %r3, [out1];
  }
  st.local.b32 [kept], %r3;
  sub.u32 %r2, %r1, 2;
  { .param .b32 in; .param .b32 out1;
  st.param.b32 [in], %r2;
  call (out1), fib, (in);
  ld.param.b32 %r4, [out1];
  }
  ld.local.b32 %r5, [kept];
  add.u32 %r1, %r5, %r4;
small:
  st.param.b32 [r], %r1;
  ret;
})"),
            lanes<uint32_t>([](unsigned l) {
              const uint32_t fib[] = {0, 1, 1, 2, 3, 5, 8, 13};
              return fib[l & 7];
            }));
}

// Arguments and results in registers, of several sizes.
TEST(Call, Registers) {
  EXPECT_EQ(perLane<uint64_t>(R"(
  setp.lt.u32 %p1, %lane, 5;
  mov.u64 %rd1, 10000000000;
  call (%od), mix, (%lane, %rd1, 7);
)",
                              R"(
.func (.reg .b64 %result) mix(.reg .b32 %a, .reg .b64 %b, .reg .b32 %c) {
  mad.wide.u32 %result, %a, %c, %b;
  ret;
})"),
            lanes<uint64_t>([](unsigned l) { return 10000000000 + 7 * l; }));
}

TEST(Call, RecursionWithResultsInRegisters) {
  EXPECT_EQ(perLane<uint32_t>(R"(
  and.b32 %r1, %lane, 3;
  call (%o), factorial, (%r1);
)",
                              R"(
.func (.reg .b32 %result) factorial(.reg .b32 %n) {
  .reg .b32 %r<4>;
  .reg .pred %p<2>;
  mov.u32 %result, 1;
  setp.lt.u32 %p1, %n, 2;
  @%p1 ret;
  sub.u32 %r1, %n, 1;
  call (%r2), factorial, (%r1);
  mul.lo.u32 %result, %n, %r2;
  ret;
})"),
            lanes<uint32_t>([](unsigned l) {
              const uint32_t factorial[] = {1, 1, 2, 6};
              return factorial[l & 3];
            }));
}

TEST(Call, BranchByIndex) {
  EXPECT_EQ(perLane<uint32_t>(R"(
  rem.u32 %r1, %lane, 3;
  targets: .branchtargets zero, one, two;
  brx.idx %r1, targets;
zero:
  mov.u32 %o, 5;
  bra end;
one:
  mov.u32 %o, 6;
  bra end;
two:
  mov.u32 %o, 7;
end:
)"),
            lanes<uint32_t>([](unsigned l) { return 5 + l % 3; }));
}

TEST(Call, Alloca) {
  // Each lane takes a buffer of its own size, gives it back, and takes another.
  EXPECT_EQ(perLane<uint64_t>(R"(
  .local .align 8 .b8 fixed[24];
  mul.wide.u32 %rd1, %lane, 8;
  add.u64 %rd1, %rd1, 8;
  stacksave.u64 %rd2;
  alloca.u64 %rd3, %rd1, 16;
  st.local.u64 [%rd3], 5;
  alloca.u64 %rd4, 8;
  st.local.u64 [%rd4], 6;
  ld.local.u64 %rd5, [%rd3];
  stackrestore.u64 %rd2;
  alloca.u64 %rd6, 8, 16;
  sub.u64 %rd7, %rd6, %rd3;
  sub.u64 %rd8, %rd4, %rd3;
  mad.lo.u64 %od, %rd5, 1000, %rd8;
  add.u64 %od, %od, %rd7;
)"),
            lanes<uint64_t>([](unsigned l) { return 5000 + 8 * l + 8; }));
}

static const char *systemFunctions =
    R"(
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 args);
.extern .func __assertfail(.param .b64 message, .param .b64 file,
                           .param .b32 line, .param .b64 function,
                           .param .b64 size);
.global .align 1 .b8 format[40] = {)"
    "108, 97, 110, 101, 32, 37, 100, 58, 32, 37, 53, "
    "46, 50, 102, 32, 37, 115, 32, 37, 108, 108, 120, "
    "37, 37, 10, 0};" // "lane %d: %5.2f %s %llx%%\n"
    ".global .align 1 .b8 word[4] = {102, 111, 111, 0};"
    ".global .align 1 .b8 file[4] = {97, 46, 99, 0};";

TEST(Call, Printf) {
  Harness h("h100", perLaneKernel(R"(
  .local .align 8 .b8 args[32];
  sub.u32 %r1, 1, %lane;
  st.local.u32 [args], %r1;
  st.local.b64 [args+8], 0d4004000000000000;
  cvta.global.u64 %rd1, word;
  st.local.u64 [args+16], %rd1;
  st.local.u64 [args+24], 0xabcdef0123;
  cvta.global.u64 %rd2, format;
  mov.u64 %rd3, args;
  cvta.local.u64 %rd3, %rd3;
  setp.lt.u32 %p1, %lane, 3;
  { .param .b64 p0; .param .b64 p1; .param .b32 r;
  st.param.b64 [p0], %rd2;
  st.param.b64 [p1], %rd3;
  @%p1 call (r), vprintf, (p0, p1);
  ld.param.b32 %o, [r];
  })",
                                  systemFunctions));
  std::string text;
  llvm::raw_string_ostream os(text);
  h.options.output = &os;
  uint64_t out = h.allocate<uint32_t>(32), outWide = h.allocate<uint64_t>(32);
  ASSERT_TRUE(h.run("k", {1}, {32}, {out, outWide}));
  EXPECT_EQ(text, "lane 1:  2.50 foo abcdef0123%\n"
                  "lane 0:  2.50 foo abcdef0123%\n"
                  "lane -1:  2.50 foo abcdef0123%\n");
  EXPECT_EQ(h.read<uint32_t>(out, 1)[0], 4u);
}

TEST(CallMustFail, Assert) {
  EXPECT_CONTAINS(perLaneFailure(R"(
  cvta.global.u64 %rd1, word;
  cvta.global.u64 %rd2, file;
  setp.eq.u32 %p1, %lane, 6;
  { .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3;
    .param .b64 p4;
  st.param.b64 [p0], %rd1;
  st.param.b64 [p1], %rd2;
  st.param.b32 [p2], 42;
  st.param.b64 [p3], %rd1;
  st.param.b64 [p4], 1;
  @%p1 call __assertfail, (p0, p1, p2, p3, p4);
  })",
                                 systemFunctions),
                  "lane 6: a.c:42: foo: assertion 'foo' failed");
}

TEST(CallMustFail, StackOverflow) {
  EXPECT_CONTAINS(perLaneFailure("call forever;", R"(
.func forever() {
  .local .align 16 .b8 big[65536];
  call forever;
  ret;
})"),
                  "the call of 'forever' at depth 8 needs 524416 bytes of "
                  "stack; a thread has 524288");
  EXPECT_CONTAINS(perLaneFailure("mov.u64 %rd1, 600000; alloca.u64 %od, %rd1;"),
                  "'alloca' of 600000 bytes behind 0 that are in use");
}

TEST(CallMustFail, Targets) {
  EXPECT_CONTAINS(perLaneFailure("missing: .callprototype _ ();"
                                 "mov.u64 %rd1, 3; call %rd1, missing;"),
                  "a call to 0x3, where there is no function of this module");
  EXPECT_CONTAINS(
      perLaneFailure("call elsewhere;", ".extern .func elsewhere();"),
      "a call of 'elsewhere', which has no body in this module");
  EXPECT_CONTAINS(perLaneFailure("list: .branchtargets here;"
                                 "mov.u32 %r1, 1; brx.idx %r1, list; here:"),
                  "index 1 into a list of 1 targets");
}
