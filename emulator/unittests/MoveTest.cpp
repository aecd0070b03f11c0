//===- MoveTest.cpp - Moves, vectors and selection -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Alu.h"

static uint64_t low(uint64_t word, unsigned bits) {
  return word << (64 - bits) >> (64 - bits);
}

TEST(Move, Scalars) {
  std::vector<AluRow> rows;
  for (const char *type : {"b16", "u16", "s16"})
    rows.push_back({std::string("mov.") + type + " %d, %a", "h:h",
                    [](Operands o) { return o.a; }});
  for (const char *type : {"b32", "u32", "s32", "f32"})
    rows.push_back({std::string("mov.") + type + " %d, %a", "r:r",
                    [](Operands o) { return o.a; }});
  for (const char *type : {"b64", "u64", "s64", "f64"})
    rows.push_back({std::string("mov.") + type + " %d, %a", "d:d",
                    [](Operands o) { return o.a; }});
  rows.push_back(
      {"mov.pred %d, %a", "p:p", [](Operands o) { return o.a & 1; }});
  rows.push_back(
      {"mov.pred %d, !%a", "p:p", [](Operands o) { return ~o.a & 1; }});
  rows.push_back({"mov.s16 %d, -2", "h:h", [](Operands) { return 0xfffe; }});
  rows.push_back(
      {"mov.f32 %d, 0.1", "r:r", [](Operands) { return toBits(0.1f); }});
  rows.push_back(
      {"mov.f32 %d, 0f3f800000", "r:r", [](Operands) { return toBits(1.0f); }});
  rows.push_back(
      {"mov.f64 %d, 0.1", "d:d", [](Operands) { return toBits(0.1); }});
  rows.push_back(
      {"mov.b64 %d, -1", "d:d", [](Operands) { return ~uint64_t(0); }});
  checkAlu("h100", randomOperands(200), rows);
}

TEST(Move, PacksAndUnpacks) {
  struct Case {
    const char *text, *shape;
    uint64_t (*expect)(Operands);
  };
  static const Case cases[] = {
      {"mov.b32 %d, {%a, %b}", "r:hh",
       [](Operands o) { return low(o.a, 16) | low(o.b, 16) << 16; }},
      {"mov.b64 %d, {%a, %b}", "d:rr",
       [](Operands o) { return low(o.a, 32) | o.b << 32; }},
      {"mov.b64 %d, {%a, %b, %c, %e}", "d:hhhh",
       [](Operands o) {
         return low(o.a, 16) | low(o.b, 16) << 16 | low(o.c, 16) << 32 |
                o.e << 48;
       }},
      {"mov.b32 %d, {%a, %b, %c, %e}", "r:bbbb",
       [](Operands o) {
         return low(o.a, 8) | low(o.b, 8) << 8 | low(o.c, 8) << 16 |
                low(o.e, 8) << 24;
       }},
      {"mov.b16 %d, {%a, %b}", "h:bb",
       [](Operands o) { return low(o.a, 8) | low(o.b, 8) << 8; }},
      {"mov.b64 {%d, _}, %a", "r:d", [](Operands o) { return o.a; }},
      {"mov.b64 {_, %d}, %a", "r:d", [](Operands o) { return o.a >> 32; }},
      {"mov.b32 {_, %d}, %a", "h:r", [](Operands o) { return o.a >> 16; }},
      {"mov.b64 {_, _, %d, _}, %a", "h:d",
       [](Operands o) { return o.a >> 32; }},
      {"mov.b32 {_, _, _, %d}, %a", "b:r",
       [](Operands o) { return o.a >> 24; }},
      {"mov.b16 {_, %d}, %a", "b:h", [](Operands o) { return o.a >> 8; }},
      {"mov.b64 %d, {%a, 7}", "d:r",
       [](Operands o) { return low(o.a, 32) | uint64_t(7) << 32; }},
  };
  std::vector<AluRow> rows;
  for (const Case &c : cases)
    rows.push_back({c.text, c.shape, c.expect});
  checkAlu("h100", randomOperands(200), rows);
}

TEST(Move, WideAndVector) {
  Harness h("h100", R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 %r<9>, %t;
  .reg .b64 %rd<9>, %in, %out;
  .reg .b128 %q<3>;
  .reg .v4 .b32 %v;
  .reg .v2 .b64 %w;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %rd1, %t, 16;
  add.s64 %in, %in, %rd1;
  mul.wide.u32 %rd1, %t, 96;
  add.s64 %out, %out, %rd1;
  ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%in];
  // Four words to 128 bits, and two halves back.
  mov.b128 %q1, {%r1, %r2, %r3, %r4};
  mov.b128 %q2, %q1;
  mov.b128 {%rd2, %rd3}, %q2;
  st.global.v2.b64 [%out], {%rd2, %rd3};
  // Two halves swapped, and four words back.
  mov.b128 %q1, {%rd3, %rd2};
  mov.b128 {%r5, %r6, %r7, %r8}, %q1;
  st.global.v4.b32 [%out+16], {%r5, %r6, %r7, %r8};
  // A swap: what is read is not what has just been written.
  mov.v2.u32 {%r1, %r2}, {%r2, %r1};
  mov.v4.b32 {%r5, %r6, %r7, %r8}, {%r4, %r3, %r2, %r1};
  st.global.v4.b32 [%out+32], {%r5, %r6, %r7, %r8};
  // Registers that are vectors.
  mov.v4.b32 %v, {%r1, %r2, %r3, %r4};
  st.global.v4.b32 [%out+48], %v;
  mov.b32 %r5, %v.w;
  mov.b32 %v.x, %r5;
  mov.v2.f64 %w, {%rd3, %rd2};
  st.global.v2.b64 [%out+64], %w;
  mov.b64 %rd4, {%v.x, %v.y};
  st.global.v2.b64 [%out+80], {%rd4, %w.x};
  ret;
})");
  std::vector<uint32_t> in(4 * 32), expected;
  for (unsigned i = 0; i != in.size(); ++i)
    in[i] = 0x01010101 * (i + 1);
  for (unsigned t = 0; t != 32; ++t) {
    const uint32_t *w = &in[4 * t];
    for (uint32_t word : {w[0], w[1], w[2], w[3], //
                          w[2], w[3], w[0], w[1], //
                          w[3], w[2], w[0], w[1], //
                          w[1], w[0], w[2], w[3], //
                          w[2], w[3], w[0], w[1], //
                          w[3], w[0], w[2], w[3]})
      expected.push_back(word);
  }
  uint64_t out = h.allocate<uint32_t>(24 * 32);
  ASSERT_TRUE(h.run("k", {1}, {32}, {h.upload(in), out}));
  EXPECT_EQ(h.read<uint32_t>(out, 24 * 32), expected);
}

TEST(Move, Selection) {
  std::vector<AluRow> rows;
  for (const char *type : {"b16", "u16", "s16"})
    rows.push_back({std::string("selp.") + type + " %d, %a, %b, %c", "h:hhp",
                    [](Operands o) { return o.c & 1 ? o.a : o.b; }});
  for (const char *type : {"b32", "u32", "s32", "f32"})
    rows.push_back({std::string("selp.") + type + " %d, %a, %b, !%c", "r:rrp",
                    [](Operands o) { return o.c & 1 ? o.b : o.a; }});
  for (const char *type : {"b64", "u64", "s64", "f64"})
    rows.push_back({std::string("selp.") + type + " %d, %a, %b, %c", "d:ddp",
                    [](Operands o) { return o.c & 1 ? o.a : o.b; }});
  auto bySign = [](Operands o) { return int32_t(o.c) >= 0 ? o.a : o.b; };
  auto byFloat = [](Operands o) { return asFloat(o.c) >= 0 ? o.a : o.b; };
  auto byFlushed = [](Operands o) {
    uint32_t c = o.c;
    return (c & 0x7f800000) == 0 || asFloat(c) >= 0 ? o.a : o.b;
  };
  for (const char *type : {"b16", "u16", "s16", "b32", "u32", "s32", "f32",
                           "b64", "u64", "s64", "f64"}) {
    std::string t = type;
    char r = t.substr(1) == "16" ? 'h' : t.substr(1) == "32" ? 'r' : 'd';
    std::string shape = {r, ':', r, r, 'r'};
    rows.push_back({"slct." + t + ".s32 %d, %a, %b, %c", shape, bySign});
    rows.push_back({"slct." + t + ".f32 %d, %a, %b, %c", shape, byFloat});
    rows.push_back({"slct.ftz." + t + ".f32 %d, %a, %b, %c", shape, byFlushed});
  }
  checkAlu("h100",
           cross({1, ~uint64_t(0)}, {2, 0x1234567812345678}, floatEdges()) +
               randomOperands(200),
           rows);
}
