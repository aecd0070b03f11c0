//===- Draw.h - Draws one program ------------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_TOOLS_SUITE_DRAW_H
#define DRAWLOOM_TOOLS_SUITE_DRAW_H

#include "Composition.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <random>

namespace drawloom::suite {

/// Draws one program.
class Draw {
public:
  explicit Draw(uint64_t seed) : random(seed) {}
  Composition run();

private:
  /// A value in scope, and whether something was made of it.
  struct Known {
    Value value;
    bool isUsed = false;
  };

  // Not std::uniform_int_distribution, which differs between libraries.
  uint64_t below(uint64_t limit) { return random() % limit; }
  bool oneIn(uint64_t limit) { return below(limit) == 0; }
  template <typename T, size_t N>
  T pick(const T (&from)[N]) {
    return from[below(N)];
  }

  void drawAxes();
  int64_t drawSize(int64_t tile);
  /// A value with these properties, rather one that was not used yet; null if
  /// there is none.
  Value *choose(llvm::function_ref<bool(const Value &)> fits);
  Value *choose() {
    return choose([](const Value &) { return true; });
  }
  void add(const Value &value) { known.push_back({value}); }

  void step();
  void addLoad();
  void addUnary();
  void addBinary();
  void addSelect();
  void addReduction();
  void addSlices();
  void addProduct();
  void addChainedProduct();
  void addLoop();
  /// Whether the axes of both are at most two.
  static bool fit(const Value &a, const Value &b);
  Value combine(const Value &a, const Value &b);
  /// Scaled to 4 at most. What is wrong with it then stays small, too, where a
  /// function would make much of it.
  Value scaleDown(const Value &value);
  std::string drawOperand(unsigned rows, unsigned k, llvm::StringRef type);
  bool canBeStored(const Value &value) const;
  void storeResults();
  /// How CTAs get their items, and whether they may be in clusters.
  void drawSchedule();

  std::mt19937_64 random;
  Composition program;
  std::vector<Known> known;
  /// The axes that tiles have outside loops, and the one of the loop.
  unsigned m = 0, n = 0;
  std::optional<unsigned> j;
  bool hasProducts = false, hasLoop = false, hasStores = false;
};

} // namespace drawloom::suite

#endif // DRAWLOOM_TOOLS_SUITE_DRAW_H
