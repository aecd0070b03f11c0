//===- HostTensor.cpp - Tensors in host memory ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Interpreter/HostTensor.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace drawloom::interp;
using llvm::ArrayRef;

// Elements are moved as the low bytes of a word.
static_assert(llvm::endianness::native == llvm::endianness::little);

std::optional<int64_t>
drawloom::interp::countElements(Format format, ArrayRef<int64_t> shape) {
  int64_t count = getInfo(format).bytes;
  // An extent of zero makes the tensor empty whatever the others are.
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; }))
    return std::nullopt;
  if (llvm::is_contained(shape, 0))
    return 0;
  for (int64_t extent : shape)
    if (llvm::MulOverflow(count, extent, count) || count > maxTensorBytes)
      return std::nullopt;
  return count / getInfo(format).bytes;
}

HostTensor::HostTensor(Format format, ArrayRef<int64_t> shape)
    : format(format), elementBytes(getInfo(format).bytes),
      shape(shape.begin(), shape.end()),
      numElements(countElements(format, shape).value_or(0)),
      bytes(numElements * elementBytes) {
  assert(countElements(format, shape) && "the shape is not checked");
}

HostTensor HostTensor::scalar(Format format, double value) {
  return fromFloats(format, {}, value);
}

HostTensor HostTensor::scalar(Format format, int64_t value) {
  return fromInts(format, {}, value);
}

HostTensor HostTensor::fromFloats(Format format, ArrayRef<int64_t> shape,
                                  ArrayRef<double> values) {
  HostTensor result(format, shape);
  for (int64_t i = 0; i < result.numElements; ++i)
    result.setFloat(i, values[i]);
  return result;
}

HostTensor HostTensor::fromInts(Format format, ArrayRef<int64_t> shape,
                                ArrayRef<int64_t> values) {
  HostTensor result(format, shape);
  for (int64_t i = 0; i < result.numElements; ++i)
    result.setInt(i, values[i]);
  return result;
}

uint64_t HostTensor::getBits(int64_t index) const {
  assert(index >= 0 && index < numElements);
  const char *at = bytes.data() + index * elementBytes;
  switch (elementBytes) {
  case 1:
    return static_cast<uint8_t>(*at);
  case 2: {
    uint16_t bits;
    std::memcpy(&bits, at, sizeof(bits));
    return bits;
  }
  case 4: {
    uint32_t bits;
    std::memcpy(&bits, at, sizeof(bits));
    return bits;
  }
  default: {
    uint64_t bits;
    std::memcpy(&bits, at, sizeof(bits));
    return bits;
  }
  }
}

void HostTensor::setBits(int64_t index, uint64_t bits) {
  assert(index >= 0 && index < numElements);
  std::memcpy(bytes.data() + index * elementBytes, &bits, elementBytes);
}

int64_t HostTensor::getInt(int64_t index) const {
  return llvm::SignExtend64(getBits(index), getInfo(format).bits);
}

void HostTensor::setInt(int64_t index, int64_t value) {
  setBits(index, static_cast<uint64_t>(value) &
                     llvm::maskTrailingOnes<uint64_t>(getInfo(format).bits));
}

void HostTensor::copyElement(int64_t index, const HostTensor &source,
                             int64_t sourceIndex) {
  assert(format == source.format);
  setBits(index, source.getBits(sourceIndex));
}

std::vector<double> HostTensor::toFloats() const {
  std::vector<double> values(numElements);
  for (int64_t i = 0; i < numElements; ++i)
    values[i] = getFloat(i);
  return values;
}

std::vector<int64_t> HostTensor::toInts() const {
  std::vector<int64_t> values(numElements);
  for (int64_t i = 0; i < numElements; ++i)
    values[i] = getInt(i);
  return values;
}

llvm::SmallVector<int64_t, 4>
drawloom::interp::getStrides(ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t, 4> strides(shape.size());
  // Unsigned: beside an extent of zero, the others may be of any size.
  uint64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(shape[d]);
  }
  return strides;
}

void HostTensor::copyRow(int64_t count, int64_t index, const HostTensor &source,
                         int64_t sourceIndex) {
  assert(format == source.format && index >= 0 &&
         index + count <= numElements && sourceIndex >= 0 &&
         sourceIndex + count <= source.numElements);
  std::memmove(bytes.data() + index * elementBytes,
               source.bytes.data() + sourceIndex * elementBytes,
               count * elementBytes);
}

void drawloom::interp::printType(llvm::raw_ostream &os, Format format,
                                 ArrayRef<int64_t> shape) {
  for (int64_t extent : shape)
    os << extent << 'x';
  os << getInfo(format).name;
}

std::string drawloom::interp::formatType(Format format,
                                         ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printType(os, format, shape);
  return text;
}
