//===- Mutator.h - Random mutations of programs --------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Makes a new program out of a sound one. Random text would die in the parser,
// so the changes know the structure: sizes and element types are changed in the
// text, everywhere at once or in one place; operations, operands, constants,
// targets and schedules are changed in the IR, mostly to something of the same
// type. More than half of the programs must still pass the verifiers, or
// nothing behind them is tested.
//
// A program is a function of its number and the seeds, so every failure can be
// repeated.

#ifndef DRAWLOOM_UNITTESTS_DIAGNOSTICS_MUTATOR_H
#define DRAWLOOM_UNITTESTS_DIAGNOSTICS_MUTATOR_H

#include "mlir/IR/BuiltinOps.h"
#include <random>
#include <string>

namespace drawloom::diagnostics {

class Mutator {
public:
  explicit Mutator(uint64_t number) : random(number) {}

  /// A number from 0 to `end` - 1.
  size_t pick(size_t end) {
    return std::uniform_int_distribution<size_t>(0, end - 1)(random);
  }
  template <typename Range>
  auto &choose(Range &&range) {
    return range[pick(std::size(range))];
  }
  bool chance(double probability) {
    return std::bernoulli_distribution(probability)(random);
  }

  /// Changes sizes, types and views of a program's text.
  std::string mutateText(llvm::StringRef text);

  /// Changes operations and attributes; `count` times.
  void mutateModule(mlir::ModuleOp module, unsigned count);

private:
  std::mt19937_64 random;
};

} // namespace drawloom::diagnostics

#endif // DRAWLOOM_UNITTESTS_DIAGNOSTICS_MUTATOR_H
