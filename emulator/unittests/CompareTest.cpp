//===- CompareTest.cpp - setp and set ------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every comparison of every type, against the definitions of the ISA's tables
// 22 to 25; NaNs, zeros of both signs and subnormal numbers are among the
// values.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"
#include "llvm/ADT/APFloat.h"

using llvm::APFloat;

namespace {
/// -1, 0, 1, or 2 if not ordered.
using Order = std::function<int(uint64_t a, uint64_t b)>;

bool holds(const std::string &comparison, int order) {
  bool isNaN = order == 2;
  if (comparison == "num")
    return !isNaN;
  if (comparison == "nan")
    return isNaN;
  if (comparison.size() == 3) // equ, neu, ...
    return isNaN || holds(comparison.substr(0, 2), order);
  if (isNaN)
    return false;
  if (comparison == "eq")
    return order == 0;
  if (comparison == "ne")
    return order != 0;
  if (comparison == "lt" || comparison == "lo")
    return order < 0;
  if (comparison == "le" || comparison == "ls")
    return order <= 0;
  if (comparison == "gt" || comparison == "hi")
    return order > 0;
  return order >= 0;
}

template <typename T>
int integerOrder(uint64_t a, uint64_t b) {
  T x = static_cast<T>(a), y = static_cast<T>(b);
  return x < y ? -1 : x > y;
}
int floatOrder(const llvm::fltSemantics &semantics, unsigned bits, bool ftz,
               uint64_t a, uint64_t b) {
  auto value = [&](uint64_t word) {
    uint64_t mask = ~uint64_t(0) >> (64 - bits);
    APFloat number(semantics, llvm::APInt(bits, word & mask));
    if (ftz && number.isDenormal())
      return APFloat::getZero(semantics, number.isNegative());
    return number;
  };
  switch (value(a).compare(value(b))) {
  case APFloat::cmpLessThan:
    return -1;
  case APFloat::cmpEqual:
    return 0;
  case APFloat::cmpGreaterThan:
    return 1;
  default:
    return 2;
  }
}
Order floatOrder(const llvm::fltSemantics &semantics, unsigned bits,
                 bool ftz = false) {
  return [&semantics, bits, ftz](uint64_t a, uint64_t b) {
    return floatOrder(semantics, bits, ftz, a, b);
  };
}

struct Type {
  std::string name;
  char letter;
  std::vector<std::string> comparisons;
  Order order;
};
const std::vector<std::string> bitComparisons = {"eq", "ne"};
const std::vector<std::string> signedComparisons = {"eq", "ne", "lt",
                                                    "le", "gt", "ge"};
const std::vector<std::string> unsignedComparisons = {
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
const std::vector<std::string> floatComparisons = {
    "eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
    "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

std::vector<Type> integerTypes() {
  return {{"b16", 'h', bitComparisons, integerOrder<uint16_t>},
          {"b32", 'r', bitComparisons, integerOrder<uint32_t>},
          {"b64", 'd', bitComparisons, integerOrder<uint64_t>},
          {"u16", 'h', unsignedComparisons, integerOrder<uint16_t>},
          {"u32", 'r', unsignedComparisons, integerOrder<uint32_t>},
          {"u64", 'd', unsignedComparisons, integerOrder<uint64_t>},
          {"s16", 'h', signedComparisons, integerOrder<int16_t>},
          {"s32", 'r', signedComparisons, integerOrder<int32_t>},
          {"s64", 'd', signedComparisons, integerOrder<int64_t>}};
}

Order f32() { return floatOrder(APFloat::IEEEsingle(), 32); }
Order f64() { return floatOrder(APFloat::IEEEdouble(), 64); }
Order f16(bool ftz = false) { return floatOrder(APFloat::IEEEhalf(), 16, ftz); }
Order bf16() { return floatOrder(APFloat::BFloat(), 16); }

uint64_t combine(unsigned how, bool value, bool with) {
  return how == 0   ? value
         : how == 1 ? value && with
         : how == 2 ? value || with
                    : value != with;
}
const char *combinations[] = {"", ".and", ".or", ".xor"};

std::vector<Operands> withPredicate(const Bits &edges) {
  return cross(edges, edges, {0, 1});
}
} // namespace

TEST(Compare, SetpIntegers) {
  std::vector<AluRow> rows;
  unsigned how = 0;
  for (const Type &type : integerTypes())
    for (const std::string &comparison : type.comparisons) {
      std::string name = "setp." + comparison;
      std::string shape = {'p', ':', type.letter, type.letter};
      auto value = [=](Operands o) {
        return holds(comparison, type.order(o.a, o.b));
      };
      rows.push_back({name + "." + type.name + " %d, %a, %b", shape, value});
      // The complement, combined in turn in each way.
      how = how % 3 + 1;
      rows.push_back(
          {name + combinations[how] + "." + type.name + " _|%d, %a, %b, !%c",
           shape + "p", [=, how = how](Operands o) {
             return combine(how, !value(o), !(o.c & 1));
           }});
    }
  for (unsigned bits : {16, 32, 64})
    checkAlu("h100", withPredicate(integerEdges(bits)), rows);
}

TEST(Compare, SetpFloats) {
  std::vector<AluRow> singles, doubles, shorts, shorts2;
  for (const std::string &comparison : floatComparisons)
    for (unsigned how = 0; how != 4; ++how) {
      std::string name = "setp." + comparison + combinations[how];
      std::string c = how ? ", %c" : "", p = how ? "p" : "";
      auto row = [&](const std::string &type, const std::string &shape,
                     Order order) {
        return AluRow{
            name + type + " %d, %a, %b" + c, shape + p, [=](Operands o) {
              return combine(how, holds(comparison, order(o.a, o.b)), o.c & 1);
            }};
      };
      singles.push_back(row(".f32", "p:rr", f32()));
      singles.push_back(
          row(".ftz.f32", "p:rr", floatOrder(APFloat::IEEEsingle(), 32, true)));
      doubles.push_back(row(".f64", "p:dd", f64()));
      shorts.push_back(row(".f16", "p:hh", f16()));
      shorts.push_back(row(".ftz.f16", "p:hh", f16(true)));
      shorts2.push_back(row(".bf16", "p:hh", bf16()));
    }
  checkAlu("h100", withPredicate(floatEdges()), singles);
  checkAlu("h100", withPredicate(doubleEdges()), doubles);
  checkAlu("h100", withPredicate(halfEdges()), shorts);
  checkAlu("h100", withPredicate(bfloatEdges()), shorts2);
}

// p is for the low halves, q for the high ones.
TEST(Compare, SetpPairs) {
  std::vector<AluRow> halves, bfloats;
  for (const std::string &comparison : floatComparisons) {
    std::string name = "setp." + comparison;
    halves.push_back({name + ".f16x2 %d|_, %a, %b", "p:rr", [=](Operands o) {
                        return holds(comparison, f16()(o.a, o.b));
                      }});
    halves.push_back(
        {name + ".xor.ftz.f16x2 _|%d, %a, %b, %c", "p:rrp", [=](Operands o) {
           return combine(3, holds(comparison, f16(true)(o.a >> 16, o.b >> 16)),
                          o.c & 1);
         }});
    bfloats.push_back({name + ".bf16x2 _|%d, %a, %b", "p:rr", [=](Operands o) {
                         return holds(comparison, bf16()(o.a >> 16, o.b >> 16));
                       }});
    bfloats.push_back(
        {name + ".or.bf16x2 %d|_, %a, %b, %c", "p:rrp", [=](Operands o) {
           return combine(2, holds(comparison, bf16()(o.a, o.b)), o.c & 1);
         }});
  }
  checkAlu("h100", withPredicate(packed(halfEdges(), 16)), halves);
  checkAlu("h100", withPredicate(packed(bfloatEdges(), 16)), bfloats);
}

TEST(Compare, Set) {
  struct Result {
    const char *name;
    char letter;
    uint64_t yes;
  };
  static const Result wide[] = {{"u32", 'r', 0xffffffff},
                                {"s32", 'r', 0xffffffff},
                                {"f32", 'r', 0x3f800000},
                                {"f16", 'h', 0x3c00},
                                {"bf16", 'h', 0x3f80}};
  std::vector<Type> sources = integerTypes();
  sources.push_back({"f32", 'r', floatComparisons, f32()});
  sources.push_back({"f64", 'd', floatComparisons, f64()});
  std::vector<AluRow> rows;
  unsigned how = 0;
  for (const Type &type : sources)
    for (const std::string &comparison : type.comparisons)
      for (const Result &result : wide) {
        how = (how + 1) % 4;
        std::string shape = {result.letter, ':', type.letter, type.letter};
        rows.push_back(
            {"set." + comparison + combinations[how] + "." + result.name + "." +
                 type.name + " %d, %a, %b" + (how ? ", %c" : ""),
             shape + (how ? "p" : ""), [=, how = how](Operands o) {
               return combine(how, holds(comparison, type.order(o.a, o.b)),
                              o.c & 1)
                          ? result.yes
                          : 0;
             }});
      }
  rows.push_back({"set.lt.ftz.u32.f32 %d, %a, %b", "r:rr", [](Operands o) {
                    return floatOrder(APFloat::IEEEsingle(), 32, true, o.a,
                                      o.b) == -1
                               ? 0xffffffffull
                               : 0;
                  }});
  checkAlu("h100",
           withPredicate(floatEdges()) + withPredicate(doubleEdges()) +
               withPredicate(integerEdges(16)),
           rows);
}

TEST(Compare, SetShorts) {
  std::vector<AluRow> halfRows, bfloatRows;
  for (const std::string &comparison : floatComparisons)
    for (bool isHalf : {true, false}) {
      Order order = isHalf ? f16() : bf16();
      std::string source = isHalf ? "f16" : "bf16";
      uint64_t one = isHalf ? 0x3c00 : 0x3f80;
      std::vector<AluRow> &rows = isHalf ? halfRows : bfloatRows;
      auto row = [&](const std::string &type, const std::string &shape,
                     uint64_t yes) {
        rows.push_back(
            {"set." + comparison + "." + type + "." + source + " %d, %a, %b",
             shape, [=](Operands o) {
               return holds(comparison, order(o.a, o.b)) ? yes : 0;
             }});
      };
      row("u16", "h:hh", 0xffff);
      row("s16", "h:hh", 0xffff);
      row("u32", "r:hh", 0xffffffff);
      row("s32", "r:hh", 0xffffffff);
      row(source, "h:hh", one);
      auto pair = [&](const std::string &type, uint64_t yes) {
        rows.push_back({"set." + comparison + ".and." + type + "." + source +
                            "x2 %d, %a, %b, %c",
                        "r:rrp", [=](Operands o) {
                          return halves(o, 16, [&](Operands half) {
                            return o.c & 1 && holds(comparison,
                                                    order(half.a, half.b))
                                       ? yes
                                       : 0;
                          });
                        }});
      };
      pair("u32", 0xffff);
      pair("s32", 0xffff);
      pair(source + "x2", one);
    }
  halfRows.push_back({"set.eq.ftz.f16.f16 %d, %a, %b", "h:hh", [](Operands o) {
                        return f16(true)(o.a, o.b) == 0 ? 0x3c00 : 0;
                      }});
  halfRows.push_back({"set.eq.bf16.f16 %d, %a, %b", "h:hh", [](Operands o) {
                        return f16()(o.a, o.b) == 0 ? 0x3f80 : 0;
                      }});
  checkAlu("h100", withPredicate(packed(halfEdges(), 16)), halfRows);
  checkAlu("h100", withPredicate(packed(bfloatEdges(), 16)), bfloatRows);
}
