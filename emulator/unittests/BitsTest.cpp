//===- BitsTest.cpp - Logic, shifts, bit fields --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bit fields are defined bit by bit in the ISA; so are they here.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"

namespace {
char letterOf(unsigned bits) {
  return bits == 16 ? 'h' : bits == 32 ? 'r' : 'd';
}
uint64_t low(uint64_t word, unsigned bits) {
  return word << (64 - bits) >> (64 - bits);
}
int64_t lowSigned(uint64_t word, unsigned bits) {
  return int64_t(word << (64 - bits)) >> (64 - bits);
}
bool bit(uint64_t word, unsigned index) { return word >> index & 1; }

/// Words with every shift amount that means something.
std::vector<Operands> wordsAndShifts() {
  Bits shifts = {0,   1,    5,          7,          8,         15,  16,  17,
                 30,  31,   32,         33,         47,        62,  63,  64,
                 65,  100,  128,        200,        254,       255, 256, 257,
                 288, 1000, 0x80000000, 0xffffffff, 0x12345620};
  return cross({0, 1, 0x8000, 0x80000000, 0xffffffff, uint64_t(1) << 63,
                ~uint64_t(0), 0x123456789abcdef0, 0xfedcba9876543210, 0x7fff},
               shifts, shifts) +
         randomOperands(1000);
}
} // namespace

TEST(Bits, Logic) {
  std::vector<AluRow> rows;
  for (unsigned bits : {16, 32, 64}) {
    std::string type = ".b" + std::to_string(bits), r(1, letterOf(bits));
    rows.push_back({"and" + type + " %d, %a, %b", r + ":" + r + r,
                    [](Operands o) { return o.a & o.b; }});
    rows.push_back({"or" + type + " %d, %a, %b", r + ":" + r + r,
                    [](Operands o) { return o.a | o.b; }});
    rows.push_back({"xor" + type + " %d, %a, %b", r + ":" + r + r,
                    [](Operands o) { return o.a ^ o.b; }});
    rows.push_back({"not" + type + " %d, %a", r + ":" + r,
                    [](Operands o) { return ~o.a; }});
    rows.push_back({"cnot" + type + " %d, %a", r + ":" + r,
                    [=](Operands o) { return uint64_t(low(o.a, bits) == 0); }});
  }
  rows.push_back({"and.pred %d, %a, %b", "p:pp",
                  [](Operands o) { return o.a & o.b & 1; }});
  rows.push_back({"or.pred %d, %a, !%b", "p:pp",
                  [](Operands o) { return (o.a | ~o.b) & 1; }});
  rows.push_back({"xor.pred %d, %a, %b", "p:pp",
                  [](Operands o) { return (o.a ^ o.b) & 1; }});
  rows.push_back(
      {"not.pred %d, %a", "p:p", [](Operands o) { return ~o.a & 1; }});
  checkAlu("h100",
           cross(integerEdges(64), integerEdges(32)) + randomOperands(500),
           rows);
}

TEST(Bits, ShiftsClamp) {
  std::vector<AluRow> rows;
  for (unsigned bits : {16, 32, 64}) {
    std::string width = std::to_string(bits), r(1, letterOf(bits));
    auto amount = [](Operands o) { return uint32_t(o.b); };
    auto logical = [=](Operands o) {
      return amount(o) < bits ? low(o.a, bits) >> amount(o) : 0;
    };
    rows.push_back(
        {"shl.b" + width + " %d, %a, %b", r + ":" + r + "r",
         [=](Operands o) { return amount(o) < bits ? o.a << amount(o) : 0; }});
    rows.push_back(
        {"shr.b" + width + " %d, %a, %b", r + ":" + r + "r", logical});
    rows.push_back(
        {"shr.u" + width + " %d, %a, %b", r + ":" + r + "r", logical});
    rows.push_back(
        {"shr.s" + width + " %d, %a, %b", r + ":" + r + "r", [=](Operands o) {
           return lowSigned(o.a, bits) >> std::min(amount(o), bits - 1);
         }});
  }
  checkAlu("h100", wordsAndShifts(), rows);
}

TEST(Bits, FunnelShifts) {
  auto value = [](Operands o, bool left, bool clamp) {
    uint64_t a = uint32_t(o.a), b = uint32_t(o.b);
    uint32_t n = clamp ? std::min<uint32_t>(o.c, 32) : o.c & 31;
    return left ? b << n | a >> (32 - n) : b << (32 - n) | a >> n;
  };
  std::vector<AluRow> rows;
  for (bool left : {false, true})
    for (bool clamp : {false, true})
      rows.push_back({std::string("shf.") + (left ? "l" : "r") +
                          (clamp ? ".clamp" : ".wrap") + ".b32 %d, %a, %b, %c",
                      "r:rrr",
                      [=](Operands o) { return value(o, left, clamp); }});
  checkAlu("h100",
           cross({0, 1, 0x80000000, 0xffffffff, 0x12345678},
                 {0, 1, 0x80000000, 0xffffffff, 0x9abcdef0},
                 {0, 1, 15, 31, 32, 33, 63, 64, 0xffffffff}) +
               randomOperands(500),
           rows);
}

TEST(Bits, Counts) {
  std::vector<AluRow> rows;
  for (unsigned bits : {32, 64}) {
    std::string width = std::to_string(bits), r(1, letterOf(bits));
    auto highest = [=](uint64_t word) {
      for (int i = bits - 1; i >= 0; --i)
        if (bit(word, i))
          return i;
      return -1;
    };
    rows.push_back({"popc.b" + width + " %d, %a", "r:" + r, [=](Operands o) {
                      uint64_t count = 0;
                      for (unsigned i = 0; i != bits; ++i)
                        count += bit(o.a, i);
                      return count;
                    }});
    rows.push_back({"clz.b" + width + " %d, %a", "r:" + r, [=](Operands o) {
                      return uint64_t(int(bits) - 1 - highest(o.a));
                    }});
    rows.push_back({"brev.b" + width + " %d, %a", r + ":" + r, [=](Operands o) {
                      uint64_t reversed = 0;
                      for (unsigned i = 0; i != bits; ++i)
                        reversed |= uint64_t(bit(o.a, i)) << (bits - 1 - i);
                      return reversed;
                    }});
    for (bool isSigned : {false, true})
      for (bool shift : {false, true})
        rows.push_back({std::string("bfind") + (shift ? ".shiftamt" : "") +
                            (isSigned ? ".s" : ".u") + width + " %d, %a",
                        "r:" + r, [=](Operands o) {
                          bool negative = isSigned && bit(o.a, bits - 1);
                          int found = highest(negative ? ~o.a : o.a);
                          return uint64_t(shift && found >= 0
                                              ? int(bits) - 1 - found
                                              : found);
                        }});
  }
  Bits powers;
  for (unsigned i = 0; i != 64; ++i)
    powers.push_back(uint64_t(1) << i);
  checkAlu("h100",
           cross(powers) + cross(integerEdges(32)) + cross(integerEdges(64)) +
               randomOperands(300),
           rows);
}

TEST(Bits, FieldsAreExtracted) {
  std::vector<AluRow> rows;
  for (unsigned bits : {32, 64})
    for (bool isSigned : {false, true}) {
      std::string r(1, letterOf(bits));
      rows.push_back(
          {std::string("bfe.") + (isSigned ? "s" : "u") + std::to_string(bits) +
               " %d, %a, %b, %c",
           r + ":" + r + "rr", [=](Operands o) {
             unsigned msb = bits - 1, pos = o.b & 0xff, len = o.c & 0xff;
             bool sign =
                 isSigned && len != 0 && bit(o.a, std::min(pos + len - 1, msb));
             uint64_t d = 0;
             for (unsigned i = 0; i <= msb; ++i)
               d |= uint64_t(i < len && pos + i <= msb ? bit(o.a, pos + i)
                                                       : sign)
                    << i;
             return d;
           }});
    }
  checkAlu("h100", wordsAndShifts(), rows);
}

TEST(Bits, FieldsAreInserted) {
  std::vector<AluRow> rows;
  for (unsigned bits : {32, 64}) {
    std::string r(1, letterOf(bits));
    rows.push_back({"bfi.b" + std::to_string(bits) + " %d, %a, %b, %c, %e",
                    r + ":" + r + r + "rr", [=](Operands o) {
                      unsigned pos = o.c & 0xff, len = o.e & 0xff;
                      uint64_t f = o.b;
                      for (unsigned i = 0; i < len && pos + i < bits; ++i)
                        f = (f & ~(uint64_t(1) << (pos + i))) |
                            uint64_t(bit(o.a, i)) << (pos + i);
                      return f;
                    }});
  }
  Bits amounts = {0, 1, 7, 31, 32, 33, 63, 64, 128, 255, 256, 0xffffffff};
  checkAlu("h100",
           cross({0, 0x123456789abcdef0, ~uint64_t(0)},
                 {0, 0xfedcba9876543210, ~uint64_t(0)}, amounts, amounts) +
               randomOperands(500),
           rows);
}

TEST(Bits, MasksAndExtension) {
  std::vector<AluRow> rows;
  for (bool clamp : {false, true}) {
    std::string mode = clamp ? ".clamp" : ".wrap";
    rows.push_back({"bmsk" + mode + ".b32 %d, %a, %b", "r:rr", [=](Operands o) {
                      uint64_t from = clamp ? uint32_t(o.a) : o.a & 31;
                      uint64_t count = clamp ? uint32_t(o.b) : o.b & 31;
                      uint64_t mask = 0;
                      for (uint64_t i = 0; i != 32; ++i)
                        if (i >= from && i < from + count)
                          mask |= uint64_t(1) << i;
                      return mask;
                    }});
    for (bool isSigned : {false, true})
      rows.push_back(
          {"szext" + mode + (isSigned ? ".s32" : ".u32") + " %d, %a, %b",
           "r:rr", [=](Operands o) {
             uint64_t count = clamp ? uint32_t(o.b) : o.b & 31;
             if (count >= 32)
               return o.a;
             bool sign = isSigned && count != 0 && bit(o.a, count - 1);
             uint64_t d = 0;
             for (unsigned i = 0; i != 32; ++i)
               d |= uint64_t(i < count ? bit(o.a, i) : sign) << i;
             return d;
           }});
  }
  checkAlu("h100", wordsAndShifts(), rows);
}

TEST(Bits, NthSetBit) {
  auto expect = [](Operands o) -> uint64_t {
    uint32_t mask = o.a;
    int base = o.b & 31, offset = int32_t(o.c);
    if (offset == 0)
      return bit(mask, base) ? base : ~uint64_t(0);
    int count = std::abs(offset) - 1, step = offset > 0 ? 1 : -1;
    for (int pos = base; pos >= 0 && pos < 32; pos += step)
      if (bit(mask, pos) && count-- == 0)
        return pos;
    return ~uint64_t(0);
  };
  Bits bases;
  for (unsigned i = 0; i != 32; ++i)
    bases.push_back(i);
  checkAlu("h100",
           cross({0, 1, 0xaaaaaaaa, 0x80000001, 0xffffffff, 0x00f0f000}, bases,
                 {0, 1, 2, 5, 16, 0xffffffff, 0xfffffffe, 0xfffffff0}),
           {{"fns.b32 %d, %a, %b, %c", "r:rrr", expect}});
}

TEST(Bits, NthSetBitFromNowhere) {
  Harness h("h100", R"(
.visible .entry k() {
  .reg .b32 %r<2>;
  fns.b32 %r1, 0xff, 32, 1;
  ret;
})");
  std::string report = h.fail("k", {1}, {32}, {});
  EXPECT_NE(report.find("fns starts at bit 32 of a 32-bit value; its base must "
                        "be at most 31"),
            std::string::npos)
      << report;
}

TEST(Bits, LookupTables) {
  std::vector<AluRow> rows;
  for (unsigned table = 0; table != 256; table += 1) {
    auto value = [=](Operands o) {
      uint64_t d = 0;
      for (unsigned i = 0; i != 32; ++i)
        d |= uint64_t(
                 bit(table, bit(o.a, i) * 4 + bit(o.b, i) * 2 + bit(o.c, i)))
             << i;
      return d;
    };
    std::string text = " %a, %b, %c, " + std::to_string(table);
    rows.push_back({"lop3.b32 %d," + text, "r:rrr", value});
    if (table % 37)
      continue;
    rows.push_back(
        {"lop3.or.b32 _|%d," + text + ", %e", "p:rrrp",
         [=](Operands o) { return uint64_t(value(o) != 0) | (o.e & 1); }});
    rows.push_back(
        {"lop3.and.b32 _|%d," + text + ", !%e", "p:rrrp",
         [=](Operands o) { return uint64_t(value(o) != 0) & (~o.e & 1); }});
  }
  checkAlu("h100",
           cross({0, 0xffffffff}, {0, 0xffffffff}, {0, 0xffffffff}, {0, 1}) +
               randomOperands(100),
           rows);
}

TEST(Bits, PermutedBytes) {
  // The rows of the ISA's table: source bytes of d.b3, d.b2, d.b1 and d.b0 for
  // each value of c's last two bits.
  struct Mode {
    const char *name;
    uint8_t bytes[4][4];
  };
  static const Mode modes[] = {
      {"f4e", {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}},
      {"b4e", {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}},
      {"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
      {"ecl", {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}},
      {"ecr", {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}},
      {"rc16", {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}}};
  auto byte = [](Operands o, unsigned index) {
    return (index < 4 ? o.a >> 8 * index : o.b >> 8 * (index - 4)) & 0xff;
  };
  std::vector<AluRow> rows = {
      {"prmt.b32 %d, %a, %b, %c", "r:rrr", [=](Operands o) {
         uint64_t d = 0;
         for (unsigned i = 0; i != 4; ++i) {
           unsigned select = o.c >> 4 * i & 15;
           uint64_t value = byte(o, select & 7);
           if (select & 8)
             value = value & 0x80 ? 0xff : 0;
           d |= value << 8 * i;
         }
         return d;
       }}};
  for (const Mode &mode : modes)
    rows.push_back({std::string("prmt.b32.") + mode.name + " %d, %a, %b, %c",
                    "r:rrr", [=](Operands o) {
                      uint64_t d = 0;
                      for (unsigned i = 0; i != 4; ++i)
                        d = d << 8 | byte(o, mode.bytes[o.c & 3][i]);
                      return d;
                    }});
  checkAlu("h100",
           cross({0x83828180}, {0x07060504},
                 {0, 1, 2, 3, 0x3210, 0x7654, 0xfedc, 0x5410, 0x7632}) +
               randomOperands(500),
           rows);
}
