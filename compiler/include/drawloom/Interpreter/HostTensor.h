//===- HostTensor.h - Tensors in host memory --------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dense tensor: a shape, a format and the elements in row-major order, each
// in the bits of its real format. Writing a number rounds it, so that what a
// program computes here has the rounding of the types that it names.
//
// A scalar is a tensor of rank 0. The invariant: the storage holds exactly the
// product of the extents, and every stored element is canonical for the format.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_INTERPRETER_HOSTTENSOR_H
#define DRAWLOOM_INTERPRETER_HOSTTENSOR_H

#include "drawloom/Interpreter/Format.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace drawloom::interp {

/// The product of the extents; none if one is negative, or if that many
/// elements would take more than `maxTensorBytes`.
std::optional<int64_t> countElements(Format format,
                                     llvm::ArrayRef<int64_t> shape);

/// The largest tensor that the interpreter makes: 1 GiB.
constexpr int64_t maxTensorBytes = int64_t(1) << 30;

class HostTensor {
public:
  /// All zero bits. `countElements` must have an answer for the shape.
  HostTensor(Format format, llvm::ArrayRef<int64_t> shape);

  /// A rank-0 tensor.
  static HostTensor scalar(Format format, double value);
  static HostTensor scalar(Format format, int64_t value);

  /// From numbers in row-major order, rounded to the format. `values` holds one
  /// number for each element.
  static HostTensor fromFloats(Format format, llvm::ArrayRef<int64_t> shape,
                               llvm::ArrayRef<double> values);
  static HostTensor fromInts(Format format, llvm::ArrayRef<int64_t> shape,
                             llvm::ArrayRef<int64_t> values);

  Format getFormat() const { return format; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return static_cast<int64_t>(shape.size()); }
  int64_t getNumElements() const { return numElements; }

  /// The element's bits, zero-extended.
  uint64_t getBits(int64_t index) const;
  void setBits(int64_t index, uint64_t bits);

  /// For floating-point formats.
  double getFloat(int64_t index) const {
    return decode(format, getBits(index));
  }
  void setFloat(int64_t index, double value) {
    setBits(index, encode(format, value));
  }

  /// For integers: sign-extended, zero-extended; setting keeps the low bits.
  int64_t getInt(int64_t index) const;
  uint64_t getUInt(int64_t index) const { return getBits(index); }
  void setInt(int64_t index, int64_t value);

  /// Moves one element of `source`, which has the same format.
  void copyElement(int64_t index, const HostTensor &source,
                   int64_t sourceIndex);

  /// Moves `count` neighbors of `source`, which has the same format.
  void copyRow(int64_t count, int64_t index, const HostTensor &source,
               int64_t sourceIndex);

  std::vector<double> toFloats() const;
  std::vector<int64_t> toInts() const;

  llvm::ArrayRef<char> getBytes() const { return bytes; }
  llvm::MutableArrayRef<char> getMutableBytes() { return bytes; }

private:
  Format format;
  unsigned elementBytes;
  llvm::SmallVector<int64_t, 4> shape;
  int64_t numElements;
  std::vector<char> bytes;
};

/// Row-major strides, in elements.
llvm::SmallVector<int64_t, 4> getStrides(llvm::ArrayRef<int64_t> shape);

/// Prints `4x8xbf16`, or `f32` for a scalar.
void printType(llvm::raw_ostream &os, Format format,
               llvm::ArrayRef<int64_t> shape);
std::string formatType(Format format, llvm::ArrayRef<int64_t> shape);

} // namespace drawloom::interp

#endif // DRAWLOOM_INTERPRETER_HOSTTENSOR_H
