//===- Layout.h - Where the elements of a tile are ------------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A layout is a function from a place in the hardware to coordinates in a tile.
// A place is a tuple of numbers with names: (register, lane, warp) for a tile
// in registers, (offset) for shared memory, (lane, column) for tensor memory.
// In a cluster, (cta) is one more number. A layout may have it alone: it then
// says which part of a tile is in which CTA. One that has only the others says
// where an element is inside a CTA. Their product says both, and is onto.
//
// Every number, of a place and of the coordinates, is written in a mixed radix
// whose digits are primes. Almost all of them are bits; the odd ones are there
// because tiles come in sizes like 192 = 2^6 * 3:
//
//      offset in a row-major tile of 64 x 192  =  [ 6 bits | digit of 3 | 6
//      bits ]
//                                                   row      column column
//
// A layout maps bits linearly: each bit of the place has a basis, the
// coordinates that it contributes, and the bases of all set bits are combined
// by XOR of the coordinates' bits. So swizzles are layouts. An odd digit goes
// to one digit of one coordinate: its basis is the step that each of its values
// adds.
//
// Invariant: a Layout is in normal form (the digits are primes, and where two
// neighbors could be swapped the smaller is below), so two layouts that are
// the same function of the same named numbers are equal member by member.

#ifndef DRAWLOOM_DIALECT_TILE_IR_LAYOUT_H
#define DRAWLOOM_DIALECT_TILE_IR_LAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace drawloom::tile {

class Layout {
public:
  /// A digit of an input. If it has two values, it is a bit, and `basis` is
  /// what it contributes to each output. If it has more, `basis` is a step
  /// along one output and zero for the others.
  struct Digit {
    llvm::SmallVector<int64_t, 2> basis;
    int64_t count = 2;
    bool operator==(const Digit &) const = default;
  };

  /// One number of a place: its digits, the lowest first.
  struct Input {
    std::string name;
    std::vector<Digit> digits;
    bool operator==(const Input &) const = default;
  };

  /// One coordinate, 0 .. size-1.
  struct Output {
    std::string name;
    int64_t size;
    bool operator==(const Output &) const = default;
  };

  /// Checks the parts and brings them to normal form; digits may have any
  /// count. The error says which part does not fit, with the numbers.
  static llvm::Expected<Layout> get(std::vector<Input> inputs,
                                    std::vector<Output> outputs);

  /// The elements of `shape` in order, the last dimension fastest: one input
  /// `name`, outputs named by `dimName`.
  static llvm::Expected<Layout> rowMajor(llvm::StringRef name,
                                         llvm::ArrayRef<int64_t> shape);

  /// Permutes 0 .. size-1: for i in 0 .. width-1, bit `to + i` becomes its XOR
  /// with bit `from + i`. `from` must be at least `to + width`. Composed with a
  /// row-major layout in bytes, (width 3, from 7, to 4) is the 128-byte swizzle
  /// of TMA and of the matrix descriptors. Bits of `from` that 0 .. size-1 does
  /// not have are taken as zero.
  static llvm::Expected<Layout> swizzle(llvm::StringRef name, int64_t size,
                                        unsigned width, unsigned from,
                                        unsigned to);

  /// The name of dimension `i` of a tile: "dim0", "dim1", ...
  static std::string dimName(unsigned i);

  llvm::ArrayRef<Input> getInputs() const { return inputs; }
  llvm::ArrayRef<Output> getOutputs() const { return outputs; }

  /// How many values input `in` has.
  int64_t getInputSize(unsigned in) const;

  /// The coordinates at a place; one number for each input, within its size.
  llvm::SmallVector<int64_t> apply(llvm::ArrayRef<int64_t> place) const;

  /// Every coordinate has a place.
  bool isOnto() const;

  /// No coordinate has two places.
  bool isInjective() const;

  /// First this layout, then `next`, whose inputs are this one's outputs, by
  /// name and size. An error if the two write these numbers in different
  /// radices: then the result is no Layout.
  llvm::Expected<Layout> compose(const Layout &next) const;

  /// At a place, the combination of what this layout has at its part of the
  /// place and `other` at the rest. An error if both have an input of one name,
  /// or their outputs differ.
  llvm::Expected<Layout> product(const Layout &other) const;

  /// The layout with only some of the inputs, by name: those that are left out
  /// are zero.
  llvm::Expected<Layout>
  getPart(llvm::function_ref<bool(llvm::StringRef)> wanted) const;

  /// From coordinates to a place where they are. If there are several, the one
  /// whose surplus bits are zero. An error if some coordinates have no place.
  llvm::Expected<Layout> invert() const;

  /// The digits of output `out`, the lowest first.
  llvm::ArrayRef<int64_t> getRadix(unsigned out) const { return radices[out]; }

  /// The bits of all coordinates in one word, the first output lowest, and how
  /// many there are. Odd digits are left out.
  uint64_t pack(llvm::ArrayRef<int64_t> coordinates) const;
  llvm::SmallVector<int64_t> unpack(uint64_t word) const;
  unsigned getOutputBits() const;

  bool operator==(const Layout &) const = default;

  /// Prints what stands between the angle brackets of `#tile.layout`.
  void print(llvm::raw_ostream &os) const;

private:
  Layout() = default;

  llvm::Error findRadices();
  void sortDigits();
  std::vector<uint64_t> packBits() const;

  std::vector<Input> inputs;
  std::vector<Output> outputs;
  /// The digits of each output, the lowest first. They follow from the inputs
  /// and the outputs' sizes.
  std::vector<llvm::SmallVector<int64_t>> radices;
  /// Whether the bits of each output are below its other digits: then bits of
  /// an output's number are bits of the coordinate.
  bool bitsAreLow = true;
};

llvm::hash_code hash_value(const Layout &layout);
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Layout &layout);

} // namespace drawloom::tile

#endif // DRAWLOOM_DIALECT_TILE_IR_LAYOUT_H
