//===- WmmaTest.cpp - wmma.load, wmma.mma, wmma.store ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices go from memory to memory, since PTX doesn't say what is in between.
// Their elements are small integers, so all sums are exact, in every type and
// order, and are compared for equality.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "MatrixReference.h"
#include "llvm/Support/FormatVariadic.h"
#include <bit>
#include <random>

using namespace drawloom::emu;
using llvm::formatv;
using reference::fromHalf;
using reference::toHalf;

namespace {

/// An element type and the integers that stand for it.
struct Element {
  std::string name;
  unsigned bits;
  int low, high;
};

struct Shape {
  unsigned m, n, k;
  std::string str() const { return formatv("m{0}n{1}k{2}", m, n, k); }
};

/// A matrix in memory.
struct MemoryMatrix {
  unsigned rows, columns;
  Element type;
  bool isRowMajor;
  unsigned stride; ///< In elements.
  std::vector<uint8_t> memory;

  MemoryMatrix(unsigned rows, unsigned columns, Element type, bool isRowMajor,
               unsigned padding)
      : rows(rows), columns(columns), type(type), isRowMajor(isRowMajor),
        stride((isRowMajor ? columns : rows) + padding),
        memory(size_t(isRowMajor ? rows : columns) * stride * type.bits / 8) {}

  size_t index(unsigned row, unsigned column) const {
    return isRowMajor ? size_t(row) * stride + column
                      : size_t(column) * stride + row;
  }
  void set(unsigned row, unsigned column, int value) {
    uint64_t bits = value;
    if (type.name == "f16")
      bits = toHalf(value);
    else if (type.name == "bf16")
      bits = std::bit_cast<uint32_t>(float(value)) >> 16;
    else if (type.name == "f32" || type.name == "tf32")
      bits = std::bit_cast<uint32_t>(float(value));
    else if (type.name == "f64")
      bits = std::bit_cast<uint64_t>(double(value));
    size_t at = index(row, column) * type.bits;
    if (type.bits >= 8) {
      memcpy(&memory[at / 8], &bits, type.bits / 8);
      return;
    }
    uint8_t mask = (1u << type.bits) - 1;
    memory[at / 8] &= ~(mask << at % 8);
    memory[at / 8] |= (bits & mask) << at % 8;
  }
  /// Of the types of C and D.
  double get(unsigned row, unsigned column) const {
    uint64_t bits = 0;
    memcpy(&bits, &memory[index(row, column) * type.bits / 8], type.bits / 8);
    if (type.name == "f16")
      return fromHalf(bits);
    if (type.name == "s32")
      return int32_t(bits);
    if (type.name == "f64")
      return std::bit_cast<double>(bits);
    return std::bit_cast<float>(uint32_t(bits));
  }
};

struct Case {
  Shape shape;
  Element a; ///< And of B.
  std::string c, d;
  std::string op = "", after = "";
};

} // namespace

static const Element f16 = {"f16", 16, -9, 9}, bf16 = {"bf16", 16, -9, 9},
                     tf32 = {"tf32", 32, -9, 9}, s8 = {"s8", 8, -128, 127},
                     u8 = {"u8", 8, 0, 255}, f64 = {"f64", 64, -99, 99},
                     s4 = {"s4", 4, -8, 7}, u4 = {"u4", 4, 0, 15},
                     b1 = {"b1", 1, 0, 1};

static Element sumType(const std::string &name) {
  unsigned bits = name == "f16" ? 16 : name == "f64" ? 64 : 32;
  return {name, bits, -50, 50};
}

/// "{%a0, %a1}" for a fragment of so many elements.
static std::string fragment(char name, unsigned elements, const Element &type) {
  unsigned count = elements * type.bits / 32 / (type.bits == 64 ? 64 : 32);
  if (type.name == "f16" && (name == 'a' || name == 'b'))
    count = 8;
  std::string text;
  for (unsigned i = 0; i != count; ++i)
    text += formatv("{0}%{1}{2}", i ? ", " : "{", name, i);
  return text + "}";
}

static std::string kernelOf(const Case &c, const MemoryMatrix &a,
                            const MemoryMatrix &b, const MemoryMatrix &addend,
                            const MemoryMatrix &d, bool hasStrides) {
  auto layout = [](const MemoryMatrix &matrix) {
    return matrix.isRowMajor ? "row" : "col";
  };
  auto registers = [&](const Element &type) {
    return type.bits == 64 ? "f64" : type.name == "f32" ? "f32" : "b32";
  };
  std::string shape = c.shape.str();
  std::string text =
      formatv(R"(
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc,
                  .param .u64 pd) {{
  .reg .{0} %a<8>, %b<8>;
  .reg .{1} %c<8>;
  .reg .{2} %d<8>;
  .reg .b64 %p;
)",
              registers(c.a), registers(addend.type), registers(d.type));
  auto stride = [&](const MemoryMatrix &matrix) {
    return hasStrides ? ", " + std::to_string(matrix.stride) : "";
  };
  auto load = [&](char name, const MemoryMatrix &matrix, const char *space) {
    text += formatv("  ld.param.u64 %p, [p{0}];\n"
                    "  wmma.load.{0}.sync.aligned.{1}.{2}{3}.{4} {5}, [%p]{6};"
                    "\n",
                    name, layout(matrix), shape, space, matrix.type.name,
                    fragment(name, matrix.rows * matrix.columns, matrix.type),
                    stride(matrix));
  };
  load('a', a, ".global");
  load('b', b, "");
  load('c', addend, ".global");
  // The types of f16 multiplicands are left out.
  std::string types = c.d + "." + c.c;
  if (c.a.name != "f16")
    types = c.d + "." + c.a.name + "." + c.a.name + "." + c.c;
  text += formatv("  wmma.mma{0}.sync.aligned.{1}.{2}.{3}.{4}{5} {6}, {7}, "
                  "{8}, {9};\n",
                  c.op, layout(a), layout(b), shape, types, c.after,
                  fragment('d', d.rows * d.columns, d.type),
                  fragment('a', a.rows * a.columns, a.type),
                  fragment('b', b.rows * b.columns, b.type),
                  fragment('c', d.rows * d.columns, addend.type));
  text += formatv("  ld.param.u64 %p, [pd];\n"
                  "  wmma.store.d.sync.aligned.{0}.{1}.global.{2} [%p], "
                  "{3}{4};\n  ret;\n}\n",
                  layout(d), shape, c.d,
                  fragment('d', d.rows * d.columns, d.type), stride(d));
  return text;
}

/// Elements of C, if they aren't small.
using Addend = int (*)(unsigned row, unsigned column);

static void check(const Case &c, bool aRows, bool bRows, bool cRows, bool dRows,
                  bool hasStrides, Addend addendOf = nullptr) {
  SCOPED_TRACE(c.shape.str() + " " + c.a.name + " " + c.c + " " + c.d + c.op +
               (aRows ? " row" : " col") + (bRows ? " row" : " col"));
  auto [m, n, k] = c.shape;
  // As far apart as CUDA allows: a multiple of 16 bytes.
  auto padding = [&](const Element &type) {
    return hasStrides ? 128 / type.bits * 3 : 0;
  };
  MemoryMatrix a(m, k, c.a, aRows, padding(c.a)),
      b(k, n, c.a, bRows, padding(c.a));
  MemoryMatrix addend(m, n, sumType(c.c), cRows, padding(sumType(c.c)));
  MemoryMatrix d(m, n, sumType(c.d), dRows, padding(sumType(c.d)));
  std::mt19937 engine(m + 2 * n + 3 * k);
  auto draw = [&](const Element &type) {
    return type.low + int(engine() % unsigned(type.high - type.low + 1));
  };
  std::vector<std::vector<double>> expected(m, std::vector<double>(n));
  std::vector<std::vector<int>> va(m, std::vector<int>(k)),
      vb(k, std::vector<int>(n));
  for (unsigned i = 0; i != m; ++i)
    for (unsigned l = 0; l != k; ++l)
      a.set(i, l, va[i][l] = draw(c.a));
  for (unsigned l = 0; l != k; ++l)
    for (unsigned j = 0; j != n; ++j)
      b.set(l, j, vb[l][j] = draw(c.a));
  for (unsigned i = 0; i != m; ++i)
    for (unsigned j = 0; j != n; ++j) {
      int value = addendOf ? addendOf(i, j) : draw(addend.type);
      addend.set(i, j, value);
      expected[i][j] = value;
      for (unsigned l = 0; l != k; ++l)
        expected[i][j] +=
            c.op == ".xor.popc" ? va[i][l] ^ vb[l][j] : va[i][l] * vb[l][j];
      if (c.after == ".satfinite")
        expected[i][j] = std::clamp(expected[i][j], -0x1p31, 0x1p31 - 1);
      else if (c.d == "s32")
        expected[i][j] = int32_t(uint32_t(int64_t(expected[i][j])));
    }
  Harness h("b200", kernelOf(c, a, b, addend, d, hasStrides));
  std::vector<uint8_t> before = d.memory;
  uint64_t out = h.upload(d.memory);
  ASSERT_TRUE(h.run(
      "k", {1}, {32},
      {h.upload(a.memory), h.upload(b.memory), h.upload(addend.memory), out}));
  d.memory = h.read<uint8_t>(out, d.memory.size());
  for (unsigned i = 0; i != m; ++i)
    for (unsigned j = 0; j != n; ++j) {
      EXPECT_EQ(d.get(i, j), expected[i][j]) << i << ", " << j;
      d.set(i, j, 0);
    }
  EXPECT_EQ(d.memory, before) << "written between the rows";
}

static const Shape shapes16[] = {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};

static std::vector<Case> cases() {
  std::vector<Case> list;
  for (const Shape &shape : shapes16) {
    for (const char *c : {"f16", "f32"})
      for (const char *d : {"f16", "f32"})
        list.push_back({shape, f16, c, d});
    list.push_back({shape, bf16, "f32", "f32"});
    for (const Element &type : {s8, u8})
      for (const char *after : {"", ".satfinite"})
        list.push_back({shape, type, "s32", "s32", "", after});
  }
  list.push_back({{16, 16, 8}, tf32, "f32", "f32"});
  list.push_back({{8, 8, 4}, f64, "f64", "f64"});
  return list;
}

TEST(Wmma, EveryLayout) {
  for (const Case &c : cases())
    for (unsigned layouts = 0; layouts != 16; ++layouts)
      check(c, layouts & 1, layouts & 2, layouts & 4, layouts & 8, true);
}

TEST(Wmma, WithoutStrides) {
  for (const Case &c : cases())
    for (unsigned layouts : {0u, 5u, 10u, 15u})
      check(c, layouts & 1, layouts & 2, layouts & 4, layouts & 8, false);
}

TEST(Wmma, FewBits) {
  for (unsigned layouts : {0u, 1u, 2u, 3u})
    for (bool hasStrides : {false, true}) {
      for (const Element &type : {s4, u4})
        for (const char *after : {"", ".satfinite"})
          check({{8, 8, 32}, type, "s32", "s32", "", after}, true, false,
                layouts & 1, layouts & 2, hasStrides);
      for (const char *op : {".xor.popc", ".and.popc"})
        check({{8, 8, 128}, b1, "s32", "s32", op}, true, false, layouts & 1,
              layouts & 2, hasStrides);
    }
}

TEST(Wmma, IntegersWrapOrAreClamped) {
  for (const char *after : {"", ".satfinite"})
    check({{16, 16, 16}, s8, "s32", "s32", "", after}, true, true, true, true,
          false, [](unsigned row, unsigned column) {
            return row % 2 ? INT32_MAX - int(column) : INT32_MIN + int(column);
          });
}

// A fragment can be used again, changed by the same for all, and come from and
// go to shared memory.
TEST(Wmma, ThroughSharedMemory) {
  Harness h(
      "h100", R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 %r<8>, %a<8>, %b<8>;
  .reg .f32 %c<8>;
  .reg .b64 %rd<4>;
  .shared .align 32 .b8 tile[512];
  .shared .align 32 .f32 sums[256];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %rd3, %r1, 16, %rd1;
  mov.u32 %r2, tile;
  mad.lo.u32 %r2, %r1, 16, %r2;
  ld.global.v4.b32 {%r3, %r4, %r5, %r6}, [%rd3];
  st.shared.v4.b32 [%r2], {%r3, %r4, %r5, %r6};
  bar.sync 0;
  wmma.load.a.sync.aligned.row.m16n16k16.shared.f16
      {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, [tile];
  wmma.load.b.sync.aligned.col.m16n16k16.shared::cta.f16
      {%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, [tile];
)" + [] {
        std::string text, list;
        for (unsigned i = 0; i != 8; ++i) {
          text += formatv("mov.f32 %c{0}, 0f3f800000;\n", i);
          list += formatv("{0}%c{1}", i ? ", " : "{", i);
        }
        list += "}";
        std::string mma = "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " +
                          list +
                          ", {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, "
                          "{%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, " +
                          list + ";\n";
        text += mma + mma;
        for (unsigned i = 0; i != 8; ++i)
          text += formatv("mul.f32 %c{0}, %c{0}, 0f40400000;\n", i);
        return text +
               "wmma.store.d.sync.aligned.col.m16n16k16.shared.f32 [sums], " +
               list + ";\n";
      }() + R"(
  bar.sync 0;
  mov.u32 %r2, sums;
  mad.lo.u32 %r2, %r1, 32, %r2;
  ld.shared.v4.b32 {%r3, %r4, %r5, %r6}, [%r2];
  mad.wide.u32 %rd3, %r1, 32, %rd2;
  st.global.v4.b32 [%rd3], {%r3, %r4, %r5, %r6};
  ld.shared.v4.b32 {%r3, %r4, %r5, %r6}, [%r2+16];
  st.global.v4.b32 [%rd3+16], {%r3, %r4, %r5, %r6};
  ret;
})");
  std::vector<uint16_t> in;
  std::mt19937 engine(5);
  std::vector<int> values;
  for (unsigned i = 0; i != 256; ++i) {
    values.push_back(int(engine() % 9) - 4);
    in.push_back(toHalf(values.back()));
  }
  uint64_t out = h.allocate<float>(256);
  ASSERT_TRUE(h.run("k", {1}, {32}, {h.upload(in), out}));
  std::vector<float> got = h.read<float>(out, 256);
  for (unsigned i = 0; i != 16; ++i)
    for (unsigned j = 0; j != 16; ++j) {
      int sum = 0;
      for (unsigned l = 0; l != 16; ++l)
        sum += values[16 * i + l] * values[16 * j + l];
      EXPECT_EQ(got[16 * j + i], float(3 * (2 * sum + 1))) << i << ", " << j;
    }
}

//===----------------------------------------------------------------------===//
// Rejections
//===----------------------------------------------------------------------===//

static const std::string fragmentC = "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}";

TEST(WmmaMustFail, LanesThatDiffer) {
  EXPECT_CONTAINS(
      perLaneFailure("mov.u32 %r1, smem; mad.lo.u32 %r1, %lane, 32, %r1;"
                     "wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " +
                     fragmentC + ", [%r1];"),
      "lane 1: 'wmma.load.c.sync.aligned.row.m16n16k16.shared.f32': the "
      "address must be the same in all lanes of the warp");
  EXPECT_CONTAINS(
      perLaneFailure("add.u32 %r1, %lane, 16;"
                     "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 "
                     "[smem], " +
                     fragmentC + ", %r1;"),
      "the stride must be the same in all lanes of the warp");
}

TEST(WmmaMustFail, AStrideBelowALine) {
  EXPECT_CONTAINS(
      perLaneFailure("wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " +
                     fragmentC + ", [smem], 12;"),
      "the stride is 12 elements; a line has 16");
}

TEST(WmmaMustFail, Alignment) {
  EXPECT_CONTAINS(
      perLaneFailure("wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " +
                     fragmentC + ", [smem+16];"),
      "the matrix 'smem+16' (0x10000000410) must be a multiple of 32");
  EXPECT_CONTAINS(
      perLaneFailure("wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " +
                     fragmentC + ", [smem], 18;"),
      "the line of the matrix 'smem+72' (0x10000000448) must be a multiple of "
      "16");
}

TEST(WmmaMustFail, OutsideMemory) {
  EXPECT_CONTAINS(
      perLaneFailure("wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " +
                     fragmentC + ", [smem+15872], 20;"),
      "64 bytes, line of the matrix at 0x100000043e0: byte 17376 of shared "
      "memory; the CTA has 17408");
}

TEST(WmmaMustFail, DivergedWarp) {
  EXPECT_CONTAINS(
      perLaneFailure("setp.eq.u32 %p1, %lane, 7; @%p1 exit;"
                     "wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " +
                     fragmentC + ", [smem];"),
      "needs all 32 lanes of the warp; lane 7 has exited");
}
