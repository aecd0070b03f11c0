//===- Alu.cpp - Instructions against a reference ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Alu.h"
#include "llvm/ADT/StringExtras.h"
#include <random>

using namespace drawloom::emu;

namespace {
/// A kind of register: how it is declared, loaded from and stored to 8 bytes.
struct Kind {
  const char *declaration, *load, *store;
  unsigned bits;
};
} // namespace

static Kind kindOf(char letter) {
  switch (letter) {
  case 'b':
    return {".b8", "ld.global.b8", "st.global.b8", 8};
  case 'h':
    return {".b16", "ld.global.b16", "st.global.b16", 16};
  case 'r':
    return {".b32", "ld.global.b32", "st.global.b32", 32};
  case 'd':
    return {".b64", "ld.global.b64", "st.global.b64", 64};
  default:
    return {".pred", "", "", 1};
  }
}

/// What a destination holds before the instruction.
static uint64_t sentinel(unsigned bits) {
  return bits == 1 ? 1 : 0x5a5a5a5a5a5a5a5a & (~uint64_t(0) >> (64 - bits));
}

static std::string kernelOf(const std::vector<AluRow> &rows) {
  std::string text = R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n,
                  .param .u32 lanes) {
  .reg .pred %guard, %done, %odd;
  .reg .b32 %i, %n, %t, %lanes, %lane;
  .reg .b64 %in, %out, %offset, %step;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u32 %n, [n];
  ld.param.u32 %lanes, [lanes];
  mov.u32 %i, %ctaid.x;
  mov.u32 %t, %ntid.x;
  mul.lo.s32 %i, %i, %t;
  mov.u32 %t, %tid.x;
  add.s32 %i, %i, %t;
  setp.ge.u32 %done, %i, %n;
  @%done bra exit;
  mov.u32 %lane, %laneid;
  shr.u32 %lanes, %lanes, %lane;
  and.b32 %lanes, %lanes, 1;
  setp.ne.s32 %guard, %lanes, 0;
  mul.wide.u32 %offset, %i, 32;
  add.s64 %in, %in, %offset;
  mul.wide.u32 %offset, %i, 8;
  add.s64 %out, %out, %offset;
  mul.wide.u32 %step, %n, 8;
)";
  static const char *names[] = {"%a", "%b", "%c", "%e"};
  for (const AluRow &row : rows) {
    text += "  {\n";
    Kind result = kindOf(row.shape[0]);
    text += std::string("    .reg ") + result.declaration + " %d;\n";
    text += "    .reg .b32 %w;\n";
    if (row.shape[0] == 'p')
      text += "    setp.eq.s32 %d, 0, 0;\n";
    else if (row.shape[0] == 'b')
      text += "    cvt.u8.u32 %d, 0x5a;\n";
    else
      text += std::string("    mov") + result.declaration + " %d, 0x" +
              llvm::utohexstr(sentinel(result.bits)) + ";\n";
    for (size_t i = 2; i != row.shape.size(); ++i) {
      if (row.shape[i] == '-')
        continue;
      Kind kind = kindOf(row.shape[i]);
      std::string name = names[i - 2];
      std::string address = "[%in+" + std::to_string(8 * (i - 2)) + "];\n";
      text += std::string("    .reg ") + kind.declaration + " " + name + ";\n";
      if (row.shape[i] == 'p')
        text += "    ld.global.b32 %w, " + address +
                "    and.b32 %w, %w, 1;\n    setp.ne.s32 " + name +
                ", %w, 0;\n";
      else
        text += std::string("    ") + kind.load + " " + name + ", " + address;
    }
    text += "    @%guard " + row.text + ";\n";
    if (row.shape[0] == 'p')
      text += "    selp.b32 %w, 1, 0, %d;\n    st.global.b32 [%out], %w;\n";
    else
      text += std::string("    ") + result.store + " [%out], %d;\n";
    text += "    add.s64 %out, %out, %step;\n  }\n";
  }
  return text + "exit:\n  ret;\n}\n";
}

static std::vector<uint64_t> run(Harness &h,
                                 const std::vector<Operands> &values,
                                 size_t rows, uint32_t lanes) {
  size_t n = values.size();
  uint64_t in = h.upload(values);
  uint64_t out = h.upload(std::vector<uint64_t>(rows * n));
  uint32_t blocks = (n + 127) / 128;
  EXPECT_TRUE(h.run("k", {blocks}, {128}, {in, out, n, lanes}));
  return h.read<uint64_t>(out, rows * n);
}

void checkAlu(llvm::StringRef device, const std::vector<Operands> &values,
              const std::vector<AluRow> &rows) {
  Harness h(device, kernelOf(rows));
  if (!h.module)
    return;
  for (uint32_t lanes : {0xffffffffu, 0x8421a5f0u}) {
    std::vector<uint64_t> results = run(h, values, rows.size(), lanes);
    for (size_t row = 0; row != rows.size(); ++row) {
      unsigned bits = kindOf(rows[row].shape[0]).bits, failures = 0;
      for (size_t i = 0; i != values.size(); ++i) {
        bool active = lanes >> i % 32 & 1;
        uint64_t mask = ~uint64_t(0) >> (64 - bits);
        uint64_t expected =
            active ? rows[row].expect(values[i]) & mask : sentinel(bits);
        uint64_t got = results[row * values.size() + i];
        if (got == expected || ++failures > 4)
          continue;
        const Operands &o = values[i];
        ADD_FAILURE() << rows[row].text << (active ? "" : " (lane is off)")
                      << "\n  a 0x" << llvm::utohexstr(o.a) << " b 0x"
                      << llvm::utohexstr(o.b) << " c 0x" << llvm::utohexstr(o.c)
                      << " e 0x" << llvm::utohexstr(o.e) << "\n  gives    0x"
                      << llvm::utohexstr(got) << "\n  expected 0x"
                      << llvm::utohexstr(expected);
      }
      EXPECT_EQ(failures, 0u) << rows[row].text;
    }
  }
}

std::vector<uint64_t> runAlu(llvm::StringRef device,
                             const std::vector<Operands> &values,
                             const std::string &text,
                             const std::string &shape) {
  Harness h(device, kernelOf({{text, shape, nullptr}}));
  return run(h, values, 1, ~0u);
}

std::vector<Operands> cross(const Bits &a, const Bits &b, const Bits &c,
                            const Bits &e) {
  std::vector<Operands> result;
  for (uint64_t x : a)
    for (uint64_t y : b)
      for (uint64_t z : c)
        for (uint64_t w : e)
          result.push_back({x, y, z, w});
  return result;
}

std::vector<Operands> randomOperands(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Operands> result(count);
  for (Operands &o : result)
    o = {random(), random(), random(), random()};
  return result;
}

std::vector<Operands> operator+(std::vector<Operands> a,
                                const std::vector<Operands> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Bits integerEdges(unsigned bits) {
  uint64_t top = uint64_t(1) << (bits - 1), all = top | (top - 1);
  return {0,       1,       2,       7,       31,          32,
          33,      63,      64,      100,     0xff,        top,
          all,     top - 1, top + 1, all - 1, all - 6,     all / 3,
          all / 5, 128,     127,     200,     all & 12345, all - 12344};
}

Bits floatEdges() {
  return {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff,
          0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x3f800000,
          0xbf800000, 0x3f800001, 0x3f7fffff, 0x40490fdb, 0xc0490fdb,
          0x3eaaaaab, 0x4b7fffff, 0x4b800000, 0xcb800001, 0x33800000,
          0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
          0xffc12345, 0x7f800001, 0x3f000000, 0x3fc00000, 0xc0200000};
}
Bits doubleEdges() {
  return {0x0000000000000000, 0x8000000000000000, 0x0000000000000001,
          0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000,
          0x8010000000000000, 0x3ff0000000000000, 0xbff0000000000000,
          0x3ff0000000000001, 0x3fefffffffffffff, 0x400921fb54442d18,
          0x4340000000000000, 0xc340000000000001, 0x3ca0000000000000,
          0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
          0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000012345,
          0x7ff0000000000001, 0x3fe0000000000000, 0x3ff8000000000000};
}
Bits halfEdges() {
  return {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400,
          0x8400, 0x0401, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x4248,
          0x3555, 0x6800, 0x6bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
          0x7e00, 0xfe01, 0x7c01, 0x1000, 0x1001, 0x9234, 0x5640};
}
Bits bfloatEdges() {
  return {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x807f, 0x0080,
          0x8080, 0x0081, 0x3f80, 0xbf80, 0x3f81, 0x3f7f, 0x4049,
          0x3eab, 0x4b80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0,
          0xffc1, 0x7f81, 0x2000, 0x2001, 0xa034, 0x1f80, 0x5640};
}

Bits packed(const Bits &edges, unsigned bits) {
  Bits result;
  for (size_t i = 0; i != edges.size(); ++i)
    result.push_back(edges[i] | edges[(i * 7 + 3) % edges.size()] << bits);
  return result;
}
