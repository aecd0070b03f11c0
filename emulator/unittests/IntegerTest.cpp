//===- IntegerTest.cpp - Integer arithmetic ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference is arithmetic on __int128, reduced to the width of the type.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"

using Wide = __int128;

namespace {
/// An integer type by its PTX name.
struct Type {
  std::string name;
  char letter;
  unsigned bits;
  bool isSigned;

  Wide value(uint64_t word) const {
    unsigned shift = 64 - bits;
    return isSigned ? Wide(int64_t(word << shift) >> shift)
                    : Wide(word << shift >> shift);
  }
  Wide minimum() const { return isSigned ? -(Wide(1) << (bits - 1)) : 0; }
  Wide maximum() const { return (Wide(1) << (isSigned ? bits - 1 : bits)) - 1; }
  Wide clamp(Wide value) const {
    return std::min(std::max(value, minimum()), maximum());
  }
};
const Type types[] = {{"u16", 'h', 16, false}, {"s16", 'h', 16, true},
                      {"u32", 'r', 32, false}, {"s32", 'r', 32, true},
                      {"u64", 'd', 64, false}, {"s64", 'd', 64, true}};

using Function = std::function<Wide(Wide a, Wide b, Wide c)>;

/// Rows for `op` of every type that `accept` takes.
std::vector<AluRow> rowsOf(
    const std::string &op, unsigned sources, Function f,
    std::function<bool(const Type &)> accept = [](const Type &) {
      return true;
    }) {
  static const char *operands[] = {"", " %d, %a", " %d, %a, %b",
                                   " %d, %a, %b, %c"};
  std::vector<AluRow> rows;
  for (const Type &type : types)
    if (accept(type))
      rows.push_back(
          {op + "." + type.name + operands[sources],
           std::string{type.letter, ':'} + std::string(sources, type.letter),
           [=](Operands o) -> uint64_t {
             return f(type.value(o.a), type.value(o.b), type.value(o.c));
           }});
  return rows;
}
bool isSigned(const Type &type) { return type.isSigned; }

std::vector<AluRow> operator+(std::vector<AluRow> a,
                              const std::vector<AluRow> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Pairs and triples of edges of all widths, and random bits.
std::vector<Operands> integers() {
  std::vector<Operands> values;
  for (unsigned bits : {16, 32, 64})
    values = values + cross(integerEdges(bits), integerEdges(bits), {0, 5}) +
             cross({1, 3, uint64_t(1) << (bits - 1)}, {1, ~uint64_t(0)},
                   integerEdges(bits));
  return values + randomOperands(1000);
}
} // namespace

TEST(Integer, SumsAndProducts) {
  // Only the low half counts; it may wrap.
  using Bits = unsigned __int128;
  auto low = [](Wide a, Wide b, Wide c) {
    return Wide(Bits(a) * Bits(b) + Bits(c));
  };
  checkAlu(
      "h100", integers(),
      rowsOf("add", 2, [](Wide a, Wide b, Wide) { return a + b; }) +
          rowsOf("sub", 2, [](Wide a, Wide b, Wide) { return a - b; }) +
          rowsOf("mul.lo", 2,
                 [=](Wide a, Wide b, Wide) { return low(a, b, 0); }) +
          rowsOf("mad.lo", 3, low) +
          rowsOf("sad", 3,
                 [](Wide a, Wide b, Wide c) {
                   return c + (a < b ? b - a : a - b);
                 }) +
          rowsOf(
              "abs", 1, [](Wide a, Wide, Wide) { return a < 0 ? -a : a; },
              isSigned) +
          rowsOf("neg", 1, [](Wide a, Wide, Wide) { return -a; }, isSigned));
}

TEST(Integer, HighAndWideProducts) {
  std::vector<AluRow> rows;
  for (const Type &type : types) {
    std::string registers(1, type.letter);
    auto high = [=](Operands o) {
      Wide a = type.value(o.a), b = type.value(o.b);
      // 128 bits hold the product of unsigned numbers only as such.
      return type.isSigned
                 ? uint64_t(a * b >> type.bits)
                 : uint64_t((unsigned __int128)a * (unsigned __int128)b >>
                            type.bits);
    };
    rows.push_back({"mul.hi." + type.name + " %d, %a, %b",
                    registers + ":" + registers + registers, high});
    rows.push_back({"mad.hi." + type.name + " %d, %a, %b, %c",
                    registers + ":" + registers + registers + registers,
                    [=](Operands o) { return high(o) + o.c; }});
    if (type.bits == 64)
      continue;
    std::string wide(1, type.bits == 16 ? 'r' : 'd');
    rows.push_back({"mul.wide." + type.name + " %d, %a, %b",
                    wide + ":" + registers + registers, [=](Operands o) {
                      return uint64_t(type.value(o.a) * type.value(o.b));
                    }});
    rows.push_back({"mad.wide." + type.name + " %d, %a, %b, %c",
                    wide + ":" + registers + registers + wide, [=](Operands o) {
                      return uint64_t(type.value(o.a) * type.value(o.b)) + o.c;
                    }});
  }
  checkAlu("h100", integers(), rows);
}

TEST(Integer, Products24) {
  auto product = [](bool isSigned, Operands o) {
    auto cut = [=](uint64_t word) {
      return isSigned ? int64_t(word << 40) >> 40 : int64_t(word & 0xffffff);
    };
    return cut(o.a) * cut(o.b);
  };
  std::vector<AluRow> rows;
  for (bool isSigned : {false, true}) {
    std::string type = isSigned ? "s32" : "u32";
    rows.push_back({"mul24.lo." + type + " %d, %a, %b", "r:rr",
                    [=](Operands o) { return product(isSigned, o); }});
    rows.push_back({"mul24.hi." + type + " %d, %a, %b", "r:rr",
                    [=](Operands o) { return product(isSigned, o) >> 16; }});
    rows.push_back({"mad24.lo." + type + " %d, %a, %b, %c", "r:rrr",
                    [=](Operands o) { return product(isSigned, o) + o.c; }});
    rows.push_back(
        {"mad24.hi." + type + " %d, %a, %b, %c", "r:rrr",
         [=](Operands o) { return (product(isSigned, o) >> 16) + o.c; }});
  }
  rows.push_back({"mad24.hi.sat.s32 %d, %a, %b, %c", "r:rrr", [=](Operands o) {
                    return uint64_t(types[3].clamp(
                        Wide(int32_t(product(true, o) >> 16)) + int32_t(o.c)));
                  }});
  checkAlu("h100", integers(), rows);
}

TEST(Integer, Saturation) {
  const Type &s32 = types[3];
  checkAlu(
      "h100", integers(),
      {{"add.sat.s32 %d, %a, %b", "r:rr",
        [&](Operands o) { return s32.clamp(s32.value(o.a) + s32.value(o.b)); }},
       {"sub.sat.s32 %d, %a, %b", "r:rr",
        [&](Operands o) { return s32.clamp(s32.value(o.a) - s32.value(o.b)); }},
       {"mad.hi.sat.s32 %d, %a, %b, %c", "r:rrr", [&](Operands o) {
          return s32.clamp((s32.value(o.a) * s32.value(o.b) >> 32) +
                           s32.value(o.c));
        }}});
}

// The ISA leaves division by zero open; all bits are set, as on the hardware.
TEST(Integer, Division) {
  checkAlu("h100", integers(), rowsOf("div", 2, [](Wide a, Wide b, Wide) {
                                 return b == 0 ? Wide(-1) : a / b;
                               }) + rowsOf("rem", 2, [](Wide a, Wide b, Wide) {
                                 return b == 0 ? Wide(-1) : a % b;
                               }));
}

TEST(Integer, MinimumAndMaximum) {
  auto low = [](Wide a, Wide b, Wide) { return std::min(a, b); };
  auto high = [](Wide a, Wide b, Wide) { return std::max(a, b); };
  auto relu = [](Function f) {
    return
        [=](Wide a, Wide b, Wide c) { return std::max<Wide>(f(a, b, c), 0); };
  };
  auto isS32 = [](const Type &type) { return type.name == "s32"; };
  checkAlu("h100", integers(),
           rowsOf("min", 2, low) + rowsOf("max", 2, high) +
               rowsOf("min.relu", 2, relu(low), isS32) +
               rowsOf("max.relu", 2, relu(high), isS32));
}

TEST(Integer, PackedHalfWords) {
  auto row = [](const std::string &op, bool isSigned, Function f) {
    const Type &type = types[isSigned];
    return AluRow{op + " %d, %a, %b", "r:rr", [=](Operands o) {
                    return halves(o, 16, [&](Operands half) -> uint64_t {
                      return f(type.value(half.a), type.value(half.b), 0);
                    });
                  }};
  };
  auto add = [](Wide a, Wide b, Wide) { return a + b; };
  auto low = [](Wide a, Wide b, Wide) { return std::min(a, b); };
  auto high = [](Wide a, Wide b, Wide) { return std::max(a, b); };
  auto lowRelu = [](Wide a, Wide b, Wide) {
    return std::max<Wide>(std::min(a, b), 0);
  };
  auto highRelu = [](Wide a, Wide b, Wide) {
    return std::max<Wide>(std::max(a, b), 0);
  };
  Bits edges = packed(integerEdges(16), 16);
  checkAlu("h100", cross(edges, edges) + randomOperands(500),
           {row("add.u16x2", false, add), row("add.s16x2", true, add),
            row("min.u16x2", false, low), row("min.s16x2", true, low),
            row("max.u16x2", false, high), row("max.s16x2", true, high),
            row("min.relu.s16x2", true, lowRelu),
            row("max.relu.s16x2", true, highRelu)});
}

// A chain of three words: the carry goes from one instruction to the next.
TEST(Integer, CarryChains) {
  auto wide = [](Operands o) {
    return std::pair<unsigned __int128, unsigned __int128>(
        (unsigned __int128)o.b << 64 | o.a, (unsigned __int128)o.e << 64 | o.c);
  };
  std::vector<AluRow> rows;
  for (const char *type : {"u32", "s32"}) {
    std::string t = type;
    rows.push_back(
        {"add.cc." + t + " %d, %a, %b;\n @%guard addc." + t + " %d, %c, %e",
         "r:rrrr", [](Operands o) {
           uint64_t carry = (uint64_t(uint32_t(o.a)) + uint32_t(o.b)) >> 32;
           return o.c + o.e + carry;
         }});
    rows.push_back(
        {"sub.cc." + t + " %d, %a, %b;\n @%guard subc." + t + " %d, %c, %e",
         "r:rrrr", [](Operands o) {
           return o.c - o.e - (uint32_t(o.a) < uint32_t(o.b));
         }});
    // The carry of a carry.
    rows.push_back(
        {"add.cc." + t + " %d, %a, %b;\n @%guard addc.cc." + t +
             " %d, %c, %e;\n @%guard addc." + t + " %d, 0, 0",
         "r:rrrr", [](Operands o) {
           uint64_t carry = (uint64_t(uint32_t(o.a)) + uint32_t(o.b)) >> 32;
           return (uint64_t(uint32_t(o.c)) + uint32_t(o.e) + carry) >> 32;
         }});
    rows.push_back({"sub.cc." + t + " %d, %a, %b;\n @%guard subc.cc." + t +
                        " %d, %c, %e;\n @%guard subc." + t + " %d, 0, 0",
                    "r:rrrr", [](Operands o) -> uint64_t {
                      uint64_t borrow = uint32_t(o.a) < uint32_t(o.b);
                      return uint64_t(uint32_t(o.c)) <
                                     uint64_t(uint32_t(o.e)) + borrow
                                 ? ~uint64_t(0)
                                 : 0;
                    }});
  }
  for (const char *type : {"u64", "s64"}) {
    std::string t = type;
    rows.push_back(
        {"add.cc." + t + " %d, %a, %c;\n @%guard addc." + t + " %d, %b, %e",
         "d:dddd", [=](Operands o) {
           auto [x, y] = wide(o);
           return uint64_t((x + y) >> 64);
         }});
    rows.push_back(
        {"sub.cc." + t + " %d, %a, %c;\n @%guard subc." + t + " %d, %b, %e",
         "d:dddd", [=](Operands o) {
           auto [x, y] = wide(o);
           return uint64_t((x - y) >> 64);
         }});
    // mad.lo.cc and madc.hi: a * b + (e:c), the upper word.
    bool isSigned = t == "s64";
    rows.push_back({"mad.lo.cc." + t + " %d, %a, %b, %c;\n @%guard madc.hi." +
                        t + " %d, %a, %b, %e",
                    "d:dddd", [=](Operands o) {
                      unsigned __int128 product =
                          isSigned ? Wide(int64_t(o.a)) * int64_t(o.b)
                                   : (unsigned __int128)o.a * o.b;
                      auto sum = product + ((unsigned __int128)o.e << 64 | o.c);
                      return uint64_t(sum >> 64);
                    }});
    rows.push_back({"mad.hi.cc." + t + " %d, %a, %b, %c;\n @%guard madc.lo." +
                        t + " %d, %a, %b, %e",
                    "d:dddd", [=](Operands o) {
                      unsigned __int128 product =
                          isSigned ? Wide(int64_t(o.a)) * int64_t(o.b)
                                   : (unsigned __int128)o.a * o.b;
                      uint64_t high = product >> 64;
                      return uint64_t(product) + o.e + (high + o.c < high);
                    }});
    // madc.cc hands its carry on.
    rows.push_back({"add.cc." + t + " %d, %a, %b;\n @%guard madc.lo.cc." + t +
                        " %d, %a, %b, %c;\n @%guard madc.hi.cc." + t +
                        " %d, %a, %b, %e;\n @%guard addc." + t + " %d, 0, 0",
                    "d:dddd", [=](Operands o) -> uint64_t {
                      unsigned __int128 product =
                          isSigned ? Wide(int64_t(o.a)) * int64_t(o.b)
                                   : (unsigned __int128)o.a * o.b;
                      uint64_t carry = o.a + o.b < o.a;
                      unsigned __int128 low =
                          (unsigned __int128)uint64_t(product) + o.c + carry;
                      unsigned __int128 high =
                          (unsigned __int128)uint64_t(product >> 64) + o.e +
                          uint64_t(low >> 64);
                      return high >> 64;
                    }});
  }
  checkAlu("h100",
           cross({0, 1, 0xffffffff, ~uint64_t(0), 0x80000000},
                 {0, 1, 0xffffffff, ~uint64_t(0)},
                 {0, 1, 0xffffffff, ~uint64_t(0)},
                 {0, 1, 0xffffffff, ~uint64_t(0), uint64_t(1) << 63}) +
               randomOperands(500),
           rows);
}

TEST(Integer, DotProducts) {
  auto part = [](uint64_t word, unsigned index, unsigned bits, bool isSigned) {
    return int64_t(types[0].value(0)) +
           int64_t(Type{"", 'r', bits, isSigned}.value(word >> bits * index));
  };
  std::vector<AluRow> rows;
  for (bool signedA : {false, true})
    for (bool signedB : {false, true}) {
      std::string types = std::string(signedA ? ".s32" : ".u32") +
                          (signedB ? ".s32" : ".u32") + " %d, %a, %b, %c";
      rows.push_back({"dp4a" + types, "r:rrr", [=](Operands o) {
                        int64_t sum = o.c;
                        for (unsigned i = 0; i != 4; ++i)
                          sum += part(o.a, i, 8, signedA) *
                                 part(o.b, i, 8, signedB);
                        return sum;
                      }});
      for (unsigned first : {0, 2})
        rows.push_back(
            {(first ? "dp2a.hi" : "dp2a.lo") + types, "r:rrr", [=](Operands o) {
               int64_t sum = o.c;
               for (unsigned i = 0; i != 2; ++i)
                 sum += part(o.a, i, 16, signedA) *
                        part(o.b, first + i, 8, signedB);
               return sum;
             }});
    }
  checkAlu("h100",
           cross({0x80808080, 0x7f7f7f7f, 0xffffffff, 0x80017fff},
                 {0x80808080, 0x7f7f7f7f, 0xffffffff, 0x01020304},
                 {0, 0x7fffffff, 0xffffffff}) +
               randomOperands(500),
           rows);
}
