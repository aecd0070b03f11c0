//===- MatrixUnit.h - The products of matrix instructions -------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The multiplying itself is oneDNN's, on AMX or AVX-512 where there is one. An
// MMA is too small to be worth a call, so MMAs that add to the same accumulator
// one after the other are one product whose K is theirs together:
//
//   unit.begin(form, steps);
//   for each step: pack its operands into unit.a(step) and unit.b(step)
//   unit.multiply() gives the products, which are folded into D (Fold.h).
//
// Another A may be packed then and multiplied with the same B.
//
// Which MMAs are taken together depends on the program alone (never on what the
// scheduler chose), so the order of all additions does too.
//
// Where every MMA rounds its sum to fewer bits than f32 has (f16 accumulators,
// Hopper's fp8), or saturates, the products of the steps are kept separate.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_MATRIXUNIT_H
#define DRAWLOOM_EMULATOR_MATRIXUNIT_H

#include "Arithmetic/ElementFormat.h"
#include "Arithmetic/Sparsity.h"
#include "Machine/Extension.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace drawloom::emu {

enum class Accumulator : uint8_t { F32, F16, S32 };

/// What MMAs must have in common to be one product.
struct MmaForm {
  uint16_t m = 0, n = 0;
  ElementFormat a = ElementFormat::BF16, b = ElementFormat::BF16;
  bool aTransposed = false; ///< M-major.
  bool bTransposed = false; ///< N-major.
  Accumulator d = Accumulator::F32;
  bool negated = false;   ///< D = D - A B.
  bool saturated = false; ///< Of integers.
  /// Significant bits that each MMA keeps of its sums; 0 for all of f32's.
  uint8_t sumBits = 0;

  Sparsity sparsity; ///< Of A.

  bool operator==(const MmaForm &) const = default;

  unsigned k() const { return sparsity ? 2 * stepK(a) : stepK(a); }
  /// Whether each step's product is added to D by itself.
  bool separate() const {
    return d == Accumulator::F16 || sumBits || saturated;
  }
  /// How many steps one product may have.
  unsigned maxSteps() const;
};

/// The result: m rows of n floats, one such matrix or one for each step.
struct Products {
  const float *data;
  unsigned count;
};

class MatrixUnit : public Extension {
public:
  static constexpr ExtensionSlot slot = ExtensionSlot::MatrixUnit;

  MatrixUnit();
  ~MatrixUnit() override;

  /// `steps` is at most form.maxSteps().
  void begin(const MmaForm &form, unsigned steps);
  /// Where the operands of a step go: rows of K elements, or, transposed, K
  /// rows of m or n elements.
  Panel a(unsigned step) const;
  Panel b(unsigned step) const;
  /// An error if oneDNN can't do it.
  llvm::Expected<Products> multiply();

private:
  struct Library;
  struct Primitive;
  Panel panel(char *data, unsigned rows, bool transposed, unsigned step) const;
  llvm::Expected<Primitive *> primitive(Compute compute);

  std::unique_ptr<Library> library;
  llvm::DenseMap<uint64_t, std::unique_ptr<Primitive>> primitives;
  MmaForm form;
  unsigned steps = 0;
  bool isWideB = false; ///< B has been widened.
  char *aData, *bData, *cData;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_MATRIXUNIT_H
