//===- Values.h - What a warp's registers are known to hold --- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A value of the walk (Walk.h): unknown, or a number for each of the 32 lanes.
// Numbers are the bits of the register, zero-extended; predicates are 0 and 1.
//
// Invariant: lanes that all hold the same number are stored as one, and arrays
// of lanes are interned. So equal values are equal words, and states of the
// walk can be compared cheaply.

#ifndef DRAWLOOM_INTEGRATION_PROTOCOL_VALUES_H
#define DRAWLOOM_INTEGRATION_PROTOCOL_VALUES_H

#include "drawloom/PTX/Module.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <set>

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

  bool isKnown() const { return kind != Unknown; }
  bool isUniform() const { return kind == Uniform; }
  uint64_t at(unsigned lane) const {
    return kind == PerLane ? (*lanes)[lane] : number;
  }
  /// The number, if the lanes in `mask` agree on one.
  std::optional<uint64_t> get(uint32_t mask) const;

  bool operator==(const Value &) const = default;
  auto operator<=>(const Value &) const = default;

private:
  friend class ValueTable;
  enum Kind : uint8_t { Unknown, Uniform, PerLane };
  Kind kind = Unknown;
  uint64_t number = 0;
  const Lanes *lanes = nullptr;
};

/// Owns the arrays of lanes.
class ValueTable {
public:
  Value make(const Lanes &lanes);
  /// `function` on each lane, or unknown if an operand is.
  Value map(llvm::ArrayRef<Value> operands,
            llvm::function_ref<uint64_t(llvm::ArrayRef<uint64_t>)> function);

  /// The result of an instruction without side effects that computes one
  /// integer from others; unknown for all others.
  Value compute(const ptx::Instruction &instruction,
                llvm::ArrayRef<Value> sources);

private:
  std::set<Lanes> interned;
};

} // namespace drawloom::protocol

#endif // DRAWLOOM_INTEGRATION_PROTOCOL_VALUES_H
