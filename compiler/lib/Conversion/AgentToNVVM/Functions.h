//===- Functions.h - Functions without an instruction -----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// There is no library of functions to call, so what the hardware has no
// instruction for is written down here. All of it computes in f32, but for the
// logarithm of a power; other types are converted, and the result is rounded
// once more. The errors are in docs/Layouts.md, and a test measures
// them.

#ifndef DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_FUNCTIONS_H
#define DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_FUNCTIONS_H

#include "FloatConversions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace drawloom::codegen {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// Writes arithmetic on floats of one type, or on vectors of them.
class FloatCode {
public:
  FloatCode(mlir::ImplicitLocOpBuilder &b, mlir::Type type)
      : b(b), type(type) {}

protected:
  mlir::Value number(double value) {
    return mlir::arith::ConstantOp::create(
        b, getAttr(b.getFloatAttr(mlir::getElementTypeOrSelf(type), value)));
  }
  mlir::Value integer(int32_t value) {
    return mlir::arith::ConstantOp::create(b,
                                           getAttr(b.getI32IntegerAttr(value)));
  }
  mlir::TypedAttr getAttr(mlir::TypedAttr element) {
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
      return mlir::DenseElementsAttr::get(vector.clone(element.getType()),
                                          mlir::Attribute(element));
    return element;
  }
  mlir::Type getIntegerType() { return withElement(type, b.getI32Type()); }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddFOp::create(b, x, y);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return mlir::arith::SubFOp::create(b, x, y);
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) {
    return mlir::arith::MulFOp::create(b, x, y);
  }
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z) {
    return mlir::LLVM::FMAOp::create(b, x, y, z);
  }
  mlir::Value abs(mlir::Value x) { return mlir::LLVM::FAbsOp::create(b, x); }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x,
                      mlir::Value y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, y);
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return mlir::arith::SelectOp::create(b, condition, x, y);
  }
  mlir::Value trunc(mlir::Value x) {
    return mlir::LLVM::FTruncOp::create(b, x);
  }
  mlir::Value bothOf(mlir::Value x, mlir::Value y) {
    return mlir::arith::AndIOp::create(b, x, y);
  }
  mlir::Value eitherOf(mlir::Value x, mlir::Value y) {
    return mlir::arith::OrIOp::create(b, x, y);
  }
  /// 2^n of an integer in the range of exponents.
  mlir::Value powerOfTwo(mlir::Value n) {
    n = mlir::arith::AddIOp::create(b, n, integer(127));
    n = mlir::arith::ShLIOp::create(b, n, integer(23));
    return mlir::arith::BitcastOp::create(b, type, n);
  }
  /// c[0] + c[1] x + ...
  template <typename T, size_t size>
  mlir::Value evaluate(const T (&coefficients)[size], mlir::Value x) {
    mlir::Value sum = number(coefficients[size - 1]);
    for (size_t i = size - 1; i-- > 0;)
      sum = fma(sum, x, number(coefficients[i]));
    return sum;
  }

  mlir::ImplicitLocOpBuilder &b;
  mlir::Type type;
};

/// Writes functions of f32, or of a vector of f32.
class Functions : private FloatCode {
public:
  using FloatCode::FloatCode;

  mlir::Value exp(mlir::Value x);
  mlir::Value approximateExp(mlir::Value x);
  mlir::Value exp2(mlir::Value x) {
    return call("llvm.nvvm.ex2.approx.ftz.f32", x);
  }
  mlir::Value expm1(mlir::Value x);
  mlir::Value log(mlir::Value x, bool binary);
  mlir::Value log1p(mlir::Value x);
  mlir::Value pow(mlir::Value x, mlir::Value y);
  mlir::Value sin(mlir::Value x) { return takeQuadrant(reduceAngle(x), 0); }
  mlir::Value cos(mlir::Value x) { return takeQuadrant(reduceAngle(x), 1); }
  mlir::Value tanh(mlir::Value x);
  mlir::Value approximateTanh(mlir::Value x);
  mlir::Value erf(mlir::Value x);
  mlir::Value rsqrt(mlir::Value x) {
    return call("llvm.nvvm.rsqrt.approx.f", x);
  }
  mlir::Value divide(mlir::Value x, mlir::Value y) {
    return call("llvm.nvvm.div.full", {x, y});
  }

private:
  /// x = 2^exponent mantissa, with the mantissa in [2/3, 4/3) so that a number
  /// near 1 has exponent 0 and keeps all its digits.
  struct Parts {
    /// As the bits of a float have it.
    mlir::Value bits;
    mlir::Value mantissa, exponent;
  };
  Parts split(mlir::Value x);
  mlir::Value logOfMantissa(mlir::Value f);
  mlir::Value finishLog(mlir::Value x, mlir::Value pole, mlir::Value result);

  /// An angle is `quadrant` quarters of a turn and `rest`, at most an eighth.
  struct Angle {
    mlir::Value quadrant, rest;
  };
  Angle reduceAngle(mlir::Value x);
  Angle reduceLargeAngle(mlir::Value x);
  llvm::SmallVector<mlir::Value> findDigits(mlir::Value first);
  mlir::Value takeQuadrant(Angle angle, int32_t more);

  /// The largest of all elements of a thread.
  mlir::Value largest(mlir::Value x);
  /// An intrinsic of scalars, on each element.
  mlir::Value call(llvm::StringRef name, mlir::ValueRange operands);
};

} // namespace drawloom::codegen

#endif // DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_FUNCTIONS_H
