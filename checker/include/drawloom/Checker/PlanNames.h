//===- PlanNames.h - Roles and pipes by name --------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that the compiler made has a plan, in which warps have roles and
// memory is slots of pipes. `drawloom explain --format json` writes it, and
// findings name what it names:
//
//   warp 1                   @mma
//   byte 98304               slot 2 of @operands
//   byte 229384              the full barrier of slot 1 of @operands
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_PLANNAMES_H
#define DRAWLOOM_CHECKER_PLANNAMES_H

#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace drawloom::checker {

class PlanNames {
public:
  /// None, if no file is named.
  static llvm::Expected<PlanNames> read(llvm::StringRef file);

  /// "@mma"; empty if the role of the warp isn't known.
  std::string roleOf(llvm::StringRef kernel, unsigned warp) const;
  /// "slot 2 of @operands", for a byte of dynamic shared memory. Bytes that
  /// several pipes use have all of them, with "or". Empty if it is in none.
  std::string sharedAt(llvm::StringRef kernel, int64_t byte) const;
  /// The barrier of a slot at a byte of dynamic shared memory.
  struct Barrier {
    bool isFull;
    std::string slot; ///< "slot 2 of @operands"
    std::string pipe; ///< "@operands"
  };
  std::optional<Barrier> barrierAt(llvm::StringRef kernel, int64_t byte) const;
  /// As sharedAt, for a column of the CTA's tensor memory.
  std::string columnAt(llvm::StringRef kernel, int64_t column) const;

private:
  struct Role {
    std::string name;
    int64_t first, count;
  };
  /// Slots, or the barriers of slots.
  struct Place {
    std::string what; ///< "slot", "the full barrier of slot"
    std::string pipe;
    bool isColumns;
    int64_t start, size, slots;
  };
  struct Plan {
    std::string kernel;
    std::vector<Role> roles;
    std::vector<Place> places;
  };
  std::string placeAt(llvm::StringRef kernel, bool isColumns, int64_t at) const;

  std::vector<Plan> plans;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_PLANNAMES_H
