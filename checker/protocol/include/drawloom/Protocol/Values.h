//===- Values.h - What a warp's registers are known to hold --- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A value of the walk (Walk.h): for each of the 32 lanes a number, or unknown.
// Numbers are the bits of the register, zero-extended; predicates are 0 and 1.
// Of a value that no lane knows, the lowest bits may be known: those of a CTA's
// place in the grid are its place in the cluster. And it is remembered whether
// it is unknown only because a counter was given up, or something computed from
// it.
//
// Invariant: lanes that all hold the same number are stored as one, and arrays
// of lanes are interned. So equal values are equal words, and states of the
// walk can be compared cheaply.

#ifndef DRAWLOOM_PROTOCOL_VALUES_H
#define DRAWLOOM_PROTOCOL_VALUES_H

#include "drawloom/PTX/Module.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <set>
#include <string>

namespace drawloom::protocol {

constexpr unsigned lanesOfWarp = 32;
using Lanes = std::array<uint64_t, lanesOfWarp>;

class Value {
public:
  Value() = default;
  static Value of(uint64_t number) {
    Value value;
    value.kind = Uniform;
    value.number = number;
    return value;
  }

  /// Unknown but for the lowest `bits`.
  static Value ofLow(uint64_t number, unsigned bits) {
    Value value;
    value.number = number;
    value.lowBits = static_cast<uint8_t>(bits);
    return value;
  }

  static Value ofCounter() {
    Value value;
    value.counted = true;
    return value;
  }
  bool isCounted() const { return counted; }

  /// In all lanes, in none.
  bool isKnown() const { return kind == Uniform || (lanes && !unknown); }
  bool isUnknown() const { return kind == Unknown; }
  bool isUniform() const { return kind == Uniform; }
  bool isKnownAt(unsigned lane) const {
    return kind == Uniform || (kind == PerLane && !(unknown >> lane & 1));
  }
  /// Of a lane that knows it.
  uint64_t at(unsigned lane) const {
    return kind == PerLane ? (*lanes)[lane] : number;
  }
  /// How many of the lowest bits all lanes know, and these.
  unsigned getLowBits() const { return kind == Uniform ? 64 : lowBits; }
  uint64_t getLow() const { return number; }
  /// The number, if the lanes in `mask` agree on one.
  std::optional<uint64_t> get(uint32_t mask) const;
  void appendKey(std::string &key) const;

  bool operator==(const Value &) const = default;
  auto operator<=>(const Value &) const = default;

private:
  friend class ValueTable;
  enum Kind : uint8_t { Unknown, Uniform, PerLane };
  Kind kind = Unknown;
  uint8_t lowBits = 0;
  bool counted = false;
  uint32_t unknown = 0;
  uint64_t number = 0;
  const Lanes *lanes = nullptr;
};

/// Owns the arrays of lanes.
class ValueTable {
public:
  /// Lanes in `unknown` aren't known.
  Value make(Lanes lanes, uint32_t unknown = 0);
  /// `function` on each lane; unknown where an operand is.
  Value map(llvm::ArrayRef<Value> operands,
            llvm::function_ref<uint64_t(llvm::ArrayRef<uint64_t>)> function);

  /// The result of an instruction without side effects that computes one
  /// integer from others; unknown for all others.
  Value compute(const ptx::Instruction &instruction,
                llvm::ArrayRef<Value> sources);

private:
  Value computeLow(const ptx::Instruction &instruction,
                   llvm::ArrayRef<Value> sources);

  std::set<Lanes> interned;
};

} // namespace drawloom::protocol

#endif // DRAWLOOM_PROTOCOL_VALUES_H
