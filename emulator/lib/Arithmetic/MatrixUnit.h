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
// one after the other are one product whose K is that of all:
//
//   auto operands = unit.take(form, steps);
//   for each step: pack its operands into operands->a(step) and b(step)
//   unit.multiply(*operands) gives the products, which are folded into D
//   (Fold.h);
//   unit.give(std::move(operands));
//
// Operands may be kept, and grow, for as long as D isn't read: the unit is
// the host thread's, what it takes is not.
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
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <vector>

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

/// The operands of one product, in memory of their own.
class ProductOperands {
public:
  ProductOperands();
  ~ProductOperands();

  const MmaForm &form() const { return formField; }
  unsigned steps() const { return stepsField; }
  /// There are more steps than before, at most form().maxSteps(); what is
  /// packed stays.
  void grow(unsigned steps);
  /// Where the operands of a step go: rows of K elements, or, transposed, K
  /// rows of m or n elements.
  Panel a(unsigned step) const;
  Panel b(unsigned step) const;
  /// The same number for a step with the same operands; nothing if all elements
  /// of one are 0.
  std::optional<uint64_t> hash(unsigned step) const;

private:
  friend class MatrixUnit;
  std::optional<uint64_t> hash(Panel panel, unsigned rows,
                               bool transposed) const;
  Panel panel(char *data, unsigned rows, bool transposed, unsigned step) const;
  /// Changes how many steps a row has room for.
  void setRoom(unsigned steps);

  MmaForm formField;
  unsigned stepsField = 0;
  /// Steps that a row which isn't transposed has room for. oneDNN is slow with
  /// gaps between rows, so it is the number of steps when it multiplies.
  unsigned room = 0;
  char *aData, *bData;
};

/// The result: m rows of n floats, one such matrix or one for each step.
struct Products {
  const float *data;
  unsigned count;
  unsigned rows; ///< Of each matrix.
};

class MatrixUnit {
public:
  /// The most rows of a product: those of a pair of CTAs.
  static constexpr unsigned maxM = 256;

  MatrixUnit();
  ~MatrixUnit();

  /// Room for operands. The form's M may be that of several MMAs that have the
  /// same B.
  std::unique_ptr<ProductOperands> take(const MmaForm &form, unsigned steps);
  /// They are used again.
  void give(std::unique_ptr<ProductOperands> operands);
  /// An error if oneDNN can't do it. The operands are no longer what they were.
  llvm::Expected<Products> multiply(ProductOperands &operands);

private:
  struct Library;
  struct Primitive;
  llvm::Expected<Primitive *> primitive(const MmaForm &form, unsigned steps,
                                        Compute compute);

  std::unique_ptr<Library> library;
  llvm::DenseMap<uint64_t, std::unique_ptr<Primitive>> primitives;
  std::vector<std::unique_ptr<ProductOperands>> unused;
  char *cData;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_MATRIXUNIT_H
