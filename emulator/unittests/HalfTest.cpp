//===- HalfTest.cpp - Half precision and bfloat --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatReference.h"

using llvm::APFloat;

namespace {
const auto nearest = llvm::RoundingMode::NearestTiesToEven;

/// A row for a scalar type and one for a pair.
void addBoth(std::vector<AluRow> &rows, const std::string &op,
             const std::string &type, unsigned sources,
             std::function<uint64_t(Operands)> f) {
  static const char *operands[] = {"", " %d, %a", " %d, %a, %b",
                                   " %d, %a, %b, %c"};
  rows.push_back({op + "." + type + operands[sources],
                  "h:" + std::string(sources, 'h'), f});
  rows.push_back({op + "." + type + "x2" + operands[sources],
                  "r:" + std::string(sources, 'r'),
                  [=](Operands o) { return halves(o, 16, f); }});
}

std::vector<Operands> shortOperands(const Bits &edges) {
  Bits pairs = packed(edges, 16);
  return cross(pairs, pairs, {edges[9] | edges[14] << 16}) +
         cross(pairs, {pairs[11], pairs[24]}, pairs) +
         randomOperands(20000, edges.size());
}
} // namespace

TEST(Half, SumsAndProducts) {
  std::vector<AluRow> halfRows, bfloatRows;
  for (std::string op : {"add", "sub", "mul", "fma"}) {
    unsigned sources = op == "fma" ? 3 : 2;
    for (bool ftz : {false, true})
      for (bool sat : {false, true})
        addBoth(halfRows,
                op + ".rn" + (ftz ? ".ftz" : "") + (sat ? ".sat" : ""), "f16",
                sources, [=](Operands o) {
                  return compute(f16Format(ftz, sat), op, nearest, o);
                });
    addBoth(bfloatRows, op + ".rn", "bf16", sources,
            [=](Operands o) { return compute(bf16Format(), op, nearest, o); });
  }
  for (bool ftz : {false, true})
    addBoth(halfRows, std::string("fma.rn") + (ftz ? ".ftz" : "") + ".relu",
            "f16", 3, [=](Operands o) {
              return compute(f16Format(ftz, false, true), "fma", nearest, o);
            });
  addBoth(bfloatRows, "fma.rn.relu", "bf16", 3, [](Operands o) {
    return compute(bf16Format(true), "fma", nearest, o);
  });
  checkAlu("h100", shortOperands(halfEdges()), halfRows);
  checkAlu("h100", shortOperands(bfloatEdges()), bfloatRows);
}

// Numbers whose sum or product is close to the middle of two results: where
// rounding twice would go wrong.
TEST(Half, RoundsOnce) {
  std::vector<Operands> values;
  for (uint64_t exponent = 1; exponent != 31; ++exponent)
    for (uint64_t mantissa : {0x001, 0x3ff, 0x200, 0x155})
      for (uint64_t tiny : {0x0001, 0x8001, 0x0400, 0x8400, 0x03ff})
        for (uint64_t middle : {0x1000, 0x1001, 0x1200})
          values.push_back({exponent << 10 | mantissa, middle, tiny});
  std::vector<AluRow> rows;
  addBoth(rows, "fma.rn", "f16", 3,
          [](Operands o) { return compute(f16Format(), "fma", nearest, o); });
  checkAlu("h100", values, rows);
  for (Operands &o : values) {
    // The same for bfloat, whose products may be too small for a float.
    o.a = (o.a & 0x7fff) >> 3;
    o.b = 0x0080 + (o.b & 0x7f);
    o.c &= 0x8001;
  }
  rows.clear();
  for (std::string op : {"mul", "fma"})
    addBoth(rows, op + ".rn", "bf16", op == "fma" ? 3 : 2,
            [=](Operands o) { return compute(bf16Format(), op, nearest, o); });
  checkAlu("h100", values, rows);
}

TEST(Half, OutOfBounds) {
  std::vector<AluRow> halfRows, bfloatRows;
  for (bool relu : {false, true}) {
    std::string op = std::string("fma.rn.oob") + (relu ? ".relu" : "");
    auto isOutside = [](Operands o) {
      return o.a == 0x7fff || o.b == 0x7fff || o.c == 0x7fff;
    };
    auto cut = [](Operands o) {
      return Operands{o.a & 0xffff, o.b & 0xffff, o.c & 0xffff};
    };
    addBoth(halfRows, op, "f16", 3, [=](Operands o) {
      o = cut(o);
      return isOutside(o)
                 ? 0
                 : compute(f16Format(false, false, relu), "fma", nearest, o);
    });
    addBoth(bfloatRows, op, "bf16", 3, [=](Operands o) {
      o = cut(o);
      return isOutside(o) ? 0 : compute(bf16Format(relu), "fma", nearest, o);
    });
  }
  Bits edges = {0x3c00, 0x7fff, 0xbf80, 0x7e00, 0x0000};
  checkAlu("h100",
           cross(packed(edges, 16), packed(edges, 16), packed(edges, 16)),
           halfRows);
  checkAlu("h100",
           cross(packed(edges, 16), packed(edges, 16), packed(edges, 16)),
           bfloatRows);
}

TEST(Half, Signs) {
  std::vector<AluRow> rows;
  auto flush = [](uint64_t word) {
    return word & 0x7c00 ? word : word & 0x8000;
  };
  for (std::string type : {"f16", "bf16"}) {
    addBoth(rows, "neg", type, 1, [](Operands o) { return o.a ^ 0x8000; });
    addBoth(rows, "abs", type, 1, [](Operands o) { return o.a & 0x7fff; });
  }
  addBoth(rows, "neg.ftz", "f16", 1,
          [=](Operands o) { return flush(o.a) ^ 0x8000; });
  addBoth(rows, "abs.ftz", "f16", 1,
          [=](Operands o) { return flush(o.a) & 0x7fff; });
  checkAlu("h100",
           cross(packed(halfEdges(), 16)) + cross(packed(bfloatEdges(), 16)),
           rows);
}

TEST(Half, MinimumAndMaximum) {
  std::vector<AluRow> halfRows, bfloatRows;
  for (bool max : {false, true})
    for (bool propagate : {false, true})
      for (bool xorSign : {false, true}) {
        std::string suffix = std::string(propagate ? ".NaN" : "") +
                             (xorSign ? ".xorsign.abs" : "");
        std::string op = max ? "max" : "min";
        for (bool ftz : {false, true})
          addBoth(halfRows, op + (ftz ? ".ftz" : "") + suffix, "f16", 2,
                  [=](Operands o) {
                    return extremum(f16Format(ftz), max, propagate, xorSign,
                                    false, 2, o);
                  });
        addBoth(bfloatRows, op + suffix, "bf16", 2, [=](Operands o) {
          return extremum(bf16Format(), max, propagate, xorSign, false, 2, o);
        });
      }
  Bits halfPairs = packed(halfEdges(), 16), pairs = packed(bfloatEdges(), 16);
  checkAlu("h100", cross(halfPairs, halfPairs), halfRows);
  checkAlu("h100", cross(pairs, pairs), bfloatRows);
}
